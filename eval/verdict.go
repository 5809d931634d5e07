package eval

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/eval/internal/measure"
	"github.com/drotrain/drotrain/eval/internal/words"
)

// Outcome is the conclusion of a comparison, decided by intervals alone.
type Outcome string

const (
	Helped       Outcome = "helped"       // worst-group risk lower, interval below 0, at a price that is asked for
	Mixed        Outcome = "mixed"        // it is lower, but costs too much, or shrinking the scores does the same, or more groups are worse off than better
	Hurt         Outcome = "hurt"         // worst-group risk higher, or more groups worse off than better and no fall that is worth its price, be it chance
	Inconclusive Outcome = "inconclusive" // the interval covers 0
	Degenerate   Outcome = "degenerate"   // the model is worse than a constant, or rests on a handful of rows
	Untested     Outcome = "untested"     // no interval: nothing is claimed
	NoBaseline   Outcome = "no baseline"  // one model only
)

// Verdict is what the report opens with. A model is said to have helped only if
// the simultaneous interval of the worst group's risk (without groups: that of
// CVaR_0.1) lies below 0, the average pays for it at the rate asked for, and the
// baseline with tempered scores does not do as much.
type Verdict struct {
	Outcome  Outcome `json:"outcome"`
	Headline string  `json:"headline"`
	Cost     string  `json:"cost,omitempty"` // to the average, in a sentence

	// Plain and PlainCost are the two for people who know no risk, where it has a meaning
	// of its own: a typical probability, a typical error. Else they are empty.
	Plain     string `json:"plain,omitempty"`
	PlainCost string `json:"plain_cost,omitempty"`

	Recommendation string   `json:"recommendation,omitempty"`
	Details        []string `json:"details"`
	Warnings       []string `json:"warnings,omitempty"` // why the model is no success
	Groups         *Tally   `json:"groups,omitempty"`   // of the first comparison
	// Explained is the share of the fall in the worst group's risk that the
	// baseline with tempered scores reaches too, where there is one.
	Explained *Num `json:"explained_by_tempering,omitempty"`
}

// MostExplained is the share of the fall that tempering may reach before the
// fall is put down to it.
const MostExplained = 0.8

// A judge gathers what the verdict of the first comparison rests on.
type judge struct {
	*Evaluation
	in    *Input
	c     *Comparison
	what  string     // whose change d is
	d     Difference // of the worst group's risk, or of CVaR_0.1
	scale float64
}

func (e *Evaluation) verdict(in *Input) Verdict {
	if len(e.Compared) == 0 {
		return e.verdictAlone(in)
	}
	j := judge{Evaluation: e, in: in, c: &e.Compared[0], what: "the worst 10 % of losses (CVaR₀.₁)", d: e.Compared[0].CVaR}
	if w := j.c.WorstGroup; w != nil {
		j.what, j.d = "the worst group’s risk", *w
	}
	scale := float64(j.d.Value)
	if w := e.Models[0].WorstGroup; w != nil {
		scale = float64(w.Risk)
	}
	j.scale = j.d.scale(scale)
	v := Verdict{Groups: j.c.tally(), Explained: j.explained(), Warnings: e.warnings(in, Focus(len(e.Models)))}
	v.Outcome = j.outcome(&v)
	v.Headline = j.headline(&v, j.changed())
	v.Cost = j.cost()
	v.Plain, v.PlainCost = j.plain(&v)
	v.Recommendation = j.recommend(&v)
	v.Details = append(v.behind(), j.details()...)
	if e.Split == "training rows" {
		v.Headline += " On the training rows only."
		if v.Plain != "" {
			v.Plain += " On the training rows only."
		}
	}
	return v
}

