package report

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/losses"
)

// A fit is a trained model as the solution of equations over its rows: with y the
// weights of the rows at the optimum, Σ_i y_i ∇ℓ_i(x) + μx = 0. Where an adversary
// chose y, what chooses it is solved along: y ∝ exp(ℓ/ν) up to a factor that the
// equations do not need, or y_i = (1 + (ℓ_i − τ)/ν)₊/n with Σ y = 1 for τ. The variance
// of x is then the usual one of M-estimators, A⁻¹ (Σ_i ψ_i ψ_iᵀ) A⁻¹ (Huber 1967), ψ_i
// being what row i adds and A the Hessian of the objective, by x alone.
type fit struct {
	loss    losses.Loss
	x       []float64
	y       []float64 // Σ y = 1; nil: equal
	mu      float64
	free    int     // the column without a penalty; −1: none
	penalty string  // "kl", "chi2", or "" for weights that nobody chose by the losses
	nu      float64 // > 0 where there is a penalty
}

// Bounds on the work of standard errors: rows are sampled beyond them.
const (
	mostErrorRows = 400_000
	mostErrorWork = 2.5e9 // rows × columns²
)

// standardErrors are those of the columns, in the units of x; nil where the rows do not
// settle all coefficients. Rows are sampled by their weights where there are many.
func (f *fit) standardErrors(rows *data.Dataset, columns []int, seed uint64) []float64 {
	n, d := rows.N, rows.D
	most := int(min(mostErrorRows, mostErrorWork/float64(d)/float64(d)))
	if n <= d || most <= 2*d {
		return nil
	}
	if n > most {
		z, target, y, times := f.sample(rows, most, seed)
		return f.over(z, target, y, times, n, columns)
	}
	return f.over(rows.X, rows.Target, f.y, nil, n, columns)
}

// over sums over rows z, each of which stands for times rows of n (nil: itself).
func (f *fit) over(z design.Matrix, target, y, times []float64, n int, columns []int) []float64 {
	m, d := len(target), len(f.x)
	margin, slope, curve := make([]float64, m), make([]float64, m), make([]float64, m)
	z.MarginsTo(margin, f.x, 0, m)
	f.loss.EvalTo(make([]float64, m), slope, margin, target)
	f.loss.CurvatureTo(curve, slope, target)
	N := float64(n)
	v, u := make([]float64, m), make([]float64, m) // n y_i, and times the slope
	gram, each := make([]float64, m), make([]float64, m)
	for i := range m {
		v[i], each[i] = 1, 1
		if y != nil {
			v[i] = N * y[i]
		}
		if times != nil {
			each[i] = times[i]
		}
		u[i] = v[i] * slope[i]
		gram[i] = v[i] * curve[i]
		switch {
		case f.penalty == "kl":
			gram[i] += u[i] * slope[i] / f.nu
		case f.penalty == "chi2" && v[i] > 0:
			gram[i] += slope[i] * slope[i] / f.nu
		}
		gram[i] *= each[i] / N
	}
	a := make([]float64, d*d)
	z.AddGramTo(a, gram, 0, m)
	constant, weighed := make([]float64, d), make([]float64, d) // ψ_i = u_i z_i + constant + v_i weighed
	for j, x := range f.x {
		if j != f.free {
			a[j*d+j] += f.mu
			weighed[j] = f.mu * x
		}
	}
	switch f.penalty {
	case "kl":
		g := make([]float64, d)
		z.AddRowsTo(g, each, u, 0, m)
		addOuter(a, g, -1/(N*N*f.nu))
	case "chi2":
		c, active, count := make([]float64, d), make([]float64, m), 0.0
		for i := range m {
			if v[i] > 0 {
				active[i] = each[i]
				count += each[i]
			}
		}
		z.AddRowsTo(c, active, slope, 0, m)
		for j := range c {
			c[j] /= count
		}
		addOuter(a, c, -count/(N*f.nu))
		for j := range c {
			constant[j], weighed[j] = weighed[j]+c[j], -c[j]
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(mat.NewSymDense(d, a)) {
		return nil
	}
	out := make([]float64, len(columns))
	direction, unit := mat.NewVecDense(d, nil), mat.NewVecDense(d, nil)
	for k, j := range columns {
		unit.Zero()
		unit.SetVec(j, 1)
		if err := chol.SolveVecTo(direction, unit); err != nil {
			return nil // not to be told from singular
		}
		w := direction.RawVector().Data
		z.MarginsTo(margin, w, 0, m)
		always, byWeight, sum := dot(constant, w), dot(weighed, w), 0.0
		for i, s := range margin {
			t := u[i]*s + always + v[i]*byWeight
			sum += each[i] * t * t
		}
		out[k] = math.Sqrt(sum*N/(N-float64(d))) / N
	}
	return out
}

// sample draws about most rows, heavy ones for sure, and says how many rows each stands
// for.
func (f *fit) sample(rows *data.Dataset, most int, seed uint64) (z design.Matrix, target, y, times []float64) {
	g := rand.New(rand.NewPCG(seed, 0x5a9d))
	var drawn []int
	even := float64(most) / float64(rows.N)
	for i := range rows.N {
		p := even
		if f.y != nil {
			p = even/2 + f.y[i]*float64(most)/2
		}
		if p = min(1, p); g.Float64() >= p {
			continue
		}
		drawn, target, times = append(drawn, i), append(target, rows.Target[i]), append(times, 1/p)
		if f.y != nil {
			y = append(y, f.y[i])
		}
	}
	return rows.X.Select(drawn), target, y, times
}

// addOuter adds s·ggᵀ to the upper triangle of a.
func addOuter(a, g []float64, s float64) {
	d := len(g)
	for i, x := range g {
		for j := i; j < d; j++ {
			a[i*d+j] += s * x * g[j]
		}
	}
}

func dot(x, y []float64) float64 {
	s := 0.0
	for i, v := range x {
		s += v * y[i]
	}
	return s
}
