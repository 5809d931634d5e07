package data

import (
	"context"
	"runtime"
	"sync"
)

// A part is a run of rows of a column: a column chunk of a Parquet file, or a
// whole column in memory.
type part struct {
	rows   int
	chunk  *chunk
	column *Column
}

// parallel calls do(0), …, do(n−1), a few at a time, and returns the error of
// the least index that failed. After an error no further call begins.
func parallel(ctx context.Context, n int, do func(i int) error) error {
	var mu sync.Mutex
	next, failed := 0, n
	var first error
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				mu.Lock()
				i := next
				next++
				stop := i >= n || first != nil
				mu.Unlock()
				if stop {
					return
				}
				err := ctx.Err()
				if err == nil {
					err = guard(func() error { return do(i) })
				}
				if err != nil {
					mu.Lock()
					if i < failed {
						failed, first = i, err
					}
					mu.Unlock()
				}
			}
		}()
	}
	wg.Wait()
	return first
}

// Load returns the column with its values in memory: itself, if it has them.
func (c *Column) Load(ctx context.Context) (*Column, error) { return c.load(ctx) }

func (c *Column) load(ctx context.Context) (*Column, error) {
	if !c.lazy {
		return c, nil
	}
	return c.loadInto(ctx, nil)
}

// loadInto is load into arrays of an earlier column that is not used any more.
func (c *Column) loadInto(ctx context.Context, a *arrays) (*Column, error) {
	if !c.lazy {
		return c, nil
	}
	out, err := loadColumns(ctx, []*Column{c}, a)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// arrays are values of columns, to use again.
type arrays struct {
	mu     sync.Mutex
	number [][]float64
	code   [][]int32
}

// put gives back a column that was loaded from c, and from nowhere else.
func (a *arrays) put(c, loaded *Column) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c.lazy && loaded.Number != nil {
		a.number = append(a.number, loaded.Number)
	}
	if c.lazy && loaded.Code != nil {
		a.code = append(a.code, loaded.Code)
	}
}

// take returns n values, whatever they are.
func take[T any](a *arrays, free func(a *arrays) *[][]T, n int) []T {
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

// loadColumns reads the values of columns that are still in their files, a few
// parts at a time, into arrays of a if it is not nil. Columns in memory are
// returned as they are.
func loadColumns(ctx context.Context, cols []*Column, a *arrays) ([]*Column, error) {
	out := make([]*Column, len(cols))
	type task struct {
		part           part
		into           *Column
		start          int
		levels         *levelSet
		nulls, inexact int
	}
	var tasks []*task
	first := make([]int, len(cols)+1) // of the tasks of each column
	for i, c := range cols {
		first[i] = len(tasks)
		out[i] = c
		if !c.lazy {
			continue
		}
		loaded := *c
		out[i] = &loaded
		loaded.lazy, loaded.parts = false, nil
		rows, nullable := 0, false
		for _, p := range c.parts {
			tasks = append(tasks, &task{part: p, into: &loaded, start: rows})
			rows += p.rows
			nullable = nullable || p.nullable()
		}
		if c.Kind == Categorical {
			loaded.Code = take(a, func(a *arrays) *[][]int32 { return &a.code }, rows)
		} else {
			loaded.Number = take(a, func(a *arrays) *[][]float64 { return &a.number }, rows)
		}
		if nullable {
			loaded.Null = make([]bool, rows)
		}
	}
	first[len(cols)] = len(tasks)
	var pages buffers
	err := parallel(ctx, len(tasks), func(i int) (err error) {
		t := tasks[i]
		t.levels = newLevelSet()
		t.nulls, t.inexact, err = t.part.read(t.into, t.start, t.levels, &pages)
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, c := range out {
		if !cols[i].lazy {
			continue
		}
		nulls := 0
		all := newLevelSet()
		for _, t := range tasks[first[i]:first[i+1]] {
			nulls += t.nulls
			if t.inexact > 0 && c.InexactRow == 0 {
				c.InexactRow = t.start + t.inexact
			}
			remap := make([]int32, len(t.levels.level))
			same := true
			for k, s := range t.levels.level {
				remap[k] = all.codeOf(s)
				same = same && remap[k] == int32(k)
			}
			if !same {
				codes := c.Code[t.start : t.start+t.part.rows]
				for j, k := range codes {
					if k >= 0 {
						codes[j] = remap[k]
					}
				}
			}
		}
		if c.Kind == Categorical {
			c.Level = all.level
		}
		if nulls == 0 {
			c.Null = nil
		}
	}
	return out, nil
}

// nullable says that the part may hold nulls.
func (p part) nullable() bool {
	if p.chunk != nil {
		return p.chunk.leaf.descr.MaxDefinitionLevel() > 0
	}
	return p.column.Null != nil
}

// read puts the values of the part into the rows of a column from start on. It
// counts the nulls, and gives the first row (1-based, in the part) with a value
// that float64 cannot hold exactly, or 0.
func (p part) read(into *Column, start int, levels *levelSet, pages *buffers) (nulls, inexact int, err error) {
	var number []float64
	var code []int32
	var null []bool
	if into.Kind == Categorical {
		code = into.Code[start : start+p.rows]
	} else {
		number = into.Number[start : start+p.rows]
	}
	if into.Null != nil {
		null = into.Null[start : start+p.rows]
	}
	if c := p.column; c != nil {
		copy(null, c.Null)
		copy(number, c.Number)
		for i, k := range c.Code {
			if code[i] = -1; k >= 0 {
				code[i] = levels.codeOf(c.Level[k])
			}
		}
		return c.Nulls(), c.InexactRow, nil
	}
	if p.rows == 0 {
		return 0, 0, nil
	}
	err = p.chunk.guard(func() error {
		r, err := openChunk(p.chunk, 0, pages)
		if err != nil {
			return err
		}
		defer r.close()
		if code != nil {
			nulls, err = r.codes(code, null, levels)
		} else {
			nulls, err = r.numbers(number, null)
		}
		inexact = r.inexact
		return err
	})
	return nulls, inexact, err
}

// guard turns a panic of a decoder into an error, and names file and column.
func (c *chunk) guard(do func() error) error {
	if err := guard(do); err != nil {
		return inFile(c.leaf.in.name, inColumn(c.leaf.name, err))
	}
	return nil
}
