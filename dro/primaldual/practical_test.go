package primaldual

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/bound"
	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/losses"
)

// atWork returns a practical schedule at its first point.
func atWork(t *testing.T, m saddle.Method, start []float64) *practical {
	t.Helper()
	s := drotest.NewSample(drotest.RngOf(71), 60, 3, false)
	settings := saddle.DefaultSettings()
	settings.X0 = start
	l, err := saddle.NewLoop(&saddle.Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: side.Simplex{Nu: 0.5}, Primal: side.L2{Mu: 0.1}}, m, settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	p := l.Method.(*practical)
	if err := p.Step(); err != nil {
		t.Fatal(err)
	}
	return p
}

// A primal step of full weight is Newton's: to x − H⁻¹∇P at most, by a/(a + c) of it below
// that, as much as the weight says.
func TestPrimalStepIsNewtons(t *testing.T) {
	p := atWork(t, FullVector{}, nil)
	g, x := []float64{0.3, -1, 2}, []float64{0.5, 0.1, -0.7}
	whole := make([]float64, 3)
	for i := range whole { // H⁻¹(g + μx) from the matrix
		whole[i] = g[i] + 0.1*x[i]
	}
	h := p.metric.Matrix
	rest := append([]float64(nil), whole...)
	p.metric.Solve(whole)
	for i := range rest {
		back := 0.0
		for k := range whole {
			back += h.At(i, k) * whole[k]
		}
		if !(math.Abs(back-rest[i]) <= 1e-10) {
			t.Fatalf("entry %d of H·H⁻¹v is %v, not %v", i, back, rest[i])
		}
	}
	for _, c := range []struct{ weight, a, c, share float64 }{{1, 1, 1, 0.5}, {1, 3, 1, 0.75}, {4, 1, 9, 0.4}, {4, 1, 1, 1}, {64, 5, 1, 1}} {
		p.primal.weight = c.weight
		got := make([]float64, 3)
		p.primal.ProxTo(got, g, x, c.a, c.c)
		for i := range got {
			if want := x[i] - c.share*whole[i]; !(math.Abs(got[i]-want) <= 1e-12) {
				t.Errorf("%+v: entry %d moves to %v, not %v", c, i, got[i], want)
			}
		}
	}
}

// Every retreat makes steps smaller, of the primal or of all, and goes back to the best
// point, so that a solve without progress ends; no later progress makes the primal step as
// heavy again.
func TestRetreatsMakeStepsSmaller(t *testing.T) {
	for _, far := range []bool{false, true} {
		p := atWork(t, SeparableBlock{Block: 5}, nil)
		p.heavy, p.primal.weight, p.up = 32, 32, true
		if p.decrement = 0; far {
			p.decrement = math.Abs(p.last)
		}
		best := append([]float64(nil), p.Cert.BestX...)
		damping := 0.0
		for k, want := range []struct{ heavy, weight, alpha float64 }{{16, 8, 1}, {4, 2, 1}, {1, 1, 1}, {1, 1, 0.5}, {1, 1, 0.25}} {
			p.Cert.Evaluate([]float64{9, 9, 9})
			p.retreat(p.Cert.Objective)
			if p.heavy != want.heavy || p.primal.weight != want.weight || p.template.alpha != want.alpha*p.most || p.up {
				t.Errorf("retreat %d: weight %v of %v at most, α %v of %v, up %v", k, p.primal.weight, p.heavy, p.template.alpha, p.most, p.up)
			}
			for i, v := range best {
				if p.Cert.X[i] != v {
					t.Errorf("retreat %d: not to the best point", k)
				}
			}
			if far && !(p.metric.Damping() >= 10*damping && p.metric.Damping() > 0) || !far && p.metric.Damping() != 0 {
				t.Errorf("retreat %d, far %v: damping %v after %v", k, far, p.metric.Damping(), damping)
			}
			if damping = p.metric.Damping(); p.rate != 0 {
				t.Errorf("retreat %d: no new Hessian", k)
			}
		}
		for k := range 40 {
			p.up = k%3 > 0
			if p.reweigh(); p.primal.weight < 1 || p.primal.weight > p.heavy {
				t.Fatalf("weight %v of %v at most", p.primal.weight, p.heavy)
			}
		}
		p.template.alpha = 0.9e-7 * p.most
		if err := p.Step(); err != saddle.ErrStalled {
			t.Errorf("with next to no step: %v", err)
		}
	}
}

