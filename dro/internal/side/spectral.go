package side

import (
	"errors"
	"math"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/dro/spectrum"
	"github.com/drotrain/drotrain/internal/compensated"
	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/ranks"
)

// A Spectral is the adversary whose largest weights depend on the ranks of the losses,
//
//	Y = {y ∈ Δ : Σ_{j∈A} y_j ≤ g(Σ_{j∈A} w_j) for every set A},   ψ(y) = (Nu/2) Σ_j (y_j − w_j)²/w_j,
//
// where g is the Upper of the spectrum and w has sum 1. For Nu = 0 its risk is Σ_i f_(i) (g(t_i) − g(t_{i+1})),
// with losses f_(i) in ascending order, where t_i is the reference weight of the losses from f_(i) on. For Nu > 0
// it is
//
//	R(f) = min over u of  R_0(u) + Σ_j w_j (f_j − u_j) + Σ_j w_j (f_j − u_j)²/(2 Nu),   u in the order of f,
//
// an isotonic regression: u is constant on blocks of successive losses, and y_j = w_j (1 + (f_j − u_j)/Nu).
type Spectral struct {
	Spectrum spectrum.Spectrum
	Nu       float64 // ≥ 0, in loss units
	// w ≥ 0, one for each sample, with any positive sum; nil means equal weights. A prefix of the samples has
	// the prefix of w.
	Weights []float64

	center []float64   // weights from which the penalty measures the distance, instead of w; nil means w
	rows   *ranks.Rows // distribution of the samples over ranks; nil for a single process
}

var (
	_ engine.Adversary   = Spectral{}
	_ engine.Curved      = Spectral{}
	_ engine.Smoothable  = Spectral{}
	_ engine.Recentred   = Spectral{}
	_ engine.Pieced      = Spectral{}
	_ engine.Distributed = Spectral{}
)

// Around implements Recentred. The penalty is (nu/2) Σ_j (y_j − c_j)²/w_j.
func (s Spectral) Around(c []float64, nu float64) saddle.Dual {
	s.Nu, s.center = nu, c
	return s
}

// shiftLosses returns the losses f_j + Nu (c_j/w_j − 1), for which the best response with the penalty around w
// equals that to f with the penalty around the center c. It also returns the constant by which the risk at f
// exceeds that at the returned losses.
func (s Spectral) shiftLosses(r *reference, f []float64) (moved []float64, constant float64) {
	if s.center == nil {
		return f, 0
	}
	moved = make([]float64, len(f))
	var sum compensated.Sum
	for j, v := range f {
		if moved[j] = v; r.weightAt(j) > 0 {
			w := r.weightAt(j) / r.total
			a := s.center[j]/w - 1
			moved[j] += s.Nu * a
			sum.Add(w * a)
			sum.Add(w * a * a / 2)
		}
	}
	return moved, -s.Nu * sum.Value()
}

// divergenceOf returns ½ Σ_j (y_j − c_j)²/w_j, and the same for c = w.
func (s Spectral) divergenceOf(r *reference, y []float64) (around, plain float64) {
	plain = r.divergence(y, PearsonChi2, 0, len(y)) / r.total
	if s.center == nil {
		return plain, plain
	}
	for j, v := range y {
		if w := r.weightAt(j) / r.total; w > 0 {
			around += (v - s.center[j]) / w * (v - s.center[j]) / 2
		}
	}
	return around, plain
}

// Valid implements Adversary.
func (s Spectral) Valid(n int) error {
	if s.rows != nil {
		return errors.New("total variation and spectral risks sort the losses and therefore need all rows in one process")
	}
	if err := s.Spectrum.Validate(); err != nil {
		return err
	}
	return checkWeights(nil, s.Weights, n)
}

// Region implements Adversary.
func (s Spectral) Region() engine.Region { return engine.Part }

// Modulus implements Dual.
func (s Spectral) Modulus() float64 { return s.Nu }

// Value implements Dual.
func (s Spectral) Value(y []float64) float64 {
	if s.Nu == 0 {
		return 0
	}
	r := newReference(nil, s.Weights, len(y))
	around, _ := s.divergenceOf(&r, y)
	return s.Nu * around
}

