package methods

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/primaldual"
)

// solveBySubgradient runs the stochastic subgradient method on the τ-lift
//
//	F(x, τ) = τ + Σ_j max_{0≤y≤1} [ y(f_j(x) − τ) − ψ_j(y) ] + φ(x),
//
// a baseline: mini-batches of n/64 samples, visited in a fresh random order every pass, steps η/√(1 + t) after t
// passes. η is tuned: tunings candidates run for tuningPasses passes each, and the one with the lowest objective is
// used; this work is not counted. The last iterate and the average over the last passes are certified like the
// points of every other method.
func solveBySubgradient(ctx context.Context, p *dro.Problem, s dro.Options) (*dro.Result, string, error) {
	descent, err := newDescent(p, s.Seed)
	if err != nil {
		return nil, "", err
	}
	best, eta := math.Inf(1), 0.0
	for k := range tunings {
		candidate := descent.scale * math.Pow(4, float64(k-tunings+3))
		descent.begin(candidate)
		for descent.passes < tuningPasses && ctx.Err() == nil {
			descent.step()
		}
		c, err := certify(ctx, p, descent.x)
		if err == nil && c.Upper < best {
			best, eta = c.Upper, candidate
		}
	}
	if eta == 0 {
		return nil, "", errors.New("every step size diverged")
	}
	note := fmt.Sprintf("the steps are η/√(1 + passes); η = %.3g is the best of %d candidates, each of which took %d "+
		"passes that are not counted", eta, tunings, tuningPasses)
	descent.begin(eta)
	res, err := descent.solve(ctx, s)
	return res, note, err
}

const (
	tunings      = 9
	tuningPasses = 10
)

// certify returns the bounds that package dro proves at a point without taking a step.
func certify(ctx context.Context, p *dro.Problem, x []float64) (dro.Certificate, error) {
	s := dro.Options{}
	s.X0, s.RelativeGap = x, math.Inf(1) // the first point will do
	var m dro.Method = dro.LBFGS{}
	if p.Dual.Modulus() == 0 {
		m = primaldual.FullVector{Schedule: primaldual.Theory}
	}
	s.Method = m
	res, err := dro.Solve(ctx, p, &s)
	if err != nil {
		return dro.Certificate{}, err
	}
	return res.Certificate, nil
}

// A separable is a penalty without the constraint that the weights sum to one.
type separable interface {
	Modulus() float64
	CoordsTo(u, y []float64)
	BlockStepTo(u, y, f, prev []float64, eta float64, lo, hi int)
}

// separatedDual returns the penalty of d for weights between 0 and 1, or nil if d is not supported.
func separatedDual(d dro.Dual) separable {
	var of dro.Ball
	switch d := d.(type) {
	case dro.Ball:
		of = d
	case dro.KL:
		if d.Alpha > 0 {
			return nil
		}
		of = dro.Ball{Radius: math.Inf(1), Nu: d.Nu, Weights: d.Weights}
	case dro.ChiSquare:
		if d.Alpha > 0 {
			return nil
		}
		of = dro.Ball{Divergence: dro.PearsonChi2, Radius: math.Inf(1), Nu: d.Nu, Weights: d.Weights}
	}
	if !(of.Nu > 0) || !math.IsInf(of.Radius, 1) || of.Weights != nil {
		return nil
	}
	switch of.Divergence {
	case "", dro.KullbackLeibler:
		return primaldual.Orthant{Nu: of.Nu, Cap: 1}
	case dro.PearsonChi2:
		return primaldual.Orthant{Divergence: primaldual.PearsonChi2, Nu: of.Nu, Cap: 1}
	}
	return nil
}

// A descent holds the state of a subgradient method.
type descent struct {
	p       *dro.Problem
	phi     dro.L2
	dual    separable // of the lift
	n, d    int
	block   int
	scale   float64 // 1/mean ‖z_j‖², if it is known
	seed    uint64
	rng     *rand.Rand
	order   []int
	visit   int
	eta     float64
	passes  float64
	steps   int
	x       []float64
	tau     float64
	average []float64 // average of x since the number of passes doubled
	count   float64
	since   float64

	even                  []float64 // coordinates of the weights 1/n
	value, slope, u, y, g []float64
}

