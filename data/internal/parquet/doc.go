// Package parquet reads Parquet files by pieces, and writes them.
//
// Nothing here holds a whole file. [Open] reads the footer and the headers of the
// pages. The footer is walked by our own reader first (thrift.go), which checks
// every length against the bytes there are; then Arrow's parser makes the schema
// of it. Column chunks are checked to lie apart inside the file and to agree with
// the schema (open.go). The values stay in the file until they are asked for:
// pages are then read one at a time, checked against their checksum and decompressed with a bound
// (page.go), and Arrow's decoders turn them into values (chunk.go). What Arrow does not check is
// checked first: sizes, counts of values, headers that promise more than there is (runs.go). A
// panic of a decoder is an error.
//
// It imports data/internal/intake and data/internal; only data imports it. Start reading at
// open.go.
package parquet
