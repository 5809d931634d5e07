package dro

import (
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
	First  int     // samples of the first stage; 0: 8·d
	Factor int     // growth from stage to stage; 0: 8
	Gap    float64 // relative gap of a stage of so many samples, mostly by estimate; 0: d/(4·samples), at most 1e-3
	Finish Method  // also of the stages; nil: Newton where a Hessian can be formed, else NewtonCG
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
	if m.Finish == nil {
		m.Finish = Newton{}
		if !practicable(r.problem) {
			m.Finish = NewtonCG{}
		}
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
	o := &view{Oracle: g.problem.Oracle, n: size}
	s := DefaultSettings()
	s.X0, s.RelativeGap, s.Seed = g.x, g.settings.gap(size, g.cert.d), g.run.settings.Seed
	s.MaxPasses = 200
	l, err := newLoop(&Problem{o, g.problem.Dual, g.problem.Primal}, g.settings.Finish, s)
	if err != nil {
		return err
	}
	l.cert.level, l.cert.levelled = g.cert.level, g.cert.levelled
	stage, ok := l.method.(*newton)
	if ok {
		stage.enough = s.RelativeGap
		stage.inherit(g.metric)
	}
	l.loop(g.ctx)
	passes := l.cert.passes * float64(size) / float64(g.cert.n)
	g.cert.passes += passes
	copy(g.x, l.cert.bestX)
	if ok {
		g.metric, _ = stage.h.(*metric)
	}
	if ok && stage.near {
		copy(g.x, stage.x)
		g.logf("growing: %d samples to a relative gap of about %.2g, %.3g passes", size, s.RelativeGap, passes)
	} else {
		g.logf("growing: %d samples to a relative gap of %.2g, %.3g passes", size, l.cert.best.Relative(), passes)
	}
	g.cert.level, g.cert.levelled = l.cert.level, l.cert.levelled // for the next evaluation to guess from
	return nil
}

// gap is what a stage is solved to: less than its optimum is expected to be away from
// that of all samples.
func (m Growing) gap(samples, d int) float64 {
	if m.Gap > 0 {
		return m.Gap
	}
	return min(1e-3, float64(d)/float64(4*samples))
}

func (g *growing) check() {
	if g.finish != nil {
		g.finish.check()
	}
}
