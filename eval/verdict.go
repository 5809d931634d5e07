package eval

import (
	"fmt"
	"strings"
)

// Outcome is the conclusion of a comparison, decided by intervals alone.
type Outcome string

const (
	Helped       Outcome = "helped"       // worst-group risk lower, interval below 0
	Hurt         Outcome = "hurt"         // worst-group risk higher, interval above 0
	Inconclusive Outcome = "inconclusive" // the interval covers 0
	Untested     Outcome = "untested"     // no interval: nothing is claimed
	NoBaseline   Outcome = "no baseline"  // one model only
)

// Verdict is what the report opens with. Robust training is said to have
// helped only if the paired interval of the worst-group risk (without groups:
// of CVaR_0.1) lies below 0.
type Verdict struct {
	Outcome  Outcome  `json:"outcome"`
	Headline string   `json:"headline"`
	Details  []string `json:"details"`
}

func (e *Evaluation) verdict() Verdict {
	if len(e.Compared) == 0 {
		return e.verdictAlone()
	}
	c := e.Compared[0]
	what, d := "the worst 10 % of losses (CVaR₀.₁)", c.CVaR
	if c.WorstGroup != nil {
		what, d = "the worst group’s risk", *c.WorstGroup
	}
	a := float64(d.Value)
	scale := a
	if w := e.Models[0].WorstGroup; w != nil {
		scale = float64(w.Risk)
	}
	scale = changeScale(&d, scale)
	v := Verdict{}
	side, ok := d.Settled()
	switch {
	case d.Interval == nil:
		v.Outcome = Untested
	case ok && side < 0:
		v.Outcome = Helped
	case ok:
		v.Outcome = Hurt
	default:
		v.Outcome = Inconclusive
	}
	v.Headline = headline(c.Model, c.Baseline, what, v.Outcome, a, scale)
	if d.Interval != nil {
		how := ""
		if d.Interval.Method == "simultaneous" {
			how = fmt.Sprintf(", allowing for the choice among %s", plural(e.Models[0].WorstGroup.Compared, "group", "groups"))
		}
		v.Details = append(v.Details, fmt.Sprintf("Change in %s, %s − %s: %s (%s interval %s%s).",
			what, c.Model, c.Baseline, signed(a, scale), percent0(e.Confidence), rangeText(d.Interval, scale), how))
	}
	for k, m := range e.Models {
		if w := m.WorstGroup; w != nil && k < 2 {
			s := fmt.Sprintf("Worst group of %s: %s, risk %s on %s rows.", m.Name, w.Label, number(float64(w.Risk)), count(w.N))
			v.Details = append(v.Details, s)
		}
	}
	if c.WorstGroup != nil && c.CVaR.Value.Defined() {
		b := float64(e.Models[0].cvar(tailAlpha))
		fine := changeScale(&c.CVaR, b)
		s := fmt.Sprintf("Worst 10\u00a0%% of rows (CVaR₀.₁): change %s", signed(float64(c.CVaR.Value), fine))
		if c.CVaR.Interval != nil {
			s += fmt.Sprintf(" (%s interval %s)", percent0(e.Confidence), rangeText(c.CVaR.Interval, fine))
		}
		v.Details = append(v.Details, s+".")
	}
	r := c.Measures["risk"]
	base, _ := e.Models[0].Overall.Get("risk")
	fine := changeScale(&r, base)
	s := fmt.Sprintf("On average: change of the overall risk %s (from %s to %s", signed(float64(r.Value), fine), number(base), number(base+float64(r.Value)))
	if r.Interval != nil {
		s += fmt.Sprintf("; %s interval %s", percent0(e.Confidence), rangeText(r.Interval, fine))
	}
	v.Details = append(v.Details, s+").")
	for _, c := range e.Compared[1:] {
		if d := c.WorstGroup; d != nil && d.Value.Defined() {
			fine := changeScale(d, scale)
			s := fmt.Sprintf("Worst group’s risk, %s − %s: %s", c.Model, c.Baseline, signed(float64(d.Value), fine))
			if d.Interval != nil {
				s += fmt.Sprintf(" (%s interval %s)", percent0(e.Confidence), rangeText(d.Interval, fine))
			}
			v.Details = append(v.Details, s+".")
		}
	}
	if e.Split == "training rows" {
		v.Headline += " On the training rows only."
	}
	return v
}

// headline words the outcome: of training robustly, or of any other model
// against a baseline.
func headline(model, baseline, what string, o Outcome, change, scale float64) string {
	if model == "robust" {
		switch o {
		case Untested:
			return fmt.Sprintf("Robust training changed %s by %s; without intervals, nothing is claimed.", what, signed(change, scale))
		case Helped:
			return fmt.Sprintf("Robust training lowered %s by %s.", what, like(-change, scale))
		case Hurt:
			return fmt.Sprintf("Robust training raised %s by %s.", what, like(change, scale))
		}
		return fmt.Sprintf("Robust training did not measurably help here: the change in %s could be zero.", what)
	}
	switch o {
	case Untested:
		return fmt.Sprintf("From %s to %s, %s changes by %s; without intervals, nothing is claimed.", baseline, model, what, signed(change, scale))
	case Helped:
		return fmt.Sprintf("From %s to %s, %s falls by %s.", baseline, model, what, like(-change, scale))
	case Hurt:
		return fmt.Sprintf("From %s to %s, %s rises by %s.", baseline, model, what, like(change, scale))
	}
	return fmt.Sprintf("%s and %s do not measurably differ in %s: the difference could be zero.", baseline, model, what)
}

func (e *Evaluation) verdictAlone() Verdict {
	m := e.Models[0]
	risk, _ := m.Overall.Get("risk")
	v := Verdict{Outcome: NoBaseline, Headline: fmt.Sprintf("%s has risk %s overall.", m.Name, number(risk))}
	if w := m.WorstGroup; w != nil {
		v.Headline = fmt.Sprintf("%s has risk %s overall and %s in its worst group, %s.", m.Name, number(risk), number(float64(w.Risk)), w.Label)
		if w.MaxInterval != nil {
			v.Details = append(v.Details, fmt.Sprintf("The largest group risk lies in %s (%s, simultaneous over %s).",
				rangeText(w.MaxInterval, float64(w.Risk)), percent0(e.Confidence), plural(w.Compared, "group", "groups")))
		}
	}
	v.Details = append(v.Details, "One model only: there is nothing to compare it with.")
	return v
}

func percent0(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.2f", 100*x), "0"), "."), ".") + "\u00a0%"
}
