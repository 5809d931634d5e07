package newton

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// findRedundant stores in c.Redundant the unpenalised columns that are linear combinations of other unpenalised
// columns. Omitting them does not change the minimum: if z_i = Σ_k a_k z_k in every row, the term x_i z_i equals the
// change a_k x_i of every x_k. The curvature in the remaining columns therefore proves a bound, although the Hessian in
// all columns is singular. A combination counts if it holds exactly for the stored numbers, which is checked without
// rounding. If columns are dependent only up to rounding, c.IsDeficient is set to true. findRedundant takes one Gram
// matrix, and half a pass for every column that it compares with others.
func findRedundant(c *engine.Certifier, o engine.LinearModel, ridge []float64) {
	const (
		fraction = 1.0 / 1024 // coefficients are rounded to multiples of it
		smallest = 1e-280
	)
	d := len(ridge)
	c.Redundant = make([]bool, d)
	lo, hi := c.Rows.LocalRange(c.N)
	ones := c.ScratchSpace()
	engine.Fill(ones[lo:hi], 1)
	c.Spend(1)
	h := mat.NewSymDense(d, nil)
	newGram(c.Rows, c.N, d).ComputeTo(h, o, ones)
	var free []int
	var zero []int
	for i, mu := range ridge {
		switch v := h.At(i, i); {
		case mu != 0 || c.Rounding.IsEmptyColumn(i):
		case v == 0:
			zero = append(zero, i)
		case v > 0 && !math.IsInf(v, 1):
			free = append(free, i)
		}
	}
	kept, rest, factor := pivotedCholesky(h, free, dependent)
	column := map[int][]float64{}
	values := func(i int) []float64 {
		if column[i] == nil {
			unit, v := make([]float64, d), c.Vector(c.N)
			unit[i] = 1
			c.Spend(0.5)
			c.Rows.Run(c.N, func(_, lo, hi int) { o.MarginsTo(v, unit, lo, hi) })
			column[i] = v
		}
		return column[i]
	}
	for _, i := range zero { // the squares may have underflowed
		v := values(i)
		c.Redundant[i] = c.Rows.Max(c.N, func(lo, hi int) float64 { return floats.Norm(v[lo:hi], math.Inf(1)) }) == 0
	}
	for _, i := range rest {
		parts, share := [][]float64{values(i)}, []float64{-1}
		for k, a := range coefficients(factor, kept, i) {
			if a = math.Round(a/fraction) * fraction; a != 0 {
				parts, share = append(parts, values(kept[k])), append(share, a)
			}
		}
		wrong := c.Rows.Max(c.N, func(lo, hi int) float64 {
			term := make([]float64, 0, 2*len(parts))
			for j := lo; j < hi; j++ {
				term = term[:0]
				for k, v := range parts {
					p := share[k] * v[j]
					if v[j] != 0 && math.Abs(p) < smallest {
						return 1 // the low part of the product may underflow
					}
					term = append(term, p, math.FMA(share[k], v[j], -p))
				}
				if !isZeroSum(term) {
					return 1
				}
			}
			return 0
		})
		if wrong == 0 {
			c.Redundant[i] = true
		} else {
			c.IsDeficient = true
		}
	}
	for _, v := range column {
		c.Release(v)
	}
}

// dependent is the squared relative distance of a column from the span of the others below which it may be a
// combination of them.
const dependent = 1e-10

// isSingular reports whether h, which is positive semidefinite, is singular or nearly so, regardless of the units
// of the columns.
func isSingular(h *mat.SymDense) bool {
	d := h.SymmetricDim()
	unit := make([]float64, d)
	for i := range unit {
		v := h.At(i, i)
		if !(v > 0) {
			return true
		}
		unit[i] = 1 / math.Sqrt(v)
	}
	scaled := mat.NewSymDense(d, nil)
	for i := range unit {
		for j := i; j < d; j++ {
			scaled.SetSym(i, j, unit[i]*h.At(i, j)*unit[j])
		}
	}
	var chol mat.Cholesky
	return !chol.Factorize(scaled) || !(chol.Cond() < 1/dependent)
}

