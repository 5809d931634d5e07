package value

import (
	"context"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
)

// What is to be had where a group follows another law: no models to have.
const (
	// Fitted to the rows held out, with their groups:
	Floor  = "least of all linear models"
	Oracle = "best at the rate"
	// to freshRows more rows of a table that is drawn, with their groups, where it is small:
	FreshFloor  = "least, of more rows"
	FreshOracle = "best at the rate, of more rows"
	// and of the candidates of the choice, all trained as the one chosen, the best on the rows held out:
	HindsightFloor  = "least of the candidates"
	HindsightOracle = "best candidate at the rate"
)

const (
	mostFew   = 5000   // rows of a table of which a quarter says too little of what is to be had
	freshRows = 20_000 // drawn for it
)

// fresh are freshRows more rows of a table of so many, encoded as those of a split.
func (t *Table) fresh(ctx context.Context, rows int, seed uint64) (*data.Dataset, error) {
	f, err := t.more(ctx, rows+freshRows)
	if err != nil {
		return nil, err
	}
	of, _, err := data.Split(rows, 0.25, seed)
	if err != nil {
		return nil, err
	}
	beyond := make([]int, freshRows)
	for i := range beyond {
		beyond[i] = rows + i
	}
	fitted, err := t.fit(ctx, f, of, beyond, seed)
	if err != nil {
		return nil, err
	}
	return fitted.Holdout, nil
}

// gain is what r is worth at the rate, beside the plain average.
func (s *splitOf) gain(plain, r *Row) float64 {
	return plain.Worst - r.Worst - s.options.Rate*max(0, r.Average-plain.Average)
}

// oracles adds what a linear model could reach at most: fitted to these rows, held out or of
// the same laws, by their groups, at any price and at the rate of the choice.
func (s *splitOf) oracles(ctx context.Context, d *data.Dataset, group []int32, atRate, least string) error {
	last := d.Groups[len(d.Groups)-1]
	t := &tune.Table{Rows: level.Rows{N: d.N, Group: group, Labels: last.Labels}, X: d.X, Target: d.Target, Loss: s.loss, Primal: s.table.Primal}
	t.Primal.Mu = 1e-4 / float64(d.N)
	plain, err := s.rowOf(ERM, s.plain, d, group)
	if err != nil {
		return err
	}
	var best, floor *Row // as the rows fitted say
	var bestX, floorX []float64
	for _, share := range []float64{1, 0.3, 0.1, 0.03, 0.01, 0.001} { // as the candidates, and beyond
		x, err := solve(ctx, t, level.Level{Nu: level.At(share * plain.Average), Penalty: "kl", Adversary: "groups", Prior: "shares"})
		if err != nil {
			return err
		}
		r, err := s.rowOf("", x, d, group)
		if err != nil {
			return err
		}
		if best == nil || s.gain(plain, r) > s.gain(plain, best) {
			best, bestX = r, x
		}
		if floor == nil || r.Worst < floor.Worst {
			floor, floorX = r, x
		}
	}
	for _, m := range []struct {
		name string
		x    []float64
	}{{atRate, bestX}, {least, floorX}} {
		r, err := s.row(m.name, m.x)
		if err != nil {
			return err
		}
		s.common = append(s.common, *r)
	}
	return nil
}

// hindsight are the best of the candidates, as the rows held out say that nobody has who chooses.
func (s *splitOf) hindsight(ctx context.Context, c *tune.Selection, rows level.Rows) ([]Row, error) {
	plain := &s.common[0]
	best, floor := *plain, *plain
	for _, of := range c.Candidates {
		r, err := s.add(ctx, HindsightOracle, of.Level, rows, c.Mu)
		if err != nil {
			return nil, err
		}
		if s.gain(plain, r) > s.gain(plain, &best) {
			best = *r
		}
		if r.Worst < floor.Worst {
			floor = *r
		}
	}
	best.Model, floor.Model = HindsightOracle, HindsightFloor
	return []Row{best, floor}, nil
}
