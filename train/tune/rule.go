package tune

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mathext"

	"github.com/drotrain/drotrain/internal/printable"
)

const (
	replaceErrors  = 1.5  // standard errors by which a criterion must improve for ERM to be replaced
	accuracyErrors = 1    // replaceErrors if the criterion is the worst group's accuracy
	tailErrors     = 2.5  // replaceErrors if no groups were named and the criterion is the tail
	budgetErrors   = 2    // number of standard errors by which the cost must stay below a budget
	worth          = 5e-3 // minimum improvement as a share of ERM's criterion
	smoothingDraws = 200
	stabilityDraws = 40
)

// minDecidingRows is the minimum number of rows of a group that may decide the choice.
const minDecidingRows = 5

// values holds, for each candidate, the out-of-fold losses of the rows and, for classes, the errors of the rows (0
// or 1) and the smoothed errors, by which candidates are compared if the criterion is accuracy.
type values struct{ losses, errors, smoothed [][]float64 }

// A judge compares candidates by criteria. Candidate 0 is ERM.
type judge struct {
	measure *measure
	values  values
	rate    float64 // rate of the trade-off

	// for each candidate, the rows with the largest quarter of the losses; set when needed
	largest map[int][]int32

	// validation reports whether the rows are validation rows, which the user provided for comparing models. If
	// the criterion is accuracy, ERM is then a candidate like the others, since few rows of a group would
	// hardly ever show that it is worse.
	validation bool
}

// A criterionValue is the value of a criterion with the influence of every row, and the number of rows of the group
// that decides.
type criterionValue struct {
	estimate
	rows int
}

// score returns the criterion for a candidate. The largest group mean is replaced by its expectation under the
// errors of the group means.
func (j *judge) score(criterion string, candidate int) float64 {
	loss := j.values.losses[candidate]
	switch criterion {
	case "worst-group-accuracy":
		return j.measure.worstMean(j.values.smoothed[candidate])
	case "worst-group":
		return j.measure.worstMean(loss)
	case "tail":
		return j.estimateTail(candidate).value
	case "trade-off":
		return (j.measure.worstMean(loss) + j.rate*j.measure.mean(loss)) / (1 + j.rate)
	}
	return j.measure.mean(loss)
}

// estimateTail estimates the mean of a candidate's largest losses.
func (j *judge) estimateTail(candidate int) estimate {
	loss := j.values.losses[candidate]
	if j.largest[candidate] == nil { // resamples use the same rows with different weights
		j.largest[candidate] = slices.Clone(rowsByValue(loss)[:(len(loss)+3)/4])
	}
	return j.measure.estimateTail(loss, j.largest[candidate])
}

// value returns the criterion for a candidate with the influences of the rows. If smooth is set, the largest group
// mean is replaced by its expectation, as in score.
func (j *judge) value(criterion string, candidate int, smooth bool) criterionValue {
	loss := j.values.losses[candidate]
	switch criterion {
	case "worst-group-accuracy":
		return j.measure.estimateWorst(j.values.smoothed[candidate], smooth)
	case "worst-group":
		return j.measure.estimateWorst(loss, smooth)
	case "tail":
		return criterionValue{j.estimateTail(candidate), len(loss)}
	case "trade-off":
		v, mean := j.measure.estimateWorst(loss, smooth), j.measure.average(loss)
		v.value = (v.value + j.rate*mean.value) / (1 + j.rate)
		for i, a := range mean.influence {
			v.influence[i] = (v.influence[i] + j.rate*a) / (1 + j.rate)
		}
		return v
	}
	return criterionValue{j.measure.average(loss), len(loss)}
}

// compare returns the decrease in a criterion from one candidate to another, with the standard error of the
// decrease.
func (j *judge) compare(criterion string, from, to int) (decrease, se float64) {
	a, b := j.value(criterion, from, true), j.value(criterion, to, true)
	return a.subtract(b.estimate)
}

// standardErrors returns the number of standard errors by which a criterion must improve for ERM to be replaced.
func standardErrors(criterion string) float64 {
	switch criterion {
	case "worst-group-accuracy":
		return accuracyErrors
	case "tail":
		return tailErrors
	}
	return replaceErrors
}

