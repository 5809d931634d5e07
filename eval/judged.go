package eval

import (
	"math"

	"github.com/drotrain/drotrain/eval/internal/interval"
	"gonum.org/v1/gonum/floats"
)

// criterion returns the criterion by which the verdict judges: the one by which the model was chosen or, if the
// level was set, the worst group's risk (the tail if there are no groups).
func (j *judge) criterion() string {
	switch {
	case j.in.Criterion != "":
		return j.in.Criterion
	case j.Headline() == nil:
		return "tail"
	}
	return "worst-group"
}

// isByGroup reports whether the verdict refers to the worst group.
func (j *judge) isByGroup() bool {
	switch j.criterion() {
	case "worst-group", "worst-group-accuracy", "trade-off":
		return j.Headline() != nil
	}
	return false
}

// judgedDifference returns the change from the baseline that determines the verdict: of the worst group's risk or
// error rate, of the average risk, or of CVaR_0.1. The two parts of the trade-off are judged separately: the worst
// group's risk here and the average in isAffordable.
func (j *judge) judgedDifference() Difference {
	switch {
	case j.criterion() == "average":
		return j.c.Measures[riskMeasure.Key]
	case !j.isByGroup():
		return j.c.CVaR
	case j.hasSmallWorstGroup():
		return Difference{Value: Num(j.judgedIn(j.k, j.worstGroup(j.k, true)) - j.judgedIn(0, j.worstGroup(0, true)))}
	case j.criterion() == "worst-group-accuracy":
		return j.worstErrorDifference()
	case j.c.WorstGroup != nil:
		return *j.c.WorstGroup
	}
	return Difference{Value: Num(math.NaN())}
}

// baselineValue returns the value of the baseline to which the change of judgedDifference refers.
func (j *judge) baselineValue() float64 {
	switch {
	case j.criterion() == "average":
		return float64(j.Models[0].Overall.Risk())
	case j.criterion() == "worst-group-accuracy" && j.isByGroup():
		return j.judgedIn(0, j.worstGroup(0, false))
	case j.isByGroup() && j.Models[0].WorstGroup != nil:
		return float64(j.Models[0].WorstGroup.Risk)
	}
	return float64(j.Models[0].CVaRAt(TailAlpha))
}

// criterionChange returns the change in the criterion itself: for the trade-off, the change in (worst group +
// rate·average)/(1 + rate). It returns NaN if the change is unknown.
func (j *judge) criterionChange() float64 {
	d := float64(j.d.Value)
	if j.criterion() == "trade-off" {
		return (d + j.in.rate()*float64(j.c.Measures[riskMeasure.Key].Value)) / (1 + j.in.rate())
	}
	return d
}

// isCriterionHigher reports whether the criterion speaks against the model. If the level was chosen on other rows,
// the change on the evaluated rows is pooled with the change estimated there, each weighted by the precision of its
// standard error; the result must then not be below 0. If it was chosen on the evaluated rows, the criterion must
// be exactly the same or higher by at least the standard error.
func (j *judge) isCriterionHigher() bool {
	change, se := j.criterionChange(), j.criterionError()
	if before, ok := j.estimatedChangeAtChoice(); ok && change >= 0 {
		if change == 0 { // no row differs, or equally many differ in each direction
			return false
		}
		weight := before.SE * before.SE / (se*se + before.SE*before.SE)
		return weight*change+(1-weight)*before.Change >= 0
	}
	return change >= 0 && change >= se
}

// estimatedChangeAtChoice returns the change in the criterion that was estimated when the level was chosen, in the
// units of criterionChange. ok is false if it is unknown or was estimated on the evaluated rows.
func (j *judge) estimatedChangeAtChoice() (c ChosenChange, ok bool) {
	base := j.baselineValue()
	if j.criterion() == "trade-off" {
		base = (base + j.in.rate()*float64(j.Models[0].Overall.Risk())) / (1 + j.in.rate())
	}
	c = ChosenChange{j.in.Chosen.Change * math.Abs(base), j.in.Chosen.SE * math.Abs(base)}
	return c, j.Split != OutOfFold && c.Change < 0 && c.SE > 0
}

