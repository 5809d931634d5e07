package eval

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/eval/internal/interval"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/losses"
)

// writeSentences sets the sentences of a verdict whose outcome has been determined.
func (j *judge) writeSentences(v *Verdict) {
	v.Warnings = j.warningSentences()
	v.Headline = j.headlineSentence(v)
	if j.c == nil || j.c.Alike {
		v.Numbers = j.singleModelSentence()
	} else {
		v.Numbers, v.Cost = j.judgedSentence(), j.costSentence()
	}
	if v.Outcome == NoBaseline {
		v.Headline, v.Numbers = v.Numbers, ""
	}
	if Split(j.Split) == Training {
		v.Headline += " This was measured on the training rows."
	}
	v.Recommendation, v.Recommended = j.recommend(v)
	for _, m := range j.Models {
		if m.Name == v.Recommended && m.Constant {
			v.Recommendation, v.Recommended = useNone, ""
		}
	}
	v.Details, v.Ranking = j.detailSentences(v), j.rankingNote(v.Recommended)
}

// headlineSentence returns the sentence that states the outcome, for all tasks.
func (j *judge) headlineSentence(v *Verdict) string {
	model, base := j.ModelName(j.k), j.ModelName(0)
	better, worse := j.betterPhrases()
	switch v.Outcome {
	case Helped:
		return fmt.Sprintf("%s is %s.", j.capitalisedName(j.k), better)
	case Mixed:
		switch v.Reason {
		case TooExpensive:
			return fmt.Sprintf("%s is %s, but the average risk rises by more than %s.", j.capitalisedName(j.k), better,
				j.acceptedCost())
		case ByRescaling:
			return fmt.Sprintf("%s is better for %s, but %s achieves %s of this improvement with less confident scores alone.",
				j.capitalisedName(j.k), j.nameOfWorst(), j.in.Models[j.rescaledModel()].Name, printable.WholePercent(
					round2(float64(*v.Explained))))
		case OthersLose:
			return fmt.Sprintf("%s is better for %s, the worst group of %s, but worse for more groups than it is better "+
				"for: %s",
				j.capitalisedName(j.k), printable.Group(j.Models[0].WorstGroup.Label), base, v.Groups)
		}
		return fmt.Sprintf("%s is not measurably better for %s, and it is worse for more groups than it is better for: %s",
			j.capitalisedName(j.k), j.nameOfWorst(), v.Groups)
	case NoDifference:
		if j.c.Alike {
			return fmt.Sprintf("%s and %s make the same predictions on these rows.", j.capitalisedName(0), model)
		}
		return fmt.Sprintf("There is no measurable difference between %s and %s %s.", model, base, j.judgedPlace())
	case Hurt:
		return fmt.Sprintf("Do not use %s: it is %s.", model, worse)
	case TooLittleData:
		return fmt.Sprintf("There is too little data to say whether %s is %s.", model, better)
	case StandardKept:
		if j.in.RejectedCandidates == 0 {
			return "The evaluation after training recommended the standard model (ERM)."
		}
		return j.rejectedSentence()
	case Degenerate:
		return fmt.Sprintf("Do not use %s. %s", model, v.Warnings[0])
	case Untested:
		return fmt.Sprintf("The difference between %s and %s was not tested, since there are no intervals.", model,
			base)
	}
	return "" // a single model is not compared
}

// ModelName returns the name of model k for use within a sentence.
func (e *Evaluation) ModelName(k int) string {
	switch e.Models[k].Role {
	case StandardModel:
		return "the standard model (ERM)"
	case RobustModel:
		return "the robust model"
	case BalancedModel:
		return "the group-balanced model"
	case HalfBalanced:
		return "the half-balanced model"
	case SubsetModel:
		return "the mean over balanced subsets"
	case RescaledModel:
		return "the rescaled model"
	}
	return e.Models[k].Name
}

// nameOfWorst returns the name of the rows whose losses are compared: those of the worst group or of the tail.
func (j *judge) nameOfWorst() string {
	if !j.isByGroup() {
		return "the worst 10\u00a0% of rows"
	}
	return "the worst group"
}

// acceptedCost describes the accepted increase in the average risk.
func (j *judge) acceptedCost() string {
	if j.in.Budget != nil {
		return fmt.Sprintf("the budget of %s", printable.Percent(*j.in.Budget))
	}
	return fmt.Sprintf("the accepted increase (the worst group’s risk must fall by at least %s times as much)",
		printable.Setting(j.in.rate()))
}

// chooser returns what chose the model, for use within a sentence: cross-validation or the validation rows.
func (j *judge) chooser() string {
	if j.in.ChosenByValidation {
		return "selection on the validation rows"
	}
	return "cross-validation"
}

// rejectedSentence returns the sentence about the rejected candidates.
func (j *judge) rejectedSentence() string {
	what, by := j.criterionWords(), "In cross-validation"
	if j.in.ChosenByValidation {
		by = "On the validation rows"
	}
	switch n, k := j.in.RejectedCandidates, j.in.ImprovingCandidates; {
	case k == 0 && n > 1:
		return fmt.Sprintf("%s, none of the %s other candidates measurably lowers %s.", by, printable.Count(n), what)
	case k == 0:
		return fmt.Sprintf("%s, the only other candidate does not measurably lower %s.", by, what)
	case n > 1:
		return fmt.Sprintf("%s, %s of the %s other candidates measurably %s %s, but none of them meets all conditions of the "+
			"choice.", by, printable.Count(k), printable.Count(n), printable.Noun(k, "lowers", "lower"), what)
	}
	return fmt.Sprintf("%s, the only other candidate measurably lowers %s, but does not meet all conditions of the choice.",
		by, what)
}

