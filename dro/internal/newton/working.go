package newton

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/hessian"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/sampling"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/tuning"
)

// A working set is the samples that the adversary rests on, where these are few: the
// problem restricted to them costs little, and approximates P from below, since it
// takes from the adversary the choice of the others. So it gives a point close to the
// optimum, the Hessian there, and a lower bound of the whole problem. Samples are
// added, never removed: at last nothing outside has weight.
type workingSet struct {
	in    []bool // n
	count int
}

var (
	mostAlone   = tuning.New("working set, coreset: samples", "of n at most", 1.0/8, 1.0/32, 1.0/2)
	mostResting = tuning.New("working set: effective share of the adversary; below it, methods in blocks give way to Newton's", "of n at most", 1.0/16, 1.0/64, 1.0/4)

	coresetRows = tuning.New("coreset: samples", "per column at most", 2000, 500, 8000)
)

// coresetGap is the relative gap that a coreset is solved to. Its optimum is no nearer to that
// of all samples; where less is left to gain there is no use in one.
var coresetGap = tuning.New("coreset: gap that one is solved to, and that must be left for one to be tried", "of the objective", 1e-4, 1e-6, 1e-2)

// extend adds the samples that carry all but a share of the weight y, the heaviest
// ones, count of them at least, and a few of the first for each of the d columns, so
// that no direction is without samples. It reports false when there would be more than
// most.
func (w *workingSet) extend(rows *ranks.Rows, y []float64, share float64, count, most, d int) bool {
	least := sampling.Cutoff(rows, y, share, count)
	first := firstOf(rows, len(y), sampling.RowsPerColumn.Int()*d)
	added := make([]int, rows.Shards(len(y)))
	rows.Run(len(y), func(s, lo, hi int) {
		for j := lo; j < hi; j++ {
			if (w.in == nil || !w.in[j]) && (y[j] >= least || first(lo, j)) {
				added[s]++
			}
		}
	})
	rows.ShareCounts(added)
	total := w.count
	for _, k := range added {
		total += k
	}
	if total > most {
		return false
	}
	if w.in == nil {
		w.in = make([]bool, len(y))
	}
	w.count = total
	rows.Run(len(y), func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			if y[j] >= least || first(lo, j) {
				w.in[j] = true
			}
		}
	})
	return true
}

// firstOf tells which samples are among count first ones: of all, or, where they lie with
// several ranks, of every shard, as many of each. lo is the first of the sample's shard.
func firstOf(rows *ranks.Rows, n, count int) func(lo, j int) bool {
	if rows == nil {
		return func(_, j int) bool { return j < count }
	}
	shards := rows.Shards(n)
	return func(lo, j int) bool { return j-lo < (count+shards-1)/shards }
}

// samples lists the set.
func (w *workingSet) samples(rows *ranks.Rows) []int {
	out := make([]int, 0, w.count)
	lo, hi := rows.Here(len(w.in))
	for j := lo; j < hi; j++ {
		if w.in[j] {
			out = append(out, j)
		}
	}
	return rows.Collect(out)
}

// tryWorkingSet solves the problem on the working set from the current point, extended until
// the solution lowers P, and goes there. It reports false, and leaves the point as it
// is, where the adversary does not rest on few samples, or nothing is gained.
//
// left estimates what is left to gain, +Inf if nothing is known.
func (m *newton) tryWorkingSet(left float64) bool {
	c := m.Cert
	all, selectable := saddle.Ability[saddle.Selectable](m.Problem.Oracle)
	dual, restrictable := saddle.Ability[saddle.Restrictable](m.Problem.Dual)
	if !selectable || !restrictable || m.settled || m.mayFall() || m.Problem.Dual.Modulus() == 0 || c.EffectiveShare() > mostResting.Value {
		return false
	}
	goal := m.Settings.RelativeGap * m.Cert.Best.Magnitude(m.value)
	x := append([]float64(nil), m.x...)
	heaviest := sampling.RowsPerColumn.Int() * c.D
	most := min(int(mostAlone.Value*float64(c.N)), saddle.MostSelected(m.Problem.Oracle))
	tried := false
	for try := 0; m.Ctx.Err() == nil; try++ {
		// What the weight outside is worth: its share times about ν, at most the
		// whole objective.
		gap := math.Min(c.Objective-c.Best.Lower, math.Abs(c.Objective))
		share := math.Min(1e-2, math.Max(0.1*goal, 1e-2*gap)/math.Max(m.Problem.Dual.Modulus(), goal))
		before := m.working.count
		if !m.working.extend(c.Rows, c.Y, share, heaviest<<try, most, c.D) || m.working.count == before {
			break
		}
		tried = true
		m.solveWorking(all, dual, x, math.Max(0.1*goal, 1e-3*gap))
		if m.moveTo(x) {
			return true
		}
	}
	if kind, ok := saddle.Ability[saddle.Coreset](dual); ok && left > coresetGap.Value*math.Abs(m.value) {
		m.solveCoreset(all, kind, x)
		if tried = true; m.moveTo(x) {
			m.settled = true // once
			return true
		}
	}
	if m.settled = true; tried {
		if !slices.Equal(c.X, m.x) {
			c.Evaluate(m.x)
		}
		m.refresh()
	}
	return false
}