// A ranking holds the best response of a Spectral to losses, in the blocks of the isotonic regression.
type ranking struct {
	engine.Ranks
	above []float64 // reference weight of the samples from each position on, followed by 0
	level []float64 // the level u of every block
	mass  []float64 // for every block, its weight divided by its reference weight
	mean  []float64 // for every block, its mean loss minus the least loss
}

// rank returns the ranking of the samples with weight, without blocks, or nil if a loss is not finite.
func (s Spectral) rank(r *reference, f []float64) *ranking {
	keys, samples := make([]uint64, 0, len(f)), make([]int32, 0, len(f))
	for j, v := range f {
		if r.weightAt(j) > 0 {
			if v-v != 0 {
				return nil
			}
			keys, samples = append(keys, orderedBits(v)), append(samples, int32(j))
		}
	}
	samples = sortByKey(keys, samples)
	k := len(samples)
	a := &ranking{Ranks: engine.Ranks{Order: samples}, above: make([]float64, k+1)}
	var sum compensated.Sum
	for i := k - 1; i >= 0; i-- {
		sum.Add(r.weightAt(int(samples[i])))
		a.above[i] = sum.Value()
	}
	total := a.above[0]
	for i := range a.above {
		a.above[i] /= total
	}
	return a
}

// sortByKey returns the samples in ascending order of their keys; samples with equal keys are in ascending order.
// It uses a radix sort and overwrites both slices.
func sortByKey(keys []uint64, samples []int32) []int32 {
	const digit, parts = 11, 1 << 11
	otherKeys, other := make([]uint64, len(keys)), make([]int32, len(keys))
	for shift := 0; shift < 64; shift += digit {
		var next [parts]int
		for _, k := range keys {
			next[k>>shift%parts]++
		}
		if len(keys) == 0 || next[keys[0]>>shift%parts] == len(keys) { // all keys have the same digit
			continue
		}
		at := 0
		for p, count := range next {
			next[p], at = at, at+count
		}
		for i, k := range keys {
			p := k >> shift % parts
			otherKeys[next[p]], other[next[p]] = k, samples[i]
			next[p]++
		}
		keys, otherKeys, samples, other = otherKeys, keys, other, samples
	}
	return samples
}

// maxMass returns the maximum weight of the positions [lo, hi) if those from hi on have their maximum weight.
func (s Spectral) maxMass(a *ranking, lo, hi int) float64 {
	if below := 1 - a.above[hi]; below < 0.5 {
		return s.Spectrum.Lower(below) - s.Spectrum.Lower(1-a.above[lo])
	}
	return s.Spectrum.Upper(a.above[lo]) - s.Spectrum.Upper(a.above[hi])
}

// respond stores the best response in y and returns it with its risk. If a loss is not finite, the ranking is nil
// and the risk is NaN.
func (s Spectral) respond(y, f []float64) (a *ranking, risk float64) {
	r := newReference(nil, s.Weights, len(f))
	clear(y)
	losses := f
	f, _ = s.shiftLosses(&r, f)
	if a = s.rank(&r, f); a == nil {
		top := r.largestLoss(f)
		r.weightsTo(y)
		return nil, top - top + top
	}
	s.formBlocks(&r, a, f)
	var linear compensated.Sum
	for b := range a.level {
		in := a.Block(b)
		for _, j := range in {
			w := r.weightAt(int(j)) / r.total
			off := a.mass[b] - 1
			if s.Nu > 0 {
				off += (f[j] - f[in[0]] - a.mean[b]) / s.Nu
			}
			off = max(off, -1)
			y[j] = w * (1 + off)
			linear.Add(y[j] * losses[j])
		}
	}
	return a, linear.Value() - s.Value(y)
}