// criterionWords describes the quantity that the choice was to lower, as the object of a sentence.
func (j *judge) criterionWords() string {
	words := j.criterionOfWorst()
	of, g := j.in.CriterionGroups, j.Headline()
	if before, rest, ok := strings.Cut(words, "worst group’s "); ok && of != "" && (g == nil || g.Name != of) {
		what := "error rate" // of groups other than those of this evaluation
		if !strings.HasPrefix(rest, what) {
			what = j.riskWords()
		}
		words = before + what + " of the worst group of " + of + strings.TrimPrefix(rest, what)
	}
	return words
}

// criterionOfWorst returns the words of criterionWords if the groups are those of this evaluation.
func (j *judge) criterionOfWorst() string {
	switch {
	case j.in.Criterion == "trade-off":
		return fmt.Sprintf("the worst group’s %s by more than %s times the increase that this causes in the %[1]s over all "+
			"rows", j.riskWords(), printable.Setting(j.in.rate()))
	case j.in.CriterionText != "":
		return "the " + strings.ReplaceAll(j.in.CriterionText, "risk", j.riskWords())
	}
	return "the " + j.riskWords() + " of " + j.nameOfWorst()
}

// riskWords describes the risk in words: the log loss, or the mean squared error.
func (e *Evaluation) riskWords() string {
	switch {
	case e.Loss == RootMeanSquare:
		return "RMSE"
	case e.Task == Regression && e.isRiskMeanSquare():
		return "mean squared error"
	}
	return e.riskName()
}

// riskName returns the name of the mean loss for use within a sentence: "log loss", "Huber loss" or "risk".
func (e *Evaluation) riskName() string {
	switch {
	case e.Task != Regression && e.LossUnit == "nats":
		return "log loss"
	case e.IsHuber():
		return "Huber loss"
	case e.isOfQuantile():
		return "pinball loss"
	}
	return "risk"
}

// IsHuber reports whether the risk is the mean of Huber's loss.
func (e *Evaluation) IsHuber() bool {
	return e.Task == Regression && strings.HasPrefix(e.Loss, "huber")
}

// QuantileLevel returns the level of the quantile that the models predict. ok is false if the loss is not that of a
// quantile.
func (e *Evaluation) QuantileLevel() (level float64, ok bool) {
	kind, known := losses.KindOf(e.Loss)
	if !known || e.Task != Regression {
		return 0, false
	}
	loss, err := kind.New(0)
	if err != nil {
		return 0, false
	}
	q, ok := loss.(losses.Quantile)
	return q.Level, ok
}

// isOfQuantile reports whether the models predict a quantile.
func (e *Evaluation) isOfQuantile() bool {
	_, ok := e.QuantileLevel()
	return ok
}

// useNone is the recommendation if no model is better than a constant.
const useNone = "Use none of the models: train again with other columns or more rows."

// recommend returns the recommendation and the name of the recommended model. A model that was chosen by a
// criterion is recommended unless isCriterionHigher returns true.
func (j *judge) recommend(v *Verdict) (sentence, name string) {
	base, model := j.ModelName(0), j.ModelName(j.k)
	switch v.Outcome {
	case StandardKept:
		return "Use the standard model (ERM)." + j.recommendationNote(), j.in.Models[0].Name
	case NoBaseline:
		return "", ""
	case Helped:
		return j.useSentence(v) + j.recommendationNote(), j.in.Models[j.k].Name
	case Degenerate:
		if j.IsAudit() {
			return "Do not use the predictions: they need a better model.", ""
		}
		if j.c == nil || j.c.Alike || j.Models[0].Constant || j.Models[0].OverConstant.isAbove() {
			return useNone, ""
		}
		if j.Models[j.k].Role == OtherModel {
			return fmt.Sprintf("Use %s.", base), j.in.Models[0].Name
		}
		return fmt.Sprintf("Use %s, or train again with less robustness or fewer columns.", base), j.in.Models[0].Name
	case Untested:
		return "Evaluate again with intervals before deciding.", ""
	}
	keep := fmt.Sprintf("Keep %s", base)
	switch {
	case v.Reason == TooExpensive:
		keep = fmt.Sprintf("%s unless %s is worth more to you than %s; less robustness costs less.", keep, j.nameOfWorst(),
			j.acceptedCost())
	case v.Reason == ByRescaling:
		keep = fmt.Sprintf("%s, or use %s.", keep, j.in.Models[j.rescaledModel()].Name)
	case v.Reason == OthersLose:
		keep = fmt.Sprintf("%s unless %s matters most; with less robustness, the groups change less.", keep,
			printable.Group(j.Models[0].WorstGroup.Label))
	case j.in.Criterion != "" && !j.c.Alike && v.Outcome != Hurt:
		if _, measurable := j.d.Direction(); !measurable && !j.isCriterionHigher() {
			return j.useSentence(v) + j.recommendationNote(), j.in.Models[j.k].Name
		}
		where := "higher on these rows by more than the standard error of the difference"
		if _, pooled := j.estimatedChangeAtChoice(); pooled {
			where = "higher on these rows, and not lower if these rows are pooled with those on which the model was chosen"
		}
		if j.criterionChange() == 0 {
			where = "the same on these rows"
		}
		keep = fmt.Sprintf("%s: %s chose %s by the %s, which is %s.", keep, j.chooser(), model, j.in.CriterionText, where)
	case v.Outcome == TooLittleData && j.Split != OutOfFold:
		keep += ": more rows, or cross-fitting, would narrow the interval."
	default:
		keep += "."
	}
	if j.in.Criterion != "" {
		keep += j.recommendationNote()
	}
	return keep, j.in.Models[0].Name
}

