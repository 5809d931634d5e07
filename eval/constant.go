package eval

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/internal/printable"
)

// ConstantValue returns what the best constant prediction of all rows measured has for a measure over the n rows of a
// group. ok is false if that is not known.
func (e *Evaluation) ConstantValue(m Measure, of *GroupModel, n int) (x float64, ok bool) {
	switch {
	case m.constant != nil:
		return m.constant(e, of, n)
	case e.Task == Binary && m.isCount():
		share, known := e.Models[0].Overall.Get(Prevalence)
		positives, defined := of.Values.Get(Prevalence)
		s := countSums(0, 0, 1-positives, positives) // nothing is predicted positive
		if share > 0.5 {
			s = countSums(positives, 1-positives, 0, 0)
		}
		if x, why := m.value(&s); known && defined && why == "" {
			return x, true
		}
	}
	return math.NaN(), false
}

// constantRisk returns the log loss of the constant probability that is the share of positives of all rows, or of
// the constant probabilities that are the shares of the classes.
func constantRisk(e *Evaluation, of *GroupModel, n int) (x float64, ok bool) {
	if e.LossUnit != "nats" {
		return math.NaN(), false
	}
	switch e.Task {
	case Binary:
		share, known := e.Models[0].Overall.Get(Prevalence)
		positives, defined := of.Values.Get(Prevalence)
		if known && defined && share > 0 && share < 1 {
			return -positives*math.Log(share) - (1-positives)*math.Log(1-share), true
		}
	case Multiclass:
		for c, share := range e.classShares(of, n) {
			if share > 0 {
				x, ok = x-share*math.Log(float64(e.Models[0].Classes[c].Support)/float64(e.N)), true
			}
		}
		return x, ok
	}
	return math.NaN(), false
}

// constantAccuracy returns the share, in n rows of more than two classes, of the class that is most frequent in all
// rows.
func constantAccuracy(e *Evaluation, of *GroupModel, n int) (x float64, ok bool) {
	most := 0
	for c, share := range e.classShares(of, n) {
		if support := e.Models[0].Classes[c].Support; support > most {
			most, x, ok = support, share, true
		}
	}
	return x, ok
}

// classShares returns the shares of the classes in n rows; nil if they are not known, or rows have weights.
func (e *Evaluation) classShares(of *GroupModel, n int) (out []float64) {
	if e.Weighted || len(of.Classes) != len(e.Models[0].Classes) {
		return nil
	}
	for _, c := range of.Classes {
		out = append(out, float64(c.Support)/float64(n))
	}
	return out
}

// constantRMSE returns the standard deviation of the target over all rows, from RMSE and R².
func constantRMSE(e *Evaluation, _ *GroupModel, n int) (x float64, ok bool) {
	rmse, known := e.Models[0].Overall.Get(RootMeanSquare)
	r2, defined := e.Models[0].Overall.Get(r2Key)
	return rmse / math.Sqrt(1-r2), known && defined && r2 < 1 && n == e.N
}

// constantBias returns the bias of the mean over all rows.
func constantBias(e *Evaluation, _ *GroupModel, n int) (x float64, ok bool) { return 0, n == e.N }

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
		v, ok := all.Get(Prevalence)
		if !ok {
			return ""
		}
		word := map[bool]string{false: "always negative", true: "always positive"}[v > 0.5]
		if e.Positive != "" {
			word = map[bool]string{false: "never", true: "always"}[v > 0.5] + " “" + e.Positive + "”"
		}
		right := func(positives float64) string {
			if v > 0.5 {
				return printable.Percent(positives)
			}
			return printable.Percent(1 - positives)
		}
		s := fmt.Sprintf("A constant prediction, %s, is right in %s of all rows", word, right(v))
		if w, ok := worst.Get(Prevalence); ok && hasGroup {
			s += fmt.Sprintf(" and in %s of the rows of the worst group", right(w))
		}
		return s + "."
	case Regression:
		rmse, ok := constantRMSE(e, nil, e.N)
		if !ok {
			return ""
		}
		return fmt.Sprintf("A constant prediction, the mean of these rows, has an RMSE of %s.",
			shownMeasure{unit: e.TargetUnit}.appendUnit(printable.Number(rmse)))
	}
	return ""
}
