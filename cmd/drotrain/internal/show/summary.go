package show

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/report"
)

// Columns of the summary: a label, then ERM and the trained model.
const (
	labelWidth  = 20
	columnWidth = 28
)

// Outcome prints the outcome of a training run in 80 columns: the verdict with the worst group, the model, its
// certificate, and the weights of the adversary. If e is nil, there was no evaluation, and the bounds and the risks
// of the training rows are printed instead.
func Outcome(w io.Writer, m *train.Model, e *eval.Evaluation, title string) {
	s := m.Summary("")
	field := func(label, text string) { PrintBeside(w, label, text, len("Certificate  ")) }
	fmt.Fprintln(w, title)
	if e != nil {
		Verdict(w, e)
	}
	fmt.Fprintln(w)
	field("Model", fmt.Sprintf("%s; %s loss, μ = %s", s.Level, s.Loss, printable.Setting(s.Mu)))
	// otherwise the verdict states the reason
	if reason := choiceReason(s); reason != "" && (e == nil || s.Selection.Chosen > 0) {
		field("Choice", reason)
	}
	field("Certificate", describeCertificate(s, m.Config.Gap))
	if e == nil {
		field("Bounds", fmt.Sprintf("%s to %s %s; %s %s over %s × %s by %s in %.3g s",
			formatOptional(s.Certificate.Lower, "unknown"), formatOptional(s.Certificate.Upper, "unknown"),
			printable.EscapeLine(report.LossUnit(m.Config)),
			Passes(s.Passes), printable.Noun(s.Passes, "pass", "passes"), Plural(s.N, "row", "rows"), Plural(s.D, "column",
				"columns"), s.Solver, s.Seconds))
	}
	if b := m.Result.ERM; b != nil && b.Status != "certified" {
		field("", fmt.Sprintf("the ERM baseline is %v", &train.UncertifiedError{Status: b.Status}))
	}
	if report.Name(m) == report.Robust && !m.Config.KeepsWeights() {
		field("Adversary", fmt.Sprintf("effective sample size %s of %s (%s), largest weight %s × the average",
			Thousands(int(math.Round(s.EffectiveSampleSize))), Plural(s.N, "row",
				"rows"), Percent(s.EffectiveShare()), Number3(s.LargestWeight())))
	}
	if e == nil {
		fmt.Fprintln(w)
		comparisonLines(w, s, report.Name(m), groupingName(m))
	}
}

// choiceReason returns the reason why cross-validation chose the level, or "" if the level was set.
func choiceReason(s train.Summary) string {
	switch {
	case s.Selection == nil:
		return ""
	case s.Selection.Chosen == 0:
		return s.Selection.Reason
	}
	return strings.TrimPrefix(s.Selection.Reason, s.Selection.Best().Name+" ")
}

// describeCertificate describes the certificate in one line.
func describeCertificate(s train.Summary, gap float64) string {
	objective := "objective " + Number6(s.Objective)
	switch {
	case s.Status == "inconsistent":
		return "INCONSISTENT: the bounds contradict each other; trust neither; " + objective
	case s.Certificate.RelativeGap == nil:
		return "UNCERTIFIED: no finite lower bound; " + objective
	}
	status := "UNCERTIFIED"
	if s.Certified {
		status = "certified"
	}
	return fmt.Sprintf("%s: %s, relative gap %s (requested: %s)", status, objective,
		printable.Scientific(*s.Certificate.RelativeGap), printable.Setting(gap))
}

// comparisonLines prints a table that compares the trained model with the baseline.
func comparisonLines(w io.Writer, s train.Summary, name, grouping string) {
	line := func(label, erm, robust string) {
		fmt.Fprintf(w, "%-*s%s  %s\n", labelWidth, label, PadLeft(erm, columnWidth), PadLeft(robust, columnWidth))
	}
	erm := train.SummaryBaseline{Risk: math.NaN(), RobustRisk: math.NaN()}
	if s.ERM != nil {
		erm = *s.ERM
	}
	if name == report.Baseline { // the baseline is not compared with itself
		line = func(label, _, model string) {
			fmt.Fprintf(w, "%-*s%s\n", labelWidth, label, PadLeft(model, columnWidth))
		}
	}
	line("Training rows", report.Baseline, name)
	line("  average risk", Number6(erm.Risk), Number6(s.AverageRisk))
	if name == report.Robust {
		line("  robust risk", Number6(erm.RobustRisk), Number6(s.RobustRisk))
	}
	if s.WorstGroup != nil || erm.WorstGroup != nil {
		a, b := groupCells(erm.WorstGroup), groupCells(s.WorstGroup)
		fmt.Fprintf(w, "  worst group of %s\n", grouping)
		line("    group", a[0], b[0])
		line("    rows", a[1], b[1])
		line("    risk", a[2], b[2])
	}
	if b := s.GroupWeighted; name == report.Robust && b != nil && b.WorstGroup != nil {
		fmt.Fprintf(w, "  %s: average risk %s, worst group’s risk %s\n", report.Balanced, Number6(b.Risk),
			Number6(b.WorstGroup.Risk))
	}
}

// groupingName returns the names of the columns that define the worst group.
func groupingName(m *train.Model) string {
	if n := len(m.Encoder.Groups); n > 0 {
		return m.Encoder.Groups[n-1].Name
	}
	return ""
}

func groupCells(g *train.SummaryGroup) [3]string {
	if g == nil {
		return [3]string{"-", "-", "-"}
	}
	return [3]string{g.Name, Thousands(g.Count), Number6(g.Risk)}
}
