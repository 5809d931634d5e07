package page

import (
	"fmt"
	"strings"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
)

// Warnings returns what a reader should worry about before using the model: warnings, notes on
// leakage, small groups, calibration and columns left out.
func (p *page) Warnings() (out []string) {
	e := p.E
	out = append(out, e.Verdict.Warnings...)
	if a := p.Report.Adversary; a != nil {
		out = append(out, a.Warnings...)
	}
	for _, n := range p.Report.Notes {
		if strings.HasPrefix(n, "WARNING: ") || strings.Contains(n, "leakage") {
			out = append(out, printable.Capitalise(strings.TrimPrefix(n, "WARNING: ")))
		}
	}
	for _, q := range e.Gaps {
		if q.Outcome == "above" && q.Model == e.Models[e.Focus()].Name {
			rate, _ := e.Task.Measure(q.Measure)
			out = append(out, fmt.Sprintf("%s differs by %s percentage points between %s and %s, more than the tolerance of %s.", rate.Label,
				printable.Number(100*float64(q.Value)), printable.Group(q.High), printable.Group(q.Low), printable.WholePercent(q.Tolerance)))
		}
	}
	for _, d := range e.Drift {
		if d.Finding != "" {
			out = append(out, fmt.Sprintf("%s differs from the training rows: %s.", d.Column, d.Finding))
		}
	}
	if e.Split == eval.Training {
		out = append(out, "All numbers are measured on the training rows and flatter every model.")
	}
	if g := e.Headline(); g != nil {
		small := 0
		for _, h := range g.Groups {
			if !h.Sufficient {
				small++
			}
		}
		if small > 0 {
			out = append(out, fmt.Sprintf("%s of %s %s fewer than %d rows: nothing is claimed about them.", printable.Plural(small, "group", "groups"), g.Name, printable.Noun(small, "has", "have"), e.MinGroupSize))
		}
	}
	m := &e.Models[e.Focus()]
	if iv, ok := m.Intervals["calibration_gap"]; ok && (iv.Low > 0 || iv.High < 0) {
		out = append(out, miscalibrationSentence(m.Name, m.Overall.Of["calibration_gap"], iv))
	}
	if c := p.Report.Certificate; c != nil && !c.Certified {
		out = append(out, certificateCaveat(c)...)
	}
	return out
}

// miscalibrationSentence says in which direction and by how much predicted probabilities differ from what is
// observed; gap is predicted − observed.
func miscalibrationSentence(model string, gap eval.Num, iv eval.Interval) string {
	word, side := "high", "above"
	low, high := iv.Low, iv.High
	if gap < 0 {
		word, side = "low", "below"
		gap, low, high = -gap, -iv.High, -iv.Low
	}
	points := func(x eval.Num) string { return printable.NumberAtScale(100*float64(x), 10) }
	return fmt.Sprintf("The probabilities of %s are too %s: on average they are %s percentage points %s what is observed (%s to %s).", model, word, points(gap), side, points(low), points(high))
}

// formatPoints formats a proportion in percentage points.
func formatPoints(x eval.Num) string { return printable.Signed(100*float64(x), 10) }

// ByLine returns the date and the owner that a model card names.
func (p *page) ByLine() string {
	var out []string
	for _, key := range []string{"date", "owner", "contact"} {
		for _, f := range p.Card {
			if strings.EqualFold(f.Key, key) {
				out = append(out, f.Value)
			}
		}
	}
	return strings.Join(out, " · ")
}

// Glossary explains the terms that a page uses.
func (p *page) Glossary() (out []eval.Fact) {
	add := func(key, value string) { out = append(out, eval.Fact{Key: key, Value: value}) }
	for _, m := range p.E.Models {
		switch m.Role {
		case eval.StandardModel:
			add("ERM, standard model", "empirical risk minimisation: the model with the smallest mean loss, with equal weight for every row")
		case eval.BalancedModel:
			add("Group-balanced ERM", "ERM in which every group has the same total weight")
		case eval.RescaledModel:
			add("Rescaled ERM", "ERM with a new slope and intercept of its scores: what less confident scores alone achieve")
		case eval.RobustModel:
			add("Robust model", "the model with the smallest loss under the worst reweighting of rows or groups that its level allows")
		}
	}
	add("CVaR at α", "the mean loss of the worst share α of the rows")
	if p.Report.Adversary != nil {
		add("Effective sample size", "the number of equally weighted rows that carry as much information as the weighted ones, 1/Σy²")
	}
	if p.E.Split == eval.Holdout {
		add("Hold-out", "rows that no model was trained on")
	}
	return out
}
