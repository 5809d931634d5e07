package hunt

import (
	"context"
	"slices"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/losses"
)

// everywhere reports that a method and an adversary are for rows that lie with several ranks.
func everywhere(m dro.Method, dual dro.Dual) bool {
	e, runs := m.(interface{ RunsEverywhere() bool })
	_, ranked := dual.(dro.Ranked)
	return runs && ranked && e.RunsEverywhere()
}

// onRanks solves with the rows dealt to so many ranks, in shards of a row or more, and
// returns the result of the first of them.
func (c *Case) onRanks(ctx context.Context, size int, m dro.Method, settings dro.Settings) (res *dro.Result, err error) {
	const shards = 5
	results, y := make([]*dro.Result, size), make([]float64, c.N)
	errs := make([]error, size)
	err = ranks.Run(size, func(comm ranks.Comm) error {
		rows := ranks.NewRowsIn(comm, c.N, min(c.N, shards))
		lo, hi := rows.Here(c.N)
		here, err := design.NewDense(hi-lo, c.D, slices.Clone(c.Rows[lo*c.D:hi*c.D]))
		if err != nil {
			return err
		}
		z, err := design.NewDealt(rows, c.N, here)
		if err != nil {
			return err
		}
		loss, err := losses.Parse(c.Loss, c.Delta)
		if err != nil {
			return err
		}
		o, err := losses.NewLinear(loss, z, c.Target)
		if err != nil {
			return err
		}
		dual, err := c.dual()
		if err != nil {
			return err
		}
		p := &dro.Problem{Oracle: o, Dual: dual, Primal: dro.L2{Mu: c.Mu, Intercept: c.Intercept}}
		k := comm.Rank()
		if results[k], errs[k] = dro.Solve(ctx, p, m, settings); results[k] != nil {
			copy(y[lo:hi], results[k].Y[lo:hi])
		}
		return nil
	})
	if res = results[0]; res != nil {
		res.Y = y
	}
	if err == nil {
		err = errs[0]
	}
	return res, err
}
