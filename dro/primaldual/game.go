package primaldual

import (
	"context"
	"fmt"

	"github.com/drotrain/drotrain/dro"
)

// A MatrixGame is
//
//	min over x, max over y of  yᵀA x − Nu·KL(y ‖ 1/n) + Mu·KL(x ‖ 1/d)
//
// over mixed strategies: x ≥ 0 of sum 1 over d columns, y ≥ 0 of sum 1 over n rows.
type MatrixGame struct {
	Rows, Columns int
	Payoff        []float64 // row-major matrix A of the payments from the column player to the row player
	Nu, Mu        float64   // ≥ 0; if both are 0, the game is not regularised
}

// A GameResult is an approximate equilibrium of a MatrixGame. Its field Result is the result of dro.Solve.
type GameResult struct {
	// mixed strategies: X of the column player, who minimises, and Y of the row player, who maximises
	X, Y []float64

	// Lower and Upper bound the value of the game. Y gains at least Lower against every x, and X loses at most Upper
	// against every y.
	Lower, Upper float64

	Result *dro.Result
}

// Solve solves g with the options of dro.Solve; nil means the defaults. If o names no method, it uses FullVector.
func (g *MatrixGame) Solve(ctx context.Context, o *dro.Options) (*GameResult, error) {
	if !(g.Nu >= 0) || !(g.Mu >= 0) {
		return nil, fmt.Errorf("dro: MatrixGame.Nu is %v and MatrixGame.Mu is %v; both must be ≥ 0", g.Nu, g.Mu)
	}
	oracle, err := dro.NewBilinear(g.Rows, g.Columns, g.Payoff, nil, true)
	if err != nil {
		return nil, err
	}
	var s dro.Options
	if o != nil {
		s = *o
	}
	if s.Method == nil {
		s.Method = FullVector{}
	}
	s.KeepDual = true
	r, err := dro.Solve(ctx, &dro.Problem{Oracle: oracle, Dual: dro.KL{Nu: g.Nu}, Primal: dro.Entropy{Mu: g.Mu}}, &s)
	if r == nil {
		return nil, err
	}
	return &GameResult{X: r.X, Y: provingWeights(r), Lower: r.Certificate.Lower, Upper: r.Certificate.Upper, Result: r},
		err
}
