// Package data reads tables: Parquet, Arrow IPC, CSV, JSON Lines, LIBSVM and .npy files, and values in memory.
//
// [Read] loads files into a [Frame] of plain typed
// columns; [Open] leaves the values of Parquet files where they are until they
// are asked for. [NewFrame], [FromStructs], [FromRecords], [FromRows] and [FromArrow] make one of
// values in memory. [Frame.Filter], [Frame.Join] and [Frame.SplitRows] choose rows; [Frame.Exact] and [WriteTable]
// copy columns without a change. Package data/encode makes design matrices of tables. Types of the file
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
// A Parquet file is read by pieces. An Arrow IPC file is held as a whole while it is read, text never: it is read
// twice, as a stream. Both are then held as 8 bytes a number and 4 bytes a category
// value, plus a byte per value for columns with nulls, for as long as the frame is;
// their matrices are made of that in the same way. Lengths that a file claims are
// checked against its size before anything is allocated by them, and what is large
// is asked of the limits of the process first: too much is an error with numbers.
//
// The readers are in internal: csv (with JSON Lines), parquet, ipc and npy give tables of columns, which package
// data/table declares, and internal/matrix goes through them. This package imports nothing of what comes after it
// (internal/layers has the table). Start reading at frame.go and read.go.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md;
// a patch version does not.
package data
