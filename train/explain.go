package train

import "github.com/drotrain/drotrain/data"

// A Coefficient is the coefficient of an encoded column.
type Coefficient struct {
	Name string `json:"name"`

	// Robust and Baseline are in the units of the original columns: the change
	// of the margin (log-odds) or, for a numeric target, of the value in the
	// target's units, for one unit of the column, or for being of that level.
	Robust   float64  `json:"robust"`
	Baseline *float64 `json:"erm"` // nil in a model without a baseline

	// Encoded is the robust weight of the encoded column, the one that is
	// penalised and certified: before a recalibration.
	Encoded float64 `json:"encoded"`
}

// Explain returns the coefficients in original units, in the order of the encoded columns. If the model has no
// intercept, the constant that standardisation introduces is appended as "(constant)" unless it is zero.
func (m *Model) Explain() []Coefficient {
	if m.Classes() != nil {
		return m.explainClasses()
	}
	robust, erm := m.Original(m.ScoringCoefficients()), m.Original(m.Baseline)
	out := make([]Coefficient, len(robust))
	for i, w := range robust {
		out[i] = Coefficient{Name: "(constant)", Robust: w}
		if i < len(m.Coefficients) {
			out[i].Name, out[i].Encoded = m.Encoder.Columns[i].Name, m.Coefficients[i]
		}
		if erm != nil {
			out[i].Baseline = &erm[i]
		}
	}
	if last := len(out) - 1; last == len(m.Coefficients) && robust[last] == 0 && (erm == nil || erm[last] == 0) {
		out = out[:last]
	}
	return out
}

// explainClasses works like Explain for more than two classes: a column has one coefficient per class.
func (m *Model) explainClasses() []Coefficient {
	k := m.coefficientsPerColumn()
	var out []Coefficient
	for c, class := range m.Classes() {
		one := func(x []float64) []float64 {
			if x == nil {
				return nil
			}
			column := make([]float64, 0, len(x)/k)
			for i := c; i < len(x); i += k {
				column = append(column, x[i])
			}
			return m.Original(column)
		}
		robust, erm := one(m.ScoringCoefficients()), one(m.Baseline)
		for i, w := range robust {
			q := Coefficient{Name: "(constant)", Robust: w}
			if i < m.Encoder.D() {
				q.Name, q.Encoded = m.Encoder.Columns[i].Name, m.Coefficients[i*k+c]
			}
			q.Name += " → " + class
			if erm != nil {
				q.Baseline = &erm[i]
			}
			out = append(out, q)
		}
	}
	return out
}

// Original converts coefficients x of the encoded columns to units of the source columns. For a model without
// an intercept it appends the constant that standardisation introduces. The constant is in units of the margin
// or of a numeric target. It returns nil for nil.
func (m *Model) Original(x []float64) []float64 {
	if x == nil {
		return nil
	}
	t := m.Encoder.Target
	scale, constant := 1.0, 0.0
	if t.Task == data.Regression {
		scale, constant = t.Scale, t.Shift
	}
	w := make([]float64, len(x), len(x)+1)
	for i, c := range m.Encoder.Columns {
		w[i] = scale * x[i] / c.Scale
		constant -= w[i] * c.Shift
	}
	if k := m.Encoder.Intercept(); k >= 0 {
		w[k] += constant
		return w
	}
	return append(w, constant)
}
