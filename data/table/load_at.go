package table

import (
	"context"

	"github.com/drotrain/drotrain/memory"
)

// LoadAt returns the column with the values of the given rows, which must ascend. A stored column is read one
// part at a time. The values are allocated in arena; nil means the heap. A column of sparse vectors is an error.
func (c *Column) LoadAt(ctx context.Context, arena *memory.Arena, rows []int) (*Column, error) {
	if err := c.checkScalar(); err != nil {
		return nil, err
	}
	out := *c
	out.Parts = nil
	out.Number, out.Code, out.Null, out.Int = nil, nil, nil, nil
	if c.Kind == Categorical {
		out.Code = memory.Make[int32](arena, len(rows))
	} else {
		out.Number = memory.Make[float64](arena, len(rows))
	}
	levels := NewLevels()
	next := 0 // index into rows
	copyRows := func(from *Column, start, n int) {
		code := make([]int32, len(from.Level))
		for k, text := range from.Level {
			code[k] = levels.Code(text)
		}
		for ; next < len(rows) && rows[next] < start+n; next++ {
			i := rows[next] - start
			switch {
			case from.IsNull(i):
				if out.Null == nil {
					out.Null = make([]bool, len(rows))
				}
				if out.Null[next] = true; out.Code != nil {
					out.Code[next] = -1
				}
			case out.Code != nil:
				out.Code[next] = code[from.Code[i]]
			default:
				out.Number[next] = from.Number[i]
			}
		}
	}
	err := Catch(func() error {
		if !c.IsStored() {
			copyRows(c, 0, c.Len())
			return nil
		}
		start := 0
		for _, p := range c.Parts {
			if end := start + p.Rows(); next < len(rows) && rows[next] < end {
				part, err := NewStored(c.Name, c.Type, c.Kind, c.Integer, []Part{p}).Load(ctx)
				if err != nil {
					return err
				}
				copyRows(part, start, p.Rows())
			}
			start += p.Rows()
		}
		return nil
	})
	if out.Code != nil {
		out.Level = levels.Text
	}
	return &out, err
}
