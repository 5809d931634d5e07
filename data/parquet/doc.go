// Package parquet reads Parquet files by pieces, and writes them.
//
// Nothing here holds a whole file. [Open] reads the footer and the headers of the
// pages. The footer is walked by our own reader first (thrift.go), which checks
// every length against the bytes there are; then Arrow's parser makes the schema
// of it. Column chunks are checked to lie apart inside the file and to agree with
// the schema (open.go). The values stay in the file until they are asked for:
// pages are then read one at a time, decompressed and their contents checked (page.go,
// runs.go), and decoded here if they are plain or of a dictionary (values.go), by
// Arrow's decoders otherwise (chunk.go). A panic of a decoder is an error.
//
// It imports data/table and data/internal; only data/frame imports it. Start reading at
// open.go.
//
// Stability: this package is a part of package data and may change with any version before 1.0;
// prefer package data.
package parquet
