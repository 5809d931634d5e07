package train

import (
	"fmt"
	"strings"

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
	sample := m.Run.sample(n)
	n = sample.N
	row := make([]float64, d.D)
	for i := range n {
		sample.X.RowTo(row, i)
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
		if power := propose.Power(values[j], sample.Target, binary); power > propose.TellsAll {
			m.note(fmt.Sprintf("warning: column %q alone tells the target, with an %s of %.4f: is it known when a prediction is wanted?", c.Name, measure, power))
		} else if c.Kind == "numeric" && propose.Identifies(c.Name, values[j]) {
			m.note(fmt.Sprintf("warning: column %q looks like an identifier: a name of one, and a value of its own in every row", c.Name))
		}
	}
}

// Of hold-out rows that are told too well.
const (
	flawless    = 0.995 // AUC or R² of hold-out rows, from which it asks for a reason
	flawlessMin = 50    // rows, at least
	mostCulprit = 3     // columns named
)

// flawless warns of a model that tells hold-out rows nearly without error, and names the
// columns that do it: the one whose part of the scores is missed most, and again without
// it, until what is left is no longer too good.
func (m *Model) flawless() {
	d := m.Run.Holdout
	if d == nil || d.N < flawlessMin || d.Target == nil {
		return
	}
	n := min(d.N, 20_000, 50*suspectCells/max(1, d.D))
	x, row := m.Scoring(), make([]float64, d.D)
	source := make([]int, d.D) // of an encoded column, which input; −1: none
	for j := range source {
		source[j] = -1
	}
	for k, in := range m.Encoder.Inputs {
		end := d.D
		if k+1 < len(m.Encoder.Inputs) {
			end = m.Encoder.Inputs[k+1].First
		}
		for j := in.First; j < end; j++ {
			if j != d.Intercept {
				source[j] = k
			}
		}
	}
	score := make([]float64, n)
	part := make([][]float64, len(m.Encoder.Inputs))
	for k := range part {
		part[k] = make([]float64, n)
	}
	for i := range n {
		d.X.RowTo(row, i)
		for j, v := range row {
			if score[i] += x[j] * v; source[j] >= 0 {
				part[source[j]][i] += x[j] * v
			}
		}
	}
	binary, measure := m.Encoder.Target.Task == data.Binary, "R²"
	if binary {
		measure = "AUC"
	}
	told := func() float64 { return propose.Power(score, d.Target[:n], binary) }
	first := told()
	if !(first > flawless) {
		return
	}
	var names []string
	left := first
	for len(names) < mostCulprit && left > flawless {
		worst, least := -1, left
		for k, p := range part {
			if p == nil {
				continue
			}
			for i, v := range p {
				score[i] -= v
			}
			if power := told(); power < least {
				worst, least = k, power
			}
			for i, v := range p {
				score[i] += v
			}
		}
		if worst < 0 {
			break
		}
		for i, v := range part[worst] {
			score[i] -= v
		}
		part[worst], left = nil, least
		names = append(names, fmt.Sprintf("%q", m.Encoder.Inputs[worst].Name))
	}
	what := fmt.Sprintf("warning: rows that were held out are told nearly without error, with an %s of %.4f: too good to be true?", measure, first)
	if len(names) > 0 {
		what += fmt.Sprintf(" Without %s it is %.2f: is that known when a prediction is wanted?", strings.Join(names, " and "), left)
	}
	m.note(what)
}