// newDescent returns a subgradient method at its start. seed determines the order of the samples.
func newDescent(p *dro.Problem, seed uint64) (*descent, error) {
	dual := separatedDual(p.Dual)
	phi, ridge := p.Primal.(dro.L2)
	if dual == nil || !ridge {
		return nil, errors.New("the baseline needs ν > 0, a separable penalty and the L2 regulariser")
	}
	n, d, slope := p.Oracle.Dims()
	w := &descent{p: p, phi: phi, dual: dual, n: n, d: d, block: max(1, (n+63)/64), seed: seed, scale: 1,
		x: make([]float64, d), average: make([]float64, d), value: make([]float64, n), slope: make([]float64, n*slope),
		u: make([]float64, n), y: make([]float64, n), even: make([]float64, n), g: make([]float64, d)}
	if o, ok := p.Oracle.(interface {
		ConstantsTo(lipschitz, smoothness, x []float64)
	}); ok {
		h, m := make([]float64, n), make([]float64, n)
		o.ConstantsTo(h, m, w.x)
		sum := 0.0
		for _, v := range m {
			sum += v
		}
		if sum > 0 {
			w.scale = float64(n) / sum
		}
	}
	for j := range w.y {
		w.y[j] = 1 / float64(n)
	}
	w.dual.CoordsTo(w.even, w.y)
	for lo := 0; lo < n; lo += w.block {
		w.order = append(w.order, lo)
	}
	return w, nil
}

// begin starts at x = 0 with the best τ for this x.
func (w *descent) begin(eta float64) {
	clear(w.x)
	clear(w.average)
	w.eta, w.passes, w.steps, w.visit, w.count, w.since = eta, 1, 0, len(w.order), 0, 1
	w.rng = rand.New(rand.NewPCG(w.seed, 0x737562))
	w.p.Oracle.EvalTo(w.value, w.slope, w.x, 0, w.n)
	_, w.tau = w.p.Dual.BestResponseTo(w.y, w.value)
}

// step takes a subgradient step for one block of samples.
func (w *descent) step() {
	if w.visit == len(w.order) {
		w.rng.Shuffle(len(w.order), func(i, j int) { w.order[i], w.order[j] = w.order[j], w.order[i] })
		w.visit = 0
	}
	lo := w.order[w.visit]
	hi := min(lo+w.block, w.n)
	w.visit++
	w.steps++
	w.p.Oracle.EvalTo(w.value, w.slope, w.x, lo, hi)
	for j := lo; j < hi; j++ {
		w.value[j] -= w.tau
	}
	w.dual.BlockStepTo(w.u, w.y, w.value, w.even, 1/w.dual.Modulus(), lo, hi) // the best response at τ
	clear(w.g)
	w.p.Oracle.AddGradTo(w.g, w.y, w.slope, lo, hi)
	mass := 0.0
	for _, v := range w.y[lo:hi] {
		mass += v
	}
	blow := float64(len(w.order)) // every block has probability block/n
	for i := range w.g {
		w.g[i] *= blow
	}
	for i, v := range w.x {
		if i < w.d-1 || !w.phi.Intercept {
			w.g[i] += w.phi.Mu * v
		}
	}
	eta := w.eta / math.Sqrt(1+w.passes)
	for i, v := range w.g {
		w.x[i] -= eta * v
	}
	w.tau -= eta * (1 - blow*mass)
	w.passes += float64(hi-lo) / float64(w.n)
	if w.passes >= 2*w.since {
		w.since, w.count = w.passes, 0
	}
	w.count++
	for i, v := range w.x {
		w.average[i] += (v - w.average[i]) / w.count
	}
}

// solve takes steps until the gap or a limit is reached, with checks as in package dro.
func (w *descent) solve(ctx context.Context, s dro.Options) (*dro.Result, error) {
	began := time.Now()
	best := dro.Certificate{Upper: math.Inf(1), Lower: math.Inf(-1)}
	res := &dro.Result{}
	check := func() error {
		for k, x := range [][]float64{w.x, w.average} {
			if k == 1 && w.count == 0 {
				continue
			}
			c, err := certify(ctx, w.p, x)
			if err != nil {
				return err
			}
			w.passes++
			best.Upper, best.Lower = math.Min(best.Upper, c.Upper), math.Max(best.Lower, c.Lower)
		}
		res.Trace = append(res.Trace, dro.Check{Certificate: best, Passes: w.passes, Elapsed: time.Since(began)})
		return nil
	}
	err := check()
	for next := w.passes; err == nil && res.Status == dro.NotSolved; {
		switch {
		case best.Relative() <= s.RelativeGap:
			res.Status = dro.Certified
		case ctx.Err() != nil:
			err = context.Cause(ctx)
		case w.passes >= s.MaxPasses:
			res.Status = dro.Limit
		default:
			w.step()
			if w.passes >= next || w.passes >= s.MaxPasses {
				err = check()
				next = w.passes + max(s.CheckEvery, w.passes/10)
			}
		}
	}
	res.Iterations, res.Passes, res.Elapsed, res.Certificate = w.steps, w.passes, time.Since(began), best
	return res, err
}
