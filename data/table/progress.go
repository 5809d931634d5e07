package table

// A Progress describes how much of a table has been read or encoded.
type Progress struct {
	// Read is the number of bytes read, out of Size bytes of the opened files. Text is read more than once:
	// first to infer its types, then for its values.
	Read, Size int64
	// Rows is the number of rows encoded, with all their columns, out of Of; both are 0 before encoding.
	Rows, Of int
}

// A Size is a lower bound on the size of a table that is being read.
type Size struct {
	Rows    int
	Columns []string // names of the columns known so far
	Bytes   int64    // size of the values in memory; 0 if they are stored in a file
}
