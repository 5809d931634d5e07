package verify

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/design"
)

// trainingRows holds the encoded training rows, in the order of the table.
type trainingRows struct {
	*encode.Dataset
	weight []float64 // weights of the rows, multiplied by their exposures; nil if equal
}

// weightOf returns the weight of row j.
func (r *trainingRows) weightOf(j int) float64 {
	if r.weight == nil {
		return 1
	}
	return r.weight[j]
}

// encode reads and encodes the training rows of a model again. If a program chose the rows, the proof lists them.
func (m *Model) encode(ctx context.Context, f *data.Frame, p *Proof) (*trainingRows, error) {
	c := &m.Config
	rows := slices.Clone(p.Rows)
	if !m.RowsGiven {
		var err error
		if c.Average == validationSubsets {
			rows, err = f.ValidationRows(ctx, c.holdout())
		} else {
			rows, _, err = f.SplitRows(ctx, c.holdout())
		}
		if err != nil {
			return nil, err
		}
	} else if len(rows) > 0 && rows[len(rows)-1] >= f.Rows {
		return nil, fmt.Errorf("the proof refers to row %d, but the table has only %d rows", rows[len(rows)-1]+1, f.Rows)
	}
	slices.Sort(rows)
	fitted, err := m.Encoder.EncodeTo(ctx, f, rows, nil, encode.Sink{Storage: design.Storage(c.Storage)})
	if err != nil {
		return nil, err
	}
	r := &trainingRows{Dataset: fitted.Train}
	if r.Target == nil {
		return nil, fmt.Errorf("the table lacks the target column %q", m.Encoder.Target.Name)
	}
	if outputs := m.Encoder.Target.Outputs(); outputs > 1 {
		for _, t := range r.Target {
			if !(t >= 0 && t < float64(outputs)) {
				return nil, fmt.Errorf("a target is the class number %v, which the model does not have", t)
			}
		}
	}
	if c.Weight == "" {
		r.weight = r.Exposure
		return r, nil
	}
	column, err := f.Column(ctx, c.Weight)
	if err != nil {
		return nil, err
	}
	for _, row := range r.Rows {
		if column.Number == nil || column.IsNull(row) || !(column.Number[row] > 0) || math.IsInf(column.Number[row], 0) {
			return nil, &data.Error{Path: f.Name(), Column: c.Weight, Row: row + 1, Msg: "the weight must be a number " +
				"above 0"}
		}
		r.weight = append(r.weight, column.Number[row])
	}
	for j, v := range r.Exposure {
		r.weight[j] *= v
	}
	return r, nil
}

// groups returns the group of every row in the grouping by all group columns together, or −1 for a row without a
// group. It returns nil if there are no groups.
func (r *trainingRows) groups() []int32 {
	if len(r.Groups) == 0 {
		return nil
	}
	return r.Groups[len(r.Groups)-1].Index
}

// averages maps the name of an average to a strength: the total weight of a group is proportional to its original
// weight to the power 1 − strength.
var averages = map[string]float64{"": 0, "plain": 0, "balanced": 1, "half-balanced": 0.5, "subsets": 0,
	validationSubsets: 0}

// atoms returns the reference weights of the adversary's atoms, and the groups if these are the atoms.
func (r *trainingRows) atoms(c *config) (*reference, *grouping, error) {
	if c.Adversary == "groups" {
		g, err := newGrouping(r.groups(), r.weightOf, c.Adjust)
		if err != nil {
			return nil, nil, err
		}
		w, err := newReference(g.mass)
		return w, g, err
	}
	w := make([]float64, r.N)
	if strength := averages[c.Average]; strength == 0 {
		for j := range w {
			w[j] = r.weightOf(j)
		}
	} else {
		g, err := newGrouping(r.groups(), r.weightOf, 0)
		if err != nil {
			return nil, nil, err
		}
		sum := 0.0
		for _, mass := range g.mass {
			sum += math.Pow(mass, 1-strength)
		}
		for j, k := range g.of {
			if k >= 0 {
				w[j] = r.weightOf(j) / (math.Pow(g.mass[k], strength) * sum)
			}
		}
	}
	of, err := newReference(w)
	return of, nil, err
}

// EncodedColumns returns the encoded training rows of the model as a table, for other programs that check the
// proof. The columns are row (counted from 1), target, weight, group (−1 for none), and the features z0, z1, ….
func (m *Model) EncodedColumns(ctx context.Context, f *data.Frame, p *Proof) ([]data.Column, error) {
	r, err := m.encode(ctx, f, p)
	if err != nil {
		return nil, err
	}
	columns := make([]data.Column, 0, 4+r.D)
	add := func(name string, of func(j int) float64) {
		c := data.Column{Name: name, Kind: data.Numeric, Type: "float64", Number: make([]float64, r.N)}
		for j := range c.Number {
			c.Number[j] = of(j)
		}
		columns = append(columns, c)
	}
	group := r.groups()
	add("row", func(j int) float64 { return float64(r.Rows[j] + 1) })
	add("target", func(j int) float64 { return r.Target[j] })
	add("weight", r.weightOf)
	add("group", func(j int) float64 {
		if group == nil {
			return -1
		}
		return float64(group[j])
	})
	for i := range r.D {
		add(fmt.Sprintf("z%d", i), func(int) float64 { return 0 })
	}
	z := make([]float64, r.D)
	for j := range r.N {
		r.X.RowTo(z, j)
		for i, v := range z {
			columns[4+i].Number[j] = v
		}
	}
	return columns, nil
}
