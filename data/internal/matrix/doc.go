// Package matrix carries rows and numbers from a table to design matrices: which rows go where
// (partition.go), the numbers of columns, in memory or in their files, handed over by tiles of a stripe
// of rows (visit.go), the mean and deviation of a column, joined of the moments of stripes
// (moments.go), and matrices that are dense, sparse or on disk, numbers shifted and scaled, categories
// from a code a row (write.go, which has the steps). Package data alone imports it. Start reading at
// Visit and Write.
package matrix
