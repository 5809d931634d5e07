package dro_test

import (
	"math"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/losses"
)

// mixed has the risk floor·mean + (1 − floor)·CVaR. It is an engine.Adversary and engine.Pieced, and no more.
type mixed struct {
	floor float64
	tail  side.Simplex
}

var (
	_ engine.Adversary = mixed{}
	_ engine.Pieced    = mixed{}
)

func (mixed) mean() side.Simplex { return side.Simplex{Divergence: side.PearsonChi2, Alpha: 1} }

func (m mixed) between(a, b float64) float64 { return m.floor*a + (1-m.floor)*b }

func (m mixed) Valid(n int) error     { return m.tail.Valid(n) }
func (mixed) Region() engine.Region   { return engine.Part }
func (mixed) Modulus() float64        { return 0 }
func (mixed) Value([]float64) float64 { return 0 }

func (m mixed) Pieces() engine.Pieces {
	tail := m.tail.Pieces().Parts[0]
	tail.Share = 1 - m.floor
	mean := engine.Portion{Dual: m.mean(), Share: m.floor, CapTo: func(u []float64) { engine.Fill(u, 1/float64(len(u))) }}
	return engine.Pieces{Parts: []engine.Portion{mean, tail}}
}

func (m mixed) BestResponseTo(y, f []float64) (risk, tau float64) {
	risk, tau = m.tail.BestResponseTo(y, f)
	for j := range y {
		y[j] = m.between(1/float64(len(y)), y[j])
	}
	return m.between(engine.Sum(f)/float64(len(f)), risk), tau
}

func (m mixed) FusedTo(e *engine.Evaluator, g, y, x []float64, _ engine.Multipliers) engine.Response {
	e.Eval(x)
	risk, tau := m.BestResponseTo(y, e.Value)
	e.GradTo(g, y)
	return engine.Response{Multipliers: engine.Multipliers{Tau: tau, Known: true}, Y: y, Risk: risk}
}

func (m mixed) RiskBounds(f []float64, at engine.Multipliers) (below, above float64, sums engine.Sums) {
	_, a, s := m.mean().RiskBounds(f, at)
	_, b, t := m.tail.RiskBounds(f, at)
	sums = engine.Sums{Linear: m.between(s.Linear, t.Linear), Size: m.between(s.Size, t.Size),
		Mass: m.between(s.Mass, t.Mass), Top: t.Top}
	return math.Inf(-1), m.between(a, b) + 8*engine.UnitRoundoff*(math.Abs(a)+math.Abs(b)), sums
}

func (m mixed) ValueBelow(y, f, _ []float64, relative float64) engine.Proof {
	w, rest, total := make([]float64, len(y)), make([]float64, len(y)), engine.Sum(y)
	for j := range y {
		w[j] = 1 / float64(len(y))
		rest[j] = max(0, (y[j]/total-m.floor*w[j])/(1-m.floor))
	}
	p := m.tail.ValueBelow(rest, f, nil, (relative+16*engine.UnitRoundoff)/(1-m.floor))
	q := m.mean().ValueBelow(w, f, nil, 0)
	p.Value = m.between(q.Value, p.Value) - 8*engine.UnitRoundoff*(p.Size+q.Size)
	p.Linear, p.Size, p.Mass = m.between(q.Linear, p.Linear), m.between(q.Size, p.Size), total
	return p
}

// A set that has bounds of its risk and says of what pieces it is, and nothing else, is solved by sequential quadratic
// programming, also where the weights of a portion are given.
func TestSolve_SetOfBoundsAndPieces(t *testing.T) {
	const n, alpha = 400, 0.05
	for _, l := range []losses.Loss{losses.Squared{}, losses.Huber{Delta: 1}} {
		o := drotest.NewSample(drotest.RngOf(7), n, 5, false).Oracle(t, l)
		for _, floor := range []float64{0.3, 0.9} {
			set := mixed{floor, side.Simplex{Divergence: side.PearsonChi2, Alpha: alpha}}
			r, err := dro.Solve(t.Context(), &dro.Problem{Oracle: o, Dual: set, Primal: dro.L2{Mu: 0.01}}, nil)
			if err != nil || r.Status != dro.Certified || r.Passes > 100 {
				t.Fatalf("%s, %v: %+v, %v", l.Name(), floor, r, err)
			}
			f, slope := make([]float64, n), make([]float64, n)
			o.EvalTo(f, slope, r.X, 0, n)
			slices.Sort(f)
			tail := engine.Sum(f[n-int(alpha*n):]) / (alpha * n)
			want := floor*engine.Sum(f)/n + (1-floor)*tail + 0.005*engine.Dot(r.X, r.X)
			if !(r.Certificate.Lower <= want*(1+1e-12) && math.Abs(r.Objective-want) <= 1e-12*want) {
				t.Errorf("%s, %v: the objective is %v, want %v, bounds %+v", l.Name(), floor, r.Objective, want, r.Certificate)
			}
		}
	}
}
