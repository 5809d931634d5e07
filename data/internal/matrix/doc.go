// Package matrix writes design matrices of the rows of a table whose encoding is known: dense,
// sparse or on disk, numbers shifted and scaled, categories from a code a row. Package data alone
// imports it.
//
// Start reading at write.go, which has the steps; dense.go, sparse.go and bucket.go (on disk) are the
// ways to store a matrix; number.go is a numeric column while its rows are read.
package matrix