// useSentence recommends the model in focus. It states the criterion by which the model was chosen and the groups
// that are worse off.
func (j *judge) useSentence(v *Verdict) string {
	use := fmt.Sprintf("Use %s", j.ModelName(j.k))
	switch {
	case j.in.Criterion != "" && v.Outcome == Helped:
		use += fmt.Sprintf(": %s chose it by the %s.", j.chooser(), j.in.CriterionText)
	case j.in.Criterion != "" && !j.d.Value.Defined():
		use += fmt.Sprintf(": %s chose it by the %s, which cannot be measured on these rows.", j.chooser(),
			j.in.CriterionText)
	case j.in.Criterion != "" && j.criterionChange() >= 0:
		but := "the difference is within its standard error"
		if _, pooled := j.estimatedChangeAtChoice(); pooled {
			but = "is lower if these rows are pooled with those on which the model was chosen"
		}
		use += fmt.Sprintf(": %s chose it by the %s, which is not lower on these rows, but %s.", j.chooser(),
			j.in.CriterionText, but)
	case j.in.Criterion != "" && j.hasSmallWorstGroup():
		use += fmt.Sprintf(": %s chose it by the %s, which is lower on these rows too. The worst group has fewer than %d "+
			"rows here, too few for an interval.",
			j.chooser(), j.in.CriterionText, j.MinGroupSize)
	case j.in.Criterion != "":
		use += fmt.Sprintf(": %s chose it by the %s, which is lower on these rows too, but not measurably.", j.chooser(),
			j.in.CriterionText)
	case v.Groups != nil && v.Groups.Worse > 0:
		use += fmt.Sprintf(" rather than %s if %s matters most.", j.ModelName(0), j.nameOfWorst())
	default:
		use += "."
	}
	if v.Groups != nil && v.Groups.Worse > 0 {
		use += fmt.Sprintf(" %s worse off with %s%s.", printable.Plural(v.Groups.Worse, "group is", "groups are"),
			j.ModelName(j.k), j.losingGroups())
	}
	return use
}

// recommendationNote returns a sentence about the models that other criteria would choose. If the level was set, it
// is about group-balanced ERM, provided that this is measurably better for the worst group.
func (j *judge) recommendationNote() string {
	if j.in.Criterion != "" {
		if len(j.in.Alternatives) == 0 {
			return ""
		}
		return " Other selection criteria (--select) would choose other models: " +
			strings.Join(j.in.Alternatives, "; ") + "."
	}
	for k, m := range j.in.Models {
		if m.Role != BalancedModel || k == j.k {
			continue
		}
		if d := j.worstGroupDifference(k, j.k); d != nil && d.Interval.High < 0 {
			all := j.leadingMeasures()
			return fmt.Sprintf(" With %s, %s in the worst group is measurably lower still (%s).", m.Name,
				all[len(all)-1].name, j.differenceText(d))
		}
	}
	return ""
}

// differenceText states the interval of a difference that worstGroupDifference returned.
func (j *judge) differenceText(d *Difference) string {
	return fmt.Sprintf("%s interval of the difference%s: %s", printable.WholePercent(j.Confidence), whicheverIsWorst,
		d.Interval.Text(d.displayScale(1)))
}

// rankingNote names the first model that has a lower risk in its worst group than the recommended model, and states
// why it is not the recommended one. It returns "" if there is none, and for the model in focus, which is the subject of
// the other sentences.
func (j *judge) rankingNote(recommended string) string {
	r := slices.Index(j.Names(), recommended)
	if r < 0 || j.Headline() == nil {
		return ""
	}
	first := r
	for k := range j.Models {
		if w := j.Models[k].WorstGroup; k != j.k && w != nil && w.Risk < j.Models[first].WorstGroup.Risk {
			first = k
		}
	}
	if first == r {
		return ""
	}
	note := fmt.Sprintf("%s has a lower %s in its worst group than %s, which is recommended", j.capitalisedName(first),
		j.inTargetUnits().riskWords(), j.ModelName(r))
	d := j.worstGroupDifference(first, r)
	switch {
	case d == nil:
		return note + "; the difference was not tested."
	case d.Interval.High >= 0:
		return fmt.Sprintf("%s, but not measurably (%s).", note, j.differenceText(d))
	case j.in.Criterion != "":
		return fmt.Sprintf("%s, measurably here (%s), but %s chose %s.", note, j.differenceText(d), j.chooser(),
			j.ModelName(j.k))
	}
	return fmt.Sprintf("%s, measurably so (%s); the verdict is about %s.", note, j.differenceText(d), j.ModelName(j.k))
}

