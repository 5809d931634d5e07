// Package table holds what every reader of tables gives and every user of them
// takes: a [Column] of plain typed values, in memory or still in its file (a
// [Part], read through [Values]), the [Table] a file opens as, and the [Error]
// that says what is wrong with a user's table and what would fix it.
//
// It knows no file format and no role of a column. The readers (data/internal/parquet,
// data/internal/ipc, data/internal/csv) import it, and data, which aliases its types; it imports
// none of them. Start reading at column.go, then part.go.
package table
