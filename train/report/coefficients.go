package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train"
)

// lossName returns the name of the loss with its parameter, such as huber(δ=1).
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
	return kind.UnitOf(unit + nameTarget(c))
}

// nameTarget names the number that the loss compares with predictions, as in "log price" or "claims per year".
func nameTarget(c train.Config) string {
	target := strings.TrimSpace(c.TargetTransform + " " + c.Target)
	if c.Exposure != "" {
		target += " per " + c.Exposure
	}
	return target
}

// nameMargin names what the coefficients of a model add up to: in the units of the source columns and target, and in
// those of the encoded ones.
func nameMargin(m *train.Model) (original, encoded string) {
	if m.Encoder.Target.Task == encode.Binary {
		return "log-odds", "log-odds"
	}
	name := nameTarget(m.Config)
	if kind, _ := losses.KindOf(m.Config.Loss); kind.Link.Name != "" {
		name = kind.Link.Name + " of " + name
	}
	if m.Config.ScalesTarget() {
		return name, "standard deviations of " + name
	}
	return name, name
}

// Coefficients returns the coefficients of the robust model and its baselines side by side, in units of the source
// columns and of the encoded columns. It omits group coefficients.
func Coefficients(m *train.Model) *eval.Coefficients {
	if m.Classes() != nil {
		return classCoefficients(m)
	}
	original, encoded := nameMargin(m)
	step, own := stepsOf(m)
	c := &eval.Coefficients{Unit: original + " per unit", Step: step}
	for i, e := range m.Explain() {
		c.Rows = append(c.Rows, eval.Coefficient{Name: e.Name})
		if i < len(own) {
			c.Rows[i].Step = own[i]
		}
	}
	c.Scaled = fmt.Sprintf("%s %s of the column", encoded, c.PerStep())
	steps := encodedSteps(m, step)
	for _, v := range modelVersions(m) {
		c.Models = append(c.Models, nameOf[v.role])
		original := m.Original(v.x)
		for i := range c.Rows {
			row := &c.Rows[i]
			row.Original = append(row.Original, eval.Num(original[i]))
			if i < len(v.x) {
				row.Scaled = append(row.Scaled, eval.Num(v.x[i]*steps[i]))
			}
		}
	}
	grouped := make(map[string]bool)
	for _, g := range m.Encoder.GroupCoefficients() {
		grouped[m.Encoder.Columns[g.Product].Name] = true
	}
	c.Rows = slices.DeleteFunc(c.Rows, func(q eval.Coefficient) bool { return grouped[q.Name] })
	return c
}

// stepsOf returns the change of a column to which its scaled coefficients refer, as eval.Coefficients.Step, and the own
// steps of the encoded columns that have a different step, or nil. Entries of sparse vectors are never standardised.
func stepsOf(m *train.Model) (step string, own []string) {
	if step = map[string]string{"max": eval.LargestAbsoluteValue, "none": "unit"}[m.Config.Scale]; step != "" {
		return step, nil
	}
	sparse := m.Encoder.SparseEntries()
	own = make([]string, len(sparse))
	entries, others := 0, 0
	for i, is := range sparse {
		switch {
		case is:
			own[i] = eval.LargestAbsoluteValue
			entries++
		case i != m.Encoder.Intercept():
			others++
		}
	}
	switch {
	case entries == 0:
		return "", nil
	case others == 0:
		return eval.LargestAbsoluteValue, nil
	}
	return "", own
}

// encodedSteps returns, for every encoded column, the change to which its scaled coefficient refers. For numbers this is
// 1, which is the standard deviation over the training rows if numbers are standardised. For levels it is then also the
// standard deviation, √(p(1 − p)) for a level that a proportion p of the rows has, or 1 if p is unknown. If step, which
// stepsOf returned, is not empty, it is 1 for every column.
func encodedSteps(m *train.Model, step string) []float64 {
	out := make([]float64, len(m.Encoder.Columns))
	for i := range out {
		out[i] = 1
	}
	if step != "" {
		return out
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
	step, own := stepsOf(m)
	c := &eval.Coefficients{Unit: "norm over the classes, log-odds per unit", Step: step}
	k, steps := len(m.Classes()), encodedSteps(m, step)
	for i, column := range m.Encoder.Columns {
		c.Rows = append(c.Rows, eval.Coefficient{Name: column.Name})
		if own != nil {
			c.Rows[i].Step = own[i]
		}
	}
	c.Scaled = fmt.Sprintf("norm over the classes, log-odds %s of the column", c.PerStep())
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
			c.Rows[i].Scaled = append(c.Rows[i].Scaled, eval.Num(size*steps[i]))
			c.Rows[i].Original = append(c.Rows[i].Original, eval.Num(size/math.Abs(m.Encoder.Columns[i].Scale)))
		}
	}
	return c
}

// A modelVersion is one of the models of a training run, with its coefficients of the encoded columns.
type modelVersion struct {
	role eval.Role
	x    []float64
	fold *train.Prediction // out-of-fold predictions; nil if there are none
}

// versionsWithRescaled returns the models of modelVersions and the rescaled baseline, if there is one, with their
// predictions in folds, which may be nil.
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
