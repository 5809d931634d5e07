package primaldual

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
)

// A Constrained problem is
//
//	min over x of  f₀(x) + φ(x)   subject to  g_i(x) ≤ 0,  i = 1 … m,
//
// where f₀ and g_i are convex. It is solved as min over x, max over the multipliers 0 ≤ y_i ≤ Bound of f₀(x) + Σ
// y_i g_i(x) + φ(x). A linear equation can be written as two constraints, g_i ≤ 0 and −g_i ≤ 0.
type Constrained struct {
	Objective   dro.Oracle // f₀ is the mean of its losses; nil means f₀ = 0
	Constraints dro.Oracle // its losses are the g_i; dro.NewBilinear returns the oracle of A x + b ≤ 0
	Primal      dro.Primal // φ

	// Bound is the maximum value of a multiplier. 0 means that it is determined automatically: it starts at 10
	// and is multiplied by ten, up to 10⁶, as long as a multiplier exceeds half of it. If a positive Bound is
	// below a multiplier of the optimum, X may violate constraints.
	Bound float64
}

// A ConstrainedResult is a solution of a Constrained problem. Its field Result is the result of the last solve; its
// bounds refer to the problem in which each unit of violation costs Bound.
type ConstrainedResult struct {
	X           []float64 // d
	Multipliers []float64 // m multipliers y, those of the lower bound
	Constraints []float64 // the m values g_i(X)
	Violation   float64   // largest g_i(X), or 0 if X meets all constraints
	Objective   float64   // f₀(X) + φ(X)

	// Lower is a lower bound of the optimum: the minimum over x of f₀(x) + Σ y_i g_i(x) + φ(x) at the
	// Multipliers is at least Lower. If Violation is 0, Objective is an upper bound of the optimum.
	Lower float64

	Bound  float64 // upper bound of the multipliers
	Result *dro.Result
}

const (
	firstBound = 10
	maxBound   = 1e6
)

// Solve solves p with the options of dro.Solve; nil means the defaults. If o names no method, Solve uses FullVector. It
// returns an error for an invalid problem. If a multiplier is near the maximum bound, it returns an error together
// with the result.
func (p *Constrained) Solve(ctx context.Context, o *dro.Options) (*ConstrainedResult, error) {
	oracle, dual, err := p.saddle()
	if err != nil {
		return nil, err
	}
	var s dro.Options
	if o != nil {
		s = *o
	}
	if s.Method == nil {
		s.Method = FullVector{}
	}
	s.KeepDual = true
	for {
		oracle.share = dual.weight / dual.WeightCap(oracle.n+oracle.m)
		r, err := dro.Solve(ctx, &dro.Problem{Oracle: oracle, Dual: dual, Primal: p.Primal}, &s)
		if r == nil {
			return nil, err
		}
		out := p.resultOf(oracle, dual, r)
		largest := 0.0
		for _, y := range out.Multipliers {
			largest = max(largest, y)
		}
		switch {
		case err != nil || p.Bound > 0 || r.Status != dro.Certified || largest <= dual.Upper/2:
			return out, err
		case dual.Upper >= maxBound:
			return out, fmt.Errorf(
				"dro: a multiplier is %.3g and a constraint is violated by %.3g: perhaps no x satisfies all constraints", largest,
				out.Violation)
		}
		dual.Upper *= 10
		s.X0 = r.X
	}
}

// saddle returns an oracle of all losses and the dual of their weights.
func (p *Constrained) saddle() (oracle *stackedOracle, dual multiplierDual, err error) {
	switch {
	case p.Constraints == nil:
		return nil, dual, errors.New("dro: a constrained problem needs Constraints")
	case p.Primal == nil:
		return nil, dual, errors.New("dro: a constrained problem needs a Primal, such as dro.L2")
	case math.IsNaN(p.Bound) || p.Bound < 0 || math.IsInf(p.Bound, 1):
		return nil, dual, fmt.Errorf("dro: the bound of the multipliers is %v; it must be ≥ 0 and finite", p.Bound)
	}
	m, d, slope := p.Constraints.Dims()
	oracle = &stackedOracle{rest: p.Constraints, d: d, slope: slope}
	dual.Box = Box{Upper: p.Bound}
	if p.Bound == 0 {
		dual.Upper = firstBound
	}
	if p.Objective != nil {
		n, d0, slope0 := p.Objective.Dims()
		if d0 != d || slope0 != slope {
			return nil, dual, fmt.Errorf(
				"dro: the objective has %d parameters and slopes of length %d, but the constraints have %d parameters and slopes "+
					"of length %d", d0, slope0, d, slope)
		}
		oracle.head, oracle.n = p.Objective, n
		dual.fixed, dual.weight = n, 1/float64(n)
	}
	oracle.m = m
	return oracle, dual, nil
}

