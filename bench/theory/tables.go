package theory

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/dro"
)

// distances are the largest Δ_X(u, x₀) and Δ_Y(v, y₀) that an instance is asked for: over the
// simplex and the box, and of points a distance of √2 away where X is not bounded.
func (in *instance) distances() (primal, dual float64) {
	primal = 1
	if _, simplex := in.primal.(dro.Entropy); simplex {
		primal = math.Log(float64(in.d))
	}
	book, box := in.ledger(fullVector, in.n), in.dual.(dro.Box)
	for _, y := range book.y0 {
		r := max(box.Upper-y, y-box.Lower)
		dual += r * r / 2
	}
	return primal, dual
}

// guaranteed returns the iterations after which the proposition of m bounds the gap by ε,
// at the largest distances, with μ₀ and ν₀ of its schedule.
func (l *lab) guaranteed(in *instance, m theoryMethod, block int, uniform bool, wrong lie, eps float64) (t, mu0, nu0 float64, err error) {
	const steady = 200 // equal steps: from there on A_t is a line, and a parabola after many that grow alike
	book := in.ledger(m, block)
	primal, dual := in.distances()
	wP, wD := book.weights()
	cx, cy, old, same, even, last, slope := 0.0, 0.0, 1.0, 0, 0, 0.0, 0.0
	n := float64(book.blocks)
	_, err = in.run(l.ctx, m.method(block, uniform), wrong, l.seed, func(it dro.Iterate) bool {
		before := it.Total - it.Weight
		if it.K == 1 {
			mu0, nu0 = it.Mu0, it.Nu0
			cx, cy = mu0/2, nu0/2
		}
		cx += wP * (before*in.mu + mu0) * old / 2
		cy += wD * (before*in.nu + nu0) * old / 2
		old *= 1 - 1/n
		step := it.Weight - last
		if same++; step != 0 {
			same = 0
		}
		if even++; math.Abs(step-slope) > 1e-3*slope {
			even, slope = 0, step
		}
		last = it.Weight
		target := (cx*primal + cy*dual) / eps
		left := target - it.Total
		switch {
		case left <= 0:
			t = float64(it.K)
		case same >= steady && in.nu*in.mu == 0:
			t = float64(it.K) + math.Ceil(left/it.Weight)
		case even >= 20*steady && slope > 0 && in.nu*in.mu == 0 && in.smoothness[0] == 0: // A_t + a m + slope·m²/2
			t = float64(it.K) + math.Ceil((math.Sqrt(it.Weight*it.Weight+2*slope*left)-it.Weight)/slope)
		default:
			return false
		}
		return true
	})
	return t, mu0, nu0, err
}

// complexity is the iteration complexity of m as the tables have it, with the distances at
// the start in full: its terms, without constants.
func (in *instance) complexity(m theoryMethod, block int, uniform bool, mu0, nu0, eps float64) (terms [3]float64) {
	c := in.blocks(block)
	g, smooth := c.mixedAndPrimal(m, c.scheme(m, uniform, true))
	n := float64(len(c.gs))
	if m == fullVector {
		n = 0
	}
	primal, dual := in.distances()
	start := mu0*primal + nu0*dual // G₀
	logarithm := math.Log(math.E + (smooth*math.Sqrt(nu0/mu0)+g)*start/math.Sqrt(mu0*nu0)/eps)
	terms[0] = n * logarithm
	switch {
	case in.mu > 0:
		terms[1] = smooth / in.mu * logarithm
	default:
		terms[1] = smooth * start / (mu0 * eps)
	}
	switch {
	case in.mu > 0 && in.nu > 0:
		terms[2] = g / math.Sqrt(in.mu*in.nu) * logarithm
	case in.mu > 0:
		terms[2] = g * math.Sqrt(start/(nu0*in.mu*eps))
	case in.nu > 0:
		terms[2] = g * math.Sqrt(start/(mu0*in.nu*eps))
	default:
		terms[2] = g * start / (math.Sqrt(mu0*nu0) * eps)
	}
	return terms
}

// A grid is what tables varies.
type grid struct {
	blocks []int // N
	powers []float64
	eps    []float64
}

// instanceOf returns the instance of a case of the tables.
func (l *lab) instanceOf(mu, nu float64, smooth bool, power float64) *instance {
	const n, d = 16, 8
	switch {
	case !smooth:
		return newGame(powerScales(n, power), d, mu, nu, l.seed+1)
	case mu > 0:
		return newTraining(powerScales(n, power), d, mu, nu, false, l.seed+1)
	}
	return newSimplexTraining(powerScales(n, power), d, nu, l.seed+1)
}

