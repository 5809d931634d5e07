// Package matrix converts columns of a table to design matrices. A Partition assigns rows to matrices
// (partition.go). Visit reads the numbers of columns, in memory or in files, in tiles of a stripe of rows
// (visit.go). The mean and standard deviation of a column are computed from the moments of stripes (moments.go).
// Write builds dense and sparse matrices of shifted and scaled numbers and of categories, which are stored as one
// code per row (write.go). The parts of a matrix on disk are built in memory, after the rows have been sorted
// (bucket.go). Only packages in data import this package. The best places to start reading are Visit and Write.
package matrix