// formBlocks pools successive losses until the levels u of the blocks increase.
func (s Spectral) formBlocks(r *reference, a *ranking, f []float64) {
	last := len(a.Order) - 1
	if last < 0 {
		return
	}
	type block struct {
		start        int
		weight, loss float64 // Σ w, and Σ w (f − low), where low is the least loss
		mass, level  float64 // weight divided by Σ w, and u
	}
	stack := make([]block, 0, 64)
	for i := 0; i <= last; {
		b := block{start: i}
		low := f[a.Order[i]]
		for ; i <= last && f[a.Order[i]] == low; i++ { // ties
			b.weight += r.weightAt(int(a.Order[i])) / r.total
		}
		for {
			b.mass = s.maxMass(a, b.start, i) / b.weight
			b.level = low + (b.loss/b.weight - s.Nu*(b.mass-1))
			k := len(stack) - 1
			if k < 0 || s.Nu == 0 || stack[k].level < b.level {
				break
			}
			before := stack[k]
			least := f[a.Order[before.start]]
			b.loss += before.loss + b.weight*(low-least)
			b.start, b.weight, low = before.start, b.weight+before.weight, least
			stack = stack[:k]
		}
		stack = append(stack, b)
	}
	for _, b := range stack {
		a.Start = append(a.Start, int32(b.start))
		a.mass, a.level, a.mean = append(a.mass, b.mass), append(a.level, b.level), append(a.mean, b.loss/b.weight)
	}
	a.Start = append(a.Start, int32(last+1))
}

// BestResponseTo implements Dual. The threshold is the largest level.
func (s Spectral) BestResponseTo(y, f []float64) (risk, tau float64) {
	a, risk := s.respond(y, f)
	if a == nil {
		return risk, risk
	}
	return risk, a.level[len(a.level)-1]
}

// FusedTo implements Adversary. It reads the samples twice.
func (s Spectral) FusedTo(e *engine.Evaluator, g, y, x []float64, _ engine.Multipliers) engine.Response {
	e.Eval(x)
	a, risk := s.respond(y, e.Value)
	e.GradTo(g, y)
	r := engine.Response{Multipliers: engine.Multipliers{Nu: s.Nu, Tau: risk, Known: true}, Y: y, Risk: risk}
	if a == nil {
		return r
	}
	r.Tau, r.Ranks = a.level[len(a.level)-1], &a.Ranks
	if s.Nu > 0 {
		w := newReference(nil, s.Weights, e.N)
		a.Moves = make([]float64, e.N)
		for b := range a.Blocks() {
			if in := a.Block(b); len(in) > 1 {
				for _, j := range in {
					a.Moves[j] = w.weightAt(int(j)) / w.total / s.Nu
				}
			}
		}
	}
	return r
}

// ResponseDerivativesTo implements Curved. The derivative is w_j/ν in blocks of several samples, among which weight
// moves.
func (s Spectral) ResponseDerivativesTo(response []float64, r *engine.Response, lo, hi int) {
	if r.Ranks != nil && r.Ranks.Moves != nil {
		copy(response[lo:hi], r.Ranks.Moves[lo:hi])
		return
	}
	clear(response[lo:hi])
}

// mostBlocks is the maximum number of rank-one terms of a Hessian. If there are more blocks, adjacent ones are
// pooled.
const mostBlocks = 256

// CouplingTerms implements Curved. Weight moves only within blocks B of tied samples, so that the Hessian is
// diag(c) − Σ_B c_B c_Bᵀ/Σc_B. Since the caller subtracts ccᵀ/Σc, the terms returned are ccᵀ/Σc − Σ_B c_B c_Bᵀ/Σc_B.
func (s Spectral) CouplingTerms(
	e *engine.Evaluator, r *engine.Response, response []float64, total float64, slope []float64,
) (along [][]float64, share []float64) {
	a := r.Ranks
	if a == nil || a.Blocks() < 2 || !(total > 0) {
		return nil, nil
	}
	all := make([]float64, e.D)
	least := 0
	if a.Blocks() > mostBlocks {
		least = len(a.Order) / mostBlocks
	}
	row, sum, count := make([]float64, e.D), 0.0, 0
	for b := range a.Blocks() {
		if in := a.Block(b); len(in) > 1 {
			for _, j := range in {
				if c := response[j]; c > 0 {
					sum += c
					e.Problem.Oracle.AddGradTo(row, response, slope, int(j), int(j)+1)
				}
			}
			count += len(in)
		}
		if (count >= least || b == a.Blocks()-1) && sum > 0 {
			for i, v := range row {
				all[i] += v
			}
			along, share = append(along, row), append(share, -1/sum)
			row, sum, count = make([]float64, e.D), 0, 0
		}
	}
	return append(along, all), append(share, 1/total)
}

