package report

import (
	"fmt"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

// objectiveText describes the objective of a level that is not a penalty over rows; otherwise it returns "".
func objectiveText(m *train.Model) string {
	c := m.Config
	divergence := c.Penalty.Formula()
	inner := ""
	switch {
	case c.Average == "balanced":
		inner = "mean over groups of their mean of ℓⱼ(x)"
	case c.Average == "half-balanced":
		inner = "mean of ℓⱼ(x), each group of n_g rows weighted by √n_g"
	case c.Average == level.ValidationSubsets:
		return fmt.Sprintf("mean of the minimisers, over balanced subsets of the validation rows, of the mean of ℓⱼ(x)  +  (%.4g/2)‖x‖²", *c.Mu)
	case c.Average == "subsets":
		return fmt.Sprintf("mean of the minimisers, over balanced subsets, of the mean of ℓⱼ(x)  +  (%.4g/2)‖x‖²", *c.Mu)
	case c.Average != "" && c.Weight+c.Exposure != "":
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
	case c.Wasserstein != nil:
		inner = fmt.Sprintf("mean of ℓⱼ(x)  +  %.4g·L·‖x‖₂, the largest mean over all rows whose features moved by at most %.4g on average, where L is the largest slope of ℓ", *c.Wasserstein, *c.Wasserstein)
	case c.Spectral != "":
		spectrum, _ := dro.ParseSpectrum(c.Spectral)
		inner = "Σ of the sorted ℓⱼ(x), weighted by the spectrum " + spectrum.Formula() + " at their quantiles u"
	case c.Nu != nil && c.Weight+c.Exposure == "":
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
	if s.Validation > 0 {
		return fmt.Sprintf("level and μ on %d validation rows, among %d candidates including ERM: %s; ERM has μ = %.3g, the best for the average risk",
			s.Validation, len(s.Candidates), s.Reason, s.MuOf("erm", 0))
	}
	return fmt.Sprintf("level and μ by %d-fold cross-validation on the training rows, among %d candidates including ERM: %s; ERM has μ = %.3g, the best for the average risk",
		s.Folds, len(s.Candidates), s.Reason, s.MuOf("erm", 0))
}

// foldNotes returns notes on a cross-fitted evaluation, or nil for any other.
func foldNotes(o *train.OutOfFold) []string {
	if o == nil {
		return nil
	}
	notes := []string{fmt.Sprintf("Measured out of fold: every row by a model trained without its fifth of the rows. The %d models have the level, μ and design of the model itself, which is trained on all rows; encoding, fit and recalibration are repeated. The intervals allow for the choice of the model on the same rows (docs/intervals.md).", o.Folds)}
	if len(o.Untrained) > 0 {
		notes = append(notes, fmt.Sprintf("%s no numbers, since all rows of such a group are in one fold, whose model is trained without the group: %s.",
			printable.Plural(len(o.Untrained), "group has", "groups have"), printable.List(o.Untrained, 8)))
	}
	return notes
}
