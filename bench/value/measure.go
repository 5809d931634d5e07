package value

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
)

// A Row is what one model does on the held-out rows of one split.
type Row struct {
	Table, Model string
	Seed         uint64
	Average      float64
	Worst        float64 // largest group mean, of groups of at least 20 rows
	Tail         float64 // mean of the worst tenth
	Chosen       string  // of the model that is chosen
	Passes       float64
}

// The models of every table.
const (
	ERM      = "ERM"
	Tuned    = "ERM, μ chosen"
	Balanced = "balanced ERM"
	GroupDRO = "group DRO"
	Rows     = "KL, 80 %"
	Chosen   = "chosen"
)

// Models are in the order of presentation.
var Models = []string{ERM, Tuned, Balanced, GroupDRO, Rows, Chosen}

const least = 20 // rows of a group on the hold-out

// Measure trains the models on one split of the table.
func Measure(ctx context.Context, t Table, f *data.Frame, seed uint64, o tune.Options) ([]Row, error) {
	rows, held, err := data.Split(f.Rows, 0.25, seed)
	if err != nil {
		return nil, err
	}
	rand.New(rand.NewPCG(seed, 0x73687566)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	spec := data.Spec{Target: t.Target, Groups: t.Groups, Drop: t.Drop, Scale: "standard", ScaleTarget: true, Intercept: true, Impute: "mean"}
	fitted, err := data.Fit(ctx, f, rows, held, spec, data.AutoStorage)
	if err != nil {
		return nil, err
	}
	var loss losses.Loss = losses.Squared{}
	if fitted.Encoder.Target.Task == data.Binary {
		loss = losses.Logistic{}
	}
	d := fitted.Train
	last := d.Groups[len(d.Groups)-1]
	groups := level.Rows{N: d.N, Group: last.Index, Labels: last.Labels}
	table := &tune.Table{Rows: level.Rows{N: d.N}, X: d.X, Target: d.Target, Loss: loss,
		Primal: dro.L2{Mu: 1 / float64(d.N), Intercept: true, FreeModulus: loss.Smoothness()}}
	if t.Named {
		table.Rows = groups
	}
	o.Seed, o.Ridge = seed, true
	s, err := tune.Select(ctx, table, nil, o)
	if err != nil {
		return nil, err
	}
	var out []Row
	add := func(name string, l level.Level, rows level.Rows) error {
		train := *table
		train.Rows = rows
		if name == Chosen || name == Tuned {
			train.Primal.Mu = s.Mu
		}
		if l.Latent != nil {
			train.Latent, _ = table.Laws(seed).Posterior(train.X, train.Target)
		}
		x, err := solve(ctx, &train, l)
		if err != nil {
			return err
		}
		oracle, err := losses.NewLinear(loss, fitted.Holdout.X, fitted.Holdout.Target)
		if err != nil {
			return err
		}
		value, slope := make([]float64, fitted.Holdout.N), make([]float64, fitted.Holdout.N)
		oracle.EvalTo(value, slope, x, 0, fitted.Holdout.N)
		r := Row{Table: t.Name, Model: name, Seed: seed}
		r.fill(fitted.Holdout, value)
		if name == Chosen {
			r.Chosen, r.Passes = s.Best().Name, s.Passes
		}
		out = append(out, r)
		return nil
	}
	mean := s.Candidates[0].Average
	for _, m := range []struct {
		name  string
		level level.Level
		rows  level.Rows
	}{
		{ERM, level.Level{Average: "plain", Penalty: "kl"}, table.Rows},
		{Tuned, level.Level{Average: "plain", Penalty: "kl"}, table.Rows},
		{Balanced, level.Level{Average: "balanced", Penalty: "kl"}, groups},
		{GroupDRO, level.Level{Nu: level.At(mean / 100), Penalty: "kl", Adversary: "groups"}, groups},
		{Rows, level.Level{Ess: level.At(0.8), Penalty: "kl"}, table.Rows},
		{Chosen, s.Best().Level, table.Rows},
	} {
		if err := add(m.name, m.level, m.rows); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// solve trains a level as drotrain train does.
func solve(ctx context.Context, t *tune.Table, l level.Level) ([]float64, error) {
	dual, err := l.Dual(t.Rows)
	if err != nil {
		return nil, err
	}
	oracle, err := losses.NewLinear(t.Loss, t.X, t.Target)
	if err != nil {
		return nil, err
	}
	p := &dro.Problem{Oracle: oracle, Dual: dual, Primal: t.Primal}
	method, _ := dro.Choose(p)
	res, err := dro.Solve(ctx, p, method, dro.DefaultSettings())
	if err != nil {
		return nil, err
	}
	return res.X, nil
}

// fill measures the losses of the held-out rows.
func (r *Row) fill(d *data.Dataset, loss []float64) {
	last := d.Groups[len(d.Groups)-1]
	sum, count := make([]float64, len(last.Labels)), make([]float64, len(last.Labels))
	for j, g := range last.Index {
		r.Average += loss[j] / float64(d.N)
		sum[g] += loss[j]
		count[g]++
	}
	r.Worst = math.Inf(-1)
	for g, n := range count {
		if n >= least {
			r.Worst = max(r.Worst, sum[g]/n)
		}
	}
	y := make([]float64, d.N)
	r.Tail, _ = dro.CVaR(0.1).BestResponseTo(y, loss)
}
