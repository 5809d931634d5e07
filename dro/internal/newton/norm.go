package newton

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
)

// newNorm starts a solve with the regulariser (μ/2)‖x‖² + ε‖x‖. Since ε‖x‖ is the minimum of ε(‖x‖²/λ + λ)/2 over λ
// > 0, it solves ridge problems with modulus μ + ε/λ and optima x(λ), and searches for λ = ‖x(λ)‖. The norm ‖x(λ)‖
// increases with λ, and therefore also bounds the λ to be found.
func newNorm(r *engine.Run, m Newton) (*norm, error) {
	phi, err := engine.Require[saddle.Wasserstein](r.Problem.Primal)
	if err != nil {
		return nil, err
	}
	return &norm{Run: r, method: m, phi: phi, x: slices.Clone(r.Start), lambda: 1, high: math.Inf(1)}, nil
}

// A norm holds the state of the search for λ.
type norm struct {
	*engine.Run
	method    Newton
	phi       saddle.Wasserstein
	x         []float64 // optimum of the last ridge problem
	lambda    float64   // λ of the next ridge problem
	low, high float64   // bounds of the λ to be found

	before, excess float64 // log λ, and log ‖x‖ − log λ, for the last problem; 0 before the first
}

// Step solves a ridge problem.
func (m *norm) Step() error {
	const (
		// gap of a ridge problem, relative to that of the problem; bounds for a small μ require small
		// gradients
		inner   = 1e-5
		finest  = 1e-24 // the same for μ = 0: as far as double precision allows
		nearest = 1e-15 // relative distance of the bounds of λ
	)
	c := m.Cert
	s := engine.DefaultSettings()
	s.X0, s.Seed, s.RelativeGap = m.x, m.Settings.Seed, max(1e-14, inner*m.Settings.RelativeGap)
	if m.phi.Mu == 0 {
		s.RelativeGap = finest
	}
	s.MaxPasses = max(minPasses, c.PassesLeft(spareEvaluations, c.N, math.Inf(1)))
	l, err := engine.NewLoop(m.Ctx, &saddle.Problem{Oracle: m.Problem.Oracle, Dual: m.Problem.Dual,
		Primal: m.phi.RidgeAt(m.lambda)}, m.method, s)
	if err != nil {
		return err
	}
	defer l.Close()
	l.Iterate()
	if l.Failed != nil {
		return l.Failed
	}
	c.Passes += l.Cert.Passes
	m.x = slices.Clone(l.Cert.BestX)
	m.certifyAt(m.x)
	size := m.phi.PenalisedNorm(m.x)
	m.Logf("newton: λ = %.6g: ‖x‖ = %.6g, %.3g passes, relative gap %.3g", m.lambda, size, l.Cert.Passes,
		c.Best.Relative())
	if m.Certified() {
		return nil
	}
	if size < m.lambda { // the optimum may be 0
		zero := make([]float64, len(m.x))
		copy(zero[len(zero)-m.phi.FreeCount():], m.x[len(zero)-m.phi.FreeCount():])
		if m.certifyAt(zero); m.Certified() {
			return nil
		}
		m.high = size
	} else {
		m.low = size
	}
	if !(m.high > m.low*(1+nearest)) || !(m.high > 0) || l.Result.Status == saddle.Limit {
		return saddle.ErrStalled
	}
	before := m.lambda
	if m.chooseLambda(size); m.lambda == before {
		return saddle.ErrStalled
	}
	return nil
}

// certifyAt evaluates and certifies a point.
func (m *norm) certifyAt(x []float64) {
	m.Cert.Evaluate(x)
	m.Cert.CertifyUpper()
	m.Cert.Certify()
}

// chooseLambda sets the next λ, within the bounds, by the secant method for log ‖x(λ)‖ − log λ. For μ = 0 the next λ is
// a little larger, because the gradient at x(λ) has the norm ε‖x‖/λ, which must be at most ε to prove a bound. That
// bound is P(x) − ε‖x‖(1 − ‖x‖/λ).
func (m *norm) chooseLambda(size float64) {
	at, excess := math.Log(m.lambda), math.Log(size)-math.Log(m.lambda)
	next := size
	if m.excess != 0 {
		if secant := math.Exp(at - excess*(at-m.before)/(excess-m.excess)); secant > m.low && secant < m.high {
			next = secant
		}
	}
	if m.phi.Mu == 0 {
		next *= 1 + min(1e-3, m.Settings.RelativeGap*math.Abs(m.Cert.BestObjective)/(4*m.phi.Radius*size))
	}
	m.before, m.excess, m.lambda = at, excess, next
}

// Check implements Stepper.
func (m *norm) Check() {}

// IsCheckDue implements Stepper. A check is due after every ridge problem.
func (*norm) IsCheckDue(bool) bool { return true }
