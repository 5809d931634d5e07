package train

import (
	"fmt"

	"github.com/drotrain/drotrain/train/level"
)

// The models that a file holds, by name.
const (
	VariantRobust      = "robust"      // the model that was trained
	VariantERM         = "erm"         // the standard model, trained on the same rows
	VariantRecommended = "recommended" // the one of the two that the evaluation after the training recommended
)

// Variants returns the names of the models that a file contains.
func Variants() []string { return []string{VariantRecommended, VariantRobust, VariantERM} }

// Variant returns one of the models that m contains, ready to predict, and its name. An empty name selects the
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
	switch {
	case name == VariantRobust && m.Config.Average != "plain":
		return m, VariantRobust, nil
	case name == VariantRobust, name == VariantERM && m.Config.Average == "plain": // there is one model
		return m, VariantERM, nil
	case name != VariantERM:
		return nil, "", fmt.Errorf("unknown variant %q: one of %q", name, Variants())
	case m.Baseline == nil:
		return nil, "", fmt.Errorf("the model was trained without the standard model (ERM)")
	}
	c := *m
	c.Coefficients, c.Recalibrated, c.Config.Recalibrate = m.Baseline, nil, false
	c.GroupWeighted, c.Tempered, c.Run = nil, nil, nil
	c.Config.Level = level.Level{Penalty: m.Config.Penalty, Average: "plain"}
	c.Result.Selection, c.Result.GroupWeighted, c.Result.Tempered = nil, nil, nil
	return &c, VariantERM, nil
}
