package report

import (
	"math"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train"
)

// lossName returns the name of the loss with its parameter.
func lossName(c train.Config) string {
	kind, _ := losses.KindOf(c.Loss)
	return kind.Label(c.HuberDelta)
}

// lossAbout describes the loss of a training run in words, as in "half the squared error".
func lossAbout(c train.Config) string {
	kind, _ := losses.KindOf(c.Loss)
	return kind.About
}

// LossUnit returns the unit of the losses and bounds of a training run, or "" if they have none.
func LossUnit(c train.Config) string {
	kind, _ := losses.KindOf(c.Loss)
	unit := "units of "
	if c.ScalesTarget() {
		unit = "standard deviations of "
	}
	target := strings.TrimSpace(c.TargetTransform + " " + c.Target)
	if c.Exposure != "" {
		target += " per " + c.Exposure
	}
	return kind.UnitOf(unit + target)
}

// Coefficients returns the coefficients of the robust model and its baselines side by side, in units of the source
// columns and of the encoded columns. It omits group coefficients.
func Coefficients(m *train.Model) *eval.Coefficients {
	c := &eval.Coefficients{
		Unit: m.Encoder.Target.Name + " per unit", Scaled: "per standard deviation of the column",
	}
	if m.Encoder.Target.Task == encode.Binary {
		c.Unit = "log-odds per unit"
	}
	if m.Classes() != nil {
		return classCoefficients(m)
	}
	for _, e := range m.Explain() {
		c.Rows = append(c.Rows, eval.Coefficient{Name: e.Name})
	}
	deviations := encodedDeviations(m)
	for _, v := range modelVersions(m) {
		c.Models = append(c.Models, nameOf[v.role])
		original := m.Original(v.x)
		for i := range c.Rows {
			row := &c.Rows[i]
			row.Original = append(row.Original, eval.Num(original[i]))
			if i < len(v.x) {
				row.Scaled = append(row.Scaled, eval.Num(v.x[i]*deviations[i]))
			}
		}
	}
	own := make(map[string]bool)
	for _, g := range m.Encoder.GroupCoefficients() {
		own[m.Encoder.Columns[g.Product].Name] = true
	}
	c.Rows = slices.DeleteFunc(c.Rows, func(q eval.Coefficient) bool { return own[q.Name] })
	return c
}

// encodedDeviations returns the standard deviation of every encoded column over the training rows: 1 for a
// standardised number, and √(p(1 − p)) for a level that a proportion p of the rows has. If p is unknown, it returns
// 1 for the level.
func encodedDeviations(m *train.Model) []float64 {
	out := make([]float64, len(m.Encoder.Columns))
	for i := range out {
		out[i] = 1
	}
	share := m.Encoder.LevelShares()
	for i, c := range m.Encoder.Columns {
		if p, ok := share[i]; ok && c.Kind == "indicator" {
			out[i] = math.Sqrt(p*(1-p)) / c.Scale
		}
	}
	return out
}

// classCoefficients returns one number for each column of a model with more than two classes: the square root of
// the sum of squared deviations of its coefficients from their mean over the classes. Probabilities depend only on
// these deviations.
func classCoefficients(m *train.Model) *eval.Coefficients {
	c := &eval.Coefficients{Unit: "norm over the classes, log-odds per unit",
		Scaled: "per standard deviation of the column"}
	k, deviations := len(m.Classes()), encodedDeviations(m)
	for _, column := range m.Encoder.Columns {
		c.Rows = append(c.Rows, eval.Coefficient{Name: column.Name})
	}
	for _, v := range modelVersions(m) {
		c.Models = append(c.Models, nameOf[v.role])
		for i := range c.Rows {
			of := v.x[i*k : (i+1)*k]
			mean, size := 0.0, 0.0
			for _, w := range of {
				mean += w / float64(k)
			}
			for _, w := range of {
				size += (w - mean) * (w - mean)
			}
			size = math.Sqrt(size)
			c.Rows[i].Scaled = append(c.Rows[i].Scaled, eval.Num(size*deviations[i]))
			c.Rows[i].Original = append(c.Rows[i].Original, eval.Num(size/math.Abs(m.Encoder.Columns[i].Scale)))
		}
	}
	return c
}

// A modelVersion is one of the models of a training run: robust, ERM or group-balanced ERM.
type modelVersion struct {
	role eval.Role
	x    []float64
	fold *train.Prediction // prediction out of fold; nil elsewhere
}

// versionsWithRescaled returns the models of versions and the rescaled baseline.
func versionsWithRescaled(m *train.Model, folds *train.OutOfFold) []modelVersion {
	out := modelVersions(m)
	if m.Tempered != nil {
		out = append(out, modelVersion{role: eval.RescaledModel, x: m.Tempered})
	}
	if folds == nil {
		return out
	}
	of := map[eval.Role]*train.Prediction{eval.StandardModel: folds.Baseline, eval.BalancedModel: folds.GroupWeighted,
		eval.RescaledModel: folds.Tempered}
	of[roleOf(m)] = folds.Robust
	for k := range out {
		out[k].fold = of[out[k].role]
	}
	return out
}

// modelVersions returns ERM, the trained model and group-balanced ERM, in this order. If the trained model is ERM, it
// returns only that.
func modelVersions(m *train.Model) []modelVersion {
	trained := modelVersion{role: roleOf(m), x: m.ScoringCoefficients()}
	var out []modelVersion
	if trained.role != eval.StandardModel && m.Baseline != nil {
		out = append(out, modelVersion{role: eval.StandardModel, x: m.Baseline})
	}
	out = append(out, trained)
	if trained.role != eval.BalancedModel && trained.role != eval.StandardModel && m.GroupWeighted != nil {
		out = append(out, modelVersion{role: eval.BalancedModel, x: m.GroupWeighted})
	}
	return out
}
