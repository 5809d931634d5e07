package newton

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
	"gonum.org/v1/gonum/floats"
)

const (
	// continuationFactor is the ratio of the penalties of successive stages.
	continuationFactor = 5

	// aroundFactor replaces continuationFactor if penalties measure the distance from the weights of the
	// previous stage.
	aroundFactor = 1.4

	// unpenalisedFirst is the ratio of the objective to ν above which the problem at ν = 0 is solved first.
	unpenalisedFirst = 4000

	// stageGap is the gap of a stage, relative to its maximum penalty, and that of the quadratic problem of a
	// step, relative to its expected decrease.
	stageGap = 0.05

	// nonsmoothMultiplier is the multiplier of a ball, relative to the objective, below which a nonsmooth point
	// is considered near. A continuation begins at twice that.
	nonsmoothMultiplier = 0.02
)

// A continuation solves an unpenalised problem, whose objective may be nonsmooth, as a sequence of problems with
// decreasing ν, each started at the previous optimum. The optimal value does not increase with ν, so every lower bound
// for a larger ν, and every bound from the weights of a stage, holds for the problem itself.
//
// For a risk that depends on ranks, the penalty is the distance from the weights of the previous stage (proximal
// point method), so ν need hardly decrease. With a small ν, Newton steps would be short, because each ordering of the
// losses is a separate smooth piece.
type continuation struct {
	*engine.Run
	dual     engine.Smoothable
	method   Newton  // method that solves a stage
	most     float64 // largest ν of the first stage
	nu       float64 // ν of the next stage; 0 before the first
	x        []float64
	before   []float64 // optimum of the previous stage, at nuBefore; nil before the second stage
	nuBefore float64

	// n weights from which the penalty of the next stage measures the distance; nil means the reference weights
	center []float64
}

// newContinuation starts a continuation at the starting point of the run, with an initial penalty of at most most.
func newContinuation(r *engine.Run, m Newton, most float64) (*continuation, error) {
	dual, err := engine.Require[engine.Smoothable](r.Problem.Dual)
	if err != nil {
		return nil, err
	}
	if engine.Implements[engine.Recentred](r.Problem.Dual) {
		m.Sample = r.Cert.N
	}
	return &continuation{Run: r, dual: dual, method: m, most: most, x: slices.Clone(r.Start)}, nil
}

// isSmoothBall reports whether the dual is a ball without a penalty whose risk has a gradient
// except on a set of measure zero.
func isSmoothBall(p *saddle.Problem) bool {
	region := engine.RegionOf(p.Dual)
	return (region == engine.Part || region == engine.Whole) && p.Dual.Modulus() == 0 && engine.IsDifferentiable(p)
}

// isNearNonsmooth reports whether the dual is a ball with a multiplier close to 0 at the last point evaluated. The
// risk has no gradient if the ball reaches a vertex of Y at which the loss is largest, and such a point may be the
// optimum: at x = 0, for example, all losses are equal.
func (m *newton) isNearNonsmooth() bool {
	c := m.Cert
	return !m.continued && isSmoothBall(m.Problem) && c.Nu <= nonsmoothMultiplier*math.Abs(c.Objective)
}

// exceedsPenalty reports whether the objective is so large compared with ν that Newton steps are short.
func exceedsPenalty(value, nu float64) bool { return math.Abs(value) > unpenalisedFirst*nu }

// beginContinuation starts a continuation with decreasing penalties if a nonsmooth point of a ball is near, and reports
// whether it did. It does so at most once in a solve.
func (m *newton) beginContinuation() bool {
	if !m.isNearNonsmooth() {
		return false
	}
	most := math.Inf(1)
	if nu := m.Cert.Nu; nu > 0 {
		most = 10 * nu
	}
	path, err := newContinuation(m.Run, m.method, most)
	if err != nil {
		return false
	}
	m.continued, m.path = true, path
	copy(path.x, m.Cert.BestX)
	return true
}

// solveUnpenalised solves the problem at ν = 0, moves to its optimum and returns true if the losses are much larger
// than ν. Newton steps have a length of about ν, so that many of them would be needed, whereas the optimum at ν = 0 is
// at a distance of about ν from the solution. It does so at most once in a solve, and otherwise returns false.
func (m *newton) solveUnpenalised() bool {
	c, nu := m.Cert, m.Problem.Dual.Modulus()
	smoothable, ok := m.Problem.Dual.(engine.Smoothable)
	if m.unpenalised || !ok || nu == 0 || !exceedsPenalty(m.value, max(nu, c.Nu)) {
		return false
	}
	m.unpenalised = true
	dual, most := smoothable.Smoothed(0, c.N)
	p := &saddle.Problem{Oracle: m.Problem.Oracle, Dual: dual, Primal: m.Problem.Primal}
	s := engine.DefaultSettings()
	if s.MaxPasses = c.PassesLeft(1, c.N, 60); !supportsSQP(p) || s.MaxPasses < minPasses {
		return false
	}
	s.KeepDual = m.Settings.KeepDual
	s.X0, s.Seed, s.RelativeGap = slices.Clone(m.x), m.Settings.Seed, max(m.Settings.RelativeGap/2,
		0.002*nu/max(1e-300, math.Abs(m.value)))
	l, err := engine.NewLoop(m.Ctx, p, Newton{}, s)
	if err != nil {
		return false
	}
	defer l.Close()
	passColumnFindings(c, l.Cert)
	l.Iterate()
	copyColumnFindings(c, l.Cert)
	c.Passes += l.Cert.Passes
	// the largest ψ of the weights
	c.RaiseLower(l.Cert.Dual, l.Cert.Best.Lower, (1+8*engine.UnitRoundoff)*most*nu)
	m.Logf("newton: solved without a penalty: %v, objective %.6g, %.3g passes", l.Result.Status, l.Cert.BestObjective,
		l.Cert.Passes)
	if l.Failed == nil {
		c.Evaluate(slices.Clone(l.Cert.BestX))
	}
	m.formed = false
	m.moveTo(c.BestX)
	return true
}

