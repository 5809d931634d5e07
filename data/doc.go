// Package data reads tables and turns them into design matrices.
//
// [Read] loads Parquet, Arrow IPC and CSV files into a [Frame] of plain typed
// columns; an [Encoder] is fitted on the training rows of a frame and turns
// frames into a [Dataset]: a row-major float64 matrix with its names, targets
// and groups. Types of the file formats stop at this package's edge.
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
// Memory: a file is held as a whole while it is read, then as 8 bytes a number
// and 4 bytes a category value, plus a byte a value for columns with nulls; the
// matrix takes 8 bytes a cell. Lengths that a file claims are checked against
// its size before anything is allocated by them.
package data
