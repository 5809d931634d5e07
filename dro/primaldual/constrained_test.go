package primaldual_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// halfPlanes returns x₁ + x₂ ≥ 2 and x₁ ≤ 3.
func halfPlanes(t *testing.T) dro.Oracle {
	t.Helper()
	o, err := dro.NewBilinear(2, 2, []float64{-1, -1, 1, 0}, []float64{2, -3}, false)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// The multipliers of the point of smallest norm in two half-planes are (1, 0) for every tolerance, from the front end
// and as the weights of the saddle-point problem.
func TestConstrained_MultipliersConverge(t *testing.T) {
	for _, gap := range []float64{1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8} {
		within := 3 * math.Sqrt(gap)
		for _, m := range []dro.Method{nil, primaldual.FullVector{}} {
			p := &primaldual.Constrained{Constraints: halfPlanes(t), Primal: dro.L2{Mu: 1}}
			r, err := p.Solve(t.Context(), &dro.Options{RelativeGap: gap, Method: m})
			if err != nil || r.Result.Status != dro.Certified {
				t.Fatal(err, r)
			}
			if y := r.Multipliers; !(math.Abs(y[0]-1) <= within) || !(math.Abs(y[1]) <= within) || !(r.Lower <= 1) ||
				!(r.Lower >= 1-gap*1.01) {
				t.Errorf("gap %v, %T: multipliers %v, lower bound %v", gap, m, y, r.Lower)
			}
			if !(r.Violation <= gap) || !(math.Abs(r.Objective-1) <= 3*gap) || !(r.Constraints[1] <= -1.9) {
				t.Errorf("gap %v, %T: X %v, constraints %v, objective %v", gap, m, r.X, r.Constraints, r.Objective)
			}
			if m == nil {
				continue
			}
			s, err := dro.Solve(t.Context(), &dro.Problem{Oracle: halfPlanes(t), Dual: primaldual.Box{Upper: 5},
				Primal: dro.L2{Mu: 1}},
				&dro.Options{RelativeGap: gap, Method: m})
			if err != nil {
				t.Fatal(err)
			}
			if y := s.Weights; !(math.Abs(y[0]-1) <= within) || !(math.Abs(y[1]) <= within) {
				t.Errorf("gap %v, %T: weights %v", gap, m, y)
			}
		}
	}
}

// A multiplier beyond the first bound is found; constraints that contradict each other are an error.
func TestConstrained_BoundGrows(t *testing.T) {
	o, err := dro.NewBilinear(1, 1, []float64{-1}, []float64{300}, false) // x ≥ 300
	if err != nil {
		t.Fatal(err)
	}
	r, err := (&primaldual.Constrained{Constraints: o, Primal: dro.L2{Mu: 1}}).Solve(t.Context(), nil)
	if err != nil || !(math.Abs(r.Multipliers[0]-300) <= 1) || !(r.Violation <= 1e-3) {
		t.Errorf("%v, %+v", err, r)
	}
	o, err = dro.NewBilinear(2, 1, []float64{-1, 1}, []float64{1, 1}, false) // x ≥ 1, x ≤ −1
	if err != nil {
		t.Fatal(err)
	}
	r, err = (&primaldual.Constrained{Constraints: o, Primal: dro.L2{Mu: 1}}).Solve(t.Context(), nil)
	if err == nil || r == nil || !(r.Violation >= 1) {
		t.Errorf("contradictory constraints: %v, %+v", err, r)
	}
}

// The constrained logistic regression agrees with bisection: the constraint x₁ ≤ 0.1 is active, so that the optimum has
// x₁ = 0.1, x₂ where the derivative vanishes, and the derivative in x₁ as the multiplier.
func TestConstrained_LogisticAgreesWithBisection(t *testing.T) {
	const n, d, mu, most = 60, 2, 0.5, 0.1
	rng := rand.New(rand.NewPCG(5, 6))
	rows, target := make([]float64, n*d), make([]float64, n)
	for j := range target {
		rows[2*j], rows[2*j+1], target[j] = rng.NormFloat64(), rng.NormFloat64(), 1
		if rows[2*j]+rng.NormFloat64() < 0 {
			target[j] = -1
		}
	}
	z, err := design.NewDense(n, d, rows)
	if err != nil {
		t.Fatal(err)
	}
	f, err := losses.NewLinear(losses.Logistic{}, z, target)
	if err != nil {
		t.Fatal(err)
	}
	constraint, err := dro.NewBilinear(1, d, []float64{1, 0}, []float64{-most}, false) // x₁ ≤ 0.1
	if err != nil {
		t.Fatal(err)
	}
	r, err := (&primaldual.Constrained{Objective: f, Constraints: constraint, Primal: dro.L2{Mu: mu}}).Solve(t.Context(),
		&dro.Options{RelativeGap: 1e-5})
	if err != nil || r.Result.Status != dro.Certified {
		t.Fatal(err, r)
	}
	gradient := func(x []float64) (g [2]float64) { // of f₀ + φ
		for j, v := range target {
			s := -v / (1 + math.Exp(v*(rows[2*j]*x[0]+rows[2*j+1]*x[1]))) / n
			g[0] += s * rows[2*j]
			g[1] += s * rows[2*j+1]
		}
		return [2]float64{g[0] + mu*x[0], g[1] + mu*x[1]}
	}
	low, high := -10.0, 10.0 // of x₂, at x₁ = 0.1
	for range 80 {
		if mid := (low + high) / 2; gradient([]float64{most, mid})[1] > 0 {
			high = mid
		} else {
			low = mid
		}
	}
	want := []float64{most, low}
	multiplier := -gradient(want)[0]
	if !(multiplier > 0.02) {
		t.Fatalf("the constraint is not active: %v", multiplier)
	}
	if !(math.Abs(r.Multipliers[0]-multiplier) <= 0.01) || !(math.Abs(r.X[0]-want[0]) <= 0.01) ||
		!(math.Abs(r.X[1]-want[1]) <= 0.01) {
		t.Errorf("X %v, multiplier %v, want %v and %v", r.X, r.Multipliers, want, multiplier)
	}
}

// Invalid problems are errors.
func TestConstrained_Refuses(t *testing.T) {
	wide, err := dro.NewBilinear(1, 3, []float64{1, 2, 3}, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]*primaldual.Constrained{
		"no constraints": {Primal: dro.L2{Mu: 1}}, "no regulariser": {Constraints: halfPlanes(t)},
		"negative bound": {Constraints: halfPlanes(t), Primal: dro.L2{Mu: 1}, Bound: -1},
		"parameters":     {Constraints: halfPlanes(t), Objective: wide, Primal: dro.L2{Mu: 1}},
	} {
		if r, err := p.Solve(t.Context(), nil); err == nil || r != nil {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}

// Both strategies of a game prove its value: 1/5 for a game of two strategies, within the bounds of every pure answer.
func TestMatrixGame_StrategiesProveValue(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	random := make([]float64, 12*9)
	for i := range random {
		random[i] = rng.NormFloat64()
	}
	for name, g := range map[string]*primaldual.MatrixGame{
		"two strategies": {Rows: 2, Columns: 2, Payoff: []float64{-1, 2, 1, -1}},
		"random":         {Rows: 12, Columns: 9, Payoff: random},
		"penalties":      {Rows: 12, Columns: 9, Payoff: random, Nu: 1e-9, Mu: 1e-9},
	} {
		r, err := g.Solve(t.Context(), &dro.Options{RelativeGap: 1e-2})
		if err != nil || r.Result.Status != dro.Certified {
			t.Fatal(name, err, r)
		}
		gain, loss := math.Inf(1), math.Inf(-1)
		for i := range g.Columns {
			sum := 0.0
			for j := range g.Rows {
				sum += r.Y[j] * g.Payoff[j*g.Columns+i]
			}
			gain = min(gain, sum)
		}
		for j := range g.Rows {
			sum := 0.0
			for i := range g.Columns {
				sum += g.Payoff[j*g.Columns+i] * r.X[i]
			}
			loss = max(loss, sum)
		}
		if !(gain >= r.Lower-1e-8) || !(loss <= r.Upper+1e-8) || !(r.Lower <= r.Upper) {
			t.Errorf("%s: Y gains %v, X loses %v, bounds [%v, %v]", name, gain, loss, r.Lower, r.Upper)
		}
		if name == "two strategies" && !(math.Abs(r.Lower-0.2) <= 0.01) {
			t.Errorf("%s: lower bound %v", name, r.Lower)
		}
	}
	if _, err := (&primaldual.MatrixGame{Rows: 1, Columns: 1, Payoff: []float64{1}, Nu: math.NaN()}).Solve(t.Context(),
		nil); err == nil {
		t.Error("a penalty of NaN is accepted")
	}
}

// Methods by blocks refuse games and constraints, on which they would take many times the passes of full, and name it.
func TestBlockMethods_RefuseGamesAndConstraints(t *testing.T) {
	game, err := dro.NewBilinear(2, 2, []float64{-1, 2, 1, -1}, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]*dro.Problem{
		"game":        {Oracle: game, Dual: dro.KL{Nu: 0.1}, Primal: dro.Entropy{Mu: 0.1}},
		"constraints": {Oracle: halfPlanes(t), Dual: primaldual.Box{Upper: 5, Nu: 0.1}, Primal: dro.L2{Mu: 1}},
		"orthant":     {Oracle: halfPlanes(t), Dual: primaldual.Orthant{Nu: 0.1, Cap: 5}, Primal: dro.L2{Mu: 1}},
	} {
		for _, m := range []dro.Method{primaldual.Stochastic{}, primaldual.SeparableBlock{}} {
			if _, err := dro.Solve(t.Context(), p, &dro.Options{Method: m}); err == nil ||
				!strings.Contains(err.Error(), "full (primaldual.FullVector)") {
				t.Errorf("%s on %s: %v", m.Name(), name, err)
			}
		}
		if r, err := dro.Solve(t.Context(), p, &dro.Options{Method: primaldual.FullVector{}}); err != nil ||
			r.Status != dro.Certified {
			t.Errorf("full on %s: %v, %v", name, r, err)
		}
	}
}

// The steps of the theory are those of the weights that the losses of the objective have, not of the largest
// multiplier.
func TestConstrained_CurvedObjectiveConverges(t *testing.T) {
	const n, d, m = 200, 10, 3
	rng := rand.New(rand.NewPCG(0, 1))
	draw := func(count int) []float64 {
		v := make([]float64, count)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return v
	}
	target := draw(n)
	for j, v := range target {
		target[j] = math.Copysign(1, v)
	}
	z, err := design.NewDense(n, d, draw(n*d))
	if err != nil {
		t.Fatal(err)
	}
	objective, err := losses.NewLinear(losses.Logistic{}, z, target)
	if err != nil {
		t.Fatal(err)
	}
	limits, err := dro.NewBilinear(m, d, draw(m*d), []float64{0.1, 0.1, 0.1}, false)
	if err != nil {
		t.Fatal(err)
	}
	p := primaldual.Constrained{Objective: objective, Constraints: limits, Primal: dro.L2{Mu: 0.1}}
	r, err := p.Solve(t.Context(), &dro.Options{RelativeGap: 1e-5, MaxPasses: 3000})
	if err != nil || r.Result.Status != dro.Certified || !(r.Violation <= 1e-4) {
		t.Errorf("%v after %v passes, gap %.3g, violation %.3g (%v)", r.Result.Status, r.Result.Passes,
			r.Result.Certificate.Relative(), r.Violation, err)
	}
}
