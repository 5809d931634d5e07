package newton

import (
	"errors"
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/hessian"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/sampling"
	"github.com/drotrain/drotrain/internal/tuning"
)

// Growing solves the problem on a growing prefix of the samples, each stage
// warm-started from the one before and only as exact as its size deserves, and
// finishes on all of them until certified. With samples in random order the last
// stage starts close to the optimum and needs a few passes. In another order the
// answer is the same, and so is its certificate; only the work grows.
type Growing struct {
	First  int           // samples of the first stage; 0: 8·d
	Factor int           // growth from stage to stage; 0: 8
	Gap    float64       // relative gap of a stage, by estimate where it is Newton's; 0: as far as its optimum is from that of all samples
	Finish saddle.Method // also of the stages; nil: Newton on samples of the Hessian where one can be formed, else NewtonCG
	OnFew  bool          // one stage alone, of half the samples, and that where the adversary rests on few of them at the start
}

var (
	stageGrowth  = tuning.New("growing: samples of a stage", "× the stage before", 8, 3, 20)
	mostStageGap = tuning.New("growing: gap that a stage is solved to", "of the objective at most", 0.1, 0.01, 1)
	growingFrom  = tuning.New("growing: rows from which there are stages", "rows", 10_000, 3000, 50_000)
	growingRows  = tuning.New("growing: rows from which there are stages", "per column", 150, 50, 500)
	largerSample = tuning.New("growing: work that the next smaller sample of a Hessian saves, to be taken", "×", 1.05, 1.001, 1.3)
	stageFall    = tuning.New("growing: fall of the gap that the sample of a stage's Hessian is chosen for; its square of the last one's", "×", 1e-2, 1e-4, 0.2)

	// Of fewer each rank has copies: to send them costs less than the rounds would.
	stageOverRanks = tuning.New("growing: a stage from which ranks share its work", "entries of its rows", 1<<19, 1<<17, 1<<21)
)

// mostStageCopied is how many samples of a stage every rank may have copies of, however few their
// entries.
const mostStageCopied = 1 << 16

var _ saddle.Method = Growing{}

// Name implements Method.
func (Growing) Name() string { return "growing" }

// Start implements Method.
func (m Growing) Start(r *saddle.Run) (saddle.Stepper, error) {
	if m.First < 0 || m.Factor < 0 || m.Factor == 1 || !(m.Gap >= 0) {
		return nil, errors.New("dro: growing needs a first stage of at least one sample, a factor of at least 2 and a positive gap")
	}
	if m.First == 0 {
		m.First = sampling.RowsPerColumn.Int() * r.Cert.D
	}
	if m.Factor == 0 {
		m.Factor = stageGrowth.Int()
	}
	if m.Finish == nil && !hessian.Formable(r.Problem) {
		m.Finish = NewtonCG{}
	}
	g := &growing{Run: r, settings: m, x: append([]float64(nil), r.Start...)}
	for size := g.smaller(float64(r.Cert.N)); size >= float64(m.First); size = g.smaller(size) {
		g.sizes = append(g.sizes, int(size))
	}
	if m.OnFew {
		g.sizes = []int{r.Cert.N / 2}
	}
	_, err := g.finisher(r.Cert.N).Start(r) // fails now rather than after the stages
	return g, err
}

type growing struct {
	*saddle.Run
	settings Growing
	sizes    []int // of the stages to come, the next one last
	x        []float64
	hessian  *hessian.Factored // of the last stage, if it was Newton's
	finish   saddle.Stepper    // nil until the stages are done
	resting  bool              // it is Newton's for the few samples that the adversary rests on
}

// smaller is the stage before one of so many samples. Over ranks rounds cost more than passes do:
// of stages that they share every other one is left out.
func (g *growing) smaller(size float64) float64 {
	size /= float64(g.settings.Factor)
	if g.shared(int(size)) {
		size /= float64(g.settings.Factor)
	}
	return size
}

// shared says that the samples of a stage stay with their ranks.
func (g *growing) shared(size int) bool {
	rows := g.Cert.Rows
	return rows != nil && size >= max(min(stageOverRanks.Int()/g.Cert.D, mostStageCopied), rows.Shards(g.Cert.N))
}

// StartsLate says that the first point worth evaluating on all samples is the
// last stage's, not the starting point.
func (g *growing) StartsLate() bool { return len(g.sizes) > 0 && !g.settings.OnFew }

