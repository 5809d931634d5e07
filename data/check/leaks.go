package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mathext"
)

// Thresholds of leaks.
const (
	predictsAll    = 0.995 // AUC or R² of a column or a model that reveals the target
	predictsBeyond = 0.975 // AUC of a column that predicts far better than all others together
	othersAtMost   = 0.90  // AUC of the remaining columns in that case
	nearlyCopy     = 0.9   // Cohen's kappa of the indicators of a value and a class
	pureRows       = 15    // minimum number of rows without the usual value if all have the same class
	pureChance     = 1e-6  // maximum probability of such a class distribution if there is no relation

	nearlyPureRows  = 20   // minimum number of rows without the usual value if nearly all have the same class
	nearlyPure      = 0.85 // minimum proportion of this class among them
	elsewhereAtMost = 0.3  // maximum proportion of this class among the other rows

	leakRows       = 50     // minimum number of rows with a target for a search for leaks
	groupLevelRows = 10     // minimum number of rows of a group in which all have the same class
	identity       = 0.9999 // minimum R² of a model from whose columns the target can be computed
	maxParts       = 12     // maximum number of the columns of such a model
	averagedCells  = 1e9    // maximum number of rows × pairs of columns compared for averages
	maxCulprits    = 3      // maximum number of columns without which a model is no longer nearly perfect
)

// question is the question that the user must answer about a leak.
const question = "is the column known before the outcome? If not, leave the column out"

// findLeaks returns the leaks of the target.
func (x *examination) findLeaks() (all []Finding) {
	if len(x.known) < leakRows {
		return nil
	}
	power := map[*column]float64{}
	leaks := map[*column]bool{}
	for k, c := range x.columns {
		r := &x.relations[k]
		power[c], leaks[c] = r.power, r.isLeak
		if r.finding != nil {
			all = append(all, *r.finding)
		}
	}
	for _, f := range x.findAverages() {
		at := slices.IndexFunc(x.columns, func(c *column) bool { return c.Name == f.Column })
		if !leaks[x.columns[at]] {
			all = append(all, f)
			leaks[x.columns[at]] = true
		}
	}
	for _, f := range x.findPairs(power, leaks) {
		all = append(all, f)
		for _, c := range x.columns {
			leaks[c] = leaks[c] || slices.Contains(f.Columns, c.Name)
		}
	}
	m := x.newLinear(power, leaks, false)
	if m != nil {
		all = append(all, x.findTogether(m, power)...)
	}
	all = append(all, x.checkGroupSlopes(power, leaks, m)...)
	return all
}

// newLeak returns a finding about a leak through one column.
func (x *examination) newLeak(what Kind, c *column, format string, args ...any) *Finding {
	f := &Finding{What: what, Column: c.Name, Severity: Warning, Evidence: fmt.Sprintf(format, args...),
		Proposal: question}
	switch x.roles.FindRole(c.Name) {
	case "":
	case "a group column":
		if !x.roles.GroupFeatures && !slices.Contains(x.roles.Features, c.Name) { // such as class × attribute
			f.Severity, f.Proposal = Note, "" // the column is not a feature
			break
		}
		switch what {
		case Leak, LeakAfter, LeakOutcome, LeakBands, LeakKey:
			f.What = LeakGroup
		}
		f.Proposal = "the column stays a group column, but is not used as a feature unless you name it as one"
	default:
		f.Severity, f.Proposal = Note, "" // the column is not a feature
	}
	return f
}

// A relation states how well a column alone predicts the target, and the finding about this.
type relation struct {
	power        float64  // AUC or R²; 0 for a column without values
	finding      *Finding // the first finding, or nil
	isLeak       bool     // whether the finding is a leak
	isOwnAverage bool     // see isOwnAverage
}

// relate returns the relation of a column with the target. It is the zero relation if few rows have a target.
func (x *examination) relate(c *column) (r relation) {
	if len(x.known) < leakRows {
		return r
	}
	r.isOwnAverage = len(x.y) == 1 && c.number != nil && x.isOwnAverage(c)
	if len(c.values) < 2 && c.nulls == 0 || len(c.values) == 0 {
		return r
	}
	r.power = x.rateColumn(c)
	r.finding = x.checkAlone(c, r.power)
	for _, check := range []func(*column) *Finding{x.checkGroup, x.checkAfter, x.checkFunction} {
		if r.finding == nil {
			r.finding = check(c)
		}
	}
	if r.isLeak = r.finding != nil; !r.isLeak {
		r.finding = x.checkNearlyPure(c)
	}
	return r
}

