package value

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
)

// A Row is what one model does on the held-out rows of one split.
type Row struct {
	Table, Model string
	Seed         uint64
	Average      float64
	Worst        float64 // largest group mean, of the groups that the choice may call the worst
	Tail         float64 // mean of the worst tenth
	Chosen       string  // of the model that is chosen
	Fall, SE     float64 `json:",omitempty"` // of the criterion, out of fold: what the choice promised
	Passes       float64
	By           string // program and version
}

// The models of every table.
const (
	ERM      = "ERM"
	Tuned    = "ERM, μ chosen"
	Balanced = "balanced ERM"
	GroupDRO = "group DRO"
	Rows     = "KL, 80 %"
	Tempered = "tempered ERM"
	Tail     = "CVaR, 10 %"
	Misfits  = "worst-fitted tenth"
	Chosen   = "chosen"
)

// Models are in the order of presentation.
var Models = []string{ERM, Tuned, Tempered, Balanced, GroupDRO, Rows, Tail, Misfits, ClassWeights, GroupWeights, Fairlearn, Chosen}

const (
	mostTrained = 12_000 // rows of a split that are trained on
	mostBlind   = 10_000 // rows that the other ways to do without groups are tried on
)

// Split encodes one split of the table, and reports whether its target is of two classes.
func Split(ctx context.Context, t Table, f *data.Frame, seed uint64) (*data.Fitted, bool, error) {
	rows, held, err := data.Split(f.Rows, 0.25, seed)
	if err != nil {
		return nil, false, err
	}
	fitted, err := t.fit(ctx, f, rows, held, seed)
	if err != nil {
		return nil, false, err
	}
	return fitted, fitted.Encoder.Target.Task == data.Binary, nil
}

