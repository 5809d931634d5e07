// Package intake provides what the readers of tables share: sparse vectors, dates in text, names of columns, errors
// about damaged files, and the progress of reading. It does not depend on file formats or on the roles of columns.
// The readers (data/internal/parquet, data/internal/ipc, data/internal/csv) and package data import it.
package intake
