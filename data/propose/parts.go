package propose

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/combin"

	"github.com/drotrain/drotrain/data"
)

// Bounds of the search for sums that are the target.
const (
	sumRows    = 2000 // rows looked at
	sumColumns = 40   // columns, those that go most with the target
	sumLeft    = 1e-5 // proportion of the target's variance that is left
	maxSums    = 5
)

// dropParts drops two or three columns whose weighted sum is the numeric target, such as the parts of a total.
func (p *Proposal) dropParts(columns []*data.Column, t *targetValues) {
	if t.binary || len(t.rows) < 50 {
		return
	}
	for range maxSums {
		parts := partsOf(columns, t)
		var names []string
		for _, c := range parts {
			names = append(names, strconv.Quote(c.Name))
		}
		for _, c := range parts {
			columns = slices.DeleteFunc(columns, func(o *data.Column) bool { return o == c })
			p.drop(c, "together %s determine the target exactly: it may be computed from them", strings.Join(names, " and "))
		}
	}
}

// partsOf returns two or three columns that predict the target except for a proportion sumLeft of its variance,
// or nil.
func partsOf(columns []*data.Column, t *targetValues) (parts []*data.Column) {
	step := (len(t.rows) + sumRows - 1) / sumRows
	type candidate struct {
		of     *data.Column
		values []float64
		r      float64
	}
	var y []float64
	for i := 0; i < len(t.rows); i += step {
		y = append(y, t.y[i])
	}
	var all []candidate
	for _, c := range columns {
		v := make([]float64, len(y))
		for k := range v {
			if r := t.rows[k*step]; !c.IsNull(r) {
				v[k] = c.Number[r]
			}
		}
		if stat.StdDev(v, nil) > 1e-6*floats.Norm(v, math.Inf(1)) {
			all = append(all, candidate{c, v, stat.Correlation(v, y, nil)})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(math.Abs(b.r), math.Abs(a.r)) })
	all = all[:min(len(all), sumColumns)]
	target := len(all)
	x := mat.NewDense(len(y), target+1, nil)
	for j, c := range all {
		x.SetCol(j, c.values)
	}
	x.SetCol(target, y)
	var correlations mat.SymDense
	stat.CorrelationMatrix(&correlations, x, nil)
	// determinant returns the product of the proportions of variance that are left of each column given those
	// before it.
	determinant := func(columns []int) float64 {
		var of mat.SymDense
		of.SubsetSym(&correlations, columns)
		return mat.Det(&of)
	}
	for size := 2; size <= min(3, len(all)); size++ {
		for g := combin.NewCombinationGenerator(len(all), size); g.Next(); {
			at := g.Combination(nil)
			if left := determinant(at); left > 1e-8 && determinant(append(at, target)) < sumLeft*left {
				for _, j := range at {
					parts = append(parts, all[j].of)
				}
				return parts
			}
		}
	}
	return nil
}