// fit encodes rows, in an order drawn from the seed, and those held out.
func (t *Table) fit(ctx context.Context, f *data.Frame, rows, held []int, seed uint64) (*data.Fitted, error) {
	rand.New(rand.NewPCG(seed, 0x73687566)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	if len(rows) > mostTrained && !t.Whole {
		rows = rows[:mostTrained]
	}
	spec := train.Config{Target: t.Target, Groups: t.Groups, Drop: t.Drop, Scale: "standard", ScaleTarget: true, Intercept: true, Impute: "mean"}.Spec()
	return data.Fit(ctx, f, rows, held, spec, data.AutoStorage)
}

// Measure trains the models on one split of the table, with its groups named and without.
func Measure(ctx context.Context, t Table, f *data.Frame, seed uint64, o tune.Options) ([]Row, error) {
	fitted, classes, err := Split(ctx, t, f, seed)
	if err != nil {
		return nil, err
	}
	var loss losses.Loss = losses.Squared{}
	if classes {
		loss = losses.Logistic{}
	}
	d := fitted.Train
	last := d.Groups[len(d.Groups)-1]
	s := &splitOf{held: fitted.Holdout, loss: loss, seed: seed, options: o,
		named: level.Rows{N: d.N, Group: last.Index, Labels: last.Labels},
		table: &tune.Table{Rows: level.Rows{N: d.N}, X: d.X, Target: d.Target, Loss: loss,
			Primal: dro.L2{Mu: 1 / float64(d.N), Intercept: true, FreeModulus: loss.Smoothness()}}}
	s.options.Seed, s.options.Ridge = seed, true
	s.judged = Judged(fitted, o.MinGroupSize)
	if err := s.alike(ctx); err != nil {
		return nil, err
	}
	out, err := s.chosen(ctx, t.Name, s.named)
	if err != nil || t.Alone {
		return out, err
	}
	blind, err := s.chosen(ctx, t.Unnamed(), s.table.Rows)
	return append(out, blind...), err
}

// self is this program and its version, of a build of a checkout its commit.
func self() string { return "drotrain " + train.Version() + ", " + runtime.Version() }

// Current reports whether a row is of this program, or of another's models.
func (r *Row) Current() bool {
	return !strings.HasPrefix(r.By, "drotrain ") || r.By == self()
}

// splitOf is one split of a table.
type splitOf struct {
	table   *tune.Table // without groups
	named   level.Rows
	held    *data.Dataset
	judged  []int32 // by held-out row: its group, -1 for one that nobody judges
	loss    losses.Loss
	seed    uint64
	slope   bool
	options tune.Options
	common  []Row     // of the models that the choice has no part in
	plain   []float64 // coefficients of ERM
}

// add trains a level and measures it on the rows held out.
func (s *splitOf) add(ctx context.Context, name string, l level.Level, rows level.Rows, mu float64) (*Row, error) {
	fit := *s.table
	fit.Rows, fit.Primal.Mu = rows, mu
	x, err := solve(ctx, &fit, l)
	if name == Tempered && err == nil {
		x, err = temper(ctx, &fit, l)
	}
	if err != nil {
		return nil, err
	}
	return s.row(name, x)
}

// row measures coefficients on the rows held out.
func (s *splitOf) row(name string, x []float64) (*Row, error) {
	return s.rowOf(name, x, s.held, s.judged)
}

// rowOf measures them on other rows, of these groups.
func (s *splitOf) rowOf(name string, x []float64, d *data.Dataset, group []int32) (*Row, error) {
	oracle, err := losses.NewLinear(s.loss, d.X, d.Target)
	if err != nil {
		return nil, err
	}
	value, slope := make([]float64, d.N), make([]float64, d.N)
	oracle.EvalTo(value, slope, x, 0, d.N)
	r := &Row{Model: name, Seed: s.seed, By: self()}
	r.fill(group, value)
	return r, nil
}

// alike measures the models that are the same whether the groups are named or not.
func (s *splitOf) alike(ctx context.Context) error {
	plain, _, err := s.table.Solve(ctx, level.Level{Average: "plain", Penalty: "kl"}, nil)
	if err != nil {
		return err
	}
	s.plain = plain
	oracle, err := losses.NewLinear(s.loss, s.table.X, s.table.Target)
	if err != nil {
		return err
	}
	value, mean := make([]float64, s.table.N), 0.0
	oracle.EvalTo(value, make([]float64, s.table.N), plain, 0, s.table.N)
	for _, v := range value {
		mean += v / float64(len(value))
	}
	for _, m := range []struct {
		name  string
		level level.Level
		rows  level.Rows
	}{
		{ERM, level.Level{Average: "plain", Penalty: "kl"}, s.table.Rows},
		{Balanced, level.Level{Average: "balanced", Penalty: "kl"}, s.named},
		{GroupDRO, level.Level{Nu: level.At(mean / 100), Penalty: "kl", Adversary: "groups"}, s.named},
		{Rows, level.Level{Ess: level.At(0.8), Penalty: "kl"}, s.table.Rows},
	} {
		r, err := s.add(ctx, m.name, m.level, m.rows, s.table.Primal.Mu)
		if err != nil {
			return err
		}
		s.common = append(s.common, *r)
	}
	return nil
}

// chosen is the table called so: the models that are alike, and those of the choice.
func (s *splitOf) chosen(ctx context.Context, name string, rows level.Rows) ([]Row, error) {
	table := *s.table
	table.Rows = rows
	c, err := tune.Select(ctx, &table, nil, s.options)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(s.common)
	for _, m := range []struct {
		name  string
		level level.Level
	}{{Tuned, level.Level{Average: "plain", Penalty: "kl"}}, {Tempered, c.Best().Level}, {Chosen, c.Best().Level}} {
		r, err := s.add(ctx, m.name, m.level, rows, c.Mu)
		if err != nil {
			return nil, err
		}
		if m.name == Chosen {
			b := c.Best()
			r.Chosen, r.Fall, r.SE, r.Passes = b.Name, b.Improvement, b.SE, c.Passes
		}
		out = append(out, *r)
	}
	for i := range out {
		out[i].Table = name
	}
	return out, nil
}

// solve trains a level to the accuracy of a choice, a relative gap of 1e-4, which no digit of
// the page shows.
func solve(ctx context.Context, t *tune.Table, l level.Level) ([]float64, error) {
	x, _, err := t.Solve(ctx, l, nil)
	return x, err
}

// temper is the plain average with another slope and intercept, the two numbers chosen for
// the level's objective.
func temper(ctx context.Context, t *tune.Table, l level.Level) ([]float64, error) {
	plain := level.Level{Average: "plain", Penalty: "kl"}
	x, err := solve(ctx, t, plain)
	if err != nil || l == plain {
		return x, err
	}
	norm, last := 0.0, len(x)-1 // the intercept
	for _, v := range x[:last] {
		norm += v * v
	}
	if norm = math.Sqrt(norm); norm == 0 {
		return x, nil
	}
	direction := slices.Clone(x)
	direction[last] = 0
	margin, rows := make([]float64, t.N), make([]float64, 2*t.N)
	t.X.MarginsTo(margin, direction, 0, t.N)
	for j, v := range margin {
		rows[2*j], rows[2*j+1] = v/norm, 1
	}
	two := *t
	if two.X, err = design.NewDense(t.N, 2, rows); err != nil {
		return nil, err
	}
	ab, err := solve(ctx, &two, l)
	if err != nil {
		return nil, err
	}
	for i := range direction {
		direction[i] *= ab[0] / norm
	}
	direction[last] = ab[1]
	return direction, nil
}

// Judged are the groups of the held-out rows, -1 where the group has fewer than least rows
// among those trained on: the choice does not call it the worst either.
func Judged(f *data.Fitted, least int) []int32 {
	train, held := f.Train.Groups[len(f.Train.Groups)-1], f.Holdout.Groups[len(f.Holdout.Groups)-1]
	count := map[string]int{}
	for _, g := range train.Index {
		count[train.Labels[g]]++
	}
	out := slices.Clone(held.Index)
	for j, g := range out {
		if count[held.Labels[g]] < least {
			out[j] = -1
		}
	}
	return out
}

// fill measures the losses of the held-out rows.
func (r *Row) fill(group []int32, loss []float64) {
	sum, count := map[int32]float64{}, map[int32]float64{}
	for j, g := range group {
		r.Average += loss[j] / float64(len(loss))
		if g >= 0 {
			sum[g] += loss[j]
			count[g]++
		}
	}
	r.Worst = math.Inf(-1)
	for g, n := range count {
		r.Worst = max(r.Worst, sum[g]/n)
	}
	y := make([]float64, len(loss))
	r.Tail, _ = dro.CVaR(0.1).BestResponseTo(y, loss)
}
