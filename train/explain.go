package train

import "github.com/drotrain/drotrain/data/encode"

// A Coefficient is the coefficient of an encoded column.
type Coefficient struct {
	Name string `json:"name"`

	// Robust and Baseline are in the units of the original columns. They are the change in the margin
	// (log-odds) or, for a numeric target, in the value in the units of the target that corresponds to one unit
	// of the column, or to having the level.
	Robust   float64  `json:"robust"`
	Baseline *float64 `json:"erm"` // nil if the model has no baseline

	// Encoded is the robust model's coefficient of the encoded column before recalibration; the penalty and the
	// certificate refer to it.
	Encoded float64 `json:"encoded"`

	Vector string `json:"vector,omitempty"` // the column of vectors of which the encoded column is an entry, or ""
}

// Explain returns the coefficients in original units, in the order of the encoded columns. For more than two
// classes it returns them one class after another. If the model has no intercept, the constant that standardisation
// introduces is appended as "(constant)" unless it is zero.
func (m *Model) Explain() []Coefficient {
	k, vectors := m.coefficientsPerColumn(), m.Encoder.VectorOfColumns()
	var out []Coefficient
	for class := range k {
		robust, erm := m.Original(m.classCoefficients(m.ScoringCoefficients(), class)), m.Original(
			m.classCoefficients(m.Baseline, class))
		for i, w := range robust {
			c := Coefficient{Name: "(constant)", Robust: w}
			if i < m.Encoder.D() {
				c.Name, c.Encoded, c.Vector = m.Encoder.Columns[i].Name, m.Coefficients[i*k+class], vectors[i]
			} else if w == 0 && (erm == nil || erm[i] == 0) {
				continue
			}
			if k > 1 {
				c.Name += " → " + m.Classes()[class]
			}
			if erm != nil {
				c.Baseline = &erm[i]
			}
			out = append(out, c)
		}
	}
	return out
}

// classCoefficients returns the part of x, the coefficients of the model or of a baseline, that belongs to one
// class. If x is nil, it returns nil.
func (m *Model) classCoefficients(x []float64, class int) (out []float64) {
	for i := class; i < len(x); i += m.coefficientsPerColumn() {
		out = append(out, x[i])
	}
	return out
}

// Original converts coefficients x of the encoded columns to units of the source columns. For a model without an
// intercept it appends the constant that standardisation introduces. The constant is in units of the margin or of a
// numeric target. If x is nil, it returns nil. It panics if x is shorter than the encoded columns.
func (m *Model) Original(x []float64) []float64 {
	if x == nil {
		return nil
	}
	t := m.Encoder.Target
	scale, constant := 1.0, 0.0
	if t.Task == encode.Regression {
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