// worstGroupDifference returns the risk of model k in its worst group minus the risk of model base in its own worst
// group; for a squared loss, the difference of their RMSEs. The interval is computed from simultaneous intervals over
// all groups. It returns nil if there is no such difference.
func (j *judge) worstGroupDifference(k, base int) *Difference {
	g := j.Headline()
	if g == nil || j.Resamples == 0 || j.Models[k].WorstGroup == nil || j.Models[base].WorstGroup == nil {
		return nil
	}
	compared, weight := j.Models[k].WorstGroup.Compared, j.in.rows.Weight
	changes := make([]GroupDifference, len(g.Groups))
	for s := range g.Groups {
		group, rows := &g.Groups[s], j.strata.Groups[len(j.Groupings)-1][s].Rows
		if !group.Sufficient || len(rows) < 2 {
			continue
		}
		d := group.Models[k].Values.Risk() - group.Models[base].Values.Risk()
		u := interval.StudentQuantile(interval.Simultaneous(j.Confidence, float64(compared)), float64(len(rows)-1))
		h := Num(u * weight.StandardError(j.in.Models[k].Loss, j.in.Models[base].Loss, rows))
		changes[s].Simultaneous = &Interval{Low: d - h, High: d + h, Method: "simultaneous"}
	}
	iv := maxDifference(g.Groups, changes, k, base)
	if iv == nil {
		return nil
	}
	after, before := j.Models[k].WorstGroup.Risk, j.Models[base].WorstGroup.Risk
	d := Difference{after - before, iv}
	if u, ok := j.riskUnit(); ok {
		d = u.convertDifference(d, after, before)
	}
	return &d
}

// losingGroups lists up to three groups that are measurably worse off, with their measures.
func (j *judge) losingGroups() string {
	var out []string
	for i, g := range j.c.Groups {
		if side, ok := g.Change().Direction(); !ok || side < 0 || !g.Sufficient {
			continue
		}
		if len(out) == 3 {
			return ": " + strings.Join(out, "; ") + "; and others"
		}
		m := j.judgedMeasures()[len(j.judgedMeasures())-1]
		was, now := j.Headline().Groups[i].Models[0].Values, j.Headline().Groups[i].Models[j.k].Values
		if j.Task != Regression && j.criterion() != "worst-group-accuracy" {
			// show the accuracy unless it hides that the group is worse off
			if lead := j.leadingMeasures()[0]; lead.valueOf(now) < lead.valueOf(was) &&
				lead.format(lead.valueOf(now)) != lead.format(lead.valueOf(was)) {
				m = lead
			}
		}
		out = append(out, fmt.Sprintf("%s (%s; %s %s)", printable.Group(g.Label),
			printable.Plural(j.Headline().Groups[i].N, "row", "rows"), m.name, m.beforeAfter(m.valueOf(was), m.valueOf(now))))
	}
	if len(out) == 0 {
		return ""
	}
	return ": " + strings.Join(out, "; ")
}

// A shownMeasure is a measure with its name and format in sentences.
type shownMeasure struct {
	name  string // "accuracy"
	key   string
	unit  string
	share bool // whether the value is written as a percentage
}

// valueOf returns the value of the measure in v.
func (r shownMeasure) valueOf(v Values) float64 { return float64(v.Of[r.key]) }

// format formats a value.
func (r shownMeasure) format(x float64) string {
	if r.share {
		return printable.Percent(x)
	}
	return printable.Number(x)
}

// formatPair formats two values with the same number of decimals.
func (r shownMeasure) formatPair(a, b float64) (first, second string) {
	if r.share {
		return printable.Percent(a), printable.Percent(b)
	}
	return printable.Pair(a, b)
}

func (r shownMeasure) appendUnit(s string) string {
	if r.unit == "" {
		return s
	}
	return s + "\u00a0" + r.unit
}

// changePhrase returns a text such as "rises from a to b".
func (r shownMeasure) changePhrase(a, b float64) string {
	from, to := r.formatPair(a, b)
	switch {
	case from == to:
		return "stays at " + r.appendUnit(from)
	case b > a:
		return fmt.Sprintf("rises from %s to %s", from, r.appendUnit(to))
	}
	return fmt.Sprintf("falls from %s to %s", from, r.appendUnit(to))
}

// beforeAfter returns "a → b".
func (r shownMeasure) beforeAfter(a, b float64) string {
	from, to := r.formatPair(a, b)
	return from + " → " + r.appendUnit(to)
}

// leadingMeasures returns the measures that the verdict mentions first; the one with an interval comes last. They
// are accuracy and log loss for classes, the RMSE for squared losses, only the risk for deviances and quantiles,
// and RMSE and risk otherwise.
func (e *Evaluation) leadingMeasures() []shownMeasure {
	risk, lead := shownMeasure{name: "the " + e.riskName(), key: riskMeasure.Key}, e.Leading()
	if e.Task != Regression {
		if e.LossUnit == "nats" {
			risk.name = e.riskName()
		}
		accuracy := shownMeasure{name: strings.ToLower(lead.Label), key: lead.Key, share: lead.Unit == "share"}
		if t := e.Threshold; t != nil && *t != 0.5 {
			accuracy.name = "accuracy at threshold " + printable.Setting(float64(*t))
		}
		return []shownMeasure{accuracy, risk}
	}
	rmse := shownMeasure{name: "the " + lead.Label, key: lead.Key, unit: e.TargetUnit}
	// the loss does not measure squared errors
	if kind, known := losses.KindOf(e.Loss); known && kind.Power != 2 {
		return []shownMeasure{risk}
	}
	if e.isRiskMeanSquare() {
		return []shownMeasure{rmse}
	}
	return []shownMeasure{rmse, risk}
}

