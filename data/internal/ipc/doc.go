// Package ipc reads Arrow IPC files and streams into tables of plain typed columns, and writes streams.
//
// Messages are parsed, and every length in them is checked against the available bytes (message.go, flatbuf.go,
// schema.go), before any value is decoded (column.go). Arrow's own reader is not used, since it trusts lengths. The
// package imports data/internal/intake and data/internal/codec. It is imported by package data, and by package
// parquet for the Arrow schema that some Parquet files contain. The best place to start reading is read.go.
package ipc
