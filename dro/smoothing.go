package dro

import (
	"fmt"
	"math"
)

// Smoothing solves a problem without a penalty, ν = 0, where the objective has no
// gradient: it adds the penalty back at a ν that falls by a factor of ten from
// stage to stage, each stage warm-started and solved by Newton's method. The
// weights of a stage are feasible without the penalty, so that every stage
// certifies the problem as it is; the gap it leaves is at most ν·sup ψ/ν.
type Smoothing struct{}

var _ Method = Smoothing{}

// Name implements Method.
func (Smoothing) Name() string { return "smoothing" }

// Smoothable is the ability of a Dual with ν = 0 to be penalised.
type Smoothable interface {
	// Smoothed returns the dual with the same Y and modulus nu, and the largest
	// penalty on n samples relative to it, sup_Y ψ/ν.
	Smoothed(nu float64, n int) (d Dual, most float64)
}

// Smoothed implements Smoothable: Σ y log(n y) ≤ log n.
func (KL) Smoothed(nu float64, n int) (Dual, float64) { return KL{nu}, math.Log(float64(n)) }

// Smoothed implements Smoothable, by the KL penalty, which is the smaller one on
// the whole simplex.
func (ChiSquare) Smoothed(nu float64, n int) (Dual, float64) { return KL{}.Smoothed(nu, n) }

// Smoothed implements Smoothable: n y ≤ 1/α.
func (c CappedKL) Smoothed(nu float64, _ int) (Dual, float64) {
	return CappedKL{Alpha: c.Alpha, Nu: nu}, math.Log(1 / c.Alpha)
}

// Smoothed implements Smoothable: ½ mean((n y − 1)²) ≤ ½(1/α − 1).
func (c CappedChiSquare) Smoothed(nu float64, _ int) (Dual, float64) {
	return CappedChiSquare{Alpha: c.Alpha, Nu: nu}, (1/c.Alpha - 1) / 2
}

func (Smoothing) start(r *run) (stepper, error) {
	dual := r.problem.Dual.(Smoothable)
	d, _ := dual.Smoothed(1, r.cert.n)
	if err := unmet(Newton{}, &Problem{r.problem.Oracle, d, r.problem.Primal}); err != nil {
		return nil, fmt.Errorf("%w, of the penalised dual", err)
	}
	return &smoothing{run: r, dual: dual, x: append([]float64(nil), r.x0...)}, nil
}

type smoothing struct {
	*run
	dual Smoothable
	nu   float64 // of the next stage; 0 before the first
	x    []float64
}

// step is one stage.
func (m *smoothing) step() error {
	const first, factor, least, exactness = 0.1, 10, 1e-13, 0.05
	size := math.Max(math.Abs(m.cert.bestObjective), 1e-12)
	if m.nu == 0 {
		_, most := m.dual.Smoothed(1, m.cert.n)
		m.nu = first * size / math.Max(most, 1e-3)
	}
	if m.nu < least*size {
		return errStalled
	}
	dual, most := m.dual.Smoothed(m.nu, m.cert.n)
	s := DefaultSettings()
	s.X0 = m.x
	s.RelativeGap = math.Max(exactness*m.nu*most/size, 1e-13)
	s.MaxPasses = m.settings.MaxPasses - m.cert.passes
	if !(s.MaxPasses > 0) {
		return nil
	}
	l, err := newLoop(&Problem{m.problem.Oracle, dual, m.problem.Primal}, Newton{}, s)
	if err != nil {
		return err
	}
	l.loop(m.ctx)
	if l.failed != nil {
		return l.failed
	}
	l.finish()
	m.cert.passes += l.result.Passes
	copy(m.x, l.result.X)
	m.cert.evaluate(m.x)
	m.cert.certifyWith(l.result.Y)
	m.cert.best.Lower = max(m.cert.best.Lower, l.result.Certificate.Lower) // ψ ≥ 0
	m.logf("smoothing: ν = %.3g, %v after %.4g passes, relative gap %.3g", m.nu, l.result.Status, l.result.Passes, m.cert.best.Relative())
	m.nu /= factor
	return nil
}

func (m *smoothing) check() {}

func (m *smoothing) wantsCheck() bool { return true }

func (m *smoothing) visit(s *state) {
	s.float(&m.nu)
	s.floats(m.x)
}