// checkAlone finds a column that alone predicts the target nearly without error. power is its AUC or R².
func (x *examination) checkAlone(c *column, power float64) *Finding {
	if power > predictsAll && 2*c.countValues() >= len(x.rows) {
		return x.newLeak(Leak, c, "possible leakage: the column alone predicts the target (%s %.4f)", x.powerName(), power)
	}
	return nil
}

// class returns the target, 0 or 1, of a row if there are two classes; ok is false if it is missing.
func (x *examination) class(i int) (y float64, ok bool) { y = x.y[0][i]; return y, !math.IsNaN(y) }

// describeOutcome describes class 1 or, if isOne is false, the other classes.
func (x *examination) describeOutcome(isOne bool) string {
	var label string // label of class 1
	for _, i := range x.known {
		y, _ := x.class(i)
		switch text := strconv.Quote(x.target.Text(i)); {
		case (y > 0) == isOne && (isOne || len(x.target.values) == 2):
			return "the outcome " + text
		case y > 0:
			label = text
		}
	}
	return "an outcome other than " + label
}

// countUsual divides the rows by whether column c has its most frequent value, which may be null. It returns the
// number of rows n and of class-1 rows, first without that value and then with it; what describes the value.
func (x *examination) countUsual(c *column) (n, ones [2]float64, what string) {
	usual, rows := int32(-1), c.nulls
	for k, v := range c.values {
		if int(v.rows) > rows {
			usual, rows = int32(k), int(v.rows)
		}
	}
	for _, i := range x.known {
		y, _ := x.class(i)
		k := 0
		if c.index[i] == usual {
			k = 1
		}
		n[k]++
		ones[k] += y
	}
	what = "a missing value"
	if usual >= 0 {
		what = strconv.Quote(c.Text(int(c.values[usual].first)))
	}
	return n, ones, what
}

// checkAfter finds a column that is filled in after the outcome: its usual value (or a null) occurs only with one
// class, or all other values do.
func (x *examination) checkAfter(c *column) *Finding {
	if !x.binary || len(x.y) != 1 {
		return nil
	}
	n, ones, what := x.countUsual(c)
	if n[0] == 0 || n[1] == 0 {
		return nil
	}
	if k := kappa(n, ones); k > nearlyCopy {
		return x.newLeak(LeakAfter, c,
			"possible leakage: the target is nearly determined by whether the column holds %s (kappa %.2f); the "+
				"column may be filled in after the outcome", what, k)
	}
	base := (ones[0] + ones[1]) / (n[0] + n[1])
	if ones[0] == 0 {
		base = 1 - base
	} else if ones[0] != n[0] {
		base = 1
	}
	if 2*n[1] >= n[0]+n[1] && n[0] >= pureRows && n[0]*math.Log(base) < math.Log(pureChance) {
		return x.newLeak(LeakOutcome, c,
			"possible leakage: all %.0f rows in which the column does not hold %s have %s, against %.0f %% of all rows; "+
				"the column may be filled in after the outcome", n[0], what, x.describeOutcome(ones[0] > 0), 100*base)
	}
	return nil
}

// checkNearlyPure finds a feature whose unusual values nearly all have one outcome. Such a feature may be strong,
// or it may be known only after the outcome; the finding is therefore a note, and further checks of the column
// follow.
func (x *examination) checkNearlyPure(c *column) *Finding {
	if !x.binary || len(x.y) != 1 || x.roles.FindRole(c.Name) != "" {
		return nil
	}
	n, ones, what := x.countUsual(c)
	if n[0] < nearlyPureRows || n[1] < n[0] {
		return nil
	}
	share, rest := ones[0]/n[0], ones[1]/n[1]
	isOne := share >= 0.5
	if !isOne {
		share, rest = 1-share, 1-rest
	}
	if share < nearlyPure || rest > elsewhereAtMost {
		return nil
	}
	f := x.newLeak(LeakOutcome, c,
		"%.0f %% of the %.0f rows in which the column does not hold %s have %s, against %.0f %% of the other rows",
		100*share, n[0], what, x.describeOutcome(isOne), 100*rest)
	f.Severity = Note
	return f
}

