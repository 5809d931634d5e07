package verify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/interval"
)

// A Report is the outcome of a check. The bounds enclose the optimal objective in units of the loss, and are
// rounded outwards; they are nil if the check ended before they were computed.
type Report struct {
	Upper, Lower *big.Float
	Gap          float64 // Upper − Lower, rounded up
	Relative     float64 // Gap divided by Upper
	Asked        float64 // maximum relative gap, as stated in the model

	// Refused is the reason why the certificate of the model is not proved; it is empty if the certificate is
	// proved.
	Refused string
}

// Proved reports whether the certificate of the model is proved.
func (r *Report) Proved() bool { return r.Refused == "" }

// Check reads and encodes the training rows of f again and bounds the optimal objective of the model:
//
//   - from above by the objective at the coefficients of the model, where the largest loss of the adversary is bounded
//     by a feasible point of its dual problem;
//   - from below by the value of the dual problem −Σ y_j f_j*(s_j) − ψ(y) − (‖Σ y_j s_j z_j‖ − r)₊²/(2μ) at the weights
//     y and slopes s of the proof, after these have been moved, within rounding, to where they are feasible exactly.
//
// If the model is a mean of models, each bound is the mean of the bounds of the averaged models on their own rows.
//
// The certificate is proved if the relative gap between the bounds is at most the gap that the model requests, and if
// the objective lies between the bounds that the model states. Otherwise, Report.Refused holds the reason. An error
// means that the table could not be read.
func Check(ctx context.Context, m *Model, f *data.Frame, p *Proof) (*Report, error) {
	r := &Report{Asked: m.Config.Gap}
	if err := f.Fingerprint(); err != nil {
		return nil, err
	}
	if r.Refused = m.refusal(f, p); r.Refused != "" {
		return r, nil
	}
	rows, err := m.encode(ctx, f, p)
	if err != nil {
		return nil, err
	}
	parts, err := m.parts(rows, p)
	if err != nil {
		r.Refused = err.Error()
		return r, nil
	}
	uppers, lowers := interval.NewSum(), interval.NewSum()
	for _, part := range parts {
		upper, lower, err := part.newChecker(ctx, m).bound(part.proof)
		if cause := ctx.Err(); cause != nil {
			return nil, cause
		}
		if err != nil {
			r.Refused = err.Error()
			return r, nil
		}
		uppers.Add(upper)
		lowers.Add(lower)
	}
	count := interval.New(float64(len(parts)))
	r.Upper, r.Lower = interval.Div(uppers.Value(), count).Hi, interval.Div(lowers.Value(), count).Lo
	r.judge(m)
	return r, nil
}

// refusal returns the reason why a proof is rejected before any bound is computed, or "".
func (m *Model) refusal(f *data.Frame, p *Proof) string {
	sources := m.Sources
	if m.Config.HoldoutData+m.Config.ValidationData != "" && len(f.Sources) < len(sources) {
		sources = sources[:len(f.Sources)] // the remaining files do not hold training rows
	}
	same := func(a, b data.Source) bool { return a.SHA256 == b.SHA256 && a.SHA256 != "" }
	switch {
	case p.digest == "" && p.model == "":
		return "the proof is not bound to a model file: write it as Proof.Columns, and read it with ReadProof"
	case p.digest != p.digestOf():
		return "the proof was changed after it was written: the SHA-256 of its numbers differs"
	case p.model != m.identifier:
		return "the proof belongs to another model: the SHA-256 of the model file differs"
	case p.data != nameSources(m.Sources):
		return "the proof belongs to different data from the model"
	case len(sources) == 0 || !slices.EqualFunc(f.Sources, sources, same):
		return "the table is not the one the model was trained on: its SHA-256 differs"
	case !m.Result.Certified:
		return fmt.Sprintf("the model is not certified: its status is %s", m.Result.Status)
	}
	if err := m.Supported(); err != nil {
		return err.Error()
	}
	return ""
}

