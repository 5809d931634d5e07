package newton

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/dro/internal/bound"
	"github.com/drotrain/drotrain/dro/internal/hessian"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/tuning"
	"gonum.org/v1/gonum/floats"
)

// Smoothing solves a problem without a penalty, ν = 0, where the objective has no
// gradient: it adds the penalty back at a ν that falls by a factor of ten from
// stage to stage, each stage warm-started and solved by Newton's method. The
// weights of a stage are feasible without the penalty, so that every stage
// certifies the problem as it is; the gap it leaves is at most ν·sup ψ/ν.
type Smoothing struct{}

var (
	smoothingFirst = tuning.New("smoothing: first penalty at its largest", "of the objective", 0.1, 0.01, 1)
	smoothingFall  = tuning.New("smoothing: fall of ν from stage to stage; its square at most after a cheap one", "×", 10, 3, 30)
	smoothingCheap = tuning.New("smoothing: a cheap stage, after which ν may fall by more", "passes at most", 8, 4, 12)
	smoothingGap   = tuning.New("smoothing: gap of a stage", "of the largest penalty", 0.05, 0.01, 0.3)
)

var _ saddle.Method = Smoothing{}

// Name implements Method.
func (Smoothing) Name() string { return "smoothing" }

// Start implements Method.
func (Smoothing) Start(r *saddle.Run) (saddle.Stepper, error) {
	dual, err := saddle.Required[saddle.Smoothable](r.Problem.Dual)
	if err != nil {
		return nil, err
	}
	d, _ := dual.Smoothed(1, r.Cert.N)
	if err := saddle.Refusal(Newton{}, &saddle.Problem{Oracle: r.Problem.Oracle, Dual: d, Primal: r.Problem.Primal}); err != nil {
		return nil, fmt.Errorf("%w, of the penalised dual", err)
	}
	return &smoothing{Run: r, dual: dual, x: append([]float64(nil), r.Start...), before: make([]float64, len(r.Start))}, nil
}

type smoothing struct {
	*saddle.Run
	dual saddle.Smoothable
	nu   float64 // of the next stage; 0 before the first
	most float64 // of the first ν; 0: not bounded
	x    []float64

	before   []float64 // the optimum of the stage before, at nuBefore; nothing where that is 0
	nuBefore float64
}

// Step is one stage.
func (m *smoothing) Step() error {
	const least = 1e-13 // of the objective, ν: beyond, rounding decides
	size := m.Cert.Best.Magnitude(m.Cert.BestObjective)
	if m.nu == 0 {
		_, most := m.dual.Smoothed(1, m.Cert.N)
		if m.nu = smoothingFirst.Value * size / math.Max(most, 1e-3); m.most > 0 {
			m.nu = min(m.nu, m.most)
		}
	}
	if m.nu < least*size {
		return saddle.ErrStalled
	}
	dual, most := m.dual.Smoothed(m.nu, m.Cert.N)
	s := saddle.DefaultSettings()
	s.X0 = m.x
	if s.RelativeGap = math.Max(smoothingGap.Value*m.nu*most/size, 1e-13); most == 0 { // of one sample: the problem itself
		s.RelativeGap = math.Max(m.Settings.RelativeGap, 1e-13)
	}
	s.MaxPasses = m.Cert.Left(2.5, m.Cert.N, math.Inf(1)) // an evaluation and three gradients come after
	m.Cert.Afford(2 + leastStage)
	l, err := saddle.NewLoop(&saddle.Problem{Oracle: m.Problem.Oracle, Dual: dual, Primal: m.Problem.Primal}, Newton{}, s)
	if err != nil {
		return err
	}
	defer l.Close()
	if stage, ok := l.Method.(*newton); ok {
		stage.fallen = true // penalties fall here
	}
	l.Iterate(m.Ctx)
	if l.Failed != nil {
		return l.Failed
	}
	m.Cert.Passes += l.Cert.Passes
	m.Cert.Best.Lower = max(m.Cert.Best.Lower, l.Cert.Best.Lower) // ψ ≥ 0
	x := append([]float64(nil), l.Cert.BestX...)
	m.Cert.Evaluate(x)
	l.Problem.Dual.BestResponseTo(l.Cert.Y, m.Cert.Value)
	between := m.prove(l.Cert.Y)
	m.Logf("smoothing: ν = %.3g, %v after %.4g passes, relative gap %.3g", m.nu, l.Result.Status, l.Cert.Passes, m.Cert.Best.Relative())
	m.aim(x, l.Cert.Passes, m.Settings.RelativeGap*size/between)
	return nil
}

// prove takes the bounds from below of the weights y of the penalised problem, at the point
// last evaluated, and returns how near they can be to that from above.
func (m *smoothing) prove(y []float64) (between float64) {
	c := m.Cert
	risk := c.Risk
	c.CertifyWith(y)
	c.Adopt(y, c.Problem.Dual.Value(y))
	if between = risk - c.Risk; !m.Certified() && between <= m.Settings.RelativeGap*math.Abs(c.Objective) {
		bound.FromCurvature(c, c.N, c.N, math.Inf(1))
	}
	return between
}

// aim takes the next penalty and where to start from, after a stage with the optimum x that
// took so many passes: where the pieces that meet stay the same, the optimum is linear in ν.
// Where it is, the next stage may be the last one, at a share enough of ν.
func (m *smoothing) aim(x []float64, passes, enough float64) {
	factor := smoothingFall.Value
	if m.nuBefore > 0 && passes <= smoothingCheap.Value && enough > 0 {
		factor = max(factor, min(factor*factor, 2/enough))
	}
	next := m.nu / factor
	copy(m.x, x)
	if m.nuBefore > 0 {
		floats.AddScaledTo(m.x, x, (m.nu-next)/(m.nuBefore-m.nu), diff(x, m.before))
	}
	copy(m.before, x)
	m.nuBefore, m.nu = m.nu, next
}

// Check implements Stepper.
func (m *smoothing) Check() {}

// WantsCheck reports that a check is due.
func (m *smoothing) WantsCheck() bool { return true }

// Needs implements Method.
func (Smoothing) Needs() []saddle.Need {
	return []saddle.Need{saddle.NeedSmoothable, saddle.NeedCurved, saddle.NeedRidge, hessian.NeedFewColumns}
}

// RunsEverywhere implements Everywhere.
func (Smoothing) RunsEverywhere() bool { return true }
