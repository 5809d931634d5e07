package newton

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/hessian"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/sampling"
)

const (
	// prefixGrowth is the number of rows of a prefix, relative to the one before.
	prefixGrowth = 8

	// prefixRows and prefixRowsPerColumn are the numbers of rows from which there are prefixes.
	prefixRows          = 10_000
	prefixRowsPerColumn = 150

	// prefixGap is the relative gap that a prefix is solved to at most.
	prefixGap = 0.1

	// sampleRows are the rows per column that a Hessian is estimated from, and samplePasses its cost
	// in passes below which more rows are taken.
	sampleRows   = 64
	samplePasses = 0.25

	// sharedRows is the number of rows of a prefix from which MPI ranks share its work, however few
	// their entries.
	sharedRows = 1 << 16

	// leastStage is the passes over its rows that a prefix or a stage is worth.
	leastStage = 3

	// afterStages are the passes kept for when the prefixes are done: an evaluation of all rows where
	// they ended, and another at the start.
	afterStages = 2
)

// SharedEntries is the number of entries of the rows of a prefix from which MPI ranks share its work;
// of a smaller one each rank has a copy, since sending it costs less than rounds of messages. Tests
// change it.
var SharedEntries = 1 << 19

// sampleOf returns the number of rows to estimate a Hessian from; 0: all.
func sampleOf(o saddle.Oracle) int {
	n, d, _ := o.Dims()
	pass, gram := saddle.WorkOf(o)
	if m := max(sampleRows*d, int(samplePasses*float64(n)*pass/(pass+gram))); 2*m < n {
		return m
	}
	return 0
}

// GrowsWell reports whether there are rows enough for a prefix to say something about all.
func GrowsWell(n, d int) bool { return n >= prefixRows && n >= prefixRowsPerColumn*d }

// prefixSizes lists the rows of the prefixes before all rows, the largest first. A solve that is
// given a starting point is taken to start close to the optimum, without prefixes.
func prefixSizes(r *saddle.Run, first int) (sizes []int) {
	n, d := r.Cert.N, r.Cert.D
	if first == 0 {
		if first = sampling.RowsPerColumn * d; !GrowsWell(n, d) || r.Settings.X0 != nil {
			return nil
		}
	}
	for size := float64(n) / prefixGrowth; size >= float64(first); size /= prefixGrowth {
		if shared(r, int(size)) { // rounds of messages cost more than passes: every other prefix is left out
			if size /= prefixGrowth; size < float64(first) {
				break
			}
		}
		sizes = append(sizes, int(size))
	}
	return sizes
}

// shared reports whether the rows of a prefix stay with their ranks.
func shared(r *saddle.Run, size int) bool {
	rows := r.Cert.Rows
	return rows != nil && size >= max(min(SharedEntries/r.Cert.D, sharedRows), rows.Shards(r.Cert.N))
}

// OnPrefixes is a method that starts where Newton's method on prefixes of the rows ended, with the
// Hessian of the last prefix. Where rows are too few for prefixes, one half of them is taken, if
// the adversary has its weight on few of them at the start.
type OnPrefixes struct{ Last saddle.Method }

// Name implements Method: the name of the last method.
func (m OnPrefixes) Name() string { return m.Last.Name() }

// Needs implements Method: those of the last method.
func (m OnPrefixes) Needs() []saddle.Need { return m.Last.Needs() }

// RunsSharded implements saddle.ShardedMethod: as the last method does.
func (m OnPrefixes) RunsSharded() bool {
	d, ok := m.Last.(saddle.ShardedMethod)
	return ok && d.RunsSharded()
}

// Start implements Method.
func (m OnPrefixes) Start(r *saddle.Run) (saddle.Stepper, error) {
	p := &prefixed{Run: r, last: m.Last, handsOn: true, sizes: prefixSizes(r, 0), x: slices.Clone(r.Start)}
	if !GrowsWell(r.Cert.N, r.Cert.D) {
		p.sizes, p.onFew = []int{r.Cert.N / 2}, true
	}
	return p, nil
}

// A prefixed solve is on growing prefixes of the rows, each from where the one before ended and
// only as exact as its size deserves, and on all of them at last. With rows in random order the
// last stage starts close to the optimum and needs a few passes; in another order the answer and
// its certificate are the same, and the work grows.
type prefixed struct {
	*saddle.Run
	method  Newton // of the prefixes
	last    saddle.Method
	handsOn bool // the last method takes a Hessian over
	onFew   bool // there is a prefix only if the adversary has its weight on few rows at the start
	sizes   []int
	x       []float64
	hessian *hessian.Factored // of the last prefix, where it is handed on
	current saddle.Stepper    // the last method; nil: there are prefixes to come
}

// StartsLate reports that the first point worth evaluating on all rows is where the prefixes end.
func (g *prefixed) StartsLate() bool { return len(g.sizes) > 0 && !g.onFew }

