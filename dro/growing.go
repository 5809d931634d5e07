package dro

import (
	"errors"
	"math"
	"slices"

	"github.com/drotrain/drotrain/internal/ablate"
)

// Growing solves the problem on a growing prefix of the samples, each stage
// warm-started from the one before and only as exact as its size deserves, and
// finishes on all of them until certified. With samples in random order the last
// stage starts close to the optimum and needs a few passes. In another order the
// answer is the same, and so is its certificate; only the work grows.
type Growing struct {
	First  int     // samples of the first stage; 0: 8·d
	Factor int     // growth from stage to stage; 0: 8
	Gap    float64 // relative gap of a stage, by estimate where it is Newton's; 0: as far as its optimum is from that of all samples
	Finish Method  // also of the stages; nil: Newton on samples of the Hessian where one can be formed, else NewtonCG
}

var _ Method = Growing{}

// Name implements Method.
func (Growing) Name() string { return "growing" }

func (m Growing) start(r *run) (stepper, error) {
	if m.First < 0 || m.Factor < 0 || m.Factor == 1 || !(m.Gap >= 0) {
		return nil, errors.New("dro: growing needs a first stage of at least one sample, a factor of at least 2 and a positive gap")
	}
	if m.First == 0 {
		m.First = 8 * r.cert.d
	}
	if m.Factor == 0 {
		m.Factor = 8
	}
	if m.Finish == nil && !practicable(r.problem) {
		m.Finish = NewtonCG{}
	}
	g := &growing{run: r, settings: m, x: append([]float64(nil), r.x0...)}
	for size := float64(r.cert.n) / float64(m.Factor); size >= float64(m.First) && !ablate.Off.Prefixes; size /= float64(m.Factor) {
		g.sizes = append(g.sizes, int(size))
	}
	_, err := g.finisher(r.cert.n).start(r) // fails now rather than after the stages
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
	if g.finish, err = g.finisher(g.cert.n).start(g.run); err != nil {
		return err
	}
	if to, ok := g.finish.(*newton); ok && g.metric != nil {
		to.inherit(g.metric)
	}
	return nil
}

// stage solves the problem on the first size samples.
func (g *growing) stage(size int) error {
	o := &view{Oracle: g.problem.Oracle, n: size}
	s := DefaultSettings()
	s.X0, s.Seed = g.x, g.run.settings.Seed
	if s.RelativeGap = g.settings.Gap; s.RelativeGap == 0 {
		s.RelativeGap = 1e-3
	}
	s.MaxPasses = 200
	l, err := newLoop(&Problem{o, g.problem.Dual, g.problem.Primal}, g.finisher(size), s)
	if err != nil {
		return err
	}
	l.cert.level, l.cert.levelled = g.cert.level, g.cert.levelled
	stage, ok := l.method.(*newton)
	if ok {
		stage.enough, stage.heir = func() float64 { return g.settings.gap(l.cert) }, g.settings.Finish != nil
		stage.inherit(g.metric)
	}
	l.loop(g.ctx)
	if l.failed != nil {
		return l.failed
	}
	passes := l.cert.passes * float64(size) / float64(g.cert.n)
	g.cert.passes += passes
	copy(g.x, l.cert.bestX)
	if ok && stage.heir {
		g.metric, _ = stage.h.(*metric)
	}
	if ok && stage.near {
		copy(g.x, stage.x)
		g.logf("growing: %d samples to a relative gap of about %.2g, %.3g passes", size, stage.enough(), passes)
	} else {
		g.logf("growing: %d samples to a relative gap of %.2g, %.3g passes", size, l.cert.best.Relative(), passes)
	}
	g.cert.level, g.cert.levelled = l.cert.level, l.cert.levelled // for the next evaluation to guess from
	return nil
}

// finisher is the method of a stage of so many samples, or of all.
func (g *growing) finisher(samples int) Method {
	if g.settings.Finish != nil {
		return g.settings.Finish
	}
	if samples < g.cert.n {
		return Newton{Sample: hessianSample(g.problem.Oracle, samples, 1e-2)}
	}
	if sample := lastSample(g.problem.Oracle, samples); sample < samples {
		return Newton{Sample: sample}
	}
	return Newton{}
}

// lastSample is the number of all n samples that the last stage estimates Hessians from.
func lastSample(o Oracle, n int) int {
	if sample := hessianSample(o, n, 1e-4); sample > 0 {
		return sample
	}
	return n
}

// hessianSample returns the number of samples to estimate the Hessian of n samples from
// that takes about the least work until the objective is closer to the optimum by the
// factor reduction; 0 if it is all. A step in the Hessian of m samples brings it closer
// by about 4d/m.
func hessianSample(o Oracle, n int, reduction float64) int {
	const about = 1.05
	_, d, _ := o.Dims()
	if ablate.Off.SampledHessians {
		return 0
	}
	pass, gram := workOf(o)
	best, least := 0, math.Inf(1)
	for m := 8 * d; 2*m < n; m += m / 4 {
		work := float64(m)/float64(n)*(1+gram/pass) - math.Log(reduction)/math.Log(float64(m)/float64(4*d))
		if about*work < least {
			best, least = m, work
		}
	}
	return best
}

// gap is the relative gap that a stage is solved to: a part of what its optimum is
// expected to be above that of all samples, by the effective number of its samples at
// the point that c evaluated last.
func (m Growing) gap(c *certifier) float64 {
	const most = 0.1
	if m.Gap > 0 {
		return m.Gap
	}
	return min(most, float64(c.d)/(4*c.spread()*float64(c.n)))
}

func (g *growing) check() {
	if g.finish != nil {
		g.finish.check()
	}
}
