package methods

import (
	"fmt"
	"math"
)

// epsilon counts iterations against the gap ε in the four cases of the theorems.
func (l *lab) epsilon() ([]Experiment, error) {
	n, d, block, modulus := 16, 8, 4, 0.1
	cases := []struct {
		name, title, claim string
		mu, nu, theorem    float64
		goal, quick        float64
		smooth             bool // logistic losses, x on the simplex, L > 0, instead of the game
	}{
		{"epsilon-mu-nu", "μ > 0, ν > 0, L = 0", "iterations grow as ln(1/ε)", modulus, modulus, 1, 1e-9, 1e-9, false},
		{"epsilon-mu", "μ > 0, ν = 0, L = 0", "iterations grow as 1/√ε", modulus, 0, 0.5, 1e-5, 1e-4, false},
		{"epsilon-nu", "μ = 0, ν > 0, L = 0", "iterations grow as 1/√ε", 0, modulus, 0.5, 1e-5, 1e-4, false},
		{"epsilon", "μ = 0, ν = 0, L = 0", "iterations grow as 1/ε", 0, 0, 1, 3e-4, 3e-3, false},
		{"epsilon-nu-smooth", "μ = 0, ν > 0, L > 0", "iterations grow as 1/ε at most", 0, modulus, 1, 3e-4, 3e-3, true},
	}
	var out []Experiment
	for _, c := range cases {
		l.progress("iterations against ε, " + c.title)
		linear := c.mu > 0 && c.nu > 0
		end := c.goal
		if l.quick {
			end = c.quick
		}
		in, what := newGame(powerScales(n, 0), d, c.mu, c.nu, l.seed+1), "least absolute deviations over the simplex as a matrix game"
		if c.smooth {
			in, what = newSimplexTraining(powerScales(n, 0), d, c.nu, l.seed+1), "logistic losses, x on the simplex, 0 ≤ y ≤ 1/n"
		}
		var jobs []*job
		for m := fullVector; m < theoryMethods; m++ {
			jobs = append(jobs, &job{in: in, method: m, block: block, goal: end})
		}
		if err := l.do(jobs); err != nil {
			return nil, err
		}
		e := Experiment{Name: c.name, Kind: Exponents, Title: "Iterations to ε, " + c.title, Short: c.title, Claim: c.claim,
			Problem: fmt.Sprintf("%s; n = %d, d = %d, N = %d; %s", what, n, d, n/block, gapText(linear)),
			X:       "ε, share of the first gap", Y: "iterations"}
		for _, j := range jobs {
			s := Series{Method: j.method.String()}
			for g := 0.3; g >= end*0.999; g /= math.Sqrt(math.Sqrt(10)) {
				if k := j.reach(g); k > 0 {
					s.X, s.Y = append(s.X, g), append(s.Y, k)
				}
			}
			s.judge(epsilonExponent(s.X, s.Y, linear), c.theorem)
			e.Series = append(e.Series, s)
		}
		out = append(out, e)
	}
	return out, nil
}

func gapText(linear bool) string {
	if linear {
		return "gap between the best bounds of the iterates"
	}
	return "gap of the weighted averages"
}

// epsilonExponent is the exponent of the iterations in 1/ε over the last decade
// and a half, or, if linear, that of the iterations beyond ε = 1e-3 in
// ln(1e-3/ε): 1 for a linear rate.
func epsilonExponent(eps, k []float64, linear bool) float64 {
	if len(eps) == 0 {
		return math.NaN()
	}
	var x, y []float64
	from := -1
	for i := range eps {
		if linear {
			switch {
			case from < 0 && eps[i] <= 1e-3:
				from = i
			case from >= 0 && eps[i] < eps[from]/30:
				x, y = append(x, math.Log(eps[from]/eps[i])), append(y, k[i]-k[from])
			}
		} else if eps[i] <= 32*eps[len(eps)-1] {
			x, y = append(x, 1/eps[i]), append(y, k[i])
		}
	}
	if len(x) < 3 {
		return math.NaN()
	}
	return exponent(x, y)
}

