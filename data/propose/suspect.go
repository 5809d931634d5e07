package propose

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/drotrain/drotrain/data"
)

// WarningMark is the prefix of notes that must not be missed, such as those on leakage.
const WarningMark = "warning: "

// Bounds of the look at single columns: enough rows to decide, few enough to cost nothing.
const (
	suspectRows  = 200
	suspectCells = 400_000
)

// SuspectRows returns how many of n training rows FindSuspects should examine, or 0 if there are too few.
func SuspectRows(e *data.Encoder, n int) int {
	n = min(n, 20_000, suspectCells/max(1, e.D()))
	if n < suspectRows || e.Target.Task == data.Multiclass {
		return 0
	}
	return n
}

// FindSuspects returns warnings about encoded columns that alone predict the target, or that seem to be
// identifiers. Make proposes to drop them; training keeps them. d holds some of the training rows.
func FindSuspects(e *data.Encoder, d *data.Dataset) (warnings []string) {
	x := mat.NewDense(d.N, e.D(), nil)
	for i := range d.N {
		d.X.RowTo(x.RawRowView(i), i)
	}
	binary := e.Target.Task == data.Binary
	measure := measureName(binary)
	for j, c := range e.Columns {
		if j == d.Intercept {
			continue
		}
		values := mat.Col(nil, j, x)
		if power := Power(values, d.Target, binary); power > PredictsAll {
			warnings = append(warnings, fmt.Sprintf(WarningMark+"possible leakage: column %q alone predicts the target, with an %s of %.4f: is it known when a prediction is wanted?", c.Name, measure, power))
		} else if c.Kind == "numeric" && isIdentifier(c, values) {
			of := "a name of one"
			if isIndexName(c.Name) {
				of = "first, and without a name"
			}
			warnings = append(warnings, fmt.Sprintf(WarningMark+"column %q looks like an identifier: %s, and a value of its own in every row", c.Name, of))
		}
	}
	return warnings
}

// isIdentifier reports whether a numeric column is an identifier, judging by its name and its encoded values:
// whole numbers that are all different.
func isIdentifier(c data.Coding, v []float64) bool {
	const rounding = 1e-3 // what encoding may have taken from a whole number
	if len(v) <= 20 || !isIDName(c.Name) && !isIndexName(c.Name) {
		return false
	}
	seen := make(map[float64]bool, len(v))
	for _, x := range v {
		seen[x] = true
		if whole := x*c.Scale + c.Shift; math.Abs(whole-math.Round(whole)) > rounding {
			return false
		}
	}
	return len(seen) == len(v)
}

// Of hold-out rows that are predicted too well.
const (
	flawless    = 0.995 // AUC or R² of hold-out rows, from which it asks for a reason
	flawlessMin = 50    // rows, at least
	maxCulprit  = 3     // columns named
)

// FindPerfectColumns returns a warning if coefficients x predict hold-out rows almost without error, naming the
// columns responsible: it repeatedly removes the column whose contribution is missed most, until the scores are
// no longer too good.
func FindPerfectColumns(e *data.Encoder, d *data.Dataset, x []float64) (warnings []string) {
	if d == nil || d.Target == nil || d.N < flawlessMin || e.Target.Task == data.Multiclass {
		return nil
	}
	n := min(d.N, 20_000, 50*suspectCells/max(1, e.D()))
	source := make([]int, d.D) // of an encoded column, which input; the intercept, which changes no order, goes with the last
	parts := make([][]float64, len(e.Inputs))
	for k, in := range e.Inputs {
		parts[k] = make([]float64, n)
		for j := in.First; j < d.D; j++ {
			source[j] = k
		}
	}
	score, row := make([]float64, n), make([]float64, d.D)
	for i := range n {
		d.X.RowTo(row, i)
		for j, v := range row {
			score[i] += x[j] * v
			parts[source[j]][i] += x[j] * v
		}
	}
	binary := e.Target.Task == data.Binary
	first := Power(score, d.Target[:n], binary)
	if !(first > flawless) {
		return nil
	}
	var names []string
	left := first
	for rest := make([]float64, n); len(names) < maxCulprit && left > flawless; {
		worst, least := -1, left
		for k, part := range parts {
			if power := Power(floats.SubTo(rest, score, part), d.Target[:n], binary); power < least {
				worst, least = k, power
			}
		}
		if worst < 0 {
			break
		}
		floats.Sub(score, parts[worst])
		clear(parts[worst])
		names, left = append(names, strconv.Quote(e.Inputs[worst].Name)), least
	}
	what := fmt.Sprintf(WarningMark+"rows that were held out are predicted nearly without error, with an %s of %.4f: too good to be true?", measureName(binary), first)
	if len(names) > 0 {
		what += fmt.Sprintf(" Without %s it is %.2f: is that known when a prediction is wanted?", strings.Join(names, " and "), left)
	}
	return []string{what}
}
