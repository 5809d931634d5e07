package newton

import (
	"slices"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
)

const (
	// fewRows is the effective proportion of rows below which the problem is first solved on the rows that
	// carry the adversary's weight.
	fewRows = 1.0 / 16

	// heavyWeight is the proportion of the adversary's weight on the heaviest rows.
	heavyWeight = 0.999
)

// solveHeaviest solves the problem on the few rows on which the adversary has weight, adds the rows on which the
// adversary has weight at the solution, and repeats this until no row is added. It moves to the best point found. It
// does so at most once in a solve, and reports whether it tried. The optimum on fewer rows, minus the difference of the
// penalties, is a lower bound.
func (m *newton) solveHeaviest() (tried bool) {
	c := m.Cert
	if m.restricted || c.EffectiveShare() >= fewRows || m.Problem.Dual.Modulus() == 0 {
		return false
	}
	all, ok := m.Problem.Oracle.(engine.Model)
	dual, may := m.Problem.Dual.(engine.Restrictable)
	if !ok || !may {
		return false
	}
	most := min(c.N/4, engine.MaxSelected(m.Problem.Oracle))
	samples := make([]int, min(c.N, engine.RowsPerColumn*c.D)) // so that there are rows for every direction
	for j := range samples {
		samples[j] = j
	}
	x := slices.Clone(m.x)
	for c.EffectiveShare() < fewRows && !exceedsPenalty(c.Objective, m.Problem.Dual.Modulus()) && m.Ctx.Err() == nil {
		before := len(samples)
		samples = append(samples, engine.HeaviestSamples(c.Rows, c.Y, heavyWeight, engine.RowsPerColumn*c.D)...)
		slices.Sort(samples)
		samples = slices.Compact(samples)
		n := len(samples)
		s := engine.DefaultSettings()
		s.KeepDual = m.Settings.KeepDual
		s.X0, s.Seed, s.RelativeGap = x, m.Settings.Seed, max(1e-12, m.Settings.RelativeGap/10)
		if s.MaxPasses = c.PassesLeft(spareEvaluations, n, 500); n == before || n > most || s.MaxPasses < minPasses {
			break
		}
		restricted, offset := dual.Restricted(c.N, n)
		if restricted == nil {
			break
		}
		l, err := engine.NewLoop(m.Ctx, &saddle.Problem{Oracle: all.Select(samples), Dual: restricted,
			Primal: m.Problem.Primal},
			Newton{}, s)
		if err != nil {
			break
		}
		stage, isNewton := l.Method.(*newton)
		if isNewton {
			stage.restricted = true
		}
		passColumnFindings(c, l.Cert)
		l.Iterate()
		c.Passes += l.Cert.Passes * float64(n) / float64(c.N)
		var y []float64
		if l.Cert.Dual != nil {
			y = make([]float64, c.N)
			for k, j := range samples {
				y[j] = l.Cert.Dual[k]
			}
		}
		c.RaiseLower(y, l.Cert.Best.Lower, (1+8*engine.UnitRoundoff)*offset)
		x = slices.Clone(l.Cert.BestX)
		if isNewton && stage.formed {
			m.takeOverHessian(stage.h)
		}
		l.Close()
		c.Evaluate(x)
		m.Logf("newton: on the %d rows with the largest weights: %v after %.3g passes over these rows, objective %.6g", n,
			l.Result.Status,
			l.Cert.Passes, c.Objective)
		tried = true
	}
	m.restricted = true
	if tried {
		m.moveTo(c.BestX)
	}
	return tried
}