// Step implements Stepper.
func (g *growing) Step() error {
	if g.settings.OnFew && !g.rests() {
		g.sizes = nil
	}
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
	return g.finish.Step()
}

// rests reports that the adversary rests on few samples at the point evaluated last.
func (g *growing) rests() bool { return g.Cert.EffectiveShare() < mostResting.Value }

// startFinish starts the last stage where the ones before ended.
func (g *growing) startFinish() (err error) {
	if !slices.Equal(g.x, g.Cert.X) || math.IsInf(g.Cert.BestObjective, 1) {
		g.Cert.Evaluate(g.x)
	}
	if math.IsInf(g.Cert.Objective, 1) || g.Cert.Objective > g.Cert.BestObjective {
		g.Logf("growing: the stages ended above the starting point, and are dropped")
		copy(g.x, g.Start)
		g.Cert.Evaluate(g.x)
	}
	copy(g.Start, g.x)
	if g.finish, err = g.last().Start(g.Run); err != nil {
		return err
	}
	if to, ok := saddle.Ability[saddle.Heir](g.finish); ok && g.hessian != nil {
		to.TakeOver(g.hessian)
	}
	return nil
}

// MoveToBest implements Moving: it lets the last stage go on from the best point.
func (g *growing) MoveToBest() {
	if m, ok := saddle.Ability[saddle.Moving](g.finish); ok {
		m.MoveToBest()
	}
}

// Current is the method at work.
func (g *growing) Current() saddle.Stepper {
	if g.finish != nil {
		return g.finish
	}
	return g
}

// leastStage is the passes over its samples that a stage is worth: an evaluation, a
// Hessian and what a step comes to.
const leastStage = 3

// afterStages are the passes kept for when the stages are done: an evaluation of all samples
// where they ended, and another at the start where the objective is not a number there.
const afterStages = 2

// stage solves the problem on the first size samples, where the budget is enough for that
// and for what is to come.
func (g *growing) stage(size int) error {
	var o saddle.Oracle = newPrefix(g.Problem.Oracle, size, nil)
	dual := g.Problem.Dual
	if rows := g.Cert.Rows; rows != nil {
		if g.shared(size) {
			dealt, _ := saddle.Ability[saddle.Dealt](g.Problem.Oracle)
			o, dual = dealt.Part(size), saddle.OfPart(dual, size)
		} else {
			samples := rows.Stratified(g.Cert.N, size)
			all, _ := saddle.Ability[saddle.Selectable](g.Problem.Oracle)
			o, dual, size = all.Select(samples), saddle.OfSamples(dual, samples), len(samples)
		}
	}
	s := saddle.DefaultSettings()
	s.X0, s.Seed = g.x, g.Run.Settings.Seed
	if s.RelativeGap = g.settings.Gap; s.RelativeGap == 0 {
		s.RelativeGap = 1e-3
	}
	if s.MaxPasses = g.Cert.Left(afterStages, size, 200); s.MaxPasses < leastStage {
		return nil
	}
	p, method := &saddle.Problem{Oracle: o, Dual: dual, Primal: g.Problem.Primal}, g.finisher(size)
	if err := saddle.Refusal(method, p); err != nil { // a ball that is not small enough for them
		g.Logf("growing: %d samples are too few: %v", size, err)
		return nil
	}
	l, err := saddle.NewLoop(p, method, s)
	if err != nil {
		return err
	}
	defer l.Close()
	l.Cert.Threshold, l.Cert.HasThreshold = g.Cert.Threshold, g.Cert.HasThreshold
	stage, ok := l.Method.(*newton)
	if ok {
		stage.tolerance, stage.handsOn = func() float64 { return g.settings.gap(l.Cert) }, g.settings.Finish != nil
		if g.hessian != nil {
			stage.TakeOver(g.hessian)
		}
	}
	l.Iterate(g.Ctx)
	if l.Failed != nil {
		return l.Failed
	}
	passes := l.Cert.Passes * float64(size) / float64(g.Cert.N)
	g.Cert.Passes += passes
	g.Cert.Best.Scale = max(g.Cert.Best.Scale, l.Cert.Best.Scale) // the later stages start near the optimum
	copy(g.x, l.Cert.BestX)
	if ok && stage.handsOn && stage.formed {
		g.hessian, _ = stage.h.(*hessian.Factored)
	}
	if ok && stage.arrivedAt {
		copy(g.x, stage.x)
		g.Logf("growing: %d samples to a relative gap of about %.2g, %.3g passes", size, stage.tolerance(), passes)
	} else {
		g.Logf("growing: %d samples to a relative gap of %.2g, %.3g passes", size, l.Cert.Best.Relative(), passes)
	}
	g.Cert.Threshold, g.Cert.HasThreshold = l.Cert.Threshold, l.Cert.HasThreshold // for the next evaluation to guess from
	return nil
}

