// Package data reads tables: Parquet, Arrow IPC, CSV, JSON Lines, LIBSVM and NumPy files, and values in memory.
//
// [Read] loads files into a [Frame] of plain typed columns; [Open] leaves the values of Parquet, Arrow IPC and NumPy
// files on disk until they are needed. [NewFrame], [FromStructs], [FromRecords], [FromRows] and [FromArrow] make a
// Frame from values in memory. [Frame.Filter] and [Frame.SplitRows] choose rows; [Frame.Exact] and
// [WriteTable] copy columns unchanged. Package data/encode turns tables into design matrices. The API exposes no types
// of the libraries that read the file formats, except in [FromArrow].
//
// Reading a damaged file returns an error that names the file and the problem. Truncation and structural damage are
// always found. Damage to the values themselves is found where the file carries checksums (Parquet page CRCs, gzip,
// .npz, and zstd frames written with a checksum, as this package writes them); without a checksum, flipped bits look
// like different numbers, so [Source] holds the SHA-256 of every input. Arrow IPC files carry no checksums. A CSV file
// that was cut exactly at the end of a line is a valid shorter file, so the truncation cannot be detected unless the
// file is compressed (.csv.gz).
//
// No file is read into memory as a whole. Parquet, Arrow IPC and NumPy files are read in pieces: a page, or the column
// of a record batch if it is compressed. CSV and JSON Lines are read twice, as streams. [Open] stores decoded text and
// sparse vectors in a temporary file if they would take more than a quarter of the free memory. A frame in memory takes
// 8 bytes per number, 4 bytes per value of a category, plus one byte per value in columns with nulls, and 12 bytes per
// entry of a sparse vector. Lengths stated in a file are checked against its size before memory is allocated for them,
// and large allocations are first checked against the limits of the process; an allocation beyond them is an error that
// states both sizes.
//
// The readers are in internal: csv (with JSON Lines), libsvm, parquet, ipc and npy return tables of columns, whose
// types package data/table declares; internal/matrix converts them to matrices. This package imports no package of a
// higher layer; internal/layers lists the layers. The best places to start reading are frame.go and read.go.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md; a patch version does
// not.
package data
