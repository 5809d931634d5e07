package side

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/ranks"
)

// Best responses with reference weights w in the place of 1/n.

// validWeights checks reference weights of n samples; nil is fine.
func validWeights(rows *ranks.Rows, w []float64, n int) error {
	if w == nil {
		return nil
	}
	if len(w) < n {
		return fmt.Errorf("there are %d weights for %d samples", len(w), n)
	}
	return validMass(rows, w)
}

func totalOf(rows *ranks.Rows, w []float64) float64 {
	return rows.Sum(len(w), func(lo, hi int) float64 { return kernel.Sum(w[lo:hi]) })
}

// largestOf returns the largest f_j with w_j > 0, no number where one of these is none; w may
// be nil.
func largestOf(rows *ranks.Rows, f, w []float64) float64 {
	return rows.Max(len(f), func(lo, hi int) float64 {
		if w == nil {
			return kernel.Max(f[lo:hi])
		}
		m := math.Inf(-1)
		for j := lo; j < hi; j++ {
			if w[j] > 0 {
				m = max(m, f[j])
			}
		}
		return m
	})
}

// weightedOnMax shares the weight among the samples of largest loss, by w.
func weightedOnMax(rows *ranks.Rows, y, f, w []float64, top float64) float64 {
	return shareMax(rows, y, f, top, func(j int) float64 { return w[j] })
}

// weightedKL stores y ∝ w·exp(f/ν) and returns ν log mean exp(f/ν), the mean by w, and its
// rounding, as klRisk, and log mean exp((f − top)/ν); w may be nil.
func weightedKL(rows *ranks.Rows, y, f, w []float64, nu, top float64) (risk, rounding, logMean float64) {
	sum := rows.Sum(len(f), func(lo, hi int) float64 {
		s := kernel.ExpTo(y[lo:hi], f[lo:hi], top, nu)
		if w == nil {
			return s
		}
		s = 0
		for j := lo; j < hi; j++ {
			if y[j] *= w[j]; w[j] == 0 {
				y[j] = 0 // the loss may be above top
			}
			s += y[j]
		}
		return s
	})
	divide(rows, y, sum)
	total := float64(len(f))
	if w != nil {
		total = totalOf(rows, w)
	}
	risk, rounding = klRisk(rows, f, w, nu, top, sum)
	return risk, rounding, logRatio(sum, total)
}

// weightedChi2 stores y = w(1 + (f − τ)/ν)₊, scaled to a sum of one, and returns the risk and
// τ, as ChiSquare, and what the sum was above one: of a level as exact as the losses are, in
// units of ν, where samples of very unequal weight share the mass.
func weightedChi2(rows *ranks.Rows, y, f, w []float64, nu, top float64) (risk, tau, unsolved float64) {
	n := len(f)
	total := totalOf(rows, w)
	unit := unitOf(total)
	level := math.Inf(-1) // of v = 1 + (f − top)/ν, above which there is weight
	for range 200 {
		mass, first := rows.Scalars(n), rows.Scalars(n)
		rows.Run(n, func(s, lo, hi int) {
			for j := lo; j < hi; j++ {
				if v := 1 + (f[j]-top)/nu; v > level && w[j] > 0 {
					mass[s] += w[j] * unit
					first[s] += w[j] * unit * (v - 1)
				}
			}
		})
		rows.Share(mass, first)
		m := vec.Sum(mass)
		next := 1 + (vec.Sum(first)-total*unit)/m // Σ_A w(v − t) = Σ w
		if !(next > level) {
			break
		}
		level = next
	}
	rows.Run(n, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			y[j] = 0
			if w[j] > 0 {
				y[j] = w[j] * max(0, 1+(f[j]-top)/nu-level)
			}
		}
	})
	mass := totalOf(rows, y)
	divide(rows, y, mass)
	linear, penalty := 0.0, nu*Ball{Divergence: PearsonChi2, Weights: w, rows: rows}.Of(y)
	linear = rows.Sum(n, func(lo, hi int) float64 {
		s := 0.0
		for j := lo; j < hi; j++ {
			if y[j] > 0 {
				s += y[j] * f[j]
			}
		}
		return s
	})
	return linear - penalty, linear - 2*penalty, mass/total - 1
}
