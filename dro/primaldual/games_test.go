package primaldual_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/newton"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// A generator draws the same numbers as that of testdata/games.py, uniform in [−1/2, 1/2).
type generator uint64

func (g *generator) draw() float64 {
	*g = *g*6364136223846793005 + 1442695040888963407
	return float64(*g>>40)/(1<<24) - 0.5
}

// matrix returns n·d entries.
func (g *generator) matrix(n, d int, entry func(v float64) float64) []float64 {
	a := make([]float64, n*d)
	for i := range a {
		a[i] = entry(g.draw())
	}
	return a
}

// A gameCase is a matrix game or a linear program of testdata/games.json, which testdata/games.py wrote.
type gameCase struct {
	Kind          string
	Rows, Columns int
	Seed          generator
	Value         float64
}

func gameCases(t *testing.T) (cases []gameCase) {
	t.Helper()
	raw, err := os.ReadFile("testdata/games.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

func timesFour(v float64) float64 { return 4 * v }

// payoff returns the matrix of a game.
func (c gameCase) payoff(t *testing.T) []float64 {
	t.Helper()
	g, n, d := c.Seed, c.Rows, c.Columns
	switch c.Kind {
	case "random":
		return g.matrix(n, d, timesFour)
	case "positive":
		return g.matrix(n, d, func(v float64) float64 { return v + 0.5 })
	case "sparse":
		return g.matrix(n, d, func(v float64) float64 {
			if math.Abs(v) < 0.05 {
				return 40 * v
			}
			return 0
		})
	case "ties":
		half := g.matrix(n/2, d, func(v float64) float64 { return math.RoundToEven(2 * v) })
		return slices.Concat(half, half)
	}
	a := make([]float64, n*d)
	switch c.Kind {
	case "low rank":
		left, right := g.matrix(n, 2, timesFour), g.matrix(2, d, timesFour)
		for k := range a {
			a[k] = left[k/d*2]*right[k%d] + left[k/d*2+1]*right[d+k%d]
		}
	case "diagonal":
		for j := range n {
			a[j*d+j] = math.Pow(10, -2*float64(j)/float64(n-1))
		}
	case "cyclic":
		for j := range n {
			for i := range j {
				a[j*n+i] = math.Copysign(1+g.draw(), float64((n-1)/2-(j-i))+0.5)
				a[i*n+j] = -a[j*n+i]
			}
		}
	default:
		t.Fatalf("unknown game %q", c.Kind)
	}
	return a
}

// Games and linear programs without penalties are solved to gaps of a millionth that contain the values of another
// solver, in a few thousand passes; without restarts they take many times that.
func TestFullVector_SolvesGames(t *testing.T) {
	for _, c := range gameCases(t) {
		o := &dro.Options{RelativeGap: 1e-9, MaxPasses: 4000}
		var bounds dro.Certificate
		if c.Kind == "linear program" {
			g := c.Seed
			cost := g.matrix(1, c.Columns, timesFour)
			rows, shift := g.matrix(c.Rows, c.Columns, timesFour), make([]float64, c.Rows)
			for k, v := range rows { // the centre of the simplex satisfies the constraints
				shift[k/c.Columns] -= v / float64(c.Columns)
			}
			for j := range shift {
				shift[j] -= 0.1
			}
			p := primaldual.Constrained{Objective: bilinear(t, 1, c.Columns, cost, nil),
				Constraints: bilinear(t, c.Rows, c.Columns, rows, shift), Primal: dro.Entropy{}}
			r, err := p.Solve(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if !(r.Violation <= 1e-6) || !(math.Abs(r.Objective-c.Value) <= 1e-5) {
				t.Errorf("%s %d × %d: objective %v, violation %v; the optimum is %v", c.Kind, c.Rows, c.Columns, r.Objective,
					r.Violation, c.Value)
			}
			bounds = r.Result.Certificate
		} else {
			g := primaldual.MatrixGame{Rows: c.Rows, Columns: c.Columns, Payoff: c.payoff(t)}
			r, err := g.Solve(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			bounds = r.Result.Certificate
		}
		if !(bounds.Gap() <= 1e-6) || !(bounds.Lower <= c.Value+1e-9) || !(bounds.Upper >= c.Value-1e-9) {
			t.Errorf("%s %d × %d: bounds %v and %v (gap %.2g); the value is %v", c.Kind, c.Rows, c.Columns, bounds.Lower,
				bounds.Upper, bounds.Gap(), c.Value)
		}
	}
}

// Small penalties make the steps to the boundary of the simplex long, but not too long.
func TestFullVector_SolvesGamesWithSmallPenalties(t *testing.T) {
	for _, c := range gameCases(t) {
		if c.Kind == "linear program" {
			continue
		}
		g := primaldual.MatrixGame{Rows: c.Rows, Columns: c.Columns, Payoff: c.payoff(t), Nu: 1e-3, Mu: 1e-3}
		r, err := g.Solve(t.Context(), &dro.Options{RelativeGap: 1e-9, MaxPasses: 2000})
		if err != nil {
			t.Fatal(err)
		}
		// the penalties change the value by at most their largest values
		most := 1e-3 * math.Log(float64(max(c.Rows, c.Columns)))
		if gap := r.Result.Certificate.Gap(); !(gap <= 1e-5) || !(math.Abs(r.Upper-c.Value) <= most) {
			t.Errorf("%s %d × %d: bounds %v and %v (gap %.2g) after %v passes", c.Kind, c.Rows, c.Columns, r.Lower, r.Upper, gap,
				r.Result.Passes)
		}
	}
}

// Where no Hessian can be formed since there are too many columns, the balance of the steps follows the curvature of
// the losses.
func TestFullVector_SolvesWideProblems(t *testing.T) {
	s := drotest.NewSample(drotest.RngOf(115), 60, newton.MaxColumns+1, false)
	for _, dual := range []dro.Dual{dro.KL{Nu: 0.1}, dro.CVaR{Alpha: 0.3}} {
		p := &dro.Problem{Oracle: s.Oracle(t, losses.Huber{Delta: 1}), Dual: dual, Primal: dro.L2{Mu: 1}}
		r, err := dro.Solve(t.Context(), p, &dro.Options{Method: primaldual.FullVector{}, RelativeGap: 1e-5, MaxPasses: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != dro.Certified {
			t.Errorf("%T: %v with a gap of %.2g", dual, r.Status, r.Certificate.Relative())
		}
	}
}

// bilinear returns the oracle of A x + b.
func bilinear(t *testing.T, n, d int, a, b []float64) dro.Oracle {
	t.Helper()
	o, err := dro.NewBilinear(n, d, a, b, false)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// The value of a diagonal game is 1/Σ 1/a_i, where both players mix the strategies in proportion to 1/a_i.
func TestMatrixGame_DiagonalHasClosedForm(t *testing.T) {
	const n = 12
	a, sum := make([]float64, n*n), 0.0
	for i := range n {
		a[i*n+i] = 0.2 + float64(i*i)/30
		sum += 1 / a[i*n+i]
	}
	r, err := (&primaldual.MatrixGame{Rows: n, Columns: n, Payoff: a}).Solve(t.Context(), &dro.Options{RelativeGap: 1e-10})
	if err != nil || r.Result.Status != dro.Certified {
		t.Fatal(err, r)
	}
	if !(r.Lower <= 1/sum) || !(r.Upper >= 1/sum) {
		t.Errorf("bounds %v and %v of the value %v", r.Lower, r.Upper, 1/sum)
	}
	for i := range n {
		want := 1 / a[i*n+i] / sum
		if !(math.Abs(r.X[i]-want) <= 1e-7) || !(math.Abs(r.Y[i]-want) <= 1e-7) {
			t.Errorf("strategy %d: %v and %v, want %v", i, r.X[i], r.Y[i], want)
		}
	}
}

// The restarts, steps and balance of full do not depend on the number of threads.
func TestFullVector_ThreadsChangeNoBit(t *testing.T) {
	s := drotest.NewSample(drotest.RngOf(114), 20_000, 4, false)
	p := &dro.Problem{Oracle: s.Oracle(t, losses.Squared{}), Dual: dro.CVaR{Alpha: 0.1}, Primal: dro.L2{Mu: 0.1}}
	var first *dro.Result
	for _, threads := range []int{1, 2, 5} {
		r, err := dro.Solve(context.Background(), p, &dro.Options{Method: primaldual.FullVector{}, MaxPasses: 60,
			RelativeGap: 1e-12, Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = r
		}
		if !slices.Equal(r.X, first.X) || !slices.Equal(r.Weights, first.Weights) || r.Certificate != first.Certificate {
			t.Errorf("%d threads: %v, %v", threads, r.X, first.X)
		}
	}
}
