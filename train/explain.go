package train

import "github.com/drotrain/drotrain/data"

// A Coefficient is the weight of one encoded column.
type Coefficient struct {
	Name string `json:"name"`

	// Robust and Baseline are in the units of the original columns: the change
	// of the margin (log-odds) or, for a numeric target, of the value in the
	// target's units, for one unit of the column, or for being of that level.
	Robust   float64 `json:"robust"`
	Baseline float64 `json:"erm"`

	// Encoded is the robust weight of the encoded column, the one that is
	// penalised.
	Encoded float64 `json:"encoded"`
}

// Explain returns the coefficients in original units, in the order of the
// encoded columns. Without an intercept in the model, the constant that
// standardisation brings in is appended as "(constant)" when it is not zero.
func (m *Model) Explain() []Coefficient {
	out := make([]Coefficient, len(m.Coefficients))
	robust, robustShift := m.original(m.Coefficients)
	erm, ermShift := m.original(m.Baseline)
	for i, c := range m.Encoder.Columns {
		out[i] = Coefficient{Name: c.Name, Robust: robust[i], Baseline: erm[i], Encoded: m.Coefficients[i]}
	}
	if k := m.Encoder.Intercept(); k >= 0 {
		out[k].Robust += robustShift
		out[k].Baseline += ermShift
	} else if robustShift != 0 || ermShift != 0 {
		out = append(out, Coefficient{Name: "(constant)", Robust: robustShift, Baseline: ermShift})
	}
	return out
}

// original returns the weights per unit of the source columns, and the constant
// left over from their shifts and the target's.
func (m *Model) original(x []float64) (w []float64, constant float64) {
	t := m.Encoder.Target
	scale := 1.0
	if t.Task != data.Binary {
		scale = t.Scale
		constant = t.Shift
	}
	w = make([]float64, len(x))
	for i, c := range m.Encoder.Columns {
		w[i] = scale * x[i] / c.Scale
		constant -= w[i] * c.Shift
	}
	return w, constant
}
