package eval

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/internal/printable"
)

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
