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
	// certified, cancelled, inconsistent, or the reason why the gap was not certified: limit or stalled if mu > 0,
	// and uncertified if mu is 0
	Status      string  `json:"status"`
	Certified   bool    `json:"certified"`    // the requested relative gap was reached
	Objective   float64 `json:"objective"`    // robust risk plus regulariser, at the coefficients
	RobustRisk  float64 `json:"robust_risk"`  // worst-case risk of the model under the adversary
	AverageRisk float64 `json:"average_risk"` // average training loss of the model
	// margin of the constant prediction with the least average training loss
	Constant *float64 `json:"constant,omitempty"`
	// margins of that prediction if there are more than two classes
	ClassConstant []float64          `json:"class_constant,omitempty"`
	Certificate   SummaryCertificate `json:"certificate"`
	Passes        float64            `json:"passes"`
	Seconds       float64            `json:"seconds"`
	Solver        string             `json:"solver"`
	// range of levels of an adversary over rows at which the prediction is constant; absent if unknown
	Levels *level.Range `json:"levels_without_model,omitempty"`
	// whether all training rows have the same prediction, to within 0.001 for probabilities and 0.001 standard
	// deviations for numbers
	ConstantPrediction bool   `json:"constant_prediction,omitempty"`
	Loss               string `json:"loss"`
	Level              string `json:"level"` // the robustness, in words
	// whether groups have their own coefficients; absent if this was not examined
	Design *GroupDesign `json:"design,omitempty"`
	// how the level was chosen; absent if it was set
	Selection *tune.Selection `json:"selection,omitempty"`
	// divergence of an adversary over rows; "" for any other adversary
	Penalty dro.Divergence `json:"penalty"`
	// penalty coefficient of the divergence: as set, or the multiplier of a ball
	Nu                  float64 `json:"nu"`
	Mu                  float64 `json:"mu"`
	N                   int     `json:"n"`                     // number of training rows
	D                   int     `json:"d"`                     // number of encoded columns, including the intercept
	Tau                 float64 `json:"tau"`                   // τ of the worst-case weights (docs/math.md)
	EffectiveSampleSize float64 `json:"effective_sample_size"` // 1/Σy² for the adversary's weights y, which sum to 1
	MaxWeight           float64 `json:"max_weight"`            // largest of the weights y
	// groups of the last grouping that have training rows, the largest risk first
	Groups []SummaryGroup `json:"groups"`
	// group with the largest risk among those of at least Config.MinGroupSize rows; null if there is none
	WorstGroup *SummaryGroup `json:"worst_group"`
	// ERM trained on the same rows
	ERM *SummaryBaseline `json:"erm"`
	// ERM with equal group weights; null if there are fewer than two groups
	GroupWeighted *SummaryBaseline `json:"group_weighted_erm"`
	// ERM with rescaled scores; absent if the model is ERM or the target does not have two classes
	Tempered *SummaryTempered `json:"tempered_erm,omitempty"`
	// recalibration of the scores; absent if the model predicts with the certified coefficients
	Recalibration *SummaryRecalibration `json:"recalibration,omitempty"`
	Model         string                `json:"model"` // path; "" if not written
	// outcome of the evaluation after training, see eval.Outcome
	Outcome string `json:"outcome,omitempty"`
	// one of Variants, as recommended by that evaluation; may be empty
	Recommended string `json:"recommended,omitempty"`
	// warnings of the evaluation, such as that about a degenerate model
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

// A SummaryGroup is a group with its number of training rows and their unweighted mean loss.
type SummaryGroup struct {
	Name  string  `json:"name"`
	Count int     `json:"count"`
	Risk  float64 `json:"risk"`
}

// A SummaryBaseline describes ERM or group-balanced ERM on the same rows, with the ridge penalty of its μ.
type SummaryBaseline struct {
	Status string `json:"status"`
	// μ of the baseline; absent in files of earlier versions, in which all models have the same μ
	Mu         float64       `json:"mu,omitempty"`
	Objective  float64       `json:"objective"`
	Risk       float64       `json:"risk"`        // average training loss
	RobustRisk float64       `json:"robust_risk"` // worst-case risk under the adversary of the robust model
	WorstGroup *SummaryGroup `json:"worst_group"`
}

// groupRisks returns the mean losses of the groups of the last grouping in descending order, and the worst group.
func (c *Config) groupRisks(run *Run, loss []float64) ([]SummaryGroup, *SummaryGroup) {
	d := run.Train
	if len(d.Groups) == 0 {
		return nil, nil
	}
	last := d.Groups[len(d.Groups)-1]
	groups := groupRisks(run.rows, last, loss)
	// NaN sorts last
	slices.SortStableFunc(groups, func(a, b SummaryGroup) int { return cmp.Compare(b.Risk, a.Risk) })
	for _, g := range groups {
		if g.Count >= c.MinGroupSize && !math.IsNaN(g.Risk) {
			return groups, &g
		}
	}
	return groups, nil
}

// EffectiveShare returns the effective sample size as a proportion of the number of rows.
func (s Summary) EffectiveShare() float64 { return s.EffectiveSampleSize / float64(max(1, s.N)) }

// LargestWeight returns the largest weight divided by the average weight.
func (s Summary) LargestWeight() float64 { return s.MaxWeight * float64(s.N) }
