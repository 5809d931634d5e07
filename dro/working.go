package dro

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/internal/ablate"
	"github.com/drotrain/drotrain/internal/shard"
)

// Restrictable is the ability of a Dual to be restricted to weights on some of the
// samples.
type Restrictable interface {
	// Restricted returns the dual on m of n samples and an offset: where every weight
	// is on these m, ψ of all samples is ψ of the dual returned plus the offset.
	Restricted(n, m int) (d Dual, offset float64)
}

// Coreset is the ability of a Dual to let one of the samples drawn with probability p
// stand for the 1/p of its kind, by a constant added to its loss.
type Coreset interface {
	Dual
	Restrictable

	// CoresetOffset returns the constant for a sample of probability p.
	CoresetOffset(p float64) float64
}

// CoresetOffset implements Coreset: ν log(1/p), so that exp(f/ν) counts 1/p times.
func (k KL) CoresetOffset(p float64) float64 { return -k.Nu * math.Log(p) }

// Restricted implements Restrictable: Σ y log(n y) = Σ y log(m y) + log(n/m).
func (k KL) Restricted(n, m int) (d Dual, offset float64) {
	return k, k.Nu * math.Log(float64(n)/float64(m))
}

// Restricted implements Restrictable: (νn/2)Σy² − ν/2, of which the first term is that
// of m samples and ν·n/m.
func (c ChiSquare) Restricted(n, m int) (d Dual, offset float64) {
	ratio := float64(n) / float64(m)
	up := 1 + 8*unit // so that rounding does not take from the penalty
	return ChiSquare{c.Nu * ratio * up}, c.Nu / 2 * (ratio - 1)
}

// A working set is the samples that the adversary rests on, where these are few: the
// problem restricted to them costs little, and approximates P from below, since it
// takes from the adversary the choice of the others. So it gives a point close to the
// optimum, the Hessian there, and a lower bound of the whole problem. Samples are
// added, never removed: at last nothing outside has weight.
type workingSet struct {
	in    []bool // n
	count int
}

const (
	mostWorking  = 1.0 / 8  // of the samples: beyond, the set is no saving
	mostSpread   = 1.0 / 16 // of the samples, their effective number
	fewestRows   = 4096     // samples below which every pass is cheap
	workingTries = 6        // solves of a jump, each on more samples
)

// spread returns the effective number of samples that the adversary rests on, as a
// share of all.
func (c *certifier) spread() float64 { return whole(c.n).effectiveNumber(c.y) / float64(c.n) }

// extend adds the samples that carry all but a share of the weight y, the heaviest
// ones, count of them at least, and a few of the first for each of the d columns, so
// that no direction is without samples. It reports false when there would be too many.
func (w *workingSet) extend(y []float64, share float64, count, d int) bool {
	if w.in == nil {
		w.in = make([]bool, len(y))
	}
	least := lightest(y, share, count)
	first := min(len(y), 8*d)
	var added [shard.Limit]int
	shard.Run(len(y), func(s, lo, hi int) {
		for j := lo; j < hi; j++ {
			if !w.in[j] && (y[j] >= least || j < first) {
				added[s]++
			}
		}
	})
	total := w.count
	for _, k := range added {
		total += k
	}
	if float64(total) > mostWorking*float64(len(y)) {
		return false
	}
	w.count = total
	shard.Run(len(y), func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			if y[j] >= least || j < first {
				w.in[j] = true
			}
		}
	})
	return true
}

// samples lists the set.
func (w *workingSet) samples() []int {
	out := make([]int, 0, w.count)
	for j, in := range w.in {
		if in {
			out = append(out, j)
		}
	}
	return out
}

// lightest returns a power of two such that the weights below it, of at most 1, are
// positive, at most the share of their sum, and not among the count largest.
func lightest(y []float64, share float64, count int) float64 {
	const binades = 1024 // the last one is of all that are subnormal
	var mass [shard.Limit][]float64
	var number [shard.Limit][]int
	shard.Run(len(y), func(s, lo, hi int) {
		mass[s], number[s] = make([]float64, binades), make([]int, binades)
		for _, v := range y[lo:hi] {
			if v > 0 {
				k := min(binades-1, max(0, 1023-int(math.Float64bits(v)>>52))) // 2^−k ≤ v < 2^(1−k)
				mass[s][k] += v
				number[s][k]++
			}
		}
	})
	total, above, have := 0.0, 0.0, 0
	shards := shard.Count(len(y))
	for s := range shards {
		total += sum(mass[s])
	}
	for k := range binades - 1 {
		for s := range shards {
			above += mass[s][k]
			have += number[s][k]
		}
		if total-above <= share*total && have >= count {
			return math.Ldexp(1, -k)
		}
	}
	return math.SmallestNonzeroFloat64
}

