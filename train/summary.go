package train

import (
	"cmp"
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
)

// A Summary is the outcome that `drotrain train --json` prints. Losses and bounds are in units of the training
// loss.
type Summary struct {
	// certified, limit, stalled, cancelled, inconsistent; uncertified when mu is 0
	Status      string  `json:"status"`
	Certified   bool    `json:"certified"` // the relative gap asked for was reached
	Objective   float64 `json:"objective"`
	RobustRisk  float64 `json:"robust_risk"`
	AverageRisk float64 `json:"average_risk"` // average training loss of the model
	// margin of the constant prediction with the least average training loss
	Constant      *float64           `json:"constant,omitempty"`
	ClassConstant []float64          `json:"class_constant,omitempty"` // and of more than two classes its margins
	Certificate   SummaryCertificate `json:"certificate"`
	Passes        float64            `json:"passes"`
	Seconds       float64            `json:"seconds"`
	Solver        string             `json:"solver"`
	// of an adversary over rows; absent where they are not known
	Levels *level.Range `json:"levels_without_model,omitempty"`
	// whether the training rows are predicted alike: probabilities within 0.001, numbers within 0.001 standard deviations
	ConstantPrediction bool   `json:"constant_prediction,omitempty"`
	Loss               string `json:"loss"`
	Level              string `json:"level"` // how robust, in words
	// whether groups have coefficients of their own; absent where that was not asked
	Design *GroupDesign `json:"design,omitempty"`
	// how the level was chosen; absent where it was set
	Selection *tune.Selection `json:"selection,omitempty"`
	// divergence of an adversary over rows; "" for others
	Penalty dro.Divergence `json:"penalty"`
	// its penalty coefficient: as set, or the multiplier of a ball
	Nu                  float64 `json:"nu"`
	Mu                  float64 `json:"mu"`
	N                   int     `json:"n"` // training rows
	D                   int     `json:"d"` // columns of the design, the intercept included
	Tau                 float64 `json:"tau"`
	EffectiveSampleSize float64 `json:"effective_sample_size"` // 1/Σy²
	MaxWeight           float64 `json:"max_weight"`
	// of the last grouping, largest risk first, training rows
	Groups []SummaryGroup `json:"groups"`
	// null without a group of Config.MinGroupSize rows
	WorstGroup *SummaryGroup `json:"worst_group"`
	// the plain average trained on the same rows
	ERM *SummaryBaseline `json:"erm"`
	// the average with equal group weights; null with fewer than two groups
	GroupWeighted *SummaryBaseline `json:"group_weighted_erm"`
	// what another slope on ERM's scores achieves; absent where the model is ERM
	Tempered *SummaryTempered `json:"tempered_erm,omitempty"`
	// of the scores; absent where they are those of the certified coefficients
	Recalibration *SummaryRecalibration `json:"recalibration,omitempty"`
	Model         string                `json:"model"` // path, "" when not written
	// of the evaluation after the training, see eval.Outcome
	Outcome string `json:"outcome,omitempty"`
	// one of Variants, by that evaluation; empty: none
	Recommended string `json:"recommended,omitempty"`
	// of the evaluation, as of a degenerate model
	Warnings []string `json:"warnings,omitempty"`
	Notes    []string `json:"notes"`
}

// A SummaryCertificate bounds the optimal objective: lower ≤ optimum ≤ upper. Unknown bounds are null.
type SummaryCertificate struct {
	Upper       *float64 `json:"upper"`
	Lower       *float64 `json:"lower"`
	Gap         *float64 `json:"gap"`
	RelativeGap *float64 `json:"relative_gap"`
}

// A SummaryGroup is a group of rows with its mean training loss.
type SummaryGroup struct {
	Name  string  `json:"name"`
	Count int     `json:"count"`
	Risk  float64 `json:"risk"`
}

// A SummaryBaseline is (weighted) empirical risk minimisation on the same rows with the same regulariser.
type SummaryBaseline struct {
	Status     string        `json:"status"`
	Mu         float64       `json:"mu,omitempty"` // its own; absent in files of earlier versions, whose models have one μ
	Objective  float64       `json:"objective"`
	Risk       float64       `json:"risk"`        // average training loss
	RobustRisk float64       `json:"robust_risk"` // the same worst case as the robust model's
	WorstGroup *SummaryGroup `json:"worst_group"`
}

// groupRisks returns the mean loss of every group in the last grouping, the largest first, and the worst group.
func (c *Config) groupRisks(run *Run, loss []float64) ([]SummaryGroup, *SummaryGroup) {
	d := run.Train
	if len(d.Groups) == 0 {
		return nil, nil
	}
	last := d.Groups[len(d.Groups)-1]
	groups := groupRisks(run.rows, last, loss)
	slices.SortStableFunc(groups, func(a, b SummaryGroup) int { return cmp.Compare(b.Risk, a.Risk) }) // NaN comes last
	for _, g := range groups {
		if g.Count >= c.MinGroupSize && !math.IsNaN(g.Risk) {
			return groups, &g
		}
	}
	return groups, nil
}

// EffectiveShare returns the effective sample size as a proportion of the rows.
func (s Summary) EffectiveShare() float64 { return s.EffectiveSampleSize / float64(max(1, s.N)) }

// LargestWeight returns the largest weight divided by the average weight.
func (s Summary) LargestWeight() float64 { return s.MaxWeight * float64(s.N) }
