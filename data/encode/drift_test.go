package encode

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/datatest"
	"github.com/drotrain/drotrain/design"
)

// months draws rows of a number, a category with nulls and a count of few values.
func months(t *testing.T, rows int, seed uint64, shift, missing float64, levels ...string) *data.Frame {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	b.WriteString("x,g,k,y\n")
	for range rows {
		x := fmt.Sprint(rng.NormFloat64() + shift)
		if rng.Float64() < missing {
			x = ""
		}
		fmt.Fprintf(&b, "%s,%s,%d,%d\n", x, levels[rng.IntN(len(levels))], rng.IntN(3), rng.IntN(2))
	}
	return frameOf(t, b.String())
}

// Rows of the population of training are passed at any number; shifted numbers, other shares of
// levels, levels that are new and values that are missing are named with their columns.
func TestDrift_NamesColumns(t *testing.T) {
	for _, storage := range []design.Storage{design.Float64Storage, design.Float32Storage, design.SparseStorage} {
		fitted := fitRows(t, months(t, 4000, 1, 0, 0.02, "a", "b", "c", ""), nil, nil, Spec{Target: "y", Impute: "mean"},
			Sink{Storage: storage})
		made := fitted.Encoder
		made.MakeProfile(fitted.Train, fitted.TrainReport, storage)
		b := datatest.Marshal(t, made)
		var e Encoder
		if err := json.Unmarshal(b, &e); err != nil || e.Validate() != nil {
			t.Fatal(err, e.Validate())
		}
		said := func(f *data.Frame) string {
			r, err := e.EncodeBlocks(t.Context(), f, nil, 300, false, func(Block) error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			return r.DescribeDrift()
		}
		for _, rows := range []int{1, 10, 60, 1000, 5000} {
			for seed := range uint64(20) {
				if s := said(months(t, rows, 100+seed, 0, 0.02, "a", "b", "c", "")); s != "" {
					t.Errorf("%s: %d rows of training's population: %s", storage, rows, s)
				}
			}
		}
		for _, c := range []struct {
			f    *data.Frame
			want []string
			not  string
		}{
			{months(t, 1000, 7, 1, 0.02, "a", "b", "c", ""), []string{`"x" (population stability index 0.`}, `"g"`},
			{months(t, 1000, 7, 3, 0.02, "a", "b", "c", ""), []string{`"x" (population stability index `,
				"% of the rows outside the training range"}, `"g"`},
			{months(t, 1000, 7, 0, 0.02, "a", "b", "c", "", "d"),
				[]string{`"g" (`, "20 % of the rows with levels unseen in training"}, `"x"`},
			{months(t, 1000, 7, 0, 0.02, "a", "a", "a", "b", "c"), []string{`"g" (population stability index`}, `"x"`},
			{months(t, 1000, 7, 0, 0.3, "a", "b", "c", ""), []string{`"x" (`, "% missing instead of 2 %"}, `"g"`},
		} {
			got := said(c.f)
			for _, want := range c.want {
				if !strings.Contains(got, want) || strings.Contains(got, c.not) || strings.Contains(got, `"k"`) {
					t.Errorf("%s: %q, want %q and not %s", storage, got, want, c.not)
				}
			}
		}
		for _, p := range e.Profile.Inputs {
			sum := 0.0
			for _, v := range p.Shares {
				sum += v
			}
			if !(math.Abs(sum-1) <= 1e-9) {
				t.Errorf("shares of input %d add up to %v", p.Input, sum)
			}
		}
		e.Profile.Inputs[0].Shares = e.Profile.Inputs[0].Shares[1:]
		if e.Validate() == nil {
			t.Error("a profile of too few shares is accepted")
		}
	}
}

// Groups that training did not have are counted by column, beside those of training.
func TestUnseenGroups_AreCountedByColumn(t *testing.T) {
	fitted := fitRows(t, frameOf(t, "y,x,g\n1,1,yes\n0,2,no\n1,3,yes\n0,4,no\n"), nil, nil,
		Spec{Target: "y", Groups: []string{"g"}, Drop: []string{"g"}}, Sink{Storage: design.Float64Storage})
	groups, _, err := fitted.Encoder.Groupings(t.Context(), frameOf(t, "y,x,g\n1,1,yes\n0,2,maybe\n1,3,\n0,4,maybe\n"),
		nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := fitted.Encoder.UnseenGroups(groups)
	if len(got) != 1 || got[0].Column != "g" || got[0].Count != 3 || got[0].FirstRow != 2 ||
		strings.Join(got[0].Examples, " ") != "g=maybe g=(missing)" {
		t.Errorf("%+v", got)
	}
	r := Report{Rows: 100, NewGroups: []Unseen{{Column: "g", Count: 11, Examples: []string{"g=maybe"}}}}
	if got := r.DescribeDrift(); !strings.Contains(got,
		`group column "g" (11 % of the rows in groups unseen in training: "g=maybe")`) {
		t.Errorf("%q", got)
	}
}

// A column whose rows are mostly unseen levels is named with and without a profile, also in a table of few rows; a
// single row is not.
func TestDrifted_UnseenLevels(t *testing.T) {
	train := drawLines(200, 1, false)
	for _, c := range []struct {
		name    string
		profile bool
		codes   []string
		want    string
	}{
		{"all, with a profile", true, []string{"011", "021", "031"},
			`"code" (100 % of the rows with levels unseen in training)`},
		{"all, without", false, []string{"011", "021", "031"},
			`"code" (100 % of the rows with levels unseen in training: "011", "021" and "031")`},
		{"two of three, without", false, []string{"011", "002", "031"}, `"code" (67 % of the rows`},
		{"one of three", true, []string{"011", "002", "003"}, ""},
		{"one row", false, []string{"011"}, ""},
		{"none", false, []string{"001", "002", "003"}, ""},
	} {
		fitted := fitRows(t, tableOfLines(t, "t.csv", train), nil, nil, Spec{Target: "y"}, Sink{})
		if c.profile {
			fitted.Encoder.MakeProfile(fitted.Train, fitted.TrainReport, design.Float64Storage)
		}
		var lines []string
		for _, code := range c.codes {
			lines = append(lines, "0.1,"+code+",a,no")
		}
		report, err := fitted.Encoder.EncodeBlocks(t.Context(), tableOfLines(t, "t.csv", lines), nil, 0, false,
			func(Block) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		if got := report.DescribeDrift(); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Without a profile, rows that mostly have rare or unseen levels are named where these levels are one.
func TestDrift_MergedLevelsWithoutProfile(t *testing.T) {
	e := fitRows(t, frameOf(t, "g,y\n"+strings.Repeat("a,0\nb,1\n", 50)+"rare,1\nrarer,0\n"), nil, nil,
		Spec{Target: "y", MinCount: 10}, Sink{}).Encoder
	for _, c := range []struct {
		rows string
		says string
	}{
		{strings.Repeat("a\nb\nnew\n", 20), ""},
		{strings.Repeat("a\nnew\nrare\n", 20),
			`"g" (67 % of the rows with rare levels or levels unseen in training: "new" and "rare")`},
	} {
		r, err := e.EncodeBlocks(t.Context(), frameOf(t, "g\n"+c.rows), nil, 7, false, func(Block) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		if got := r.DescribeDrift(); !strings.Contains(got, c.says) || c.says == "" && got != "" {
			t.Errorf("said %q, want %q", got, c.says)
		}
	}
}

// Sparse vectors have entries at indices, not levels.
func TestDescribeDrift_UnseenIndices(t *testing.T) {
	r := Report{Rows: 100, Unseen: []Unseen{{Column: "x", Count: 50, Places: true, Examples: []string{"x[7]"}}}}
	want := `"x" (50 % of the rows with entries at indices unseen in training: "x[7]")`
	if got := r.DescribeDrift(); !strings.Contains(got, want) {
		t.Errorf("%q does not contain %q", got, want)
	}
}