// followPath takes one stage of the continuation.
func (m *newton) followPath() error { return m.path.Step() }

// Step takes one stage.
func (m *continuation) Step() error {
	const least = 1e-13 // minimum ν relative to the objective; for a smaller ν rounding dominates
	c := m.Cert
	size := c.Best.Magnitude(c.BestObjective)
	if m.nu == 0 {
		m.nu = max(least*size, min(m.most, 2*nonsmoothMultiplier*size))
	}
	if m.nu < least*size {
		return saddle.ErrStalled
	}
	dual, most := m.dual.Smoothed(m.nu, c.N)
	if s, ok := dual.(engine.Recentred); ok && m.center != nil {
		dual = s.Around(m.center, m.nu)
	}
	s := engine.DefaultSettings()
	s.X0, s.Seed, s.KeepDual = m.x, m.Settings.Seed, m.Settings.KeepDual
	// with one sample, the stage is the problem itself
	if s.RelativeGap = max(stageGap*m.nu*most/size, 1e-13); most == 0 {
		s.RelativeGap = max(m.Settings.RelativeGap, 1e-13)
	}
	if m.center != nil {
		s.RelativeGap = max(1e-13, min(s.RelativeGap, 0.1*c.Best.Relative()))
	}
	// an evaluation and three gradients will follow
	s.MaxPasses = max(minPasses, c.PassesLeft(2.5, c.N, math.Inf(1)))
	l, err := engine.NewLoop(m.Ctx, &saddle.Problem{Oracle: m.Problem.Oracle, Dual: dual, Primal: m.Problem.Primal},
		m.method, s)
	if err != nil {
		return err
	}
	defer l.Close()
	if stage, ok := l.Method.(*newton); ok {
		stage.continued = true
	}
	passColumnFindings(c, l.Cert)
	l.Iterate()
	copyColumnFindings(c, l.Cert)
	if l.Failed != nil {
		return l.Failed
	}
	c.Passes += l.Cert.Passes
	c.AdoptLowerBound(l.Cert) // ψ increases with ν
	x, value := slices.Clone(l.Cert.BestX), c.BestObjective
	c.Evaluate(x)
	l.Problem.Dual.BestResponseTo(l.Cert.Y, c.Value)
	m.tightenLowerBound(l.Cert.Y)
	if engine.Implements[engine.Recentred](l.Problem.Dual) {
		m.center = slices.Clone(l.Cert.Y)
	}
	m.Logf("newton: ν = %.3g: %v, objective %.6g, %.3g passes, relative gap %.3g", m.nu, l.Result.Status,
		l.Cert.BestObjective, l.Cert.Passes, c.Best.Relative())
	if c.IsDeficient && !(c.BestObjective < value-m.Settings.RelativeGap*size) {
		m.Logf("newton: the unpenalised columns are linearly dependent up to rounding, so no lower bound can be proved")
		return saddle.ErrStalled
	}
	m.setNextStage(x)
	return nil
}

// tightenLowerBound improves the lower bound with the weights y of the penalised problem, at the last point
// evaluated.
func (m *continuation) tightenLowerBound(y []float64) {
	c := m.Cert
	c.CertifyWith(y)
	c.AdoptWeights(y, nil)
	if between := c.Risk - c.ProveResponse().Value; !m.Certified() &&
		between <= m.Settings.RelativeGap*math.Abs(c.Objective) && c.D <= MaxColumns {
		certifyFromAllSamples(m.Run)
	}
}

// setNextStage sets the next penalty and its starting point after a stage with optimum x. As long as the active
// pieces do not change, the optimum is linear in ν.
func (m *continuation) setNextStage(x []float64) {
	next := m.nu / continuationFactor
	m.x = slices.Clone(x)
	if m.center != nil {
		next = m.nu / aroundFactor
	} else if m.before != nil {
		floats.AddScaledTo(m.x, x, (m.nu-next)/(m.nuBefore-m.nu), floats.SubTo(make([]float64, len(x)), x, m.before))
	}
	m.before, m.nuBefore, m.nu = x, m.nu, next
}

// Check implements Stepper.
func (m *continuation) Check() {}

// IsCheckDue implements Stepper. A check is due after every stage.
func (*continuation) IsCheckDue(bool) bool { return true }
