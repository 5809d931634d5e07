package train

import (
	"cmp"
	"errors"
	"slices"

	"github.com/drotrain/drotrain/data"
)

// errNoWeights says that the adversary's weights of the training rows are not known here: the model
// was loaded or trained without Config.KeepRows, or its rows are on several ranks.
var errNoWeights = errors.New("the adversary's weights are known after a training with Config.KeepRows in one process alone")

// AdversaryWeights returns the adversary's weight of every training row as columns, ordered by row:
// row, its number in the table counted from 1; weight, 1 being the average over the training rows;
// and group, the row's group under all group columns crossed, where there are groups. Weights of a
// training with sample weights include them. The error is [errNoWeights] where they are not known.
func (m *Model) AdversaryWeights() ([]data.Column, error) {
	r := m.Run
	if r == nil || r.Weights == nil || r.rows != nil {
		return nil, errNoWeights
	}
	n := r.Train.N
	order := make([]int, n)
	for j := range order {
		order[j] = j
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(r.Train.Rows[a], r.Train.Rows[b]) })
	row := data.Column{Name: "row", Kind: data.Numeric, Type: "int64", Integer: true, Number: make([]float64, n)}
	weight := data.Column{Name: "weight", Kind: data.Numeric, Type: "float64", Number: make([]float64, n)}
	for k, j := range order {
		row.Number[k] = float64(r.Train.Rows[j] + 1)
		weight.Number[k] = r.Weights[j] * float64(n)
	}
	columns := []data.Column{row, weight}
	if groups := r.Train.Groups; len(groups) > 0 {
		last := groups[len(groups)-1]
		group := data.Column{Name: "group", Kind: data.Categorical, Type: "string", Code: make([]int32, n), Level: last.Labels}
		for k, j := range order {
			group.Code[k] = last.Index[j]
		}
		columns = append(columns, group)
	}
	return columns, r.Err()
}
