package newton

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/hessian"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/ablate"
	"gonum.org/v1/gonum/floats"
)

// The path of penalties that fall.
const (
	fallFactor  = 5.0   // of ν from stage to stage
	fallNear    = 0.002 // of ν: what a stage leaves to the next one, of the objective
	fallLeast   = 2.0   // of that, where stages are dear
	fallDear    = 12    // passes of a stage, after which ν falls by less
	fallCheap   = 6     // passes of a stage, after which it falls by more
	fallPasses  = 60    // of a stage, at most
	fallEnough  = 0.3   // of the gap asked for, the largest penalty: it need not fall below
	fallWorth   = 300   // of ν, the first one: below, working sets and damped steps take fewer passes
	fallMildest = 0.3   // of what Mild says: the first ν
)

// fall goes to the optimum at penalties that fall to the one asked for, where losses
// exceed ν by far, so that the adversary will rest on few samples: Newton's steps are as
// short as ν there, but those from penalty to penalty are not. The optimum at a larger ν is
// no larger, so that its lower bounds are bounds.
func (m *newton) fall() bool {
	c := m.Cert
	dual, ok := m.Problem.Dual.(saddle.Repriced)
	_, formed := m.h.(*hessian.Factored)
	if !ok || !formed || m.fallen || ablate.Off.Continuation {
		return false
	}
	target, size := m.Problem.Dual.Modulus(), math.Abs(m.value)
	nu := fallMildest * dual.Mild(size, c.N)
	if !(nu > fallWorth*target) {
		return false
	}
	x := append([]float64(nil), m.x...)
	passes, factor := c.Passes, fallFactor
	var before []float64 // the optimum at the penalty before, ν₀
	nuBefore := 0.0
	for nu > fallLeast*target && c.Passes < m.Settings.MaxPasses && m.Ctx.Err() == nil {
		s := saddle.DefaultSettings()
		s.X0, s.MaxPasses, s.Seed, s.RelativeGap = x, fallPasses, m.Settings.Seed, m.Settings.RelativeGap
		l, err := saddle.NewLoop(&saddle.Problem{Oracle: m.Problem.Oracle, Dual: dual.WithNu(nu), Primal: m.Problem.Primal}, m.method, s)
		if err != nil {
			break
		}
		stage := l.Method.(*newton)
		stage.fallen, stage.settled = true, true
		last := nu*dual.Most(c.N) <= fallEnough*m.Settings.RelativeGap*size
		if last { // an optimum as good as that at the target
			l.Settings.RelativeGap /= 2
		} else {
			stage.tolerance = func() float64 { return fallNear * nu / math.Max(1e-12, math.Abs(l.Cert.Objective)) }
		}
		l.Iterate(m.Ctx)
		c.Passes += l.Cert.Passes
		c.Best.Lower = max(c.Best.Lower, l.Cert.Best.Lower)
		if copy(x, l.Cert.BestX); stage.arrivedAt {
			copy(x, stage.x)
		}
		size = math.Abs(l.Cert.BestObjective)
		m.Logf("newton: ν = %.3g: %v, objective %.6g, %.3g passes", nu, l.Result.Status, l.Cert.BestObjective, l.Cert.Passes)
		l.Close()
		if last {
			break
		}
		switch {
		case l.Cert.Passes > fallDear:
			factor = max(fallLeast, math.Sqrt(factor))
		case l.Cert.Passes < fallCheap:
			factor = min(fallFactor, factor*factor)
		}
		next := nu / factor
		at := append([]float64(nil), x...)
		if before != nil { // where the rows at the top stay the same, x is linear in ν
			floats.AddScaledTo(x, at, (nu-max(next, target))/(nuBefore-nu), diff(at, before))
		}
		before, nuBefore, nu = at, nu, next
	}
	m.fallen = true
	m.Logf("newton: penalties fell to ν = %.3g by %.3g passes", target, c.Passes-passes)
	return m.moveTo(x)
}

func diff(a, b []float64) []float64 { return floats.SubTo(make([]float64, len(a)), a, b) }
