package latent

import (
	"math"

	"github.com/drotrain/drotrain/design"
)

const (
	mostGrowth = 5  // of the logarithm of a row's factor
	farRow     = 10 // squares of residuals, in their variance, count as no more for how noise grows
	steady     = 10 // ½·steady·‖γ‖² is added to the negative log-likelihood of how it grows
	between    = 3  // rounds of expectation and maximisation to a step of it
)

// terms is how many functions of a column the logarithm of a row's factor is made of.
const terms = 4

// sizes are, of every row and column, log(1+z₊) − ¼, log(1+z₋) − ¼, log(1/10+z₊) + 1½ and
// log(1/10+z₋) + 1½, z₊ = max(z, 0) and z₋ = max(−z, 0), and after these a constant: noise that
// grows, or vanishes, on either side. What is subtracted is about the mean where columns have
// mean 0 and deviation 1. Where the last column is an intercept they are 0.
func sizes(x design.Matrix, n int, free bool) design.Matrix {
	_, d := x.Dims()
	w := terms*d + 1
	u, z := make([]float64, n*w), make([]float64, d)
	small := math.Log(0.1)
	for j := range n {
		row := u[j*w : (j+1)*w]
		x.RowTo(z, j)
		for i, v := range z {
			of, far := row[terms*i:terms*(i+1)], 0
			if v < 0 {
				far = 1
			}
			a := math.Abs(v)
			of[far], of[1-far] = math.Log1p(a)-0.25, -0.25
			of[2+far], of[3-far] = math.Log(0.1+a)+1.5, small+1.5
		}
		if row[w-1] = 1; free {
			clear(row[w-1-terms : w-1])
		}
	}
	out, _ := design.NewDense(n, w, u) // of finite numbers: those of x are
	return out
}

// growthOf stores the factor of every row's noise.
func growthOf(out []float64, u design.Matrix, growth []float64) {
	u.MarginsTo(out, append(growth[:len(growth):len(growth)], 0), 0, len(out))
	for j, s := range out {
		out[j] = math.Exp(max(-mostGrowth, min(mostGrowth, s)))
	}
}

// grow takes a step of how noise grows: to the likelihood of squares in units of their laws'
// variances, by Fisher's information, shortened until the likelihood rises.
func (f *fitter) grow(l *Laws, p [][]float64) bool {
	square := make([]float64, f.n) // in units of the variance as it is
	for k, law := range l.Law {
		if law.Noise <= least*f.scale { // rows that follow a law exactly have no noise to grow
			return true
		}
		f.X.MarginsTo(f.margin, law.Coefficients, 0, f.n)
		for j, m := range f.margin {
			r := (f.Target[j] - m) / (law.Noise * f.growth[j])
			square[j] += p[k][j] * r * r
		}
	}
	if f.information == nil {
		if f.information = f.fisher(); f.information == nil {
			return false
		}
	}
	g, slope := make([]float64, terms*f.d+1), make([]float64, f.n)
	for j, s := range square {
		slope[j] = min(farRow, s) - 1
	}
	f.u.AddRowsTo(g, f.weight, slope, 0, f.n)
	for i, v := range l.Growth {
		g[i] -= steady * v
	}
	step := f.information(g)
	if step == nil {
		return false
	}
	f.u.MarginsTo(slope, step, 0, f.n)
	value := func(t float64) float64 {
		sum := 0.0
		for i, v := range l.Growth {
			sum += steady / 2 * (v + t*step[i]) * (v + t*step[i])
		}
		for j, s := range square {
			if s *= math.Exp(-2 * t * slope[j]); s > farRow {
				s = farRow * (1 + math.Log(s/farRow))
			}
			sum += f.weight[j] * (t*slope[j] + s/2)
		}
		return sum
	}
	now := value(0)
	for t := 1.0; t > 0.05; t /= 2 {
		if value(t) < now {
			for i := range l.Growth {
				l.Growth[i] += t * step[i]
			}
			growthOf(f.growth, f.u, l.Growth)
			break
		}
	}
	return true
}

// fisher returns what solves with the information of how noise grows, and a constant, from
// some of the rows; nil where the arithmetic fails.
func (f *fitter) fisher() func([]float64) []float64 {
	w := terms*f.d + 1
	gram, weight := make([]float64, w*w), make([]float64, f.n)
	step := max(1, f.n/max(2000, 10*w))
	for j := 0; j < f.n; j += step {
		weight[j] = 2 * float64(step) * f.weight[j]
	}
	f.u.AddGramTo(gram, weight, 0, f.n)
	for i := range w - 1 {
		gram[i*w+i] += steady
	}
	return cholesky(gram, w)
}