// last is the method of all samples: that of the settings, but for one in blocks where
// the adversary rests on samples too few to be in every block.
func (g *growing) last() saddle.Method {
	m := g.finisher(g.Cert.N)
	if heir, ok := saddle.Ability[saddle.Inheriting](m); ok && heir.TakesOver() && g.hessian != nil && g.rests() {
		g.Logf("growing: the adversary rests on %.2g of the samples, which are solved for by Newton's method", g.Cert.EffectiveShare())
		g.resting = true
		return Newton{}
	}
	return m
}

// finisher is the method of a stage of so many samples, or of all.
func (g *growing) finisher(samples int) saddle.Method {
	if m := g.settings.Finish; m != nil {
		heir, ok := saddle.Ability[saddle.Inheriting](m)
		if samples == g.Cert.N || !ok || !heir.TakesOver() || !hessian.Formable(g.Problem) {
			return m
		}
	}
	if samples < g.Cert.N {
		return Newton{Sample: hessianSample(g.Problem.Oracle, samples, stageFall.Value)}
	}
	if sample := LastSample(g.Problem.Oracle, samples); sample < samples {
		return Newton{Sample: sample}
	}
	return Newton{}
}

// lastFall is the fall of the gap that the sample of the last Hessian is chosen for.
func lastFall() float64 { return stageFall.Value * stageFall.Value }

// LastSample is the number of all n samples that the last stage estimates Hessians from.
func LastSample(o saddle.Oracle, n int) int {
	if sample := hessianSample(o, n, lastFall()); sample > 0 {
		return sample
	}
	return n
}

// hessianSample returns the number of samples to estimate the Hessian of n samples from
// that takes about the least work until the objective is closer to the optimum by the
// factor reduction; 0 if it is all. A step in the Hessian of m samples brings it closer
// by about 4d/m.
func hessianSample(o saddle.Oracle, n int, reduction float64) int {
	_, d, _ := o.Dims()
	pass, gram := saddle.WorkOf(o)
	best, least := 0, math.Inf(1)
	for m := sampling.RowsPerColumn.Int() * d; 2*m < n; m += m / 4 {
		work := float64(m)/float64(n)*(1+gram/pass) - math.Log(reduction)/math.Log(float64(m)/float64(4*d))
		if largerSample.Value*work < least {
			best, least = m, work
		}
	}
	return best
}

// gap is the relative gap that a stage is solved to: a part of what its optimum is
// expected to be above that of all samples, by the effective number of its samples at
// the point that c evaluated last.
func (m Growing) gap(c *saddle.Certifier) float64 {
	if m.Gap > 0 {
		return m.Gap
	}
	return min(mostStageGap.Value, float64(c.D)/(4*c.EffectiveShare()*float64(c.N)))
}

// Check implements Stepper.
func (g *growing) Check() {
	if g.finish != nil {
		g.finish.Check()
	}
}

// GrowsWell reports whether there are samples enough for a first stage to say something
// about the last.
func GrowsWell(n, d int) bool { return n >= growingFrom.Int() && n >= growingRows.Int()*d }

// Needs implements Method: those of the method that it finishes with.
func (m Growing) Needs() []saddle.Need {
	if m.Finish != nil {
		return m.Finish.Needs()
	}
	return append([]saddle.Need{hessian.NeedFewColumns.Or(saddle.NeedProducts)}, hessian.Needs...)
}

// RunsEverywhere implements Everywhere: as the method that it finishes with.
func (m Growing) RunsEverywhere() bool {
	e, ok := saddle.Ability[saddle.Everywhere](m.Finish)
	return m.Finish == nil || ok && e.RunsEverywhere()
}
