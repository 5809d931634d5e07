// Package numeral converts numbers: from and to text, decimals, integers of 64 bits and floats of 16 bits.
package numeral