// isRiskMeanSquare reports whether the risk is proportional to the mean squared error in units of the target, since
// the loss is squared and the target is not transformed. For an evaluation that was read from a file of an earlier
// version, it compares the values over all rows and in the worst groups.
func (e *Evaluation) isRiskMeanSquare() bool {
	if kind, known := losses.KindOf(e.Loss); known && kind.Power != 2 || e.IsHuber() {
		return false
	}
	if e.MeanSquare != nil {
		return *e.MeanSquare
	}
	ratio := func(v Values) float64 { return float64(v.Risk()) / float64(v.Of[RootMeanSquare]*v.Of[RootMeanSquare]) }
	first := ratio(e.Models[0].Overall)
	for k, m := range e.Models {
		worst, _ := e.valuesOf(k)
		for _, v := range []Values{m.Overall, worst} {
			if !(math.Abs(ratio(v)-first) <= 1e-6*math.Abs(first)) {
				return false
			}
		}
	}
	return true
}

// valuesOf returns the measures of model k in its worst group, and that group. If it has no worst group, it returns
// its measures over all rows and nil.
func (e *Evaluation) valuesOf(k int) (Values, *WorstGroup) {
	if w, g := e.Models[k].WorstGroup, e.Headline(); w != nil {
		if i := g.find(w.Label); i >= 0 {
			return g.Groups[i].Models[k].Values, w
		}
	}
	return e.Models[k].Overall, nil
}

// judgedMeasures returns the leading measures; the one that the criterion judges comes last.
func (j *judge) judgedMeasures() []shownMeasure {
	all := j.leadingMeasures()
	if j.criterion() == "worst-group-accuracy" && j.isByGroup() {
		slices.Reverse(all)
	}
	return all
}

// judgedValues returns the measures of model k in the group to which the criterion refers, and the label and number
// of rows of this group. If the criterion does not refer to a group, it returns the measures over all rows and an
// empty label.
func (j *judge) judgedValues(k int) (v Values, label string, n int) {
	if !j.isByGroup() {
		return j.Models[k].Overall, "", j.N
	}
	if s := j.worstGroup(k, j.hasSmallWorstGroup()); s >= 0 {
		g := &j.Headline().Groups[s]
		return g.Models[k].Values, g.Label, g.N
	}
	return j.Models[k].Overall, "", j.N
}

// judgedSentence returns a sentence that compares what the criterion judges before and after: measures of the worst
// group or of all rows, or the tail.
func (j *judge) judgedSentence() string {
	before, a, rows := j.judgedValues(0)
	after, b, others := j.judgedValues(j.k)
	if !j.isByGroup() && j.criterion() != "average" || j.isByGroup() && (a == "" || b == "") {
		return j.tailSentence()
	}
	where := "Over all rows"
	switch {
	case a != b:
		where = fmt.Sprintf("In the worst group (with %s: %s, %s; with %s: %s, %s)", j.ModelName(0), printable.Group(a),
			printable.Plural(rows, "row", "rows"), j.ModelName(j.k), printable.Group(b),
			printable.Plural(others, "row", "rows"))
	case a != "":
		where = fmt.Sprintf("In the worst group, %s (%s),", printable.Group(a), printable.Plural(rows, "row", "rows"))
	}
	var parts []string
	measures := j.judgedMeasures()
	for _, m := range measures {
		parts = append(parts, m.name+" "+m.changePhrase(m.valueOf(before), m.valueOf(after)))
	}
	unit := 1.0 // units of the last measure in one unit of the difference
	switch last := measures[len(measures)-1]; {
	case last.key == RootMeanSquare:
		unit = rmsePerRisk(last, before, after)
	case last.share: // the difference is one of error rates
		unit = -100
	}
	text := fmt.Sprintf("%s %s", where, strings.Join(parts, " and "))
	if j.Split != OutOfFold || j.in.Criterion == "" {
		return text + j.intervalText(unit) + "."
	}
	// the estimate is biased in favour of a model that was chosen on the same rows
	if first := j.intervalFirst(unit); first != "" {
		return first + " " + text + "."
	}
	return text + "."
}

// tailSentence returns a sentence that compares the risk of the worst tenth of the rows before and after.
func (j *judge) tailSentence() string {
	from, to := float64(j.Models[0].CVaRAt(TailAlpha)), float64(j.Models[j.k].CVaRAt(TailAlpha))
	if math.IsNaN(from) || math.IsNaN(to) {
		return ""
	}
	tail := j.leadingMeasures()[len(j.leadingMeasures())-1]
	tail.key, tail.unit = "", ""
	if tail.name != "log loss" {
		tail.name = "the " + j.riskName()
	}
	interval := ""
	if !j.isByGroup() {
		interval = j.intervalText(1)
	}
	return fmt.Sprintf("Over the worst 10\u00a0%% of rows %s %s%s.", tail.name, tail.changePhrase(from, to), interval)
}

// rmsePerRisk returns the change in the RMSE for a unit change in the risk, which is k·RMSE²: a² − b² = (a + b)(a −
// b).
func rmsePerRisk(m shownMeasure, before, after Values) float64 {
	a, risk := m.valueOf(before), float64(before.Risk())
	if !(risk > 0) || !(a+m.valueOf(after) > 0) {
		return math.NaN()
	}
	return a * a / risk / (a + m.valueOf(after))
}

