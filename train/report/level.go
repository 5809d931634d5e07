package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/tune"
)

// objectiveText returns the objective of the model as a formula, or "" for a penalty over unweighted rows, which package
// eval formats.
func objectiveText(m *train.Model) string {
	c := m.Config
	risk := c.Risk(c.Weight+c.Exposure != "")
	if risk == "" {
		return ""
	}
	ridge := fmt.Sprintf("  +  (%s/2)‖x‖²", printable.Setting(*c.Mu))
	if c.IsMeanOfModels() {
		return risk + ridge
	}
	return "minimise over x:  " + risk + ridge
}

// selectionText states how the level and the μ of the models were set or chosen.
func selectionText(m *train.Model) string {
	s := m.Result.Selection
	if s == nil {
		mu := "μ = " + printable.Setting(*m.Config.Mu)
		if n := float64(m.Result.N); math.Abs(*m.Config.Mu*n-1) < 1e-12 {
			mu += " (1/n, the default)"
		}
		return "The robustness was not chosen by comparing candidates. All models have " + mu + "."
	}
	of := "the training rows"
	if s.Rows < s.Of {
		of = fmt.Sprintf("%s of the %s training rows", printable.Count(s.Rows), printable.Count(s.Of))
	}
	rows := fmt.Sprintf("by %d-fold cross-validation on %s", s.Folds, of)
	if s.Validation > 0 {
		rows = "on " + printable.Plural(s.Validation, "validation row", "validation rows")
	}
	chosen, first := "robustness was", s.Candidates[0].Mu
	if slices.ContainsFunc(s.Candidates, func(c tune.Candidate) bool { return c.Mu != first }) {
		chosen = "robustness and μ were"
	}
	return fmt.Sprintf("The %s chosen %s, among %d candidates (see Models). ", chosen, rows, len(s.Candidates)) +
		describeMuOfERM(s)
}

// describeMuOfERM states which μ ERM has among the models of a selection, and why.
func describeMuOfERM(s *tune.Selection) string {
	if s.Best().Family == "erm" && s.Chosen != 0 {
		return fmt.Sprintf("The criterion chose ERM with μ = %s.", printable.Setting(s.Best().Mu))
	}
	tried, best := 0, &s.Candidates[0]
	for i := range s.Candidates {
		if c := &s.Candidates[i]; c.Family == "erm" {
			if tried++; c.Average < best.Average {
				best = c
			}
		}
	}
	text := fmt.Sprintf("ERM, with which the candidates were compared, has μ = %s", printable.Setting(s.Candidates[0].Mu))
	switch {
	case tried <= 1:
		return text + "."
	case best == &s.Candidates[0]:
		return fmt.Sprintf("%s, the best of %d values for its average risk.", text, tried)
	}
	return fmt.Sprintf("%s; of the %d values tried, %s is the best for its average risk, but not by more than a "+
		"standard error.", text, tried, printable.Setting(best.Mu))
}

// foldNotes returns notes about a cross-fitted evaluation, or nil for any other evaluation.
func foldNotes(o *train.OutOfFold, isChosen bool) []string {
	if o == nil {
		return nil
	}
	notes := []string{fmt.Sprintf(
		"Evaluated out of fold: every row is predicted by a model that was trained without that row’s fold. The %d fold "+
			"models use the settings of the final model, which is trained on all rows; encoding, fitting and recalibration "+
			"are repeated in every fold.", o.Folds)}
	if isChosen {
		notes[0] += " The intervals are corrected for the choice of the model on these rows (docs/intervals.md)."
	}
	if len(o.Untrained) > 0 {
		notes = append(notes,
			fmt.Sprintf("%s no results (%s): all rows of such a group are in one fold, whose model was therefore trained "+
				"without the group.",
				printable.Plural(len(o.Untrained), "group has", "groups have"), printable.List(o.Untrained, 8)))
	}
	return notes
}
