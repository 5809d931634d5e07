package report

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/drotrain/drotrain/design"
)

// An overGroups is what the weights of rows follow where an adversary weighs groups: row
// i of group g has q_g w_i/W_g.
type overGroups struct {
	of []int32   // the group of every training row, −1 for none
	q  []float64 // Σ = 1
	n  []float64 // rows of the groups
}

// A groupEquations is those of an adversary over groups, or of weights q that nobody moves.
// With R_g the mean loss of group g, g_g its gradient and p the prior,
//
//	Σ q_g g_g + μx = 0,   R_g + C/√n_g = τ + ν l_g where q_g > 0,   Σ q_g = 1,   D(q) = ρ,
//
// l_g = log(q_g/p_g) or q_g/p_g − 1, the last for a ball alone, in which ν is solved along;
// ν = 0 where the largest of the means decides. A row moves the means of its groups, and
// with them q; and their shares, where these are the prior.
type groupEquations struct {
	f     *fit
	r     *drawn
	mass  []float64   // W_g
	mean  []float64   // R_g
	along [][]float64 // g_g

	chol mat.Cholesky
	lu   mat.LU
	size int
	most []int // groups that are the largest together; nil where q is smooth

	bend  []float64 // 1/(ν ∂l_g/∂q_g): how far q_g moves with R_g
	level []float64 // l_g
	price float64   // ν
	prior []float64 // p
}

// leastActive is the weight from which a group is one of the largest together: less is
// what a solver leaves on others.
const leastActive = 1e-4

// groupEquations returns nil where the rows do not settle all coefficients.
func (f *fit) groupEquations(r *drawn) *groupEquations {
	k, d := len(f.over.q), len(f.x)
	e := &groupEquations{f: f, r: r, mass: make([]float64, k), mean: make([]float64, k), bend: make([]float64, k), level: make([]float64, k)}
	flat := make([]float64, k*d)
	for g := range k {
		e.along = append(e.along, flat[g*d:(g+1)*d])
	}
	u := make([]float64, len(r.target))
	for i, t := range r.times {
		u[i] = t * r.w[i] * r.slope[i]
	}
	one := r.one()
	e.each(func(i, g int) {
		e.mass[g] += r.times[i] * r.w[i]
		e.mean[g] += r.times[i] * r.w[i] * r.value[i]
		r.z.AddRowsTo(e.along[g], one, u, i, i+1)
	})
	for g, w := range e.mass {
		if !(w > 0) { // not drawn
			continue
		}
		e.mean[g] /= w
		for j := range d {
			e.along[g][j] /= w
		}
	}
	clear(r.y)
	e.each(func(i, g int) { r.y[i] += f.over.q[g] * r.w[i] / e.mass[g] })
	if !e.answers() {
		return nil
	}
	extra := 0
	switch f.answer.kind {
	case "":
	case "largest":
		extra = len(e.most) + 1
	default:
		if extra = 1; f.answer.ball {
			extra = 2
		}
	}
	e.size = d + extra
	a := f.hessian(r, nil, e.size)
	switch {
	case extra == 0:
	case e.most != nil:
		for c, g := range e.most {
			for j, v := range e.along[g] {
				a.SetSym(j, d+c, v)
			}
			a.SetSym(d+c, e.size-1, -1)
		}
		e.lu.Factorize(a)
		return e.ifSolvable()
	default:
		z, err := design.NewDense(k, d, flat)
		if err != nil {
			return nil
		}
		rank := make([]float64, d*d)
		z.AddGramTo(rank, e.bend, 0, k)
		for i := range d {
			for j := i; j < d; j++ {
				a.SetSym(i, j, a.At(i, j)+rank[i*d+j])
			}
		}
		for c := range extra {
			for g, b := range e.bend {
				if c == 1 {
					b *= e.level[g]
				}
				for j, v := range e.along[g] {
					a.SetSym(j, d+c, a.At(j, d+c)-b*v)
				}
				a.SetSym(d, d+c, a.At(d, d+c)+b)
				if c == 1 {
					a.SetSym(d+1, d+1, a.At(d+1, d+1)+b*e.level[g])
				}
			}
		}
	}
	if !e.chol.Factorize(a) {
		return nil
	}
	return e
}

func (e *groupEquations) ifSolvable() *groupEquations {
	if c := e.lu.Cond(); !(c < 1e14) {
		return nil
	}
	return e
}

