package report

import (
	"cmp"
	"math"
	"slices"

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

// A system is the equations of an estimator, linearised at its solution. They are over units, which an
// adversary weighs: the rows, or the groups. With R_u the mean loss of unit u, g_u its gradient, p_u its
// share of the rows and φ* the conjugate of the divergence (KL: eᵗ − 1, χ²: ½(1+t)₊² − ½),
//
//	Σ q_u g_u + μx = 0,   q_u = p_u φ*'(t_u),   t_u = (R_u + C/√n_u − η)/ν,   Σ q_u = 1,   D(q) = ρ,
//
// the last for a ball alone, in which ν is solved along. Weights that nobody moves have neither η nor ν.
// The derivative has, beside that of fixed weights, Σ_u b_u a_u a_uᵀ with a_u = (g_u, −1, −t_u) and
// b_u = p_u φ*”(t_u)/ν; for CVaR b_u is the density of the losses at the threshold, over the share. Where
// the largest of the means decides (ν = 0), those of the groups with weight stay equal. A row moves the
// mean of its unit, and with it q; and the unit's share, where the weights follow that.
type system struct {
	f *fit
	r *drawn

	of    []int32       // the unit of every row that was drawn, −1 for none
	z     design.Matrix // with grad: the gradient of unit u is grad_u·z_u
	grad  []float64
	times []float64 // how many units each stands for
	mean  []float64 // R_u
	mass  []float64 // W_u, the weight of its rows
	total float64   // Σ W
	q     []float64

	v     []float64 // q_u/p_u
	level []float64 // t_u
	bend  []float64 // b_u; nil: the weights do not move
	most  []int     // the groups that are the largest together

	size int
	chol mat.Cholesky
	lu   mat.LU // where most is set
}

// leastActive is the weight from which a group is one of the largest together: less is
// what a solver leaves on others.
const leastActive = 1e-4

// system returns nil where the rows do not settle all coefficients.
func (f *fit) system(r *drawn) *system {
	s := &system{f: f, r: r, of: make([]int32, len(r.target)), z: r.z, grad: r.slope, times: r.times, mean: r.value, mass: r.w, total: 1, q: r.y}
	for i, w := range r.w {
		if s.of[i] = int32(i); w <= 0 {
			s.of[i] = -1
		}
	}
	if f.over != nil && !s.groupRows() {
		return nil
	}
	s.v, s.level = make([]float64, len(s.q)), make([]float64, len(s.q))
	for u, q := range s.q {
		if s.mass[u] > 0 {
			s.v[u] = q / (s.mass[u] / s.total)
		}
	}
	extra := 0
	switch f.answer.kind {
	case "":
	case "largest":
		for g, v := range s.q {
			if v > leastActive && s.mass[g] > 0 {
				s.most = append(s.most, g)
			}
		}
		if s.most == nil {
			return nil
		}
		extra = len(s.most) + 1
	case "tail":
		extra = 1
		if s.bend = s.density(); s.bend == nil {
			return nil
		}
	default:
		if extra = 1; f.answer.ball {
			extra = 2
		}
		if !s.follow() {
			return nil
		}
	}
	s.size = len(f.x) + extra
	if s.most != nil {
		return s.factorLargest()
	}
	return s.factor(extra)
}

// groupRows makes the groups the units; false where their matrix cannot be built.
func (s *system) groupRows() bool {
	f, r := s.f, s.r
	k, d := len(f.over.q), len(f.x)
	for i := range s.of {
		if s.of[i] >= 0 {
			s.of[i] = f.over.of[r.row(i)]
		}
	}
	flat, u := make([]float64, k*d), make([]float64, len(r.target))
	for i, t := range r.times {
		u[i] = t * r.w[i] * r.slope[i]
	}
	s.grad, s.times, s.mass, s.mean, s.total, s.q = ones(k), ones(k), make([]float64, k), make([]float64, k), 0, f.over.q
	one := ones(len(r.target))
	s.each(func(i, g int) {
		s.mass[g] += r.times[i] * r.w[i]
		s.mean[g] += r.times[i] * r.w[i] * r.value[i]
		r.z.AddRowsTo(flat[g*d:(g+1)*d], one, u, i, i+1)
	})
	for g, w := range s.mass {
		if w > 0 { // drawn
			s.total += w
			s.mean[g] /= w
			for j := range d {
				flat[g*d+j] /= w
			}
		}
	}
	clear(r.y)
	s.each(func(i, g int) { r.y[i] += s.q[g] * r.w[i] / s.mass[g] })
	var err error
	s.z, err = design.NewDense(k, d, flat)
	return err == nil
}

// each calls f for every row that was drawn and has a unit.
func (s *system) each(f func(i, u int)) {
	for i, u := range s.of {
		if u >= 0 {
			f(i, int(u))
		}
	}
}

// follow computes how the weights follow the means by a divergence; false where they do in no way that
// is known. Over groups the penalty coefficient of a ball is how far the means rise with t.
func (s *system) follow() bool {
	a := s.f.answer
	for u, v := range s.v {
		if v <= 0 {
			continue
		}
		if s.level[u] = v - 1; a.kind == "kl" {
			s.level[u] = math.Log(v)
		}
	}
	nu := a.nu
	if over := s.f.over; over != nil && a.ball {
		var l, r, ll, lr float64
		for g, q := range s.q {
			m := s.mean[g]
			if n := over.n[g]; n > 0 {
				m += a.adjust / math.Sqrt(n)
			}
			l, r, ll, lr = l+q*s.level[g], r+q*m, ll+q*s.level[g]*s.level[g], lr+q*s.level[g]*m
		}
		nu = (lr - l*r) / (ll - l*l)
	}
	if !(nu > 0) || math.IsInf(nu, 1) {
		return false
	}
	s.bend = make([]float64, len(s.q))
	for u, v := range s.v {
		if v <= 0 {
			continue
		}
		if s.bend[u] = s.q[u] / nu; a.kind == "chi2" {
			s.bend[u] /= v
		}
	}
	return true
}

// factor factors the derivative, with extra unknowns of the adversary.
func (s *system) factor(extra int) *system {
	f, r, d := s.f, s.r, len(s.f.x)
	var more []float64
	if s.bend != nil && f.over == nil {
		more = make([]float64, len(s.bend))
		for u, b := range s.bend {
			more[u] = b * s.grad[u] * s.grad[u]
		}
	}
	a := f.hessian(r, more, s.size)
	if s.bend != nil && f.over != nil {
		rank := make([]float64, d*d)
		s.z.AddGramTo(rank, s.bend, 0, len(s.bend))
		for i := range d {
			for j := i; j < d; j++ {
				a.SetSym(i, j, a.At(i, j)+rank[i*d+j])
			}
		}
	}
	u, border := make([]float64, len(s.bend)), make([]float64, d)
	for k := range extra {
		clear(border)
		corner := [2]float64{}
		for i, b := range s.bend {
			c := s.times[i] * b
			if k == 1 {
				c *= s.level[i]
			}
			u[i] = -c * s.grad[i]
			corner[0] += c
			corner[1] += c * s.level[i]
		}
		s.z.AddRowsTo(border, ones(len(u)), u, 0, len(u))
		for j, v := range border {
			a.SetSym(j, d+k, v)
		}
		for l := k; l < extra; l++ {
			a.SetSym(d+k, d+l, corner[l])
		}
	}
	if !s.chol.Factorize(a) {
		return nil
	}
	return s
}

// factorLargest factors the derivative where groups are the largest together.
func (s *system) factorLargest() *system {
	d := len(s.f.x)
	a := s.f.hessian(s.r, nil, s.size)
	row := make([]float64, d)
	for c, g := range s.most {
		s.z.RowTo(row, g)
		for j, v := range row {
			a.SetSym(j, d+c, v)
		}
		a.SetSym(d+c, s.size-1, -1)
	}
	s.lu.Factorize(a)
	if c := s.lu.Cond(); !(c < 1e14) {
		return nil
	}
	return s
}

// directionTo solves A·direction = unit for a unit over the columns of x, and
// stores in t what each row adds along it: how far ⟨unit, x⟩ moves with the row.
// It reports false where the rows do not settle it.
func (s *system) directionTo(t, unit []float64) bool {
	r, d := s.r, len(s.f.x)
	rhs, solved := mat.NewVecDense(s.size, nil), mat.NewVecDense(s.size, nil)
	copy(rhs.RawVector().Data, unit)
	var err error
	if s.most != nil {
		err = s.lu.SolveVecTo(solved, false, rhs)
	} else {
		err = s.chol.SolveVecTo(solved, rhs)
	}
	if err != nil {
		return false // numerically singular
	}
	w := solved.RawVector().Data
	drift := make([]float64, len(s.q)) // ⟨g_u, w⟩
	s.z.MarginsTo(drift, w[:d], 0, len(drift))
	for u, g := range s.grad {
		drift[u] *= g
	}
	eta, nu := 0.0, 0.0
	if s.bend != nil {
		if eta = w[d]; s.f.answer.ball {
			nu = w[d+1]
		}
	}
	moves := make([]float64, len(s.q))  // what a change of R_u does
	shifts := make([]float64, len(s.q)) // what a change of p_u does, but for what it does for all
	for c, g := range s.most {
		moves[g] = w[d+c]
	}
	mean := 0.0
	for u, b := range s.bend {
		moves[u] = b * (drift[u] - eta - s.level[u]*nu)
	}
	if s.bend != nil || s.f.over == nil {
		for u, v := range s.v {
			shifts[u] = v*(drift[u]-eta) - nu*s.f.answer.divergence(v)
			mean += s.times[u] * s.mass[u] / s.total * shifts[u]
		}
	}
	margin := drift
	if s.f.over != nil {
		margin = make([]float64, len(t))
		r.z.MarginsTo(margin, w[:d], 0, len(t))
		for i, slope := range r.slope {
			margin[i] *= slope
		}
	}
	clear(t)
	s.each(func(i, u int) {
		own := (s.q[u]*(margin[i]-drift[u]) + moves[u]*(r.value[i]-s.mean[u])) / s.mass[u]
		t[i] = r.w[i] * (own + (shifts[u]-mean)/s.total)
	})
	return true
}

// divergence returns φ(v): what a weight v times its own costs.
func (a answer) divergence(v float64) float64 {
	switch {
	case a.kind == "chi2":
		return (v - 1) * (v - 1) / 2
	case v <= 0:
		return 1
	}
	return v*math.Log(v) - v + 1
}

// density returns the density of the losses at the threshold of a tail, as weights of the rows
// about it, over its share: those between two quantiles as far apart as Hall and Sheather
// (1988) advise, with rows enough for the columns. Nil where the tail has too few.
func (s *system) density() []float64 {
	r, share := s.r, s.f.answer.share
	m, d := len(r.target), len(s.f.x)
	order := make([]int, m)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(r.value[j], r.value[i]) })
	n := 0.0
	for _, k := range r.times {
		n += k
	}
	z := math.Sqrt2 * math.Erfinv(1-2*share)
	height := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
	h := math.Pow(n, -1./3) * math.Pow(1.96, 2./3) * math.Pow(1.5*height*height/(2*z*z+1), 1./3)
	h = min(max(h, float64(2*d)/n), share/2, (1-share)/2)
	if h*n < float64(d) {
		return nil
	}
	bend := make([]float64, m)
	run, first, last := 0.0, math.NaN(), math.NaN()
	for _, i := range order {
		run += r.times[i] * r.w[i]
		if run < share-h || run > share+h {
			continue
		}
		if math.IsNaN(first) {
			first = r.value[i]
		}
		last = r.value[i]
		bend[i] = r.w[i]
	}
	if !(first > last) {
		return nil
	}
	for i := range bend {
		bend[i] /= (first - last) * share
	}
	return bend
}

func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}
