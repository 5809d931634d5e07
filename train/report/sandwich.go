package report

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train"
)

// A fit is a trained model as the solution of equations over its rows: Σ_i y_i ∇ℓ_i(x) + μx = 0,
// y the weights of the rows at the optimum. Where an adversary chose y, what it chooses
// by is solved along with x: a threshold, the penalty coefficient of a ball, weights over groups. The
// variance of x is then the usual one of M-estimators, A⁻¹ (Σ_i ψ_i ψ_iᵀ) A⁻¹ (Huber 1967),
// ψ_i being what row i adds to the equations and A their derivative, of which the columns
// of x are asked for.
type fit struct {
	loss   losses.Loss
	x      []float64
	weight shares // of the rows by themselves; none: equal
	y      shares // by the adversary; none: as weight
	mu     float64
	free   int // the column without a penalty; −1: none

	answer answer
	over   *overGroups // nil: rows have weights of their own

	sharded bool          // the rows are distributed over several ranks
	copies  *train.Copies // of some of them; nil: none are here

	// A recalibration, log-odds = slope·margin + intercept; slope 0: none.
	slope, intercept float64
}

// An answer is how the adversary's weights follow the losses (docs/intervals.md).
type answer struct {
	kind   string  // "kl", "chi2", "tail" (CVaR), "largest" (of groups), or "" for weights that do not follow them
	nu     float64 // penalty coefficient, > 0 for kl and chi2
	ball   bool    // the penalty coefficient is that of a ball, solved along with x
	share  float64 // of the rows, of a tail
	adjust float64 // over groups: C of C/√n_g
}

// Bounds on the work of standard errors: rows are sampled beyond them.
const (
	mostErrorRows = 100_000
	mostErrorWork = 2.5e9 // rows × columns²
)

// drawn are the rows that standard errors are computed from, evaluated.
type drawn struct {
	z     design.Matrix
	index []int     // in the training rows; nil: all, in order
	times []float64 // how many rows each stands for
	w, y  []float64 // Σ times·w = Σ times·y = 1, nearly

	margin, value, slope, curve []float64
	target                      []float64
}

// standardErrors returns those of the columns, in the units of x; nil where the rows do not
// settle all coefficients. Rows are sampled by their weights where there are many.
func (f *fit) standardErrors(rows *data.Dataset, columns []int, seed uint64) []float64 {
	n, d := rows.N, rows.D
	most := errorRows(d)
	if n <= d || most == 0 || f.sharded && f.copies == nil {
		return nil
	}
	return f.errorsOf(f.draw(rows, most, seed), n, columns)
}

// errorRows returns the number of rows that are sampled for d columns; 0 where they are too few.
func errorRows(d int) int {
	most := int(min(mostErrorRows, mostErrorWork/float64(d)/float64(d)))
	if most <= 2*d {
		return 0
	}
	return most
}

// errorsOf returns the standard errors of columns of a training of n rows.
func (f *fit) errorsOf(r *drawn, n int, columns []int) []float64 {
	e := f.system(r)
	if e == nil {
		return nil
	}
	m, d := len(r.target), len(f.x)
	scores := f.scores(r)
	out, t, unit := make([]float64, len(columns)), make([]float64, m), make([]float64, d)
	for k, j := range columns {
		clear(unit)
		unit[j] = 1
		if scores != nil {
			scores.unitTo(unit, f.x[j], j)
		}
		if !e.directionTo(t, unit) {
			return nil
		}
		sum := 0.0
		for i, v := range t {
			if scores != nil {
				v += f.x[j] * scores.own[i]
			}
			sum += r.times[i] * v * v
		}
		if out[k] = math.Sqrt(sum * float64(n) / float64(n-d)); math.IsNaN(out[k]) {
			return nil
		}
	}
	return out
}

