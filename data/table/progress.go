package table

// A Progress says how far reading or encoding a table has come.
type Progress struct {
	// Read of Size bytes of the files that were opened. Text is read more than once, to
	// learn its types and then its values.
	Read, Size int64
	// Rows encoded, of all their columns, of all rows; both 0 before encoding.
	Rows, Of int
}
