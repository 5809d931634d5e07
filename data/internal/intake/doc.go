// Package intake has what the readers of tables share: sparse vectors and dates in text, names of columns, errors of
// damaged files, and the progress of reading. It knows no file format and no role of a column. The readers
// (data/internal/parquet, data/internal/ipc, data/internal/csv) import it, and package data.
package intake