// judge sets the gap and, if the certificate is not proved, the reason.
func (r *Report) judge(m *Model) {
	gap := new(big.Float).SetMode(big.ToPositiveInf).SetPrec(interval.Prec).Sub(r.Upper, r.Lower)
	r.Gap = leastFloatAbove(gap)
	if r.Upper.Sign() > 0 {
		r.Relative = leastFloatAbove(gap.Quo(gap, r.Upper))
	}
	stated := m.Result.Certificate
	switch {
	case stated.Upper == nil || stated.Lower == nil:
		r.Refused = "the model states no bounds"
	case r.Upper.Cmp(big.NewFloat(*stated.Upper)) > 0:
		r.Refused = fmt.Sprintf("the objective is larger than the upper bound that the model states, %v", *stated.Upper)
	case r.Upper.Cmp(big.NewFloat(*stated.Lower)) < 0:
		r.Refused = fmt.Sprintf("the objective is smaller than the lower bound that the model states, %v", *stated.Lower)
	case !(r.Upper.Sign() > 0 && r.Relative <= r.Asked):
		r.Refused = fmt.Sprintf("the weights prove a relative gap of %.3g, but the model states %.3g", r.Relative, r.Asked)
		if m.Config.Mu == 0 {
			r.Refused += "; with mu = 0 this happens if columns are linearly dependent up to rounding: train with mu > 0, " +
				"or drop one of these columns"
		}
	}
}

// leastFloatAbove returns the least float64 that is not below v.
func leastFloatAbove(v *big.Float) float64 {
	f, _ := new(big.Float).SetPrec(53).SetMode(big.ToPositiveInf).Set(v).Float64()
	return f
}

// A checker computes both bounds.
type checker struct {
	ctx     context.Context
	m       *Model
	x       []float64 // coefficients
	rows    *trainingRows
	outputs int // number of margins in a row
	loss    loss
	norm    norm
	set     set
	*reference
	*grouping
	penalised int // number of columns without the intercept
}

// bound returns an interval whose upper end is not below the objective at the coefficients, and one whose lower end
// is not above the optimum.
func (c *checker) bound(p *Proof) (upper, lower number, err error) {
	defer interval.Catch(&err)
	cfg := &c.m.Config
	if c.loss, err = newLoss(cfg, c.outputs); err != nil {
		return zero, zero, err
	}
	if c.norm, err = newNorm(cfg, c.loss); err != nil {
		return zero, zero, err
	}
	if c.reference, c.grouping, err = c.rows.atoms(cfg); err != nil {
		return zero, zero, err
	}
	if c.set, err = newSet(cfg, c.reference); err != nil {
		return zero, zero, err
	}
	c.penalised = c.rows.D
	if cfg.Intercept {
		if c.m.Encoder.Intercept() != c.rows.D-1 {
			return zero, zero, errors.New("the model has an intercept, but no intercept column")
		}
		c.penalised--
	}
	upper = c.upperBound()
	lower, err = c.lowerBound(p, upper)
	return upper, lower, err
}

// chunks is the maximum number of parts into which the rows are divided. Each part is summed by itself and the sums
// are added in order, so that the bounds do not depend on the number of threads.
const chunks = 64

// runChunks divides 0 … n−1 into parts, whose number is at most most, and calls do for each part [lo, hi). Some calls
// are concurrent. A panic in do is raised again in the caller. The result is the number of parts.
func (c *checker) runChunks(n, most int, do func(part, lo, hi int)) (parts int) {
	parts = max(1, min(n, most))
	var next atomic.Int64
	var group sync.WaitGroup
	var failed atomic.Pointer[error]
	for range min(parts, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			var err error
			defer func() {
				if err != nil {
					failed.Store(&err)
				}
			}()
			defer interval.Catch(&err)
			for k := int(next.Add(1)) - 1; k < parts && failed.Load() == nil && c.ctx.Err() == nil; k = int(next.Add(1)) - 1 {
				do(k, k*n/parts, (k+1)*n/parts)
			}
		})
	}
	group.Wait()
	if err := failed.Load(); err != nil {
		panic(&interval.Error{What: (*err).Error()})
	}
	if c.ctx.Err() != nil {
		panic(&interval.Error{What: "cancelled"})
	}
	return parts
}

