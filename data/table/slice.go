package table

// Slice returns the rows [lo, hi) of a column without copying or reading their values.
func (c *Column) Slice(lo, hi int) *Column {
	out := *c
	out.InexactRow = rowInSlice(c.InexactRow, lo, hi)
	if out.UnexpectedRow = rowInSlice(c.UnexpectedRow, lo, hi); out.UnexpectedRow == 0 {
		out.Unexpected = ""
	}
	if c.Kind == Vector {
		out.Sparse = c.Sparse.Slice(lo, hi)
		return &out
	}
	if !c.IsStored() {
		out.Number, out.Code, out.Null, out.Int = subslice(c.Number, lo, hi), subslice(c.Code, lo, hi), subslice(c.Null, lo,
			hi), subslice(c.Int, lo, hi)
		return &out
	}
	out.Parts = []Part{}
	first := 0
	for _, p := range c.Parts {
		from, to := max(lo, first)-first, min(hi, first+p.Rows())-first
		switch {
		case from >= to:
		case from == 0 && to == p.Rows():
			out.Parts = append(out.Parts, p)
		default:
			out.Parts = append(out.Parts, window{p, from, to - from})
		}
		first += p.Rows()
	}
	return &out
}

// rowInSlice converts a row number in a column, counted from 1, to the row number in the slice [lo, hi). It returns
// 0 if the row is not in the slice.
func rowInSlice(row, lo, hi int) int {
	if row > hi {
		return 0
	}
	return max(0, row-lo)
}

func subslice[T any](v []T, lo, hi int) []T {
	if len(v) == 0 {
		return nil
	}
	return v[lo:hi:hi]
}

// A window is a range of rows of a part.
type window struct {
	Part
	from, rows int
}

func (w window) Rows() int { return w.rows }

func (w window) Open(row int, b *Buffers) (Values, error) {
	v, err := w.Part.Open(w.from+row, b)
	if err != nil {
		return nil, err
	}
	return &windowValues{v, w.from}, nil
}

func (w window) Pages() []Page {
	var out []Page
	for _, p := range w.Part.Pages() {
		from, to := max(p.Row, w.from), min(p.Row+p.Rows, w.from+w.rows)
		if from < to {
			p.Row, p.Rows = from-w.from, to-from
			out = append(out, p)
		}
	}
	return out
}

type windowValues struct {
	Values
	from int
}

func (v *windowValues) Inexact() int {
	if at := v.Values.Inexact(); at > v.from {
		return at - v.from
	}
	return 0
}
