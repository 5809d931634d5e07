// Package data reads tables and turns them into design matrices.
//
// [Read] loads Parquet, Arrow IPC, CSV and JSON Lines files into a [Frame] of plain typed
// columns; [Open] leaves the values of Parquet files where they are until they
// are asked for. Both are package frame's, given here under the same names
// (face.go). [Fit] makes an [Encoder] of the training rows of a frame and,
// in the same go, the [Dataset]s of training and hold-out rows: a design matrix
// with its names, targets and groups. An encoder that exists, of a saved model
// say, encodes other frames. Types of the file formats stop below this package.
//
// A bad file is an error that names the file and what is wrong with it.
// Truncation and structural damage are always found. Damage to the values
// themselves is found where the file carries checksums (Parquet page CRCs,
// gzip, and zstd frames written with a checksum, as this package writes them);
// flipped bits in pages without one cannot be told from other numbers, which
// is why the SHA-256 of every input is kept in [Source]. Arrow IPC files carry
// no checksums. A CSV file cut exactly at the end of a line is a shorter CSV
// file, and nothing in it can tell; compressed (.csv.gz) it is found.
//
// # How a Parquet file becomes a matrix
//
// There is never a full table beside the matrix. The file is read by pieces,
// from several goroutines. Columns of text and bools, and the target, are read
// one by one and kept as a code of one byte a row. Numbers are read in tiles, a
// stripe of 2048 rows of several columns: a tile is decoded page by page, summed
// up (tiles.Moment), and its rows are stored at their shuffled places in the matrix
// while it is still in the cache (tiles.Visit, matrix.Builder). Means and deviations are
// joined of the stripes, in their order, and the matrix is then standardised in
// its place. So the bits of a model depend on the values and the seed alone: not
// on the number of threads, nor on row groups and pages, nor on the format.
//
// Beside the matrices, of n rows, loading holds about 30 bytes a row (row
// numbers, places, targets), a byte a row for each category, 4 for each
// grouping, and pages of about 16 MB. Storages other than dense float64 cannot be
// standardised in their place: their numbers are read twice.
//
// An Arrow IPC file is held as a whole while it is read, text never: it is read
// twice, as a stream. Both are then held as 8 bytes a number and 4 bytes a category
// value, plus a byte a value for columns with nulls, for as long as the frame is;
// their matrices are made of that in the same way. Lengths that a file claims are
// checked against its size before anything is allocated by them, and what is large
// is asked of the limits of the process first: too much is an error with numbers.
//
// It imports design and the packages below it: frame (tables, from files or
// memory), table (columns and errors), schema (roles and codings, as plain data),
// internal/tiles (which rows go where, numbers by tiles) and internal/matrix (the matrices
// in the making). datasets, eval, train and what comes after them import it, design, losses and
// dro do not (internal/layers has the table). Start reading at fit.go; how values leave
// their files is in internal/tiles/visit.go and table/part.go.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md;
// a patch version does not.
package data
