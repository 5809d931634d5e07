package eval

import (
	"cmp"
	"fmt"
	"math"

	"github.com/drotrain/drotrain/eval/internal/words"
)

// A Meaning is what a risk says to people: for the logistic loss, whose risk is a mean of
// −log of the probability given to what happened, the typical probability; for the squared
// loss of a number, the typical error, its root mean square in the target's unit.
type Meaning struct {
	Name string // "typical probability given to what happened"
	Unit string // of a typical error
	Up   bool   // more is better

	key string // the measure it is taken of
}

// Meaning is that of the risks of e; ok is false where they have none of their own.
func (e *Evaluation) Meaning() (m Meaning, ok bool) {
	switch {
	case e.Task == Binary && e.LossUnit == "nats":
		return Meaning{Name: "typical probability given to what happened", Up: true, key: "risk"}, true
	case e.Task == Regression && e.Loss == "squared":
		return Meaning{Name: "typical error (RMSE)", Unit: e.TargetUnit, key: "rmse"}, true
	}
	return Meaning{}, false
}

// Of is the number that m says of measured rows.
func (m Meaning) Of(v Values) float64 {
	x := float64(v.Of[m.key])
	if m.Up {
		return math.Exp(-x)
	}
	return x
}

// Text writes such a number.
func (m Meaning) Text(x float64) string {
	if m.Up {
		return words.Percent(x)
	}
	return words.Number(x)
}

// InWorstGroup is what m says of the worst group of a model of e; NaN where there is none.
func (e *Evaluation) InWorstGroup(m Meaning, of *ModelResult) float64 {
	g, w := e.Headline(), of.WorstGroup
	if g == nil || w == nil {
		return math.NaN()
	}
	for i := range g.Groups {
		if h := &g.Groups[i]; h.Label == w.Label {
			for k := range h.Models {
				if h.Models[k].Model == of.Name {
					return m.Of(h.Models[k].Values)
				}
			}
		}
	}
	return math.NaN()
}

// plain words the verdict without the word risk, and what the average pays.
func (j *judge) plain(v *Verdict) (headline, cost string) {
	m, ok := j.Meaning()
	if !ok {
		return "", ""
	}
	k := Focus(len(j.Models))
	cost = j.plainCost(m, k)
	before, after := j.InWorstGroup(m, &j.Models[0]), j.InWorstGroup(m, &j.Models[k])
	if j.c.Alike || math.IsNaN(before) || math.IsNaN(after) || m.Text(before) == m.Text(after) {
		return "", cost
	}
	a, b := words.Group(j.Models[0].WorstGroup.Label), words.Group(j.Models[k].WorstGroup.Label)
	where := fmt.Sprintf("in the worst group, %s", a)
	if a != b {
		where = fmt.Sprintf("in the worst group (%s with %s, %s with %s)", a, j.Models[0].Name, b, j.Models[k].Name)
	}
	what := "what happened is given a typical probability of %s instead of %s"
	if !m.Up {
		what = "the typical error is %s instead of %s"
	}
	moved := fmt.Sprintf(what+" %s", m.Text(after), withUnit(m.Text(before), m.Unit), where)
	switch v.Outcome {
	case Untested:
		return fmt.Sprintf("%s: %s; without intervals, nothing is claimed.", j.who(), moved), cost
	case Inconclusive:
		who := "Robust training did not measurably help here"
		if j.c.Model != "robust" {
			who = fmt.Sprintf("%s and %s do not measurably differ", j.c.Baseline, j.c.Model)
		}
		return fmt.Sprintf("%s: %s, which may be chance.", who, moved), cost
	}
	verb := "helps"
	if j.d.Value > 0 {
		verb = "harms"
	}
	return j.headline(v, fmt.Sprintf("%s %s those worst off: %s", j.who(), verb, moved)), cost
}

// plainCost says what the average pays, or what it is where two models are one.
func (j *judge) plainCost(m Meaning, k int) string {
	overall := func(k int) float64 { return m.Of(j.Models[k].Overall) }
	from, to := m.Text(overall(0)), m.Text(overall(k))
	what := cmp.Or(map[bool]string{true: "the typical probability"}[m.Up], "the typical error")
	var cost string
	switch d := overall(k) - overall(0); {
	case j.c.Alike:
		return fmt.Sprintf("Over all rows the %s is %s.", m.Name, withUnit(from, m.Unit))
	case from == to:
		cost = fmt.Sprintf("Over all rows %s stays at %s", what, withUnit(from, m.Unit))
	case d > 0:
		cost = fmt.Sprintf("Over all rows %s rises from %s to %s", what, from, withUnit(to, m.Unit))
	default:
		cost = fmt.Sprintf("Over all rows %s falls from %s to %s", what, from, withUnit(to, m.Unit))
	}
	x, y := j.Models[0].Overall.Of["accuracy"], j.Models[k].Overall.Of["accuracy"]
	if j.Task == Binary && x.Defined() && y.Defined() {
		if p, q := words.Percent(float64(x)), words.Percent(float64(y)); p != q {
			cost += fmt.Sprintf(", the accuracy goes from %s to %s", p, q)
		}
	}
	return cost + "."
}

// plainAlone words what one model does, without the word risk.
func (e *Evaluation) plainAlone() string {
	m, ok := e.Meaning()
	if !ok {
		return ""
	}
	of := &e.Models[0]
	say := func(x float64) string { return withUnit(m.Text(x), m.Unit) }
	form := "%s gives what happened a typical probability of %s over all rows"
	if !m.Up {
		form = "%s has a typical error of %s over all rows"
	}
	s := fmt.Sprintf(form, of.Name, say(m.Of(of.Overall)))
	if x := e.InWorstGroup(m, of); !math.IsNaN(x) {
		s += fmt.Sprintf(" and of %s in its worst group, %s", say(x), words.Group(of.WorstGroup.Label))
	}
	return s + "."
}

// Words are the headline and the cost as people who know no risk read them, where they
// have such words.
func (v *Verdict) Words() (headline, cost string) {
	return cmp.Or(v.Plain, v.Headline), cmp.Or(v.PlainCost, v.Cost)
}

// behind is what the words stand for: the headline and the cost in risks.
func (v *Verdict) behind() []string {
	var out []string
	if v.Plain != "" {
		out = append(out, v.Headline)
	}
	if v.PlainCost != "" && v.Cost != "" {
		out = append(out, v.Cost)
	}
	return out
}

// withUnit writes a number and its unit as text does.
func withUnit(s, unit string) string {
	if unit == "" {
		return s
	}
	return s + " " + unit
}
