package tune

import (
	"context"
	"fmt"
	"math"
)

// A CurvePoint is the risk of a level that is fitted to a part of the rows, estimated out of fold or on the validation
// rows. All points are estimated on the same rows.
type CurvePoint struct {
	Name         string   `json:"name"` // name of the level
	Rows         int      `json:"rows"` // number of rows to which the level was fitted, averaged over the folds
	Average      float64  `json:"average"`
	SE           float64  `json:"se"`
	WorstGroup   *float64 `json:"worst_group,omitempty"` // largest mean loss of an eligible group
	WorstGroupSE *float64 `json:"worst_group_se,omitempty"`
}

const (
	curvePoints  = 5  // maximum number of points for each level; each has twice as many rows as the preceding one
	minCurveRows = 50 // minimum number of rows of a part
)

// learningCurve returns the risks of ERM and then of the chosen level, for increasing numbers of rows to which they are
// fitted. It omits the chosen level if it is ERM or is fitted to validation rows.
func (c *selectionRun) learningCurve(ctx context.Context) ([]CurvePoint, error) {
	levels := []*Candidate{&c.Candidates[0]}
	if c.Chosen > 0 && c.Best().Family != validationFamily {
		levels = append(levels, c.Best())
	}
	var curve []CurvePoint
	for _, candidate := range levels {
		for k := curvePoints - 1; k >= 0; k-- {
			if c.fittedRows()>>k < minCurveRows {
				continue
			}
			loss, rows, err := c.partLosses(ctx, candidate, k)
			if err != nil {
				return nil, fmt.Errorf("learning curve of %s, 1/%d of the rows: %w", candidate.Name, 1<<k, err)
			}
			curve = append(curve, c.curvePoint(candidate.Name, rows, loss))
		}
	}
	return curve, nil
}

// partLosses returns the losses of the measured rows under a candidate that is fitted to 1/2^k of the rows of the other
// folds (or of the table, if there are validation rows), and the mean number of the fitted rows.
func (c *selectionRun) partLosses(ctx context.Context, of *Candidate, k int) (loss []float64, rows int, err error) {
	loss = make([]float64, c.measured.N)
	for fold := range c.run.folds {
		all, rest, heldOut, free := c.run.split(fold)
		defer free()
		part := *all
		if k > 0 {
			part = *all.Select(all.sample(all.N>>k, c.options.Seed+uint64(fold)))
		}
		rows += part.N
		if part.Primal.Mu = of.Mu; c.options.Ridge { // μ is a multiple of 1/n
			part.Primal.Mu *= float64(all.N) / float64(part.N)
		}
		x, _, err := part.solveOrLoad(ctx, fmt.Sprintf("curve, %v, 1/%d, fold %d", of.Level, 1<<k, fold+1), of.Level, nil)
		if err != nil {
			return nil, 0, err
		}
		own, err := rest.lossesAt(x)
		if err != nil {
			return nil, 0, err
		}
		for i, j := range heldOut {
			loss[j] = own[i]
		}
	}
	return loss, rows / c.run.folds, nil
}

// fittedRows returns the number of rows to which a fold fits models.
func (c *selectionRun) fittedRows() int {
	if c.measured != c.table {
		return c.table.N
	}
	return c.table.N * (c.Folds - 1) / c.Folds
}

// curvePoint returns the point of a level fitted to rows rows, given the losses of all measured rows.
func (c *selectionRun) curvePoint(name string, rows int, loss []float64) CurvePoint {
	average := c.measure.average(loss)
	p := CurvePoint{Name: name, Rows: rows, Average: average.value}
	for _, v := range average.influence {
		p.SE += v * v
	}
	p.SE = math.Sqrt(p.SE)
	if c.measure.countEligible() == 0 {
		return p
	}
	mean, variance := c.measure.groupMeans(loss)
	worst := 0
	for g, v := range mean {
		if v > mean[worst] {
			worst = g
		}
	}
	se := math.Sqrt(variance[worst])
	p.WorstGroup, p.WorstGroupSE = &mean[worst], &se
	return p
}
