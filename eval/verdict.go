package eval

import (
	"math"

	"github.com/drotrain/drotrain/eval/internal/interval"
)

// An Outcome is the conclusion of an evaluation. The table in docs/verdicts.md gives its conditions, and
// [judge.decide] implements it.
type Outcome string

// The outcomes.
const (
	Helped Outcome = "helped" // better for the worst group, at a cost within the limit
	// better for the worst group, with a restriction that Reason states
	Mixed         Outcome = "mixed"
	NoDifference  Outcome = "no measurable difference" // the interval contains 0 but not a decrease by a third
	Hurt          Outcome = "hurt"                     // worse for the worst group
	TooLittleData Outcome = "too little data"          // the interval contains 0 and a decrease by a third
	StandardKept  Outcome = "standard model kept"      // cross-validation kept ERM, so there is only one model
	// a constant prediction, measurably worse than one, or based on a few rows
	Degenerate Outcome = "degenerate"
	Untested   Outcome = "not tested"  // intervals were not requested
	NoBaseline Outcome = "no baseline" // there is only one model, and no choice kept it
)

// Outcomes lists all outcomes.
func Outcomes() []Outcome {
	return []Outcome{Helped, Mixed, NoDifference, Hurt, TooLittleData, StandardKept, Degenerate, Untested, NoBaseline}
}

// A Reason states why an outcome is mixed.
type Reason string

// The reasons.
const (
	// the average increases by more than the rate or the budget allows
	TooExpensive Reason = "too expensive"
	ByRescaling  Reason = "explained by scaling" // the rescaled baseline achieves most of the improvement
	// the baseline's worst group gains, but more groups lose than gain
	OthersLose Reason = "other groups lose"
	// the worst group does not gain measurably, and more groups lose than gain
	NoGain Reason = "no measurable gain"
)

// A Verdict is the conclusion at the top of a report. The functions in sentence.go compose its sentences.
type Verdict struct {
	Outcome        Outcome `json:"outcome"`
	Reason         Reason  `json:"reason,omitempty"`         // reason of a mixed outcome
	Headline       string  `json:"headline"`                 // the outcome in one sentence
	Numbers        string  `json:"numbers,omitempty"`        // measures of the worst group before and after
	Cost           string  `json:"cost,omitempty"`           // consequence for all rows
	Recommendation string  `json:"recommendation,omitempty"` // the model that should be used
	Recommended    string  `json:"recommended,omitempty"`    // name of the model; "" for none

	// Hold states why the model must not be used yet: failed gates, columns that reveal the outcome, failed
	// criteria. Checks holds clauses about what must be checked first: columns that may be known only after the
	// outcome, and protected attributes. The recommendation begins with both. See [Evaluation.Conclude].
	Hold   []string `json:"hold,omitempty"`
	Checks []string `json:"checks,omitempty"`

	// Criterion is the criterion of the verdict: "worst-group", "worst-group-accuracy", "average", "tail" or
	// "trade-off". Judged is the change in this quantity from the baseline; for the trade-off, it is the change
	// in the worst group's risk.
	Criterion string      `json:"criterion,omitempty"`
	Judged    *Difference `json:"judged,omitempty"`

	Details  []string `json:"details"`
	Ranking  string   `json:"ranking,omitempty"`  // why the model that is best for the worst group is not recommended
	Warnings []string `json:"warnings,omitempty"` // warnings about the model in focus
	Groups   *Tally   `json:"groups,omitempty"`   // tally of the first comparison
	// Explained is the share, achieved by the rescaled baseline alone, of the improvement for the worst group; nil
	// without such a baseline.
	Explained *Num `json:"explained_by_rescaling,omitempty"`

	before *advice // sentences as written by Evaluate; nil if Conclude has not been called
}

// maxExplained is the minimum share of an improvement that rescaling must achieve for the improvement to be
// attributed to it.
const maxExplained = 0.8

// worthKnowing is the relative change in the worst group's risk that the interval must exclude for the verdict to
// be "no measurable difference" as opposed to "too little data".
const worthKnowing = 1.0 / 3

// negligible is the relative change in the worst group's risk that is ignored, however narrow its interval is.
const negligible = 0.001

// A judge holds the data on which the verdict about the first comparison is based.
type judge struct {
	*Evaluation
	in     *Input
	strata *strata
	k      int         // index of the model in focus
	c      *Comparison // comparison with the baseline; nil if there is a single model
	d      Difference  // change of what the criterion measures

	effective, fewest float64 // effective number of training rows, and the minimum that is needed
	// ranksBetter reports whether, in the baseline's worst group, the model is measurably more accurate than
	// the rescaled baseline or ranks rows better.
	ranksBetter bool
}

// reachVerdict returns the verdict about the first comparison.
func (e *Evaluation) reachVerdict(in *Input, strata *strata) Verdict {
	j := judge{Evaluation: e, in: in, strata: strata, k: e.Focus(), effective: math.Inf(1)}
	if in.EffectiveRows > 0 {
		j.effective, j.fewest = in.EffectiveRows, minEffective(in.TrainingRows)
	}
	v := Verdict{Details: []string{}}
	if len(e.Compared) > 0 {
		j.c = &e.Compared[0]
		j.d = j.judgedDifference()
		v.Criterion = j.criterion()
		if j.d.Value.Defined() {
			v.Judged = &j.d
		}
		v.Groups, v.Explained = j.c.tallyGroups(), j.explainedShare()
		if v.Explained != nil && *v.Explained >= maxExplained {
			j.ranksBetter = j.isBetterThanRescaled()
		}
	}
	v.Outcome, v.Reason = j.decide(&v)
	j.writeSentences(&v)
	return v
}