// jump solves the problem on the working set from the current point, extended until
// the solution lowers P, and goes there. It reports false, and leaves the point as it
// is, where the adversary does not rest on few samples, or nothing is gained.
//
// left estimates what is left to gain, +Inf if nothing is known.
func (m *newton) jump(left float64) bool {
	const coarse = 1e-3 // what a core leaves of the objective
	c := m.cert
	all, selectable := ability[Selectable](m.problem.Oracle)
	dual, restrictable := m.problem.Dual.(Restrictable)
	if !selectable || !restrictable || m.grounded || m.problem.Dual.Modulus() == 0 || c.n < fewestRows || c.spread() > mostSpread {
		return false
	}
	goal := m.settings.RelativeGap * max(1e-12, math.Abs(m.value))
	x := append([]float64(nil), m.x...)
	heaviest := max(32*c.d, c.n/256)
	tried := false
	for try := range workingTries {
		if m.ctx.Err() != nil || ablate.Off.WorkingSets {
			break
		}
		// What the weight outside is worth: its share times about ν, at most the
		// whole objective.
		gap := math.Min(c.objective-c.best.Lower, math.Abs(c.objective))
		share := math.Min(1e-2, math.Max(0.1*goal, 1e-2*gap)/math.Max(m.problem.Dual.Modulus(), goal))
		before := m.working.count
		if !m.working.extend(c.y, share, heaviest<<try, c.d) || m.working.count == before {
			break
		}
		tried = true
		m.solveWorking(all, dual, x, math.Max(0.1*goal, 1e-3*gap))
		if m.landed(x) {
			return true
		}
	}
	if kind, ok := dual.(Coreset); ok && !ablate.Off.Coresets && left > coarse*math.Abs(m.value) && m.solveCore(all, kind, x) {
		if tried = true; m.landed(x) {
			m.grounded = true // once
			return true
		}
	}
	if m.grounded = true; tried {
		if !slices.Equal(c.x, m.x) {
			c.evaluate(m.x)
		}
		m.refresh()
	}
	return false
}

// landed evaluates x and goes there if it lowers P.
func (m *newton) landed(x []float64) bool {
	if slices.Equal(x, m.x) {
		return false
	}
	now := m.cert.evaluate(x)
	if !(now < m.value) {
		return false
	}
	m.logf("newton: the objective falls from %.10g to %.10g", m.value, now)
	m.accept()
	if !m.formed {
		m.refresh()
	}
	m.forget()
	return true
}

// solveWorking minimises the problem restricted to the working set from x, in place,
// to a gap of goal, and takes over its lower bound and its Hessian.
func (m *newton) solveWorking(all Selectable, dual Restrictable, x []float64, goal float64) {
	c := m.cert
	samples := m.working.samples()
	restricted, offset := dual.Restricted(c.n, len(samples))
	passes := c.passes
	lower := m.solvePart(&Problem{all.Select(samples), restricted, m.problem.Primal}, x, goal/max(1e-12, math.Abs(m.value+offset)))
	c.keep(lower, -offset, 0, 8*unit*math.Abs(offset))
	m.logf("newton: the %d samples of most weight solved for by %.3g passes", len(samples), c.passes-passes)
}

// solveCore minimises, from x in place, an estimate of the problem on some of the
// samples, drawn by their weight, each standing for others of its kind. It reports false
// where the adversary rests on many samples: a prefix says as much then.
func (m *newton) solveCore(all Selectable, dual Coreset, x []float64) bool {
	const (
		most  = 1.0 / 32 // of the samples, their effective number
		share = 1.0 / 8  // of the samples
		rows  = 2000     // a column
	)
	c := m.cert
	if c.spread() > most {
		return false
	}
	count := min(int(share*float64(c.n)), rows*c.d)
	d := newDraw(whole(c.n), c.y, count)
	samples, offset := make([]int, 0, count+count/8), make([]float64, 0, count+count/8)
	passed := 0.5
	for j := 0; j < c.n; j++ {
		k, p := d.next(c.y, j, c.n, &passed)
		if j = k; k < c.n {
			samples, offset = append(samples, k), append(offset, dual.CoresetOffset(p))
		}
	}
	passes := c.passes
	m.solvePart(&Problem{&view{all.Select(samples), len(samples), offset}, dual, m.problem.Primal}, x, 1e-4)
	if m.estimates() {
		m.formed = false // a draw from all at the end says more
	}
	m.logf("newton: %d samples, drawn by weight, solved for by %.3g passes", len(samples), c.passes-passes)
	return true
}

// solvePart minimises a problem on some of the samples from x, in place, takes over
// the Hessian at the end, and returns a lower bound of that problem.
func (m *newton) solvePart(p *Problem, x []float64, gap float64) (lower float64) {
	s := DefaultSettings()
	s.X0, s.MaxPasses, s.Seed, s.RelativeGap = x, 500, m.settings.Seed, gap
	m.formed = false
	method := m.method
	if m.estimates() {
		n, _, _ := p.Oracle.Dims()
		method = Newton{Sample: hessianSample(p.Oracle, n, 1e-2)}
	}
	l, err := newLoop(p, method, s)
	if err != nil {
		return math.Inf(-1)
	}
	l.loop(m.ctx)
	m.cert.passes += l.cert.passes * float64(l.cert.n) / float64(m.cert.n)
	copy(x, l.cert.bestX)
	if from, ok := l.method.(*newton); ok {
		if h, ok := from.h.(*metric); ok {
			m.inherit(h)
		}
	}
	return l.cert.best.Lower
}

// estimates reports whether Hessians are those of samples.
func (m *newton) estimates() bool {
	h, ok := m.h.(*metric)
	return ok && h.sample > 0
}

func (w *workingSet) visit(s *state, n int) {
	s.integer(&w.count)
	if w.count == 0 {
		return
	}
	samples := make([]int, w.count)
	if s.reading {
		w.in = make([]bool, n)
	} else {
		samples = w.samples()
	}
	for i := range samples {
		if s.integer(&samples[i]); s.err == nil && s.reading && samples[i] >= 0 && samples[i] < n {
			w.in[samples[i]] = true
		}
	}
}
