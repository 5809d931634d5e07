package table

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/internal/shard"
)

// Parallel works like [shard.Parallel], but returns an *Error that do panics with.
func Parallel(ctx context.Context, n int, do func(i int) error) error {
	return shard.Parallel(ctx, n, func(i int) error { return Catch(func() error { return do(i) }) })
}

// Load returns the column with its values in memory, or c itself if they are already in memory.
func (c *Column) Load(ctx context.Context) (*Column, error) {
	if !c.IsStored() {
		return c, nil
	}
	out, err := Load(ctx, []*Column{c})
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// A partLoad holds the state of loading a part into a column.
type partLoad struct {
	part           Part
	into           *Column
	start          int // row of the column at which the part begins
	levels         *Levels
	nulls, inexact int
}

// Load reads the values of columns that are still in files, a few parts at a time. It panics if the fields of a
// column contradict each other.
func Load(ctx context.Context, cols []*Column) ([]*Column, error) {
	var need int64
	for _, c := range cols {
		need += c.storedBytes()
	}
	if err := Afford(need, fmt.Sprintf("for the values of %d columns", len(cols))); err != nil {
		return nil, err
	}
	out := make([]*Column, len(cols))
	var tasks []*partLoad
	first := make([]int, len(cols)+1) // first task of each column
	for i, c := range cols {
		first[i] = len(tasks)
		out[i] = c
		if !c.IsStored() {
			continue
		}
		loaded := *c
		out[i] = &loaded
		loaded.Parts = nil
		rows := 0
		for _, p := range c.Parts {
			tasks = append(tasks, &partLoad{part: p, into: &loaded, start: rows})
			rows += p.Rows()
		}
		if c.Kind == Categorical {
			loaded.Code = make([]int32, rows)
		} else {
			loaded.Number = make([]float64, rows)
		}
		if c.Nullable() {
			loaded.Null = make([]bool, rows)
		}
	}
	first[len(cols)] = len(tasks)
	var pages Buffers
	if err := Parallel(ctx, len(tasks), func(i int) error { return tasks[i].readValues(&pages) }); err != nil {
		return nil, err
	}
	return out, Catch(func() error {
		for i, c := range out {
			if cols[i].IsStored() {
				c.join(tasks[first[i]:first[i+1]])
			}
		}
		return nil
	})
}

// storedBytes returns the memory in bytes that the stored values will take, except texts.
func (c *Column) storedBytes() int64 {
	width := int64(8)
	if c.Kind == Categorical {
		width = 4
	}
	if c.Nullable() {
		width++
	}
	rows := int64(0)
	for _, p := range c.Parts {
		rows += int64(p.Rows())
	}
	return width * rows
}

// readValues reads the values of the part into its rows of the column.
func (t *partLoad) readValues(pages *Buffers) error {
	t.levels = NewLevels()
	n := t.part.Rows()
	if n == 0 {
		return nil
	}
	v, err := t.part.Open(0, pages)
	if err != nil {
		return err
	}
	defer v.Close()
	var null []bool
	if t.into.Null != nil {
		null = t.into.Null[t.start : t.start+n]
	}
	if t.into.Kind == Categorical {
		t.nulls, err = v.Codes(t.into.Code[t.start:t.start+n], null, t.levels)
	} else {
		number := t.into.Number[t.start : t.start+n]
		if t.nulls, err = v.Numbers(number, null); t.into.TakesNaNAsNull() {
			t.nulls += numeral.ReplaceNaNByNull(number, null)
		}
	}
	t.inexact = v.Inexact()
	return err
}

// join merges the levels of the parts and renumbers the codes accordingly.
func (c *Column) join(parts []*partLoad) {
	nulls := 0
	all := NewLevels()
	for _, t := range parts {
		nulls += t.nulls
		if t.inexact > 0 && c.InexactRow == 0 {
			c.InexactRow = t.start + t.inexact
		}
		remap := make([]int32, len(t.levels.Text))
		same := true
		for k, s := range t.levels.Text {
			remap[k] = all.Code(s)
			same = same && remap[k] == int32(k)
		}
		if !same {
			codes := c.Code[t.start : t.start+t.part.Rows()]
			for j, k := range codes {
				if k >= 0 {
					codes[j] = remap[k]
				}
			}
		}
	}
	if c.Kind == Categorical {
		c.Level = all.Text
	}
	if nulls == 0 {
		c.Null = nil
	}
}

// HoldsBits reports whether Number holds, or will hold, the bits of exact values.
func (c *Column) HoldsBits() bool { return strings.HasPrefix(c.Type, numeral.BitsOf) }

// LoadInts works like Load. For a column that was read as the bits of exact values, it also sets Int.
func (c *Column) LoadInts(ctx context.Context) (*Column, error) {
	in, err := c.Load(ctx)
	if err != nil || !c.HoldsBits() {
		return in, err
	}
	out := *in
	out.Type = strings.TrimPrefix(c.Type, numeral.BitsOf)
	e, ok := ParseExactType(out.Type)
	if !ok { // floats are stored as their own bits
		return &out, nil
	}
	out.Int, out.Number = make([]int64, len(in.Number)), make([]float64, len(in.Number))
	for i, v := range in.Number {
		u := int64(math.Float64bits(v))
		if out.Int[i] = u; u != 0 {
			var exact bool
			if out.Number[i], exact = e.Float(u); !exact && out.InexactRow == 0 {
				out.InexactRow = i + 1
			}
		}
	}
	return &out, nil
}
