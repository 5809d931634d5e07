package train

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/memory"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
)

// A SummaryRecalibration describes the recalibration of a classifier's scores: log-odds = Slope·margin + Intercept,
// with the margin of the certified coefficients. For more than two classes, Slope multiplies the score of every class.
type SummaryRecalibration struct {
	Slope     float64 `json:"slope"`
	Intercept float64 `json:"intercept"`
	Folds     int     `json:"folds"`       // number of folds of the training rows; 0 if validation rows were used
	Before    float64 `json:"risk_before"` // average loss of the fitted predictions before recalibration
	// average loss of the same predictions after recalibration, which slope and intercept minimise
	After float64 `json:"risk_after"`

	// KeepsClasses reports whether only a slope was fitted, because the level was chosen by accuracy. The
	// predicted classes are then those of the certified coefficients.
	KeepsClasses bool `json:"keeps_classes,omitempty"`
}

// ScoringCoefficients returns the coefficients that predictions use: Recalibrated if it is set, and
// Coefficients otherwise.
func (m *Model) ScoringCoefficients() []float64 {
	if m.Recalibrated != nil {
		return m.Recalibrated
	}
	return m.Coefficients
}

// recalibrate fits a slope and, if the model has an intercept and its predicted classes may change, an intercept to
// margins of rows to which the predicting model was not fitted. Robust classifiers tend to be underconfident; on its
// training rows a model would be overconfident.
func (m *Model) recalibrate(ctx context.Context, began time.Time) error {
	if !m.Config.Recalibrate {
		return nil
	}
	of, folds, err := m.marginsOfOtherModels(ctx, began)
	if err != nil {
		return fmt.Errorf("recalibration failed: %w", m.nameColumn(err))
	}
	defer memory.Release(m.Run.arena(), of.margin)
	slope, intercept := 1.0, 0.0
	if m.Config.keepsClasses {
		slope = m.fitSlope(of)
	} else if slope, intercept, err = m.fitSlopeAndIntercept(ctx, of); err != nil {
		return fmt.Errorf("recalibration failed: %w", err)
	}
	m.Recalibrated = m.rescaleCoefficients(m.Coefficients, slope, intercept)
	after := of
	after.margin = memory.Make[float64](m.Run.arena(), len(of.margin))
	defer memory.Release(m.Run.arena(), after.margin)
	for j, v := range of.margin {
		after.margin[j] = slope*v + intercept
	}
	s := &SummaryRecalibration{Slope: slope, Intercept: intercept, Folds: folds, KeepsClasses: m.Config.keepsClasses}
	s.Before, s.After = m.riskAtMargins(of), m.riskAtMargins(after)
	m.Result.Recalibration = s
	where := fmt.Sprintf("out-of-fold predictions of the %s training rows (%d folds)", printable.Count(m.Run.Train.N),
		folds)
	if m.Run.validation != nil {
		where = fmt.Sprintf("predictions of the %s validation rows", printable.Count(len(of.target)))
	}
	if s.KeepsClasses {
		scores, more := "linear score was", ". --recalibrate fits an intercept too"
		if m.coefficientsPerColumn() > 1 {
			scores, more = "linear scores of all classes were", ""
		}
		m.addNotes(fmt.Sprintf(
			"the model was chosen by accuracy, so its probabilities were recalibrated: the %s multiplied by %s, a factor "+
				"fitted to the %s, which lowers their log loss from %s to %s. The predicted classes stay the same. The "+
				"certificate covers the model before recalibration%s",
			scores, printable.Setting(slope), where, printable.Number(s.Before), printable.Number(s.After), more))
		return nil
	}
	m.addNotes(fmt.Sprintf(
		"recalibrated: the log-odds are %s × the linear score %s, fitted to the %s. The certificate covers the model before "+
			"recalibration", printable.Setting(slope), printable.Signed(intercept, intercept), where))
	return nil
}