// improvement returns the decrease in the criterion from ERM to a candidate, its standard error, and the number of
// rows of the smaller deciding group. The standard error is widened by Student's quantile if there are few rows.
// For the worst group it is at least the error of the least certain group, since a different group may be the
// worst.
func (j *judge) improvement(criterion string, candidate int) (decrease, se float64, rows int) {
	smooth := criterion != "worst-group-accuracy" // errors are compared without smoothing
	a, b := j.value(criterion, 0, smooth), j.value(criterion, candidate, smooth)
	decrease, se = a.subtract(b.estimate)
	rows = min(a.rows, b.rows)
	k := standardErrors(criterion)
	if se *= studentFactor(k, float64(rows-1)); !isByGroup(criterion) {
		return decrease, se, rows
	}
	value, share := j.values.losses, 1.0
	switch criterion {
	case "worst-group-accuracy":
		value = j.values.smoothed
	case "trade-off":
		share = 1 / (1 + j.rate)
	}
	return decrease, max(se, share*j.measure.decreaseError(value[0], value[candidate], k)), rows
}

// choose returns the candidate with the least value of the criterion among those that are allowed, or ERM if that
// candidate does not improve the criterion by enough standard errors. On validation rows, accuracy needs no such
// improvement.
func (j *judge) choose(criterion string, allowed func(candidate int) bool) int {
	best, least := 0, j.score(criterion, 0)
	erm := math.Abs(least)
	for c := 1; c < len(j.values.losses); c++ {
		if !allowed(c) {
			continue
		}
		if v := j.score(criterion, c); v < least {
			best, least = c, v
		}
	}
	if best == 0 || criterion == "worst-group-accuracy" && j.validation {
		return best
	}
	if decrease, se, _ := j.improvement(criterion, best); decrease > max(standardErrors(criterion)*se, worth*erm) {
		return best
	}
	return 0
}

// studentFactor returns the ratio of Student's quantile to k, the normal quantile with the same probability.
func studentFactor(k, freedom float64) float64 {
	if freedom < 1 {
		return math.Inf(1)
	}
	x := mathext.InvRegIncBeta(freedom/2, 0.5, math.Erfc(k/math.Sqrt2)) // (1 + t²/f)⁻¹ is a beta variable
	return math.Sqrt(freedom*(1-x)/x) / k
}

// judge returns a judge of the candidates solved so far.
func (c *selectionRun) judge() *judge {
	return &judge{measure: c.measure, values: c.values, rate: c.Rate, validation: c.Validation > 0,
		largest: map[int][]int32{}}
}

// valueOf returns the criterion of a candidate.
func (c *selectionRun) valueOf(candidate int) float64 {
	return c.judge().score(c.Criterion, candidate)
}

// chooseCandidate chooses the reference, estimates all candidates, and chooses one of them.
func (c *selectionRun) chooseCandidate() {
	c.putReferenceFirst()
	j := c.judge()
	value := c.values.losses
	if c.Criterion == "worst-group-accuracy" {
		value = c.values.errors
	}
	m := c.measure
	average := m.average(value[0])
	for i := range c.Candidates {
		k := &c.Candidates[i]
		a, t := m.average(value[i]), m.estimateTail(value[i], nil)
		k.Average, k.Tail, k.Rows = a.value, t.value, len(value[i])
		k.Cost, k.CostSE = a.subtract(average)
		if m.countEligible() > 0 {
			worst := m.estimateWorst(value[i], false).value
			k.WorstGroup = &worst
		}
		k.Value = j.score(c.Criterion, i)
		k.Improvement, k.SE, k.Deciding = j.improvement(c.Criterion, i)
		k.Allowed = i > 0 && c.isWithinBudget(k) && (k.Improvement > max(standardErrors(c.Criterion)*k.SE,
			worth*math.Abs(c.Candidates[0].Value)) || c.replacesERM())
	}
	c.Candidates[0].Improvement, c.Candidates[0].SE = 0, 0
	within := func(i int) bool { return c.isWithinBudget(&c.Candidates[i]) }
	c.Chosen = j.choose(c.Criterion, within)
	for _, other := range c.otherCriteria() {
		c.Alternatives = append(c.Alternatives, Alternative{other, j.choose(other, within)})
	}
	c.Unstable, c.Replaced = c.resample(j, within)
	if c.options.Comparisons {
		c.Comparisons = m.countComparisons(c.values.losses, c.options.Seed)
		if c.Chosen > 0 {
			c.Comparisons.Average /= max(c.Replaced, 1.0/stabilityDraws)
		}
	}
	c.setReason()
}

