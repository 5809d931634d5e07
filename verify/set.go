package verify

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/internal/interval"
)

// A set is an ambiguity set over atoms, which are rows or groups, with its penalty ψ.
type set interface {
	// riskAbove returns an upper bound of max_y ⟨y, f⟩ − ψ(y), obtained from a feasible point of the dual
	// problem. add computes sums over atoms.
	riskAbove(f []number, add adder) number

	// makeFeasible returns weights in the set, with sum 1 and close to q ≥ 0, and an upper bound of ψ at these
	// weights. It returns an error if q is not in the set up to rounding.
	makeFeasible(q []number, add adder) (y []number, psi number, err error)
}

// An adder returns the sum of terms over 0 … n−1.
type adder func(n int, term func(j int) number) number

// A kind is a kind of ambiguity set that a setting of the model selects.
type kind struct {
	isSelected func(c *config) bool
	make       func(c *config, w *reference) (set, error)
}

// sets lists the kinds of ambiguity sets around reference weights.
var sets = []kind{
	{func(c *config) bool { return c.Average != "" || c.Distance != nil },
		func(_ *config, w *reference) (set, error) { return fixed{w}, nil }},
	{func(c *config) bool { return c.Protect != nil },
		func(c *config, w *reference) (set, error) { return newRanked("superquantile", *c.Protect, w) }},
	{func(c *config) bool { return c.Nu != nil },
		func(c *config, w *reference) (set, error) { return newBall(c, *c.Nu, math.Inf(1), w) }},
	{func(c *config) bool { return c.Radius != nil && c.Penalty == "tv" },
		func(c *config, w *reference) (set, error) { return newTotalVariation(*c.Radius, w) }},
	{func(c *config) bool { return c.Radius != nil && c.Penalty != "tv" },
		func(c *config, w *reference) (set, error) { return newBall(c, 0, *c.Radius, w) }},
	{func(c *config) bool { return c.Spectral != "" }, newSpectral},
	{func(c *config) bool { return c.Ess != nil }, newBallOfSize},
}

// newSet returns the ambiguity set of the model over the atoms of w.
func newSet(c *config, w *reference) (set, error) {
	var selected []kind
	for _, k := range sets {
		if k.isSelected(c) {
			selected = append(selected, k)
		}
	}
	if len(selected) != 1 {
		return nil, fmt.Errorf("the model names %d of the ambiguity sets that verify supports; it must name exactly one",
			len(selected))
	}
	return selected[0].make(c, w)
}

// A norm is the regulariser (μ/2)‖x‖² + r‖x‖. For a ball around the rows in the type-1 Wasserstein distance, r is
// the radius of the ball times the largest slope of the loss; otherwise it is 0.
type norm struct{ mu, radius number }

// newNorm returns the regulariser of a model with the given loss.
func newNorm(c *config, of loss) (norm, error) {
	n := norm{interval.New(c.Mu), zero}
	if c.Distance == nil {
		return n, nil
	}
	steep, isBounded := of.(steep)
	if !isBounded || !(*c.Distance > 0) || math.IsInf(*c.Distance, 1) {
		return n, fmt.Errorf("the Wasserstein radius is %v and the loss is %s; the radius must be positive and finite, and "+
			"the loss must have a bounded slope",
			*c.Distance, c.Loss)
	}
	n.radius = interval.Mul(interval.New(*c.Distance), steep.steepest())
	return n, nil
}

// value returns the regulariser at an x with ‖x‖² = squares.
func (n norm) value(squares number) number {
	ridge := halve(interval.Mul(n.mu, squares))
	if n.radius.Hi.Sign() == 0 {
		return ridge
	}
	return interval.Add(ridge, interval.Mul(n.radius, interval.Sqrt(squares)))
}

// isZero reports whether there is no regulariser.
func (n norm) isZero() bool { return n.mu.Hi.Sign() == 0 && n.radius.Hi.Sign() == 0 }

// scale returns a factor θ ≤ 1 such that the conjugate is finite at θg, for a gradient g with ‖g‖² = squares.
func (n norm) scale(squares number) number {
	size := interval.Sqrt(squares)
	if n.mu.Hi.Sign() > 0 || n.isZero() || size.Hi.Cmp(n.radius.Lo) <= 0 {
		return one
	}
	theta := interval.Div(n.radius, number{Lo: size.Hi, Hi: size.Hi}).Lo
	return number{Lo: theta, Hi: theta}
}

