package train

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
)

// transformed returns a table whose target is a product of powers, a curve with a bend, and a step.
func transformed(t *testing.T) *data.Frame {
	t.Helper()
	var b strings.Builder
	b.WriteString("y,a,b,c,g,flag\n")
	for i := range 300 {
		a, x := 1+float64(i*37%100)/7, float64(i*53%101)/10-3
		gap := fmt.Sprint(x)
		if i%41 == 7 {
			gap = ""
		}
		level := []string{"u", "v", "w"}[i*7%3]
		y := math.Exp(0.3*math.Log(a)+math.Sin(x)/2+0.1*float64(i*7%3)) * (1 + 0.05*float64(i*29%11-5))
		fmt.Fprintf(&b, "%v,%v,%s,%d,%s,%v\n", y, a, gap, i%13, level, i%2 == 0)
	}
	f := readCSV(t, "t.csv", b.String())
	return f
}

// With derived columns and a target whose logarithm is fitted, predictions follow the formula row by row, also after
// saving and loading. Nulls are filled before functions are applied, with the means of the training rows.
func TestTransforms_AgreeWithFormula(t *testing.T) {
	f := transformed(t)
	cfg := keepingRows()
	cfg.Target, cfg.Impute, cfg.Average, cfg.Holdout = "y", "median", "plain", 0
	cfg.TargetTransform = "log"
	cfg.Log, cfg.Square, cfg.Spline = []string{"a"}, []string{"c"}, []string{"b:5"}
	cfg.Interact = []string{"b:g", "g:flag", "b:c"}
	m := fitFrame(t, f, cfg)
	names := strings.Join(m.Encoder.Names(), " ")
	for _, want := range []string{"log(a)", "square(c)", "spline(b).1", "spline(b).4", "b:g=u", "b:g=w", "g=v:flag=true",
		"b:c"} {
		if !strings.Contains(" "+names+" ", " "+want+" ") {
			t.Errorf("no column %s in %s", want, names)
		}
	}
	if strings.Contains(" "+names+" ", " a ") || strings.Contains(names, "spline(b).5") {
		t.Errorf("columns %s", names)
	}
	var text strings.Builder
	if _, err := m.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	again := readModel(t, strings.NewReader(text.String()))
	p := predict(t, again, f)
	scorer := scorer(t, again)
	ratio := 0.0
	for i := range f.Rows {
		row := map[string]any{}
		for _, c := range f.Columns {
			switch {
			case c.IsNull(i):
				row[c.Name] = nil
			case c.Kind == data.Numeric:
				row[c.Name] = c.Number[i]
			case c.Kind == data.Bool:
				row[c.Name] = c.Number[i] != 0
			default:
				row[c.Name] = c.Text(i)
			}
		}
		one, err := scorer.Map(row)
		if err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(one-p.Score[i]) <= 1e-12*math.Abs(one)) {
			t.Fatalf("row %d: %v by the scorer, %v by the table", i+1, one, p.Score[i])
		}
		ratio += row["y"].(float64) / one / float64(f.Rows)
	}
	if !(math.Abs(ratio-1) <= 1e-9) || again.Encoder.Target.Smear <= 1 {
		t.Errorf("targets are %v of their predictions on average, with the factor %v", ratio, again.Encoder.Target.Smear)
	}
	for name, change := range map[string]func(*Config){
		"no column \"q\"":              func(c *Config) { c.Square = []string{"q"} },
		"needs a numeric feature":      func(c *Config) { c.Log = []string{"g"} },
		"value of log(b) is undefined": func(c *Config) { c.Log, c.Spline = []string{"b"}, nil },
		"column:knots":                 func(c *Config) { c.Spline = []string{"b:x"} },
		"3 to 20":                      func(c *Config) { c.Spline = []string{"b:2"} },
		"column:column":                func(c *Config) { c.Interact = []string{"b"} },
		"without a colon":              func(c *Config) { c.Interact = []string{"a:b:c"} },
		"Config.Spline: column \"b\" is listed twice":    func(c *Config) { c.Spline = []string{"b:4", "b:5"} },
		"Config.Reference: column \"g\" is listed twice": func(c *Config) { c.Reference = []string{"g=u", "g=v"} },
		"two different columns":                          func(c *Config) { c.Interact = []string{"b:b"} },
		"for which log":                                  func(c *Config) { c.Target = "b" },
	} {
		bad := cfg
		change(&bad)
		if bad.Target == "b" {
			bad.Spline, bad.Interact = nil, nil
			bad.Filter = "b is not null"
		}
		if _, err := FitFrame(t.Context(), f, bad); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The weighted mean of the targets divided by their predictions is 1 on the training rows, whose unweighted mean
// differs from 1.
func TestSmearing_WeightedRows(t *testing.T) {
	f := transformed(t)
	cfg := keepingRows()
	cfg.Target, cfg.Features, cfg.Average, cfg.Holdout = "y", []string{"a"}, "plain", 0
	cfg.TargetTransform, cfg.Weight = "log", "c"
	cfg.Filter = "c > 0"
	m := fitFrame(t, f, cfg)
	p := predict(t, m, f)
	column := func(name string) []float64 {
		return f.Columns[slices.IndexFunc(f.Columns, func(c *data.Column) bool { return c.Name == name })].Number
	}
	y, weight := column("y"), column("c")
	weighted, total, mean, n := 0.0, 0.0, 0.0, 0.0
	for i, w := range weight {
		if w > 0 {
			ratio := y[i] / p.Score[i]
			weighted, total, mean, n = weighted+w*ratio, total+w, mean+ratio, n+1
		}
	}
	if !(math.Abs(weighted/total-1) <= 1e-9) {
		t.Errorf("the weighted mean is %v", weighted/total)
	}
	if math.Abs(mean/n-1) <= 1e-4 {
		t.Errorf("the unweighted mean is %v too", mean/n)
	}
}

// A null in a column that had none in training is filled before functions are applied, in tables and in single rows:
// log(a) and products with a are those of the median of a.
func TestTransforms_LaterNulls(t *testing.T) {
	f := transformed(t)
	cfg := keepingRows()
	cfg.Target, cfg.Impute, cfg.Average, cfg.Holdout = "y", "median", "plain", 0
	cfg.Features = []string{"a", "c", "g"}
	cfg.Log, cfg.Square, cfg.Interact = []string{"a"}, []string{"c"}, []string{"a:c"}
	m := fitFrame(t, f, cfg)
	var a []float64
	for _, c := range f.Columns {
		if c.Name == "a" {
			a = slices.Sorted(slices.Values(c.Number))
		}
	}
	median := (a[len(a)/2-1] + a[len(a)/2]) / 2
	later := readCSV(t, "later.csv", fmt.Sprintf("a,c,g\n%v,3,u\n,3,u\n2,5,v\n", median))
	p := predict(t, m, later)
	if p.Score[0] != p.Score[1] || p.Score[0] == p.Score[2] {
		t.Errorf("scores %v: a null is not the median %v", p.Score, median)
	}
	scorer := scorer(t, m)
	one, err := scorer.Map(map[string]any{"a": nil, "c": 3, "g": "u"})
	if err != nil || !(math.Abs(one-p.Score[1]) <= 1e-12*math.Abs(one)) {
		t.Errorf("%v by the scorer, %v by the table: %v", one, p.Score[1], err)
	}
}

// A row whose prediction is not finite is an error that names the row, as it is for a Scorer.
func TestPredict_NotFinite(t *testing.T) {
	cfg := keepingRows()
	cfg.Target, cfg.Average, cfg.Holdout, cfg.TargetTransform, cfg.Features = "y", "plain", 0, "log", []string{"x"}
	var b strings.Builder
	b.WriteString("x,y\n")
	for i := range 50 {
		fmt.Fprintf(&b, "%d,%v\n", i, math.Exp(0.1*float64(i)+0.01*float64(i*i%7)))
	}
	f := readCSV(t, "t.csv", b.String())
	m := fitFrame(t, f, cfg)
	far := readCSV(t, "far.csv", "x\n1\n1e6\n")
	var at *data.Error
	if _, err := m.Predict(t.Context(), far); !errors.As(err, &at) || at.Row != 2 || at.Path != "far.csv" {
		t.Errorf("Predict: %v", err)
	}
	if _, err := m.PredictBlocks(t.Context(), far, BlockOptions{},
		func([]data.Column) error { return nil }); !errors.As(err, &at) || at.Row != 2 {
		t.Errorf("PredictBlocks: %v", err)
	}
}