// criterionError returns the standard error of criterionChange, for which the rows are paired.
func (j *judge) criterionError() float64 {
	e := changeError{weight: j.in.rows.Weight, influence: make([]float64, len(j.in.Target))}
	all := j.strata.All.Rows
	loss := func(k int) func(i int32) float64 {
		return func(i int32) float64 { return j.in.Models[k].Loss[i] }
	}
	switch {
	case j.criterion() == "average":
		e.add(all, 1, loss(j.k))
		e.add(all, -1, loss(0))
	case !j.isByGroup():
		e.add(all, 1, j.beyondTail(j.k))
		e.add(all, -1, j.beyondTail(0))
	default:
		for _, k := range []int{0, j.k} {
			sign, of := 1.0, loss(k)
			if k == 0 {
				sign = -1
			}
			if j.criterion() == "worst-group-accuracy" {
				of = func(i int32) float64 {
					if j.in.rows.isWrong(k, i) {
						return 1
					}
					return 0
				}
			}
			if s := j.worstGroup(k, j.hasSmallWorstGroup()); s >= 0 {
				e.add(j.strata.Groups[len(j.Groupings)-1][s].Rows, sign, of)
			}
		}
	}
	if j.criterion() == "trade-off" {
		rate := j.in.rate()
		e.add(all, rate, loss(j.k))
		e.add(all, -rate, loss(0))
		return e.standardError() / (1 + rate)
	}
	return e.standardError()
}

// isAverageAbove reports whether the average increases by more than bound or, if a criterion chose the model, by
// more than bound plus the standard error.
func (j *judge) isAverageAbove(bound float64) bool {
	increase, rows := float64(j.c.Measures[riskMeasure.Key].Value), j.strata.All.Rows
	if j.in.Criterion != "" {
		bound += j.in.rows.Weight.StandardError(j.in.Models[j.k].Loss, j.in.Models[0].Loss, rows)
	}
	return !(increase <= bound)
}

// beyondTail returns a function of a row whose mean is CVaR_0.1 of model k minus the quantile of its losses.
func (j *judge) beyondTail(k int) func(i int32) float64 {
	loss, quantile := j.in.Models[k].Loss, math.Inf(1)
	if sorted, err := sortLosses(nil, loss, j.in.rows.Weight); err == nil {
		_, quantile = sorted.CVaRAt(TailAlpha)
	}
	return func(i int32) float64 { return max(0, loss[i]-quantile) / TailAlpha }
}

// A changeError accumulates the influences of the rows on a sum of means.
type changeError struct {
	weight    interval.Weights
	influence []float64 // influence of each row
}

// add adds the influences on factor times the mean of x over rows.
func (e *changeError) add(rows []int32, factor float64, x func(i int32) float64) {
	mean, _ := e.weight.Mean(rows, x)
	n := float64(len(rows))
	factor *= math.Sqrt(n/max(1, n-1)) / e.weight.Total(rows)
	for _, i := range rows {
		e.influence[i] += factor * e.weight.Of(i) * (x(i) - mean)
	}
}

// standardError returns the standard error of the sum.
func (e *changeError) standardError() float64 { return floats.Norm(e.influence, 2) }

// betterPhrases returns phrases that describe a model that is better by the criterion, such as "better for the
// worst group", and one that is worse.
func (j *judge) betterPhrases() (better, worse string) {
	switch {
	case j.criterion() == "average":
		return "better on average", "worse on average"
	case j.criterion() == "worst-group-accuracy" && j.isByGroup():
		return "more accurate in the worst group", "less accurate in the worst group"
	}
	return "better for " + j.nameOfWorst(), "worse for " + j.nameOfWorst()
}