// conjugate returns −min over x of ⟨g, x⟩ + (μ/2)‖x‖² + r‖x‖ = (‖g‖ − r)₊²/(2μ), for a gradient g with ‖g‖² = squares.
// For μ = 0, the conjugate is 0 wherever it is finite.
func (n norm) conjugate(squares number) number {
	if n.mu.Hi.Sign() == 0 {
		return zero
	}
	if n.radius.Hi.Sign() > 0 {
		squares = interval.Square(interval.Max(interval.Sub(interval.Sqrt(squares), n.radius), zero))
	}
	return halve(interval.Div(squares, n.mu))
}

// tolerance is the largest proportion of the weight by which rounding may move weights out of a set.
const tolerance = 1e-9

// A reference holds weights w ≥ 0 of atoms, with sum 1.
type reference struct {
	float []float64
	exact []number
}

// newReference divides weights by their sum. All of them must be finite and ≥ 0, and at least one must be positive.
func newReference(w []float64) (*reference, error) {
	r, sum, total := &reference{float: make([]float64, len(w)), exact: make([]number, len(w))}, interval.NewSum(), 0.0
	for _, v := range w {
		if !(v >= 0) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("a reference weight is %v; it must be finite and ≥ 0", v)
		}
		sum.Add(interval.New(v))
		total += v
	}
	if !(total > 0) || math.IsInf(total, 0) {
		return nil, fmt.Errorf("the reference weights sum to %v; the sum must be finite and > 0", total)
	}
	for j, v := range w {
		if r.float[j] = v / total; j > 0 && v == w[j-1] {
			r.exact[j] = r.exact[j-1]
			continue
		}
		r.exact[j] = interval.Div(interval.New(v), sum.Value())
	}
	return r, nil
}

// A fixed set contains only the reference weights.
type fixed struct{ *reference }

func (s fixed) riskAbove(f []number, add adder) number {
	return add(len(f), func(j int) number { return interval.Mul(s.exact[j], f[j]) })
}

func (s fixed) makeFeasible(q []number, add adder) ([]number, number, error) {
	off := add(len(q), func(j int) number { return interval.Abs(interval.Sub(q[j], s.exact[j])) })
	if !(off.Float() <= tolerance) {
		return nil, zero, fmt.Errorf("the weights are not in the set: they differ from the given weights by %.2g in total",
			off.Float())
	}
	return s.exact, zero, nil
}

// ball is the set of weights with divergence D(y‖w) of at most a radius, with penalty ν·D.
type ball struct {
	*reference
	of         divergence
	nu, radius float64
}

func newBall(c *config, nu, radius float64, w *reference) (set, error) {
	of, known := divergences[c.Penalty]
	switch {
	case !known:
		return nil, fmt.Errorf("verify does not support the divergence %q", c.Penalty)
	case !(nu >= 0) || math.IsInf(nu, 0) || !(radius > 0):
		return nil, fmt.Errorf("the divergence ball has radius %v and ν = %v; the radius must be > 0, and ν must be finite "+
			"and ≥ 0",
			radius, nu)
	}
	return ball{w, of, nu, radius}, nil
}

// newBallOfSize returns the ball of a given effective sample size. If that size is the number of rows, the ball
// contains only the reference weights.
func newBallOfSize(c *config, w *reference) (set, error) {
	of, known := divergences[c.Penalty]
	if !known {
		return nil, fmt.Errorf("verify does not support the divergence %q", c.Penalty)
	}
	if *c.Ess == 1 {
		return fixed{w}, nil
	}
	return newBall(c, 0, of.radiusOf(*c.Ess), w)
}

// riskAbove returns (λ − ν)ρ + τ + λ Σ w_j h*((f_j − τ)/λ), or the largest loss if that is less. This is an upper
// bound of the risk for all λ ≥ ν and τ, and its infimum over λ and τ is the risk. The λ and τ are computed in double
// precision.
func (s ball) riskAbove(f []number, add adder) number {
	var largest number
	for j, v := range f {
		if s.exact[j].Hi.Sign() > 0 {
			if largest.Hi == nil {
				largest = v
			}
			largest = interval.Max(largest, v)
		}
	}
	lambda := s.multiplier(floats(f))
	if lambda == 0 {
		return largest
	}
	tau, _ := s.of.threshold(floats(f), s.float, lambda)
	l, t := interval.New(lambda), interval.New(tau)
	risk := interval.Add(t, interval.Mul(l, add(len(f), func(j int) number {
		return interval.Mul(s.exact[j], s.of.conjugate(interval.Div(interval.Sub(f[j], t), l)))
	})))
	if !math.IsInf(s.radius, 1) {
		risk = interval.Add(risk, interval.Mul(interval.Sub(l, interval.New(s.nu)), interval.New(s.radius)))
	}
	return interval.Min(risk, largest)
}

