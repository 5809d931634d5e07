package newton

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/dro/internal/hessian"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/tuning"
)

// Smoothing solves a problem without a penalty, ν = 0, where the objective has no
// gradient: it adds the penalty back at a ν that falls by a factor of ten from
// stage to stage, each stage warm-started and solved by Newton's method. The
// weights of a stage are feasible without the penalty, so that every stage
// certifies the problem as it is; the gap it leaves is at most ν·sup ψ/ν.
type Smoothing struct{}

var (
	smoothingFirst = tuning.New("smoothing: first penalty at its largest", "of the objective", 0.1, 0.01, 1)
	smoothingFall  = tuning.New("smoothing: fall of ν from stage to stage", "×", 10, 3, 30)
	smoothingGap   = tuning.New("smoothing: gap of a stage", "of the largest penalty", 0.05, 0.01, 0.3)
)

var _ saddle.Method = Smoothing{}

// Name implements Method.
func (Smoothing) Name() string { return "smoothing" }

// Start implements Method.
func (Smoothing) Start(r *saddle.Run) (saddle.Stepper, error) {
	dual := r.Problem.Dual.(saddle.Smoothable)
	d, _ := dual.Smoothed(1, r.Cert.N)
	if err := saddle.Refusal(Newton{}, &saddle.Problem{Oracle: r.Problem.Oracle, Dual: d, Primal: r.Problem.Primal}); err != nil {
		return nil, fmt.Errorf("%w, of the penalised dual", err)
	}
	return &smoothing{Run: r, dual: dual, x: append([]float64(nil), r.Start...)}, nil
}

type smoothing struct {
	*saddle.Run
	dual saddle.Smoothable
	nu   float64 // of the next stage; 0 before the first
	x    []float64
}

// Step is one stage.
func (m *smoothing) Step() error {
	const least = 1e-13 // of the objective, ν: beyond, rounding decides
	size := math.Max(math.Abs(m.Cert.BestObjective), 1e-12)
	if m.nu == 0 {
		_, most := m.dual.Smoothed(1, m.Cert.N)
		m.nu = smoothingFirst.Value * size / math.Max(most, 1e-3)
	}
	if m.nu < least*size {
		return saddle.ErrStalled
	}
	dual, most := m.dual.Smoothed(m.nu, m.Cert.N)
	s := saddle.DefaultSettings()
	s.X0 = m.x
	s.RelativeGap = math.Max(smoothingGap.Value*m.nu*most/size, 1e-13)
	s.MaxPasses = m.Settings.MaxPasses - m.Cert.Passes
	if !(s.MaxPasses > 0) {
		return nil
	}
	l, err := saddle.NewLoop(&saddle.Problem{Oracle: m.Problem.Oracle, Dual: dual, Primal: m.Problem.Primal}, Newton{}, s)
	if err != nil {
		return err
	}
	defer l.Close()
	l.Iterate(m.Ctx)
	if l.Failed != nil {
		return l.Failed
	}
	l.Finish()
	m.Cert.Passes += l.Result.Passes
	copy(m.x, l.Result.X)
	m.Cert.Evaluate(m.x)
	m.Cert.CertifyWith(l.Result.Y)
	m.Cert.Best.Lower = max(m.Cert.Best.Lower, l.Result.Certificate.Lower) // ψ ≥ 0
	m.Logf("smoothing: ν = %.3g, %v after %.4g passes, relative gap %.3g", m.nu, l.Result.Status, l.Result.Passes, m.Cert.Best.Relative())
	m.nu /= smoothingFall.Value
	return nil
}

// Check implements Stepper.
func (m *smoothing) Check() {}

// WantsCheck reports that a check is due.
func (m *smoothing) WantsCheck() bool { return true }

// Visit lists what a snapshot holds.
func (m *smoothing) Visit(s *saddle.State) {
	s.Float(&m.nu)
	s.Floats(m.x)
}

// Needs implements Method.
func (Smoothing) Needs() []saddle.Need {
	return []saddle.Need{saddle.NeedSmoothable, saddle.NeedCurved, saddle.NeedRidge, hessian.NeedFewColumns}
}
