package report

import (
	"fmt"
	"strings"

	"github.com/drotrain/drotrain/train"
)

// objectiveText describes the objective of a level that is not a penalty over rows; otherwise it returns "".
func objectiveText(m *train.Model) string {
	c := m.Config
	divergence := c.Penalty.Formula()
	inner := ""
	switch {
	case c.Average == "balanced":
		inner = "mean over groups of their mean of ℓⱼ(x)"
	case c.Average != "" && c.Weight != "":
		inner = "weighted mean of ℓⱼ(x)"
	case c.Average != "":
		inner = "mean of ℓⱼ(x)"
	case c.IsGroupwise():
		risk := "mean of ℓⱼ(x) in group g"
		if c.Adjust > 0 {
			risk += fmt.Sprintf(" + %.4g/√n_g", c.Adjust)
		}
		inner = "max over weights q of the groups of  Σ q_g (" + risk + ")"
		if c.Nu != nil && *c.Nu > 0 {
			inner += fmt.Sprintf(" − %.4g · D(q)", *c.Nu)
		}
		if c.Radius != nil {
			inner += fmt.Sprintf(",  D(q) ≤ %.4g", *c.Radius)
		}
	case c.Protect != nil:
		inner = fmt.Sprintf("mean of the largest %.4g %% of the ℓⱼ(x)", 100**c.Protect)
	case c.Nu != nil && c.Weight == "":
		return ""
	case c.Nu != nil:
		inner = fmt.Sprintf("max over y of  Σ yⱼ ℓⱼ(x) − %.4g · %s, w the row weights", *c.Nu, divergence)
	case c.Ess != nil && *c.Ess == 1:
		inner = "mean of ℓⱼ(x)"
	default:
		inner = "max over y of  Σ yⱼ ℓⱼ(x),  " + divergence + " ≤ ρ (" + c.Level.String() + ")"
	}
	return fmt.Sprintf("minimise over x:  %s  +  (%.4g/2)‖x‖²", inner, *c.Mu)
}

// selectionText says how the level was set or chosen.
func selectionText(m *train.Model) string {
	s := m.Result.Selection
	if s == nil {
		return "level and μ as set, not tuned; the baseline has the same μ"
	}
	ridge := "μ as set, the same for all"
	if s.Ridges != nil {
		ridge = fmt.Sprintf("μ = %.3g by ERM's average risk out of fold, among %d values, the same for all models", s.Mu, len(s.Ridges))
	}
	return fmt.Sprintf("the level by %d-fold cross-validation on the training rows, among %d candidates including ERM: %s; %s",
		s.Folds, len(s.Candidates), s.Reason, ridge)
}

// foldNotes returns notes on a cross-fitted evaluation, or nil for any other.
func foldNotes(o *train.OutOfFold) []string {
	if o == nil {
		return nil
	}
	count := map[string]int{}
	var said []string
	for _, l := range o.Levels {
		if count[l]++; count[l] == 1 {
			said = append(said, l)
		}
	}
	for i, l := range said {
		said[i] = fmt.Sprintf("%s (%d)", l, count[l])
	}
	return []string{fmt.Sprintf("Measured out of fold: every row by models trained without its fifth of the rows, including encoding, choice of the level and recalibration; the model itself is trained on all rows. In simulated samples of 150 to 3000 rows the 95 %% intervals of the change of the average risk cover 90 to 95 %% of the true changes of the folds’ models and 88 to 93 %% of those of the model itself. Intervals of the worst group and its change cover 95 %% and more (docs/intervals.md). The %d folds trained %s.",
		o.Folds, strings.Join(said, "; "))}
}
