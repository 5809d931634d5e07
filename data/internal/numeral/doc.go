// Package numeral converts numbers from and to text, decimals, 64-bit integers and 16-bit floats.
package numeral