// scaledInterval returns, as text, the interval of the change that determines the outcome, multiplied by a factor.
// It returns "" if the interval is unknown. Shares are in percentage points.
func (j *judge) scaledInterval(factor float64) string {
	if j.d.Interval == nil || math.IsNaN(factor) {
		return ""
	}
	low, high := j.d.Interval.Low*Num(factor), j.d.Interval.High*Num(factor)
	d := Difference{Value: j.d.Value * Num(factor), Interval: &Interval{Low: min(low, high), High: max(low, high)}}
	if all := j.judgedMeasures(); all[len(all)-1].share {
		return d.Interval.Text(100) + " percentage points"
	}
	return d.Interval.Text(d.displayScale(1))
}

// intervalFirst returns a sentence that states the interval of the change that determines the outcome, multiplied
// by a factor.
func (j *judge) intervalFirst(factor float64) string {
	text := j.scaledInterval(factor)
	if text == "" {
		return ""
	}
	moves := "changes by"
	if low, high := float64(j.d.Interval.Low)*factor, float64(j.d.Interval.High)*factor; low > 0 && high > 0 {
		moves = "rises by"
	} else if low < 0 && high < 0 {
		moves, text = "falls by", j.scaledInterval(-factor)
	}
	where := "over all rows"
	if j.isByGroup() {
		where = "in the worst group"
	}
	all := j.judgedMeasures()
	return fmt.Sprintf("%s %s %s %s (%s interval%s).", printable.Capitalise(all[len(all)-1].name), where, moves, text,
		printable.WholePercent(j.Confidence), j.intervalNote())
}

// whicheverIsWorst describes an interval that holds for all groups at once.
const whicheverIsWorst = ", valid whichever group is worst"

// intervalNote describes the interval of the change that determines the outcome.
func (j *judge) intervalNote() string {
	note := ""
	if j.isByGroup() { // the table shows the interval of a single group, which differs from this one
		note = whicheverIsWorst
	}
	if j.Split == OutOfFold && j.in.Criterion != "" {
		if note += " and"; !j.isByGroup() {
			note = ","
		}
		note += " corrected for the choice of the model on these rows"
	}
	return note
}

// intervalText formats the interval of the change that determines the outcome, multiplied by a factor.
func (j *judge) intervalText(factor float64) string {
	text := j.scaledInterval(factor)
	if text == "" {
		return ""
	}
	return fmt.Sprintf(" (%s interval of the change%s: %s)", printable.WholePercent(j.Confidence), j.intervalNote(), text)
}

// judgedPlace describes the rows for which two models do not differ, as in "for the worst group".
func (j *judge) judgedPlace() string {
	switch {
	case j.criterion() == "average":
		return "on average"
	case j.criterion() == "worst-group-accuracy" && j.isByGroup():
		return "in the accuracy of the worst group"
	}
	return "for " + j.nameOfWorst()
}

// costSentence returns a sentence about the change over all rows.
func (j *judge) costSentence() string {
	if j.criterion() == "average" { // the preceding sentence states it
		return ""
	}
	risk := j.c.Measures[riskMeasure.Key]
	change := float64(risk.Value)
	_, measurable := risk.Direction()
	before, after := j.Models[0].Overall, j.Models[j.k].Overall
	all := j.leadingMeasures()
	first := all[0]
	moves := first.changePhrase(first.valueOf(before), first.valueOf(after))
	if len(all) > 1 {
		m := all[1]
		moves += fmt.Sprintf(" (%s %s%s)", strings.TrimPrefix(m.name, "the "),
			m.beforeAfter(m.valueOf(before), m.valueOf(after)), j.changeInterval("; ", &risk, 1))
	} else if unit := rmsePerRisk(first, before, after); first.key == RootMeanSquare && !math.IsNaN(unit) {
		moves += j.changeInterval(" (", &risk, unit)
	} else if first.key == riskMeasure.Key {
		moves += j.changeInterval(" (", &risk, 1)
	}
	s := fmt.Sprintf("%s over all rows %s", first.name, moves)
	was, is := first.valueOf(before), first.valueOf(after)
	worse, better := was != is && first.share == (is < was), was != is && first.share == (is > was)
	if from, to := first.formatPair(was, is); from == to || !measurable {
		return printable.Capitalise(s) + "." // neither a visible cost nor a visible or proven gain
	}
	also := ""
	side, known := j.d.Direction()
	if known && side > 0 {
		also = " too"
	}
	switch {
	case change > 0 && !better && !(known && side < 0): // there is no proven gain of which this could be the cost
		return fmt.Sprintf("Over all rows %s is worse%s: %s %s.", j.ModelName(j.k), also, first.name, moves)
	case change > 0 && !better:
		return "This has a cost: " + s + "."
	case change > 0, worse: // the accuracy or the RMSE and the risk change in opposite directions
		return printable.Capitalise(s) + "."
	}
	return "This has no cost: " + s + "."
}

// changeInterval returns, as text after open, the interval of a change, multiplied by a factor. If open contains a
// bracket, the text ends with the closing one. It returns "" if there is no interval.
func (j *judge) changeInterval(open string, d *Difference, factor float64) string {
	if d.Interval == nil {
		return ""
	}
	scaled := Difference{Value: d.Value * Num(factor),
		Interval: &Interval{Low: d.Interval.Low * Num(factor), High: d.Interval.High * Num(factor)}}
	s := fmt.Sprintf("%s%s interval of the change: %s", open, printable.WholePercent(j.Confidence),
		scaled.Interval.Text(scaled.displayScale(1)))
	if strings.HasSuffix(open, "(") {
		s += ")"
	}
	return s
}

