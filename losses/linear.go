package losses

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/shard"
	"github.com/drotrain/drotrain/memory"
)

// Linear is the oracle of the losses f_j(x) = ℓ(z_jᵀx; t_j) of a linear model with n rows z_j of d numbers. A
// sample's compressed gradient is the scalar slope ℓ'(m_j), since ∇f_j(x) = ℓ'(m_j)·z_j. It implements dro.Oracle.
//
// A Linear is immutable; its methods are safe for concurrent use on disjoint outputs. Its methods panic if a slice
// is shorter than they need, or a row or column is out of range.
type Linear struct {
	loss   Loss
	n, d   int
	z      design.Matrix // n×d
	target []float64     // n
}

// NewLinear returns the oracle over the rows of z with one target for each row. The slice target is not copied and
// must not be changed. NewLinear returns an error if a parameter of the loss is out of range, if the lengths do not
// agree, or if the loss does not accept a target; the error names the first such row, counted from 0. It also returns
// an error if a loss that is not defined in this package breaks its contract at one of a few targets (see Check).
func NewLinear(loss Loss, z design.Matrix, target []float64) (*Linear, error) {
	if loss == nil || z == nil {
		return nil, errors.New("losses: the loss or the matrix is nil")
	}
	if err := validate(loss); err != nil {
		return nil, fmt.Errorf("losses: %w", err)
	}
	n, d := z.Dims()
	if n < 1 || d < 1 {
		return nil, fmt.Errorf("losses: the matrix has %d rows and %d columns; at least one of each is needed", n, d)
	}
	if len(target) != n {
		return nil, fmt.Errorf("losses: there are %d targets for %d rows", len(target), n)
	}
	lo, hi := 0, n
	if of, ok := z.(shardedMatrix); ok { // other ranks check the targets of their own rows
		lo, hi = of.Rows().LocalRange(n)
	}
	meaning := loss.Meaning()
	err := shard.Parallel(context.Background(), shard.Count(hi-lo), func(s int) error {
		first, end := shard.Bounds(hi-lo, shard.Count(hi-lo), s)
		for i, v := range target[lo+first : lo+end] {
			if !meaning.Accepts(v) {
				return fmt.Errorf("losses: the target of row %d is %v, but the loss %s requires %s", lo+first+i, v, loss.Name(),
					meaning.DescribeTargets())
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if lo < hi {
		some := sampleTargets(target[lo:hi])
		distinct := slices.Sorted(maps.Keys(some))
		for _, t := range distinct {
			if err := checkForeign(loss, []float64{t}); err != nil {
				return nil, fmt.Errorf("%w (target of row %d)", err, some[t]+lo)
			}
		}
		if err := checkForeignLink(loss, distinct); err != nil {
			return nil, err
		}
	}
	return &Linear{loss: loss, n: n, d: d, z: z, target: target}, nil
}

// Dims returns the number of samples n, the number of parameters d, and the length of a sample's slope, which is 1.
func (l *Linear) Dims() (n, d, slope int) { return l.n, l.d, 1 }

// EvalTo stores f_j(x) in value[j] and ℓ'(m_j) in slope[j] for j in [lo, hi).
// value and slope have length n.
func (l *Linear) EvalTo(value, slope, x []float64, lo, hi int) {
	l.z.MarginsTo(slope, x, lo, hi)
	l.loss.EvalTo(value[lo:hi], slope[lo:hi], slope[lo:hi], l.target[lo:hi])
}

// AddGradTo adds Σ_j weight[j]·∇f_j over j in [lo, hi) to dst (length d), with
// ∇f_j = slope[j]·z_j. weight and slope have length n.
func (l *Linear) AddGradTo(dst, weight, slope []float64, lo, hi int) {
	l.z.AddRowsTo(dst, weight, slope, lo, hi)
}

// CurvatureTo stores ℓ″(m_j) in curvature[j] for j in [lo, hi), given the slopes that EvalTo stored. It does not
// read the rows.
func (l *Linear) CurvatureTo(curvature, slope []float64, lo, hi int) {
	l.loss.CurvatureTo(curvature[lo:hi], slope[lo:hi], l.target[lo:hi])
}

// MajorantTo stores in curvature[j] the curvature of a quadratic upper bound of the loss (see Majorised), given the
// values and slopes that EvalTo stored, for j in [lo, hi). If the loss has no such bound, it returns false and
// stores nothing.
func (l *Linear) MajorantTo(curvature, value, slope []float64, lo, hi int) bool {
	m, ok := l.loss.(Majorised)
	if ok {
		m.MajorantTo(curvature[lo:hi], value[lo:hi], slope[lo:hi], l.target[lo:hi])
	}
	return ok
}

// Growth returns a and b such that f_j(x) ≥ a|z_jᵀx − t_j| − b for every x; a is 0 if the loss is not Growing.
func (l *Linear) Growth() (slope, offset float64) {
	if g, ok := l.loss.(Growing); ok {
		return g.Growth()
	}
	return 0, 0
}

// CurvatureLowerBoundTo stores the result of Loss.CurvatureLowerBoundTo, given the slopes that EvalTo stored,
// for j in [lo, hi).
func (l *Linear) CurvatureLowerBoundTo(curvature, slope []float64, lo, hi int) (radius, decay float64) {
	return l.loss.CurvatureLowerBoundTo(curvature[lo:hi], slope[lo:hi], l.target[lo:hi])
}

// AddGramTo adds Σ_j weight[j]·z_j z_jᵀ over j in [lo, hi) to the upper
// triangle of the row-major d×d matrix dst.
func (l *Linear) AddGramTo(dst, weight []float64, lo, hi int) {
	l.z.AddGramTo(dst, weight, lo, hi)
}

// AddSquaresTo adds Σ_j weight[j]·z_ji² over j in [lo, hi) to dst[i].
func (l *Linear) AddSquaresTo(dst, weight []float64, lo, hi int) {
	l.z.AddSquaresTo(dst, weight, lo, hi)
}

// SquaredNormsTo stores Σ_i scale[i]·z_ji² in dst[j] for j in [lo, hi).
func (l *Linear) SquaredNormsTo(dst, scale []float64, lo, hi int) {
	l.z.SquaredNormsTo(dst, scale, lo, hi)
}

// MarginsTo stores z_jᵀv in margin[j] for j in [lo, hi).
func (l *Linear) MarginsTo(margin, v []float64, lo, hi int) {
	l.z.MarginsTo(margin, v, lo, hi)
}

// ConstantsTo stores the constants of the samples: lipschitz[j] = H_j = Lip(ℓ)·‖z_j‖ and smoothness[j] = M_j = sup
// ℓ″·‖z_j‖², which may be +Inf. If the loss has no Lipschitz constant, as Squared and Poisson, H_j is ‖∇f_j(x)‖ at the
// given x, and must be computed again when x changes. lipschitz and smoothness have length n.
func (l *Linear) ConstantsTo(lipschitz, smoothness, x []float64) {
	lip, smooth := l.loss.Lipschitz(), l.loss.Smoothness()
	var slope []float64
	if math.IsInf(lip, 1) {
		slope = make([]float64, l.n)
		l.EvalTo(lipschitz, slope, x, 0, l.n)
	}
	ones := make([]float64, l.d)
	for i := range ones {
		ones[i] = 1
	}
	l.z.SquaredNormsTo(smoothness, ones, 0, l.n)
	for j, norm2 := range smoothness {
		if smoothness[j] = smooth * norm2; norm2 == 0 {
			smoothness[j] = 0 // also set if the loss is not smooth
		}
		bound := lip
		if slope != nil {
			bound = math.Abs(slope[j])
		}
		lipschitz[j] = bound * math.Sqrt(norm2)
	}
}

// Samples is the type of the results of Select and Prefix: the methods of dro.Oracle. A Linear returns a *Linear, and
// a Softmax a *Softmax.
type Samples = interface {
	Dims() (n, d, slope int)
	EvalTo(value, slope, x []float64, lo, hi int)
	AddGradTo(dst, weight, slope []float64, lo, hi int)
}

// Select returns the oracle over a copy of the given samples, in their order.
func (l *Linear) Select(samples []int) Samples {
	if z, ok := l.z.(shardedMatrix); ok {
		copies, target := z.SelectWith(samples, l.target)
		return &Linear{loss: l.loss, n: len(samples), d: l.d, z: copies, target: target}
	}
	target := make([]float64, len(samples))
	for k, j := range samples {
		target[k] = l.target[j]
	}
	return &Linear{loss: l.loss, n: len(samples), d: l.d, z: l.z.Select(samples), target: target}
}

// Prefix returns the oracle over the first n samples, without copying them. n must not exceed the number of
// samples.
func (l *Linear) Prefix(n int) Samples {
	first := *l
	first.n = n
	return &first
}

// sampleProportion returns the ratio of the number of samples to the number of rows of the matrix.
func (l *Linear) sampleProportion() float64 {
	rows, _ := l.z.Dims()
	return float64(l.n) / float64(rows)
}

// Work estimates the cost of EvalTo or AddGradTo (pass) and of AddGramTo (gram) over all samples, in the unit of
// design.Matrix.Work: a multiplication and addition with an entry of a dense float64 matrix.
func (l *Linear) Work() (pass, gram float64) {
	pass, gram = l.z.Work()
	return l.sampleProportion() * pass, l.sampleProportion() * gram
}

// Bytes returns the memory in bytes that the rows of the samples take.
func (l *Linear) Bytes() int64 { return int64(l.sampleProportion() * float64(l.z.Bytes())) }

// Arena returns the matrix's arena, for vectors with one entry for each sample; nil means the
// heap.
func (l *Linear) Arena() *memory.Arena {
	if z, ok := l.z.(mappedMatrix); ok {
		return z.Arena()
	}
	return nil
}

// Rows returns the rows of the matrix that this process has, if several processes train together; nil means all
// rows.
func (l *Linear) Rows() design.Rows {
	if z, ok := l.z.(shardedMatrix); ok {
		return z.Rows()
	}
	return nil
}

// MaxSelected returns the maximum number of samples that Select accepts, which is n if the rows are in memory.
func (l *Linear) MaxSelected() int {
	if z, ok := l.z.(mappedMatrix); ok {
		return min(l.n, z.MaxSelected())
	}
	return l.n
}

// A shardedMatrix is a matrix whose rows are distributed over ranks.
type shardedMatrix interface {
	Rows() design.Rows
	SelectWith(rows []int, v []float64) (copies design.Matrix, beside []float64)
}

// A mappedMatrix is a matrix that is not in memory.
type mappedMatrix interface {
	Arena() *memory.Arena
	MaxSelected() int
}

// NonNegative returns true: every f_j is ≥ 0, so 0 is a lower bound of the robust objective.
func (l *Linear) NonNegative() bool { return true }

// Rounding describes the rounding of losses and margins, as saddle.Rounded requires: the number of products in a
// margin, the largest |z_ji| in every column, and sup ℓ″. If sup ℓ″ is infinite, it returns zeros and nil.
func (l *Linear) Rounding() (terms int, largest []float64, smoothness float64) {
	if math.IsInf(l.loss.Smoothness(), 1) {
		return 0, nil, 0
	}
	return l.z.Terms(), l.z.Largest(), l.loss.Smoothness()
}
