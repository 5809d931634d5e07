package train

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/memory"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
)

// A SummaryRecalibration says how the scores of a classifier were recalibrated: log-odds = Slope·margin +
// Intercept, with the margin of the certified coefficients.
type SummaryRecalibration struct {
	Slope     float64 `json:"slope"`
	Intercept float64 `json:"intercept"`
	Folds     int     `json:"folds"`
	Before    float64 `json:"risk_before"` // average loss of the out-of-fold predictions, as they are
	After     float64 `json:"risk_after"`  // with slope and intercept, which were fitted to it

	// KeepsClasses says that only a slope was fitted, after a choice by accuracy: the predicted classes are those of
	// the certified coefficients.
	KeepsClasses bool `json:"keeps_classes,omitempty"`
}

// ScoringCoefficients returns the coefficients used for predictions: Recalibrated if set, else Coefficients.
func (m *Model) ScoringCoefficients() []float64 {
	if m.Recalibrated != nil {
		return m.Recalibrated
	}
	return m.Coefficients
}

// recalibrate fits a slope and, if the model has an intercept, an intercept to out-of-fold margins. Robust
// classifiers tend to be underconfident; margins of the training rows themselves would be overconfident.
func (m *Model) recalibrate(ctx context.Context, began time.Time) error {
	if !m.Config.Recalibrate {
		return nil
	}
	d := m.Run.Train
	t := m.tuneTable(d)
	t.Memory = m.Config.Checkpoint.forPart("recalibration")
	folds := cmp.Or(m.Config.Folds, tune.DefaultFolds)
	margin, err := t.Margins(ctx, m.Config.Level, folds, m.Config.Seed, m.Coefficients, m.Config.countObserver("recalibrating", began))
	if err != nil {
		return fmt.Errorf("recalibration failed: %w", m.nameColumn(err))
	}
	slope, intercept := 1.0, 0.0
	if m.Config.keepsClasses {
		slope = m.fitSlope(margin)
	} else if slope, intercept, err = m.fitSlopeAndIntercept(ctx, margin); err != nil {
		return fmt.Errorf("recalibration failed: %w", err)
	}
	m.Recalibrated = m.withSlope(m.Coefficients, slope, intercept)
	defer memory.Release(m.Run.arena(), margin)
	after := memory.Make[float64](m.Run.arena(), d.N)
	defer memory.Release(m.Run.arena(), after)
	for j, v := range margin {
		after[j] = slope*v + intercept
	}
	s := &SummaryRecalibration{Slope: slope, Intercept: intercept, Folds: folds, KeepsClasses: m.Config.keepsClasses}
	s.Before, s.After = m.riskAtMargins(margin), m.riskAtMargins(after)
	m.Result.Recalibration = s
	if s.KeepsClasses {
		m.addNotes(fmt.Sprintf("the model was chosen by accuracy, so its probabilities were rescaled: the log-odds are %.4g × the margin, fitted to out-of-fold predictions (log loss there %.4g → %.4g). The predicted classes stay the same, and the certificate covers the model before rescaling; --recalibrate fits an intercept too",
			slope, s.Before, s.After))
		return nil
	}
	m.addNotes(fmt.Sprintf("recalibrated: the scores are those of %.4g × the margin %+.4g, fitted to out-of-fold predictions of the %d training rows (%d folds); the certificate covers the model before rescaling",
		slope, intercept, d.N, folds))
	return nil
}

// riskAtMargins returns the mean loss of the training rows at the given margins.
func (m *Model) riskAtMargins(margin []float64) float64 {
	loss := memory.Make[float64](m.Run.arena(), len(margin))
	defer memory.Release(m.Run.arena(), loss)
	m.lossesAtMargins(loss, margin)
	return m.Run.weightedAverage(loss)
}

// lossesAtMargins stores the losses of the training rows at the given margins in loss.
func (m *Model) lossesAtMargins(loss, margin []float64) {
	slope := memory.Make[float64](m.Run.arena(), len(margin))
	defer memory.Release(m.Run.arena(), slope)
	m.loss.EvalTo(loss, slope, margin, m.Run.Train.Target)
}

// slopeSteps is the number of golden-section steps of fitSlope; each divides the interval by 1.618.
const slopeSteps = 60

// fitSlope returns the slope in [1e-3, 1e3] that minimises the mean loss of slope·margin, by golden-section search on
// its logarithm. The loss is convex in the slope.
func (m *Model) fitSlope(margin []float64) float64 {
	scaled := memory.Make[float64](m.Run.arena(), len(margin))
	defer memory.Release(m.Run.arena(), scaled)
	risk := func(log float64) float64 {
		slope := math.Exp(log)
		for j, v := range margin {
			scaled[j] = slope * v
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
func (m *Model) fitSlopeAndIntercept(ctx context.Context, margin []float64) (slope, intercept float64, err error) {
	d := m.Run.Train
	size := 0.0
	for _, v := range margin {
		size += v * v / float64(d.N)
	}
	if size = math.Sqrt(size); !(size > 0) || math.IsInf(size, 1) {
		return 1, 0, nil // a model that says the same of every row
	}
	dual, err := level.Level{Average: "plain"}.Dual(m.Run.levelRows())
	if err != nil {
		return 0, 0, err
	}
	primal := dro.L2{Mu: 1 / float64(d.N), Intercept: d.Intercept >= 0, FreeModulus: m.loss.Smoothness()}
	_, slope, intercept, err = m.solveAtMargins(ctx, "recalibration", margin, size, 0, dual, primal, dro.Options{RelativeGap: 1e-8})
	return slope, intercept, err
}
