package report

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/memory"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

// tableOf draws a table of numbers, some missing, a target of two values, groups and weights.
func tableOf(t *testing.T, n int) *data.Frame {
	t.Helper()
	rng := rand.New(rand.NewPCG(16, 1))
	a := data.Column{Name: "a", Kind: data.Numeric, Type: "double", Number: make([]float64, n), Null: make([]bool, n)}
	b := data.Column{Name: "b", Kind: data.Numeric, Type: "double", Number: make([]float64, n)}
	y := data.Column{Name: "y", Kind: data.Numeric, Type: "double", Number: make([]float64, n)}
	g := data.Column{Name: "g", Kind: data.Categorical, Type: "string", Level: []string{"u", "v", "late"},
		Code: make([]int32, n)}
	for i := range n {
		a.Number[i], b.Number[i], g.Code[i] = rng.NormFloat64(), rng.NormFloat64(), int32(rng.IntN(2))
		a.Null[i] = rng.IntN(10) == 0
		if i >= n-n/6 {
			g.Code[i] = 2 // in the last blocks alone
		}
		if a.Number[i]-b.Number[i]+rng.NormFloat64() > 0 {
			y.Number[i] = 1
		}
	}
	w := data.Column{Name: "w", Kind: data.Numeric, Type: "double", Number: make([]float64, n)}
	for i := range n {
		w.Number[i] = 1 + rng.Float64()
	}
	f := must(data.NewFrame(a, b, y, g, w))
	return f
}

// Evaluating a table block by block gives the same digits as evaluating it at once: with groups, a filter, rows
// dropped for nulls, and a comparison.
func TestMeasure_ByBlocksEqualsWholeTable(t *testing.T) {
	f := tableOf(t, 600)
	trained := func(change func(*train.Config)) *train.Model {
		return trainedOn(t, f, func(cfg *train.Config) {
			if cfg.Impute = "drop"; change != nil {
				change(cfg)
			}
		})
	}
	m := trained(nil)
	number := trained(func(c *train.Config) {
		c.Target, c.Features, c.Drop, c.Impute = "b", []string{"a", "g"}, nil, "mean"
	})
	other := trained(func(c *train.Config) { c.Nu = level.At(0.1) })
	for name, measure := range map[string]func(o Options) (*Measured, error){
		"all":        func(o Options) (*Measured, error) { return MeasureTable(t.Context(), m, f, o) },
		"regression": func(o Options) (*Measured, error) { return MeasureTable(t.Context(), number, f, o) },
		"filter": func(o Options) (*Measured, error) {
			o.Filter, o.Groups = "b > 0.5 || g == 'u'", []string{"g", "y"}
			return MeasureTable(t.Context(), m, f, o)
		},
		"comparison": func(o Options) (*Measured, error) {
			return Compare(t.Context(), []Named{{"one", m}, {"other", other}}, f, o)
		},
	} {
		var pages [3]bytes.Buffer
		var measured [3]*Measured
		dir := t.TempDir()
		for k, rows := range []int{0, 37, 37} {
			o := DefaultOptions()
			o.Resamples, o.blockRows = 100, rows
			if k == 2 { // on disk too
				o.Cache, o.paging = dir, 1
			}
			x, err := measure(o)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			r, err := x.Report()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := r.WriteJSON(&pages[k]); err != nil {
				t.Fatal(err)
			}
			measured[k] = x
			if on := x.arena != nil && x.arena.Slices() > 5; on != (k == 2) {
				t.Errorf("%s: measured on disk %v", name, on)
			}
			x.Close()
		}
		for k := 1; k < len(pages); k++ {
			if !bytes.Equal(pages[0].Bytes(), pages[k].Bytes()) ||
				measured[0].Encoding.String() != measured[k].Encoding.String() {
				t.Errorf("%s: by blocks, on disk %v, the numbers, or what is said of the encoding, are others", name, k == 2)
			}
		}
		if name == "all" && (measured[1].Evaluation.N > 560 || measured[1].Encoding.Dropped < 40 ||
			len(measured[1].Input.Groups[0].Labels) != 3) {
			t.Errorf("%d rows, %+v", measured[1].Evaluation.N, measured[1].Encoding)
		}
	}
}

