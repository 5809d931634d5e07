package train

import (
	"fmt"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/propose"
)

// Bounds of the look at single columns: enough rows to tell, few enough to cost nothing.
const (
	suspectRows  = 200
	suspectCells = 400_000
)

// suspect warns of columns that alone tell the target, or whose names and values are those
// of identifiers: `inspect --target` proposes to leave them out, training does as it is
// told.
func (m *Model) suspect() {
	d, e := m.Run.Train, m.Encoder
	n := min(d.N, 20_000, suspectCells/max(1, d.D))
	if n < suspectRows {
		return
	}
	values := make([][]float64, d.D)
	for j := range values {
		values[j] = make([]float64, n)
	}
	row := make([]float64, d.D)
	for i := range n {
		d.X.RowTo(row, i)
		for j, v := range row {
			values[j][i] = v
		}
	}
	binary := e.Target.Task == data.Binary
	measure := "R²"
	if binary {
		measure = "AUC"
	}
	for j, c := range e.Columns {
		if j == d.Intercept {
			continue
		}
		if power := propose.Power(values[j], d.Target[:n], binary); power > propose.TellsAll {
			m.note(fmt.Sprintf("warning: column %q alone tells the target, with an %s of %.4f: is it known when a prediction is wanted?", c.Name, measure, power))
		} else if c.Kind == "numeric" && propose.Identifies(c.Name, values[j]) {
			m.note(fmt.Sprintf("warning: column %q looks like an identifier: a name of one, and a value of its own in every row", c.Name))
		}
	}
}
