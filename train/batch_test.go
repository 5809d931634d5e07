package train_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

// A table is scored as its rows are, to the last bit.
func TestScoreToIsValues(t *testing.T) {
	check := func(m *train.Model, frame *data.Frame) {
		t.Helper()
		s, err := m.Scorer()
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float64, frame.Rows)
		if err := s.ScoreTo(t.Context(), got, frame); err != nil {
			t.Fatal(err)
		}
		row := make([]any, len(s.Inputs()))
		for r := range got {
			for k, name := range s.Inputs() {
				row[k] = cellOf(t, frame, name, r)
			}
			want, err := s.Values(row...)
			if err != nil || got[r] != want {
				t.Fatalf("row %d: %v in a batch, %v alone (%v)", r, got[r], want, err)
			}
		}
	}
	check(messyModel(t))
	cfg := builtin(t, "hmda")
	frame, err := train.Open(context.Background(), cfg.Data)
	if err != nil {
		t.Fatal(err)
	}
	check(fit(t, cfg), frame)
}

func cellOf(t *testing.T, f *data.Frame, name string, row int) any {
	c, err := f.Column(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case c.IsNull(row):
		return nil
	case c.Kind == data.Categorical:
		return c.Text(row)
	case c.Kind == data.Bool:
		return c.Number[row] != 0
	}
	return c.Number[row]
}