// An audit whose rows are stored on disk has the same digits as one in memory, for classes and for quantities, with
// groups, weights and slices.
func TestAudit_OnDisk(t *testing.T) {
	f := tableOf(t, 3000)
	p, q := *f.Columns[1], *f.Columns[1]
	p.Name, p.Number, q.Name, q.Number = "p", make([]float64, f.Rows), "q", make([]float64, f.Rows)
	for i, b := range f.Columns[1].Number {
		p.Number[i], q.Number[i] = 1/(1+math.Exp(b)), 1/(1+math.Exp(3*b))
	}
	columns := []data.Column{p, q}
	for _, c := range f.Columns {
		columns = append(columns, *c)
	}
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := data.WriteTable(path, columns, true); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]AuditOptions{
		"classes":  {Label: "y", Scores: []Score{{"p", "p"}, {"q", "q"}}},
		"weighted": {Label: "y", Scores: []Score{{"p", "p"}}},
		"quantities": {Label: "b", Scores: []Score{{"p", "p"}, {"q", "q"}}, Loss: "huber", HuberDelta: 1,
			Columns: []string{"a", "g"}},
		"text": {Label: "g", Task: eval.Binary, Positive: "late", Scores: []Score{{"p", "p"}}},
	} {
		var pages [2]bytes.Buffer
		var said [2]string
		for k := range pages {
			o.Options = DefaultOptions()
			o.Resamples = 100
			if name == "weighted" {
				o.Groups, o.Weight = []string{"g", "y"}, "w"
				o.Label, o.Drop = "y", []string{"a"}
			}
			if k == 1 {
				o.Cache, o.paging = t.TempDir(), 1
			}
			table, err := data.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			x, err := Audit(t.Context(), table, o)
			if err != nil {
				said[k] = err.Error()
				continue
			}
			r, err := x.Report()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := r.WriteJSON(&pages[k]); err != nil {
				t.Fatal(err)
			}
			if on := x.arena != nil && x.arena.Slices() > 4; on != (k == 1) {
				t.Errorf("%s: audited on disk %v", name, on)
			}
			x.Close()
			table.Close()
		}
		if said[0] != said[1] || (said[0] != "") != (name == "text") || !bytes.Equal(pages[0].Bytes(), pages[1].Bytes()) {
			t.Errorf("%s: on disk the numbers are others: %q, %q", name, said[0], said[1])
		}
	}
}

// If the evaluated rows do not fit into memory, the error states their number before a row is read.
func TestMeasure_TooLittleMemory(t *testing.T) {
	f := &data.Frame{Rows: 400_000_000, Sources: []data.Source{{Path: "t.parquet"}},
		Columns: []*data.Column{{Name: "y", Kind: data.Numeric}, {Name: "p", Kind: data.Numeric}}}
	was := debug.SetMemoryLimit(1 << 30)
	_, err := Audit(t.Context(), f, AuditOptions{Options: DefaultOptions(), Label: "y", Scores: []Score{{"p", "p"}}})
	debug.SetMemoryLimit(was)
	if !errors.Is(err, data.ErrMemory) || !strings.Contains(err.Error(), "t.parquet") ||
		!strings.Contains(err.Error(), "evaluating 400000000 rows with 1 model needs") {
		t.Errorf("%v", err)
	}

	// Of what is asked for, and with a directory for it.
	for _, c := range []struct {
		rows   int
		memory int64
		cache  bool
		want   string // "" for memory, "disk", else of the error
	}{
		{1000, 0, false, ""},
		{1000, 1 << 30, true, ""},
		{4_000_000, 300 << 20, false, "MB (Config.Memory) are free"},
		{4_000_000, 300 << 20, true, "disk"},
		{4_000_000, 100 << 20, true, "needs at least 160 MB"},
		{1 << 40, 1 << 30, true, "MB are free in"},
	} {
		o, said := DefaultOptions(), ""
		o.Memory, o.Announce = c.memory, func(line string) { said = line }
		if c.cache {
			o.Cache = t.TempDir() + "/not/there"
		}
		arena, err := o.arenaFor(f, c.rows, 3)
		switch {
		case err != nil:
			if c.want == "" || !errors.Is(err, data.ErrMemory) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%d rows in %d: %v", c.rows, c.memory, err)
			}
		case (arena != nil) != (c.want == "disk") || arena != nil && !strings.Contains(said, "stored in"):
			t.Errorf("%d rows in %d: on disk %v, %q", c.rows, c.memory, arena != nil, said)
		}
		arena.Close()
	}
}