// sums returns the given number (width) of sums over 0 … n−1. add must add the terms of j.
func (c *checker) sums(n, width int, add func(to []*interval.Sum, j int)) []number {
	most := max(4, min(chunks, 1<<20/width))
	partial := make([][]*interval.Sum, most)
	newSums := func() []*interval.Sum {
		s := make([]*interval.Sum, width)
		for i := range s {
			s[i] = interval.NewSum()
		}
		return s
	}
	parts := c.runChunks(n, most, func(part, lo, hi int) {
		partial[part] = newSums()
		for j := lo; j < hi; j++ {
			add(partial[part], j)
		}
	})
	total, out := newSums(), make([]number, width)
	for i := range out {
		for _, p := range partial[:parts] {
			total[i].Add(p[i].Value())
		}
		out[i] = total[i].Value()
	}
	return out
}

// sumOf returns Σ term(j) over j = 0 … n−1. It is the adder of the checker.
func (c *checker) sumOf(n int, term func(j int) number) number {
	return c.sums(n, 1, func(to []*interval.Sum, j int) { to[0].Add(term(j)) })[0]
}

// upperBound returns an interval whose upper end is at least the objective at the coefficients.
func (c *checker) upperBound() number {
	x := c.coefficients()
	f := make([]number, c.rows.N)
	c.runChunks(len(f), chunks, func(_, lo, hi int) {
		m := make([]number, c.outputs)
		for j := lo; j < hi; j++ {
			z := c.rows.Row(j)
			for k := range m {
				m[k] = product(z, x[k:], c.outputs)
			}
			f[j] = c.loss.value(m, c.rows.Target[j])
		}
	})
	if c.grouping != nil {
		f = c.means(f)
	}
	return interval.Add(c.set.riskAbove(f, c.sumOf), c.norm.value(squaresOf(x[:c.penalised*c.outputs])))
}

// coefficients returns the coefficients of the model, of several outputs by rows.
func (c *checker) coefficients() []number {
	x := make([]number, len(c.x))
	for i, v := range c.x {
		x[i] = interval.New(v)
	}
	return x
}

// product returns Σ z_i v_{i·stride}.
func product(z []float64, v []number, stride int) number {
	sum, entry := interval.NewSum(), new(big.Float)
	for i, w := range z {
		if w != 0 {
			sum.AddProduct(v[i*stride], entry.SetFloat64(w))
		}
	}
	return sum.Value()
}

// lowerBound returns an interval whose lower end is a lower bound of the optimal objective. The upper end of upper is
// not below the objective at the coefficients.
func (c *checker) lowerBound(p *Proof, upper number) (number, error) {
	y, rest, err := c.weights(p)
	if err != nil {
		return zero, err
	}
	lower, err := c.lowerBoundBySlopes(p, y)
	if of, grows := c.loss.(growing); grows && c.norm.isZero() {
		grown, failure := c.lowerBoundByGrowth(p, y, of, upper)
		if err == nil && failure == nil {
			grown = interval.Max(lower, grown)
		}
		if failure == nil {
			lower, err = grown, nil
		}
	}
	if err != nil {
		return zero, err
	}
	return interval.Add(rest, lower), nil
}

// lowerBoundBySlopes returns −Σ y_j f_j*(s_j) minus the conjugate of the regulariser at Σ y_j s_j z_j, for the slopes
// of a proof moved to where this is finite. It returns an error if they cannot be moved within their room.
func (c *checker) lowerBoundBySlopes(p *Proof, y []number) (lower number, err error) {
	defer interval.Catch(&err)
	moves, err := c.newBalance(p, y)
	if err != nil {
		return zero, err
	}
	conjugates, squares := c.dualTerms(p, y, moves, one)
	if scale := c.norm.scale(squares); scale.Lo.Cmp(one.Lo) < 0 {
		conjugates, squares = c.dualTerms(p, y, moves, scale)
	}
	return interval.Neg(interval.Add(conjugates, c.norm.conjugate(squares))), nil
}

