// Package ipc reads Arrow IPC files and streams into tables of plain typed columns, and writes streams.
//
// Messages are taken apart and every length in them is checked against the bytes
// there are (message.go, flatbuf.go, schema.go) before any value is decoded (column.go). Arrow's own reader, which
// trusts lengths, is not used. The package imports data/internal/intake and data/internal/codec; data imports it, and
// parquet for the schema that Arrow leaves in a file. Start reading at read.go.
package ipc