// decide returns the outcome of the first condition that holds.
func (j *judge) decide(v *Verdict) (Outcome, Reason) {
	side, measurable := j.d.Direction()
	moreLose := v.Groups != nil && v.Groups.Worse > v.Groups.Better
	switch {
	case j.Models[j.k].Constant || j.Models[j.k].OverConstant.isAbove() || j.effective < j.fewest:
		return Degenerate, ""
	case j.c == nil && (j.in.RejectedCandidates > 0 || j.in.StandardRecommended):
		return StandardKept, ""
	case j.c == nil:
		return NoBaseline, ""
	case j.c.Alike:
		return NoDifference, ""
	case j.Resamples == 0:
		return Untested, ""
	case j.d.Interval == nil || j.isByGroup() && j.c.WorstGroup == nil:
		return TooLittleData, ""
	case measurable && math.Abs(float64(j.d.Value)) < negligible*math.Abs(j.baselineValue()):
		return NoDifference, ""
	case measurable && side > 0:
		return Hurt, ""
	case measurable && !j.isAffordable():
		return Mixed, TooExpensive
	case measurable && j.in.Criterion == "" && v.Explained != nil && *v.Explained >= maxExplained && !j.ranksBetter:
		return Mixed, ByRescaling
	case measurable:
		return Helped, ""
	case j.in.Criterion == "" && moreLose && j.hasBaselineGain():
		return Mixed, OthersLose
	case j.in.Criterion == "" && moreLose:
		return Mixed, NoGain
	case float64(j.d.Interval.Low) < -worthKnowing*math.Abs(j.baselineValue()):
		return TooLittleData, ""
	}
	return NoDifference, ""
}

// isAffordable reports whether the increase in the average risk is within the budget or, if Rate applies, justified by
// the improvement in the worst group. If a criterion chose the model, an excess of one standard error is allowed.
func (j *judge) isAffordable() bool {
	increase := float64(j.c.Measures[riskMeasure.Key].Value)
	if b := j.in.Budget; b != nil && increase > 0 {
		base, ok := j.Models[0].Overall.Get(riskMeasure.Key)
		return ok && !j.isAverageAbove(*b*math.Abs(base))
	}
	switch j.in.Criterion {
	case "":
		return increase <= 0 || -float64(j.d.Value) >= j.in.rate()*increase
	case "trade-off":
		return !j.isCriterionHigher()
	}
	return true
}

// hasBaselineGain reports whether the baseline's worst group is measurably better with the model.
func (j *judge) hasBaselineGain() bool {
	if j.c.AtBaselineWorst == nil {
		return false
	}
	side, _ := j.c.AtBaselineWorst.Direction()
	return side < 0
}

// rescaledModel returns the index of the rescaled baseline, or −1 if there is none.
func (j *judge) rescaledModel() int {
	for k, m := range j.in.Models {
		if k > 0 && m.Role == RescaledModel {
			return k
		}
	}
	return -1
}

// explainedShare returns the share, achieved by the rescaled baseline alone, of the improvement in a risk. It returns
// nil if there is no improvement or no rescaled baseline.
func (j *judge) explainedShare() *Num {
	k, d := j.rescaledModel(), float64(j.d.Value)
	if k < 1 || k == j.k || !(d < 0) || j.criterion() == "worst-group-accuracy" || j.criterion() == "average" {
		return nil
	}
	c := j.Compared[k-1]
	t := float64(c.CVaR.Value)
	if j.isByGroup() && c.WorstGroup != nil {
		t = float64(c.WorstGroup.Value)
	}
	share := Num(max(0, t/d))
	return &share
}

// minEffective returns the effective number of rows below which a model is said to be based on a few of its n
// training rows.
func minEffective(n float64) float64 { return math.Max(30, 0.005*n) }

// isBetterThanRescaled reports whether, in the baseline's worst group, the model in focus is measurably more
// accurate than the rescaled baseline or ranks the rows measurably better; less confident scores alone cannot
// achieve either. It only applies to two classes. If there are no groups, it uses all rows.
func (j *judge) isBetterThanRescaled() bool {
	if j.Task != Binary {
		return false
	}
	s := j.strata.All
	if w := j.Models[0].WorstGroup; w != nil {
		s = &j.strata.Groups[len(j.Groupings)-1][j.Headline().find(w.Label)]
	}
	r := j.rescaledModel()
	right := func(k int, i int32) float64 {
		if j.in.rows.isWrong(k, i) {
			return 0
		}
		return 1
	}
	gain, se := j.in.rows.Weight.Mean(s.Rows, func(i int32) float64 { return right(j.k, i) - right(r, i) })
	z := interval.StudentQuantile(j.Confidence, max(1, float64(len(s.Rows)-1)))
	if gain > z*se {
		return true
	}
	gain, se = interval.AUCGain(&j.in.rows.Rows, s, j.k, r)
	return gain > z*se
}
