package encode

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/datatest"
	"github.com/drotrain/drotrain/design"
)

// openVectors writes vectors of floats with the entries that at returns, row after row, and alternating targets y, and
// opens both.
func openVectors(t *testing.T, rows, columns int, at func(k int) float64) *data.Frame {
	t.Helper()
	entries, labels := make([]float32, rows*columns), make([]int64, rows)
	for k := range entries {
		entries[k] = float32(at(k))
	}
	for i := range labels {
		labels[i] = int64(i % 2)
	}
	x := datatest.WriteArray(t, "X.npy", "<f4", fmt.Sprintf("(%d, %d)", rows, columns), entries)
	y := datatest.WriteArray(t, "y.npy", "<i8", fmt.Sprintf("(%d,)", rows), labels)
	return openFrame(t, x+","+y)
}

// NaN in a vector is a null: without a fill, an error with its entry and row.
func TestFit_VectorWithNaN(t *testing.T) {
	x := datatest.WriteArray(t, "X.npy", "<f4", "(4, 2)", []float32{1, 2, 3, 4, 5, float32(math.NaN()), 7, 9})
	y := datatest.WriteArray(t, "y.npy", "<i8", "(4,)", []int64{0, 1, 0, 1})
	f := openFrame(t, x+","+y)
	defer f.Close()
	_, err := Fit(t.Context(), f, nil, nil, Spec{Target: "y"}, Sink{Storage: design.AutoStorage})
	if err == nil || !strings.Contains(err.Error(), `column "x[1]", row 3: the value is null, as in 1 of 4 rows`) {
		t.Errorf("%v", err)
	}
}

// The profile of wide rows is made of some of them, so that it takes less memory than the rows, and
// passes the rows that it was made from.
func TestMakeProfile_WideRows(t *testing.T) {
	const rows, columns = 6000, 1000
	rng := rand.New(rand.NewPCG(3, 1))
	f := openVectors(t, rows, columns, func(int) float64 { return rng.NormFloat64() })
	defer f.Close()
	fitted := fitRows(t, f, nil, nil, Spec{Target: "y"}, Sink{Storage: design.AutoStorage})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fitted.Encoder.MakeProfile(fitted.Train, fitted.TrainReport, fitted.Storage)
	runtime.ReadMemStats(&after)
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(
		8*profiledValues+4<<20); fitted.Encoder.Profile.Rows != 4000 || got > most {
		t.Errorf("a profile of %d rows takes %d bytes, more than %d", fitted.Encoder.Profile.Rows, got, most)
	}
	r, err := fitted.Encoder.EncodeBlocks(t.Context(), f, nil, 2000, false, func(Block) error { return nil })
	if err != nil || r.DescribeDrift() != "" {
		t.Errorf("the rows of training: %v %s", err, r.DescribeDrift())
	}
}

