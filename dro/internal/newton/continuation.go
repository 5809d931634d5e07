package newton

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/hessian"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/tuning"
	"gonum.org/v1/gonum/floats"
)

// The path of penalties that fall.
var (
	fallAfter   = tuning.New("continuation: steps before it, which tell what was large in the start alone", "steps", 2, 0, 5)
	fallFactor  = tuning.New("continuation: fall of ν from stage to stage", "×", 5, 2.5, 12)
	fallNear    = tuning.New("continuation: gap of a stage, and of the optimum without a penalty", "of ν", 0.002, 0.0002, 0.02)
	fallDear    = tuning.New("continuation: a dear stage, after which ν falls by less; by more after one of less than half", "passes", 12, 6, 24)
	fallPasses  = tuning.New("continuation: a stage, and the optimum without a penalty", "passes at most", 60, 20, 200)
	fallWorth   = tuning.New("continuation: first ν from which there is a path; below, working sets and damped steps take fewer passes", "× ν", 150, 15, 1500)
	fallStart   = tuning.New("continuation: objective after these steps, below which the start was far", "of that at the start", 0.5, 0.2, 0.9)
	fallMildest = tuning.New("continuation: first ν", "of the objective", 0.04, 0.01, 0.3)
)

// fall goes to the optimum at penalties that fall to the one asked for, where losses
// exceed ν by far, so that the adversary will rest on few samples: Newton's steps are as
// short as ν there, but those from penalty to penalty are not. The optimum at a larger ν is
// no larger, so that its lower bounds are bounds.
func (m *newton) fall() bool {
	if !m.mayFall() {
		return false
	}
	if m.value > fallStart.Value*m.first {
		if moved := m.peak(append([]float64(nil), m.x...)); moved || m.fallen {
			return moved
		}
	}
	c, target := m.Cert, m.Problem.Dual.Modulus()
	nu := fallMildest.Value * math.Abs(m.value)
	x := append([]float64(nil), m.x...)
	passes, factor := c.Passes, fallFactor.Value
	least := math.Sqrt(factor) // where stages are dear
	var before []float64       // the optimum at the penalty before, ν₀
	var nuBefore float64
	for nu > least*target && c.Left(1, c.N, leastStage) == leastStage && m.Ctx.Err() == nil {
		s := saddle.DefaultSettings()
		s.X0, s.MaxPasses, s.Seed, s.RelativeGap = x, c.Left(1, c.N, fallPasses.Value), m.Settings.Seed, m.Settings.RelativeGap
		dual, most := m.repriced(nu)
		l, err := saddle.NewLoop(&saddle.Problem{Oracle: m.Problem.Oracle, Dual: dual, Primal: m.Problem.Primal}, m.method, s)
		if err != nil {
			break
		}
		stage, ok := l.Method.(*newton)
		if ok {
			stage.fallen, stage.settled = true, true
			stage.tolerance = func() float64 { return fallNear.Value * nu / l.Cert.Best.Magnitude(l.Cert.Objective) }
		}
		l.Iterate(m.Ctx)
		c.Passes += l.Cert.Passes
		c.Best.Lower = max(c.Best.Lower, l.Cert.Best.Lower)
		if copy(x, l.Cert.BestX); ok && stage.arrivedAt {
			copy(x, stage.x)
		}
		nu = min(nu, fallFactor.Value*fallMildest.Value*math.Abs(l.Cert.Top)) // what was large was the start
		m.Logf("newton: ν = %.3g: %v, objective %.6g, %.3g passes", nu, l.Result.Status, l.Cert.BestObjective, l.Cert.Passes)
		l.Close()
		if before == nil && m.Ctx.Err() == nil && fallMildest.Value*math.Abs(l.Cert.BestObjective) > fallWorth.Value*target {
			if moved := m.peak(x); moved || m.fallen {
				return moved
			}
		}
		switch {
		case l.Cert.Passes > fallDear.Value:
			factor = least
		case l.Cert.Passes < fallDear.Value/2:
			factor = min(fallFactor.Value, factor*factor)
		}
		next := nu / factor
		if enough := m.Settings.RelativeGap / 2 * l.Cert.Best.Magnitude(l.Cert.BestObjective); next <= least*target || l.Cert.BestObjective+most*nu-c.Best.Lower <= enough {
			next = target // what is left of the penalty is less than the gap asked for
		}
		at := append([]float64(nil), x...)
		if before != nil { // where the rows at the top stay the same, x is linear in ν
			floats.AddScaledTo(x, at, (nu-next)/(nuBefore-nu), diff(at, before))
		}
		before, nuBefore, nu = at, nu, next
	}
	m.fallen = true
	m.Logf("newton: penalties fell to ν = %.3g by %.3g passes", target, c.Passes-passes)
	return m.goTo(x)
}

// goTo goes to x, or stays where that is no lower, and evaluates there again.
func (m *newton) goTo(x []float64) bool {
	if m.moveTo(x) {
		return true
	}
	if !slices.Equal(m.Cert.X, m.x) {
		m.Cert.Evaluate(m.x)
	}
	return false
}

// peak goes to the optimum without a penalty, the least largest loss, by quadratic minimax
// steps from x, from where that at ν is about ν away. It reports whether that is lower than
// here; where it is not found penalties may still fall.
func (m *newton) peak(x []float64) bool {
	c, nu := m.Cert, m.Problem.Dual.Modulus()
	dual, most := m.repriced(0)
	p := &saddle.Problem{Oracle: m.Problem.Oracle, Dual: dual, Primal: m.Problem.Primal}
	if !saddle.Supports(Minimax{}, p) || c.Left(1, c.N, leastStage) < leastStage {
		return false
	}
	s := saddle.DefaultSettings()
	s.X0, s.MaxPasses, s.Seed = x, c.Left(1, c.N, fallPasses.Value), m.Settings.Seed
	s.RelativeGap = max(m.Settings.RelativeGap/2, fallNear.Value*nu/max(1e-300, math.Abs(m.value)))
	l, err := saddle.NewLoop(p, Minimax{}, s)
	if err != nil {
		return false
	}
	defer l.Close()
	l.Iterate(m.Ctx)
	c.Passes += l.Cert.Passes
	most *= nu
	c.Keep(l.Cert.Best.Lower, -most, 0, 8*saddle.UnitRoundoff*most)
	m.Logf("newton: without a penalty: %v, objective %.6g, %.3g passes", l.Result.Status, l.Cert.BestObjective, l.Cert.Passes)
	if l.Failed != nil || !(l.Cert.Best.Relative() <= max(10*s.RelativeGap, 1e-3)) {
		return false
	}
	m.fallen = true
	return m.goTo(append([]float64(nil), l.Cert.BestX...))
}

// mayFall reports that the losses exceed ν by so much that penalties are worth their fall.
func (m *newton) mayFall() bool {
	_, formed := m.h.(*hessian.Factored)
	nu := m.Problem.Dual.Modulus()
	if m.smoothable == nil || !formed || nu == 0 || m.fallen {
		return false
	}
	if c := m.Cert; c.Price > nu { // of a ball that binds
		nu = c.Price
	}
	return fallMildest.Value*math.Abs(m.value) > fallWorth.Value*nu
}

// repriced returns the dual with penalty nu, and its sup ψ/ν.
func (m *newton) repriced(nu float64) (dual saddle.Dual, most float64) {
	return m.smoothable.Smoothed(nu, m.Cert.N)
}

func diff(a, b []float64) []float64 { return floats.SubTo(make([]float64, len(a)), a, b) }