// kappa returns Cohen's kappa for two sets of rows, of sizes n and with the given numbers of ones, in the direction
// in which they agree.
func kappa(n, ones [2]float64) float64 {
	all := n[0] + n[1]
	agree := (n[0] - ones[0] + ones[1]) / all
	in, y := n[1]/all, (ones[0]+ones[1])/all
	chance := in*y + (1-in)*(1-y)
	if chance <= 0 || chance >= 1 {
		return 0
	}
	return max((agree-chance)/(1-chance), (chance-agree)/chance)
}

// checkGroup finds a group column in which each group has a single class.
func (x *examination) checkGroup(c *column) *Finding {
	if x.roles.FindRole(c.Name) != "a group column" || !x.binary {
		return nil
	}
	n, of := make([]float64, len(c.values)+1), make([]map[int32]float64, len(c.values)+1)
	class := make([]float64, len(x.target.values))
	for _, i := range x.known {
		k, t := c.index[i]+1, x.target.index[i]
		if of[k] == nil {
			of[k] = map[int32]float64{}
		}
		n[k]++
		of[k][t]++
		class[t]++
	}
	large, pure, groups, chance := 0.0, 0.0, 0, 0.0
	classes := map[int32]bool{}
	for k := range n {
		if n[k] < groupLevelRows {
			continue
		}
		large += n[k]
		for t, m := range of[k] {
			if m == n[k] {
				pure += m
				groups++
				classes[t] = true
				chance += m * math.Log(class[t]/float64(len(x.known)))
			}
		}
	}
	if len(classes) < 2 || pure < 0.95*large || chance > math.Log(pureChance) {
		return nil
	}
	return x.newLeak(LeakGroup, c,
		"possible leakage: all outcomes are equal within each of %d groups of at least %d rows (%.0f rows in all): the "+
			"column may be computed from the target", groups, groupLevelRows, pure)
}

// findAverages finds numeric columns that hold the average target of all rows that share a value of another column,
// which need not be in the table.
func (x *examination) findAverages() (all []Finding) {
	y := x.y[0]
	if len(x.y) > 1 {
		return nil
	}
	var keys, averages []*column
	for _, c := range x.columns {
		if c.canBeKey() {
			keys = append(keys, c)
		}
		if c.number != nil && c.distinct >= 3 && x.mayHoldAverages(c) {
			averages = append(averages, c)
		}
	}
	if most := averagedCells / max(1, len(averages)*len(x.known)); len(keys) > most {
		keys = slices.DeleteFunc(keys, func(c *column) bool { return c.Vector != "" })
		keys = keys[:min(len(keys), most)]
	}
	for _, key := range keys {
		n, sum := make([]float64, key.distinct), make([]float64, key.distinct)
		for _, i := range x.known {
			if k := key.index[i]; k >= 0 {
				n[k]++
				sum[k] += y[i]
			}
		}
		for _, c := range averages {
			if c == key {
				continue
			}
			if others, is := x.holdsAverage(c, key, n, sum); is {
				without := ""
				if others {
					without = ", without the row itself"
				}
				all = append(all, *x.newLeak(LeakAverage, c,
					"possible leakage: the column is the average of the target over the rows with the same %q%s", key.Name, without))
			}
		}
	}
	for k, c := range x.columns {
		if x.relations[k].isOwnAverage && !slices.ContainsFunc(all, func(f Finding) bool { return f.Column == c.Name }) {
			all = append(all, *x.newLeak(LeakAverage, c,
				"possible leakage: among rows with the same value of the column, the mean of the target is closer "+
					"to that value than chance allows: the column may hold averages of the target over the rows "+
					"with equal values of a column that is not in the table"))
		}
	}
	return all
}

// Limits of isOwnAverage.
const (
	ownRows   = 3    // minimum number of rows with a value that is compared
	ownValues = 4    // minimum number of values that are compared with averages of the target
	ownShare  = 0.2  // minimum proportion of rows that have these values
	ownChance = 1e-5 // maximum probability that the averages of a calibrated prediction are so close to it
)