// Lists of floats, all of one length, are vectors; others are refused as features with the first row that
// is no vector.
func TestVectors_Lists(t *testing.T) {
	const good = "[[1, 2.5], [3, -4], [5, 6], [7, 8]]"
	single, double := arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64
	for _, c := range []struct {
		name   string
		typ    arrow.DataType
		rows   string
		fault  string
		arrows bool // an Arrow stream alone: the writer of Parquet does not take the type
	}{
		{"fixed size float32", arrow.FixedSizeListOf(2, single), good, "", false},
		{"fixed size float64", arrow.FixedSizeListOf(2, double), good, "", false},
		{"fixed size float16", arrow.FixedSizeListOf(2, arrow.FixedWidthTypes.Float16), good, "", false},
		{"list of float32", arrow.ListOf(single), good, "", false},
		{"large list of float64", arrow.LargeListOf(double), good, "", true},
		{"a null list", arrow.ListOf(single), "[[1, 2], [3, 4], null, [7, 8]]",
			`row 3: a column of type list (the list is null) cannot be a feature`, false},
		{"a null number", arrow.ListOf(double), "[[1, 2], [3, 4], [5, 6], [7, null]]",
			`row 4: a column of type list (entry 2 is null) cannot be a feature`, false},
		{"a null in fixed size", arrow.FixedSizeListOf(2, single), "[[1, null], [3, 4]]",
			`row 1: a column of type list (entry 2 is null)`, true},
		{"other lengths", arrow.ListOf(single), "[[1, 2], [3, 4, 5], [6, 7], [8]]",
			`row 2: a column of type list (the list has 3 entries, but earlier lists have 2)`, false},
		{"empty lists", arrow.ListOf(single), "[[], []]", `row 1: a column of type list (the list is empty)`, false},
	} {
		for _, ext := range []string{".arrows", ".parquet", ".v2.parquet"} {
			if ext != ".arrows" && c.arrows {
				continue
			}
			f, err := data.Open(t.Context(), datatest.WriteLists(t, ext, c.typ, c.rows))
			if err != nil {
				t.Errorf("%s%s: %v", c.name, ext, err)
				continue
			}
			_, err = NewEncoder(t.Context(), f, nil, Spec{Target: "y"})
			if c.fault != "" {
				if err == nil || !strings.Contains(err.Error(), `column "e", `+c.fault) {
					t.Errorf("%s%s: %v", c.name, ext, err)
				}
				continue
			}
			if !slices.Equal(f.Names(), []string{"y", "e[0]", "e[1]"}) || err != nil {
				t.Errorf("%s%s: columns %q, %v", c.name, ext, f.Names(), err)
				continue
			}
			second, err := exactRows(t.Context(), f, []string{"e[1]"})
			if err != nil || !slices.Equal(second[0].Number, []float64{2.5, -4, 6, 8}) {
				t.Errorf("%s%s: %v, %v", c.name, ext, second, err)
			}
			f.Close()
		}
	}
}

// A column that was split can be used only as a whole, as a feature or left out.
func TestFit_SplitColumnIsNoCategory(t *testing.T) {
	dates := filepath.Join(t.TempDir(), "d.csv")
	if err := os.WriteFile(dates, []byte("e,y\n2024-01-02,1\n2023-05-06,2\n2022-07-08,4\n2021-12-31,3\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	vectors := datatest.WriteLists(t, ".parquet", arrow.ListOf(arrow.PrimitiveTypes.Float32),
		"[[1, 2], [3, 4], [5, 5], [8, 7]]")
	for path, part := range map[string]string{dates: "e.year", vectors: "e[0]"} {
		f := openFrame(t, path, data.Reading{Dates: "parts"})
		defer f.Close()
		target := part
		if path == dates {
			target = "y"
		}
		for role, s := range map[string]Spec{
			"target":      {Target: "e"},
			"exposure":    {Target: target, Exposure: "e"},
			"transform":   {Target: target, Transforms: Transforms{Square: []string{"e"}}},
			"groups":      {Target: target, Groups: []string{"e"}},
			"categorical": {Target: target, Categorical: []string{"e"}},
			"features":    {Target: target, Features: []string{"e"}},
			"drop":        {Target: target, Drop: []string{"e"}},
		} {
			s.Task = Regression
			_, err := Fit(t.Context(), f, []int{0, 1, 2, 3}, nil, s, Sink{Storage: design.Float64Storage})
			refused := err != nil && strings.Contains(err.Error(), `the column "e" is split into `) &&
				strings.Contains(err.Error(), `as "`+part+`"`)
			if refused != (role != "features" && role != "drop") {
				t.Errorf("%s: %s: %v", filepath.Base(path), role, err)
			}
		}
	}
}

// An entry of a vector is a feature once, and can be left out of a vector that is named as a feature.
func TestFit_EntriesAsFeatures(t *testing.T) {
	f := openFrame(t, datatest.WriteLists(t, ".parquet", arrow.ListOf(arrow.PrimitiveTypes.Float32),
		"[[1, 2, 4], [3, 4, 1], [5, 5, 2], [8, 7, 9]]"))
	defer f.Close()
	for _, c := range []struct {
		features, drop []string
		want           string // names of the columns, or a part of the error
	}{
		{[]string{"e"}, nil, "e[0] e[1] e[2]"},
		{[]string{"e[2]", "e[0]"}, nil, "e[2] e[0]"},
		{[]string{"e"}, []string{"e[1]"}, "e[0] e[2]"},
		{nil, []string{"e[1]"}, "e[0] e[2]"},
		{[]string{"e[0]", "e"}, nil, `column "e[0]": the features "e[0]" and "e" both contain this column`},
		{[]string{"e", "e[0]"}, nil, `column "e[0]": the features "e" and "e[0]" both contain this column`},
		{[]string{"e[0]"}, []string{"e"},
			`column "e[0]": the column is a feature, but "e", to which it belongs, is to be dropped`},
	} {
		e, err := NewEncoder(t.Context(), f, nil, Spec{Target: "y", Features: c.features, Drop: c.drop})
		got := ""
		if err == nil {
			got = strings.Join(e.Names(), " ")
		}
		if got != c.want && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("features %q, drop %q: %q, %v; want %q", c.features, c.drop, got, err, c.want)
		}
	}
}