// The sweeps until the next check are the fewest that prove the gap at the rate of the last
// ones, within the bounds of what can be foreseen.
func TestSweepsAreAsManyAsNeeded(t *testing.T) {
	p := atWork(t, SeparableBlock{Block: 5}, nil)
	rng := drotest.RngOf(72)
	for range 2000 {
		p.last = math.Exp(3 * rng.NormFloat64())
		p.Cert.Objective, p.Cert.Passes = p.last, 12*rng.Float64()
		p.Settings.RelativeGap = math.Pow(10, -1-9*rng.Float64())
		p.Cert.Shortfall = math.Exp(2 * rng.NormFloat64())
		p.decrement = p.last * math.Pow(10, 2-12*rng.Float64())
		p.rate = []float64{0, 0.5, 9, 11, 30, 1e4}[rng.IntN(6)]
		rate, most := p.rate, mostSweeps
		if p.decrement >= far*p.last || rate < poorRate {
			most = 1
		}
		left := max(1, p.Cert.Shortfall) * p.decrement / 2 / (p.Settings.RelativeGap * p.last) // of the gap asked for
		left *= float64(p.Cert.N) / float64(bound.SamplesFor(p.Cert, max(1, p.Cert.Passes/5))) // by the samples that may be taken
		k := p.needed()
		if k < 1 || k > most {
			t.Fatalf("%d sweeps of %v at most", k, most)
		}
		if k < most && left/math.Pow(rate, float64(k)) > 1+1e-9 {
			t.Fatalf("%d sweeps at a rate of %v leave %v times the gap", k, rate, left/math.Pow(rate, float64(k)))
		}
		if k > 1 && left/math.Pow(rate, float64(k-1)) < 1-1e-9 {
			t.Fatalf("%d sweeps at a rate of %v, one less is enough", k, rate)
		}
		before := p.done
		if p.sweeps, p.done = k, k*p.steps-1; p.WantsCheck() {
			t.Fatal("a check before the sweeps are made")
		}
		if p.done++; !p.WantsCheck() {
			t.Fatal("no check after the sweeps")
		}
		p.done = before
	}
	p.Cert.Objective, p.Settings.RelativeGap, p.decrement, p.rate = 0, 0, 0, 30
	if k := p.needed(); k != 1 {
		t.Errorf("%d sweeps where nothing is left", k)
	}
}

// A dual step in the practical schedule goes all the way to the best response of a block.
func TestDualStepsOfThePracticalSchedule(t *testing.T) {
	for _, c := range []struct {
		m    saddle.Method
		beta float64 // ην of a step
	}{{SeparableBlock{Block: 5}, 1}, {SeparableBlock{Block: 5, ThreeTouches: true}, 1}} {
		p := atWork(t, c.m, nil)
		for range 30 {
			if err := p.Step(); err != nil {
				t.Fatal(err)
			}
			estimator := p.template.estimator.(*separableEstimator)
			if beta := estimator.etaPrev * p.template.m.nu; !(math.Abs(beta-c.beta) <= 0.1) {
				t.Errorf("%+v: a relaxation of weight %v", c.m, beta)
			}
		}
		if n := float64(p.steps); p.most*n != 0.5 || p.steps != 12 {
			t.Errorf("%+v: α = %v, %d steps a sweep", c.m, p.most, p.steps)
		}
	}
}

// Progress returns to longer steps and, at a poor rate or far away, takes another Hessian;
// damping falls to a third and a third again until it is nothing.
func TestProgressAdaptsSteps(t *testing.T) {
	p := atWork(t, SeparableBlock{Block: 5}, nil)
	near := func() { // a decrement that fell by a good rate
		p.decrement = 10 * p.squaredDecrement()
		p.last = 1e6 * math.Abs(p.decrement)
		p.done, p.rate = p.steps, 10
	}
	near()
	p.template.alpha = p.most / 4
	p.adapt()
	if p.template.alpha != p.most/2 {
		t.Errorf("α %v of %v", p.template.alpha, p.most)
	}
	p.adapt()
	p.adapt()
	if p.template.alpha != p.most {
		t.Errorf("α %v of %v", p.template.alpha, p.most)
	}
	// The weight is tried up and down: turned where the rate is worse than the last.
	near()
	p.heavy, p.primal.weight, p.up, p.rate = 64, 8, true, 9
	if p.adapt(); p.primal.weight != 16 || !p.up {
		t.Errorf("after a better rate: weight %v, up %v", p.primal.weight, p.up)
	}
	near()
	p.rate = 11
	if p.adapt(); p.primal.weight != 8 || p.up {
		t.Errorf("after a worse rate: weight %v, up %v", p.primal.weight, p.up)
	}
	if !(math.Abs(p.rate-10) <= 1e-9) {
		t.Errorf("a rate of %v, not 10", p.rate)
	}
	near()
	p.done = 2 * p.steps // ten in two sweeps
	if p.adapt(); !(math.Abs(p.rate-math.Sqrt(10)) <= 1e-9) {
		t.Errorf("a rate of %v a sweep, not √10", p.rate)
	}
	if err := p.metric.Redamp(1); err != nil {
		t.Fatal(err)
	}
	for k := 0; p.metric.Damping() > 0; k++ {
		was := p.metric.Damping()
		near()
		if p.adapt(); p.metric.Damping() > 0 && !(math.Abs(3*p.metric.Damping()/was-1) <= 1e-12) || k > 14 {
			t.Fatalf("damping %v after %v", p.metric.Damping(), was)
		}
	}
}