// isOwnAverage reports whether the numbers in c are averages of the target by some column. The mean of the target over
// the rows with the same number then equals this number or, if the averages cover more rows than are examined (such as
// hold-out rows), is closer to it than chance explains. For a calibrated prediction, in contrast, the squared
// standardised differences sum to a chi-squared variable.
func (x *examination) isOwnAverage(c *column) bool {
	if len(c.values) < ownValues {
		return false
	}
	often := int32(0) // rows of values that occur often enough to have an average
	for _, v := range c.values {
		if v.rows >= ownRows {
			often += v.rows
		}
	}
	if float64(often) < ownShare*float64(len(x.known)) {
		return false
	}
	unit, _ := c.roundingUnit()
	a, b, d := borrow(len(c.values)), borrow(len(c.values)), borrow(len(c.values))
	defer giveBack(a, b, d)
	n, sum, squares := *a, *b, *d
	for _, i := range x.known {
		if k := c.index[i]; k >= 0 {
			y := x.y[0][i]
			n[k], sum[k], squares[k] = n[k]+1, sum[k]+y, squares[k]+y*y
		}
	}
	scale := 1.0
	if x.binary && c.values[len(c.values)-1].value > 1 { // percentages
		scale = 100
	}
	unit /= scale
	for _, other := range []bool{false, true} { // true if the numbers may be proportions of the other class
		var rows, values, total float64
		for k, v := range c.values {
			mean, at := sum[k]/n[k], v.value/scale
			variance, rounded := (squares[k]/n[k]-mean*mean)*n[k]/(n[k]-1), unit*unit/3
			if other {
				at = 1 - at
			}
			if x.binary {
				// since proportions are multiples of 1/n
				variance, rounded = at*(1-at), rounded+1/(12*n[k]*n[k])
			}
			if !(n[k] >= ownRows && variance > 1e-9*mean*mean) || x.binary && !(n[k]*variance >= 2) {
				continue
			}
			rows, values = rows+n[k], values+1
			total += ((mean-at)*(mean-at) + rounded) / (variance / n[k])
		}
		if values >= ownValues && rows >= ownShare*float64(len(x.known)) && total < values/2 &&
			mathext.GammaIncReg(values/2, total/2) < ownChance {
			return true
		}
		if !x.binary {
			break
		}
	}
	return false
}

// roundingUnit returns half a unit in the last decimal place of the first numbers of a column, with their number of
// decimals. If they have more than six decimals, it returns 1e-9 and 7.
func (c *column) roundingUnit() (half float64, decimals int) {
	if c.decimals > 0 {
		return c.unit, c.decimals
	}
	for decimals = 1; decimals <= 6; decimals++ {
		scale := math.Pow(10, float64(decimals))
		if !slices.ContainsFunc(c.values[:min(50, len(c.values))],
			func(v count) bool { return math.Abs(v.value*scale-math.Round(v.value*scale)) > 1e-6*scale*1e-3 }) {
			return 0.5000001 / scale, decimals
		}
	}
	return 1e-9, decimals
}

// mayHoldAverages reports whether the numbers of a column have enough decimals for averages of the target.
func (x *examination) mayHoldAverages(c *column) bool {
	_, decimals := c.roundingUnit()
	return decimals >= 2 || !x.binary
}

// holdsAverage reports whether c holds the average of the target over the rows with the same value of key: over all of
// them or, if others is true, over those other than the row itself. n and sum hold the number of rows and the sum of
// the target for every value.
func (x *examination) holdsAverage(c, key *column, n, sum []float64) (others, is bool) {
	unit, _ := c.roundingUnit()
	var rows, with, without float64
	levels := map[int32]bool{}
	y := x.y[0]
	for _, i := range x.known {
		k := key.index[i]
		if k < 0 || math.IsNaN(c.number[i]) || n[k] < 2 {
			continue
		}
		mean := sum[k] / n[k]
		if x.binary && (mean == 0 || mean == 1) {
			continue
		}
		rows++
		v := c.number[i]
		if x.binary && v > 1 {
			v /= 100
		}
		if math.Abs(v-mean) <= unit*(1+1e-6) {
			with++
			levels[k] = true
		} else if n[k] >= 3 && math.Abs(v-(sum[k]-y[i])/(n[k]-1)) <= unit {
			without++
			levels[k] = true
		}
	}
	switch {
	case len(levels) < 5 || rows < fewRows:
	case with >= 0.1*rows && with > without:
		return false, true
	case without >= 0.1*rows:
		return true, true
	}
	return false, false
}