// warnings says why a model is no success, whatever its worst group does.
func (e *Evaluation) warnings(in *Input, k int) []string {
	var out []string
	name := e.Models[k].Name
	if e.worseThanConstant(k) {
		out = append(out, fmt.Sprintf("On these rows %s predicts worse than the best constant prediction would.", name))
	}
	if n := in.TrainingRows; in.EffectiveRows > 0 && in.EffectiveRows < fewestEffective(n) {
		out = append(out, fmt.Sprintf("%s rests on the equivalent of %s of %s; fewer than %s are too few to learn from.",
			name, words.Number(in.EffectiveRows), words.Plural(int(n), "training row", "training rows"), words.Number(fewestEffective(n))))
	}
	return out
}

// explained is how much of the fall the tempered baseline reaches; nil where
// there is no fall or no such model.
func (j *judge) explained() *Num {
	d := float64(j.d.Value)
	if j.in.Tempered == "" || !(d < 0) {
		return nil
	}
	for _, c := range j.Compared[1:] {
		if c.Model != j.in.Tempered {
			continue
		}
		t := float64(c.CVaR.Value)
		if c.WorstGroup != nil {
			t = float64(c.WorstGroup.Value)
		}
		share := Num(max(0, t/d))
		return &share
	}
	return nil
}

// pays reports whether the rise of the average is within the budget asked for,
// or the fall worth it at the rate.
func (j *judge) pays() bool {
	rise := float64(j.c.Measures["risk"].Value)
	if b := j.in.Budget; b != nil && rise > 0 {
		base, ok := j.Models[0].Overall.Get("risk")
		return ok && rise <= *b*math.Abs(base)
	}
	return rise <= 0 || -float64(j.d.Value) >= j.in.rate()*rise
}

// price is what was asked of the average, in words.
func (j *judge) price() string {
	if j.in.Budget != nil {
		return fmt.Sprintf("the budget asked for (%s of it)", words.Percent(*j.in.Budget))
	}
	return fmt.Sprintf("the rate asked for (%s to 1)", words.Short(j.in.rate()))
}

// trades reports whether the group that was worst off is measurably better off.
func (j *judge) trades() bool {
	if j.c.AtBaselineWorst == nil {
		return false
	}
	side, _ := j.c.AtBaselineWorst.Settled()
	return side < 0
}

// bought reports whether the worst group's risk fell by what its price was to buy, settled or
// not: what a choice at that rate is after. The groups that pay are larger, and settle sooner.
func (j *judge) bought() bool { return j.c.WorstGroup != nil && j.d.Value < 0 && j.pays() }

func (j *judge) outcome(v *Verdict) Outcome {
	side, ok := j.d.Settled()
	switch {
	case len(v.Warnings) > 0:
		return Degenerate
	case j.d.Interval == nil:
		return Untested
	case ok && side > 0:
		return Hurt
	case !ok && v.Groups != nil && v.Groups.Worse > v.Groups.Better:
		if j.trades() || j.bought() {
			return Mixed
		}
		return Hurt
	case !ok:
		return Inconclusive
	case !j.pays() || v.Explained != nil && *v.Explained >= MostExplained:
		return Mixed
	}
	return Helped
}

// who is what changed the risk: training robustly, or any other model in the place of a
// baseline.
func (j *judge) who() string {
	if j.c.Model != "robust" {
		return "Going from " + j.c.Baseline + " to " + j.c.Model
	}
	return "Robust training"
}

// changed words the change, without a full stop.
func (j *judge) changed() string {
	verb, a := "raised", float64(j.d.Value)
	if a < 0 {
		verb, a = "lowered", -a
	}
	return fmt.Sprintf("%s %s %s by %s", j.who(), verb, j.what, words.Like(a, j.scale))
}

