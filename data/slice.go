package data

// Slice returns the rows [lo, hi) of a table, without reading them. Errors name rows as the
// table does. It needs the table to stay open.
func (f *Frame) Slice(lo, hi int) *Frame {
	out := &Frame{Rows: hi - lo, Sources: f.Sources, Notes: f.Notes, Remarks: f.Remarks, inputs: f.inputs, how: f.how, joined: f.joined, first: f.first + lo, sideBySide: f.sideBySide}
	for _, c := range f.Columns {
		if c.Kind == Other {
			out.Columns = append(out.Columns, c)
			continue
		}
		out.Columns = append(out.Columns, c.slice(lo, hi))
	}
	for _, c := range f.dates {
		out.dates = append(out.dates, c.slice(lo, hi))
	}
	return out
}