// each calls f for every row that was drawn and has a group.
func (e *groupEquations) each(f func(i, g int)) {
	for i := range e.r.target {
		if g := e.f.over.of[e.r.row(i)]; g >= 0 && e.r.w[i] > 0 {
			f(i, int(g))
		}
	}
}

// answers computes how the weights over groups follow the means; false where they do in
// no way that is known.
func (e *groupEquations) answers() bool {
	q, a := e.f.over.q, e.f.answer
	if a.kind == "largest" {
		for g, v := range q {
			if v > leastActive && e.mass[g] > 0 {
				e.most = append(e.most, g)
			}
		}
		return len(e.most) > 0
	}
	if a.kind == "" {
		return true
	}
	total := 0.0
	for _, w := range e.mass {
		total += w
	}
	e.prior = make([]float64, len(q))
	for g, w := range e.mass {
		e.prior[g] = w / total
		if e.prior[g] > 0 && q[g] > 0 {
			if e.level[g] = math.Log(q[g] / e.prior[g]); a.kind == "chi2" {
				e.level[g] = q[g]/e.prior[g] - 1
			}
		}
	}
	if e.price = a.nu; a.ball { // ν is how far the means rise with l
		var l, r, ll, lr float64
		for g, v := range q {
			m := e.mean[g] + e.adjusted(g)
			l, r, ll, lr = l+v*e.level[g], r+v*m, ll+v*e.level[g]*e.level[g], lr+v*e.level[g]*m
		}
		e.price = (lr - l*r) / (ll - l*l)
	}
	if !(e.price > 0) || math.IsInf(e.price, 1) {
		return false
	}
	for g, v := range q {
		if v <= 0 || e.mass[g] <= 0 {
			continue
		}
		if e.bend[g] = v / e.price; a.kind == "chi2" {
			e.bend[g] = e.prior[g] / e.price
		}
	}
	return true
}

// adjusted returns C/√n_g.
func (e *groupEquations) adjusted(g int) float64 {
	if n := e.f.over.n[g]; n > 0 {
		return e.f.answer.adjust / math.Sqrt(n)
	}
	return 0
}

// directionTo implements equations.
func (e *groupEquations) directionTo(t, unit []float64) bool {
	r, q, d := e.r, e.f.over.q, len(e.f.x)
	rhs, solved := mat.NewVecDense(e.size, nil), mat.NewVecDense(e.size, nil)
	copy(rhs.RawVector().Data, unit)
	var err error
	if e.most != nil {
		err = e.lu.SolveVecTo(solved, false, rhs)
	} else {
		err = e.chol.SolveVecTo(solved, rhs)
	}
	if err != nil {
		return false
	}
	w := solved.RawVector().Data
	drift := make([]float64, len(q))  // ⟨g_g, w⟩
	moves := make([]float64, len(q))  // what a change of R_g does
	shifts := make([]float64, len(q)) // what a change of p_g does
	for g := range q {
		drift[g] = dot(e.along[g], w[:d])
	}
	switch {
	case e.most != nil:
		for c, g := range e.most {
			moves[g] = w[d+c]
		}
	case e.size > d:
		nu := 0.0
		if e.f.answer.ball {
			nu = w[d+1]
		}
		for g, b := range e.bend {
			moves[g] = b * (drift[g] - w[d] - e.level[g]*nu)
			if p := e.prior[g]; p > 0 {
				if e.f.answer.kind == "chi2" {
					shifts[g] = moves[g]*e.price*q[g]/(p*p) + nu*q[g]*q[g]/(2*p*p)
				} else {
					shifts[g] = moves[g]*e.price/p + nu*q[g]/p
				}
			}
		}
	}
	total, mean := 0.0, 0.0
	for g, m := range e.mass {
		total += m
		if e.prior != nil {
			mean += shifts[g] * e.prior[g]
		}
	}
	margin := make([]float64, len(t))
	r.z.MarginsTo(margin, w[:d], 0, len(t))
	clear(t)
	e.each(func(i, g int) {
		own := (q[g]*(r.slope[i]*margin[i]-drift[g]) + moves[g]*(r.value[i]-e.mean[g])) / e.mass[g]
		own += (shifts[g] - mean) / total
		t[i] += r.w[i] * own
	})
	return true
}
