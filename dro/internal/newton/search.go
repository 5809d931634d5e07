package newton

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/hessian"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/tuning"
	"gonum.org/v1/gonum/floats"
)

var (
	shortStep   = tuning.New("newton: step, below which a Hessian with the majorants of the losses is tried", "of a full one", 0.125, 0.03, 0.5)
	steadySlope = tuning.New("newton: slope left at the end of a full step that is worth going on", "of that at its beginning", 0.7, 0.3, 0.9)
	narrower    = tuning.New("newton: fall of the share of the majorants after a full step", "×", 16, 4, 100)
)

// search moves along −dir by t, or by the first shorter step that lowers P enough, each
// a half to a tenth of the one before, by the parabola through what is known. If none does
// it returns the step that would have been next, else 0. slope is the derivative along dir.
func (m *newton) search(slope, t float64) (shorter float64, err error) {
	noise := 1e-15 * math.Abs(m.value)
	shortest := m.line.Shortest
	if m.h.CanWiden() && !m.steep {
		shortest = shortStep.Value
	}
	for t >= shortest {
		floats.AddScaledTo(m.trial, m.x, -t, m.dir)
		now := m.Cert.Evaluate(m.trial)
		if now <= m.value-m.line.Decrease*t*slope || (slope <= noise && now <= m.value+noise) {
			if now >= m.value {
				err = saddle.ErrStalled // the steps are down to rounding
			}
			m.decrement, m.stale = slope, true
			if t == 1 {
				m.follow(slope)
			}
			m.judge(t)
			m.stepsDone++
			if lambda := m.h.Damping(); t == 1 && lambda > 0 {
				if lambda /= 10; lambda < hessian.LeastDamping {
					lambda = 0
				}
				m.fault = m.h.Redamp(lambda)
			}
			m.accept()
			return 0, err
		}
		lowest := t * t * slope / (2 * (now - m.value + t*slope)) // 0 for +Inf
		t = max(t/10, min(t/2, lowest))
	}
	return t, nil
}

// follow goes on along −dir from the full step, which the certifier evaluated last, while
// the objective goes on to fall at much of the slope that it began with, and leaves the
// certifier at the lowest point.
func (m *newton) follow(slope float64) {
	const half, farthest = 0.5, 100 // of the gap, worth another step; times the step before
	lower := m.Cert.Best.Lower
	before, best, t := m.value, m.Cert.Objective, 1.0
	for m.Ctx.Err() == nil {
		copy(m.ahead, m.Cert.G)
		m.phi.AddGradTo(m.ahead, m.Cert.X)
		end := floats.Dot(m.ahead, m.dir)
		if !(end > steadySlope.Value*slope || end > 0 && best-lower < half*(before-lower)) {
			return
		}
		next := farthest * t
		if bent := slope - end; bent > 0 { // else it is straight, but for rounding
			next = t * max(2, min(farthest, slope/bent))
		}
		floats.AddScaledTo(m.trial, m.x, -next, m.dir)
		if now := m.Cert.Evaluate(m.trial); !(now < best) {
			floats.AddScaledTo(m.trial, m.x, -t, m.dir)
			m.Cert.Evaluate(m.trial)
			return
		}
		before, best, t = best, m.Cert.Objective, next
	}
}

// judge takes the majorants of the losses into the next Hessian after a short step, and out of
// it after full ones, or where they make less of a step than second derivatives did.
func (m *newton) judge(t float64) {
	const least = 1e-3 // share of the majorants below which they are left out
	fall, wide := m.value-m.Cert.Objective, m.h.Width()
	if t < 1 {
		m.decrement = 0 // far from quadratic: a new Hessian next
	}
	switch {
	case wide == 0 && t < shortStep.Value:
		m.lastFall = fall
		if !m.steep {
			m.h.Widen(1)
		}
	case wide == 0 && t == 1:
		m.steep = false
	case wide > 0 && fall < m.lastFall:
		m.steep = true
		m.h.Widen(0)
	case wide > 0 && t == 1:
		if wide /= narrower.Value; wide < least {
			wide = 0
		}
		m.h.Widen(wide)
	}
}

// goesShorter reports that shorter steps are to be tried in the place of the majorants of the
// losses: where those of the last time took less than a tenth of what could be gained.
func (m *newton) goesShorter() bool {
	const left = 0.9
	if m.steep {
		return false
	}
	_, atHand := m.h.(*hessian.Factored) // else another direction takes passes
	lower, before := m.Cert.Best.Lower, m.widened
	m.widened = m.value
	m.steep = atHand && before > 0 && m.value-lower > left*(before-lower)
	return m.steep
}

// widen takes the majorants of the losses into the Hessian at the present point, and reports
// whether there was something to take.
func (m *newton) widen() bool {
	if m.steep || !m.h.Widen(1) {
		return false
	}
	m.Logf("newton: no decrease along the step: quadratics above the losses")
	m.Cert.Evaluate(m.x)
	m.refresh()
	return true
}

// damp raises the damping of the Hessian.
func (m *newton) damp() error {
	lambda := m.h.Damping()
	if lambda >= m.line.MostDamping || lambda >= m.line.Damping && kinkAt(m.Cert) {
		return saddle.ErrStalled // at a kink no damping will do
	}
	m.fault = m.h.Redamp(max(m.line.Damping, 100*lambda))
	m.Logf("newton: no decrease along the step: damping %.3g", m.h.Damping())
	return nil
}
