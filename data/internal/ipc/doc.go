// Package ipc reads Arrow IPC files and streams into tables of plain typed columns.
//
// Messages are taken apart and every length in them is checked against the bytes
// there are (message.go, layout.go, flatbuf.go) before Arrow's reader sees them;
// its arrays are then copied (column.go). It imports data/internal/table and data/internal;
// only data imports it. Start reading at read.go.
package ipc