// moveTo evaluates x and goes there if it lowers P.
func (m *newton) moveTo(x []float64) bool {
	if slices.Equal(x, m.x) {
		return false
	}
	now := m.Cert.Evaluate(x)
	if !(now < m.value) {
		return false
	}
	m.Logf("newton: the objective falls from %.10g to %.10g", m.value, now)
	m.accept()
	if !m.formed {
		m.refresh()
	}
	m.forget()
	return true
}

// solveWorking minimises the problem restricted to the working set from x, in place,
// to a gap of goal, and takes over its lower bound and its Hessian.
func (m *newton) solveWorking(all saddle.Selectable, dual saddle.Restrictable, x []float64, goal float64) {
	c := m.Cert
	samples := m.working.samples(c.Rows)
	restricted, offset := dual.Restricted(c.N, len(samples))
	passes := c.Passes
	lower := m.solveSubset(&saddle.Problem{Oracle: all.Select(samples), Dual: restricted, Primal: m.Problem.Primal}, x, goal/m.Cert.Best.Magnitude(m.value+offset))
	c.Keep(lower, -offset, 0, 8*saddle.UnitRoundoff*math.Abs(offset))
	m.Logf("newton: the %d samples of most weight solved for by %.3g passes", len(samples), c.Passes-passes)
}

// solveCoreset minimises, from x in place, an estimate of the problem on some of the
// samples, drawn by their weight, each standing for others of its kind.
func (m *newton) solveCoreset(all saddle.Selectable, dual saddle.Coreset, x []float64) {
	c := m.Cert
	count := min(int(mostAlone.Value*float64(c.N)), coresetRows.Int()*c.D, saddle.MostSelected(m.Problem.Oracle))
	d := sampling.NewSystematic(sampling.AllOf(c.Rows, c.N), c.Y, count)
	var samples []int
	var offset []float64
	draw := func(lo, hi int) {
		passed := 0.5
		for j := lo; j < hi; j++ {
			k, p := d.Next(c.Y, j, hi, &passed)
			if j = k; k < hi {
				samples, offset = append(samples, k), append(offset, dual.CoresetOffset(p))
			}
		}
	}
	if c.Rows == nil {
		draw(0, c.N)
	} else {
		c.Rows.EachShard(draw)
		samples, offset = c.Rows.Collect(samples), c.Rows.CollectNumbers(offset)
	}
	passes := c.Passes
	m.solveSubset(&saddle.Problem{Oracle: newPrefix(all.Select(samples), len(samples), offset), Dual: saddle.Here(dual), Primal: m.Problem.Primal}, x, coresetGap.Value)
	if m.estimates() {
		m.formed = false // a draw from all at the end says more
	}
	m.Logf("newton: %d samples, drawn by weight, solved for by %.3g passes", len(samples), c.Passes-passes)
}

// solveSubset minimises a problem on some of the samples from x, in place, takes over
// the Hessian at the end, and returns a lower bound of that problem.
func (m *newton) solveSubset(p *saddle.Problem, x []float64, gap float64) (lower float64) {
	s := saddle.DefaultSettings()
	n, _, _ := p.Oracle.Dims()
	m.Cert.Afford(1 + leastStage*float64(n)/float64(m.Cert.N)) // an evaluation of all comes after
	s.X0, s.MaxPasses, s.Seed, s.RelativeGap = x, m.Cert.Left(1, n, 500), m.Settings.Seed, gap
	m.formed = false
	method := m.method
	if m.estimates() {
		method = Newton{Sample: hessianSample(p.Oracle, n, stageFall.Value), Search: m.line}
	}
	l, err := saddle.NewLoop(p, method, s)
	if err != nil {
		return math.Inf(-1)
	}
	defer l.Close()
	if of, ok := l.Method.(*newton); ok {
		of.settled = true // no sets of sets
	}
	l.Iterate(m.Ctx)
	m.Cert.Passes += l.Cert.Passes * float64(l.Cert.N) / float64(m.Cert.N)
	copy(x, l.Cert.BestX)
	if from, ok := l.Method.(*newton); ok && from.formed {
		m.TakeOver(from.h)
	}
	return l.Cert.Best.Lower
}

// estimates reports whether Hessians are those of samples.
func (m *newton) estimates() bool {
	h, ok := m.h.(*hessian.Factored)
	return ok && h.Samples > 0
}
