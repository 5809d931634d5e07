package eval

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/internal/compensated"
	"github.com/drotrain/drotrain/internal/printable"
)

// A constantPrediction is the best constant prediction for all evaluated rows: the share of positive rows, the mean
// of the target, or the shares of the classes.
type constantPrediction struct {
	in        *measuredRows
	isLogLoss bool // the risk is the log loss of classes
	center    float64
	shares    []float64 // shares of the classes
	class     int       // the most frequent class
}

// newConstantPrediction fits the constant prediction to all rows. lossUnit is the unit of the risk.
func newConstantPrediction(in *measuredRows, lossUnit string) *constantPrediction {
	c := &constantPrediction{in: in, shares: make([]float64, len(in.Classes))}
	c.isLogLoss = in.Task != Regression && lossUnit == "nats" // a deviance of counts is in nats, too
	var sum, total compensated.Sum
	for i, y := range in.Target {
		w := in.Weight.Of(int32(i))
		total.Add(w)
		switch in.Task {
		case Binary:
			sum.Add(w * (y + 1) / 2)
		case Multiclass:
			c.shares[int(y)] += w
		default:
			sum.Add(w * y)
		}
	}
	c.center = sum.Value() / total.Value()
	for k := range c.shares {
		c.shares[k] /= total.Value()
		if c.shares[k] > c.shares[c.class] {
			c.class = k
		}
	}
	return c
}

// measure returns the values that the constant prediction has over rows, for those measures for which it is a
// baseline.
func (c *constantPrediction) measure(rows []int32) map[string]Num {
	out := make(map[string]Num)
	s := c.sums(rows)
	for _, m := range c.in.Task.Measures() {
		if !m.hasBaseline {
			continue
		}
		if x, why := m.value(&s); why == "" && !isNotFinite(x) {
			out[m.Key] = Num(x)
		}
	}
	return out
}

// sums returns the sums over rows from which measures are computed.
func (c *constantPrediction) sums(rows []int32) (s rowSums) {
	in := c.in
	var total, positive, right, squared, absolute, signed, logLoss, target compensated.Sum
	s.constant = true
	positiveLog, negativeLog := math.Log(c.center), math.Log(1-c.center)
	shareLogs := make([]float64, len(c.shares))
	for k, p := range c.shares {
		shareLogs[k] = math.Log(p)
	}
	for _, i := range rows {
		w, y := in.Weight.Of(i), in.Target[i]
		total.Add(w)
		switch in.Task {
		case Binary:
			l := negativeLog
			if y > 0 {
				l = positiveLog
				positive.Add(w)
			}
			logLoss.Add(-w * l)
		case Multiclass:
			logLoss.Add(-w * shareLogs[int(y)])
			if int(y) == c.class {
				right.Add(w)
			}
		default:
			squared.Add(w * (c.center - y) * (c.center - y))
			absolute.Add(w * math.Abs(c.center-y))
			signed.Add(w * (c.center - y))
			target.Add(w * y)
			s.constant = s.constant && y == in.Target[rows[0]]
		}
	}
	if in.Task == Binary {
		tp, fp := positive.Value(), total.Value()-positive.Value()
		if isConstant := s.constant; c.center > 0.5 {
			s = countSums(tp, fp, 0, 0)
			s.constant = isConstant
		} else { // no row is predicted positive
			s = countSums(0, 0, fp, tp)
			s.constant = isConstant
		}
	}
	s.rows, s.weight, s.right, s.logLoss, s.risk = len(rows), total.Value(), right.Value(), logLoss.Value(), math.NaN()
	if c.isLogLoss {
		s.risk = s.logLoss
	}
	s.squaredError, s.absoluteError, s.signedError = squared.Value(), absolute.Value(), signed.Value()
	var deviation compensated.Sum
	if in.Task == Regression {
		s.median = c.medianError(rows)
		mean := target.Value() / s.weight
		for _, i := range rows {
			deviation.Add(in.Weight.Of(i) * (in.Target[i] - mean) * (in.Target[i] - mean))
		}
	}
	s.deviation = deviation.Value()
	return s
}

