package check

import (
	"fmt"
	"math"
	"slices"
)

// These checks find columns of which the target is a function, or that are a function of the target.

const (
	bandRows   = 5    // minimum number of rows for a value whose range of the target is used
	bandShare  = 0.8  // minimum proportion of rows with such values
	keyValues  = 10   // minimum number of values of a key
	keyRows    = 50   // minimum number of rows with repeated values
	crossCells = 400  // maximum number of pairs of values of two columns
	crossPairs = 1000 // maximum number of pairs of columns examined
	crossPure  = 0.98 // minimum proportion of rows that have the most frequent class of their pair of values
)

// checkFunction finds a column that is the rounded or binned target, or a column whose values each occur with a
// single target value.
func (x *examination) checkFunction(c *column) *Finding {
	if len(x.y) > 1 || len(c.values) < 2 {
		return nil
	}
	n, low, high := make([]int, len(c.values)), make([]float64, len(c.values)), make([]float64, len(c.values))
	for _, i := range x.known {
		k, y := c.index[i], x.y[0][i]
		if k < 0 {
			continue
		}
		if n[k] == 0 {
			low[k], high[k] = y, y
		}
		n[k]++
		low[k], high[k] = min(low[k], y), max(high[k], y)
	}
	if f := x.checkOneTargetPerValue(c, n, low, high); f != nil {
		return f
	}
	if x.binary {
		return nil
	}
	return x.checkBands(c, n, low, high)
}

// checkBands finds a column whose values correspond to adjacent, disjoint ranges of the target. n, low and high
// hold the number of rows and the range of the target for every value.
func (x *examination) checkBands(c *column, n []int, low, high []float64) *Finding {
	var bands []int
	rows, wide := 0, 0
	for k := range n {
		if n[k] < bandRows {
			continue
		}
		if bands, rows = append(bands, k), rows+n[k]; high[k] > low[k] {
			wide++
		}
	}
	if len(bands) < 2 || wide < 2 || float64(rows) < bandShare*float64(len(x.known)) {
		return nil
	}
	slices.SortFunc(bands, func(a, b int) int { return compareRange(low[a], high[a], low[b], high[b]) })
	var gaps []float64
	for i, k := range bands[1:] {
		gap := low[k] - high[bands[i]]
		if gap < 0 {
			return nil
		}
		gaps = append(gaps, gap)
	}
	slices.Sort(gaps)
	span := high[bands[len(bands)-1]] - low[bands[0]]
	// groups with well-separated targets may have disjoint ranges without a leak
	if gaps[len(gaps)/2] > span*max(0.02, 10/float64(rows)) {
		return nil
	}
	return x.newLeak(LeakBands, c,
		"possible leakage: the %d most frequent values of the column divide the target into ranges that do not overlap "+
			"(%d rows): the column may be the target, rounded or binned", len(bands), rows)
}

// compareRange orders ranges by their lower ends and then by their upper ends.
func compareRange(lowA, highA, lowB, highB float64) int {
	switch {
	case lowA < lowB || lowA == lowB && highA < highB:
		return -1
	case lowA == lowB && highA == highB:
		return 0
	}
	return 1
}

// checkOneTargetPerValue finds a category with many values such that all rows with the same value have the same target.
// n, low and high hold the number of rows and the range of the target for every value.
func (x *examination) checkOneTargetPerValue(c *column, n []int, low, high []float64) *Finding {
	role := x.roles.FindRole(c.Name)
	category := c.number == nil || role == "a group column" || slices.Contains(x.roles.Categorical, c.Name)
	if !category || len(c.values) < keyValues || 2*len(c.values) > len(x.known) {
		return nil
	}
	values, rows, chance := 0, 0, 0.0
	share := 0.0 // proportion of class 1
	if x.binary {
		for _, i := range x.known {
			share += x.y[0][i] / float64(len(x.known))
		}
	}
	targets := map[float64]bool{}
	for k := range n {
		if n[k] < 2 {
			continue
		}
		if low[k] != high[k] {
			return nil
		}
		values, rows = values+1, rows+n[k]
		chance += math.Log(math.Pow(share, float64(n[k])) + math.Pow(1-share, float64(n[k])))
		targets[low[k]] = true
	}
	switch {
	case values < keyValues || rows < keyRows:
		return nil
	case x.binary && chance > math.Log(pureChance):
		return nil
	case !x.binary && 2*len(targets) < values: // the target has few distinct values
		return nil
	}
	f := x.newLeak(LeakKey, c,
		"possible leakage: all rows with the same value of the column have the same target (%d rows, %d values)", rows,
		values)
	if f.Severity == Warning && role == "" {
		f.Proposal = "rows with the same value are not independent evidence: hold out all rows of a value together " +
			"(with the column as units), or leave the column out"
	}
	return f
}

// findPairs finds pairs of features that determine the class together, but not alone.
func (x *examination) findPairs(power map[*column]float64, leaks map[*column]bool) (all []Finding) {
	if !x.binary || len(x.y) != 1 {
		return nil
	}
	var features []*column
	for _, c := range x.columns {
		if x.roles.isFeature(c.Column) && x.roles.FindRole(c.Name) == "" && !leaks[c] && c.distinct > 1 &&
			c.distinct <= pairLevels && power[c] <= pairAlone {
			features = append(features, c)
		}
	}
	tried := 0
	for i, a := range features {
		for _, b := range features[:i] {
			cells := (len(a.values) + 1) * (len(b.values) + 1)
			if cells > crossCells || 10*cells > len(x.known) {
				continue
			}
			if tried++; tried > crossPairs {
				return all
			}
			index := crossValues(a, b)
			if x.purity(index, cells) < crossPure {
				continue
			}
			if p := x.predictivePower(x.valueScores(index, cells, x.y[0]), x.y[0]); p > predictsAll {
				all = append(all, Finding{What: LeakTogether, Column: b.Name, Columns: []string{b.Name, a.Name}, Severity: Warning,
					Evidence: fmt.Sprintf(
						"possible leakage: the two columns together predict the target (AUC %.4f; alone %.2f and %.2f): one of "+
							"them may be computed from the target and the other", p, power[b], power[a]),
					Proposal: "are both columns known at prediction time? If not, leave one of them out"})
			}
		}
	}
	return all
}

// crossValues returns, for each row, an index of the pair of values of two columns; a null counts as a value.
func crossValues(a, b *column) []int32 {
	index, width := make([]int32, len(a.index)), int32(len(b.values)+1)
	for i := range index {
		index[i] = (a.index[i]+1)*width + b.index[i] + 1
	}
	return index
}

// purity returns the proportion of rows that have the most frequent class of their cell.
func (x *examination) purity(index []int32, cells int) float64 {
	n, ones := make([]float64, cells), make([]float64, cells)
	for _, i := range x.known {
		n[index[i]]++
		ones[index[i]] += x.y[0][i]
	}
	pure := 0.0
	for k := range n {
		pure += max(ones[k], n[k]-ones[k])
	}
	return pure / float64(len(x.known))
}
