package train

import "github.com/drotrain/drotrain/data"

// A Coefficient is the weight of one encoded column.
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

// Explain returns the coefficients in original units, in the order of the
// encoded columns. Without an intercept in the model, the constant that
// standardisation brings in is appended as "(constant)" when it is not zero.
func (m *Model) Explain() []Coefficient {
	robust, erm := m.Original(m.Scoring()), m.Original(m.Baseline)
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

// Original returns weights x of the encoded columns per unit of the source columns:
// D of them, or one more, the constant, in a model without an intercept. The
// constant is in the units of the margin or of a numeric target. Of nil it is nil.
func (m *Model) Original(x []float64) []float64 {
	if x == nil {
		return nil
	}
	t := m.Encoder.Target
	scale, constant := 1.0, 0.0
	if t.Task != data.Binary {
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
