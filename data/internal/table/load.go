package table

import (
	"context"
	"fmt"
	"sync"

	"github.com/drotrain/drotrain/internal/shard"
)

// Parallel works like [shard.Parallel] that returns an *Error that do panics with, as a builder of levels
// does that runs out of memory.
func Parallel(ctx context.Context, n int, do func(i int) error) error {
	return shard.Parallel(ctx, n, func(i int) error { return Catch(func() error { return do(i) }) })
}

// Load returns the column with its values in memory: itself, if it has them.
func (c *Column) Load(ctx context.Context) (*Column, error) { return c.LoadInto(ctx, nil) }

// LoadInto works like Load into arrays of earlier columns that are not used any more.
func (c *Column) LoadInto(ctx context.Context, a *Arrays) (*Column, error) {
	if !c.stored {
		return c, nil
	}
	out, err := load(ctx, []*Column{c}, a)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// Arrays are values of columns, to use again. They are safe for concurrent use.
type Arrays struct {
	mu     sync.Mutex
	number [][]float64
	code   [][]int32
}

// Put gives back a column that was loaded from c, and from nowhere else.
func (a *Arrays) Put(c, loaded *Column) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c.stored && loaded.Number != nil {
		a.number = append(a.number, loaded.Number)
	}
	if c.stored && loaded.Code != nil {
		a.code = append(a.code, loaded.Code)
	}
}

// take returns n values, whatever they are.
func take[T any](a *Arrays, free func(a *Arrays) *[][]T, n int) []T {
	if a != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		list := free(a)
		if last := len(*list) - 1; last >= 0 && cap((*list)[last]) >= n {
			v := (*list)[last][:n]
			*list = (*list)[:last]
			return v
		}
	}
	return make([]T, n)
}

// A loading is a part on its way into a column.
type loading struct {
	part           Part
	into           *Column
	start          int // its first row there
	levels         *Levels
	nulls, inexact int
}

// Load reads the values of columns that are still in their files, a few parts at a
// time. Columns in memory are returned as they are.
func Load(ctx context.Context, cols []*Column) ([]*Column, error) { return load(ctx, cols, nil) }

// load works like Load into arrays of a if it is not nil.
func load(ctx context.Context, cols []*Column, a *Arrays) ([]*Column, error) {
	var need int64
	for _, c := range cols {
		need += c.storedBytes()
	}
	if err := Afford(need, fmt.Sprintf("for the values of %d columns", len(cols))); err != nil {
		return nil, err
	}
	out := make([]*Column, len(cols))
	var tasks []*loading
	first := make([]int, len(cols)+1) // of the tasks of each column
	for i, c := range cols {
		first[i] = len(tasks)
		out[i] = c
		if !c.stored {
			continue
		}
		loaded := *c
		out[i] = &loaded
		loaded.stored, loaded.parts = false, nil
		rows := 0
		for _, p := range c.parts {
			tasks = append(tasks, &loading{part: p, into: &loaded, start: rows})
			rows += p.Rows()
		}
		if c.Kind == Categorical {
			loaded.Code = take(a, func(a *Arrays) *[][]int32 { return &a.code }, rows)
		} else {
			loaded.Number = take(a, func(a *Arrays) *[][]float64 { return &a.number }, rows)
		}
		if c.Nullable() {
			loaded.Null = make([]bool, rows)
		}
	}
	first[len(cols)] = len(tasks)
	var pages Buffers
	if err := Parallel(ctx, len(tasks), func(i int) error { return tasks[i].read(&pages) }); err != nil {
		return nil, err
	}
	return out, Catch(func() error {
		for i, c := range out {
			if cols[i].stored {
				c.join(tasks[first[i]:first[i+1]])
			}
		}
		return nil
	})
}

// storedBytes returns what the values take that are still in their file, texts apart.
func (c *Column) storedBytes() int64 {
	width := int64(8)
	if c.Kind == Categorical {
		width = 4
	}
	if c.Nullable() {
		width++
	}
	rows := int64(0)
	for _, p := range c.parts {
		rows += int64(p.Rows())
	}
	return width * rows
}

// read puts the values of the part into its rows of the column.
func (t *loading) read(pages *Buffers) error {
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
		t.nulls, err = v.Numbers(t.into.Number[t.start:t.start+n], null)
	}
	t.inexact = v.Inexact()
	return err
}

// join brings the levels of the parts together.
func (c *Column) join(parts []*loading) {
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

// LoadInts returns the values of a stored column of 64-bit integers in Int as
// well; other columns are loaded as by Load.
func (c *Column) LoadInts(ctx context.Context) (*Column, error) {
	out, err := c.Load(ctx)
	if err != nil || !c.stored || c.Type != "int64" && c.Type != "uint64" {
		return out, err
	}
	ints := make([]int64, len(out.Number))
	starts := make([]int, len(c.parts))
	for i := 1; i < len(starts); i++ {
		starts[i] = starts[i-1] + c.parts[i-1].Rows()
	}
	var pages Buffers
	err = Parallel(ctx, len(c.parts), func(i int) error {
		n := c.parts[i].Rows()
		if n == 0 {
			return nil
		}
		v, err := c.parts[i].Open(0, &pages)
		if err != nil {
			return err
		}
		defer v.Close()
		dst := ints[starts[i] : starts[i]+n]
		if exact, ok := v.(IntValues); ok {
			return exact.Ints(dst)
		}
		if m, ok := c.parts[i].(resident); ok && m.column.Int != nil {
			copy(dst, m.column.Int)
			return nil
		}
		return &Error{Column: c.Name, Msg: "its integers cannot be had digit for digit"}
	})
	if err != nil {
		return nil, err
	}
	out.Int = ints
	return out, nil
}
