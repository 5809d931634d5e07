// Package tiles is how rows and numbers travel from a table to a matrix: which rows go
// where (partition.go), the numbers of columns, in memory or in their files, handed over
// by tiles of a stripe of rows (visit.go), and the mean and deviation of a column, joined
// of the moments of stripes (moments.go).
//
// It imports data/table and the packages of internal; package data alone imports it.
// Start reading at Visit.
package tiles
