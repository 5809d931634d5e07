package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/primaldual"
)

func init() {
	register("games", "passes of the full vector method on matrix games and constrained problems", games)
}

// A payoff is the matrix of a game, whose entries are of size 1.
type payoff struct {
	name string
	n, d int
	a    []float64
}

// drawPayoff returns the matrix with the given entries.
func drawPayoff(name string, n, d int, entry func(j, i int) float64) payoff {
	p := payoff{name, n, d, make([]float64, n*d)}
	for j := range n {
		for i := range d {
			p.a[j*d+i] = entry(j, i)
		}
	}
	return p
}

// payoffs returns games of different kinds: random, skew, ill-conditioned, with ties, sparse, of low rank, and one
// with an equilibrium of pure strategies.
func payoffs(seed uint64) []payoff {
	rng := rand.New(rand.NewPCG(seed, 0x67616d65))
	normal := func(int, int) float64 { return rng.NormFloat64() }
	skew := func(name string, n int, entry func(j, i int) float64) payoff {
		p := drawPayoff(name, n, n, func(int, int) float64 { return 0 })
		for j := range n {
			for i := range j {
				p.a[j*n+i] = entry(j, i)
				p.a[i*n+j] = -p.a[j*n+i]
			}
		}
		return p
	}
	left, right := drawPayoff("", 100, 3, normal), drawPayoff("", 3, 80, normal)
	ties := drawPayoff("ties 80 × 60", 80, 60, func(int, int) float64 { return float64(rng.IntN(3) - 1) })
	copy(ties.a[60*60:], ties.a[:20*60]) // the last 20 rows repeat the first
	pure := drawPayoff("pure 60 × 60", 60, 60, func(int, int) float64 { return rng.Float64() })
	for k := range 60 {
		pure.a[7*60+k]++
		pure.a[k*60+3] = min(pure.a[k*60+3], 1)
	}
	pure.a[7*60+3] = 1
	return []payoff{
		drawPayoff("random 60 × 40", 60, 40, normal),
		drawPayoff("random 200 × 100", 200, 100, normal),
		drawPayoff("positive 100 × 100", 100, 100, func(int, int) float64 { return rng.Float64() }),
		skew("rock-paper-scissors 51", 51, func(j, i int) float64 { // each strategy beats the 25 before it
			return math.Copysign(0.5+rng.Float64(), 25.5-float64(j-i))
		}),
		skew("skew 80 × 80", 80, normal),
		drawPayoff("diagonal 30 × 30", 30, 30, func(j, i int) float64 {
			if i != j {
				return 0
			}
			return math.Pow(10, -2*float64(j)/29)
		}),
		ties,
		drawPayoff("sparse 300 × 200", 300, 200, func(int, int) float64 {
			if rng.IntN(20) > 0 {
				return 0
			}
			return rng.NormFloat64()
		}),
		drawPayoff("rank 3, 100 × 80", 100, 80, func(j, i int) float64 {
			s := 0.0
			for k := range 3 {
				s += left.a[j*3+k] * right.a[k*80+i]
			}
			return s
		}),
		pure,
	}
}

// passesTo returns the passes after which solve has proved each absolute gap; +Inf if the solve ends before.
func passesTo(gaps []float64, solve func(ctx context.Context, o *dro.Options) error) ([]float64, error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	passes := slices.Repeat([]float64{math.Inf(1)}, len(gaps))
	err := solve(ctx, &dro.Options{RelativeGap: 1e-13, MaxPasses: 10000, Observe: func(c dro.Check) {
		for i, gap := range gaps {
			if c.Gap() <= gap {
				passes[i] = min(passes[i], c.Passes)
			}
		}
		if !math.IsInf(slices.Max(passes), 1) {
			stop()
		}
	}})
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return passes, err
}

// games prints the passes of FullVector to gaps of 1e-4 and 1e-6 on games with and without penalties, and on
// linear and quadratic programs.
func games(_ context.Context, fs *flag.FlagSet, args []string) error {
	seed := fs.Uint64("seed", 1, "seed of the games and the constraints")
	if err := parse(fs, args); err != nil {
		return err
	}
	gaps := []float64{1e-4, 1e-6}
	show := func(passes []float64, err error) error {
		for _, p := range passes {
			fmt.Printf(" %8.0f", p)
		}
		return err
	}
	fmt.Printf("%-24s %17s %17s %17s %17s\n", "passes to 1e-4 and 1e-6", "μ = ν = 0", "ν = 0.1", "μ = ν = 0.1",
		"μ = ν = 0.001")
	for _, p := range payoffs(*seed) {
		fmt.Printf("%-24s", p.name)
		for _, pen := range [][2]float64{{0, 0}, {0.1, 0}, {0.1, 0.1}, {0.001, 0.001}} {
			g := primaldual.MatrixGame{Rows: p.n, Columns: p.d, Payoff: p.a, Nu: pen[0], Mu: pen[1]}
			if err := show(passesTo(gaps, func(ctx context.Context, o *dro.Options) error {
				_, err := g.Solve(ctx, o)
				return err
			})); err != nil {
				return err
			}
		}
		fmt.Println()
	}
	fmt.Printf("%-24s %17s %17s\n", "", "linear, simplex", "quadratic, μ = 1")
	rng := rand.New(rand.NewPCG(*seed, 0x6c70))
	for _, size := range [][2]int{{3, 10}, {60, 10}, {300, 10}, {20, 60}} {
		m, d := size[0], size[1]
		rows, shift, cost := make([]float64, m*d), make([]float64, m), make([]float64, d)
		for i := range rows {
			rows[i] = rng.NormFloat64()
		}
		for i := range cost {
			cost[i] = rng.NormFloat64()
		}
		for j := range shift { // the centre of the simplex is feasible by 0.1
			for i := range d {
				shift[j] -= rows[j*d+i] / float64(d)
			}
			shift[j] -= 0.1
		}
		limits, err := dro.NewBilinear(m, d, rows, shift, false)
		if err != nil {
			return err
		}
		linear, err := dro.NewBilinear(1, d, cost, nil, false)
		if err != nil {
			return err
		}
		fmt.Printf("%d constraints, d = %d   ", m, d)
		for _, primal := range []dro.Primal{dro.Entropy{}, dro.L2{Mu: 1}} {
			p := primaldual.Constrained{Objective: linear, Constraints: limits, Primal: primal, Bound: 10}
			if err := show(passesTo(gaps, func(ctx context.Context, o *dro.Options) error {
				o.Method = primaldual.FullVector{}
				_, err := p.Solve(ctx, o)
				return err
			})); err != nil {
				return err
			}
		}
		fmt.Println()
	}
	return nil
}