// dualTerms returns Σ y_j f_j*(θ s_j) and ‖Σ y_j θ s_j z_j‖² over the penalised columns, with the slopes of a proof
// after moves.
func (c *checker) dualTerms(p *Proof, y []number, moves balance, theta number) (conjugates, squares number) {
	k := c.outputs
	width := c.penalised * k
	if c.norm.isZero() {
		width = 0 // the moved slopes are balanced
	}
	sums := c.sums(c.rows.N, width+1, func(to []*interval.Sum, j int) {
		if y[j].Hi.Sign() <= 0 {
			return
		}
		s, up, down := c.slopes(p, j)
		z, entry := c.rows.Row(j), new(big.Float)
		moves.move(s, up, down, z)
		for i := range s {
			s[i] = interval.Mul(theta, s[i])
		}
		to[width].Add(interval.Mul(y[j], c.loss.conjugate(s, c.rows.Target[j])))
		for i := range s {
			s[i] = interval.Mul(y[j], s[i])
		}
		for i, v := range z[:width/k] {
			if v == 0 {
				continue
			}
			entry.SetFloat64(v)
			for o, w := range s {
				to[i*k+o].AddProduct(w, entry)
			}
		}
	})
	return sums[width], squaresOf(sums[:width])
}

// squaresOf returns Σ v².
func squaresOf(v []number) number {
	squares := interval.NewSum()
	for _, a := range v {
		squares.Add(interval.Square(a))
	}
	return squares.Value()
}

// slopes returns the slopes of row j in a proof, and how far they may increase and decrease.
func (c *checker) slopes(p *Proof, j int) (slopes []number, up, down number) {
	return c.loss.clamp(p.Slope[j*c.outputs:(j+1)*c.outputs], c.rows.Target[j])
}

// weights returns feasible weights of the rows close to those in a proof, and the terms of the dual problem other
// than the losses: the adjustments of the groups minus the penalty.
func (c *checker) weights(p *Proof) (y []number, rest number, err error) {
	q := make([]number, len(c.exact))
	total := interval.NewSum()
	at := func(j int) int {
		if c.grouping == nil {
			return j
		}
		return int(c.of[j])
	}
	mass := make([]*interval.Sum, len(c.exact))
	for j, v := range p.Weight {
		if v == 0 {
			continue
		}
		if at(j) < 0 {
			return nil, zero, fmt.Errorf("row %d is in no group, but has the weight %v", p.Rows[j]+1, v)
		}
		if mass[at(j)] == nil {
			mass[at(j)] = interval.NewSum()
		}
		mass[at(j)].Add(interval.New(v))
		total.Add(interval.New(v))
	}
	if total.Value().Lo.Sign() <= 0 {
		return nil, zero, errors.New("all weights are 0")
	}
	for k := range q {
		if q[k] = zero; mass[k] != nil {
			q[k] = interval.Div(mass[k].Value(), total.Value())
		}
	}
	var psi number
	if q, psi, err = c.set.makeFeasible(q, c.sumOf); err != nil {
		return nil, zero, err
	}
	if c.grouping == nil {
		return q, interval.Neg(psi), nil
	}
	y = make([]number, len(c.of))
	sum, off := total.Value().Float(), 0.0
	for j, k := range c.of {
		if y[j] = zero; k >= 0 {
			y[j] = interval.Mul(q[k], c.share[j])
			off += math.Abs(y[j].Float() - p.Weight[j]/sum)
		}
	}
	if !(off <= tolerance) {
		return nil, zero, fmt.Errorf(
			"the weights are not in the set: within groups they differ from the row weights by %.2g in total", off)
	}
	rest = interval.Neg(psi)
	for k, a := range c.adjust {
		rest = interval.Add(rest, interval.Mul(q[k], a))
	}
	return y, rest, nil
}
