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

// Columns of the summary: a label, then ERM and the model that was trained.
const (
	labelWidth  = 20
	columnWidth = 28
)

// Summary writes the outcome of a training for people, in 80 columns.
func Summary(w io.Writer, m *train.Model, title string) {
	s := m.Summary("")
	fmt.Fprintf(w, "%s\n%s loss, μ = %s, solver %s\n", title, s.Loss, shortNumber(s.Mu), s.Solver)
	Wrapped(w, "", "level: "+s.Level)
	if reason := choiceReason(s); reason != "" {
		Wrapped(w, "", "chosen by cross-validation: "+reason)
	}
	fmt.Fprintln(w)

	fmt.Fprintf(w, "Certificate, in units of the %s loss%s\n", s.Loss, printable.Line(unitText(m)))
	row := func(label, value string) { fmt.Fprintf(w, "  %-*s%s\n", labelWidth-2, label, value) }
	row("objective", Number6(s.Objective))
	row("upper bound", bound(s.Certificate.Upper))
	row("lower bound", bound(s.Certificate.Lower))
	row("relative gap", gapText(s)+"   "+verdict(s, m.Config.Gap))
	row("passes", fmt.Sprintf("%s over %s × %s", Passes(s.Passes), Plural(s.N, "row", "rows"), Plural(s.D, "column", "columns")))
	row("time", fmt.Sprintf("%.3g s", s.Seconds))
	fmt.Fprintln(w)

	comparisonLines(w, s, report.Name(m), groupingName(m))
	fmt.Fprintln(w)
	if b := m.Result.ERM; b != nil && b.Status != "certified" {
		fmt.Fprintf(w, "The ERM baseline stopped (%s) before its gap was certified.\n", b.Status)
	}

	fmt.Fprintf(w, "%-*s%s of %s (%s)\n", labelWidth, "Effective sample",
		Thousands(int(math.Round(s.EffectiveSampleSize))), Plural(s.N, "row", "rows"), Percent(s.EffectiveShare()))
	fmt.Fprintf(w, "%-*s%s × the average weight of a row\n", labelWidth, "Largest weight",
		Number3(s.LargestWeight()))
}

// Outcome writes the outcome of a training in 80 columns, what to do first: the verdict with the
// worst group, the model, its certificate in one line, and how the adversary weighs the rows. The
// evaluation is nil where nothing was measured.
func Outcome(w io.Writer, m *train.Model, e *eval.Evaluation, title string) {
	s := m.Summary("")
	fmt.Fprintln(w, title)
	if e != nil {
		Verdict(w, e)
	}
	fmt.Fprintln(w)
	field(w, "Model", fmt.Sprintf("%s; %s loss, μ = %s", s.Level, s.Loss, shortNumber(s.Mu)))
	if reason := choiceReason(s); reason != "" && (e == nil || s.Selection.Chosen > 0) { // else the verdict has it
		field(w, "Choice", reason)
	}
	field(w, "Certificate", certificate(s, m.Config.Gap))
	if b := m.Result.ERM; b != nil && b.Status != "certified" {
		field(w, "", fmt.Sprintf("the ERM baseline stopped (%s) before its gap was certified", b.Status))
	}
	if report.Name(m) == report.Robust {
		field(w, "Adversary", fmt.Sprintf("effective sample size %s of %s (%s), largest weight %s × the average",
			Thousands(int(math.Round(s.EffectiveSampleSize))), Plural(s.N, "row", "rows"), Percent(s.EffectiveShare()), Number3(s.LargestWeight())))
	}
	if e == nil {
		fmt.Fprintln(w)
		comparisonLines(w, s, report.Name(m), groupingName(m))
	}
}

// choiceReason returns why cross-validation chose the level, without the name of the level; "" if the
// level was set.
func choiceReason(s train.Summary) string {
	if s.Selection == nil {
		return ""
	}
	return strings.TrimPrefix(s.Selection.Reason, s.Selection.Best().Name+" ")
}

// field writes a label and a text that is wrapped beside it.
func field(w io.Writer, label, text string) {
	const width = 13
	for _, line := range Wrap(text, Width-width) {
		fmt.Fprintf(w, "%-*s%s\n", width, label, line)
		label = ""
	}
}

// certificate returns in one line how close to the optimum the objective is.
func certificate(s train.Summary, gap float64) string {
	switch {
	case s.Certified:
		return fmt.Sprintf("certified: objective %s, relative gap %s (goal %.3g)", Number6(s.Objective), gapText(s), gap)
	case s.Status == "inconsistent" || s.Certificate.RelativeGap == nil:
		return fmt.Sprintf("%s; objective %s", verdict(s, gap), Number6(s.Objective))
	}
	return fmt.Sprintf("UNCERTIFIED: objective %s, relative gap %s (goal %.3g)", Number6(s.Objective), gapText(s), gap)
}

// unitText names the unit of losses of a numeric target.
func unitText(m *train.Model) string {
	if m.Config.Loss == "logistic" {
		return ""
	}
	return ": " + report.LossUnit(m.Config)
}

// comparisonLines writes the table of the baseline beside the model that was trained, of that name.
func comparisonLines(w io.Writer, s train.Summary, name, grouping string) {
	line := func(label, erm, robust string) {
		fmt.Fprintf(w, "%-*s%s  %s\n", labelWidth, label, PadLeft(erm, columnWidth), PadLeft(robust, columnWidth))
	}
	erm := train.SummaryBaseline{Risk: math.NaN(), RobustRisk: math.NaN()}
	if s.ERM != nil {
		erm = *s.ERM
	}
	if name == report.Baseline { // it is its own baseline
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
		fmt.Fprintf(w, "  %s: average risk %s, worst group's %s\n", report.Balanced, Number6(b.Risk), Number6(b.WorstGroup.Risk))
	}
}

// groupingName names the columns that the worst group is one value of each of.
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

func gapText(s train.Summary) string {
	if s.Certificate.RelativeGap == nil {
		return "unknown"
	}
	return fmt.Sprintf("%.2e", *s.Certificate.RelativeGap)
}

// verdict returns in words whether the gap asked for was certified.
func verdict(s train.Summary, gap float64) string {
	switch {
	case s.Certified:
		return fmt.Sprintf("certified (asked for %.3g)", gap)
	case s.Status == "inconsistent":
		return "INCONSISTENT: the bounds contradict each other; trust neither"
	case s.Certificate.RelativeGap == nil:
		return "UNCERTIFIED: no finite lower bound"
	default:
		return fmt.Sprintf("UNCERTIFIED: asked for %.3g", gap)
	}
}
