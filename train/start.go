package train

import (
	"fmt"

	"github.com/drotrain/drotrain/data"
)

// startFrom returns the coefficients of another model in terms of the encoded columns
// of m: columns are matched by their names, those that the other one lacks begin at
// zero. Both must predict the same target. The result is where a solver begins, and
// changes nothing but the way to the optimum.
func (m *Model) startFrom(other *Model) ([]float64, error) {
	if other == nil {
		return nil, nil
	}
	if other.Encoder == nil || len(other.Coefficients) != other.Encoder.D()*other.outputs() {
		return nil, errIncomplete
	}
	if m.Classes() != nil {
		return nil, errClasses("a start from another model")
	}
	t, u := m.Encoder.Target, other.Encoder.Target
	if t.Name != u.Name || t.Task != u.Task || t.Positive != u.Positive {
		return nil, fmt.Errorf("the model to start from predicts another target: %s of %s", u.Task, u.Name)
	}
	w := other.Original(other.Coefficients)
	constant := w[len(w)-1] // an intercept is the last column
	byName := map[string]float64{}
	for i, c := range other.Encoder.Columns {
		if c.Kind != "intercept" {
			byName[c.Name] = w[i]
		}
	}
	scale := 1.0
	if t.Task != data.Binary {
		scale = t.Scale
		constant -= t.Shift
	}
	x := make([]float64, m.Encoder.D())
	for i, c := range m.Encoder.Columns {
		x[i] = byName[c.Name] * c.Scale / scale
		constant += byName[c.Name] * c.Shift
	}
	if k := m.Encoder.Intercept(); k >= 0 {
		x[k] = constant / scale
	}
	return x, nil
}
