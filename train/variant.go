package train

import (
	"fmt"

	"github.com/drotrain/drotrain/train/level"
)

// The models that a file holds, by name.
const (
	VariantRobust      = "robust"      // the model that was trained
	VariantERM         = "erm"         // the standard model, trained on the same rows
	VariantBalanced    = "balanced"    // group-balanced ERM, trained on the same rows
	VariantRescaled    = "rescaled"    // ERM with another slope and intercept of its scores
	VariantRecommended = "recommended" // the one that the evaluation after the training recommended
)

// Variants returns the names of the models that a file may contain.
func Variants() []string {
	return []string{VariantRecommended, VariantRobust, VariantERM, VariantBalanced, VariantRescaled}
}

// Variant returns the named model of those that m contains, ready to predict, and its name. An empty name selects the
// recommended model if the data chose the level, and the trained model otherwise.
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
	trained := VariantRobust // the name of the trained model
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
