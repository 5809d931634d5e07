package verify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/drotrain/drotrain/internal/interval"
)

// Names of two averages: the mean of models trained on balanced subsets of the training rows, or of the validation
// rows.
const (
	subsets           = "subsets"
	validationSubsets = "validation-subsets"
)

// subsetCount is the number of models that are averaged in a mean over balanced subsets.
const subsetCount = 10

// isMean reports whether the model is a mean of models trained on balanced subsets.
func (c *config) isMean() bool { return c.Average == subsets || c.Average == validationSubsets }

// A part is an optimum with its proof. It uses either all training rows or the subset of one averaged model.
type part struct {
	x     []float64
	rows  *trainingRows
	proof *Proof
}

func (p *part) newChecker(ctx context.Context, m *Model) *checker {
	return &checker{ctx: ctx, m: m, x: p.x, rows: p.rows, outputs: m.Encoder.Target.Outputs()}
}

// parts returns the optima that a proof covers. It returns an error unless the proof covers all training rows. For a
// mean of models, it instead returns an error unless the subsets are balanced and the coefficients are the mean of the
// coefficients of the averaged models.
func (m *Model) parts(rows *trainingRows, p *Proof) ([]*part, error) {
	if !m.Config.isMean() {
		if p.Parts != nil || !slices.Equal(rows.Rows, p.Rows) {
			return nil, fmt.Errorf("the proof covers %d rows, which are not the %d training rows of the model", len(p.Rows),
				rows.N)
		}
		return []*part{{m.Coefficients, rows, p}}, nil
	}
	switch {
	case len(m.Averaged) != subsetCount:
		return nil, fmt.Errorf("the model is the mean of %d models, but its file holds %d of these models", subsetCount,
			len(m.Averaged))
	case !m.hasMeanCoefficients():
		return nil, errors.New("the coefficients are not the mean of the coefficients of the averaged models")
	case len(p.Parts) == 0 || p.Parts[len(p.Parts)-1] != subsetCount-1:
		return nil, fmt.Errorf("the proof does not consist of %d parts, one for each averaged model", subsetCount)
	case rows.weight != nil:
		return nil, errors.New("verify does not support balanced subsets of weighted rows")
	}
	parts := make([]*part, subsetCount)
	for k := range parts {
		of := p.part(k)
		places, err := rows.placesOf(of.Rows)
		if err != nil {
			return nil, fmt.Errorf("part %d of the proof: %w", k+1, err)
		}
		parts[k] = &part{m.Averaged[k], rows.selectRows(places), of}
	}
	return parts, nil
}

// hasMeanCoefficients reports whether the coefficients are the mean of the coefficients of the averaged models, up
// to the rounding of one product and one sum for each of these models.
func (m *Model) hasMeanCoefficients() bool {
	for i, v := range m.Coefficients {
		sum, size := interval.NewSum(), 0.0
		for _, x := range m.Averaged {
			sum.Add(interval.New(x[i]))
			size += math.Abs(x[i])
		}
		count := float64(len(m.Averaged))
		off := interval.Abs(interval.Sub(interval.Div(sum.Value(), interval.New(count)), interval.New(v)))
		if !(off.Float() <= (count+2)*0x1p-53*size/count) {
			return false
		}
	}
	return true
}

// placesOf returns, for the given rows of the table, their indices among the training rows. It returns an error unless
// every group has as many of these rows as the smallest group has training rows.
func (r *trainingRows) placesOf(rows []int) ([]int, error) {
	groups := r.groups()
	if groups == nil {
		return nil, errors.New("the table has no groups")
	}
	total, chosen := map[int32]int{}, map[int32]int{}
	for _, g := range groups {
		if g >= 0 {
			total[g]++
		}
	}
	places := make([]int, len(rows))
	for i, row := range rows {
		place, isTraining := slices.BinarySearch(r.Rows, row)
		if !isTraining || groups[place] < 0 {
			return nil, fmt.Errorf("row %d is not among the training rows with a group", row+1)
		}
		places[i] = place
		chosen[groups[place]]++
	}
	least := r.N
	for _, n := range total {
		least = min(least, n)
	}
	for _, g := range slices.Sorted(maps.Keys(total)) {
		if chosen[g] != least {
			return nil, fmt.Errorf("the subset is not balanced: it has %d rows of one group, but the smallest group of the "+
				"table has %d rows", chosen[g], least)
		}
	}
	return places, nil
}

// selectRows returns the training rows with the given indices, without weights and groups.
func (r *trainingRows) selectRows(places []int) *trainingRows {
	d := *r.Dataset
	d.N, d.X, d.Groups = len(places), r.X.Select(places), nil
	d.Target, d.Rows = make([]float64, len(places)), make([]int, len(places))
	for i, j := range places {
		d.Target[i], d.Rows[i] = r.Target[j], r.Rows[j]
	}
	return &trainingRows{Dataset: &d}
}
