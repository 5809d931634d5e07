// Package matrix carries rows and numbers from a table to design matrices: which rows go where
// (partition.go), the numbers of columns, in memory or in their files, handed over by tiles of a stripe
// of rows (visit.go), the mean and deviation of a column, joined of the moments of stripes
// (moments.go), and dense and sparse matrices of numbers shifted and scaled, and of categories from a code
// a row (write.go, which has the steps). A matrix on disk is made of parts that are built in memory, after
// the rows have been put in order (bucket.go). Package data alone imports it. Start reading at Visit and
// Write.
package matrix