// Step implements Stepper.
func (g *prefixed) Step() error {
	if g.onFew && g.current == nil && g.Cert.EffectiveShare() >= fewRows {
		g.sizes = nil
	}
	if k := len(g.sizes); k > 0 {
		size := g.sizes[k-1]
		g.sizes = g.sizes[:k-1]
		return g.prefix(size)
	}
	if g.current == nil {
		if err := g.startLast(); err != nil {
			return err
		}
	}
	return g.current.Step()
}

// prefix solves the problem on the first size rows, where the budget allows for it and what follows.
func (g *prefixed) prefix(size int) error {
	model, err := saddle.Required[saddle.Model](g.Problem.Oracle)
	if err != nil {
		return err
	}
	o := model.Prefix(size)
	dual := g.Problem.Dual
	if rows := g.Cert.Rows; rows != nil {
		if shared(g.Run, size) {
			linear, err := saddle.Required[saddle.LinearModel](model)
			if err != nil {
				return err
			}
			o, dual = linear.Part(size), saddle.OfPart(dual, size)
		} else {
			samples := rows.Stratified(g.Cert.N, size)
			o, dual, size = model.Select(samples), saddle.OfSamples(dual, samples), len(samples)
		}
	}
	s := saddle.DefaultSettings()
	s.X0, s.Seed, s.RelativeGap = g.x, g.Run.Settings.Seed, 1e-3
	if g.Settings.X0 == nil && slices.Equal(g.x, g.Start) {
		s.X0 = nil // the same point, at which scales are looked at
	}
	if s.MaxPasses = g.Cert.Left(afterStages, size, 200); s.MaxPasses < leastStage {
		return nil
	}
	p, method := &saddle.Problem{Oracle: o, Dual: dual, Primal: g.Problem.Primal}, g.method
	method.First = math.MaxInt
	if err := saddle.Refusal(method, p); err != nil { // such as a ball that is not small enough for them
		g.Logf("newton: %d rows are too few: %v", size, err)
		return nil
	}
	l, err := saddle.NewLoop(p, method, s)
	if err != nil {
		return err
	}
	defer l.Close()
	l.Cert.Last = g.Cert.Last
	stage, ok := l.Method.(*newton)
	if ok {
		stage.tolerance, stage.handsOn = func() float64 { return statisticalGap(l.Cert) }, g.handsOn
		if g.hessian != nil {
			stage.TakeOver(g.hessian)
		}
	}
	l.Iterate(g.Ctx)
	if l.Failed != nil {
		return l.Failed
	}
	g.Cert.Passes += l.Cert.Passes * float64(size) / float64(g.Cert.N)
	copy(g.x, l.Cert.BestX)
	if ok && stage.formed && !math.IsInf(l.Cert.BestObjective, 1) {
		g.hessian, _ = stage.h.(*hessian.Factored)
	}
	if ok && stage.arrivedAt {
		copy(g.x, stage.x)
	}
	g.Logf("newton: %d rows: %v, %.3g passes over them", size, l.Result.Status, l.Cert.Passes)
	g.Cert.Last = l.Cert.Last // for the next evaluation to guess from
	return nil
}

// statisticalGap returns the relative gap that a prefix is solved to: a part of what its optimum is
// expected to be above that of all rows, by the effective number of its rows at the point that c
// evaluated last.
func statisticalGap(c *saddle.Certifier) float64 {
	return min(prefixGap, float64(c.D)/(4*c.EffectiveShare()*float64(c.N)))
}

// startLast starts the last method where the prefixes ended.
func (g *prefixed) startLast() (err error) {
	if !slices.Equal(g.x, g.Cert.X) || math.IsInf(g.Cert.BestObjective, 1) {
		g.Cert.Evaluate(g.x)
	}
	if math.IsInf(g.Cert.Objective, 1) || g.Cert.Objective > g.Cert.BestObjective {
		g.Logf("newton: the prefixes ended above the starting point, and are dropped")
		copy(g.x, g.Start)
		g.Cert.Evaluate(g.x)
	}
	copy(g.Start, g.x)
	last := g.last
	if n, ok := last.(Newton); ok {
		n.First = math.MaxInt
		last = n
	} else if g.hessian != nil && g.Cert.EffectiveShare() < fewRows {
		g.Logf("newton: the adversary has its weight on %.2g of the rows, which Newton's method solves for", g.Cert.EffectiveShare())
		last = Newton{First: math.MaxInt}
	}
	if g.current, err = last.Start(g.Run); err != nil {
		return err
	}
	if to, ok := g.current.(saddle.Heir); ok && g.hessian != nil {
		to.TakeOver(g.hessian)
	}
	return nil
}

// Current returns the method at work.
func (g *prefixed) Current() saddle.Stepper {
	if g.current != nil {
		return g.current
	}
	return g
}

// Check implements Stepper.
func (g *prefixed) Check() {
	if g.current != nil {
		g.current.Check()
	}
}
