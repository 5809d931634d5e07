package value

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/design"
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
	Tempered = "tempered ERM"
	Tail     = "CVaR, 10 %"
	Misfits  = "worst-fitted tenth"
	Chosen   = "chosen"
)

// Models are in the order of presentation.
var Models = []string{ERM, Tuned, Tempered, Balanced, GroupDRO, Rows, Tail, Misfits, ClassWeights, GroupWeights, Fairlearn, Chosen}

const (
	least     = 20     // rows of a group on the hold-out
	mostBlind = 10_000 // rows that the other ways to do without groups are tried on
)

// Measure trains the models on one split of the table, and gives the split to the peers,
// which may be nil.
func Measure(ctx context.Context, t Table, f *data.Frame, seed uint64, o tune.Options, peers *Peers) ([]Row, error) {
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
	if err := peers.add(seed, fitted.Encoder.Target.Task == data.Binary, d, fitted.Holdout); err != nil {
		return nil, err
	}
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
		if name == Tuned || name == Tempered || name == Chosen {
			train.Primal.Mu = s.Mu
		}
		if l.Latent != nil {
			train.Latent, _ = table.Laws(seed).Posterior(train.X, train.Target)
		}
		x, err := solve(ctx, &train, l)
		if name == Tempered && err == nil {
			x, err = temper(ctx, &train, l)
		}
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
	misfits := table.Rows
	blind := !t.Named && d.N <= mostBlind
	if blind {
		if misfits.Weights, err = worstFitted(ctx, table, seed); err != nil {
			return nil, err
		}
	}
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
		{Tail, level.Level{Protect: level.At(0.1), Penalty: "kl"}, table.Rows},
		{Misfits, level.Level{Average: "plain", Penalty: "kl"}, misfits},
		{Tempered, s.Best().Level, table.Rows},
		{Chosen, s.Best().Level, table.Rows},
	} {
		if (m.name == Tail || m.name == Misfits) && !blind {
			continue
		}
		if err := add(m.name, m.level, m.rows); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// solve trains a level to the accuracy of a choice, a relative gap of 1e-4, which no digit of
// the page shows.
func solve(ctx context.Context, t *tune.Table, l level.Level) ([]float64, error) {
	x, _, err := t.Solve(ctx, l, nil)
	return x, err
}

// worstFitted puts 70 % of the weight on the tenth of the rows that the plain average fits
// worst out of fold: Just Train Twice (Liu and others, ICML 2021), without its network.
func worstFitted(ctx context.Context, t *tune.Table, seed uint64) ([]float64, error) {
	margin, err := t.Margins(ctx, level.Level{Average: "plain", Penalty: "kl"}, 3, seed, nil, func(int, int) {})
	if err != nil {
		return nil, err
	}
	loss := make([]float64, t.N)
	t.Loss.EvalTo(loss, make([]float64, t.N), margin, t.Target)
	order := make([]int, t.N)
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(loss[b], loss[a]) })
	few := max(1, t.N/10)
	w := make([]float64, t.N)
	for rank, j := range order {
		if w[j] = 0.3 / float64(t.N-few); rank < few {
			w[j] = 0.7 / float64(few)
		}
	}
	return w, nil
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
