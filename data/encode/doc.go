// Package encode encodes the tables of package data as design matrices.
//
// [Fit] scans the training rows of a data.Frame, derives an [Encoder] from their statistics and encodes training
// and hold-out rows. The result is one [Dataset] for each: a design matrix with column names, targets and groups.
// An existing encoder, such as that of a saved model, encodes other frames; a [Report] states what had to be
// adapted. A [Profile] describes the training values of each column, and a [Drift] how the values of other rows
// differ from them.
//
// # How a Parquet file becomes a matrix
//
// The values of a row pass through the following types. An input (a file, a pipe or bytes) is read by a reader,
// which returns the Parts and Values of columns; these become the Columns of a data.Frame. A scan computes
// statistics of numbers, levels and the target, from which an [Encoder] is made. A Partition then assigns each row
// its index in a matrix, Tiles hold the numbers of some rows, and the Sources of a matrix (Numbers and Categories)
// write to a design.Matrix, which is part of a [Dataset].
//
// Memory never holds both the full table and the matrix. The file is read twice, in pieces, by several goroutines.
// The scan (scan.go) reads numbers in tiles (matrix.Visit), each of which holds a stripe of 2048 rows of several
// columns, and computes their moments (matrix.Moment). In columns of text and bools it counts levels. The
// statistics of blocks of rows are merged in the order of the table; each rank holds one block, and a single
// process holds all rows as one block. The encoder depends only on the merged statistics (fitting.go). The encoding
// (encode.go) stores a code of one byte per row for each category, reads the numbers again and writes them to a
// sink: dense, sparse or on disk (matrix.Write). The bits of a model therefore depend only on the values and the
// seed, and not on the number of threads or ranks, on row groups and pages, or on the file format.
//
// In addition to the matrices, loading takes about 30 bytes per row (row numbers, indices, targets), one byte per
// row for each category, 4 bytes per row for each grouping, and pages of about 16 MB. A sparse matrix of numbers
// that may be 0 requires the file to be read a third time.
//
// The best places to start reading are spec.go and fit.go. Package data does not import this package.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md; a patch version
// does not.
package encode