// Smoothed implements Smoothable.
func (s Spectral) Smoothed(nu float64, n int) (d saddle.Dual, most float64) {
	s.Nu = nu
	r := newReference(nil, s.Weights, n)
	least := math.Inf(1)
	for j := range n {
		if w := r.weightAt(j); w > 0 {
			least = min(least, w)
		}
	}
	least /= r.total
	return s, (s.Spectrum.Upper(least)/least - 1) / 2 * (1 + 1e-9) // y_j ≤ g(w_j)
}

// Pieces implements Pieced for a ball of the total variation: weight ρ on the largest loss, and bounded weights y ≤
// w. Other spectra have too many pieces.
func (s Spectral) Pieces() engine.Pieces {
	rho := s.Spectrum.Param
	if s.Spectrum.Kind != spectrum.TotalVariation || s.Nu > 0 {
		return engine.Pieces{}
	}
	largest := Simplex{Divergence: PearsonChi2, Weights: s.Weights}
	bounded := Simplex{Divergence: PearsonChi2, Alpha: 1 - rho, Weights: s.Weights}
	return engine.Pieces{Parts: []engine.Portion{largest.portion(rho), bounded.portion(1 - rho)}}
}

// spectralRounding is the relative rounding error of the terms of RiskBounds and ValueBelow, whose sums are
// computed precisely.
const spectralRounding = 64 * engine.UnitRoundoff

// RiskBounds implements Adversary. Any levels u in the order of the losses yield an upper bound. All terms of
// R_0(u) = u_(1) + Σ_i (u_(i) − u_(i−1)) g(t_i) except the first are ≥ 0, and the relative error of g(t_i) is at
// most that of t_i, since g is concave.
func (s Spectral) RiskBounds(f []float64, _ engine.Multipliers) (below, above float64, sums engine.Sums) {
	y := make([]float64, len(f))
	a, _ := s.respond(y, f)
	if a == nil {
		return math.Inf(-1), math.Inf(1), engine.Sums{Top: math.Inf(1)}
	}
	r := newReference(nil, s.Weights, len(f))
	losses := f
	f, constant := s.shiftLosses(&r, f)
	var value, size compensated.Sum
	add := func(v float64) {
		value.Add(v)
		size.Add(math.Abs(v))
	}
	u := math.Inf(-1)
	for b := range a.level {
		before := u
		if u = max(u, a.level[b]); b == 0 {
			add(u)
		} else {
			add((u - before) * s.Spectrum.Upper(a.above[a.Start[b]]))
		}
		for _, j := range a.Block(b) {
			if s.Nu > 0 {
				w, d := r.weightAt(int(j))/r.total, f[j]-u
				add(w * d)
				add(w * d / s.Nu * d / 2)
			}
			sums.Linear += y[j] * losses[j]
			sums.Size += y[j] * math.Abs(losses[j])
			sums.Mass += y[j]
		}
	}
	sums.Top = r.largestLoss(losses)
	if s.center != nil { // R increases by at most the largest increase of a loss, which is a rounding error
		add(constant)
		largest := max(math.Abs(r.largestLoss(f)), math.Abs(f[a.Order[0]]))
		size.Add(largest + math.Abs(sums.Top) + s.Nu)
	}
	return math.Inf(-1), value.Value() + spectralRounding*size.Value() + s.weightRounding(size.Value(), len(f)) +
		engine.Underflow, sums
}

// weightRounding bounds the effect of the rounding of the sum of the reference weights on a sum of terms of the given
// size.
func (s Spectral) weightRounding(size float64, n int) float64 {
	if s.Weights == nil {
		return 0
	}
	return engine.SumGamma(nil, n) * size
}

