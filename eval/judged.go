package eval

import (
	"math"
)

// criterion returns the criterion that the verdict judges by: that of the choice or, if the level was set, the worst
// group's risk and, without groups, the tail.
func (j *judge) criterion() string {
	switch {
	case j.in.Criterion != "":
		return j.in.Criterion
	case j.Headline() == nil:
		return "tail"
	}
	return "worst-group"
}

// isByGroup reports whether the verdict is about the worst group.
func (j *judge) isByGroup() bool {
	switch j.criterion() {
	case "worst-group", "worst-group-accuracy", "trade-off":
		return j.Headline() != nil
	}
	return false
}

// judgedDifference returns the change from the baseline that the verdict is about: of the worst group's risk or error
// rate, of the average risk or of CVaR_0.1. The trade-off is judged by its two parts: the worst group's risk here and
// the average in isAffordable.
func (j *judge) judgedDifference() Difference {
	switch {
	case j.criterion() == "average":
		return j.c.Measures[riskMeasure.Key]
	case !j.isByGroup():
		return j.c.CVaR
	case j.criterion() == "worst-group-accuracy":
		return j.worstErrorDifference()
	case j.c.WorstGroup != nil:
		return *j.c.WorstGroup
	}
	return Difference{Value: Num(math.NaN())}
}

// judgedBaseline returns the baseline's value of what judgedDifference compares.
func (j *judge) judgedBaseline() float64 {
	switch {
	case j.criterion() == "average":
		return float64(j.Models[0].Overall.Risk())
	case j.criterion() == "worst-group-accuracy" && j.isByGroup():
		return 1 - j.accuracyIn(0, j.leastAccurate(0))
	case j.isByGroup() && j.Models[0].WorstGroup != nil:
		return float64(j.Models[0].WorstGroup.Risk)
	}
	return float64(j.Models[0].CVaRAt(TailAlpha))
}

// criterionChange returns the change of the criterion itself, which for the trade-off is that of (worst group +
// rate·average)/(1 + rate); NaN if it is not known.
func (j *judge) criterionChange() float64 {
	d := float64(j.d.Value)
	if j.criterion() == "trade-off" {
		return (d + j.in.rate()*float64(j.c.Measures[riskMeasure.Key].Value)) / (1 + j.in.rate())
	}
	return d
}

// betterFor returns what a model that is better by the criterion is, as "better for the worst group", and what a
// model that is worse is.
func (j *judge) betterFor() (better, worse string) {
	switch {
	case j.criterion() == "average":
		return "better on average", "worse on average"
	case j.criterion() == "worst-group-accuracy" && j.isByGroup():
		return "more accurate in the worst group", "less accurate in the worst group"
	}
	return "better for " + j.nameOfWorst(), "worse for " + j.nameOfWorst()
}

// leastAccurate returns the index of the group with the lowest accuracy of model k among the groups with enough rows,
// or −1.
func (j *judge) leastAccurate(k int) int {
	at := -1
	for s := range j.Headline().Groups {
		if g := &j.Headline().Groups[s]; g.Sufficient && (at < 0 || j.accuracyIn(k, s) < j.accuracyIn(k, at)) {
			at = s
		}
	}
	return at
}

// accuracyIn returns the accuracy of model k in a group; NaN for a group of −1.
func (j *judge) accuracyIn(k, group int) float64 {
	if group < 0 {
		return math.NaN()
	}
	return float64(j.Headline().Groups[group].Models[k].Values.Of[j.Task.Leading().Key])
}

// worstErrorDifference returns the change of the largest error rate of a group. Its interval follows from intervals
// of the error rates of both models and of their paired differences that hold for all groups together.
func (j *judge) worstErrorDifference() Difference {
	g := j.Headline()
	d := Difference{Value: Num(j.accuracyIn(0, j.leastAccurate(0)) - j.accuracyIn(j.k, j.leastAccurate(j.k)))}
	compared := 0
	for s := range g.Groups {
		if g.Groups[s].Sufficient {
			compared++
		}
	}
	if j.Resamples == 0 || compared == 0 {
		return d
	}
	confidence := simultaneousConfidence(j.Confidence, max(3*float64(compared), j.in.Comparisons.Groups))
	bounded := make([]Group, len(g.Groups)) // of error rates
	changes := make([]GroupDifference, len(g.Groups))
	for s := range g.Groups {
		bounded[s].Sufficient = g.Groups[s].Sufficient
		bounded[s].Models = make([]GroupModel, 2)
		if !g.Groups[s].Sufficient {
			continue
		}
		var pairs errorPairs
		for _, i := range j.strata.Groups[len(j.Groupings)-1][s].Rows {
			pairs.add(j.in.rows.Weight.weightOf(i), j.in.rows.isWrong(0, i), j.in.rows.isWrong(j.k, i))
		}
		for k, wrong := range []*trialCounts{&pairs.before, &pairs.after} {
			low, high := wrong.wilson(confidence)
			bounded[s].Models[k].Simultaneous = &Interval{Low: Num(low), High: Num(high), Method: "simultaneous"}
		}
		changes[s].Simultaneous = pairs.change(confidence)
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

// errorPairs counts the errors of two models on the same rows.
type errorPairs struct {
	before, after trialCounts // errors of the first and the second model
	gained, lost  float64     // weight of the rows that only the second, only the first model predicts right
}

// add counts a row of weight w.
func (p *errorPairs) add(w float64, before, after bool) {
	p.before.add(w, before)
	p.after.add(w, after)
	switch {
	case before && !after:
		p.gained += w
	case after && !before:
		p.lost += w
	}
}

// change returns the interval of the change of the error rate: Wald's for paired proportions with a row added to each
// of both counts (Bonett and Price 2012), which is wide enough for few rows. With weights, rows count as their
// effective number.
func (p *errorPairs) change(confidence float64) *Interval {
	n := p.before.all * p.before.all / p.before.allSq
	gained, lost := p.gained/p.before.all*n, p.lost/p.before.all*n
	gained, lost = (gained+1)/(n+2), (lost+1)/(n+2)
	change := lost - gained
	half := normalQuantile(confidence) * math.Sqrt((gained+lost-change*change)/(n+2))
	return &Interval{Low: Num(max(-1, change-half)), High: Num(min(1, change+half)), Method: "simultaneous"}
}
