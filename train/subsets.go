package train

import (
	"context"
	"fmt"
	"time"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
)

// subsetsTable returns the rows from which balanced subsets are drawn: the training rows or the validation rows.
func (m *Model) subsetsTable() *tune.Table {
	if m.Config.Average == level.ValidationSubsets {
		return m.validationTable()
	}
	return m.tuneTable(m.Run.Train)
}

// solveSubsets trains ERM on each balanced subset of the training rows, or of the validation rows, and returns the
// mean of the solutions. Objective, risk and bounds are means over the subsets; the certificate bounds the mean of the
// optimality gaps, each on its own subset. Passes and elapsed time are sums; a pass over a subset counts as its
// proportion of the rows. The result is certified if all solutions are. The weight of a row is the mean of its weights
// in the subsets.
func (m *Model) solveSubsets(ctx context.Context, began time.Time) (*dro.Result, error) {
	table, of := m.subsetsTable(), ""
	if m.Config.Average == level.ValidationSubsets {
		of = " of the validation set"
	}
	subsets, err := level.Subsets(table.Rows)
	if err != nil {
		return nil, err
	}
	m.Averaged = nil
	mean := &dro.Result{Status: dro.Certified, Weights: make([]float64, table.N)}
	share := 1 / float64(len(subsets))
	for k, rows := range subsets {
		part := table.Select(rows)
		oracle, err := part.Oracle()
		if err != nil {
			return nil, err
		}
		s := m.solverOptions("robust", began)
		p := &dro.Problem{Oracle: oracle, Dual: dro.Uniform{}, Primal: m.regulariser()}
		res, err := m.solveOrResume(ctx, fmt.Sprintf("subset %d%s", k+1, of), p, nil, s)
		if err != nil {
			return nil, m.nameColumn(err)
		}
		if mean.X == nil {
			mean.X = make([]float64, len(res.X))
		}
		m.Averaged = append(m.Averaged, res.X)
		for i, v := range res.X {
			mean.X[i] += share * v
		}
		for _, j := range rows {
			mean.Weights[j] += share / float64(len(rows))
		}
		mean.Objective += share * res.Objective
		mean.Risk += share * res.Risk
		mean.Certificate.Upper += share * res.Certificate.Upper
		mean.Certificate.Lower += share * res.Certificate.Lower
		mean.Passes += res.Passes * float64(len(rows)) / float64(table.N)
		mean.Elapsed += res.Elapsed
		if res.Status != dro.Certified {
			mean.Status = res.Status
		}
	}
	m.addNotes(fmt.Sprintf(
		"the model is the mean of %d models, each trained on %d rows%s, with the same number from every group; the bounds of "+
			"the certificate are means over these models, each on its own subset",
		len(subsets), len(subsets[0]), of))
	return mean, nil
}
