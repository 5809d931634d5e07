package tune

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/level"
)

// A Path is what is proved of the optimal objective of an adversary over rows at every
// price of its divergence, between those that were solved too (dro.Path). It is of the rows
// that the choice was made on, all of them.
type Path struct {
	Penalty string    `json:"penalty"` // kl or chi2
	Solved  []float64 `json:"solved"`  // the prices solved at, ascending
	Nu      []float64 `json:"nu"`      // ascending
	Upper   []float64 `json:"upper"`   // of the optimal objective at Nu
	Lower   []float64 `json:"lower"`
}

const (
	pathPoints = 60   // of a path
	pathWidth  = 1e-3 // relative width of the bracket that no further price is solved for
	pathMore   = 8    // prices solved beyond the candidates', at most
)

// paths brackets the optima of the adversaries over rows from their candidates, and from
// prices where the bracket is widest.
func (t *Table) paths(ctx context.Context, of []family, plain []float64) ([]Path, error) {
	oracle, err := losses.NewLinear(t.Loss, t.X, t.Target)
	if err != nil {
		return nil, err
	}
	var out []Path
	for _, f := range of {
		l := f.levels[0]
		if l.Nu == nil || l.Groupwise() {
			continue
		}
		at := func(nu float64) dro.Dual {
			dual, _ := level.Level{Nu: &nu, Penalty: l.Penalty}.Dual(t.Rows) // the weights are those of a choice made
			return dual
		}
		path := Path{Penalty: l.Penalty}
		known := dro.NewPath(&dro.Problem{Oracle: oracle, Primal: t.Primal}, at)
		x := plain
		solve := func(nu float64) error {
			next, _, err := t.solve(ctx, fmt.Sprintf("path, %s, %v", l.Penalty, nu), level.Level{Nu: &nu, Penalty: l.Penalty}, x)
			if err != nil {
				return err
			}
			loss, err := t.losses(next)
			if err != nil {
				return err
			}
			y := make([]float64, t.N)
			at(nu).BestResponseTo(y, loss)
			path.Solved = append(path.Solved, nu)
			x = next
			return known.Add(next, y)
		}
		for _, c := range f.levels {
			if err := solve(*c.Nu); err != nil {
				return nil, err
			}
		}
		low, high := slices.Min(path.Solved), slices.Max(path.Solved)
		for k := range pathPoints {
			path.Nu = append(path.Nu, low*math.Pow(high/low, float64(k)/(pathPoints-1)))
		}
		for more := 0; ; more++ {
			path.Upper, path.Lower = nil, nil
			widest, where := 0.0, 0.0
			for _, nu := range path.Nu {
				c, err := known.Between(nu)
				if err != nil {
					return nil, err
				}
				path.Upper, path.Lower = append(path.Upper, c.Upper), append(path.Lower, c.Lower)
				if w := c.Relative(); w > widest {
					widest, where = w, nu
				}
			}
			if widest <= pathWidth || more == pathMore {
				break
			}
			if err := solve(where); err != nil {
				return nil, err
			}
		}
		slices.Sort(path.Solved)
		out = append(out, path)
	}
	return out, nil
}
