// Package dealt says which rows of a table a rank has, and that all ranks see the same files.
// It may import internal and data; train alone imports it. Start at [Share].
package dealt
