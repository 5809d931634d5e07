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
		return fmt.Errorf("recalibrating: %w", m.nameColumn(err))
	}
	slope, intercept, err := m.fitSlopeAndIntercept(ctx, margin)
	if err != nil {
		return fmt.Errorf("recalibrating: %w", err)
	}
	m.Recalibrated = m.withSlope(m.Coefficients, slope, intercept)
	defer memory.Release(m.Run.arena(), margin)
	after := memory.Make[float64](m.Run.arena(), d.N)
	defer memory.Release(m.Run.arena(), after)
	for j, v := range margin {
		after[j] = slope*v + intercept
	}
	s := &SummaryRecalibration{Slope: slope, Intercept: intercept, Folds: folds}
	s.Before, s.After = m.riskAtMargins(margin), m.riskAtMargins(after)
	m.Result.Recalibration = s
	m.addNotes(fmt.Sprintf("recalibrated: the scores are those of %.4g × the margin %+.4g, fitted to out-of-fold predictions of the %d training rows (%d folds); the certificate is about the model before it",
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
