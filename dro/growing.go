package dro

import (
	"context"
	"errors"
	"math"
	"slices"
)

// Growing solves the problem on a growing prefix of the samples, each stage
// warm-started from the one before and only as exact as its size deserves, and
// finishes on all of them until certified. With samples in random order the last
// stage starts close to the optimum and needs a few passes. In another order the
// answer is the same, and so is its certificate; only the work grows.
type Growing struct {
	First  int     // samples of the first stage; 0: 20·d
	Factor int     // growth from stage to stage; 0: 8
	Gap    float64 // relative gap of a stage; 0: 1e-3
	Finish Method  // also of the stages; nil: what Second says
}

var _ Method = Growing{}

// Name implements Method.
func (Growing) Name() string { return "growing" }

func (m Growing) start(r *run) (stepper, error) {
	if m.First < 0 || m.Factor < 0 || m.Factor == 1 || !(m.Gap >= 0) {
		return nil, errors.New("dro: growing needs a first stage of at least one sample, a factor of at least 2 and a positive gap")
	}
	if m.First == 0 {
		m.First = 20 * r.cert.d
	}
	if m.Factor == 0 {
		m.Factor = 8
	}
	if m.Gap == 0 {
		m.Gap = 1e-3
	}
	if m.Finish == nil {
		m.Finish = Second(r.cert.d)
	}
	g := &growing{run: r, settings: m, x: append([]float64(nil), r.x0...)}
	for size := float64(r.cert.n) / float64(m.Factor); size >= float64(m.First); size /= float64(m.Factor) {
		g.sizes = append(g.sizes, int(size))
	}
	_, err := m.Finish.start(r) // fails now rather than after the stages
	return g, err
}

type growing struct {
	*run
	settings Growing
	sizes    []int // of the stages to come, the next one last
	x        []float64
	metric   *metric // of the last stage, if it was Newton's
	finish   stepper // nil until the stages are done
}

// startsLate says that the first point worth evaluating on all samples is the
// last stage's, not the starting point.
func (g *growing) startsLate() bool { return len(g.sizes) > 0 }

func (g *growing) step() error {
	if k := len(g.sizes); k > 0 {
		size := g.sizes[k-1]
		g.sizes = g.sizes[:k-1]
		return g.stage(size)
	}
	if g.finish == nil {
		if err := g.startFinish(); err != nil {
			return err
		}
	}
	return g.finish.step()
}

// startFinish starts the last stage where the ones before ended.
func (g *growing) startFinish() (err error) {
	if !slices.Equal(g.x, g.cert.x) || math.IsInf(g.cert.bestObjective, 1) {
		g.cert.evaluate(g.x)
	}
	if math.IsInf(g.cert.objective, 1) || g.cert.objective > g.cert.bestObjective {
		g.logf("growing: the stages ended above the starting point, and are dropped")
		copy(g.x, g.x0)
		g.cert.evaluate(g.x)
	}
	copy(g.x0, g.x)
	if g.finish, err = g.settings.Finish.start(g.run); err != nil {
		return err
	}
	if to, ok := g.finish.(*newton); ok && g.metric != nil {
		to.inherit(g.metric)
	}
	return nil
}

// stage solves the problem on the first size samples.
func (g *growing) stage(size int) error {
	o := &prefix{g.problem.Oracle, size}
	s := DefaultSettings()
	s.X0, s.RelativeGap, s.Seed = g.x, g.settings.Gap, g.run.settings.Seed
	s.MaxPasses = 200
	l, err := newLoop(&Problem{o, g.problem.Dual, g.problem.Primal}, g.settings.Finish, s)
	if err != nil {
		return err
	}
	l.loop(context.Background())
	passes := l.cert.passes * float64(size) / float64(g.cert.n)
	g.cert.passes += passes
	g.logf("growing: %d samples to a relative gap of %.2g, %.3g passes", size, l.cert.best.Relative(), passes)
	copy(g.x, l.cert.bestX)
	if from, ok := l.method.(*newton); ok {
		g.metric, _ = from.h.(*metric)
	}
	return nil
}

func (g *growing) check() {
	if g.finish != nil {
		g.finish.check()
	}
}

// A prefix is an oracle over the first n samples of another.
type prefix struct {
	Oracle
	n int
}

func (p *prefix) Dims() (n, d, slope int) {
	_, d, slope = p.Oracle.Dims()
	return p.n, d, slope
}

// NonNegative passes the ability on.
func (p *prefix) NonNegative() bool {
	o, ok := p.Oracle.(NonNegative)
	return ok && o.NonNegative()
}

// CurvatureTo passes the Curved ability on. The last stage's method was started on
// the whole problem, and asked for what it needs, before any prefix.
func (p *prefix) CurvatureTo(curvature, slope []float64, lo, hi int) {
	p.Oracle.(Curved).CurvatureTo(curvature, slope, lo, hi)
}

// AddGramTo passes the Curved ability on.
func (p *prefix) AddGramTo(dst, weight []float64, lo, hi int) {
	p.Oracle.(Curved).AddGramTo(dst, weight, lo, hi)
}

// MarginsTo passes the Products ability on.
func (p *prefix) MarginsTo(margin, v []float64, lo, hi int) {
	p.Oracle.(Products).MarginsTo(margin, v, lo, hi)
}

// CurvatureFloorTo passes the Floored ability on.
func (p *prefix) CurvatureFloorTo(curvature, slope []float64, lo, hi int) (radius float64) {
	return p.Oracle.(Floored).CurvatureFloorTo(curvature, slope, lo, hi)
}

// Select passes the Selectable ability on.
func (p *prefix) Select(samples []int) Oracle { return p.Oracle.(Selectable).Select(samples) }

// Bytes is the memory of the prefix.
func (p *prefix) Bytes() int64 {
	n, d, _ := p.Oracle.Dims()
	if s, ok := p.Oracle.(interface{ Bytes() int64 }); ok {
		return int64(float64(s.Bytes()) * float64(p.n) / float64(n))
	}
	return 8 * int64(p.n) * int64(d)
}

// Work scales the Worked ability.
func (p *prefix) Work() (pass, gram float64) {
	n, _, _ := p.Oracle.Dims()
	pass, gram = workOf(p.Oracle)
	share := float64(p.n) / float64(n)
	return share * pass, share * gram
}

// AddSquaresTo passes the Products ability on.
func (p *prefix) AddSquaresTo(dst, weight []float64, lo, hi int) {
	p.Oracle.(Products).AddSquaresTo(dst, weight, lo, hi)
}