// freeze replaces the rows and columns of h for frozen coordinates by those of the identity matrix.
func freeze(h *mat.SymDense, frozen []bool) {
	for i, is := range frozen {
		if is {
			for k := range frozen {
				h.SetSym(i, k, 0)
			}
			h.SetSym(i, i, 1)
		}
	}
}

// A frozen is a Jacobian without the columns of frozen coordinates.
type frozen struct {
	jacobian
	columns []bool
}

func (f frozen) AddTransposedTo(dst, q []float64) {
	f.jacobian.AddTransposedTo(dst, q)
	clearFrozen(dst, f.columns)
}

func (f frozen) AddGramTo(dst *mat.SymDense, w []float64) {
	sum := mat.NewSymDense(len(f.columns), nil)
	f.jacobian.AddGramTo(sum, w)
	for i, is := range f.columns {
		for k := range f.columns {
			if is {
				sum.SetSym(i, k, 0)
			}
		}
	}
	dst.AddSym(dst, sum)
}

// clearFrozen sets the entries of frozen coordinates to zero.
func clearFrozen(v []float64, frozen []bool) {
	for i, is := range frozen {
		if is {
			v[i] = 0
		}
	}
}

// passColumnFindings copies the findings of c about the columns to the certifier of an inner solve, whose rows are a
// subset of the rows of c.
func passColumnFindings(c, inner *engine.Certifier) {
	inner.Redundant, inner.IsDeficient = c.Redundant, c.IsDeficient
}

// copyColumnFindings copies the findings of an inner solve on all rows about the columns.
func copyColumnFindings(c, inner *engine.Certifier) {
	if c.Redundant == nil {
		c.Redundant, c.IsDeficient = inner.Redundant, inner.IsDeficient
	}
}

// pivotedCholesky factorises the block of h for the given columns. Each step takes the column farthest from the span
// of the columns taken before. It returns the columns taken (kept); the others (rest), whose squared distance from
// that span is below least times their squared length; and the factor, with factor[k][i] for column i in the row of
// the k-th column kept.
func pivotedCholesky(h *mat.SymDense, columns []int, least float64) (kept, rest []int, factor [][]float64) {
	d := h.SymmetricDim()
	left := make([]float64, d)
	for _, i := range columns {
		left[i] = h.At(i, i)
	}
	rest = append([]int(nil), columns...)
	for len(rest) > 0 {
		best := 0
		for k, i := range rest {
			if left[i]/h.At(i, i) > left[rest[best]]/h.At(rest[best], rest[best]) {
				best = k
			}
		}
		p := rest[best]
		if !(left[p] > least*h.At(p, p)) {
			break
		}
		row := make([]float64, d)
		root := math.Sqrt(left[p])
		row[p] = root
		rest = append(rest[:best], rest[best+1:]...)
		for _, i := range rest {
			v := h.At(p, i)
			for _, f := range factor {
				v -= f[p] * f[i]
			}
			row[i] = v / root
			left[i] -= row[i] * row[i]
		}
		factor, kept = append(factor, row), append(kept, p)
	}
	return kept, rest, factor
}

// coefficients returns the coefficients of the combination of the kept columns that is nearest to column i.
func coefficients(factor [][]float64, kept []int, i int) []float64 {
	a := make([]float64, len(kept))
	for k := len(kept) - 1; k >= 0; k-- {
		v := factor[k][i]
		for l := k + 1; l < len(kept); l++ {
			v -= factor[k][kept[l]] * a[l]
		}
		a[k] = v / factor[k][kept[k]]
	}
	return a
}

// isZeroSum reports whether the exact sum of the terms is zero. It replaces the terms by non-overlapping numbers
// with the same sum (Shewchuk 1997).
func isZeroSum(term []float64) bool {
	for n := range term {
		x := term[n]
		for k := range n {
			sum := x + term[k]
			of := sum - x
			term[k] = (x - (sum - of)) + (term[k] - of)
			x = sum
		}
		term[n] = x
	}
	for _, v := range term {
		if v != 0 { // also true if v is NaN
			return false
		}
	}
	return true
}
