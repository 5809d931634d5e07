package tune

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/train/latent"
)

// bent is what a curve is made of, on some of the rows: the features, their squares and
// their sizes, their products with what is along, and a constant.
func (t *Table) bent(rows []int, along [][]float64) (design.Matrix, error) {
	_, d := t.X.Dims()
	of := 3 + len(along)
	width := of*d + 1
	z := make([]float64, len(rows)*width)
	row := make([]float64, d)
	for i, j := range rows {
		t.X.RowTo(row, j)
		for k, v := range row {
			own := z[i*width+of*k : i*width+of*(k+1)]
			own[0], own[1], own[2] = v, v*v, math.Abs(v)
			for l, m := range along {
				own[3+l] = m[j] * v
			}
		}
		z[i*width+width-1] = 1
	}
	return design.NewDense(len(rows), width, z)
}

// overCurve is the mean rise of the log-likelihood out of fold, from a single curved law
// with free noise to the laws that give the rows the densities by, in its standard errors. The
// curve has the products of every feature with what is along, by fold. It reports whether rows
// are enough for a curve.
func (t *Table) overCurve(by []float64, along [][][]float64, fold []int, count int) (rise float64, held bool) {
	const work = 4 * mostLatentWork
	_, d := t.X.Dims()
	var gain []float64
	for k := range count {
		inside, outside := split(fold, k)
		if inside = fewer(inside, (3+len(along[k]))*d+1, work); inside == nil {
			return 0, false
		}
		outside = outside[:min(len(outside), mostLatentRows)]
		x, err := t.bent(inside, along[k])
		if err != nil {
			return 0, false
		}
		rows := t.mixtureOf(inside)
		rows.X, rows.Free = x, true
		curve := latent.Single(rows)
		if curve != nil {
			curve = latent.Null(rows, curve)
		}
		if curve == nil {
			return 0, false
		}
		held, err := t.bent(outside, along[k])
		if err != nil {
			return 0, false
		}
		_, density := curve.Posterior(held, pick(t.Target, outside))
		for i, j := range outside {
			gain = append(gain, by[j]-density[i])
		}
	}
	return inErrors(gain), true
}

// explained is the share of the variance of p that a regression on what a curve is made of
// predicts out of fold.
func (t *Table) explained(p []float64, fold []int, count int) float64 {
	step := max(1, t.N/mostLatentRows)
	var rows []int
	for j := 0; j < t.N; j += step {
		rows = append(rows, j)
	}
	target := pick(p, rows)
	x, err := t.bent(rows, nil)
	if err != nil {
		return math.NaN()
	}
	mean := stat.Mean(target, nil)
	wrong, all := 0.0, 0.0
	for k := range count {
		var inside []int
		for i, j := range rows {
			if fold[j] != k {
				inside = append(inside, i)
			}
		}
		one := latent.Single(&latent.Rows{X: x.Select(inside), Target: pick(target, inside), Free: true, Even: true})
		if one == nil {
			return math.NaN()
		}
		fitted := make([]float64, len(rows))
		x.MarginsTo(fitted, one.Law[0].Coefficients, 0, len(rows))
		for i, j := range rows {
			if fold[j] == k {
				wrong += (target[i] - fitted[i]) * (target[i] - fitted[i])
				all += (target[i] - mean) * (target[i] - mean)
			}
		}
	}
	if all == 0 {
		return 0
	}
	return 1 - wrong/all
}

// overFan is the mean rise of the log-likelihood out of fold, from one law whose noise grows
// along the direction that two others lie apart in, to the laws that give the rows the densities
// by, in its standard errors; 0 for two classes, which have no noise, and where the arithmetic
// fails.
func (t *Table) overFan(by []float64, apart [][][]float64, parts []*part) float64 {
	gain := make([][]float64, 2) // over it, and over it with a part more
	for i, p := range parts {
		if p.rows.Binary {
			return 0
		}
		along := slices.Clone(apart[i][0])
		floats.Sub(along, apart[i][1])
		floats.Scale(1/stat.StdDev(along, nil), along)
		rows := *p.rows
		var err error
		if rows.X, err = t.beside(p.inside, along); err != nil {
			return 0
		}
		one := latent.Single(&rows)
		if one == nil {
			return 0
		}
		held, err := t.beside(p.outside, along)
		if err != nil {
			return 0
		}
		for k, l := range []*latent.Laws{one, latent.Null(&rows, one)} {
			if l == nil {
				return 0
			}
			_, density := l.Posterior(held, pick(t.Target, p.outside))
			for i, j := range p.outside {
				gain[k] = append(gain[k], by[j]-density[i])
			}
		}
	}
	return leastRise(gain)
}

// beside are some of the rows with a column more, before the intercept.
func (t *Table) beside(rows []int, column []float64) (design.Matrix, error) {
	_, d := t.X.Dims()
	z := make([]float64, len(rows)*(d+1))
	for i, j := range rows {
		row := z[i*(d+1) : (i+1)*(d+1)]
		t.X.RowTo(row[:d], j)
		if row[d] = column[j]; t.Primal.Intercept {
			row[d-1], row[d] = column[j], row[d-1]
		}
	}
	return design.NewDense(len(rows), d+1, z)
}