// sweep measures the iterations to the gap goal of every method on instances of
// growing difficulty x, beside the theorem's complexity.
func (l *lab) sweep(e Experiment, goal float64, points []point) (Experiment, error) {
	var jobs []*job
	for m := fullVector; m < theoryMethods; m++ {
		for _, p := range points {
			jobs = append(jobs, &job{in: p.in, method: m, block: p.block, goal: goal})
		}
	}
	if err := l.do(jobs); err != nil {
		return e, err
	}
	for m := fullVector; m < theoryMethods; m++ {
		s := Series{Method: m.String()}
		var measured, theorem []float64
		for i, p := range points {
			j := jobs[int(m)*len(points)+i]
			predicted := p.in.complexity(m, p.block, false, true)
			theorem = append(theorem, predicted)
			k := j.reach(goal)
			measured = append(measured, k)
			if !math.IsNaN(k) {
				s.X, s.Y, s.Predicted = append(s.X, p.x), append(s.Y, k), append(s.Predicted, predicted)
			}
		}
		xs := make([]float64, len(points))
		for i, p := range points {
			xs[i] = p.x
		}
		s.judge(exponent(xs, measured), exponent(xs, theorem))
		e.Series = append(e.Series, s)
	}
	return e, nil
}

// A point is an instance at the value x of the quantity varied.
type point struct {
	x     float64
	in    *instance
	block int
}

// sweepGoal is the gap, as a share of the first, of the sweeps over constants.
const sweepGoal = 1e-6

// mixed varies G/√(μν) with L = 0.
func (l *lab) mixed() ([]Experiment, error) {
	l.progress("iterations against G/√(μν)")
	var points []point
	for _, modulus := range logarithmic(0.3, 0.01, l.pointCount()) {
		in := newGame(powerScales(16, 0), 8, modulus, modulus, l.seed+1)
		points = append(points, point{in.blocks(4).g / modulus, in, 4})
	}
	e, err := l.sweep(Experiment{Name: "mixed", Kind: Exponents, Title: "Iterations against G/√(μν)", Short: "L = 0",
		Problem: "the matrix game with N = 4, μ = ν, L = 0; gap 1e-6 of the first",
		Claim:   "iterations grow as N + c·G/√(μν)", X: "G/√(μν)", Y: "iterations"}, sweepGoal, points)
	return []Experiment{e}, err
}

// primal varies L/μ with G/√(μν) small.
func (l *lab) primal() ([]Experiment, error) {
	l.progress("iterations against L/μ")
	var points []point
	for _, mu := range logarithmic(0.1, 0.001, l.pointCount()) {
		in := newTraining(powerScales(16, 0), 8, mu, 1e4, false, l.seed+1)
		points = append(points, point{in.blocks(4).l / mu, in, 4})
	}
	e, err := l.sweep(Experiment{Name: "primal", Kind: Exponents, Title: "Iterations against L/μ", Short: "G/√(μν) small",
		Problem: "robust training with dual-separable weights 0 ≤ y ≤ 1/n, N = 4, ν = 10⁴ so that L/μ dominates; gap 1e-6 of the first",
		Claim:   "iterations grow as N + c·L/μ", X: "L/μ", Y: "iterations"}, sweepGoal, points)
	return []Experiment{e}, err
}

// blocks varies the number of blocks N on one instance.
func (l *lab) blocks() ([]Experiment, error) {
	l.progress("iterations against N")
	n := 32
	if l.quick {
		n = 16
	}
	in := newGame(powerScales(n, 0), 8, 0.1, 0.1, l.seed+1)
	var points []point
	for blocks := 2; blocks <= n; blocks *= 2 {
		points = append(points, point{float64(blocks), in, n / blocks})
	}
	e, err := l.sweep(Experiment{Name: "blocks", Kind: Exponents, Title: "Iterations against N", Short: "rows of equal scale",
		Problem: fmt.Sprintf("the matrix game with n = %d rows of equal scale, μ = ν = 0.1; gap 1e-6 of the first", n),
		Claim:   "iterations grow as the theorem's constants with N", X: "N, number of blocks", Y: "iterations"}, sweepGoal, points)
	return []Experiment{e}, err
}

func (l *lab) pointCount() int {
	if l.quick {
		return 4
	}
	return 7
}

// logarithmic returns k values from a to b, evenly in the logarithm.
func logarithmic(a, b float64, k int) []float64 {
	out := make([]float64, k)
	for i := range out {
		out[i] = a * math.Pow(b/a, float64(i)/float64(k-1))
	}
	return out
}
