package tune

import (
	"cmp"
	"math"
	"strconv"

	"github.com/drotrain/drotrain/train/level"
)

// Names of the family of adversaries over rows, and of the means of models on balanced subsets of the validation
// rows.
const (
	rowsFamily       = "rows, chi2"
	validationFamily = level.ValidationSubsets
)

// erm is the level of ERM.
var erm = level.Level{Average: "plain", Penalty: "kl"}

// A Candidate is a level with its μ and its estimates, which are out of fold or on the validation rows. They are in
// units of the loss or, if the criterion is worst-group-accuracy, error rates.
type Candidate struct {
	// erm, half, balanced, subsets, validation-subsets, groups or "rows, chi2"
	Family     string      `json:"family"`
	Name       string      `json:"name"` // name for people
	Level      level.Level `json:"level"`
	Mu         float64     `json:"mu"`
	Average    float64     `json:"average"`               // mean loss or error rate
	WorstGroup *float64    `json:"worst_group,omitempty"` // largest mean of a group
	Tail       float64     `json:"tail"`                  // mean of the largest tenth of the losses or errors
	// value of the criterion, smoothed if it is about the worst group
	Value       float64 `json:"value"`
	Improvement float64 `json:"improvement"` // decrease of Value relative to ERM
	// standard error of Improvement, widened if the groups that decide have few rows
	SE     float64 `json:"se"`
	Cost   float64 `json:"cost"` // increase in the average risk over that of ERM
	CostSE float64 `json:"cost_se"`
	Rows   int     `json:"rows"` // number of rows on which the estimates are based
	// number of rows in the smaller one of the worst groups of ERM and of the candidate; all rows if the
	// criterion does not refer to groups
	Deciding int  `json:"deciding"`
	Allowed  bool `json:"allowed"` // whether the candidate may replace ERM
}

// WideColumns is the minimum number of columns, not counting products for group coefficients, for which balanced
// subsets are tried without validation rows. For at least this number, if the columns are numbers and no group is a
// feature, a model of classes is chosen by the accuracy of the worst group.
const WideColumns = 50

// maxSubsetRows is the number of rows of a balanced subset, for each column and group, from which the mean of
// models on subsets is not tried, since weights then have the same effect.
const maxSubsetRows = 10

// newCandidate returns a candidate whose μ is factor times that of the table.
func (t *Table) newCandidate(family string, l level.Level, factor float64) Candidate {
	l.Penalty = cmp.Or(l.Penalty, "kl")
	return Candidate{Family: family, Name: l.String(), Level: l, Mu: t.Primal.Mu * factor}
}

// averages returns the averages with group weights that are tried, by family.
func (t *Table) averages(o *Options) map[string]level.Level {
	out := map[string]level.Level{}
	if _, err := level.Balanced(t.Rows); err != nil {
		return out
	}
	out["balanced"] = level.Level{Average: "balanced"}
	if !o.Few {
		out["half"] = level.Level{Average: "half-balanced"}
	}
	_, d := t.X.Dims()
	if shared := cmp.Or(o.SharedColumns, d); shared >= WideColumns || t.Validation != nil {
		subsets, err := level.Subsets(t.Rows)
		if groups := len(t.Labels); err == nil && len(subsets[0]) <= groups*maxSubsetRows*d {
			out["subsets"] = level.Level{Average: "subsets"}
		}
	}
	return out
}

// groupLevels returns levels of group DRO, from mild to strong. mean is the mean loss of ERM; penalty coefficients
// are multiples of it, so that the unit of the loss does not matter. If few is set, there are two levels instead of
// four.
func groupLevels(mean float64, few bool) (out []level.Level) {
	shares := []float64{0.3, 0.1, 0.03, 0}
	if few {
		shares = []float64{0.1, 0}
	}
	for _, share := range shares {
		out = append(out, level.Level{Penalty: "kl", Adversary: "groups", Nu: roundTo3Digits(share * mean)})
	}
	return out
}

// rowLevels returns levels of χ² over rows, from mild to strong, with penalty coefficients from 30 to 0.3 times the
// standard deviation of ERM's losses. If few is set, there are two levels instead of five.
func rowLevels(deviation float64, few bool) (out []level.Level) {
	count := 5
	if few {
		count = 2
	}
	for k := range count {
		nu := 30 * math.Pow(0.01, float64(k)/float64(count-1))
		out = append(out, level.Level{Penalty: "chi2", Nu: roundTo3Digits(nu * deviation)})
	}
	return out
}

// roundTo3Digits returns a pointer to v, rounded to three significant digits.
func roundTo3Digits(v float64) *float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	return &v
}
