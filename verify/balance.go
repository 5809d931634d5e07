package verify

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/drotrain/drotrain/internal/interval"
)

// A balance moves the slopes of a row within their room so that Σ y_j s_j z_j is exactly 0 in every column that the
// regulariser leaves free. Without this equality, the minimum over the coefficient of such a column has no finite
// bound.
type balance interface {
	move(s []number, up, down number, z []float64)
}

// newBalance returns the balance of the slopes of a proof for weights y.
func (c *checker) newBalance(p *Proof, y []number) (balance, error) {
	switch {
	case c.norm.isZero():
		return c.balanceColumns(p, y)
	case c.penalised < c.rows.D:
		return c.balanceIntercept(p, y)
	}
	return unmoved{}, nil
}

// unmoved is a balance that does not move slopes.
type unmoved struct{}

func (unmoved) move([]number, number, number, []float64) {}

// A shift moves the slopes of an output, in all rows, by the same proportion of their room: by rise upwards or by
// fall downwards. One of the two proportions is 0. This suffices for a column of ones, even if most slopes are at
// an end of their region.
type shift struct{ rise, fall []number }

func (b shift) move(s []number, up, down number, _ []float64) {
	for i := range s {
		s[i] = interval.Add(s[i], interval.Sub(interval.Mul(b.rise[i], up), interval.Mul(b.fall[i], down)))
	}
}

// balanceIntercept returns the shift for which the slopes sum to 0.
func (c *checker) balanceIntercept(p *Proof, y []number) (balance, error) {
	k := c.outputs
	sums := c.sums(c.rows.N, k+2, func(to []*interval.Sum, j int) {
		if y[j].Hi.Sign() > 0 {
			s, up, down := c.slopes(p, j)
			for i, v := range s {
				to[i].Add(interval.Mul(y[j], v))
			}
			to[k].Add(interval.Mul(y[j], up))
			to[k+1].Add(interval.Mul(y[j], down))
		}
	})
	part := func(of, room number) (number, bool) {
		if of = interval.Max(of, zero); of.Hi.Sign() == 0 {
			return zero, true
		} else if room.Lo.Sign() <= 0 {
			return zero, false
		}
		of = interval.Div(of, room)
		return of, isAtMostOne(of)
	}
	b := shift{make([]number, k), make([]number, k)}
	for i := range k {
		var rises, falls bool
		b.rise[i], rises = part(interval.Neg(sums[i]), sums[k])
		b.fall[i], falls = part(sums[i], sums[k+1])
		if !rises || !falls {
			return nil, errors.New("for these weights and slopes, the intercept of the model is not optimal")
		}
	}
	return b, nil
}

// MaxFreeColumns is the largest number of columns without a penalty. The sums for so many take 300 MB.
const MaxFreeColumns = 500

func isAtMostOne(a number) bool { return a.Hi.Cmp(one.Lo) <= 0 }

// A tilt moves the slope of an output in row j by ⟨v, z_j⟩ times its room in both directions. With the rooms h_j,
// this is the solution of (Σ y_j h_j z_j z_jᵀ) v = −Σ y_j s_j z_j.
type tilt struct {
	along [][]number // the vector v of each output
}

// move moves the slopes s of the outputs in row z within their rooms up and down. It panics with an *interval.Error,
// which interval.Catch recovers, if a slope would leave its room.
func (b tilt) move(s []number, up, down number, z []float64) {
	room := interval.Min(up, down)
	if room.Hi.Sign() == 0 {
		return
	}
	for i, v := range b.along {
		part := product(z, v, 1)
		if !isAtMostOne(interval.Abs(part)) {
			panic(
				&interval.Error{What: "with mu = 0 the slopes must cancel in every column, but the slopes of the " +
					"proof do not cancel: the training stopped before the last digits of the optimum, or columns " +
					"of the table are nearly linearly dependent; train with mu > 0"})
		}
		s[i] = interval.Add(s[i], interval.Mul(room, part))
	}
}

// balanceColumns returns the tilt for which Σ y_j s_j z_j is 0 in all columns.
func (c *checker) balanceColumns(p *Proof, y []number) (balance, error) {
	along, err := c.solveForSlopes(p, y, y, func(j int, up, down number) number {
		return interval.Mul(y[j], interval.Min(up, down))
	})
	return tilt{along}, err
}

