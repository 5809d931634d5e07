package hunt

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/exact"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

// A table is a case as users have it: columns, and a level in their words.
type table struct {
	cfg    train.Config
	frame  *data.Frame
	target []float64
	weight []float64  // by row; nil: no column of weights
	labels [][]string // by grouping column, by row
}

// tableOf makes one of a case, and draws the level.
func tableOf(c *Case, rng *rand.Rand) (*table, error) {
	b := &table{cfg: train.DefaultConfig(), target: c.Target}
	one := func(k int) bool { return rng.IntN(k) == 0 }
	var columns []data.Column
	add := func(name string, values any) (err error) {
		var col data.Column
		switch v := values.(type) {
		case []float64:
			col, err = data.ColumnOf(name, v)
		case []string:
			col, err = data.ColumnOf(name, v)
		}
		columns = append(columns, col)
		return err
	}
	k := c.D
	if c.Intercept {
		k--
	}
	for i := range k {
		v := make([]float64, c.N)
		for j := range v {
			v[j] = c.Rows[j*c.D+i]
		}
		if err := add(fmt.Sprintf("x%d", i), v); err != nil {
			return nil, err
		}
	}
	if err := add("y", c.Target); err != nil {
		return nil, err
	}
	cfg := &b.cfg
	cfg.Target, cfg.Holdout, cfg.Loss, cfg.HuberDelta, cfg.Intercept = "y", 0, c.Loss, c.Delta, c.Intercept
	cfg.MaxPasses, cfg.NoBaseline, cfg.Gap = 60, !one(4), math.Pow(10, -4-float64(rng.IntN(8)))
	cfg.Storage = []string{"auto", "float64", "float32", "sparse"}[rng.IntN(4)]
	if one(3) {
		cfg.Scale = "none"
	}
	cfg.ScaleTarget = !one(3)
	if cfg.Positive = ""; c.Loss == "logistic" {
		cfg.Positive = "1"
	}
	if one(2) {
		cfg.Mu = &c.Mu
	}
	if one(3) {
		b.weight = make([]float64, c.N)
		wide := one(3)
		for j := range b.weight {
			if b.weight[j] = 0.1 + rng.ExpFloat64(); wide {
				b.weight[j] = math.Pow(10, 12*rng.Float64()-6)
			}
		}
		cfg.Weight = "w"
		if err := add("w", b.weight); err != nil {
			return nil, err
		}
	}
	groups := one(3) && c.N > 1
	if groups || one(4) && c.N > 1 {
		for way := range 1 + rng.IntN(2) {
			of, count := make([]string, c.N), 2+rng.IntN(3)
			for j := range of {
				of[j] = string(rune('a' + rng.IntN(count)))
			}
			of[0], of[c.N-1] = "a", "b"
			b.labels = append(b.labels, of)
			name := fmt.Sprintf("g%d", way)
			cfg.Groups = append(cfg.Groups, name)
			if err := add(name, of); err != nil {
				return nil, err
			}
		}
	}
	power := func(lo, hi float64) float64 { return math.Pow(10, lo+(hi-lo)*rng.Float64()) }
	l := &cfg.Level
	l.Penalty = []string{"kl", "chi2"}[rng.IntN(2)]
	kind := rng.IntN(6)
	if groups {
		l.Adversary, kind = "groups", rng.IntN(2)
		l.Prior, l.Among = []string{"", "shares", "equal"}[rng.IntN(3)], []string{"", "crossed", "each"}[rng.IntN(3)]
		if one(2) {
			l.Adjust = power(-3, 2)
		}
	}
	switch kind {
	case 0:
		if l.Nu = level.At(power(-6, 6)); one(5) {
			*l.Nu = 0
		}
	case 1:
		if l.Radius = level.At(power(-3, 1)); one(4) {
			*l.Radius = power(-12, 4)
		}
	case 2: // near 0, near 1, and of so many rows to the last bit
		s := []float64{rng.Float64(), power(-6, 0), 1 - power(-12, 0), 1, float64(1+rng.IntN(c.N)) / float64(c.N)}[rng.IntN(5)]
		l.Ess = &s
	case 3:
		s := []float64{rng.Float64(), power(-6, 0), 1 - power(-12, 0), 1, float64(1+rng.IntN(c.N)) / float64(c.N)}[rng.IntN(5)]
		s = max(s, 1/float64(c.N))
		l.Protect = &s
	case 4:
		l.Confidence = level.At([]float64{0.5 + 0.5*rng.Float64(), 0.5 + power(-12, -1), 1 - power(-14, -1)}[rng.IntN(3)])
	case 5:
		cfg.NoBaseline = false
		if l.Average = "plain"; b.labels != nil && one(2) {
			l.Average = "balanced"
		}
	}
	var err error
	b.frame, err = data.NewFrame(columns...)
	return b, err
}

