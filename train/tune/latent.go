package tune

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/train/latent"
)

// A Subgroup says what was found of a hidden subgroup: rows that follow another linear law
// than the others. It is taken for one only if rows that were not fitted say so (Evidence),
// if every fold finds the same law (Agreement), if it is a minority, and if
// the features do not tell its rows apart (Explained), or no better than a
// shift of them does and no single curve predicts as well (OverCurve): else the law is one
// with heavy tails, or a curve, not two lines.
type Subgroup struct {
	Found     bool    `json:"found"`
	Share     float64 `json:"share"`                // of the rows that follow the other law
	Evidence  float64 `json:"evidence"`             // rise of the log-likelihood out of fold over the best single law with free noise, in its standard errors
	Agreement float64 `json:"agreement"`            // least correlation between two folds of what sets the laws apart
	Explained float64 `json:"explained"`            // share of the variance of the membership that the features and their squares predict, out of fold
	OverCurve float64 `json:"over_curve,omitempty"` // as Evidence, over the best single curved law; 0 where it does not matter
	Noise     float64 `json:"noise"`                // of the other law, in standard deviations of the common one; 1 for two classes
	Rows      int     `json:"rows"`                 // that the laws were fitted to
}

// What makes a subgroup. No bar is enough by itself: a sine has evidence 19 and agreement
// .998, but its features explain .55 of the membership (TestNoSubgroupWhereThereIsOneLaw).
const (
	mostShare     = 0.4
	leastEvidence = 4
	leastAgree    = 0.95
	mostExplained = 0.05
	mostShifted   = 1. / 3 // of mostExplained, where a curve is held against the laws

	mostLatentRows = 10_000
	mostLatentWork = 2e7 // rows × columns², of a Gram matrix
	rowsAColumn    = 15  // that a law needs at least
)

// laws are those found without every fold.
type laws struct {
	membership [][]float64 // by fold, of every row: the probability of the other law
	held       []float64   // of every row by the laws found without its own fold
}

// latentRows are the rows of a fit, few enough for repeated fits; nil where the table has
// too few for its columns.
func (t *Table) latentRows(rows []int) []int {
	_, d := t.X.Dims()
	return fewer(rows, d, mostLatentWork)
}

// fewer thins rows to those that work on so many columns is done on; nil where they are too few.
func fewer(rows []int, d int, work float64) []int {
	most := min(mostLatentRows, int(work/float64(d*d)))
	if most < rowsAColumn*d || len(rows) < rowsAColumn*d {
		return nil
	}
	if len(rows) <= most {
		return rows
	}
	some := make([]int, most)
	for k := range some { // the rows are shuffled, or dealt in order
		some[k] = rows[k*len(rows)/most]
	}
	return some
}

func (t *Table) mixtureOf(rows []int) *latent.Rows {
	s := t.Select(rows)
	return &latent.Rows{X: s.X, Target: s.Target, Weight: s.Weights, Binary: t.Loss.Name() == "logistic", Free: t.Primal.Intercept}
}

// Laws fits the two laws of a hidden subgroup to the table, whether or not there is one;
// nil where the rows are too few for the columns or the arithmetic fails.
func (t *Table) Laws() *latent.Laws {
	all := make([]int, t.N)
	for j := range all {
		all[j] = j
	}
	rows := t.latentRows(all)
	if rows == nil {
		return nil
	}
	return latent.Fit(t.mixtureOf(rows))
}

