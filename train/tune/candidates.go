package tune

import (
	"math"
	"strconv"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/train/level"
)

// rowsFamily is the name of the family of adversaries over rows.
const rowsFamily = "rows, chi2"

// erm is the level of ERM.
var erm = level.Level{Average: "plain", Penalty: "kl"}

// A Candidate is a level with its out-of-fold estimates, in units of the criterion.
type Candidate struct {
	Family      string      `json:"family"` // erm, balanced, groups or "rows, chi2"
	Name        string      `json:"name"`   // for people
	Level       level.Level `json:"level"`
	Average     float64     `json:"average"`               // mean loss, or mean error
	WorstGroup  *float64    `json:"worst_group,omitempty"` // largest group mean
	Tail        float64     `json:"tail"`                  // mean of the largest tenth of the losses
	Improvement float64     `json:"fall"`                  // decrease of the criterion from ERM's
	SE          float64     `json:"se"`                    // standard error of Improvement; with groups, in the group that decides
	Cost        float64     `json:"rise"`                  // increase of the average from ERM's
	CostSE      float64     `json:"rise_se"`
	Rows        int         `json:"rows"`    // rows of the estimates
	Allowed     bool        `json:"allowed"` // whether the candidate may replace ERM
}

// candidates returns ERM and the levels it is compared with, from mild to strong in every family. mean and
// deviation are the mean and standard deviation of ERM's losses: penalty coefficients are multiples of them, so
// that the unit of the loss does not matter. If few is set, five penalty coefficients are tried instead of ten.
func candidates(r level.Rows, mean, deviation float64, few bool) []Candidate {
	shares, prices := []float64{1, 0.3, 0.1, 0.03, 0.01}, 5
	if few {
		shares, prices = []float64{1, 0.1, 0.01}, 2
	}
	out := []Candidate{{Family: "erm", Level: erm}}
	if mean > 0 && deviation > 0 {
		if _, err := level.Balanced(r); err == nil {
			out = append(out, Candidate{Family: "balanced", Level: level.Level{Average: "balanced", Penalty: "kl"}})
			for _, share := range shares {
				out = append(out, Candidate{Family: "groups", Level: level.Level{Penalty: "kl", Adversary: "groups", Nu: roundTo3Digits(share * mean)}})
			}
		}
		for k := range prices {
			nu := 30 * math.Pow(0.01, float64(k)/float64(prices-1)) // 30 to 0.3
			out = append(out, Candidate{Family: rowsFamily, Level: level.Level{Penalty: dro.PearsonChi2, Nu: roundTo3Digits(nu * deviation)}})
		}
	}
	for i := range out {
		out[i].Name = out[i].Level.String()
	}
	return out
}

// roundTo3Digits rounds v to three significant digits.
func roundTo3Digits(v float64) *float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	return &v
}
