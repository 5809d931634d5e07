package report

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
)

// trainedOn trains on a table at a level.
func trainedOn(t *testing.T, f *data.Frame, change func(*train.Config)) *train.Model {
	t.Helper()
	cfg := train.DefaultConfig()
	cfg.KeepRows = true
	cfg.Target, cfg.Groups, cfg.Drop, cfg.Nu, cfg.Impute, cfg.Gap =
		"y", []string{"g"}, []string{"w"}, level.At(1), "mean", 1e-4
	if change != nil {
		change(&cfg)
	}
	m := must(train.FitFrame(t.Context(), f, cfg))
	return m
}

// Errors state why rows cannot be evaluated: the rows themselves, their weights or groups, the directory for results,
// the comparison, or a cancelled context.
func TestReport_Errors(t *testing.T) {
	f := tableOf(t, 240)
	m := trainedOn(t, f, nil)
	quick := func(change func(*Options)) Options {
		o := DefaultOptions()
		o.Resamples = 0
		if change != nil {
			change(&o)
		}
		return o
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	missing := *f.Columns[4]
	missing.Null = make([]bool, f.Rows)
	missing.Null[17] = true
	none := *f.Columns[4]
	none.Number = slices.Clone(none.Number)
	none.Number[3] = 0
	with := func(w data.Column) *data.Frame {
		t.Helper()
		g := must(data.NewFrame(*f.Columns[0], *f.Columns[1], *f.Columns[2], *f.Columns[3], w))
		return g
	}
	dropped := trainedOn(t, f, func(c *train.Config) { c.Impute = "drop" })
	alone := must(data.NewFrame(*f.Columns[0], *f.Columns[1]))
	other := trainedOn(t, f, func(c *train.Config) { c.Positive = "0" })
	measure := func(o Options) error { _, err := Measure(t.Context(), m, o); return err }
	table := func(f *data.Frame, o Options) error { _, err := MeasureTable(t.Context(), m, f, o); return err }
	compare := func(ctx context.Context, f *data.Frame, models ...Named) error {
		_, err := Compare(ctx, models, f, quick(nil))
		return err
	}
	cross := trainedOn(t, f, func(c *train.Config) { c.Evaluate, c.Holdout = train.EvaluateCrossfit, 0 })
	for want, err := range map[string]error{
		"no column \"nowhere\"":       measure(quick(func(o *Options) { o.Groups = []string{"nowhere"} })),
		"no column \"no weight\"":     measure(quick(func(o *Options) { o.Weight = "no weight" })),
		"a weight must be a number":   measure(quick(func(o *Options) { o.Weight = "g" })),
		"a weight is missing":         table(with(missing), quick(func(o *Options) { o.Weight = "w" })),
		"it must be a number above 0": table(with(none), quick(func(o *Options) { o.Weight = "w" })),
		`no row satisfies the filter "a > 1e9"; the table has 240 rows`: table(f,
			quick(func(o *Options) { o.Filter = "a > 1e9" })),
		"the target of the model": table(alone, quick(nil)),
		"no column \"nobody\"":    table(f, quick(func(o *Options) { o.Groups = []string{"nobody"} })),
		"evaluating rows stored on disk needs at least": table(f,
			quick(func(o *Options) { o.Memory, o.Cache = 1, t.TempDir() })),
		"their positive classes are \"1\" and \"0\"": compare(t.Context(), f, Named{"a", m}, Named{"b", other}),
		"b leaves out rows that a keeps":             compare(t.Context(), f, Named{"a", m}, Named{"b", dropped}),
		"cross-fitted evaluation: training without fold 1": func() error {
			_, err := Measure(cancelled, cross, quick(nil))
			return err
		}(),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %q", err, want)
		}
	}
	for name, err := range map[string]error{
		"measure": func() error { _, err := Measure(cancelled, m, quick(nil)); return err }(),
		"a table": func() error { _, err := MeasureTable(cancelled, m, f, quick(nil)); return err }(),
		"compare": compare(cancelled, f, Named{"a", m}, Named{"b", trainedOn(t, f, nil)}),
		"groups": func() error {
			_, err := Measure(cancelled, m, quick(func(o *Options) { o.Groups = []string{"g"} }))
			return err
		}(),
		"audit": func() error {
			_, err := Audit(cancelled, f, AuditOptions{Options: quick(nil), Label: "y",
				Scores: []Score{{Name: "it", Column: "w"}}, Task: eval.Regression})
			return err
		}(),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s, given up: %v", name, err)
		}
	}
}

// Hold-out rows that a program lists in any order are compared in the order of the table.
func TestCompare_TableOrder(t *testing.T) {
	f := tableOf(t, 240)
	rows := &train.RowSet{Holdout: []int{239, 3, 77, 12, 150, 31, 8, 201, 55, 90}}
	for i := range 240 {
		if !slices.Contains(rows.Holdout, i) {
			rows.Train = append(rows.Train, i)
		}
	}
	given := func(c *train.Config) { c.Rows = rows }
	a, b := trainedOn(t, f, given), trainedOn(t, f, func(c *train.Config) { given(c); c.Nu = level.At(0.1) })
	o := DefaultOptions()
	o.Resamples = 0
	x := must(Compare(t.Context(), []Named{{"a", a}, {"b", b}}, nil, o))
	want := slices.Sorted(slices.Values(rows.Holdout))
	p, err := a.PredictDataset(a.Run.Holdout, a.ScoringCoefficients())
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range want {
		k := slices.Index(p.Rows, row)
		if !(math.Abs(x.Input.Models[0].Score[i]-p.Score[k]) <= 1e-12) || x.Input.Target[i] != p.Dataset.Target[k] {
			t.Errorf("row %d: a score of %v, alone %v", row, x.Input.Models[0].Score[i], p.Score[k])
		}
	}
}