// ValueBelow implements Adversary. The weights, divided by their sum, are mixed with enough of the reference
// weights to be in Y. They are in Y if, for every k, the k samples with the largest y_j/w_j have Σ y ≤ g(Σ w).
// Equivalently, and with less rounding if k is large, the other samples have Σ y ≥ Lower(Σ w).
func (s Spectral) ValueBelow(y, f, _ []float64, relative float64) (p engine.Proof) {
	r := newReference(nil, s.Weights, len(y))
	p.Mass, p.Linear, p.Size = kernel.Sum(y), r.weightedLoss(y, f, 0, len(y)), r.weightedAbsoluteLoss(y, f, 0, len(y))
	divergence, plain := s.divergenceOf(&r, y)
	gamma := engine.SumGamma(nil, len(y))
	p.Off = relative + math.Abs(p.Mass-1) + gamma*p.Mass + 16*engine.UnitRoundoff
	p.Off += r.largestChange(s.mixingShare(&r, y), y)
	if !(p.Off <= 1) || math.IsInf(divergence, 1) {
		p.Value, p.Off = math.Inf(-1), math.Inf(1)
		return p
	}
	psi := s.Nu * divergence
	spread := 1.0 // Σ |y − c|y/w is at most √(2ψ/ν)·√(1 + 2D(y))
	if s.center != nil {
		spread += 2 * plain
	}
	rounding := engine.PenaltyRounding(p.Size, psi, s.Nu*spread, gamma+p.Off)
	p.Value = p.Linear - psi - rounding - 8*engine.UnitRoundoff*(p.Size+psi)
	return p
}

// mixingShare returns the proportion of w that must be mixed with y, divided by its sum, for the result to be in Y. It
// is +Inf if a weight is NaN, or if a sample without a reference weight has weight.
func (s Spectral) mixingShare(r *reference, y []float64) (most float64) {
	ratio := make([]float64, len(y))
	for j, v := range y {
		w := r.weightAt(j)
		if !(v >= 0) || w == 0 && v > 0 {
			return math.Inf(1)
		}
		if w > 0 {
			ratio[j] = v / w
		}
	}
	a := s.rank(r, ratio)
	if a == nil {
		return math.Inf(1)
	}
	var total, all compensated.Sum
	for _, v := range y {
		total.Add(v)
	}
	for _, j := range a.Order {
		all.Add(r.weightAt(int(j)))
	}
	mass := total.Value()
	var upper, lower compensated.Sum // sums of y, from the largest ratios down and from the smallest ratios up
	k := len(a.Order)
	for i := k - 1; i > 0; i-- {
		upper.Add(y[a.Order[i]])
		if w := a.above[i]; w <= 0.5 {
			limit := s.Spectrum.Upper(w)
			most = max(most, mixingShareOf(upper.Value()/mass, limit, w, limit))
		}
	}
	var below compensated.Sum // sum of the weights w
	for i := range k - 1 {
		lower.Add(y[a.Order[i]])
		below.Add(r.weightAt(int(a.Order[i])))
		if a.above[i+1] <= 0.5 {
			break
		}
		w := below.Value() / all.Value()
		most = max(most, mixingShareOf(-lower.Value()/mass, -s.Spectrum.Lower(w), -w, w))
	}
	return most
}

// mixingShareOf returns the proportion of weights w that must be mixed with weights y for the result to be at most
// limit, which is above w. y and w are sums with relative errors of a few units of roundoff, and the error of limit
// is a few units times size.
//
// A relative error e of the argument w and a few units in the evaluation move Upper by a few units of itself, since it
// is concave with Upper(0) = 0. Lower is convex with Lower(0) = 0 and Lower(1) = 1, so that w·Lower'(w) ≤ w/(1 − w) ≤
// 2w for w ≤ ½. Its evaluation is off by a few units times (1 + p)·Lower(w), where p is the exponent of an extremile or
// an exponential spectrum, and at most 1 for other spectra. For w ≤ ½, p·Lower(w) ≤ 3w. So the error of Lower is a few
// units times w, no matter how large p and how small Lower(w) are.
func mixingShareOf(y, limit, w, size float64) float64 {
	excess := y - limit + spectralRounding*(math.Abs(y)+size)
	if !(excess > 0) {
		return 0
	}
	if apart := y - w - spectralRounding*(math.Abs(y)+math.Abs(w)); apart > excess {
		return excess / apart
	}
	return 1
}

// WithRows implements Distributed.
func (s Spectral) WithRows(rows *ranks.Rows) saddle.Dual {
	s.rows = rows
	return s
}

// OfSamples implements Distributed.
func (s Spectral) OfSamples(samples []int) saddle.Dual {
	s.Weights = ranks.GatherAt(nil, samples, s.Weights)[0]
	return s
}