// minDecidingRows is the minimum number of rows for a group to decide a choice in cross-validation.
const minDecidingRows = 5

// hasSmallWorstGroup reports whether the model was chosen by a criterion on groups and the worst group of some
// model has too few rows here for an interval. The groups with enough rows then do not determine the criterion.
func (j *judge) hasSmallWorstGroup() bool {
	if j.in.Criterion == "" || !j.isByGroup() {
		return false
	}
	for _, k := range []int{0, j.k} {
		if s := j.worstGroup(k, true); s >= 0 && !j.Headline().Groups[s].Sufficient {
			return true
		}
	}
	return false
}

// worstGroup returns the index of the group with the largest risk or error rate of model k, whichever the criterion
// uses. It considers the groups with enough rows or, if small is set, those with enough rows to decide a choice. It
// returns −1 if there are none.
func (j *judge) worstGroup(k int, small bool) int {
	at := -1
	for s := range j.Headline().Groups {
		g := &j.Headline().Groups[s]
		if !g.Sufficient && (!small || g.N < minDecidingRows) || !(j.judgedIn(k, s) > j.judgedIn(k, at) || at < 0) ||
			math.IsNaN(j.judgedIn(k, s)) {
			continue
		}
		at = s
	}
	return at
}

// judgedIn returns the risk or error rate of model k in a group, whichever the criterion uses. It returns NaN for
// group −1.
func (j *judge) judgedIn(k, group int) float64 {
	if group < 0 {
		return math.NaN()
	}
	v := j.Headline().Groups[group].Models[k].Values
	if j.criterion() == "worst-group-accuracy" {
		return 1 - float64(v.Of[j.Task.Leading().Key])
	}
	return float64(v.Risk())
}

// worstErrorDifference returns the change in the largest error rate of any group. Its interval is computed from
// simultaneous intervals, over all groups, of the error rates of both models and of their paired differences.
func (j *judge) worstErrorDifference() Difference {
	g := j.Headline()
	d := Difference{Value: Num(j.judgedIn(j.k, j.worstGroup(j.k, false)) - j.judgedIn(0, j.worstGroup(0, false)))}
	compared := 0
	for s := range g.Groups {
		if g.Groups[s].Sufficient {
			compared++
		}
	}
	if j.Resamples == 0 || compared == 0 {
		return d
	}
	confidence := interval.Simultaneous(j.Confidence, max(3*float64(compared), j.in.Comparisons.Groups))
	bounded := make([]Group, len(g.Groups)) // groups with bounds of their error rates
	changes := make([]GroupDifference, len(g.Groups))
	for s := range g.Groups {
		bounded[s].Sufficient = g.Groups[s].Sufficient
		bounded[s].Models = make([]GroupModel, 2)
		if !g.Groups[s].Sufficient {
			continue
		}
		var pairs interval.Pairs
		for _, i := range j.strata.Groups[len(j.Groupings)-1][s].Rows {
			pairs.Add(j.in.rows.Weight.Of(i), j.in.rows.isWrong(0, i), j.in.rows.isWrong(j.k, i))
		}
		for k, wrong := range []*interval.Trials{&pairs.Before, &pairs.After} {
			iv := wrong.Wilson(confidence)
			bounded[s].Models[k].Simultaneous = newInterval(&iv, "simultaneous")
		}
		iv := pairs.Change(confidence)
		changes[s].Simultaneous = newInterval(&iv, "simultaneous")
	}
	d.Interval = maxDifference(bounded, changes, 1, 0)
	return d
}

// isWrong reports whether model k predicts the wrong class for row i.
func (in *measuredRows) isWrong(k int, i int32) bool {
	if in.Task == Multiclass {
		return float64(in.Models[k].Class[i]) != in.Target[i]
	}
	return (in.Models[k].Score[i] >= in.Threshold) != (in.Target[i] > 0)
}