// leastMultiplier is the least λ for which best responses are computed, as a share of the spread of the losses. Double
// precision cannot tell losses apart in units of a smaller λ, where the largest loss is close to the risk.
const leastMultiplier = 1e-9

// multiplier returns the λ ≥ ν at which the divergence of the best response equals the radius, or the least λ if the
// divergence is smaller there.
func (s ball) multiplier(f []float64) float64 {
	if math.IsInf(s.radius, 1) {
		return s.nu
	}
	spread := slices.Max(f) - slices.Min(f)
	if spread == 0 {
		return s.nu
	}
	outside := func(lambda float64) bool {
		_, d := s.of.threshold(f, s.float, lambda)
		return d > s.radius
	}
	low, high := max(s.nu, spread*leastMultiplier), max(s.nu, spread)
	if !outside(low) {
		return low
	}
	for outside(high) && high < math.MaxFloat64/8 {
		high *= 4
	}
	for range 200 {
		mid := math.Sqrt(low) * math.Sqrt(high)
		if mid <= low || mid >= high {
			break
		}
		if outside(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// makeFeasible mixes weights outside the ball with the reference weights, since D is convex and is 0 at these.
func (s ball) makeFeasible(q []number, add adder) ([]number, number, error) {
	for j, v := range q {
		if s.exact[j].Hi.Sign() == 0 && v.Hi.Sign() > 0 {
			return nil, zero, fmt.Errorf(
				"the weights are not in the set: one weight is positive although its reference weight is 0")
		}
	}
	d := interval.Max(add(len(q), func(j int) number {
		if s.exact[j].Hi.Sign() == 0 {
			return zero
		}
		return s.of.term(q[j], s.exact[j])
	}), zero)
	y, radius := q, zero
	if !math.IsInf(s.radius, 1) {
		radius = interval.New(s.radius)
	}
	if !math.IsInf(s.radius, 1) && d.Hi.Cmp(radius.Hi) > 0 {
		mix := interval.Sub(one, interval.Div(radius, number{Lo: d.Hi, Hi: d.Hi}))
		if !(mix.Float() <= tolerance) {
			return nil, zero, fmt.Errorf("the weights are not in the set: their divergence is %.6g, above the radius %.6g",
				d.Float(), s.radius)
		}
		mix = number{Lo: mix.Hi, Hi: mix.Hi}
		y = make([]number, len(q))
		for j := range q {
			y[j] = interval.Add(interval.Mul(interval.Sub(one, mix), q[j]), interval.Mul(mix, s.exact[j]))
		}
	}
	return y, interval.Mul(interval.New(s.nu), d), nil
}

// A divergence is Σ w_j h(y_j/w_j) for a convex function h with h(1) = 0.
type divergence interface {
	term(y, w number) number   // returns w·h(y/w) for w > 0
	conjugate(s number) number // returns h*(s), an increasing function

	// threshold returns τ of the best response to losses f for a penalty coefficient λ > 0, and the divergence
	// of this response.
	threshold(f, w []float64, lambda float64) (tau, d float64)

	radiusOf(share float64) float64 // radius of the ball of an effective sample size, as a share of the rows
}

var divergences = map[string]divergence{"kl": kullbackLeibler{}, "chi2": pearson{}}

// kullbackLeibler has h(r) = r log r − r + 1.
type kullbackLeibler struct{}

// term returns y log(y/w) + w − y for y ≥ 0 and w > 0, with 0 log 0 = 0.
func (kullbackLeibler) term(y, w number) number {
	if y.Hi.Sign() == 0 {
		return w
	}
	return interval.Add(interval.Mul(w, interval.XLogX(interval.Div(y, w))), interval.Sub(w, y))
}

func (kullbackLeibler) conjugate(s number) number { return interval.Sub(interval.Exp(s), one) }

func (kullbackLeibler) threshold(f, w []float64, lambda float64) (tau, d float64) {
	top, sum := slices.Max(f), 0.0
	for j, v := range f {
		sum += w[j] * math.Exp((v-top)/lambda)
	}
	tau = top + lambda*math.Log(sum)
	for j, v := range f {
		u := (v - top) / lambda
		d += w[j] * math.Exp(u) / sum * (u - math.Log(sum))
	}
	return tau, d
}

func (kullbackLeibler) radiusOf(share float64) float64 { return -math.Log(share) }

// pearson has h(r) = (r − 1)²/2.
type pearson struct{}

// term returns (y − w)²/(2w).
func (pearson) term(y, w number) number {
	return halve(interval.Div(interval.Square(interval.Sub(y, w)), w))
}

func (pearson) conjugate(s number) number {
	s = interval.Max(s, interval.New(-1))
	return interval.Sub(halve(interval.Square(interval.Add(s, one))), halve(one))
}

func (pearson) threshold(f, w []float64, lambda float64) (tau, d float64) {
	for j, v := range f {
		tau += w[j] * v
	}
	for range 200 { // Newton's method, starting below the solution
		mass, mean := 0.0, 0.0
		for j, v := range f {
			if v > tau-lambda {
				mass += w[j]
				mean += w[j] * (v - tau)
			}
		}
		step := (mean - lambda*(1-mass)) / mass
		if !(step > 0) || tau+step == tau {
			break
		}
		tau += step
	}
	for j, v := range f {
		r := max(0, 1+(v-tau)/lambda)
		d += w[j] * (r - 1) * (r - 1) / 2
	}
	return tau, d
}

func (pearson) radiusOf(share float64) float64 { return (1/share - 1) / 2 }

// floats returns the float64 numbers nearest to the lower ends.
func floats(f []number) []float64 {
	v := make([]float64, len(f))
	for j := range f {
		v[j] = f[j].Float()
	}
	return v
}

// A grouping assigns rows to groups. The groups are the atoms, with the mean losses of their rows.
type grouping struct {
	of     []int32   // group of each row; −1 for none
	share  []number  // for each row, its share of the weight of its group
	adjust []number  // for each group, the adjustment added to its mean loss
	mass   []float64 // for each group, the total weight of its rows
	rows   []float64 // number of rows of each group
}

// newGrouping numbers the groups with rows. It returns an error if there are fewer than two.
func newGrouping(index []int32, weight func(j int) float64, adjust float64) (*grouping, error) {
	g := &grouping{of: make([]int32, len(index)), share: make([]number, len(index))}
	if len(index) == 0 {
		return nil, errors.New("the ambiguity set needs groups, but the table has none")
	}
	number := map[int32]int32{}
	for _, k := range slices.Sorted(slices.Values(index)) {
		if _, known := number[k]; k >= 0 && !known {
			number[k] = int32(len(number))
		}
	}
	if len(number) < 2 {
		return nil, fmt.Errorf("the ambiguity set needs two groups with rows, but the table has %d", len(number))
	}
	g.mass, g.rows = make([]float64, len(number)), make([]float64, len(number))
	exact := make([]*interval.Sum, len(number))
	for k := range exact {
		exact[k] = interval.NewSum()
	}
	for j, k := range index {
		g.of[j] = -1
		if k >= 0 {
			g.of[j] = number[k]
			g.mass[number[k]] += weight(j)
			g.rows[number[k]]++
			exact[number[k]].Add(interval.New(weight(j)))
		}
	}
	for j, k := range g.of {
		if k >= 0 {
			g.share[j] = interval.Div(interval.New(weight(j)), exact[k].Value())
		}
	}
	for _, n := range g.rows {
		g.adjust = append(g.adjust, interval.New(adjust/math.Sqrt(n)))
	}
	return g, nil
}

// means returns the mean losses of the groups, including their adjustments.
func (g *grouping) means(f []number) []number {
	sum := make([]*interval.Sum, len(g.mass))
	for k := range sum {
		sum[k] = interval.NewSum()
		sum[k].Add(g.adjust[k])
	}
	for j, k := range g.of {
		if k >= 0 {
			sum[k].Add(interval.Mul(g.share[j], f[j]))
		}
	}
	mean := make([]number, len(sum))
	for k := range sum {
		mean[k] = sum[k].Value()
	}
	return mean
}
