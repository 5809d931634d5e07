package encode

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/datatest"
)

// Whole numbers beyond 2^53 are groups, units, levels and classes of their own, in every format alike.
func TestLabels_LargeIntegers(t *testing.T) {
	ids := []int64{1<<53 + 1, 1 << 53, -(1 << 62) - 1, 7}
	const n = 80
	rng := rand.New(rand.NewPCG(1, 1))
	id := data.Column{Name: "id", Type: "int64", Kind: data.Numeric, Integer: true}
	two, many := id, id
	two.Name, many.Name = "two", "many"
	x := data.Column{Name: "x", Type: "double", Kind: data.Numeric}
	for i := range n {
		v := []int64{ids[i%4], int64(rng.IntN(100)), ids[i/3%2], ids[i/5%3]}
		x.Number = append(x.Number, float64(v[1]))
		for k, c := range []*data.Column{&id, &two, &many} {
			c.Int, c.Number = append(c.Int, v[[]int{0, 2, 3}[k]]), append(c.Number, float64(v[[]int{0, 2, 3}[k]]))
		}
	}
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := data.WriteTable(path, []data.Column{id, x, two, many}, true); err != nil {
		t.Fatal(err)
	}
	want := []string{"-4611686018427387905", "7", "9007199254740992", "9007199254740993"}
	frames := map[string]*data.Frame{"parquet": openFrame(t, path)}
	csv := filepath.Join(t.TempDir(), "t.csv")
	if err := data.WriteTable(csv, []data.Column{id, x, two, many}, true); err != nil {
		t.Fatal(err)
	}
	frames["csv"] = openFrame(t, csv)
	for format, f := range frames {
		fitted := fitRows(t, f, nil, nil, Spec{Target: "two", Task: Binary, Features: []string{"x", "id"},
			Categorical: []string{"id"}, Groups: []string{"id"}}, Sink{})
		g := fitted.Train.Groups[0]
		for k := range g.Labels {
			g.Labels[k] = strings.TrimPrefix(g.Labels[k], "id=")
		}
		if !slices.Equal(g.Labels, want) || g.Labels[g.Index[0]] != "9007199254740993" ||
			g.Labels[g.Index[1]] != "9007199254740992" {
			t.Errorf("%s: groups %q", format, g.Labels)
		}
		if levels := slices.Sorted(slices.Values(fitted.Encoder.Inputs[1].Levels)); !slices.Equal(levels, want) {
			t.Errorf("%s: levels %q", format, levels)
		}
		if e := fitted.Encoder.Target; e.Positive != "9007199254740993" || e.Negative != "9007199254740992" ||
			fitted.Train.Target[0] != 1 || fitted.Train.Target[3] != -1 {
			t.Errorf("%s: positive %q, negative %q, %v", format, e.Positive, e.Negative, fitted.Train.Target[:4])
		}
		based := fitRows(t, f, nil, nil, Spec{Target: "two", Task: Binary, Features: []string{"id"},
			Categorical: []string{"id"}, Reference: map[string]string{"id": "9007199254740993"}}, Sink{})
		if slices.Contains(based.Train.Names, "id=9007199254740993") ||
			!slices.Contains(based.Train.Names, "id=9007199254740992") ||
			slices.Max(based.Train.Row(0)) != 0 || slices.Max(based.Train.Row(1)) != 1 {
			t.Errorf("%s: with a reference level the columns are %q, and the rows %v and %v", format, based.Train.Names,
				based.Train.Row(0), based.Train.Row(1))
		}
		if _, err := NewEncoder(t.Context(), f, nil, Spec{Target: "two", Features: []string{"id"},
			Categorical: []string{"id"}, Reference: map[string]string{"id": "9007199254740995"}}); err == nil {
			t.Errorf("%s: a reference level that no row has is accepted", format)
		}
		classes := fitRows(t, f, nil, nil, Spec{Target: "many", Task: Multiclass, Features: []string{"x"}}, Sink{})
		if got := classes.Encoder.Target.Classes; !slices.Equal(got, []string{want[0], want[2], want[3]}) ||
			classes.Train.Target[0] != 2 || classes.Train.Target[5] != 1 {
			t.Errorf("%s: classes %q, %v", format, got, classes.Train.Target[:6])
		}
		for other, scored := range frames { // by blocks, from both formats
			var first [][]float64
			_, err := fitted.Encoder.EncodeBlocks(t.Context(), scored, nil, 30, true, func(b Block) error {
				for i := range b.Rows.N {
					first = append(first, append(b.Rows.Row(i), b.Rows.Target[i]))
				}
				return nil
			})
			if err != nil || len(first) != n {
				t.Fatalf("%s scored from %s: %d rows, %v", format, other, len(first), err)
			}
			for i, row := range first {
				if !slices.Equal(row, append(fitted.Train.Row(i), fitted.Train.Target[i])) {
					t.Fatalf("%s scored from %s: row %d differs", format, other, i+1)
				}
			}
		}
		train, held, err := f.SplitRows(t.Context(), data.Holdout{Group: "id", Fraction: 0.5, Seed: 3})
		if err != nil || len(train) != n/2 || len(held) != n/2 {
			t.Errorf("%s: %d and %d rows of units, %v", format, len(train), len(held), err)
		}
		for _, r := range held {
			if r%4 != held[0]%4 && r%4 != held[1]%4 {
				t.Errorf("%s: more than two of the four units are held out", format)
			}
		}
	}
	read, err := data.Read(t.Context(), csv) // and closed
	if err != nil {
		t.Fatal(err)
	}
	_, err = Fit(t.Context(), read, nil, nil, Spec{Target: "two", Task: Binary, Features: []string{"x"},
		Groups: []string{"id"}}, Sink{})
	datatest.WantError(t, err, "cannot be distinguished", "row 1")
}
