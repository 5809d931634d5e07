package train

import (
	"errors"
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/internal/shard"
)

// errNoWeights reports that the adversary's weights are unknown.
var errNoWeights = errors.New(
	"the adversary's weights are available only after training in one process with Config.KeepRows")

// AdversaryWeights returns the adversary's weight for every training row as columns, sorted by row. The columns are
// row (the row number in the table, counted from 1), weight (relative to the average over the training rows) and,
// if there are groups, group. The weights include the sample weights. It returns an error if the weights are unknown,
// because the model was loaded, was trained without Config.KeepRows, or has its rows on several ranks.
func (m *Model) AdversaryWeights() ([]data.Column, error) {
	r := m.Run
	if r == nil || r.Weights == nil || r.rows != nil {
		return nil, errNoWeights
	}
	n := r.Train.N
	place := make([]int, slices.Max(r.Train.Rows)+1) // index in the sample of each row, counted from 1
	for j, row := range r.Train.Rows {
		place[row] = j + 1
	}
	row := data.Column{Name: "row", Kind: data.Numeric, Type: "int64", Integer: true, Number: make([]float64, 0, n)}
	order := make([]int, 0, n)
	for number, j := range place {
		if j > 0 {
			row.Number, order = append(row.Number, float64(number+1)), append(order, j-1)
		}
	}
	weight := data.Column{Name: "weight", Kind: data.Numeric, Type: "float64", Number: make([]float64, n)}
	columns, group := []data.Column{row, weight}, encode.Grouping{}
	code := make([]int32, n)
	if groups := r.Train.Groups; len(groups) > 0 {
		group = groups[len(groups)-1]
		columns = append(columns, data.Column{Name: "group", Kind: data.Categorical, Type: "string", Code: code,
			Level: group.Labels})
	}
	shard.Run(n, func(_, lo, hi int) {
		for k, j := range order[lo:hi] {
			if weight.Number[lo+k] = r.Weights[j] * float64(n); group.Index != nil {
				code[lo+k] = group.Index[j]
			}
		}
	})
	return columns, r.Err()
}
