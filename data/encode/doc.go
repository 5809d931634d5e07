// Package encode encodes the tables of package data as design matrices.
//
// [Fit] scans the training rows of a data.Frame, makes an [Encoder] of their statistics and
// encodes training and hold-out rows as [Dataset]s: a design matrix with its names, targets and
// groups. An encoder that exists, of a saved model say, encodes other frames and says in a [Report] what it had
// to adapt. A [Profile] holds what training saw of each column, and a [Drift] how other rows differ from it.
//
// # How a Parquet file becomes a matrix
//
// A row passes through an input (a file, a pipe or bytes), the Parts and Values that a reader gives of
// its columns, the Columns of a data.Frame, the statistics of the scan (numbers, levels, the target), an
// [Encoder], the places of a Partition, a Tile, the Sources of a matrix (a Number or a Category) and a
// design.Matrix to a [Dataset].
//
// There is never a full table beside the matrix. The file is read by pieces, from several
// goroutines, twice. The scan (scan.go) reads numbers in tiles, a stripe of 2048 rows of several
// columns (matrix.Visit), and sums them up (matrix.Moment); of text and bools it counts levels. The
// statistics of blocks of rows merge in the order of the table: the rows of a process are one
// block, and each of several ranks has one. The encoder is made of the merged statistics alone
// (fitting.go). The encoding (encode.go) keeps a code of one byte per row of each category, reads the
// numbers again and writes them to a sink: dense, sparse or on disk (matrix.Write). So the bits of
// a model depend on the values and the seed alone: not on the number of threads or ranks, nor on
// row groups and pages, nor on the format.
//
// Beside the matrices, of n rows, loading holds about 30 bytes per row (row
// numbers, places, targets), a byte per row for each category, 4 for each
// grouping, and pages of about 16 MB. Sparse matrices of numbers that may be 0 take a third reading.
//
// Start reading at spec.go and fit.go. Package data imports nothing of this package.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md;
// a patch version does not.
package encode
