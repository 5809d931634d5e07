package report_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/goldentest"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/report"
)

const recordedHead = `# What is trained on small tables by settings of all kinds, and what the report says of it: what a
# change of a constant, of a boundary or of the order of steps moves, though every promise still
# holds. Nothing here is right or wrong by itself. Whoever changes a training or a report renews it,
#
#	go test ./train/report -run Recorded -update
#
# and reads the diff. After a ~: sums of bits, and counts of work.
#
`

// recordedTable is a table of n rows: numbers a, b and c, of which c has gaps, categories k and g, a
// column h of two groups, weights w, and w0 and w9 that are none, days t, marks s of a split, and
// targets: numbers y, y2 that follow two laws, and z, two words.
func recordedTable(t *testing.T, n int) *data.Frame {
	t.Helper()
	rng := rand.New(rand.NewPCG(8, uint64(n)))
	number := func(name string) data.Column {
		return data.Column{Name: name, Kind: data.Numeric, Type: "double", Number: make([]float64, n)}
	}
	words := func(name string, level ...string) data.Column {
		return data.Column{Name: name, Kind: data.Categorical, Type: "string", Level: level, Code: make([]int32, n)}
	}
	a, b, c, w, day, y := number("a"), number("b"), number("c"), number("w"), number("t"), number("y")
	k, g, h, s, z := words("k", "low", "mid", "high", "rare"), words("g", "p", "q", "r"), words("h", "u", "v"), words("s", "train", "test"), words("z", "no", "yes")
	none, far, y2 := number("w0"), number("w9"), number("y2")
	c.Null = make([]bool, n)
	for i := range n {
		a.Number[i], b.Number[i], c.Number[i] = rng.NormFloat64(), rng.ExpFloat64(), 100+10*rng.NormFloat64()
		c.Null[i] = i%19 == 3
		k.Code[i], g.Code[i], h.Code[i] = rng.Int32N(3), max(0, rng.Int32N(6)-3), rng.Int32N(2)
		if i%29 == 7 {
			k.Code[i] = 3
		}
		if i%5 == 2 {
			s.Code[i] = 1
		}
		w.Number[i], day.Number[i] = float64(1+rng.IntN(3)), float64(i/3)
		none.Number[i], far.Number[i] = float64(i%7), 1e308
		if y2.Number[i] = a.Number[i] + 0.2*rng.NormFloat64(); i%6 == 0 {
			y2.Number[i] = 3*b.Number[i] - 2*a.Number[i]
		}
		m := a.Number[i] - 0.5*b.Number[i] + 0.1*(c.Number[i]-100) + 0.5*float64(k.Code[i])
		if g.Code[i] == 2 {
			m -= 2 * a.Number[i]
		}
		noise := 0.5 * rng.NormFloat64()
		if h.Code[i] == 1 {
			noise *= 3
		}
		if y.Number[i] = math.Exp((m + noise) / 4); rng.Float64() < 1/(1+math.Exp(1-m-noise)) {
			z.Code[i] = 1
		}
	}
	f, err := data.NewFrame(a, b, c, k, g, h, w, none, far, day, s, y, y2, z)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestRecordedTrainings compares with testdata/recorded.txt.
func TestRecordedTrainings(t *testing.T) {
	var out strings.Builder
	f := recordedTable(t, 160)
	var before *train.Model
	at := level.At
	for turn, c := range []struct {
		name string
		set  func(c *train.Config)
	}{
		{"classes, KL", func(c *train.Config) { c.Nu, c.Groups = at(0.3), []string{"g", "h"} }},
		{"numbers, χ², a start", func(c *train.Config) {
			c.Target, c.Drop, c.Penalty, c.Nu, c.Start = "y", []string{"z"}, "chi2", at(0.5), nil
		}},
		{"huber, a ball, log of the target", func(c *train.Config) {
			c.Target, c.Drop, c.Loss, c.TargetTransform, c.Ess = "y", []string{"z"}, "huber", "log", at(0.5)
		}},
		{"numbers, tail, no intercept", func(c *train.Config) {
			c.Target, c.Drop, c.Protect, c.Intercept, c.Groups, c.Features = "y", []string{"z"}, at(0.5), false, []string{"g"}, []string{"a", "b"}
		}},
		{"classes, a tail of most rows", func(c *train.Config) { c.Protect, c.Features, c.Groups = at(0.9), []string{"a", "c"}, []string{"g"} }},
		{"classes, recalibrated, weights", func(c *train.Config) { c.Nu, c.Recalibrate, c.Weight, c.Groups = at(0.2), true, "w", []string{"h"} }},
		{"groups, KL, equal", func(c *train.Config) {
			c.Nu, c.Adversary, c.Prior, c.Adjust, c.Groups = at(0.05), "groups", "equal", 0.3, []string{"g"}
		}},
		{"groups, the largest, numbers", func(c *train.Config) {
			c.Target, c.Drop, c.Nu, c.Adversary, c.Groups = "y", []string{"z"}, at(0), "groups", []string{"g"}
		}},
		{"groups of each column, a χ² ball", func(c *train.Config) {
			c.Radius, c.Adversary, c.Among, c.Penalty, c.Groups = at(0.1), "groups", "each", "chi2", []string{"g", "h"}
		}},
		{"groups, a KL ball, weights", func(c *train.Config) {
			c.Radius, c.Adversary, c.Weight, c.Groups = at(0.05), "groups", "w", []string{"g"}
		}},
		{"balanced, all rows, raw", func(c *train.Config) { c.Average, c.Holdout, c.Scale, c.Groups = "balanced", 0, "none", []string{"g"} }},
		{"plain, float32", func(c *train.Config) { c.Average, c.Storage, c.Mu = "plain", "float32", at(0.1) }},
		{"a confidence, sparse, made columns", func(c *train.Config) {
			c.Confidence, c.Storage, c.Square, c.Interact, c.Spline = at(0.9), "sparse", []string{"a"}, []string{"a:g"}, []string{"b:3"}
		}},
		{"protected at a penalty, by days", func(c *train.Config) { c.Nu, c.Time, c.Target, c.Drop = at(0.1), "t", "y", []string{"z"} }},
		{"by a split, μ = 0, few passes", func(c *train.Config) { c.Nu, c.Split, c.Mu, c.MaxPasses = at(0.5), "s", at(0), 3 }},
		{"by groups, newton-cg", func(c *train.Config) { c.Nu, c.GroupHoldout, c.Solver, c.Gap = at(0.4), "k", "newton-cg", 1e-9 }},
		{"separable, no baseline", func(c *train.Config) { c.Nu, c.Solver, c.NoBaseline = at(1), "separable", true }},
		{"stochastic", func(c *train.Config) { c.Nu, c.Solver, c.Gap = at(1), "stochastic", 1e-3 }},
		{"chosen among groups", func(c *train.Config) { c.Groups, c.Levels, c.MinGroupSize = []string{"g"}, 1, 8 }},
		{"chosen by the tail, numbers", func(c *train.Config) { c.Target, c.Drop, c.Select, c.Levels = "y", []string{"z"}, "tail", 2 }},
		{"cross-fitted, filtered", func(c *train.Config) {
			c.Evaluate, c.Holdout, c.Nu, c.Filter, c.Groups = "crossfit", 0, at(0.3), "b < 2", []string{"h"}
		}},
		{"cross-fitted choice, numbers", func(c *train.Config) {
			c.Evaluate, c.Holdout, c.Target, c.Drop, c.Select, c.Levels = "crossfit", 0, "y", []string{"z", "k"}, "average", 1
		}},
		{"all rows effective, raw, no intercept", func(c *train.Config) {
			c.Ess, c.Scale, c.Intercept, c.Features, c.Impute = at(1), "none", false, []string{"a", "b"}, "error"
		}},
		{"ν = 0, products of categories", func(c *train.Config) {
			c.Nu, c.Interact, c.Drop = at(0), []string{"k:g", "a:k"}, []string{"y", "c"}
		}},
		{"overlapping groups, the largest", func(c *train.Config) {
			c.Nu, c.Adversary, c.Among, c.Groups = at(0), "groups", "each", []string{"g", "h"}
		}},
		{"groups, χ², weights, adjusted", func(c *train.Config) {
			c.Nu, c.Adversary, c.Penalty, c.Adjust, c.Weight, c.Groups = at(0.1), "groups", "chi2", 0.2, "w", []string{"g"}
		}},
		{"groups, a χ² ball, equal", func(c *train.Config) {
			c.Radius, c.Adversary, c.Penalty, c.Prior, c.Groups, c.Target, c.Drop = at(0.02), "groups", "chi2", "equal", []string{"g"}, "y", []string{"z"}
		}},
		{"a χ² ball, weights, numbers", func(c *train.Config) {
			c.Radius, c.Penalty, c.Weight, c.Target, c.Drop = at(0.2), "chi2", "w", "y", []string{"z"}
		}},
		{"recalibrated, no intercept, folds", func(c *train.Config) {
			c.Nu, c.Recalibrate, c.Intercept, c.Folds = at(0.5), true, false, 4
		}},
		{"from a model without an intercept", func(c *train.Config) { c.Nu, c.MaxLevels, c.MinCount = at(0.6), 3, 9 }},
		{"references, few levels, log1p", func(c *train.Config) {
			c.Nu, c.Target, c.Drop, c.TargetTransform, c.Reference, c.Log = at(0.5), "y", []string{"z"}, "log1p", []string{"k=mid"}, []string{"c"}
		}},
		{"weights that are none", func(c *train.Config) { c.Nu, c.Weight = at(1), "w0" }},
		{"weights that overflow", func(c *train.Config) { c.Nu, c.Weight = at(1), "w9" }},
		{"weights that are words", func(c *train.Config) { c.Nu, c.Weight = at(1), "k" }},
		{"a number recalibrated", func(c *train.Config) { c.Nu, c.Target, c.Drop, c.Recalibrate = at(1), "y", []string{"z"}, true }},
		{"few rows to choose by", func(c *train.Config) { c.Holdout = 0.97 }},
		{"given rows, dropped rows", func(c *train.Config) {
			c.Rows, c.Impute, c.Nu = &train.RowSet{Train: []int{5, 3, 8, 10, 22, 30, 33, 41, 52, 60, 61, 77, 90, 100, 120, 121, 122, 130, 131}, Holdout: []int{1, 2, 4, 6}}, "drop", at(1)
		}},
	} {
		cfg := train.DefaultConfig()
		cfg.Target, cfg.Drop, cfg.Impute, cfg.Seed = "z", []string{"y"}, "mean", uint64(turn)
		c.set(&cfg)
		for _, name := range []string{"s", "t", "w", "w0", "w9", "y2"} {
			if name == cfg.Target {
				cfg.Drop = slices.DeleteFunc(cfg.Drop, func(d string) bool { return d == name })
			} else if name != cfg.Split && name != cfg.Time && name != cfg.Weight {
				cfg.Drop = append(cfg.Drop, name)
			}
		}
		if strings.Contains(c.name, "a start") || strings.Contains(c.name, "from a model") {
			cfg.Start = before
		}
		fmt.Fprintf(&out, "\n# %d: %s\n", turn, c.name)
		if m := recordTraining(t, &out, f, cfg); m != nil && turn > 0 {
			before = m
		}
	}
	recordOthers(t, &out, f)
	goldentest.Record(t, "testdata/recorded.txt", recordedHead, out.String(), 0.02)
}

// recordOthers writes reports on tables, of predictions, and of two models.
func recordOthers(t *testing.T, out *strings.Builder, f *data.Frame) {
	t.Helper()
	fit := func(target string, other string, nu float64) *train.Model {
		cfg := train.DefaultConfig()
		cfg.Target, cfg.Drop, cfg.Impute, cfg.Groups, cfg.Nu = target, []string{other, "s", "t", "w"}, "median", []string{"g"}, level.At(nu)
		m, err := train.FitFrame(t.Context(), f, cfg)
		if err != nil {
			t.Fatal(err)
		}
		m.Version, m.Result.Seconds = "recorded", 0
		for k := range m.Trace {
			m.Trace[k].Seconds = 0
		}
		return m
	}
	one, two, numbers := fit("z", "y", 1), fit("z", "y", 0.3), fit("y", "z", 0.5)
	o := options()
	o.MinGroupSize, o.Groups, o.Weight, o.Filter, o.ShowRows, o.AllGroups, o.Threshold, o.Tolerance = 5, []string{"g", "h"}, "w", "a > -1", true, true, 0.4, 0.2
	for _, m := range []*train.Model{one, numbers} {
		fmt.Fprintf(out, "\n# a table: %s\n", m.Config.Target)
		x, err := report.MeasureTable(t.Context(), m, f, o)
		if err != nil {
			t.Fatal(err)
		}
		recordReport(t, out, x)
	}
	out.WriteString("\n# two models\n")
	x, err := report.Compare(t.Context(), []report.Named{{Name: "one", Model: one}, {Name: "two", Model: two}}, f, o)
	if err != nil {
		t.Fatal(err)
	}
	recordReport(t, out, x)
	for _, m := range []*train.Model{two, numbers} {
		p, err := m.Predict(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		columns := []data.Column{{Name: "score", Kind: data.Numeric, Type: "double", Number: p.Score}}
		for _, c := range f.Columns {
			columns = append(columns, *c)
		}
		g, err := data.NewFrame(columns...)
		if err != nil {
			t.Fatal(err)
		}
		for _, penalty := range []string{"kl", "chi2"} {
			a := report.AuditOptions{Options: o, Name: "recorded", Label: m.Config.Target, Scores: []report.Score{{Name: "model", Column: "score"}}, Penalty: penalty, Drop: []string{"t"}}
			a.Filter = ""
			fmt.Fprintf(out, "\n# audit of %s, %s\n", m.Config.Target, penalty)
			x, err := report.Audit(t.Context(), g, a)
			if err != nil {
				t.Fatal(err)
			}
			recordReport(t, out, x)
		}
	}
}

// recordTraining writes a training, what it predicts, and the report; the model, if there is one.
func recordTraining(t *testing.T, out *strings.Builder, f *data.Frame, cfg train.Config) *train.Model {
	t.Helper()
	var phases []string
	events := 0
	cfg.Observe = func(p train.Progress) {
		if events++; !slices.Contains(phases, p.Phase) {
			phases = append(phases, p.Phase)
		}
	}
	m, err := train.FitFrame(t.Context(), f, cfg)
	if err != nil {
		fmt.Fprintf(out, "refused: %v\n", err)
		return nil
	}
	m.Version, m.Result.Seconds = "recorded", 0
	s := m.Result
	s.Selection, s.Groups = nil, nil
	work := []any{s.Passes, s.Certificate, len(m.Trace), events}
	s.Passes, s.Certificate = 0, train.SummaryCertificate{}
	fmt.Fprintf(out, "%s\n~ work %s, phases %v\n", goldentest.Values(s), goldentest.Values(work), phases)
	for k := range m.Trace {
		m.Trace[k].Seconds = 0
	}
	fmt.Fprintf(out, "~ trace %s, choice %s\n", bitsOf(m.Trace), bitsOf(m.Result.Selection))
	for _, g := range m.Result.Groups {
		fmt.Fprintf(out, "%s\n", goldentest.Values(g))
	}
	fmt.Fprintf(out, "%s\n~ %s\n", goldentest.Values(m.Explain()), bitsOf([]any{m.Coefficients, m.GroupWeighted, m.Tempered}))
	p, err := m.Predict(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	scorer, err := m.Scorer()
	if err != nil {
		t.Fatal(err)
	}
	scores := make([]float64, f.Rows)
	if err := scorer.ScoreTo(t.Context(), scores, f); err != nil {
		fmt.Fprintf(out, "no scores: %v\n", err)
	} else {
		for i, v := range scores {
			if math.Abs(v-p.Score[i]) > 1e-9*(1+math.Abs(v)) {
				t.Errorf("row %d scores %v, and is predicted as %v", i, v, p.Score[i])
				break
			}
		}
	}
	fmt.Fprintf(out, "predicted %s ~%s\n", goldentest.Values(p.Score[:6]), bitsOf([]any{p.Score, p.Loss}))
	o := options()
	o.MinGroupSize, o.Resamples = 5, 100
	x, err := report.Measure(t.Context(), m, o)
	if err != nil {
		fmt.Fprintf(out, "not measured: %v\n", err)
		return m
	}
	recordReport(t, out, x)
	if cfg.Evaluate != "crossfit" {
		o.Quick, o.Resamples = true, 0
		if x, err = report.Measure(t.Context(), m, o); err != nil {
			t.Fatal(err)
		}
		r, err := x.Report()
		if err != nil {
			t.Fatal(err)
		}
		r.Evaluation = nil
		fmt.Fprintf(out, "~ quick report %s\n", bitsOf(r))
	}
	return m
}

// recordReport writes what a report says, in full what is not of the evaluation.
func recordReport(t *testing.T, out *strings.Builder, x *report.Measured) {
	t.Helper()
	r, err := x.Report()
	if err != nil {
		t.Fatal(err)
	}
	in := x.Input
	fmt.Fprintf(out, "measured %s %s ~%s\n", in.Task, goldentest.Values([]any{in.LossName, in.LossUnit, in.TargetName, in.TargetUnit, in.Positive, in.TrainShare, in.Threshold, in.MinGroupSize, in.Confidence, in.Resamples, in.Seed, in.Split, in.Rate, in.Budget, in.Tolerance, in.Tempered, in.EffectiveRows, in.TrainingRows}),
		bitsOf([]any{in.Target, in.Models, in.Groups, in.Weight, in.RowID}))
	for _, c := range in.Columns {
		fmt.Fprintf(out, " %s", c.Name)
	}
	own := *r
	own.Evaluation = nil // is recorded in package eval
	fmt.Fprintf(out, "\nreport %q, ~%s, adversary ~%s\n", r.Title, bitsOf(own), bitsOf(r.Adversary))
	fmt.Fprintf(out, "objective %s, facts %v\n", goldentest.Values(r.Objective), r.Facts)
	for _, n := range r.Notes {
		fmt.Fprintf(out, "  %s\n", goldentest.Digits(n))
	}
	if r.Coefficients != nil {
		fmt.Fprintf(out, "coefficients %s\n", goldentest.Values(r.Coefficients))
	}
}

// bitsOf is the sum of all bits of a value.
func bitsOf(v any) string {
	_, bits, _ := strings.Cut(goldentest.Values(v), "~")
	return bits
}