// draw evaluates the rows, or about most of them, heavy ones for sure.
func (f *fit) draw(rows *data.Dataset, most int, seed uint64) *drawn {
	n := rows.N
	r := &drawn{z: rows.X, target: rows.Target}
	even := 1 / float64(n)
	at := func(s shares, i int) float64 {
		if s.weight == nil {
			return even
		}
		return s.normalised(i)
	}
	take := func(i int, times float64) {
		w := at(f.weight, i)
		y := w
		if f.y.weight != nil {
			y = f.y.normalised(i)
		}
		r.times, r.w, r.y = append(r.times, times), append(r.w, w), append(r.y, y)
	}
	if f.copies != nil {
		r.z, r.index, r.target = f.copies.X, f.copies.Rows, nil
		for k, i := range r.index {
			r.target = append(r.target, rows.Target[i])
			take(i, f.copies.Times[k])
		}
	} else if n <= most {
		all := make([]int, n)
		for i := range n {
			all[i] = i
			take(i, 1)
		}
		if arenaOf(rows) != nil { // sums are those of rows in memory
			r.z = rows.X.Select(all)
		}
	} else {
		g := rand.New(rand.NewPCG(seed, 0x5a9d))
		share := float64(most) / float64(n)
		r.target = nil
		for i := range n {
			p := share/2 + at(f.y, i)*float64(most)/2
			if p = min(1, p); g.Float64() < p {
				r.index, r.target = append(r.index, i), append(r.target, rows.Target[i])
				take(i, 1/p)
			}
		}
		r.z = rows.X.Select(r.index)
	}
	m := len(r.target)
	r.margin, r.value, r.slope, r.curve = make([]float64, m), make([]float64, m), make([]float64, m), make([]float64, m)
	r.z.MarginsTo(r.margin, f.x, 0, m)
	f.loss.EvalTo(r.value, r.slope, r.margin, r.target)
	f.loss.CurvatureTo(r.curve, r.slope, r.target)
	return r
}

// row returns the training row that r has at i.
func (r *drawn) row(i int) int {
	if r.index == nil {
		return i
	}
	return r.index[i]
}

// hessian returns the derivative of Σ y_i ∇ℓ_i + μx by x with y held, d × d in a matrix of size
// columns, its upper triangle, with times·more_i·Z_iZ_iᵀ added for every row (nil: nothing).
func (f *fit) hessian(r *drawn, more []float64, size int) *mat.SymDense {
	m, d := len(r.target), len(f.x)
	gram := make([]float64, m)
	for i := range gram {
		gram[i] = r.y[i] * r.curve[i]
		if more != nil {
			gram[i] += more[i]
		}
		gram[i] *= r.times[i]
	}
	h := make([]float64, d*d)
	r.z.AddGramTo(h, gram, 0, m)
	a := mat.NewSymDense(size, nil)
	for i := range d {
		if i != f.free {
			h[i*d+i] += f.mu
		}
		for j := i; j < d; j++ {
			a.SetSym(i, j, h[i*d+j])
		}
	}
	return a
}

// A rescaling is the influence of rows on the slope of a recalibration, which multiplies
// the coefficients: the slope and intercept solve Σ w_i ℓ'(a·m_i + c)·(m_i, 1) = 0, the
// margins m_i moving with x.
type rescaling struct {
	slope float64
	own   []float64 // how far the slope moves with each row, at x held, but for the sign
	by    []float64 // and with x
}

// scores returns the rescaling of a recalibrated model, nil of any other.
func (f *fit) scores(r *drawn) *rescaling {
	if f.slope == 0 {
		return nil
	}
	m, d := len(r.target), len(f.x)
	margin, slope, curve := make([]float64, m), make([]float64, m), make([]float64, m)
	for i, v := range r.margin {
		margin[i] = f.slope*v + f.intercept
	}
	f.loss.EvalTo(make([]float64, m), slope, margin, r.target)
	f.loss.CurvatureTo(curve, slope, r.target)
	var aa, ac, cc, ma, mc float64 // the derivative of the two equations, and their means
	for i, v := range r.margin {
		q := r.times[i] * r.w[i]
		aa, ac, cc = aa+q*curve[i]*v*v, ac+q*curve[i]*v, cc+q*curve[i]
		ma, mc = ma+q*slope[i]*v, mc+q*slope[i]
	}
	if f.free < 0 { // the slope alone was fitted
		ac, cc, mc = 0, 1, 0
	}
	det := aa*cc - ac*ac
	u, v := cc/det, -ac/det // the slope's row of the inverse
	s := &rescaling{slope: f.slope, own: make([]float64, m), by: make([]float64, d)}
	weight := make([]float64, m)
	for i, g := range r.margin {
		if f.free < 0 {
			s.own[i] = r.w[i] * (u * (slope[i]*g - ma))
		} else {
			s.own[i] = r.w[i] * (u*(slope[i]*g-ma) + v*(slope[i]-mc))
		}
		weight[i] = r.w[i] * (u*(f.slope*curve[i]*g+slope[i]) + v*f.slope*curve[i])
	}
	r.z.AddRowsTo(s.by, r.times, weight, 0, m)
	return s
}

// unitTo changes the unit of column j into that of slope·x_j, x moving the slope too.
func (s *rescaling) unitTo(unit []float64, x float64, j int) {
	for k, b := range s.by {
		unit[k] = -x * b
	}
	unit[j] += s.slope
}
