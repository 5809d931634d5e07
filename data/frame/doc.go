// Package frame holds tables: named columns of equal length, in memory or still in
// Parquet files, where they come from, and which of their rows are meant.
//
// [Read] and [Open] find the format of a file and hand it to its reader (parquet,
// ipc, csv); pipes are spooled, a file that changes while it is in use is an error
// (input.go), files of one schema are joined (concat.go). [Reading] says how text
// and dates are taken, [Frame.Filter] and [Split] choose rows, [Frame.Describe]
// looks at every column once, [WriteTable] writes. [NewFrame] and [FromStructs] make
// tables of values in memory.
//
// It imports data/table and the readers; data, which gives its types and functions
// under the same names, imports it. Start reading at frame.go, then read.go.
//
// Stability: this package is a part of package data and may change with any version before 1.0;
// prefer package data.
package frame