// fit trains on the case as a table, and holds what is said of the model against 256-bit
// arithmetic on the encoded rows, in the words of its level.
func (t *Tally) fit(ctx context.Context, s Settings, c *Case, rng *rand.Rand) {
	b, err := tableOf(c, rng)
	if err != nil {
		t.find("error", c, "table: "+err.Error())
		return
	}
	l := b.cfg.Level
	name := fmt.Sprintf("fit at %v, weights %v, %s, scale %s, %v", l, b.weight != nil, b.cfg.Storage, b.cfg.Scale, b.cfg.ScaleTarget)
	defer func() {
		if r := recover(); r != nil {
			t.find("panic", c, fmt.Sprintf("%s: %v\n%s", name, r, debug.Stack()))
		}
	}()
	limited, stop := context.WithTimeout(ctx, s.Patience)
	defer stop()
	m, err := train.FitFrame(limited, b.frame, b.cfg)
	if m == nil { // columns that are constant, groups that are not there
		t.Statuses["fit refused"]++
		return
	}
	defer m.Run.Close()
	t.Fits++
	res := m.Result
	p := b.problem(m)
	var above, below = math.Inf(1), math.Inf(-1)
	if v := res.Certificate.Upper; v != nil {
		above = *v
	}
	if v := res.Certificate.Lower; v != nil {
		below = *v
	}
	if err == nil && (res.Certified != (res.Certificate.RelativeGap != nil && *res.Certificate.RelativeGap <= b.cfg.Gap) || !(below <= above) || res.Objective > above) {
		t.find("promise", c, fmt.Sprintf("%s: %s, objective %.17g, bounds [%.17g, %.17g]", name, res.Status, res.Objective, below, above))
	}
	t.words(c, name, l, b.weight == nil, m.Run.Weights)
	q := *c
	q.Problem, q.own = *p, nil
	all := []bounds{{name: name, lower: below, upper: above, above: above, x: m.Coefficients}}
	for _, x := range [][]float64{m.Baseline, m.GroupWeighted} {
		if x != nil {
			all = append(all, bounds{name: name + ", a baseline", lower: math.Inf(-1), upper: math.Inf(1), above: math.Inf(1), x: x})
		}
	}
	t.recompute(&q, all)
}

// words holds the weights of a model against what its level says of them.
func (t *Tally) words(c *Case, name string, l level.Level, equal bool, y []float64) {
	const slack = 1e-9
	n, squares, entropy, most := float64(len(y)), 0.0, 0.0, 0.0
	for _, v := range y {
		squares += v * v
		most = max(most, v)
		if v > 0 {
			entropy -= v * math.Log(v)
		}
	}
	switch {
	case y == nil || !equal || l.Groupwise():
	case l.Ess != nil && l.Penalty == "chi2" && 1/squares < *l.Ess*n*(1-slack):
		t.find("words", c, fmt.Sprintf("%s: 1/Σy² is %.17g, below %.17g of %v rows", name, 1/squares, *l.Ess, n))
	case l.Ess != nil && l.Penalty == "kl" && math.Exp(entropy) < *l.Ess*n*(1-slack):
		t.find("words", c, fmt.Sprintf("%s: the perplexity is %.17g, below %.17g of %v rows", name, math.Exp(entropy), *l.Ess, n))
	case l.Protect != nil && most > 1/(*l.Protect*n)*(1+slack):
		t.find("words", c, fmt.Sprintf("%s: a weight of %.17g, above 1/%.17g of %v rows", name, most, *l.Protect, n))
	}
}

// problem is what the level of a table means on the encoded rows of the model.
func (b *table) problem(m *train.Model) *exact.Problem {
	d, l := m.Run.Train, m.Config.Level
	p := &exact.Problem{N: d.N, D: d.D, Target: d.Target, Loss: m.Config.Loss, Delta: m.Config.HuberDelta, Mu: *m.Config.Mu, Intercept: d.Intercept >= 0}
	weight := make([]float64, d.N)
	for j, row := range d.Rows {
		p.Rows = append(p.Rows, d.Row(j)...)
		if weight[j] = 1; b.weight != nil {
			weight[j] = b.weight[row]
		}
	}
	a := &p.Adversary
	a.Penalty, a.Weights = l.Penalty, weight
	switch {
	case l.Nu != nil:
		a.Nu = *l.Nu
	case l.Radius != nil:
		a.Radius = *l.Radius
	case l.Protect != nil:
		a.Alpha = *l.Protect
	case l.Ess != nil && *l.Ess == 1, l.Average != "":
		a.Alpha = 1
	case l.Ess != nil && l.Penalty == "chi2":
		a.Radius = (1 / *l.Ess - 1) / 2
	case l.Ess != nil:
		a.Radius = -math.Log(*l.Ess)
	case l.Confidence != nil: // as far as a normal deviate lies from its median with twice the excess
		z := math.Sqrt2 * math.Erfinv(2**l.Confidence-1)
		a.Radius = z * z / (2 * float64(d.N))
	}
	if !l.Groupwise() && l.Average != "balanced" {
		return p
	}
	ways := b.labels
	if l.Among != "each" && len(ways) > 1 {
		crossed := make([]string, len(ways[0]))
		for j := range crossed {
			crossed[j] = ways[0][j] + ways[1][j]
		}
		ways = [][]string{crossed}
	}
	p.Share, a.Weights = weight, nil
	var mass, count []float64
	number := func(labels []string) []int {
		of, first, id := make([]int, d.N), len(mass), map[string]int{}
		for j, row := range d.Rows {
			g, known := id[labels[row]]
			if !known {
				g = len(id)
				id[labels[row]], mass, count = g, append(mass, 0), append(count, 0)
			}
			of[j] = g
			mass[first+g] += weight[j]
			count[first+g]++
		}
		return of
	}
	if p.Group = number(ways[0]); len(ways) > 1 {
		p.Other = number(ways[1])
	}
	if l.Prior != "equal" && l.Average != "balanced" {
		a.Weights = mass
	}
	if l.Adjust > 0 {
		for _, n := range count {
			p.Adjust = append(p.Adjust, l.Adjust/math.Sqrt(n))
		}
	}
	return p
}
