package encode

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/datatest"
	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/design"
)

// mixed is a table with something of everything: nulls, bools, levels, whole
// numbers, columns that are constant in all rows.
func mixedColumns(n int, seed uint64) []data.Column {
	rng := rand.New(rand.NewPCG(seed, 9))
	number := func(name, typ string, nulls float64, value func() float64) data.Column {
		c := data.Column{Name: name, Kind: data.Numeric, Type: typ, Number: make([]float64, n)}
		if nulls > 0 {
			c.Null = make([]bool, n)
		}
		for i := range c.Number {
			if nulls > 0 && rng.Float64() < nulls {
				c.Null[i] = true
			} else {
				c.Number[i] = value()
			}
		}
		return c
	}
	text := func(name string, nulls float64, levels ...string) data.Column {
		c := data.Column{Name: name, Kind: data.Categorical, Level: levels, Code: make([]int32, n)}
		if nulls > 0 {
			c.Null = make([]bool, n)
		}
		for i := range c.Code {
			if nulls > 0 && rng.Float64() < nulls {
				c.Null[i], c.Code[i] = true, -1
			} else {
				c.Code[i] = rng.Int32N(int32(len(levels)))
			}
		}
		return c
	}
	flag := number("flag", "", 0, func() float64 { return float64(rng.IntN(2)) })
	flag.Kind = data.Bool
	return []data.Column{
		number("y", "", 0, rng.NormFloat64),
		number("a", "", 0, func() float64 { return 1e6 + rng.NormFloat64() }),
		number("same", "", 0, func() float64 { return 7 }),
		text("region", 0.1, "north", "south", "east", "west"),
		number("b", "", 0.05, func() float64 { return 1e-3 * rng.ExpFloat64() }),
		number("k", "int32", 0.2, func() float64 { return float64(rng.IntN(9)) }),
		text("one", 0, "only"),
		flag,
		text("pair", 0, "no", "yes"),
		number("c", "int64", 0, func() float64 { return float64(rng.IntN(3)) }),
		text("group", 0, "u", "v"),
		number("last", "", 0, rng.NormFloat64),
	}
}

func writeMixed(t testing.TB, path string, n int, seed uint64) {
	t.Helper()
	if err := data.WriteTable(path, mixedColumns(n, seed), true); err != nil {
		t.Fatal(err)
	}
}

func shuffledRows(n int) (train, holdout []int) {
	train, holdout, _ = data.SplitInto(make([]int, n), 0.25, 3)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(train), func(i, j int) { train[i], train[j] = train[j], train[i] })
	return train, holdout
}

// cells gives all cells of a dataset.
func datasetCells(d *Dataset) []float64 {
	var out []float64
	for i := range d.N {
		out = append(out, d.Row(i)...)
	}
	return out
}

func sameEncoder(t *testing.T, what string, a, b *Encoder) {
	t.Helper()
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	if string(x) != string(y) {
		t.Errorf("%s: another encoder:\n%s\n%s", what, x, y)
	}
}

func sameDataset(t *testing.T, what string, a, b *Dataset, rounded bool) {
	t.Helper()
	x, y := datasetCells(a), datasetCells(b)
	if len(x) != len(y) {
		t.Fatalf("%s: %d cells, not %d", what, len(x), len(y))
	}
	for i := range x {
		want := y[i]
		if rounded {
			want = float64(float32(want))
		}
		if x[i] != want {
			t.Fatalf("%s: row %d, column %q: %v, not %v", what, i/a.D, a.Names[i%a.D], x[i], want)
		}
	}
	if !reflect.DeepEqual(a.Target, b.Target) || !reflect.DeepEqual(a.Groups, b.Groups) ||
		!reflect.DeepEqual(a.Rows, b.Rows) ||
		!reflect.DeepEqual(a.Names, b.Names) || a.Intercept != b.Intercept {
		t.Errorf("%s: targets, groups, rows or names differ", what)
	}
}