// subgroup looks for a hidden subgroup by folds. What it found is nil where the rows are
// too few to look.
func (t *Table) subgroup(ctx context.Context, fold []int, count int, seed uint64) (*Subgroup, *laws, error) {
	s := &Subgroup{}
	l := &laws{held: make([]float64, t.N)}
	var apart [][]float64 // by fold: difference of the laws' margins
	var gain, over []float64
	by := make([]float64, t.N) // log density of every row by the laws found without its fold
	_, d := t.X.Dims()
	for k := range count {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		inside, outside := split(fold, k)
		inside = t.latentRows(inside)
		if inside == nil {
			return nil, nil, nil
		}
		found, err := t.lawsOf(fmt.Sprintf("laws, fold %d", k), inside)
		if found == nil || err != nil {
			return nil, nil, err
		}
		two, null, one := found.Two, found.Null, found.One
		s.Share += two.Share
		noise := 1.0
		if two.Noise != nil {
			noise = two.Noise[1] / two.Noise[0]
		}
		s.Noise += noise
		s.Rows = max(s.Rows, len(inside))
		p, density := two.Posterior(t.X, t.Target)
		_, other := null.Posterior(t.X, t.Target)
		_, single := one.Posterior(t.X, t.Target)
		for _, j := range outside {
			l.held[j], by[j] = p[j], density[j]
			gain, over = append(gain, density[j]-other[j]), append(over, density[j]-single[j])
		}
		difference, margin := make([]float64, d), make([]float64, t.N)
		for i := range difference {
			difference[i] = two.Other[i] - two.Common[i]
		}
		t.X.MarginsTo(margin, difference, 0, t.N)
		apart, l.membership = append(apart, margin), append(l.membership, p)
		if k == 0 && min(inErrors(gain), inErrors(over)) < 1 { // no sign of one
			break
		}
	}
	s.Share, s.Noise = s.Share/float64(len(apart)), s.Noise/float64(len(apart))
	s.Evidence, s.Agreement = min(inErrors(gain), inErrors(over)), 1
	if len(apart) == count {
		for a := range apart {
			for b := range a {
				s.Agreement = min(s.Agreement, stat.Correlation(apart[a], apart[b], nil))
			}
		}
		s.Explained = t.explained(l.held, fold, count)
	} else {
		s.Agreement = 0
	}
	if math.IsNaN(s.Agreement) || math.IsNaN(s.Evidence) || math.IsNaN(s.Explained) {
		return nil, nil, nil
	}
	s.Found = s.Share <= mostShare && s.Evidence >= leastEvidence && s.Agreement >= leastAgree && s.Explained <= mostShifted
	if s.Found && s.Explained > mostExplained {
		s.OverCurve = t.overCurve(by, fold, count)
		s.Found = s.OverCurve >= leastEvidence
	}
	return s, l, nil
}

// A lawsFound is what is held against each other of some rows.
type lawsFound struct{ Two, Null, One *latent.Laws }

// lawsOf fits the laws of some rows, but for those of that name that the memory has; nil
// where the arithmetic fails.
func (t *Table) lawsOf(name string, inside []int) (*lawsFound, error) {
	f := &lawsFound{}
	if t.Memory != nil {
		if ok, err := t.Memory.Done(name, f); ok || err != nil {
			return f, err
		}
	}
	rows := t.mixtureOf(inside)
	f.Two, f.Null, f.One = latent.Fit(rows), nil, latent.Single(rows)
	if f.Two != nil {
		f.Null = latent.Null(rows, f.Two)
	}
	if f.Two == nil || f.Null == nil || f.One == nil {
		return nil, nil
	}
	if t.Memory != nil {
		t.Memory.Finish(name, f)
	}
	return f, nil
}

// inErrors is a mean in its standard errors.
func inErrors(v []float64) float64 {
	m, s := stat.MeanStdDev(v, nil)
	if s == 0 {
		return 0
	}
	return m / s * math.Sqrt(float64(len(v)))
}

// bent is what a curve is made of, on some of the rows: the features, their squares and
// their sizes, and a constant.
func (t *Table) bent(rows []int) (design.Matrix, error) {
	_, d := t.X.Dims()
	width := 3*d + 1
	z := make([]float64, len(rows)*width)
	row := make([]float64, d)
	for i, j := range rows {
		t.X.RowTo(row, j)
		for k, v := range row {
			copy(z[i*width+3*k:], []float64{v, v * v, math.Abs(v)})
		}
		z[i*width+width-1] = 1
	}
	return design.NewDense(len(rows), width, z)
}

// overCurve is the mean rise of the log-likelihood out of fold, from a single curved law
// with free noise to the laws that give the rows the densities by, in its standard errors; 0 where rows
// are too few for a curve.
func (t *Table) overCurve(by []float64, fold []int, count int) float64 {
	const work = 4 * mostLatentWork
	_, d := t.X.Dims()
	var gain []float64
	for k := range count {
		inside, outside := split(fold, k)
		if inside = fewer(inside, 3*d+1, work); inside == nil {
			return 0
		}
		outside = outside[:min(len(outside), mostLatentRows)]
		x, err := t.bent(inside)
		if err != nil {
			return 0
		}
		rows := t.mixtureOf(inside)
		rows.X, rows.Free = x, true
		curve := latent.Null(rows, nil)
		if curve == nil {
			return 0
		}
		held, err := t.bent(outside)
		if err != nil {
			return 0
		}
		_, density := curve.Posterior(held, pick(t.Target, outside))
		for i, j := range outside {
			gain = append(gain, by[j]-density[i])
		}
	}
	return inErrors(gain)
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
	x, err := t.bent(rows)
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
		one := latent.Single(&latent.Rows{X: x.Select(inside), Target: pick(target, inside), Free: true})
		if one == nil {
			return math.NaN()
		}
		fitted := make([]float64, len(rows))
		x.MarginsTo(fitted, one.Common, 0, len(rows))
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

// shares are the weights tried on a hidden subgroup of this share of the rows.
func shares(of float64) []float64 {
	all := []float64{0.1, 0.2, 0.3, 0.4, 0.5}
	return slices.DeleteFunc(all, func(v float64) bool { return v <= of })
}