// medianError returns the median of |mean − target| over rows.
func (c *constantPrediction) medianError(rows []int32) float64 {
	size := func(i int32) float64 { return math.Abs(c.center - c.in.Target[i]) }
	order := slices.Clone(rows)
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(size(a), size(b)) })
	return c.in.Weight.Median(order, size)
}

// ConstantSentence returns a sentence about the performance of the best constant prediction on the same rows, or ""
// if it is unknown.
func (e *Evaluation) ConstantSentence() string {
	if all := e.leadingMeasures(); all[0].key == riskMeasure.Key {
		return e.constantRiskSentence(all[0])
	}
	lead := e.Task.Leading()
	x, ok := e.Constants[lead.Key]
	if !ok {
		return ""
	}
	where := " of all rows"
	m := shownMeasure{share: lead.Unit == "share", unit: e.TargetUnit}
	what := "would be right in"
	if e.Task == Regression {
		where, what = " over all rows", "would have an RMSE of"
	}
	s := fmt.Sprintf("%s %s %s%s", e.constantName(), what, m.appendUnit(m.format(float64(x))), where)
	if w, g := e.Models[e.Shown()].WorstGroup, e.Headline(); w != nil {
		if i := g.find(w.Label); i >= 0 {
			if x, ok := g.Groups[i].Constants[lead.Key]; ok {
				s += fmt.Sprintf(" and %s in %s", m.format(float64(x)), printable.Group(w.Label))
			}
		}
	}
	return s + "." + e.overConstantSentence()
}

// constantRiskSentence returns a sentence about the risk of the constant prediction that was best on the training rows
// of the shown model, or "" if it is unknown.
func (e *Evaluation) constantRiskSentence(risk shownMeasure) string {
	m := &e.Models[e.Shown()]
	if m.OverConstant == nil {
		return ""
	}
	_, constant := printable.Pair(float64(m.Overall.Risk()), float64(m.Overall.Risk()-m.OverConstant.Value))
	return fmt.Sprintf("%s has a %s of %s over all rows.", printable.Capitalise(e.NameFittedConstant()),
		strings.TrimPrefix(risk.name, "the "), constant) + e.overConstantSentence()
}

// overConstantSentence states, after a space, whether the shown model is measurably better than the constant
// prediction that was best on its training rows. It returns "" if this was not tested.
func (e *Evaluation) overConstantSentence() string {
	m := &e.Models[e.Shown()]
	if m.OverConstant == nil || m.OverConstant.Interval == nil {
		return ""
	}
	word := "not measurably better"
	switch side, ok := m.OverConstant.Direction(); {
	case ok && side < 0:
		word = "measurably better"
	case ok:
		word = "measurably worse"
	}
	name, is := e.describeSubject(e.Shown())
	return fmt.Sprintf(" %s %s %s in %s than %s.", name, is, word, e.inTargetUnits().riskWords(),
		e.NameFittedConstant())
}

// NameFittedConstant names the constant prediction with which models are compared.
func (e *Evaluation) NameFittedConstant() string {
	if e.FitsConstant {
		return "the best constant prediction for these rows"
	}
	return "the best constant prediction for the training rows"
}

// mostFrequentClass returns the class, of more than two, that the best constant prediction predicts. In a file of an
// earlier version, it is the class with most rows, without their weights.
func (e *Evaluation) mostFrequentClass() string {
	if e.ConstantClass != "" {
		return e.ConstantClass
	}
	most := 0
	for c, r := range e.Models[0].Classes {
		if r.Support > e.Models[0].Classes[most].Support {
			most = c
		}
	}
	return e.Models[0].Classes[most].Class
}

// constantName describes the best constant prediction as the subject of a sentence.
func (e *Evaluation) constantName() string {
	switch e.Task {
	case Regression:
		return "Always predicting the mean of these rows"
	case Multiclass:
		return "Always predicting “" + e.mostFrequentClass() + "”"
	}
	share, _ := e.Models[0].Overall.Get(Prevalence)
	switch {
	case e.Positive == "":
		return "Always predicting the " + map[bool]string{false: "negative", true: "positive"}[share > 0.5] + " class"
	case share > 0.5:
		return "Always predicting “" + e.Positive + "”"
	case e.Negative == "":
		return "Always predicting the class other than “" + e.Positive + "”"
	}
	return "Always predicting “" + e.Negative + "”"
}
