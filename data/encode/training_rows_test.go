package encode

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/design"
)

// drawLines returns n lines of a table with a number, a code of text, a level and, if not discrete, a fraction.
func drawLines(n int, seed uint64, discrete bool) []string {
	rng := rand.New(rand.NewPCG(seed, 1))
	lines := make([]string, n)
	for i := range lines {
		x := fmt.Sprint(rng.IntN(4))
		if !discrete {
			x = fmt.Sprintf("%.6f", rng.NormFloat64())
		}
		lines[i] = fmt.Sprintf("%s,%03d,%s,%s", x, rng.IntN(5), []string{"a", "b", "c"}[rng.IntN(3)],
			[]string{"no", "yes"}[rng.IntN(2)])
	}
	return lines
}

// tableOfLines returns the table of lines, converted to Parquet where the path ends so.
func tableOfLines(t *testing.T, path string, lines []string) *data.Frame {
	t.Helper()
	text := "x,code,level,y\n" + strings.Join(lines, "\n") + "\n"
	if filepath.Ext(path) == ".csv" {
		return readBytes(t, path, []byte(text))
	}
	f := readBytes(t, "t.csv", []byte(text))
	var columns []data.Column
	for _, c := range f.Columns {
		columns = append(columns, *c)
	}
	path = filepath.Join(t.TempDir(), path)
	if err := data.WriteTable(path, columns, true); err != nil {
		t.Fatal(err)
	}
	return openFrame(t, path)
}

// Training rows are recognised in any order, in another format, among other rows and from a sample; rows that are
// equal because few different ones exist are not called so.
func TestTrainingRows_AreRecognised(t *testing.T) {
	shuffled := func(lines []string) []string {
		out := slices.Clone(lines)
		rand.New(rand.NewPCG(5, 5)).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		return out
	}
	const small, large = 2000, 40000
	for _, c := range []struct {
		name     string
		rows     int
		discrete bool
		path     string
		scored   func(train []string) []string
		want     string
	}{
		{"the same", small, false, "t.csv", func(r []string) []string { return r }, "2 000 of 2 000 rows"},
		{"shuffled", small, false, "t.csv", shuffled, "2 000 of 2 000 rows"},
		{"converted and shuffled", small, false, "t.parquet", shuffled, "2 000 of 2 000 rows"},
		{"some, appended", small, false, "t.csv", func(
			r []string) []string {
			return append(drawLines(900, 9, false), r[:100]...)
		}, "100 of 1 000 rows"},
		{"other rows", small, false, "t.csv", func([]string) []string { return drawLines(small, 9, false) }, ""},
		{"a sample", large, false, "t.parquet", shuffled, "about 100 % of the 40 000 rows"},
		{"half of them, by a sample", large, false, "t.csv",
			func(r []string) []string { return append(drawLines(large/2, 9, false), r[:large/2]...) }, "about "},
		{"other rows, by a sample", large, false, "t.csv", func([]string) []string { return drawLines(large, 9, false) }, ""},
		{"few different rows", small, true, "t.csv", func([]string) []string { return drawLines(small, 9, true) }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := drawLines(c.rows, 1, c.discrete)
			for _, storage := range []design.Storage{design.Float64Storage, design.Float32Storage, design.SparseStorage} {
				fitted := fitRows(t, tableOfLines(t, "t.csv", lines), nil, nil, Spec{Target: "y"}, Sink{Storage: storage})
				e := fitted.Encoder
				e.MakeProfile(fitted.Train, fitted.TrainReport, storage)
				if err := e.Validate(); err != nil {
					t.Fatal(err)
				}
				report, err := e.EncodeBlocks(t.Context(), tableOfLines(t, c.path, c.scored(lines)), nil, 700, false,
					func(Block) error { return nil })
				if err != nil {
					t.Fatal(err)
				}
				if got := report.Training.String(); c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
					t.Errorf("%s: %q, want %q (%+v)", storage, got, c.want, *report.Training)
				}
			}
		})
	}
}

// A table of which some rows occur twice says how many new rows would be equal by chance.
func TestTrainingRows_ByChance(t *testing.T) {
	lines := drawLines(300, 1, false)
	lines = append(lines, lines[:60]...) // 120 of 360 are repeated
	fitted := fitRows(t, tableOfLines(t, "t.csv", lines), nil, nil, Spec{Target: "y"},
		Sink{Storage: design.Float64Storage})
	s := sampleRows(fitted.Train, false)
	if s.Rows != 360 || s.Repeated != 120.0/360 {
		t.Errorf("%d rows, %v repeated; want 360 and 1/3", s.Rows, s.Repeated)
	}
	for _, c := range []struct {
		equal int
		want  string
	}{{120, ""}, {150, ""},
		{360, "360 of 360 rows equal a training row in every encoded feature (about 33 % of new rows " +
			"would do so by chance)"}} {
		r := TrainingRows{Compared: 360, Rows: 360, Equal: c.equal, Expected: s.Repeated, known: s.Rows}
		if got := r.String(); got != c.want {
			t.Errorf("%d equal: %q, want %q", c.equal, got, c.want)
		}
	}
}

// A damaged sample is an error of the model file.
func TestRowSample_Damaged(t *testing.T) {
	for _, s := range []RowSample{{Hashes: "%"}, {Zeros: 40}, {Zeros: -1}, {Rows: -1}, {Repeated: 2},
		{Hashes: "/////////////w=="}} {
		if _, err := s.keys(); err == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
	good := fitRows(t, tableOfLines(t, "t.csv", drawLines(50, 1, false)), nil, nil, Spec{Target: "y"}, Sink{})
	keys, err := sampleRows(good.Train, false).keys()
	if err != nil || len(keys) != 50 {
		t.Errorf("%d hashes, %v; want 50", len(keys), err)
	}
}