// Memory of an arena that a column takes while it is read is released with the column.
func TestMeasure_FreesColumns(t *testing.T) {
	number, text := data.Column{Name: "x", Kind: data.Numeric, Type: "double",
		Number: make([]float64, 1<<18)}, data.Column{Name: "c", Kind: data.Categorical, Type: "string", Level: []string{"a"},
		Code: make([]int32, 1<<18)}
	f := must(data.NewFrame(number, text))
	rows := make([]int, 0, f.Rows)
	for i := range f.Rows {
		rows = append(rows, i)
	}
	arena := memory.NewVirtual()
	for _, name := range []string{"x", "c"} {
		col, err := loadColumn(t.Context(), f, name, rows, arena, false).Load()
		if err != nil {
			t.Fatal(err)
		}
		if taken := arena.Slices(); taken == 0 {
			t.Errorf("%s takes nothing of the arena", name)
		}
		col.Done()
		if left := arena.Slices(); left > 0 {
			t.Errorf("%s leaves %d slices in the arena", name, left)
		}
	}
}

// Numbers that a model uses as categories are levels of a report, in numeric order; texts and other columns keep
// their kind.
func TestLevels_OfNumbers(t *testing.T) {
	f := must(data.NewFrame(
		data.Column{Name: "x", Kind: data.Numeric, Type: "double", Number: []float64{10, 9, 10, -1}},
		data.Column{Name: "c", Kind: data.Categorical, Type: "string", Level: []string{"b", "a"}, Code: []int32{0, 1, 1, 0}}))
	for _, c := range []struct {
		name       string
		categories bool
		want       eval.Column
	}{
		{"x", false, eval.Column{Name: "x", Value: []float64{10, 9, 10, -1}}},
		{"x", true, eval.Column{Name: "x", Levels: []string{"-1", "9", "10"}, Code: []int32{2, 1, 2, 0}}},
		{"c", true, eval.Column{Name: "c", Levels: []string{"a", "b"}, Code: []int32{1, 0, 0, 1}}},
		{"c", false, eval.Column{Name: "c", Levels: []string{"a", "b"}, Code: []int32{1, 0, 0, 1}}},
	} {
		got, err := loadColumn(t.Context(), f, c.name, nil, nil, c.categories).Load()
		if err != nil {
			t.Fatal(err)
		}
		if got.Done = nil; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s, categories %v: %+v", c.name, c.categories, got)
		}
	}
}

// Rows have their row numbers from 1, or none if they are the first rows of a table in order.
func TestRows_Numbers(t *testing.T) {
	for _, c := range []struct{ rows, want []int }{
		{nil, nil}, {[]int{0}, nil}, {[]int{0, 1, 2}, nil}, {[]int{1}, []int{2}}, {[]int{0, 2}, []int{1, 3}},
		{[]int{0, 2, 1, 3}, []int{1, 3, 2, 4}}, {[]int{1, 2, 3}, []int{2, 3, 4}}, {[]int{1, 1, 2}, []int{2, 2, 3}},
	} {
		if got := rowNumbers(nil, c.rows); !slices.Equal(got, c.want) || (got == nil) != (c.want == nil) {
			t.Errorf("%v: %v, not %v", c.rows, got, c.want)
		}
	}
}