// putReferenceFirst moves one of the ERM candidates to the first place. This is the candidate with the least average
// risk, if that risk is lower by a standard error than the risk of ERM at the table's μ, and otherwise ERM at the
// table's μ.
func (c *selectionRun) putReferenceFirst() {
	given, best := 0, 0
	average := make([]estimate, len(c.Candidates))
	for i, k := range c.Candidates {
		if k.Family != "erm" {
			continue
		}
		if average[i] = c.measure.average(c.values.losses[i]); average[i].value < average[best].value {
			best = i
		}
		if k.Mu == c.table.Primal.Mu {
			given = i
		}
	}
	if gain, se := average[given].subtract(average[best]); gain <= se {
		best = given
	}
	swap := func(v [][]float64) {
		if v != nil {
			v[0], v[best] = v[best], v[0]
		}
	}
	swap(c.values.losses)
	swap(c.values.errors)
	swap(c.values.smoothed)
	c.solved[0], c.solved[best] = c.solved[best], c.solved[0]
	c.Candidates[0], c.Candidates[best] = c.Candidates[best], c.Candidates[0]
}

// isWithinBudget reports whether the cost of a candidate stays below the budget by two standard errors.
func (c *selectionRun) isWithinBudget(k *Candidate) bool {
	return k.Cost+budgetErrors*k.CostSE <= c.budget*math.Abs(c.Candidates[0].Average)
}

// otherCriteria returns the other criteria that are applicable to the rows.
func (c *selectionRun) otherCriteria() []string {
	return slices.DeleteFunc(slices.Clone(Criteria), func(name string) bool {
		return name == c.Criterion || name == "tail" ||
			isByGroup(name) && c.measure.countEligible() < 2 || name == "worst-group-accuracy" && !c.table.hasClasses()
	})
}

// resample resamples the rows by exponential weights (Bayesian bootstrap), without fitting models again. It returns
// the proportion of resamples in which the rule chooses another family, and the proportion in which it replaces ERM.
func (c *selectionRun) resample(j *judge, within func(int) bool) (unstable, replaced float64) {
	const stream = 0x73746162
	other, chosen := 0, 0
	for b := range stabilityDraws {
		rng := rand.New(rand.NewPCG(c.options.Seed, stream+uint64(b)))
		again := *j
		again.measure = c.measure.reweight(rng)
		k := again.choose(c.Criterion, within)
		if c.Candidates[k].Family != c.Best().Family {
			other++
		}
		if k > 0 {
			chosen++
		}
	}
	return float64(other) / stabilityDraws, float64(chosen) / stabilityDraws
}

// isByGroup reports whether a criterion refers to the worst group.
func isByGroup(criterion string) bool {
	return strings.HasPrefix(criterion, "worst-group") || criterion == "trade-off"
}

// setReason describes the choice.
func (c *selectionRun) setReason() {
	k := c.Best()
	count := len(c.Candidates) - 1
	if c.Chosen == 0 && c.replacesERM() {
		c.Reason = fmt.Sprintf(
			"ERM with μ = %s is kept: none of the %d other candidates has a smaller smoothed worst-group error rate on %s",
			printable.Setting(k.Mu), count, printable.Plural(c.Validation, "validation row", "validation rows"))
		return
	}
	if c.Chosen == 0 {
		c.Reason = fmt.Sprintf("ERM with μ = %s is kept: %s", printable.Setting(k.Mu), c.reasonForERM())
		return
	}
	average, size := "average risk", printable.Number
	if c.Criterion == "worst-group-accuracy" {
		average = "average error rate"
		size = func(x float64) string { return printable.Points(x) + "\u00a0percentage points" }
	}
	where := "out of fold"
	if c.Validation > 0 {
		where = fmt.Sprintf("on %s", printable.Plural(c.Validation, "validation row", "validation rows"))
	}
	name := k.Name
	if k.Family == "erm" {
		name = "ERM with μ = " + printable.Setting(k.Mu)
	}
	smoothed := ""
	if c.Criterion == "worst-group-accuracy" {
		smoothed = "smoothed; "
	}
	c.Reason = fmt.Sprintf("%s lowers the criterion, the %s, by %s (%sstandard error %s) %s", name,
		CriterionText(c.Criterion, c.Rate), size(k.Improvement), smoothed, size(k.SE), where)
	switch {
	case c.Criterion == "average":
	case k.Cost > 0:
		c.Reason += fmt.Sprintf("; the %s rises by %s", average, size(k.Cost))
	default:
		c.Reason += fmt.Sprintf("; the %s falls by %s", average, size(-k.Cost))
	}
	if isByGroup(c.Criterion) {
		c.Reason += fmt.Sprintf("; the worst group has %s", printable.Plural(k.Deciding, "row", "rows"))
	}
}