// singleModelSentence returns a sentence that states the measures of the model in focus.
func (j *judge) singleModelSentence() string {
	name, is := j.subject()
	has, its := "has", "its"
	if is == "are" {
		has, its = "have", "their"
	}
	overall := j.Models[j.k].Overall
	in, w := j.valuesOf(j.k)
	all := j.leadingMeasures()
	first, risk := all[0], all[len(all)-1]
	s := fmt.Sprintf("%s %s %s of %s overall", name, has,
		strings.Replace(strings.Replace(first.name, "the RMSE", "an RMSE", 1), "the ", "a ", 1),
		first.appendUnit(first.format(first.valueOf(overall))))
	if median := float64(overall.Of[medianError]); first.key == RootMeanSquare && !math.IsNaN(median) {
		s += fmt.Sprintf(" (median absolute error %s", first.format(median))
		if r2, ok := overall.Get(r2Key); ok {
			s += ", R² " + printable.Number(r2)
		}
		s += ")"
	}
	if first.share {
		s = fmt.Sprintf("%s %s %s accurate overall", name, is, first.format(first.valueOf(overall)))
		if t := j.Threshold; t != nil && *t != 0.5 {
			s += fmt.Sprintf(" at threshold %s", printable.Setting(float64(*t)))
		}
	}
	if w != nil {
		link := " and "
		if !first.share {
			link = " and of "
		}
		where := its + " worst group"
		if !j.IsWorstBy(j.Leading(), j.k) { // the group is the worst only by its risk
			where = "the group with the largest " + strings.TrimPrefix(risk.name, "the ")
		}
		s += fmt.Sprintf("%s%s in %s, %s (%s)", link, first.format(first.valueOf(in)), where,
			printable.Group(w.Label), printable.Plural(w.N, "row", "rows"))
	}
	if len(all) > 1 {
		m := all[1]
		all, group := m.formatPair(m.valueOf(overall), m.valueOf(in))
		s += fmt.Sprintf("; %s %s is %s", its, strings.TrimPrefix(m.name, "the "), all)
		if w != nil {
			s += " overall and " + group + " there"
		}
	}
	return s + "."
}

// warningSentences returns the warnings; the reason why a model is degenerate comes first.
func (j *judge) warningSentences() []string {
	var out []string
	name, is := j.subject()
	if j.Models[j.k].Constant {
		out = append(out, fmt.Sprintf("%s %s constant: %s.", name, is, j.constantText()))
	}
	shown := j.inTargetUnits()
	if d := shown.Models[j.k].OverConstant; d != nil && d.Interval != nil {
		by := fmt.Sprintf("(difference in %s: %s; %s interval: %s)", shown.riskWords(),
			printable.Signed(float64(d.Value), d.displayScale(1)),
			printable.WholePercent(j.Confidence), d.Interval.Text(d.displayScale(1)))
		if d.isAbove() {
			out = append(out, fmt.Sprintf("%s %s worse than %s %s.", name, is, j.NameFittedConstant(), by))
		} else if d.Interval.High >= 0 {
			out = append(out, fmt.Sprintf("%s %s not measurably better than %s %s.", name, is, j.NameFittedConstant(), by))
		}
	}
	if s := j.worseThanConstant(); s != "" {
		out = append(out, s)
	}
	if j.effective < j.fewest {
		s := fmt.Sprintf("%s depends on few rows: its effective sample size is %s of %s, and below %s there are too "+
			"few rows to learn from.",
			name, fmt.Sprintf("%.3g", j.effective), printable.Plural(int(j.in.TrainingRows), "training row",
				"training rows"), fmt.Sprintf("%.3g", j.fewest))
		if j.Models[j.k].Constant || j.Models[j.k].OverConstant.isAbove() {
			out = append(out, s)
		} else {
			out = append([]string{s}, out...)
		}
	}
	for _, m := range j.Models {
		if auc, ok := m.Overall.Get(aucKey); ok && auc < 0.5 && m.Role == OtherModel {
			out = append(out, fmt.Sprintf("The AUC of %s is %s, below 0.5: its scores may be probabilities of the other "+
				"class.",
				m.Name, printable.Number(auc)))
		}
	}
	return out
}

// worseThanConstant names up to three groups in which the model in focus is measurably worse than a constant
// prediction. It returns "" if there are none.
func (j *judge) worseThanConstant() string {
	shown := j.inTargetUnits()
	g := shown.Headline()
	if g == nil {
		return ""
	}
	risk := shown.riskWords()
	var out []string
	for _, h := range g.WorstFirst(j.k) {
		m := &h.Models[j.k]
		if !m.OverConstant.isAbove() {
			continue
		}
		here, constant := printable.Pair(float64(m.Values.Risk()), float64(m.Values.Risk()-m.OverConstant.Value))
		out = append(out, fmt.Sprintf("%s (%s %s against %s)", printable.Group(h.Label), risk, here, constant))
	}
	if out == nil {
		return ""
	}
	name, is := j.subject()
	return fmt.Sprintf("%s %s measurably worse than %s in %s: %s.", name, is, j.NameFittedConstant(),
		printable.Plural(len(out), "group", "groups"), printable.List(out, 3))
}