// The report states how the level and μ were set or chosen.
func TestSelectionText_Sources(t *testing.T) {
	m := &train.Model{}
	m.Result.N = 4
	const given = "The robustness was not chosen by comparing candidates. All models have μ = "
	for mu, want := range map[float64]string{0.25: given + "0.25 (1/n, the default).", 0.3: given + "0.3."} {
		m.Config.Mu = &mu
		if said := selectionText(m); said != want {
			t.Errorf("%q, want %q", said, want)
		}
	}
	s := &tune.Selection{Folds: 5, Candidates: make([]tune.Candidate, 7), Reason: "because", Chosen: 1}
	m.Result.Selection = s
	for k := range s.Candidates {
		s.Candidates[k].Mu, s.Candidates[k].Family = 0.25, "balanced"
	}
	s.Candidates[0].Family = "erm"
	if said := selectionText(m); !strings.HasPrefix(said, "The robustness was chosen by 5-fold cross-validation") {
		t.Errorf("one μ: %q", said)
	}
	s.Candidates[1].Mu = 2.5
	if said := selectionText(m); !strings.HasPrefix(said, "The robustness and μ were chosen by 5-fold") ||
		!strings.Contains(said, "7 candidates (see Models). ERM, with which the candidates were compared, has μ = 0.25.") {
		t.Errorf("%q", said)
	}
	for want, c := range map[string]train.Config{
		"nats":                          {Loss: "logistic"},
		"(units of log pay)²":           {Loss: "squared", Target: "pay", TargetTransform: "log"},
		"(standard deviations of pay)²": {Loss: "huber", Target: "pay", ScaleTarget: true},
	} {
		if is := LossUnit(c); is != want {
			t.Errorf("losses are in %q, not %q", is, want)
		}
	}
}

// The rows with the largest weights have their numbers in the table, as in the weights of all training rows.
func TestReport_HeaviestRows(t *testing.T) {
	m := trainedOn(t, tableOf(t, 240), nil)
	x := must(Measure(t.Context(), m, DefaultOptions()))
	r, weights := must(x.Report()), must(m.AdversaryWeights())
	byRow := map[float64]float64{}
	for k, row := range weights[0].Number {
		byRow[row] = weights[1].Number[k]
	}
	if r.Adversary == nil || len(r.Adversary.Top) == 0 {
		t.Fatalf("%+v", r.Adversary)
	}
	for _, top := range r.Adversary.Top {
		if want := byRow[float64(top.Row)]; !(math.Abs(float64(top.Weight)-want) <= 1e-9*want) {
			t.Errorf("row %d has the weight %v, want %v", top.Row, top.Weight, want)
		}
	}
}

// mixedColumns returns a column y of n zeros, followed by d columns x0, x1, … of nearly uniform numbers.
func mixedColumns(n, d int) []data.Column {
	columns := []data.Column{{Name: "y", Kind: data.Numeric, Type: "double", Number: make([]float64, n)}}
	for k := range d {
		c := data.Column{Name: fmt.Sprint("x", k), Kind: data.Numeric, Type: "double", Number: make([]float64, n)}
		for i := range n {
			c.Number[i] = math.Mod(float64((i+1)*(7919+104729*k)), 997) / 997
		}
		columns = append(columns, c)
	}
	return columns
}

// Products of columns are not columns of the table: they do not count among the columns to search.
func TestReport_ManyProducts(t *testing.T) {
	const n, d = 300, 13 // 78 products
	columns := mixedColumns(n, d)
	var pairs []string
	for k := range d {
		for j := range k {
			pairs = append(pairs, fmt.Sprintf("x%d:x%d", j, k))
		}
	}
	copy(columns[0].Number, columns[d].Number)
	f := must(data.NewFrame(columns...))
	m := trainedOn(t, f, func(c *train.Config) { c.Groups, c.Drop, c.Interact = nil, nil, pairs })
	x := must(Measure(t.Context(), m, DefaultOptions()))
	if len(m.Encoder.Inputs) <= maxColumns || len(x.Input.Columns) != d {
		t.Errorf("%d inputs, %d columns searched; want all %d columns", len(m.Encoder.Inputs), len(x.Input.Columns), d)
	}
	if s := x.Evaluation.Slices; s == nil || strings.Contains(s.Method, "columns, the") {
		t.Errorf("%+v", s)
	}
}

// If there are many columns, the report searches those along which the loss varies most, and states the total number.
func TestReport_ManyColumns(t *testing.T) {
	const n, d = 300, maxColumns + 6
	columns := mixedColumns(n, d)
	for i := range n {
		// noise that grows along the last
		columns[0].Number[i] = columns[1].Number[i] + 3*columns[d].Number[i]*math.Sin(float64(i))
	}
	f := must(data.NewFrame(columns...))
	m := trainedOn(t, f, func(c *train.Config) { c.Groups, c.Drop = nil, nil })
	x := must(Measure(t.Context(), m, DefaultOptions()))
	if first := x.Input.Columns[0].Name; len(x.Input.Columns) != maxColumns || first != fmt.Sprint("x", d-1) {
		t.Errorf("%d columns, first %s", len(x.Input.Columns), first)
	}
	if s := x.Evaluation.Slices; s == nil || !strings.Contains(s.Method,
		"Of 70 columns, the 64 along which the loss varies most") {
		t.Errorf("%+v", s)
	}
}
