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
		// What is fitted to the rows held out has no larger a worst group than any model.
		for _, m := range Models {
			for k, r := range at(rows, "digits", m) {
				if floor, rate := at(rows, "digits", Floor)[k], at(rows, "digits", Oracle)[k]; !(floor.Worst <= 1.01*r.Worst) || !(floor.Worst <= 1.01*rate.Worst) {
					t.Errorf("%s has %v, fitted to the rows held out %v, at the rate %v", m, r.Worst, floor.Worst, rate.Worst)
				}
			}
		}
		var b bytes.Buffer
		if err := Write(&b, tables, rows, 2); err != nil {
			t.Fatal(err)
		}
		if page := b.String(); !strings.Contains(page, "| digits | ") || !strings.Contains(page, "| lower |") || strings.Contains(page, "| adult |") {
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
	if r.Worst != 3 || math.Abs(r.Average-4.6) > 1e-12 {
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
	if math.Abs(d+0.6) > 1e-12 || math.Abs(se-0.1) > 1e-12 || word(d, se) != "lower" || word(-d, se) != "HIGHER" || word(0, 1) != "as good" {
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

// Where another law's group falls by less than a third, the page says whether any linear
// model reaches that, of the rows held out or of more rows, whether at the rate asked for, and
// whether a candidate does.
func TestVerdicts(t *testing.T) {
	var tables []Table
	var rows []Row
	for name, v := range map[string][5]float64{
		"helped": {0.6, 0.6, 0.5, 0.6, 0}, "missed": {0.8, 0.65, 0.6, 0.66, 0}, "no candidate": {0.8, 0.65, 0.6, 0.7, 0.6}, "too dear": {0.8, 0.7, 0.6, 0.75, 0},
		"out of reach": {0.8, 0.8, 0.7, 0.8, 0}, "few rows": {0.8, 0.6, 0.5, 0.7, 0.84},
	} {
		tables = append(tables, Table{Name: name, Slope: true, Alone: true})
		for model, w := range map[string]float64{ERM: 1, Chosen: v[0], Oracle: v[1], Floor: v[2], HindsightOracle: v[3], FreshFloor: v[4]} {
			if w > 0 {
				rows = append(rows, Row{Table: name, Model: model, Worst: w})
			}
		}
	}
	slices.SortFunc(tables, func(a, b Table) int { return strings.Compare(a.Name, b.Name) })
	var b bytes.Buffer
	if err := Write(&b, tables, rows, 1); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"by a third or more: helped (-40 %). By less, though one of the candidates takes off a third: missed (-20 %; hindsight -34 %, told -35 and -40 %).\n",
		"not even by hindsight: no candidate (-20 %; hindsight -30 %, told -35 and -40 %, law -40 %).\n",
		"more of the average than the rate asked for: too dear (-20 %; hindsight -25 %, told -30 and -40 %).\n",
		"or 20 000 more: few rows (-20 %; hindsight -30 %, told -40 and -50 %, law -16 %); out of reach (-20 %; hindsight -20 %, told -20 and -30 %).\n",
	} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("%q is not in the page:\n%s", line, b.String())
		}
	}
}

// What a choice promised is held against what the rows held out say, by its standard errors.
func TestPromises(t *testing.T) {
	rows := []Row{
		{Table: "t", Model: ERM, Worst: 2}, {Table: "t", Model: Chosen, Worst: 1.9, Fall: 0.4, SE: 0.1},
		{Table: "t", Model: ERM, Seed: 1, Worst: 1}, {Table: "t", Model: Chosen, Seed: 1, Worst: 1.1, Fall: 0.4, SE: 0.09},
		{Table: "t", Model: ERM, Seed: 2, Worst: 1}, {Table: "t", Model: Chosen, Seed: 2, Worst: 1}, // ERM
		{Table: "t", Model: ERM, Seed: 3, Worst: 4}, {Table: "t", Model: Chosen, Seed: 3, Worst: 2, Fall: 2, SE: 0.1},
	}
	var b bytes.Buffer
	if err := Write(&b, []Table{{Name: "t", Seen: Fresh, Alone: true}}, rows, 4); err != nil {
		t.Fatal(err)
	}
	// 0.2 and 0.4 of ERM's promised, 0.05 and −0.1 kept; 0.5 and 0.5.
	if page := b.String(); !strings.Contains(page, "| 4 to 6 | 2 | 30.0 | -2.5 |\n| 6 | 1 | 50.0 | 50.0 |\n") || strings.Contains(page, "%!") {
		t.Errorf("the page:\n%s", page)
	}
}