// SliceWarning describes the first confirmed slice of rows whose predictions are worse than those of the other
// rows. It returns "" if there is none.
func (e *Evaluation) SliceWarning() string {
	if e.Slices == nil {
		return ""
	}
	e = e.inTargetUnits()
	risk := e.riskWords()
	for _, c := range e.Slices.Found {
		if c.Confirmed && c.Risk > c.Rest {
			here, rest := printable.Pair(float64(c.Risk), float64(c.Rest))
			where := "Rows with " + c.Condition + " are predicted worse than the rest"
			if len(e.Models) > 1 {
				where = fmt.Sprintf("%s predicts rows with %s worse than the rest", e.capitalisedName(e.Shown()), c.Condition)
			}
			return fmt.Sprintf("%s (%s %s against %s). This was confirmed on %s such rows that the search had not used.", where,
				risk, here, rest, printable.Count(c.N))
		}
	}
	return ""
}

// constantText states how similar the predictions of a constant model are.
func (j *judge) constantText() string {
	if j.Task == Regression {
		return "all its predictions are within 0.001 standard deviations of the target of each other"
	}
	return "all its probabilities are within 0.001 of each other"
}

// detailSentences returns sentences that state the numbers behind the headline.
func (j *judge) detailSentences(v *Verdict) []string {
	out := []string{}
	conf, shown := printable.WholePercent(j.Confidence), j.inTargetUnits()
	name := shown.riskWords()
	if j.c == nil {
		if w := shown.Models[j.k].WorstGroup; w != nil && w.MaxInterval != nil {
			low, high := float64(w.MaxInterval.Low), float64(w.MaxInterval.High)
			out = append(out, fmt.Sprintf("The largest %s of a group is %s (%s interval, valid whichever of %s is worst: %s to "+
				"%s).", name, printable.Number(float64(w.Risk)), conf, printable.Plural(w.Compared, "group", "groups"),
				printable.NumberAtScale(low, float64(w.Risk)), printable.NumberAtScale(high, float64(w.Risk))))
		}
		return out
	}
	risk := func(what string, d *Difference, scale float64, note string) {
		if d == nil || !d.Value.Defined() {
			return
		}
		s := fmt.Sprintf("%s: %s", what, printable.Signed(float64(d.Value), d.displayScale(scale)))
		if d.Interval != nil {
			s += fmt.Sprintf(" (%s interval%s: %s)", conf, note, d.Interval.Text(d.displayScale(scale)))
		}
		out = append(out, s+".")
	}
	note := ""
	if w := j.c.WorstGroup; w != nil && w.Interval != nil && w.Interval.Method == "simultaneous" {
		note = whicheverIsWorst
	}
	if j.criterion() == "worst-group-accuracy" {
		risk(fmt.Sprintf("Largest error rate of a group, %s − %s", j.c.Model, j.c.Baseline), &j.d, 1, j.intervalNote())
	}
	base, name := float64(shown.Models[0].Overall.Risk()), printable.Capitalise(name)
	for k := range shown.Compared {
		c := &shown.Compared[k]
		if k > 0 {
			note = ""
		}
		if c.WorstGroup != nil && !c.Alike && !j.hasSmallWorstGroup() {
			risk(fmt.Sprintf("%s in the worst group, %s − %s", name, c.Model, c.Baseline), c.WorstGroup, base, note)
		}
	}
	c := &shown.Compared[0]
	average := c.Measures[riskMeasure.Key]
	risk(fmt.Sprintf("%s over all rows, %s − %s", name, c.Model, c.Baseline), &average, base, "")
	risk(fmt.Sprintf("%s of the worst 10\u00a0%% of the rows of each model, %s − %s", name, c.Model, c.Baseline), &c.CVaR,
		base, "")
	if v.Explained != nil && j.in.Criterion != "" && *v.Explained >= maxExplained && !j.ranksBetter {
		out = append(out, fmt.Sprintf(
			"%s achieves %s of the improvement without changing the ranking of the rows, with less confident scores "+
				"alone (--model-variant rescaled).",
			printable.Capitalise(j.in.Models[j.rescaledModel()].Name), printable.WholePercent(round2(float64(*v.Explained)))))
	}
	return out
}

// nameOrPredictions returns the name of model k within a sentence or, in an audit of predictions, "the predictions".
func (e *Evaluation) nameOrPredictions(k int) string {
	if e.IsAudit() {
		return "the predictions"
	}
	return e.ModelName(k)
}

// subject returns the model in focus as the subject of a sentence, and the verb "is" or "are".
func (j *judge) subject() (name, is string) { return j.describeSubject(j.k) }

// describeSubject returns model k as the subject of a sentence, and the verb "is" or "are". In an audit of one column
// of predictions the subject is "The predictions".
func (e *Evaluation) describeSubject(k int) (name, is string) {
	if e.IsAudit() {
		return "The predictions", "are"
	}
	return e.capitalisedName(k), "is"
}

// capitalisedName returns the name of model k for the beginning of a sentence; names given by users are not
// capitalised.
func (e *Evaluation) capitalisedName(k int) string {
	if e.Models[k].Role == OtherModel {
		return e.ModelName(k)
	}
	return printable.Capitalise(e.ModelName(k))
}

// round2 rounds a proportion to whole percents.
func round2(x float64) float64 { return math.Round(100*x) / 100 }
