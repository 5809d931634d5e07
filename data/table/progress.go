package table

// A Progress describes how much of a table has been read or encoded.
type Progress struct {
	// Read is the number of bytes read, out of Size bytes of the opened files. Text is read more than once:
	// first to infer its types, then for its values.
	Read, Size int64
	// Rows is the number of rows encoded, with all their columns, out of Of; both are 0 before encoding.
	Rows, Of int
}
