package train

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/score"
)

// messy writes a table with columns of every kind, some with nulls: numbers, numbers as categories, text with two,
// many and missing levels, and bools.
func messy(t testing.TB) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("y,size,floors,kind,side,known,when\n")
	kinds := []string{"flat", "house", "it's", "", "a\"b"}
	for i := range 60 {
		size := fmt.Sprint(1e6 + float64(i*i%17)/3)
		if i%11 == 3 {
			size = ""
		}
		fmt.Fprintf(&b, "%v,%s,%v,%q,%s,%v,%d\n", float64(i%7)+0.1*float64(i%5), size, []string{"1", "2", "2.5", "-4"}[i%4],
			strings.ReplaceAll(kinds[i%5], `"`, `'`), []string{"left", "right"}[i%2], i%3 == 0, 1990+i%9)
	}
	path := filepath.Join(t.TempDir(), "messy.csv")
	put(t, path, b.String())
	return path
}

func messyModel(t testing.TB) (*Model, *data.Frame) {
	cfg := keepingRows()
	cfg.Data, cfg.Target, cfg.Impute, cfg.Categorical = messy(t), "y", "median", []string{"floors"}
	cfg.Penalty, cfg.Nu, cfg.Holdout = "chi2", level.At(1), 0
	m := fit(t, cfg)
	frame := openTable(t, cfg.Data)
	return m, frame
}

// A Scorer gives the same score as Predict for a row, in every form of the row.
func TestScorer_AgreesWithPredict(t *testing.T) {
	check := func(m *Model, frame *data.Frame) {
		t.Helper()
		want := predict(t, m, frame)
		s := scorer(t, m)
		row, named := make([]any, len(s.Inputs())), map[string]any{"ignored": struct{}{}}
		for i, r := range want.Rows {
			if i > 500 {
				break
			}
			for k, name := range s.Inputs() {
				c, err := frame.Column(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}
				switch {
				case c.IsNull(r):
					row[k] = nil
				case c.Kind == data.Categorical:
					row[k] = c.Text(r)
				case c.Kind == data.Bool:
					row[k] = []any{c.Number[r] != 0, int8(c.Number[r]), strings.ToUpper(c.Text(r))}[i%3]
				default:
					row[k] = []any{c.Number[r], &c.Number[r], json.Number(fmt.Sprint(c.Number[r]))}[i%3]
				}
				named[name] = row[k]
			}
			a, err := s.Values(row...)
			if err != nil {
				t.Fatal(err)
			}
			b, err := s.Map(named)
			if err != nil || a != b {
				t.Fatalf("row %d: %v by position, %v by name (%v)", r, a, b, err)
			}
			if !(math.Abs(a-want.Score[i]) <= closedForm*max(1, math.Abs(want.Score[i]))) {
				t.Fatalf("row %d: scored %v, predicted %v", r, a, want.Score[i])
			}
		}
	}
	check(messyModel(t))
	for _, name := range []string{"hmda", "cps1988"} {
		cfg := builtin(t, name)
		frame := openTable(t, cfg.Data)
		check(fit(t, cfg), frame)
	}
}

// A level unseen in training contributes nothing and is not an error. Values that training would not accept are
// errors that name the column.
func TestScorer_Refuses(t *testing.T) {
	m, _ := messyModel(t)
	s := scorer(t, m)
	row := map[string]any{"size": 1e6, "floors": 2, "kind": "flat", "side": "left", "known": true, "when": 1990}
	with := func(column string, v any) map[string]any {
		out := map[string]any{column: v}
		for k, v := range row {
			if k != column {
				out[k] = v
			}
		}
		return out
	}
	// Of levels beyond two, each has its own column: two that are unseen agree.
	a, errA := s.Map(with("kind", "castle"))
	b, errB := s.Map(with("kind", "7.5"))
	if errA != nil || errB != nil || a != b {
		t.Errorf("unseen levels: %v, %v (%v, %v)", a, b, errA, errB)
	}
	if v, err := s.Map(with("size", nil)); err != nil || math.IsNaN(v) {
		t.Errorf("a null with a fill: %v, %v", v, err)
	}
	for column, v := range map[string]any{"size": "large", "when": math.Inf(1), "floors": math.NaN(), "kind": 7.5} {
		if _, err := s.Map(with(column, v)); err == nil || !strings.Contains(err.Error(), column) {
			t.Errorf("%s = %v: %v", column, v, err)
		}
	}
	short := with("size", 1.0)
	delete(short, "kind")
	if _, err := s.Map(short); err == nil || !strings.Contains(err.Error(), "kind") {
		t.Errorf("a column left out: %v", err)
	}
	if _, err := s.Values(1, 2); err == nil {
		t.Error("a row of two values was scored")
	}
	if _, err := new(Model).Scorer(); err == nil {
		t.Error("an empty model has a scorer")
	}
	if _, err := score.Of[struct{ Size float64 }](s); err == nil || !strings.Contains(err.Error(), "floors") {
		t.Errorf("a struct without the columns: %v", err)
	}
}

type house struct {
	Size   *float64 `drotrain:"size"`
	Floors float32  `drotrain:"floors"`
	Kind   string   `drotrain:"kind"`
	Side   string   `drotrain:"side"`
	Known  bool     `drotrain:"known"`
	When   int      `drotrain:"when"`
}

func TestScorer_OfStructs(t *testing.T) {
	m, _ := messyModel(t)
	plain := scorer(t, m)
	s, err := score.Of[house](plain)
	if err != nil {
		t.Fatal(err)
	}
	size := 1e6 + 2
	for _, h := range []house{{&size, 2.5, "flat", "right", true, 1991}, {nil, 1, "none", "left", false, 2001}} {
		a, err := s.Score(&h)
		if err != nil {
			t.Fatal(err)
		}
		b, err := plain.Map(map[string]any{"size": h.Size, "floors": h.Floors, "kind": h.Kind, "side": h.Side,
			"known": h.Known, "when": h.When})
		if err != nil || a != b {
			t.Errorf("%+v: %v as a struct, %v as a map (%v)", h, a, b, err)
		}
	}
}

func TestScorer_AllocatesNothing(t *testing.T) {
	m, _ := messyModel(t)
	s := scorer(t, m)
	of, err := score.Of[house](s)
	if err != nil {
		t.Fatal(err)
	}
	size := 1e6
	row := []any{size, 2.5, "flat", "left", true, 1990}
	named := map[string]any{"size": &size, "floors": 1, "kind": nil, "side": "right", "known": false, "when": 1990.0}
	h := house{nil, 1, "flat", "left", true, 1990}
	for name, f := range map[string]func() (float64, error){
		"Values": func() (float64, error) { return s.Values(row...) },
		"Map":    func() (float64, error) { return s.Map(named) },
		"Score":  func() (float64, error) { return of.Score(&h) },
	} {
		if _, err := f(); err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(100, func() { _, _ = f() }); n != 0 {
			t.Errorf("%s allocates %v times a row", name, n)
		}
	}
}