// headline words the outcome, given words for the change.
func (j *judge) headline(v *Verdict, changed string) string {
	who, a := j.who(), float64(j.d.Value)
	if j.c.Alike && (v.Outcome == Inconclusive || v.Outcome == Untested) {
		return fmt.Sprintf("%s and %s are the same model on these rows: there is nothing to gain and nothing to pay.", j.c.Baseline, j.c.Model)
	}
	side, settled := j.d.Settled()
	switch v.Outcome {
	case Degenerate:
		return fmt.Sprintf("Do not use this model. %s", v.Warnings[0])
	case Untested:
		return fmt.Sprintf("%s changed %s by %s; without intervals, nothing is claimed.", who, j.what, words.Signed(a, j.scale))
	case Helped:
		return changed + "."
	case Mixed:
		if !settled && !j.trades() {
			return fmt.Sprintf("%s, which may be chance; it is worth what the average pays, but more groups lose than gain: %s", changed, v.Groups)
		}
		if !settled {
			return fmt.Sprintf("%s helped %s, the worst group of %s, but not groups on the whole: %s", who, j.Models[0].WorstGroup.Label, j.c.Baseline, v.Groups)
		}
		if !j.pays() {
			return fmt.Sprintf("%s, but the average pays more for it than %s.", changed, j.price())
		}
		return fmt.Sprintf("%s, but %s reaches %s of that fall by less confident scores alone.", changed, j.in.Tempered, words.Percent(float64(*v.Explained)))
	case Hurt:
		if settled && side > 0 {
			return changed + "."
		}
		return fmt.Sprintf("%s did more harm than good: %s", who, v.Groups)
	}
	if j.c.Model != "robust" {
		return fmt.Sprintf("%s and %s do not measurably differ in %s: the difference could be zero.", j.c.Baseline, j.c.Model, j.what)
	}
	return fmt.Sprintf("Robust training did not measurably help here: the change in %s could be zero.", j.what)
}

// cost says what the average pays.
func (j *judge) cost() string {
	r := j.c.Measures["risk"]
	base, ok := j.Models[0].Overall.Get("risk")
	if !ok || !r.Value.Defined() {
		return ""
	}
	fine := r.scale(base)
	verb := "rises"
	if r.Value < 0 {
		verb = "falls"
	}
	s := fmt.Sprintf("The average risk over all rows %s from %s to %s", verb, words.Like(base, base), words.Like(base+float64(r.Value), base))
	if j.c.Alike {
		return fmt.Sprintf("The average risk over all rows is %s.", words.Like(base, base))
	}
	if r.Value == 0 {
		s = fmt.Sprintf("The average risk over all rows stays at %s", words.Like(base, base))
	}
	if r.Interval != nil {
		s += fmt.Sprintf(" (change %s, %s interval %s)", words.Signed(float64(r.Value), fine), words.Percent0(j.Confidence), r.Interval.Text(fine))
	}
	return s + "."
}

func (j *judge) recommend(v *Verdict) string {
	base, model := j.c.Baseline, j.c.Model
	switch v.Outcome {
	case Degenerate:
		if j.c.Alike {
			return "Use neither: train again with other columns or more rows."
		}
		return fmt.Sprintf("Use %s, or train again with a larger ν or fewer columns.", base)
	case Helped:
		if v.Groups != nil && v.Groups.Worse > 0 {
			return fmt.Sprintf("Use %s if the worst group matters most; look first at the groups that lose (%s).", model, words.Count(v.Groups.Worse))
		}
		return fmt.Sprintf("Use %s.", model)
	case Mixed:
		if _, settled := j.d.Settled(); !settled && !j.trades() {
			return fmt.Sprintf("Decide whose losses count: %s is better for those worst off if these rows do not mislead, and worse for %s. Predictions out of fold of all rows (--evaluate crossfit) tell more.",
				model, words.Plural(v.Groups.Worse, "group", "groups"))
		} else if !settled {
			return fmt.Sprintf("Decide whose losses count: %s is better for %s and worse for %s. A larger ν moves less between groups.",
				model, j.Models[0].WorstGroup.Label, words.Plural(v.Groups.Worse, "other group", "other groups"))
		}
		if !j.pays() {
			if j.in.Budget != nil {
				return fmt.Sprintf("Keep %s unless the worst group is worth more to you than %s of the average; a larger ν costs less.", base, words.Percent(*j.in.Budget))
			}
			return fmt.Sprintf("Keep %s unless the worst group is worth more to you than %s to 1; a larger ν costs less.", base, words.Short(j.in.rate()))
		}
		return fmt.Sprintf("Keep %s, or use %s: the ranking of the rows is what a model should improve.", base, j.in.Tempered)
	case Hurt:
		return fmt.Sprintf("Keep %s.", base)
	case Inconclusive:
		if j.c.Alike {
			return fmt.Sprintf("Use %s: no protection was chosen, or none that changes a prediction.", base)
		}
		return fmt.Sprintf("Keep %s: nothing shows that %s is better for the worst group. More rows would narrow the interval.", base, model)
	}
	return "Measure again with intervals before deciding."
}

