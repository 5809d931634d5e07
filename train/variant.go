package train

import (
	"fmt"

	"github.com/drotrain/drotrain/train/level"
)

// Names of the models that a file may contain.
const (
	VariantRobust      = "robust"      // the model that was trained
	VariantERM         = "erm"         // standard model, trained on the same rows
	VariantBalanced    = "balanced"    // group-balanced ERM, trained on the same rows
	VariantRescaled    = "rescaled"    // ERM with a slope and an intercept fitted to its scores
	VariantRecommended = "recommended" // model that the evaluation after training recommended
)

// Variants returns the names of all models that a file may contain.
func Variants() []string {
	return []string{VariantRecommended, VariantRobust, VariantERM, VariantBalanced, VariantRescaled}
}

// Variant returns the named one of the models that m contains, ready to predict, and its name. An empty name selects
// the recommended model if the level was chosen from the data, and the trained model otherwise. If there is no
// recommendation, the recommended model is the trained one. It returns an error if m does not contain the named model.
func (m *Model) Variant(name string) (*Model, string, error) {
	if name == "" {
		name = VariantRobust
		if m.Result.Selection != nil {
			name = VariantRecommended
		}
	}
	if name == VariantRecommended {
		if name = m.Result.Recommended; name == "" {
			name = VariantRobust
		}
	}
	trained := VariantRobust // name of the trained model
	switch m.Config.Average {
	case "plain":
		trained = VariantERM
	case "balanced":
		trained = VariantBalanced
	}
	if name == VariantRobust || name == trained {
		if trained == VariantERM {
			return m, VariantERM, nil
		}
		return m, VariantRobust, nil
	}
	average, x := "plain", m.Baseline
	switch name {
	case VariantERM:
	case VariantBalanced:
		average, x = "balanced", m.GroupWeighted
	case VariantRescaled:
		x = m.Tempered
	default:
		return nil, "", fmt.Errorf("unknown variant %q; the variants are %q", name, Variants())
	}
	if x == nil {
		return nil, "", fmt.Errorf("the model was trained without %s", map[string]string{
			VariantERM:      "the standard model (ERM)",
			VariantBalanced: "group-balanced ERM, which needs at least two groups",
			VariantRescaled: "rescaled ERM, which is for two classes and accompanies a model other than ERM",
		}[name])
	}
	c := *m
	c.Coefficients, c.Recalibrated, c.Config.Recalibrate = x, nil, false
	c.GroupWeighted, c.Tempered, c.Run = nil, nil, nil
	c.Config.Level = level.Level{Penalty: m.Config.Penalty, Average: average}
	c.Result.Selection, c.Result.GroupWeighted, c.Result.Tempered = nil, nil, nil
	return &c, name, nil
}