// constantsAllowed is the largest factor of a complexity of the tables: the propositions
// have constants of up to 40, in one of three terms.
const constantsAllowed = 3 * 40

// tables holds what the schedules guarantee against the complexities of the tables, the
// four of them: main text and appendix.
func (l *lab) tables() (Experiment, error) {
	l.progress("the tables of complexities")
	span := grid{[]int{4, 8, 16}, []float64{0, 1, 2}, []float64{1e-3, 1e-4, 1e-5}}
	if l.quick {
		span = grid{[]int{4, 16}, []float64{0}, []float64{1e-4, 1e-5}}
	}
	e := Experiment{Name: "tables", Title: "The tables of complexities",
		Text: fmt.Sprintf(`Arithmetic is iterations times what one costs: nd for the full vector, n(d/N + 1) for the
stochastic methods, nd/N for the separable ones, on both sides here. So: the iterations after
which the schedule guarantees ε, over those of the tables in the main text (μ, ν > 0) and in the
appendix (ν = 0, μ = 0, both), with the distances at the start in full and w = 1/(2N) for thm.
stochastic:historic (slip 7), for N = %v, rows of scales 1/j^p with p = %v and ε = %v of the first
scale of the gap, with L = 0 and L > 0. A bound of the same order has a ratio below a constant:
it fails above %d, or where the ratio grows faster than N^¼ or ε^-⅛ on equal rows.`, span.blocks, span.powers, span.eps, constantsAllowed),
		Columns: []string{"least ratio", "largest", "exponent in N", "exponent in 1/ε"}}
	type row struct {
		mu, nu float64
		smooth bool
		m      theoryMethod
	}
	var rows []row
	for _, c := range [][2]float64{{1, 1}, {1, 0}, {0, 1}, {0, 0}} {
		for _, smooth := range []bool{false, true} {
			for m := fullVector; m < theoryMethods; m++ {
				rows = append(rows, row{c[0], c[1], smooth, m})
			}
		}
	}
	names := l.caseNames()
	e.Results = make([]Result, len(rows))
	err := l.each(len(rows), func(k int) error {
		c := rows[k]
		r, err := l.ratio(func(power float64) *instance { return l.instanceOf(c.mu, c.nu, c.smooth, power) }, c.m, span, lie{})
		r.Case, r.Method = names[[3]bool{c.mu > 0, c.nu > 0, c.smooth}], c.m.String()
		e.Results[k] = r
		return err
	})
	return e, err
}

func (l *lab) caseNames() map[[3]bool]string {
	names := map[[3]bool]string{}
	for k, c := range l.cases(1, 1) {
		names[[3]bool{c.in.mu > 0, c.in.nu > 0, k >= 4}] = c.name
	}
	return names
}

// ratio is one row of tables.
func (l *lab) ratio(of func(power float64) *instance, m theoryMethod, span grid, wrong lie) (r Result, err error) {
	least, most := math.Inf(1), 0.0
	byN, byEps := map[float64][]float64{}, map[float64][]float64{}
	for _, power := range span.powers {
		in := of(power)
		primal, dual := in.distances()
		scale := in.blocks(in.n).g * math.Sqrt(primal*dual)
		for _, blocks := range span.blocks {
			for _, eps := range span.eps {
				block := in.n / blocks
				t, mu0, nu0, err := l.guaranteed(in, m, block, false, wrong, eps*scale)
				if err != nil {
					return r, err
				}
				terms := in.complexity(m, block, false, mu0, nu0, eps*scale)
				v := t / (terms[0] + terms[1] + terms[2])
				least, most = min(least, v), max(most, v)
				if power == 0 {
					byN[eps] = append(byN[eps], v)
					byEps[float64(blocks)] = append(byEps[float64(blocks)], v)
				}
			}
		}
	}
	ns, inverse := make([]float64, len(span.blocks)), make([]float64, len(span.eps))
	for i, v := range span.blocks {
		ns[i] = float64(v)
	}
	for i, v := range span.eps {
		inverse[i] = 1 / v
	}
	steepest := func(x []float64, of map[float64][]float64) float64 {
		top := math.Inf(-1)
		for _, y := range of {
			top = max(top, exponent(x, y))
		}
		return top
	}
	inN, inEps := steepest(ns, byN), steepest(inverse, byEps)
	r.Values = []Number{Number(least), Number(most), Number(inN), Number(inEps)}
	if r.Verdict = Holds; !(most <= constantsAllowed && inN <= 0.25 && inEps <= 0.125) {
		r.Verdict = Fails
	}
	return r, nil
}