// resultOf converts the result r of the saddle-point problem into the result of p.
func (p *Constrained) resultOf(oracle *stackedOracle, dual multiplierDual, r *dro.Result) *ConstrainedResult {
	n := oracle.n + oracle.m
	value, slope := make([]float64, n), make([]float64, n*oracle.slope)
	oracle.EvalTo(value, slope, r.X, 0, n)
	out := &ConstrainedResult{X: r.X, Multipliers: provingWeights(r)[oracle.n:], Constraints: value[oracle.n:],
		Lower:     r.Certificate.Lower,
		Objective: dual.weight*engine.Sum(value[:oracle.n]) + p.Primal.Value(r.X), Bound: dual.Upper, Result: r}
	for _, v := range out.Constraints {
		out.Violation = max(out.Violation, v)
	}
	return out
}

// provingWeights returns the weights that prove the lower bound of r or, if they are unknown, a best response at X.
func provingWeights(r *dro.Result) []float64 {
	if r.Dual != nil {
		return r.Dual
	}
	return r.Weights
}

// A stackedOracle has the losses of two oracles, those of head before those of rest.
type stackedOracle struct {
	head, rest dro.Oracle // head: nil if n is 0
	n, m       int        // numbers of losses of head and of rest
	d, slope   int
	share      float64 // weight of a loss of head, relative to the maximum weight of a loss
}

var (
	_ saddle.Conditioned = (*stackedOracle)(nil)
	_ saddle.Separable   = multiplierDual{}
)

// Dims implements Oracle.
func (o *stackedOracle) Dims() (n, d, slope int) { return o.n + o.m, o.d, o.slope }

// EvalTo implements Oracle.
func (o *stackedOracle) EvalTo(value, slope, x []float64, lo, hi int) {
	if end := min(hi, o.n); lo < end {
		o.head.EvalTo(value[:o.n], slope[:o.n*o.slope], x, lo, end)
	}
	if from := max(lo, o.n); from < hi {
		o.rest.EvalTo(value[o.n:], slope[o.n*o.slope:], x, from-o.n, hi-o.n)
	}
}

// AddGradTo implements Oracle.
func (o *stackedOracle) AddGradTo(dst, weight, slope []float64, lo, hi int) {
	if end := min(hi, o.n); lo < end {
		o.head.AddGradTo(dst, weight[:o.n], slope[:o.n*o.slope], lo, end)
	}
	if from := max(lo, o.n); from < hi {
		o.rest.AddGradTo(dst, weight[o.n:], slope[o.n*o.slope:], from-o.n, hi-o.n)
	}
}

// ConstantsTo implements Conditioned. A loss without constants gets infinite constants, for which methods return an
// error that names the loss. Lipschitz constants bound how far losses move weights. The losses of the objective have
// fixed weights; their Lipschitz constants are therefore 0. The smoothness of the objective is multiplied by its
// weight, which is less than the WeightCap of the dual.
func (o *stackedOracle) ConstantsTo(lipschitz, smoothness, x []float64) {
	constantsTo := func(of dro.Oracle, lo, hi int) {
		if c, ok := of.(saddle.Conditioned); ok {
			c.ConstantsTo(lipschitz[lo:hi], smoothness[lo:hi], x)
			return
		}
		engine.Fill(lipschitz[lo:hi], math.Inf(1))
		engine.Fill(smoothness[lo:hi], math.Inf(1))
	}
	if o.n > 0 {
		constantsTo(o.head, 0, o.n)
		clear(lipschitz[:o.n])
		floats.Scale(o.share, smoothness[:o.n])
	}
	constantsTo(o.rest, o.n, o.n+o.m)
}

// A multiplierDual has given weights for the first losses, and multipliers in a Box for the others.
type multiplierDual struct {
	Box
	fixed  int // number of losses with the fixed weight
	weight float64
}

// Value implements Dual.
func (d multiplierDual) Value(y []float64) float64 { return d.Box.Value(y[d.fixed:]) }

// BestResponseTo implements Dual.
func (d multiplierDual) BestResponseTo(y, f []float64) (risk, tau float64) {
	engine.Fill(y[:d.fixed], d.weight)
	risk, tau = d.Box.BestResponseTo(y[d.fixed:], f[d.fixed:])
	return risk + d.weight*engine.Sum(f[:d.fixed]), tau
}

// BlockStepTo implements Separable.
func (d multiplierDual) BlockStepTo(u, y, f, prev []float64, eta float64, lo, hi int) {
	if end := min(hi, d.fixed); lo < end {
		engine.Fill(u[lo:end], d.weight)
		engine.Fill(y[lo:end], d.weight)
	}
	if from := max(lo, d.fixed); from < hi {
		d.Box.BlockStepTo(u, y, f, prev, eta, from, hi)
	}
}

// WeightCap implements Normed.
func (d multiplierDual) WeightCap(n int) float64 { return max(d.weight, d.Box.WeightCap(n)) }

// TotalWeight implements Normed. Given weights are replaced by the WeightCap, to which the smoothness that
// stackedOracle states for their losses is relative.
func (d multiplierDual) TotalWeight(n int) float64 {
	return float64(d.fixed)*d.WeightCap(n) + d.Box.TotalWeight(n-d.fixed)
}
