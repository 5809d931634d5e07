package tune

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/train/level"
)

// A Path bounds the optimal objective of an adversary over rows for every penalty coefficient (dro.Path).
type Path struct {
	Penalty dro.Divergence `json:"penalty"`
	Solved  []float64      `json:"solved"` // coefficients that were solved for, ascending
	Nu      []float64      `json:"nu"`     // ascending
	Upper   []float64      `json:"upper"`  // upper bounds of the optimal objective at Nu
	Lower   []float64      `json:"lower"`
}

const (
	pathPoints = 60   // number of points of a path
	pathWidth  = 1e-3 // relative distance of the bounds below which no further ν is solved
	pathMore   = 8    // maximum number of ν that are solved in addition to those of the candidates
)

// boundPaths bounds the optima of the adversary over rows at all penalty coefficients between those of its candidates.
// It solves for the coefficients of the candidates, and for further ones where the bounds are farthest apart. x is the
// solution of ERM. It returns nil if no candidate has an adversary over rows.
func (t *Table) boundPaths(ctx context.Context, of []Candidate, x []float64) ([]Path, error) {
	var solve []float64
	var mu float64 // the μ of all candidates
	for _, c := range of {
		if c.Family == rowsFamily {
			solve, mu = append(solve, *c.Level.Nu), c.Mu
		}
	}
	if solve == nil {
		return nil, nil
	}
	oracle, err := t.Oracle()
	if err != nil {
		return nil, err
	}
	same := *t
	t = &same
	t.Primal.Mu = mu
	at := func(nu float64) dro.Dual {
		dual, _ := level.Level{Nu: &nu, Penalty: dro.PearsonChi2}.Dual(t.Rows) // its weights served the choice
		return dual
	}
	path := Path{Penalty: dro.PearsonChi2}
	known := dro.NewPath(&dro.Problem{Oracle: oracle, Primal: t.Primal}, at)
	low, high := slices.Min(solve), slices.Max(solve)
	for k := range pathPoints {
		path.Nu = append(path.Nu, low*math.Pow(high/low, float64(k)/(pathPoints-1)))
	}
	for more := 0; ; more++ {
		for _, nu := range solve {
			if x, _, err = t.solveOrLoad(ctx, fmt.Sprintf("path, chi2, %v", nu), level.Level{Nu: &nu, Penalty: dro.PearsonChi2},
				x); err != nil {
				return nil, err
			}
			loss, err := t.lossesAt(x)
			if err != nil {
				return nil, err
			}
			y := make([]float64, t.N)
			at(nu).BestResponseTo(y, loss)
			path.Solved = append(path.Solved, nu)
			if err := known.Add(x, y); err != nil {
				return nil, err
			}
		}
		path.Upper, path.Lower = nil, nil
		widest := 0.0
		for _, nu := range path.Nu {
			c, err := known.BoundsAt(nu)
			if err != nil {
				return nil, err
			}
			path.Upper, path.Lower = append(path.Upper, c.Upper), append(path.Lower, c.Lower)
			if w := c.Relative(); w > widest {
				widest, solve = w, []float64{nu}
			}
		}
		if widest <= pathWidth || more == pathMore {
			break
		}
	}
	slices.Sort(path.Solved)
	return []Path{path}, nil
}