// solveForSlopes returns, for each output, the solution v of (Σ_j weight(j) z_j z_jᵀ) v = −Σ y_j s_j z_j with the
// slopes s of a proof. used[j] is positive for all rows j with y_j > 0 or weight(j) > 0. The equations are solved by
// Gaussian elimination with intervals, so their solution exists and v contains it. A column that depends on preceding
// columns is omitted. It must be the same combination of these columns in every row that is used; then its equation
// holds whenever theirs do.
func (c *checker) solveForSlopes(p *Proof, y, used []number, weight func(j int, up, down number) number) ([][]number,
	error) {
	d, k := c.rows.D, c.outputs
	sums := c.sums(c.rows.N, d*(d+k), func(to []*interval.Sum, j int) {
		if used[j].Hi.Sign() <= 0 {
			return
		}
		s, up, down := c.slopes(p, j)
		z, entry := c.rows.Row(j), new(big.Float)
		room := weight(j, up, down)
		for i, v := range z {
			if v == 0 {
				continue
			}
			row := to[i*(d+k) : (i+1)*(d+k)]
			entry.SetFloat64(v)
			for o := range s {
				row[d+o].AddProduct(interval.Neg(interval.Mul(y[j], s[o])), entry)
			}
			if room.Hi.Sign() == 0 {
				continue
			}
			weighted := interval.Mul(room, interval.New(v))
			for l, w := range z[i:] { // only the triangle that the elimination reads is computed
				if w != 0 {
					row[i+l].AddProduct(weighted, entry.SetFloat64(w))
				}
			}
		}
	})
	e := elimination{d: d, rows: make([][]number, d)}
	for i := range d {
		e.rows[i] = sums[i*(d+k) : (i+1)*(d+k)]
	}
	e.run()
	for _, i := range e.dependent {
		if err := c.checkDependence(i, e.solve(i), used); err != nil {
			return nil, err
		}
	}
	v := make([][]number, k)
	for o := range v {
		v[o] = e.solve(d + o)
	}
	return v, nil
}

// checkDependence returns an error unless the column is, in every row that is used, exactly a combination of other
// columns. The coefficients of the combination are rounded to float64, or to 0 if their interval contains 0.
func (c *checker) checkDependence(column int, of []number, used []number) error {
	for i, v := range of {
		if of[i] = zero; v.Lo.Sign() > 0 || v.Hi.Sign() < 0 {
			of[i] = interval.New(v.Float())
		}
	}
	of[column] = interval.New(-1)
	off := c.sumOf(c.rows.N, func(j int) number {
		if used[j].Hi.Sign() <= 0 {
			return zero
		}
		return interval.Abs(product(c.rows.Row(j), of, 1))
	})
	if off.Hi.Sign() > 0 {
		return fmt.Errorf("with mu = 0 the coefficient of column %q cannot be bounded, because too few rows determine "+
			"this coefficient alone; train with mu > 0, or drop the column", c.m.Encoder.Names()[column])
	}
	return nil
}

// An elimination solves equations with a symmetric matrix and several right-hand sides. Row i holds the matrix
// entries from column i on, followed by entry i of every right-hand side.
type elimination struct {
	d         int
	rows      [][]number
	dependent []int // columns without a positive pivot, in ascending order
}

// run eliminates the columns in ascending order.
func (e *elimination) run() {
	for i, pivot := range e.rows {
		if pivot[i].Lo.Sign() <= 0 {
			e.dependent = append(e.dependent, i)
			continue
		}
		for l := i + 1; l < e.d; l++ {
			if pivot[l].Lo.Sign() == 0 && pivot[l].Hi.Sign() == 0 {
				continue
			}
			factor := interval.Div(pivot[l], pivot[i])
			for m := l; m < len(pivot); m++ {
				e.rows[l][m] = interval.Sub(e.rows[l][m], interval.Mul(factor, pivot[m]))
			}
		}
	}
}

// solve returns the solution for a right-hand side. For a dependent column, it returns the coefficients of the
// combination of preceding columns that equals the column, in which other dependent columns have the coefficient 0.
func (e *elimination) solve(column int) []number {
	x, left := make([]number, e.d), e.dependent
	for i := range x {
		x[i] = zero
	}
	for i := min(column, e.d) - 1; i >= 0; i-- {
		for len(left) > 0 && left[len(left)-1] > i {
			left = left[:len(left)-1]
		}
		if len(left) > 0 && left[len(left)-1] == i {
			continue
		}
		rest := e.rows[i][column]
		for l := i + 1; l < min(column, e.d); l++ {
			rest = interval.Sub(rest, interval.Mul(e.rows[i][l], x[l]))
		}
		x[i] = interval.Div(rest, e.rows[i][i])
	}
	return x
}