func TestScoreToRefuses(t *testing.T) {
	m, frame := messyModel(t)
	s, err := m.Scorer()
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]float64, frame.Rows)
	if err := s.ScoreTo(t.Context(), dst[1:], frame); err == nil {
		t.Error("a row without room was scored")
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.ScoreTo(cancelled, dst, frame); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	table := func(change func(*data.Column)) *data.Frame {
		var columns []data.Column
		for _, name := range s.Inputs() {
			c, err := frame.Column(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			out := *c
			change(&out)
			if out.Name != "" {
				columns = append(columns, out)
			}
		}
		f, err := data.NewFrame(columns...)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, c := range []struct {
		change func(*data.Column)
		class  error
		column string
		row    int
	}{
		{func(c *data.Column) {
			if c.Name == "kind" {
				c.Name = ""
			}
		}, data.ErrNoColumn, "kind", 0},
		{func(c *data.Column) {
			if c.Name == "when" {
				c.Number = append([]float64(nil), c.Number...)
				c.Number[7] = math.Inf(1)
			}
		}, nil, "when", 8},
		{func(c *data.Column) {
			if c.Name == "when" {
				c.Null = make([]bool, c.Len())
				c.Null[3], c.Number, c.Kind = true, append([]float64(nil), c.Number...), data.Numeric
			}
		}, nil, "", 0}, // there is a fill
		{func(c *data.Column) {
			if c.Name == "size" {
				text, err := data.ColumnOf("size", strings.Split(strings.Repeat("large,", c.Len()-1)+"small", ","))
				if err != nil {
					t.Fatal(err)
				}
				*c = text
			}
		}, nil, "size", 1},
	} {
		err := s.ScoreTo(t.Context(), dst, table(c.change))
		var e *data.Error
		switch {
		case c.column == "" && err == nil:
		case !errors.As(err, &e) || e.Column != c.column || e.Row != c.row:
			t.Errorf("%v: wanted column %q, row %d", err, c.column, c.row)
		case c.class != nil && !errors.Is(err, c.class):
			t.Errorf("%v is not %v", err, c.class)
		}
	}
}

// productFormula has a function of every kind and products of two columns.
func productFormula(task data.Task) *train.Formula {
	fill := 2.5
	return &train.Formula{
		Target:   data.Target{Name: "y", Task: task, Positive: "yes", Negative: "no", Shift: 3, Scale: 2},
		Constant: -0.75,
		Terms: []train.Term{
			{Column: "income", Kind: data.Numeric, Stored: data.Numeric, Scale: 1, Fill: &fill},
			{Column: "age", Kind: data.Numeric, Stored: data.Numeric, Weight: 0.3, Shift: 40, Scale: 12},
			{Column: "site", Kind: data.Categorical, Stored: data.Categorical, Levels: []string{"a", "b", "c"}, Weights: []float64{0.1, -0.2, 0.4}, Null: true, Missing: 0.7},
		},
		Products: []train.Product{
			{Factors: []train.Factor{{Term: 0, Function: data.Function{Name: "log"}}}, Weight: 0.9, Shift: 0.5, Scale: 1.5},
			{Factors: []train.Factor{{Term: 0, Function: data.Function{Name: "log1p"}}}, Weight: -0.2, Shift: 1, Scale: 3},
			{Factors: []train.Factor{{Term: 1, Function: data.Function{Name: "square"}}}, Weight: 0.11, Shift: 1600, Scale: 700},
			{Factors: []train.Factor{{Term: 1, Function: data.Function{
				Name: "piecewise", Knots: []float64{20, 40, 70}, Pieces: [][4]float64{{1, 0.1, 0, -1e-4}, {2.2, -0.02, -6e-3, 1e-4}},
				Below: [2]float64{1, 0.1}, Above: [2]float64{-1.1, -0.11}}}}, Weight: 0.6, Shift: 0.2, Scale: 0.8},
			{Factors: []train.Factor{{Term: 0}, {Term: 1}}, Weight: 0.05, Shift: 90, Scale: 60},
			{Factors: []train.Factor{{Term: 2, Level: 1}, {Term: 1}}, Weight: 0.4, Shift: 0, Scale: 10},
			{Factors: []train.Factor{{Term: 2, Level: 3}, {Term: 0, Function: data.Function{Name: "log"}}}, Weight: -0.35, Shift: 0, Scale: 1},
		},
	}
}

// Functions and products of columns, against the arithmetic written out.
func TestProducts(t *testing.T) {
	s := train.NewScorer(productFormula(data.Regression))
	sites := []any{"a", "b", "c", nil, "other"}
	var rows [][]any
	var want []float64
	for i, age := range []float64{10, 20, 33, 40, 55, 70, 90} {
		income, site := []float64{0.1, 1, 2.5, 40}[i%4], sites[i%len(sites)]
		given := any(income)
		if income == 2.5 {
			given = nil
		}
		spline := 1 + 0.1*(age-20)
		switch u := age - 20; {
		case age >= 70:
			spline = -1.1 - 0.11*(age-70)
		case age >= 40:
			u = age - 40
			spline = 2.2 - 0.02*u - 6e-3*u*u + 1e-4*u*u*u
		case age >= 20:
			spline = 1 + 0.1*u - 1e-4*u*u*u
		}
		m := -0.75 + 0.3*(age-40)/12
		m += map[any]float64{"a": 0.1, "b": -0.2, "c": 0.4, nil: 0.7}[site]
		m += 0.9*(math.Log(income)-0.5)/1.5 - 0.2*(math.Log(1+income)-1)/3 + 0.11*(age*age-1600)/700
		m += 0.6*(spline-0.2)/0.8 + 0.05*(income*age-90)/60
		switch site {
		case "b":
			m += 0.4 * age / 10
		case nil:
			m -= 0.35 * math.Log(income)
		}
		rows, want = append(rows, []any{given, age, site}), append(want, 3+2*m)
	}
	var income []*float64
	var age []float64
	var site []*string
	for i, row := range rows {
		got, err := s.Values(row...)
		if err != nil || !(math.Abs(got-want[i]) <= closedForm*max(1, math.Abs(want[i]))) {
			t.Errorf("%v: %v, wanted %v (%v)", row, got, want[i], err)
		}
		a, _ := row[0].(float64)
		b, _ := row[2].(string)
		income, age, site = append(income, &a), append(age, row[1].(float64)), append(site, &b)
		if row[0] == nil {
			income[i] = nil
		}
		if row[2] == nil {
			site[i] = nil
		}
	}
	frame := frameOf(t, columnOf(t, "income", income), columnOf(t, "age", age), columnOf(t, "site", site))
	got := make([]float64, len(rows))
	if err := s.ScoreTo(t.Context(), got, frame); err != nil {
		t.Fatal(err)
	}
	for i, row := range rows {
		if v, err := s.Values(row...); err != nil || v != got[i] {
			t.Errorf("%v: %v in a batch, %v alone (%v)", row, got[i], v, err)
		}
	}
	if v, err := s.Values(-1.0, 30, "a"); v != 0 || err == nil || !strings.Contains(err.Error(), "income") {
		t.Errorf("the logarithm of a negative number: %v", err)
	}
	row := []any{1.0, 30, "a"}
	if n := testing.AllocsPerRun(100, func() { _, _ = s.Values(row...) }); n != 0 {
		t.Errorf("a row with products allocates %v times", n)
	}
}

func columnOf[T any](t *testing.T, name string, values []T) data.Column {
	t.Helper()
	c, err := data.ColumnOf(name, values)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func frameOf(t *testing.T, columns ...data.Column) *data.Frame {
	t.Helper()
	f, err := data.NewFrame(columns...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// What a batch allocates does not grow with its rows.
func TestScoreToAllocatesNothingARow(t *testing.T) {
	s := train.NewScorer(productFormula(data.Binary))
	allocations := func(n int) float64 {
		number, site := make([]float64, n), make([]string, n)
		for i := range number {
			number[i], site[i] = float64(1+i%50), []string{"a", "b", "other"}[i%3]
		}
		frame := frameOf(t, columnOf(t, "income", number), columnOf(t, "age", number), columnOf(t, "site", site))
		dst := make([]float64, n)
		return testing.AllocsPerRun(10, func() {
			if err := s.ScoreTo(context.Background(), dst, frame); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := allocations(10), allocations(10_000); many > few {
		t.Errorf("%v allocations for 10 rows, %v for 10 000", few, many)
	}
}

// Texts that the reading of a table gave other names score as the names do, where the
// table comes as it is.
func TestScorerOfRelabelledTexts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "raw.csv")
	var b strings.Builder
	b.WriteString("y,site,x\n")
	for i := range 60 {
		fmt.Fprintf(&b, "%v,%s,%d\n", float64(i%7)+0.3*float64(i%4), []string{"N", "north", "south", "S.", "west"}[i%5], i%9)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	cfg := train.DefaultConfig()
	cfg.Data, cfg.Target, cfg.Nu, cfg.Holdout, cfg.NoBaseline = path, "y", level.At(1), 0, true
	cfg.Reading.Relabel, cfg.Interact = map[string]string{"N": "north", "S.": "south", "west": "east"}, []string{"site:x"}
	m := fit(t, cfg)
	named, err := train.OpenAs(t.Context(), path, cfg.Reading)
	if err != nil {
		t.Fatal(err)
	}
	want, err := m.Predict(t.Context(), named)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := train.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.Scorer()
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float64, raw.Rows)
	if err := s.ScoreTo(t.Context(), got, raw); err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if !(math.Abs(got[i]-want.Score[i]) <= closedForm*max(1, math.Abs(want.Score[i]))) {
			t.Fatalf("row %d: %v of the texts as they are, %v of their names", i, got[i], want.Score[i])
		}
	}
	// "east" is a name that no text of the table has: as a text it is a level too.
	if v, err := s.Values("east", 1.0); err != nil || v == 0 {
		t.Error(v, err)
	}
}
