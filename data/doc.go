// Package data reads tables and encodes them as design matrices.
//
// [Read] loads Parquet, Arrow IPC, CSV and JSON Lines files into a [Frame] of plain typed
// columns; [Open] leaves the values of Parquet files where they are until they
// are asked for. [NewFrame], [FromStructs], [FromRecords], [FromRows] and [FromArrow] make one of
// values in memory. [Fit] scans the training rows of a frame, makes an [Encoder] of their statistics and
// encodes training and hold-out rows as [Dataset]s: a design matrix with its names, targets and
// groups. An encoder that exists, of a saved model say, encodes other frames. Types of the file
// formats stop below this package.
//
// A bad file is an error that names the file and what is wrong with it.
// Truncation and structural damage are always found. Damage to the values
// themselves is found where the file carries checksums (Parquet page CRCs,
// gzip, and zstd frames written with a checksum, as this package writes them);
// flipped bits in pages without one look like other numbers, which
// is why the SHA-256 of every input is kept in [Source]. Arrow IPC files carry
// no checksums. A CSV file cut exactly at the end of a line is a shorter CSV
// file, which nothing in it shows; compressed (.csv.gz) it is found.
//
// # How a Parquet file becomes a matrix
//
// A row passes through an input (a file, a pipe or bytes), the Parts and Values that a reader gives of
// its columns, the Columns of a [Frame], the statistics of the scan (numbers, levels, the target), an
// [Encoder], the places of a Partition, a Tile, the Sources of a matrix (a Number or a Category) and a
// design.Matrix to a [Dataset].
//
// There is never a full table beside the matrix. The file is read by pieces, from several
// goroutines, twice. The scan (scan.go) reads numbers in tiles, a stripe of 2048 rows of several
// columns (matrix.Visit), and sums them up (matrix.Moment); of text and bools it counts levels. The
// statistics of blocks of rows merge in the order of the table: the rows of a process are one
// block, and each of several ranks has one. The encoder is made of the merged statistics alone
// (fitting.go). The encoding (encode.go) keeps a code of one byte a row of each category, reads the
// numbers again and writes them to a sink: dense, sparse or on disk (matrix.Write). So the bits of
// a model depend on the values and the seed alone: not on the number of threads or ranks, nor on
// row groups and pages, nor on the format.
//
// Beside the matrices, of n rows, loading holds about 30 bytes a row (row
// numbers, places, targets), a byte a row for each category, 4 for each
// grouping, and pages of about 16 MB. Sparse matrices of numbers that may be 0 take a third reading.
//
// An Arrow IPC file is held as a whole while it is read, text never: it is read
// twice, as a stream. Both are then held as 8 bytes a number and 4 bytes a category
// value, plus a byte a value for columns with nulls, for as long as the frame is;
// their matrices are made of that in the same way. Lengths that a file claims are
// checked against its size before anything is allocated by them, and what is large
// is asked of the limits of the process first: too much is an error with numbers.
//
// The readers are in internal: csv (with JSON Lines), parquet and ipc give tables of columns
// (internal/table), and internal/matrix goes through them. datasets, eval, train
// and what comes after them import this package, design, losses and dro do not (internal/layers
// has the table). Start reading at frame.go and read.go for tables, at fit.go for encoding.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md;
// a patch version does not.
package data