// marginsOfOtherModels returns margins of rows, or the scores of all classes if there are more than two, by models that
// were not fitted to these rows. If there are validation rows, these are the margins of the model itself on them, or
// out-of-fold margins if the model was fitted to them. Otherwise they are out-of-fold margins of the training rows.
// Out-of-fold models have the level of the model. folds is the number of folds of the training rows, or 0 for validation
// rows.
func (m *Model) marginsOfOtherModels(ctx context.Context, began time.Time) (of marginRows, folds int, err error) {
	t := m.tuneTable(m.Run.Train)
	if v := m.validationTable(); v != nil {
		if t = v; m.Config.Average != level.ValidationSubsets {
			of = marginRows{target: v.Target, weight: v.Weights}
			of.margin, err = v.MarginsAt(m.Coefficients)
			return of, 0, err
		}
	}
	t.Memory = m.Config.Checkpoint.forPart("recalibration")
	of = marginRows{target: t.Target, weight: t.Weights}
	folds = cmp.Or(m.Config.Folds, tune.DefaultFolds)
	of.margin, err = t.Margins(ctx, m.Config.Level, folds, m.Config.Seed, m.Coefficients,
		m.Config.countObserver("recalibrating", began))
	if m.Run.validation != nil {
		folds = 0
	}
	return of, folds, err
}

// riskAtMargins returns the weighted mean loss of rows at their margins.
func (m *Model) riskAtMargins(of marginRows) float64 {
	loss := memory.Make[float64](m.Run.arena(), len(of.target))
	defer memory.Release(m.Run.arena(), loss)
	m.lossesAtMargins(loss, of)
	return weightedMean(m.Run.rows, loss, of.weight)
}

// lossesAtMargins stores the losses of rows at their margins, or at the scores of all classes, in loss.
func (m *Model) lossesAtMargins(loss []float64, of marginRows) {
	if k := m.coefficientsPerColumn(); k > 1 {
		for j := range loss {
			scores := of.margin[j*k : (j+1)*k]
			loss[j] = floats.LogSumExp(scores) - scores[int(of.target[j])]
		}
		return
	}
	slope := memory.Make[float64](m.Run.arena(), len(loss))
	defer memory.Release(m.Run.arena(), slope)
	m.loss.EvalTo(loss, slope, of.margin, of.target)
}

// slopeSteps is the number of golden-section steps of fitSlope; each divides the interval by 1.618.
const slopeSteps = 60

// fitSlope returns the slope in [1e-3, 1e3] that minimises the mean loss of slope·margin, by golden-section search on
// its logarithm. The loss is convex in the slope.
func (m *Model) fitSlope(of marginRows) float64 {
	scaled := of
	scaled.margin = memory.Make[float64](m.Run.arena(), len(of.margin))
	defer memory.Release(m.Run.arena(), scaled.margin)
	risk := func(log float64) float64 {
		slope := math.Exp(log)
		for j, v := range of.margin {
			scaled.margin[j] = slope * v
		}
		return m.riskAtMargins(scaled)
	}
	lo, hi, golden := math.Log(1e-3), math.Log(1e3), (math.Sqrt(5)-1)/2
	a, b := hi-golden*(hi-lo), lo+golden*(hi-lo)
	atA, atB := risk(a), risk(b)
	for range slopeSteps {
		if atA <= atB {
			hi, b, atB = b, a, atA
			a = hi - golden*(hi-lo)
			atA = risk(a)
		} else {
			lo, a, atA = a, b, atB
			b = lo + golden*(hi-lo)
			atB = risk(b)
		}
	}
	return math.Exp((lo + hi) / 2)
}

// fitSlopeAndIntercept minimises the mean loss of slope·margin + intercept. A ridge penalty of 1/(2n) on the
// slope, in units of the root mean square of the margin, keeps the slope finite if the margin separates the
// classes.
func (m *Model) fitSlopeAndIntercept(ctx context.Context, of marginRows) (slope, intercept float64, err error) {
	n, size := float64(len(of.margin)), 0.0
	for _, v := range of.margin {
		size += v * v / n
	}
	if size = math.Sqrt(size); !(size > 0) || math.IsInf(size, 1) {
		return 1, 0, nil // the model makes the same prediction for every row
	}
	of.size = size
	dual, err := level.Level{Average: "plain"}.Dual(
		level.Rows{N: len(of.margin), Weights: of.weight, Sharded: m.Run.rows.Exported()})
	if err != nil {
		return 0, 0, err
	}
	primal := dro.L2{Mu: 1 / n, Intercept: m.Run.Train.Intercept >= 0, FreeModulus: m.loss.Smoothness()}
	_, slope, intercept, err = m.solveAtMargins(ctx, "recalibration", of, dual, primal,
		dro.Options{RelativeGap: 1e-8})
	return slope, intercept, err
}