// The profile of a very wide vector describes some of its entries, so that the model file holds about as many numbers
// as the rows. It finds that all entries have shifted.
func TestMakeProfile_SomeEntriesOfWideVectors(t *testing.T) {
	const rows, columns = 60, 2500
	rng := rand.New(rand.NewPCG(5, 1))
	entries, labels := make([]float32, rows*columns), make([]int64, rows)
	for i := range entries {
		entries[i] = float32(rng.NormFloat64())
	}
	for i := range labels {
		labels[i] = int64(i % 2)
	}
	y := datatest.WriteArray(t, "y.npy", "<i8", fmt.Sprintf("(%d,)", rows), labels)
	open := func() *data.Frame {
		shape := fmt.Sprintf("(%d, %d)", rows, columns)
		return openFrame(t, datatest.WriteArray(t, "X.npy", "<f4", shape, entries)+","+y)
	}
	f := open()
	defer f.Close()
	fitted := fitRows(t, f, nil, nil, Spec{Target: "y"}, Sink{Storage: design.AutoStorage})
	e := fitted.Encoder
	e.MakeProfile(fitted.Train, fitted.TrainReport, fitted.Storage)
	if n := len(e.Profile.Inputs); n != profiledEntries || e.Profile.Inputs[0].Input != 0 {
		t.Errorf("%d entries of %d are profiled, the first of which is %d", n, columns, e.Profile.Inputs[0].Input)
	}
	b, err := e.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	again := &Encoder{}
	if err := again.UnmarshalJSON(b); err != nil {
		t.Fatal(err)
	}
	for i := range entries {
		entries[i] += 10
	}
	g := open()
	defer g.Close()
	for _, e := range []*Encoder{e, again} {
		r, err := e.EncodeBlocks(t.Context(), g, nil, 50, false, func(Block) error { return nil })
		if err != nil || !strings.Contains(r.DescribeDrift(), `"x[0]"`) && !strings.Contains(r.DescribeDrift(), "more") {
			t.Errorf("%v: %.200s", err, r.DescribeDrift())
		}
	}
}

// Wide vectors are encoded in smaller blocks if the memory does not suffice for blocks of the usual size, with the same
// values.
func TestEncodeBlocks_WideVectorsInLittleMemory(t *testing.T) {
	const rows, columns = 300, 40_000
	f := openVectors(t, rows, columns, func(k int) float64 { return math.Sin(float64(k)) })
	defer f.Close()
	e, err := NewEncoder(t.Context(), f, nil, Spec{Target: "y"})
	if err != nil {
		t.Fatal(err)
	}
	largest := 0
	sums := func() (sums []float64) {
		largest = 0
		row := make([]float64, e.D())
		_, err := e.EncodeBlocks(t.Context(), f, nil, 0, false, func(b Block) error {
			largest = max(largest, b.Last-b.First)
			for i := range b.Rows.N {
				b.Rows.X.RowTo(row, i)
				sum := 0.0
				for j, v := range row {
					sum += v * float64(j%7)
				}
				sums = append(sums, sum)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return sums
	}
	want := sums()
	if largest != leastBlockRows {
		t.Fatalf("blocks have %d rows with enough memory, want %d", largest, leastBlockRows)
	}
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	was := debug.SetMemoryLimit(int64(now.HeapAlloc) + 8*leastBlockRows*columns - 1)
	defer debug.SetMemoryLimit(was)
	if got := sums(); !slices.Equal(got, want) || largest > leastBlockRows/2 {
		t.Errorf("blocks have %d rows; the values are the same: %v", largest, slices.Equal(got, want))
	}
}