// RequiredErrors returns the number of standard errors by which the criterion had to improve for ERM to be replaced. It
// is 0 for accuracy on validation rows.
func (s *Selection) RequiredErrors() float64 {
	if s.replacesERM() {
		return 0
	}
	return standardErrors(s.Criterion)
}

// reasonForERM returns the reason why no other candidate replaces ERM, as a clause: none lowers the criterion
// significantly, none that does is within the budget, or the best within the budget does not lower it by enough.
func (c *selectionRun) reasonForERM() string {
	count, improving, affordable := len(c.Candidates)-1, c.CountImproving(), 0
	required := standardErrors(c.Criterion)
	errors := fmt.Sprintf("%v standard %s", required, printable.Noun(required, "error", "errors"))
	criterion, average := "the criterion, the "+CriterionText(c.Criterion, c.Rate), "average risk"
	if c.Criterion == "worst-group-accuracy" {
		average = "average error rate"
	}
	best := -1
	for i := 1; i <= count; i++ {
		k := &c.Candidates[i]
		if !c.isWithinBudget(k) {
			continue
		}
		if best < 0 || k.Value < c.Candidates[best].Value {
			best = i
		}
		if c.isImproving(k) {
			affordable++
		}
	}
	switch {
	case improving == 0:
		return fmt.Sprintf("%s %s, by %s", printable.Noun(count, "the other candidate does not lower",
			fmt.Sprintf("none of the %d other candidates lowers", count)), criterion, errors)
	case affordable == 0:
		which := printable.Noun(count, "the other candidate lowers", fmt.Sprintf("%d of the %d other candidates %s", improving,
			count, printable.Noun(improving, "lowers", "lower")))
		return fmt.Sprintf("%s %s, by %s, but may raise the %s by more than the budget of %s", which, criterion,
			errors, average, printable.Percent(c.budget))
	}
	within := ""
	if !math.IsInf(c.budget, 1) {
		within = " within the budget for the " + average
	}
	k := &c.Candidates[best]
	return fmt.Sprintf("the best other candidate%s, %s with μ = %s, does not lower %s, by both %s and %s", within, k.Name,
		printable.Setting(k.Mu), criterion, errors, printable.Percent(worth))
}

// isImproving reports whether a candidate lowers the criterion significantly.
func (s *Selection) isImproving(k *Candidate) bool {
	return k.Improvement > standardErrors(s.Criterion)*k.SE
}

// CountImproving returns the number of candidates that lower the criterion by the required number of standard errors.
// They may still be rejected because of the budget or a small improvement.
func (s *Selection) CountImproving() (count int) {
	for i := 1; i < len(s.Candidates); i++ {
		if s.isImproving(&s.Candidates[i]) {
			count++
		}
	}
	return count
}

// replacesERM reports whether a candidate can replace ERM without an improvement by standard errors.
func (s *Selection) replacesERM() bool {
	return s.Validation > 0 && s.Criterion == "worst-group-accuracy"
}

// CriterionText describes a criterion; rate is the weight of the average risk in the trade-off.
func CriterionText(criterion string, rate float64) string {
	switch criterion {
	case "worst-group":
		return "worst group’s risk"
	case "worst-group-accuracy":
		return "worst group’s error rate"
	case "tail":
		return "risk of the worst tenth"
	case "trade-off":
		return fmt.Sprintf("weighted mean of worst-group and average risk (weights 1 and %.3g)", rate)
	}
	return "average risk"
}
