package export

import (
	"bytes"
	"encoding/csv"
	"strconv"

	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/train"
)

// coefficientTable returns one line for each encoded column: its coding (v − shift)/scale, where v is the number or
// the indicator of a level, its coefficient, and the coefficient in original units.
func coefficientTable(m *train.Model, o Options) ([]byte, error) {
	var b bytes.Buffer
	text := printable.EscapeCell
	if o.Formulas {
		text = func(s string) string { return s }
	}
	w := csv.NewWriter(&b)
	_ = w.Write([]string{"name", "source", "kind", "level", "shift", "scale", "coefficient", "original"})
	num := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	scoring := *m
	scoring.Coefficients = m.ScoringCoefficients()
	for i, c := range scoring.Explain() {
		if i >= len(m.Encoder.Columns) { // constant of a model without an intercept
			_ = w.Write([]string{text(c.Name), "", "constant", "", "", "", "", num(c.Robust)})
			continue
		}
		col := m.Encoder.Columns[i]
		_ = w.Write([]string{text(col.Name), text(col.Source), col.Kind, text(col.Level), num(col.Shift), num(col.Scale),
			num(c.Encoded), num(c.Robust)})
	}
	w.Flush()
	return b.Bytes(), w.Error()
}