// checkGroupSlopes finds group columns that let other columns decode the target: the target is a function of a
// group and a column together, or the scores of the other columns are reversed in a group.
func (x *examination) checkGroupSlopes(power map[*column]float64, leaks map[*column]bool, m *linear) (all []Finding) {
	if !x.binary || len(x.y) != 1 {
		return nil
	}
	for _, g := range x.columns {
		if x.roles.FindRole(g.Name) != "a group column" || !x.roles.isFeature(g.Column) || leaks[g] || g.distinct < 2 ||
			g.distinct > pairLevels {
			continue
		}
		if f := x.findJointLeak(g, power, leaks); f != nil {
			all = append(all, *f)
		} else if f := x.findReversal(g, m); f != nil {
			all = append(all, *f)
		}
	}
	return all
}

const (
	pairLevels   = 50   // maximum number of values of a column that is combined with another
	pairAlone    = 0.95 // maximum AUC of each of the two columns alone
	reversedRows = 10   // minimum number of rows of each class in a group
	ranked       = 0.9  // minimum AUC of the other columns in one group
	reversed     = 0.25 // maximum AUC of the other columns in a different group
)

// findJointLeak finds a column that together with a group column predicts the target although neither does so
// alone.
func (x *examination) findJointLeak(g *column, power map[*column]float64, leaks map[*column]bool) *Finding {
	for _, c := range x.columns {
		if c == g || !x.roles.isFeature(c.Column) || c.distinct < 2 || c.distinct > pairLevels || leaks[c] ||
			max(power[c], power[g]) > pairAlone {
			continue
		}
		cells := (len(g.values) + 1) * (len(c.values) + 1)
		if p := x.predictivePower(x.valueScores(crossValues(g, c), cells, x.y[0]), x.y[0]); p > predictsAll {
			return &Finding{What: LeakSlopes, Column: g.Name, Columns: []string{g.Name, c.Name}, Severity: Warning,
				Evidence: fmt.Sprintf(
					"possible leakage: the two columns together predict the target (AUC %.4f; alone %.2f and %.2f): the groups "+
						"may be computed from the target and %q", p, power[g], power[c], c.Name),
				Proposal: fmt.Sprintf("%q is not used as a feature unless you name it as one", g.Name)}
		}
	}
	return nil
}

// findReversal finds a group column such that the other columns predict the target well in one group and predict its
// opposite nearly as well in another. Coefficients that differ between groups would then decode the target.
func (x *examination) findReversal(g *column, m *linear) *Finding {
	if m == nil {
		return nil
	}
	score := m.scoresWithout(g)
	area := make([]float64, len(g.values))
	least, greatest := -1, -1
	for k := range area {
		var s, y []float64
		ones := 0
		for _, i := range m.places {
			if g.index[i] == int32(k) && !math.IsNaN(score[i]) {
				s, y = append(s, score[i]), append(y, x.y[0][i])
				if x.y[0][i] > 0 {
					ones++
				}
			}
		}
		if ones < reversedRows || len(y)-ones < reversedRows {
			continue
		}
		area[k] = directedArea(s, y)
		if least < 0 || area[k] < area[least] {
			least = k
		}
		if greatest < 0 || area[k] > area[greatest] {
			greatest = k
		}
	}
	if least < 0 || area[least] > reversed || area[greatest] < ranked {
		return nil
	}
	name := func(k int) string { return strconv.Quote(g.Text(int(g.values[k].first))) }
	return &Finding{What: LeakSlopes, Column: g.Name, Severity: Warning,
		Evidence: fmt.Sprintf(
			"possible leakage: the other columns predict the target in group %s (AUC %.2f) and its opposite in "+
				"group %s (AUC %.2f): coefficients by group would reveal the target; the group may be computed "+
				"from the target",
			name(greatest),
			area[greatest], name(least), area[least]),
		Proposal: "the model gets no coefficients by group unless you ask for them; is the group known at " +
			"prediction time?"}
}

// directedArea returns the area under the ROC curve; it is below 0.5 if low scores indicate class 1.
func directedArea(score, y []float64) float64 {
	a := areaUnderCurve(score, y)
	var mean, n [2]float64
	order := make([]int, len(score))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(score[a], score[b]) })
	for rank, i := range order {
		k := 0
		if y[i] > 0 {
			k = 1
		}
		mean[k] += float64(rank)
		n[k]++
	}
	if mean[1]/n[1] < mean[0]/n[0] {
		return 1 - a
	}
	return a
}