// Fit gives the bits of NewEncoder and Encode, from files and from memory, in
// every storage, with any number of threads.
func TestFit_EqualsEncode(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	dir := t.TempDir()
	const n = 5*matrix.StripeRows + 77
	writeMixed(t, filepath.Join(dir, "t.parquet"), n, 1)
	if err := os.Mkdir(filepath.Join(dir, "parts"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeMixed(t, filepath.Join(dir, "parts", "a.parquet"), n/3, 1)
	writeMixed(t, filepath.Join(dir, "parts", "b.parquet"), n/2, 2)
	writeMixed(t, filepath.Join(dir, "parts", "c.parquet"), 1, 3)
	for _, path := range []string{filepath.Join(dir, "t.parquet"), filepath.Join(dir, "parts")} {
		for _, spec := range []Spec{
			{Target: "y", Intercept: true, ScaleTarget: true, Impute: "mean", Groups: []string{"group", "pair"}},
			{Target: "y", Intercept: true, Impute: "median", Groups: []string{"region"}},
			{Target: "pair", Impute: "drop", Groups: []string{"group"}},
			{Target: "y", Impute: "mean", Scale: "none", Categorical: []string{"c"}},
		} {
			memory := readFrame(t, path)
			train, holdout := shuffledRows(memory.Rows)
			runtime.GOMAXPROCS(1)
			e := newEncoder(t, memory, train, spec)
			want, wantReport, err := e.Encode(t.Context(), memory, train)
			if err != nil {
				t.Fatal(err)
			}
			wantHeld, heldReport, err := e.Encode(t.Context(), memory, holdout)
			if err != nil {
				t.Fatal(err)
			}
			runtime.GOMAXPROCS(4)
			for _, storage := range []design.Storage{design.AutoStorage, design.Float64Storage, design.Float32Storage,
				design.SparseStorage} {
				for _, lazy := range []bool{false, true} {
					what := fmt.Sprintf("%s, %+v, %s, lazy %v", filepath.Base(path), spec, storage, lazy)
					f := memory
					if lazy {
						f = openFrame(t, path)
					}
					train, holdout := shuffledRows(f.Rows)
					got, err := Fit(context.Background(), f, train, holdout, spec, Sink{Storage: storage})
					if err != nil {
						t.Fatalf("%s: %v", what, err)
					}
					sameEncoder(t, what, got.Encoder, e)
					sameDataset(t, what, got.Train, want, storage == design.Float32Storage)
					sameDataset(t, what+", hold-out", got.Holdout, wantHeld, storage == design.Float32Storage)
					if !reflect.DeepEqual(got.TrainReport, wantReport) || !reflect.DeepEqual(got.HoldoutReport, heldReport) {
						t.Errorf("%s: reports %+v %+v, not %+v %+v", what, got.TrainReport, got.HoldoutReport, wantReport, heldReport)
					}
					if f.Sources[0].SHA256 == "" {
						t.Errorf("%s: no SHA-256", what)
					}
				}
			}
		}
	}
}

// A file that is cut while its frame is in use is an error that names it.
func TestFit_FileCutWhileInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	writeMixed(t, path, 4000, 5)
	f := openFrame(t, path)
	if err := os.Truncate(path, 2000); err != nil {
		t.Fatal(err)
	}
	_, err := Fit(context.Background(), f, nil, nil, Spec{Target: "y", Impute: "mean"},
		Sink{Storage: design.Float64Storage})
	datatest.WantError(t, err, "t.parquet", "shorter")
	_, err = f.Column(t.Context(), "last")
	datatest.WantError(t, err, "t.parquet", "shorter")
}

// Faults of hold-out rows are told as such, after all of the training rows.
func TestFit_FaultsOfHoldoutRows(t *testing.T) {
	f := frameOf(t, "y,x,z\n1,1,1\n2,2,2\n3,3,4\n4,NaN,5\n5,5,\n")
	_, err := Fit(context.Background(), f, []int{0, 1, 2}, []int{3, 4}, Spec{Target: "y"},
		Sink{Storage: design.Float64Storage})
	datatest.WantError(t, err, "hold-out rows: ", `column "x", row 4`, "the value is null")
	_, err = Fit(context.Background(), f, []int{0, 1, 2}, []int{4}, Spec{Target: "y"},
		Sink{Storage: design.Float64Storage})
	datatest.WantError(t, err, "hold-out rows: ", `column "z", row 5`, "1 of 1 row")
	_, err = Fit(context.Background(), f, []int{0, 1, 2, 4}, []int{3}, Spec{Target: "y"},
		Sink{Storage: design.Float64Storage})
	datatest.WantError(t, err, `column "z", row 5`, "1 of 4 rows")
	if strings.Contains(err.Error(), "hold-out") {
		t.Error(err)
	}
}

// Numbers are read from the file once, unless the draft of the matrix cannot be completed.
func TestFit_ReadsNumbersOnce(t *testing.T) {
	const n = 4*matrix.StripeRows + 5
	rng := rand.New(rand.NewPCG(4, 4))
	// write returns the path of a table of ten numbers. The first constant features are 0 in all rows but the last.
	write := func(constant int, last float64) string {
		var columns []data.Column
		for j := range 10 {
			c := data.Column{Name: fmt.Sprintf("x%d", j), Kind: data.Numeric, Type: "double", Number: make([]float64, n)}
			for i := range c.Number {
				if j == 0 || j > constant {
					c.Number[i] = rng.NormFloat64()
				}
			}
			c.Number[n-1] = last
			columns = append(columns, c)
		}
		path := filepath.Join(t.TempDir(), "t.parquet")
		if err := data.WriteTable(path, columns, true); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		name    string
		path    string
		scale   string
		storage design.Storage
		once    bool
		fault   string // of the last row, which is held out
	}{
		{"automatic storage", write(0, 1), "", "", true, ""},
		{"float64", write(0, 1), "none", design.Float64Storage, true, ""},
		{"float32", write(0, 1), "", design.Float32Storage, false, ""},
		{"a constant column", write(1, 1), "", "", true, ""},
		{"many constant columns", write(3, 1), "", "", false, ""},
		{"an infinite number", write(0, math.Inf(1)), "", "", false, "the value is +Inf"},
		{"a number too large to standardise", write(0, math.MaxFloat64), "", "", false, "too far outside"},
	} {
		t.Run(c.name, func(t *testing.T) {
			read := int64(0)
			ctx := data.WithProgress(t.Context(), func(p data.Progress) { read = p.Read })
			f, err := data.Open(ctx, c.path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			size, err := os.Stat(c.path)
			if err != nil {
				t.Fatal(err)
			}
			train := make([]int, n-1)
			for r := range train {
				train[r] = r
			}
			before := read
			_, err = Fit(ctx, f, train, []int{n - 1}, Spec{Target: "x0", Scale: c.scale, Task: Regression},
				Sink{Storage: c.storage})
			if c.fault != "" {
				datatest.WantError(t, err, "hold-out rows: ", c.fault)
			} else if err != nil {
				t.Fatal(err)
			}
			// The target is a tenth of the file.
			if times := float64(read-before) / float64(size.Size()); c.once != (times < 1.5) {
				t.Errorf("%.2f times the size of the file were read", times)
			}
		})
	}
}
