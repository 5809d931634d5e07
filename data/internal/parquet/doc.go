// Package parquet reads Parquet files in pieces, and writes them.
//
// A file is never in memory as a whole. [Open] reads the footer and the page headers. The footer is first parsed by
// a reader in this package (thrift.go), which checks every length against the available bytes; then Arrow's parser
// derives the schema from it. Column chunks must be disjoint, inside the file and consistent with the schema
// (open.go). The values stay in the file until they are requested. Pages are then read one at a time, checked
// against their checksums and decompressed with a bound on the size (page.go), and decoded (chunk.go): plain
// and dictionary pages of numbers and texts by this package (decode.go), all other pages by Arrow. This package first
// checks what Arrow does not check: sizes, numbers of values, and headers that announce more data than there is
// (runs.go). A panic in a decoder is converted to an error.
//
// The package imports data/internal/intake and other packages in data/internal; only package data imports it. The
// best place to start reading is open.go.
package parquet
