// Package intake provides what the readers of tables share: sparse vectors, dates in text, names of columns, errors
// about damaged files, and the progress of reading. It does not depend on file formats or on the roles of columns.
// Only packages in data import it.
package intake