// A step that ends further from the last restart than ten Newton steps from there are long
// leads astray: a check is due, whatever was planned.
func TestStepsThatLeadAstrayAreChecked(t *testing.T) {
	for _, far := range []bool{false, true} {
		p := atWork(t, SeparableBlock{Block: 5}, nil)
		p.restart()
		g := make([]float64, len(p.primal.direction))
		copy(g, p.Cert.G)
		p.primal.addGradTo(g, p.Cert.X)
		p.metric.Solve(g)
		size := 0.0
		for _, v := range g[:p.Cert.D] {
			size = math.Hypot(size, v)
		}
		if p.sweeps = 8; p.WantsCheck() {
			t.Fatal("a check before a step")
		}
		p.from[0] += 9 * size // as if the steps since had gone back by so much
		if far {
			p.from[0] += 2 * size
		}
		if err := p.Step(); err != nil {
			t.Fatal(err)
		}
		if p.WantsCheck() != far {
			t.Errorf("a check is due %v, %v Newton steps away: %v", p.WantsCheck(), far, math.Abs(p.from[0]-p.point(p.template.x)[0])/size)
		}
	}
}

// The polished point is the optimum of a quadratic whose blocks are alike, wherever these were
// touched, and of any quadratic where all of them were touched at one point.
func TestPolishedPointOfAQuadratic(t *testing.T) {
	for _, c := range []struct {
		m     saddle.Method
		alike bool
	}{{SeparableBlock{Block: 5}, true}, {SeparableBlock{Block: 5}, false}, {SeparableBlock{Block: 5, ThreeTouches: true}, true},
		{SeparableBlock{Block: 5, Strategy: Historical}, true}, {Stochastic{Block: 5}, true}, {Stochastic{Block: 5, Strategy: Historical}, true},
		{FullVector{}, true}, {FullVector{}, false}} {
		const n, d = 60, 3
		s := drotest.NewSample(drotest.RngOf(73), n, d, false)
		if c.alike {
			for j := 5; j < n; j++ {
				copy(s.Design[j*d:(j+1)*d], s.Design[(j-5)*d:])
				s.Label[j] = s.Label[j-5]
			}
		}
		// So large a penalty leaves the weights uniform but for a millionth.
		problem := &saddle.Problem{Oracle: s.Oracle(t, losses.Squared{}), Dual: side.Simplex{Nu: 1e8}, Primal: side.L2{Mu: 0.1}}
		l, err := saddle.NewLoop(problem, c.m, saddle.DefaultSettings())
		if err != nil {
			t.Fatal(err)
		}
		p := l.Method.(*practical)
		if err := p.Step(); err != nil {
			t.Fatal(err)
		}
		optimum := append([]float64(nil), p.Cert.G...) // −H⁻¹∇P at 0
		if p.lifted {
			optimum = append(optimum, 0)
		}
		p.metric.Solve(optimum)
		if !c.alike {
			p.primal.weight = 0 // the points stay where they are
			p.restart()
		}
		for range 3 * p.steps {
			if err := p.Step(); err != nil {
				t.Fatal(err)
			}
		}
		away := 0.0
		for i, v := range p.polished() {
			away = max(away, math.Abs(v+optimum[i]))
		}
		if away > 1e-5 {
			t.Errorf("%+v, blocks alike %v: %v from the optimum", c.m, c.alike, away)
		}
		p.decrement = 2.01 * (p.last - p.Cert.Best.Lower)
		if p.polished() != nil {
			t.Errorf("%+v: a step that promises to fall below the lower bound", c.m)
		}
		l.Close()
	}
}

// Where the polished point is above the last restart the last point of the sweep is looked at,
// and where neither is below, the best point again.
func TestPolishedPointsThatDoNotServe(t *testing.T) {
	for _, c := range []struct {
		serves, lower bool // the polished point, the last
		passes        float64
	}{{true, true, 1}, {false, true, 2}, {false, false, 3}} {
		p := atWork(t, SeparableBlock{Block: 5}, nil)
		for !p.WantsCheck() {
			if err := p.Step(); err != nil {
				t.Fatal(err)
			}
		}
		estimator := p.template.estimator.(*separableEstimator)
		if !c.serves {
			for i := range estimator.points.mean {
				estimator.points.mean[i] += 50
			}
		}
		if !c.lower {
			p.template.x[0] += 50
		}
		p.decrement, p.rate = 1e-3*p.last, 1e9 // near: no other Hessian
		p.primal.weight, p.heavy, p.fresh = 1, 1, true
		last, passes := p.last, p.Cert.Passes
		p.template.alpha = p.most / 8
		if p.Check(); p.last > last {
			t.Errorf("%+v: restarted at %v, above %v", c, p.last, last)
		}
		spent := p.Cert.Passes - passes - 0.5 // of at most one bound
		if !(math.Abs(spent-c.passes) <= 0.5001) {
			t.Errorf("%+v: %v passes", c, spent)
		}
		if up := p.template.alpha > p.most/8; up != c.lower {
			t.Errorf("%+v: α went up: %v", c, up)
		}
	}
}
