package table

import (
	"context"

	"github.com/drotrain/drotrain/internal/memory"
)

// LoadAt returns a column of the values at some rows, in their order, which ascends: of
// one that is still in its file a part is in memory at a time, and the values lie in an arena;
// nil is the heap.
func (c *Column) LoadAt(ctx context.Context, arena *memory.Arena, rows []int) (*Column, error) {
	out := *c
	out.stored, out.parts, out.Int = false, nil, nil
	out.Number, out.Code, out.Null = nil, nil, nil
	numeric := c.Kind != Categorical
	if numeric {
		out.Number = memory.Make[float64](arena, len(rows))
	} else {
		out.Code = memory.Make[int32](arena, len(rows))
	}
	take := func(from *Column, start, lo, hi int, level []int32) {
		for k := lo; k < hi; k++ {
			i := rows[k] - start
			switch {
			case from.IsNull(i):
				if out.Null == nil {
					out.Null = make([]bool, len(rows))
				}
				if out.Null[k] = true; !numeric {
					out.Code[k] = -1
				}
			case numeric:
				out.Number[k] = from.Number[i]
			case level != nil:
				out.Code[k] = level[from.Code[i]]
			default:
				out.Code[k] = from.Code[i]
			}
		}
	}
	if !c.stored {
		take(c, 0, 0, len(rows), nil)
	} else {
		all := NewLevels()
		start, lo := 0, 0
		var pages Buffers
		for _, p := range c.parts {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			end, hi := start+p.Rows(), lo
			for hi < len(rows) && rows[hi] < end {
				hi++
			}
			if hi > lo {
				part := Column{Name: c.Name, Type: c.Type, Kind: c.Kind}
				if numeric {
					part.Number = make([]float64, p.Rows())
				} else {
					part.Code = make([]int32, p.Rows())
				}
				if p.Nullable() {
					part.Null = make([]bool, p.Rows())
				}
				t := &loading{part: p, into: &part}
				if err := Catch(func() error { return t.read(&pages) }); err != nil {
					return nil, err
				}
				part.join([]*loading{t})
				level := make([]int32, len(part.Level))
				for k, s := range part.Level {
					level[k] = all.Code(s)
				}
				take(&part, start, lo, hi, level)
			}
			start, lo = end, hi
		}
		if !numeric {
			out.Level = all.Text
		}
	}
	return &out, nil
}