// Of a small table that is drawn there are more rows of the same laws: its own come first, and
// those held out of the same encoding.
func TestMoreRows(t *testing.T) {
	for _, d := range Drawn(3) {
		if !strings.HasPrefix(d.Name, "few rows") {
			continue
		}
		f, err := d.Open(t.Context(), Sources{})
		if err != nil {
			t.Fatal(err)
		}
		fitted, _, err := Split(t.Context(), d, f, 1)
		if err != nil {
			t.Fatal(err)
		}
		more, err := d.more(t.Context(), f.Rows+10)
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := Split(t.Context(), d, f, 1)
		if err != nil {
			t.Fatal(err)
		}
		for j, row := range fitted.Train.Rows[:5] {
			for _, column := range []string{"x1", "y"} {
				text := func(f *data.Frame) string {
					c, err := f.Column(t.Context(), column)
					if err != nil {
						t.Fatal(err)
					}
					return c.Text(row)
				}
				if text(f) != text(more) || fitted.Train.Target[j] != again.Train.Target[j] {
					t.Errorf("row %d, %s: %s of the table, %s of more rows", row, column, text(f), text(more))
				}
			}
		}
		fresh, err := d.fresh(t.Context(), f.Rows, 1)
		if err != nil {
			t.Fatal(err)
		}
		if fresh.N != freshRows || fresh.D != fitted.Train.D || fresh.Rows[0] < f.Rows {
			t.Errorf("%d more rows of %d columns from row %d", fresh.N, fresh.D, fresh.Rows[0])
		}
	}
}

// The last measurement is a table of its own, a row for both ways, with the mean of the worst
// tenth where nobody names a group; it is counted by itself.
func TestLastMeasurement(t *testing.T) {
	table := Table{Name: "t", About: "what it is", Seen: Last}
	var rows []Row
	for i, v := range []float64{0.1, 0.2} {
		for _, name := range []string{table.Name, table.Unnamed()} {
			rows = append(rows, Row{Table: name, Model: ERM, Seed: uint64(i), Worst: 1, Tail: 2}, Row{Table: name, Model: GroupDRO, Seed: uint64(i), Worst: 0.5},
				Row{Table: name, Model: Chosen, Seed: uint64(i), Worst: 1 - v, Tail: 2 + v, Chosen: "model of " + name})
			if name == table.Unnamed() {
				rows[len(rows)-1].Worst = 1 + v
			}
		}
	}
	var b bytes.Buffer
	if err := Write(&b, []Table{table}, rows, 2); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"| t | 1.000 | 0.500 | 0.850 | -0.1500 ± 0.0500 | lower | 1.150 | +0.1500 ± 0.0500 | HIGHER | +0.1500 ± 0.0500 | HIGHER |\n",
		"| t | what it is | model of t (2) | model of t, not named (2) |\n",
		"Of 2 tables of the last measurement, named and not, the worst group's held-out risk is above ERM's by more than one paired standard error on: t, not named (+0.1500 ± 0.0500). On 2 it differs at all; models that change nothing but by chance would be above it on 25 % of these (Student's t of 2 splits), ",
	} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("%q is not in the page:\n%s", line, b.String())
		}
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