// details are the numbers behind the headline.
func (j *judge) details() []string {
	var out []string
	c, conf := j.c, words.Percent0(j.Confidence)
	if j.d.Interval != nil {
		how := ""
		if j.d.Interval.Method == "simultaneous" {
			how = fmt.Sprintf(", allowing for the choice among %s", words.Plural(j.Models[0].WorstGroup.Compared, "group", "groups"))
		}
		out = append(out, fmt.Sprintf("Change in %s, %s − %s: %s (%s interval %s%s).",
			j.what, c.Model, c.Baseline, words.Signed(float64(j.d.Value), j.scale), conf, j.d.Interval.Text(j.scale), how))
	}
	for k, m := range j.Models {
		if w := m.WorstGroup; w != nil && k < 2 {
			out = append(out, fmt.Sprintf("Worst group of %s: %s, risk %s on %s.", m.Name, w.Label, words.Number(float64(w.Risk)), words.Plural(w.N, "row", "rows")))
		}
	}
	if c.WorstGroup != nil && c.CVaR.Value.Defined() {
		fine := c.CVaR.scale(float64(j.Models[0].CVaRAt(measure.TailAlpha)))
		s := fmt.Sprintf("Worst 10\u00a0%% of rows (CVaR₀.₁): change %s", words.Signed(float64(c.CVaR.Value), fine))
		if c.CVaR.Interval != nil {
			s += fmt.Sprintf(" (%s interval %s)", conf, c.CVaR.Interval.Text(fine))
		}
		out = append(out, s+".")
	}
	for _, c := range j.Compared[1:] {
		if d := c.WorstGroup; d != nil && d.Value.Defined() {
			fine := d.scale(j.scale)
			s := fmt.Sprintf("Worst group’s risk, %s − %s: %s", c.Model, c.Baseline, words.Signed(float64(d.Value), fine))
			if d.Interval != nil {
				s += fmt.Sprintf(" (%s interval %s)", conf, d.Interval.Text(fine))
			}
			out = append(out, s+".")
		}
	}
	return out
}

func (e *Evaluation) verdictAlone(in *Input) Verdict {
	m := e.Models[0]
	risk, _ := m.Overall.Get("risk")
	v := Verdict{Outcome: NoBaseline, Headline: fmt.Sprintf("%s has risk %s overall.", m.Name, words.Number(risk)), Warnings: e.warnings(in, 0)}
	if w := m.WorstGroup; w != nil {
		v.Headline = fmt.Sprintf("%s has risk %s overall and %s in its worst group, %s.", m.Name, words.Number(risk), words.Number(float64(w.Risk)), w.Label)
		if w.MaxInterval != nil {
			v.Details = append(v.Details, fmt.Sprintf("The largest group risk lies in %s (%s, simultaneous over %s).",
				w.MaxInterval.Text(float64(w.Risk)), words.Percent0(e.Confidence), words.Plural(w.Compared, "group", "groups")))
		}
	}
	v.Plain = e.plainAlone()
	v.Details = append(v.behind(), v.Details...)
	v.Details = append(v.Details, "One model only: there is nothing to compare it with.")
	return v
}
