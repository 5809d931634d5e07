package value

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/tune"
)

// On a table where a named group follows another law the choice lowers the worst group's
// held-out risk by a third, and the page says so.
func TestValueOfAChoice(t *testing.T) {
	tables := Tables()
	for i := range tables {
		if tables[i].Name != "digits" {
			continue
		}
		f, err := tables[i].Open(context.Background(), Sources{})
		if err != nil {
			t.Fatal(err)
		}
		var rows []Row
		for seed := range uint64(2) {
			r, err := Measure(context.Background(), tables[i], f, seed, tune.DefaultOptions())
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, r...)
		}
		plain, chosen := mean(at(rows, "digits", ERM), worst), mean(at(rows, "digits", Chosen), worst)
		if !(chosen <= plain*2/3) {
			t.Errorf("worst group: ERM %v, chosen %v", plain, chosen)
		}
		var b bytes.Buffer
		if err := Write(&b, tables, rows, 2); err != nil {
			t.Fatal(err)
		}
		if page := b.String(); !strings.Contains(page, "| digits | ") || !strings.Contains(page, ", lower |") || strings.Contains(page, "| adult |") {
			t.Errorf("the page:\n%s", page)
		}
	}
}

// Groups are judged on the hold-out by their name, wherever they stand there, if they have
// rows enough to train on, however few are held out.
func TestJudged(t *testing.T) {
	of := func(labels []string, index ...int32) *data.Dataset {
		return &data.Dataset{Groups: []data.Grouping{{Name: "other"}, {Name: "g", Labels: labels, Index: index}}}
	}
	f := &data.Fitted{Train: of([]string{"a", "b", "c"}, 0, 1, 1, 1, 2, 2), Holdout: of([]string{"b", "c", "d", "a"}, 0, 1, 2, 3, 0)}
	if got := Judged(f, 2); !slices.Equal(got, []int32{0, 1, -1, -1, 0}) {
		t.Errorf("judged: %v", got)
	}
	var r Row
	r.fill([]int32{0, 1, -1, -1, 0}, []float64{1, 3, 9, 8, 2})
	if r.Worst != 3 || !(math.Abs(r.Average-4.6) <= 1e-12) {
		t.Errorf("%+v", r)
	}
}

func TestChange(t *testing.T) {
	var rows []Row
	for i, v := range [][2]float64{{1, 0.5}, {2, 1.5}, {3, 2.2}} {
		rows = append(rows, Row{Table: "t", Model: ERM, Seed: uint64(i), Worst: v[0]}, Row{Table: "t", Model: Chosen, Seed: uint64(i), Worst: v[1]})
	}
	// By split, whatever the order of the rows, and of those that both were measured on.
	rows[1], rows[5] = rows[5], rows[1]
	rows = append(rows, Row{Table: "t", Model: ERM, Seed: 9, Worst: 70}, Row{Table: "t", Model: Chosen, Seed: 8})
	// −0.5, −0.5, −0.8: mean −0.6, standard deviation √0.03.
	d, se := change(rows, "t", worst)
	if !(math.Abs(d+0.6) <= 1e-12) || !(math.Abs(se-0.1) <= 1e-12) || word(d, se) != "lower" || word(-d, se) != "HIGHER" || word(0, 1) != "as good" {
		t.Errorf("%v ± %v", d, se)
	}
	// One split in five that differs is one standard error, whatever rounding says.
	rows = nil
	for i, v := range []float64{0, 0.1, 0, 0, 0} {
		rows = append(rows, Row{Table: "t", Model: ERM, Seed: uint64(i), Worst: 0.7}, Row{Table: "t", Model: Chosen, Seed: uint64(i), Worst: 0.7 + v})
	}
	if d, se := change(rows, "t", worst); word(d, se) != "as good" || word(d, se*0.99) != "HIGHER" {
		t.Errorf("one of five: %v ± %v", d, se)
	}
}

// A seed draws the same tables again, with both groups or classes in them, and another
// seed others.
func TestDrawn(t *testing.T) {
	seen := map[string]bool{}
	for _, seed := range []uint64{3, 4, 3} {
		about := ""
		for _, d := range Drawn(seed) {
			about += d.About + "\n"
			if !strings.HasPrefix(d.Name, "few rows") && !strings.HasPrefix(d.Name, "classes at random") {
				continue
			}
			f, err := d.Open(context.Background(), Sources{})
			if err != nil {
				t.Fatal(err)
			}
			c, err := f.Column(context.Background(), "group")
			if err != nil {
				t.Fatal(err)
			}
			few := 0
			for r := range f.Rows {
				if c.Text(r) == "few" {
					few++
				}
			}
			if share := float64(few) / float64(f.Rows); f.Rows < 500 || !(share > 0.06 && share < 0.35) {
				t.Errorf("%s: %d rows, %v of them in the smaller group", d.Name, f.Rows, share)
			}
		}
		seen[about] = true
	}
	if len(seen) != 2 {
		t.Errorf("three draws by two seeds gave %d different sets", len(seen))
	}
}
