package encode

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/datatest"
	"github.com/drotrain/drotrain/design"
)

// Rare levels are one, counted on the training rows, and so are levels that come later.
func TestFit_RareLevels(t *testing.T) {
	text := "y,c\n"
	for i := range 60 {
		level := []string{"a", "b", "b", "c", "c", "c"}[i%6]
		if i >= 56 {
			level = fmt.Sprint("rare", i)
		}
		text += fmt.Sprintf("%d,%s\n", i*i%17, level)
	}
	f := frameOf(t, text)
	for _, c := range []struct {
		spec Spec
		want string
	}{
		{Spec{MinCount: 2}, "c=a c=b c=c c=(other)"},
		{Spec{MinCount: 12}, "c=b c=c c=(other)"},
		{Spec{MinCount: 1, MaxLevels: 3}, "c=b c=c c=(other)"},
		{Spec{MinCount: 1}, "c=a c=b c=c c=rare56 c=rare57 c=rare58 c=rare59"},
		{Spec{MinCount: 2, Reference: map[string]string{"c": "b"}}, "c=a c=c c=(other)"},
		{Spec{Reference: map[string]string{"c": "c"}, MinCount: 25}, "c=(other)"},
	} {
		c.spec.Target, c.spec.Task = "y", Regression
		e := newEncoder(t, f, nil, c.spec)
		if got := strings.Join(e.Names(), " "); got != c.want {
			t.Errorf("%+v: %s, want %s", c.spec, got, c.want)
		}
		if err := e.Validate(); err != nil {
			t.Error(err)
		}
		ds, report, err := e.Encode(t.Context(), frameOf(t, "c\nb\nnew\n\nrare57\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		other := slices.Index(e.Names(), "c=(other)")
		for i, level := range []string{"b", "new", "", "rare57"} {
			want := slices.Index(e.Names(), "c="+level)
			if ref, ok := c.spec.Reference["c"]; want < 0 && other >= 0 && !(ok && level == ref) {
				want = other
			}
			for j, v := range ds.Row(i) {
				if (v == 1) != (j == want) {
					t.Errorf("%+v: %q encodes as %v", c.spec, level, ds.Row(i))
					break
				}
			}
		}
		if (len(report.Unseen) == 0) != (other >= 0) {
			t.Errorf("%+v: unseen %+v", c.spec, report.Unseen)
		}
	}
	_, err := NewEncoder(t.Context(), f, nil, Spec{Target: "y", Task: Regression, Reference: map[string]string{"c": "z"}})
	datatest.WantError(t, err, `column "c"`, `"z" does not occur`, `"a"`)
}

// fitLevels fits n rows of a category of so many levels, and counts the bytes allocated.
func fitLevels(t *testing.T, n, levels int, storage design.Storage) (fitted *Fitted, allocated uint64) {
	t.Helper()
	c := data.Column{Name: "c", Kind: data.Categorical, Code: make([]int32, n), Level: make([]string, levels)}
	y := data.Column{Name: "y", Kind: data.Numeric, Number: make([]float64, n)}
	for i := range c.Code {
		c.Code[i], y.Number[i] = int32(i*7%levels), float64(i%13)
	}
	for k := range c.Level {
		c.Level[k] = fmt.Sprint("level ", k)
	}
	f := newFrame(t, y, c)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fitted = fitRows(t, f, nil, nil, Spec{Target: "y", MaxLevels: n, Intercept: true}, Sink{Storage: storage})
	runtime.ReadMemStats(&after)
	return fitted, after.TotalAlloc - before.TotalAlloc
}

// A category of very many levels takes memory by its rows, not by rows times levels.
func TestFit_ManyLevelsAreSparse(t *testing.T) {
	const n, levels = 200_000, 100_000
	fitted, allocated := fitLevels(t, n, levels, design.AutoStorage)
	if _, sparse := fitted.Train.X.(*design.Sparse); !sparse || fitted.Train.D != levels+1 {
		t.Errorf("%T of %d columns", fitted.Train.X, fitted.Train.D)
	}
	if allocated > 200<<20 {
		t.Errorf("%d MB for %d rows and %d levels", allocated>>20, n, levels)
	}
}

// Of a hundred times as many levels, the encoded rows take no more: their non-zeros are one a
// row.
func TestFit_SparseMemory(t *testing.T) {
	const n = 120_000
	bytes := func(levels int) (rows, allocated int64) {
		fitted, took := fitLevels(t, n, levels, design.SparseStorage)
		if fitted.Train.D != levels+1 {
			t.Errorf("%d columns of %d levels", fitted.Train.D, levels)
		}
		return fitted.Train.X.(*design.Sparse).Bytes(), int64(took)
	}
	fewRows, few := bytes(1000)
	manyRows, many := bytes(100_000)
	if fewRows > 33*n || manyRows != fewRows {
		t.Errorf("rows take %d bytes for 1000 levels, %d for 100 000, of %d rows", fewRows, manyRows, n)
	}
	t.Logf("allocated %d and %d", few, many)
	if perLevel := (many - few) / 99_000; perLevel > 1000 {
		t.Errorf("%d bytes allocated for 1000 levels, %d for 100 000: %d a level", few, many, perLevel)
	}
}
