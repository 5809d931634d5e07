package eval

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/internal/printable"
)

// ConstantValue returns what the best constant prediction of the rows measured has for a measure over rows with the
// values v, n of them. ok is false if that is not known.
func (e *Evaluation) ConstantValue(m Measure, v Values, n int) (x float64, ok bool) {
	all := e.Models[0].Overall
	switch e.Task {
	case Binary:
		share, known := all.Get(prevalence)
		positives, defined := v.Get(prevalence)
		if !known || !defined {
			return math.NaN(), false
		}
		s := countSums(0, 0, 1-positives, positives) // nothing is predicted positive
		if share > 0.5 {
			s = countSums(positives, 1-positives, 0, 0)
		}
		switch {
		case m.isCount():
			x, why := m.value(&s)
			return x, why == ""
		case m.Key == riskMeasure.Key && e.LossUnit == "nats" && share > 0 && share < 1:
			return -positives*math.Log(share) - (1-positives)*math.Log(1-share), true
		}
	case Multiclass:
		if m.Key != e.Task.Leading().Key || e.Weighted || n != e.N {
			break
		}
		most, rows := 0, 0
		for _, c := range e.Models[0].Classes {
			most, rows = max(most, c.Support), rows+c.Support
		}
		return float64(most) / float64(rows), rows > 0
	case Regression:
		if m.Key == biasKey && n == e.N {
			return 0, true
		}
		rmse, known := all.Get(RootMeanSquare)
		r2, defined := all.Get("r2")
		if m.Key == RootMeanSquare && known && defined && r2 < 1 && n == e.N {
			return rmse / math.Sqrt(1-r2), true
		}
	}
	return math.NaN(), false
}

// isCount reports whether the measure is a proportion of the cells of the confusion matrix.
func (m *Measure) isCount() bool { return m.isProportion && m.interval.exact != nil }

// ConstantSentence says what the best constant prediction achieves on the same rows, or returns "" if that is not
// known.
func (e *Evaluation) ConstantSentence() string {
	all := e.Models[0].Overall
	worst := e.WorstGroupValues(e.Models[e.Focus()].Name)
	hasGroup := e.Models[e.Focus()].WorstGroup != nil
	switch e.Task {
	case Binary:
		v, ok := all.Get(prevalence)
		if !ok {
			return ""
		}
		word := "negative"
		if v > 0.5 {
			word = "positive"
		}
		right := func(positives float64) string {
			if v > 0.5 {
				return printable.Percent(positives)
			}
			return printable.Percent(1 - positives)
		}
		s := fmt.Sprintf("A constant prediction, always %s, is right in %s of all rows", word, right(v))
		if w, ok := worst.Get(prevalence); ok && hasGroup {
			s += fmt.Sprintf(" and in %s of the rows of the worst group", right(w))
		}
		return s + "."
	case Regression:
		rmse, ok := all.Get(RootMeanSquare)
		r2, known := all.Get("r2")
		if !ok || !known || r2 >= 1 {
			return ""
		}
		return fmt.Sprintf("A constant prediction, the mean of these rows, has an RMSE of %s.", shownMeasure{unit: e.TargetUnit}.withUnit(printable.Number(rmse/math.Sqrt(1-r2))))
	}
	return ""
}
