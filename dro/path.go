package dro

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/saddle"
)

// A Path bounds the optima of one problem for every ν, given solutions for a few values of ν. For weights y, the
// lower bound of min_x ⟨y, f(x)⟩ + φ(x) does not depend on ν, and −νD(y) is linear in ν. For a point x, computing
// the upper bound R_ν(f(x)) + φ(x) takes one best response.
type Path struct {
	problem Problem                      // a problem whose dual is not used
	at      func(nu float64) saddle.Dual // returns the penalty ν·D
	points  []pathPoint
	known   map[float64]bracket // brackets, by ν
}

// A bracket holds the bounds at one ν that follow from the first points added.
type bracket struct {
	best Certificate
	of   int // points
}

type pathPoint struct {
	loss       []float64 // n upper bounds of the losses at x
	phi        float64   // upper bound of φ at the point
	lower      float64   // lower bound of min_x ⟨y, f(x)⟩ + φ(x)
	divergence float64   // upper bound of D at the weights
}

// NewPath returns a path for the oracle and the primal of p with the duals at(ν). These must be penalties ν·D with
// the same reference weights, such as KL or ChiSquare. Add and BoundsAt panic if a dual is invalid.
func NewPath(p *Problem, at func(nu float64) Dual) *Path {
	of := Problem{Oracle: p.Oracle, Primal: dereference(p.Primal)}
	internal := func(nu float64) saddle.Dual {
		n, _, _ := p.Oracle.Dims()
		return checkedDual(at(nu), n)
	}
	return &Path{problem: of, at: internal, known: map[float64]bracket{}}
}

// Add adds a point x, of length d, and weights y on the simplex, such as those of the adversary at x. It takes
// between one and about twelve passes, and stores n numbers.
func (p *Path) Add(x, y []float64) error {
	fixed := side.Simplex{Alpha: 1, Weights: slices.Clone(y)}
	if err := fixed.Valid(len(y)); err != nil {
		return fmt.Errorf("dro: %w", err)
	}
	given := p.problem
	given.Dual = fixed
	if err := engine.CheckParts(&given); err != nil {
		return err
	}
	penalty := p.at(1)
	if x == nil || penalty == nil {
		return errors.New("dro: a path needs a point x and a dual for every ν")
	}
	c, err := certifierAt(&given, x)
	if err != nil {
		return err
	}
	defer c.Free()
	if len(y) != c.N {
		return fmt.Errorf("dro: there are %d weights for %d samples", len(y), c.N)
	}
	point := pathPoint{loss: make([]float64, c.N), phi: p.problem.Primal.Value(x), lower: c.Best.Lower}
	c.LossesAboveTo(point.loss)
	point.phi += c.PointRounding(point.phi)
	over := engine.NewCertifier(&Problem{Oracle: &knownLosses{value: make([]float64, c.N)}, Dual: penalty,
		Primal: unpenalised{p.problem.Primal}})
	defer over.Free()
	proof := over.Prove(y, nil, 0) // a lower bound for losses of 0
	point.divergence = -proof.Value
	p.points = append(p.points, point)
	return nil
}

// BoundsAt returns bounds of the optimum at ν > 0. It computes one best response for each point added since the last
// call with the same ν. If no points have been added, both bounds are infinite. A Path is not safe for concurrent use.
func (p *Path) BoundsAt(nu float64) (Certificate, error) {
	if !(nu > 0) || math.IsInf(nu, 1) {
		return Certificate{}, fmt.Errorf("dro: a path has bounds only at finite ν > 0; ν is %v", nu)
	}
	b, asked := p.known[nu]
	if !asked {
		b.best = Certificate{Upper: math.Inf(1), Lower: math.Inf(-1)}
	}
	if b.of == len(p.points) {
		return b.best, nil
	}
	n, _, _ := p.problem.Oracle.Dims()
	losses := &knownLosses{make([]float64, n)}
	c := engine.NewCertifier(&Problem{Oracle: losses, Dual: p.at(nu), Primal: unpenalised{p.problem.Primal}})
	defer c.Free()
	unknown := c.Best
	for _, q := range p.points[b.of:] {
		losses.value, c.Best = q.loss, unknown
		c.Evaluate([]float64{0})
		c.CertifyUpper()
		away := 8 * engine.UnitRoundoff // relative rounding error of the sums of two bounds
		b.best.Upper = min(b.best.Upper, c.Best.Upper+q.phi+away*(math.Abs(c.Best.Upper)+math.Abs(q.phi)))
		b.best.Lower = max(b.best.Lower, q.lower-nu*q.divergence-away*(math.Abs(q.lower)+nu*q.divergence))
	}
	b.of = len(p.points)
	p.known[nu] = b
	return b.best, nil
}

// An unpenalised value is a primal whose penalty is left out: its Value is 0.
type unpenalised struct{ saddle.Primal }

// Value implements Primal.
func (unpenalised) Value([]float64) float64 { return 0 }

// knownLosses is an oracle whose losses do not depend on x.
type knownLosses struct{ value []float64 }

// Dims implements Oracle.
func (o *knownLosses) Dims() (n, d, slope int) { return len(o.value), 1, 1 }

// EvalTo implements Oracle.
func (o *knownLosses) EvalTo(value, slope, _ []float64, lo, hi int) {
	copy(value[lo:hi], o.value[lo:hi])
	clear(slope[lo:hi])
}

// AddGradTo implements Oracle.
func (*knownLosses) AddGradTo(_, _, _ []float64, _, _ int) {}
