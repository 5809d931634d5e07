// Package matrix makes design matrices of the tiles of a table: dense, sparse, on disk or of
// the rows of one rank, numbers as they come, standardised in their places when their moments
// are known, categories from a code a row. What columns are taken as is settled before, by
// package data, which alone imports it.
//
// Start reading at builder.go (in memory) and pile.go (on disk); number.go is a numeric column
// while its rows are seen, deal.go which rank sees which.
package matrix
