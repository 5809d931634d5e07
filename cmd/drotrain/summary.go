package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/drotrain/drotrain/datasets"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/report"
)

// Columns of the summary: a label, then ERM and robust.
const (
	labelWidth  = 20
	columnWidth = 28
)

// printSummary writes the outcome of a training for people, in 80 columns.
func printSummary(w io.Writer, m *train.Model, title string) {
	s := m.Summary("")
	fmt.Fprintf(w, "%s\n%s loss, μ = %s, solver %s\n", title, s.Loss, plain(s.Mu), s.Solver)
	printWrapped(w, "", "level: "+s.Level)
	if s.Selection != nil {
		printWrapped(w, "  ", "chosen: "+s.Selection.Reason)
	}
	fmt.Fprintln(w)

	fmt.Fprintf(w, "Certificate, in units of the %s loss%s\n", s.Loss, unitText(m))
	row := func(label, value string) { fmt.Fprintf(w, "  %-*s%s\n", labelWidth-2, label, value) }
	row("objective", number6(s.Objective))
	row("upper bound", bound(s.Certificate.Upper))
	row("lower bound", bound(s.Certificate.Lower))
	row("relative gap", gapText(s)+"   "+verdict(s, m.Config.Gap))
	row("passes", fmt.Sprintf("%s over %s rows × %d columns", passes(s.Passes), thousands(s.N), s.D))
	row("time", fmt.Sprintf("%.3g s", s.Seconds))
	fmt.Fprintln(w)

	printComparison(w, s, groupingName(m))
	if b := m.Result.ERM; b != nil && b.Status != "certified" {
		fmt.Fprintf(w, "The ERM baseline stopped (%s) before its own gap was certified.\n", b.Status)
	}

	fmt.Fprintf(w, "%-*s%s of %s rows (%s)\n", labelWidth, "Effective sample",
		thousands(int(math.Round(s.EffectiveSampleSize))), thousands(s.N), percent(s.EffectiveSampleSize/float64(max(1, s.N))))
	fmt.Fprintf(w, "%-*s%s × the average weight of a row\n", labelWidth, "Largest weight",
		number3(s.MaxWeight*float64(s.N)))
}

// unitText names the unit of losses of a numeric target.
func unitText(m *train.Model) string {
	if m.Config.Loss == "logistic" {
		return ""
	}
	return ": " + report.LossUnit(m.Config)
}

// percent writes 0.95 as 95 % and 0.00012 as 0.012 %.
func percent(share float64) string {
	if share >= 0.01 {
		return fmt.Sprintf("%.0f %%", 100*share)
	}
	return fmt.Sprintf("%.2g %%", 100*share)
}

// printComparison is the table of the baseline beside the robust model.
func printComparison(w io.Writer, s train.Summary, grouping string) {
	line := func(label, erm, robust string) {
		fmt.Fprintf(w, "%-*s%s  %s\n", labelWidth, label, padLeft(erm, columnWidth), padLeft(robust, columnWidth))
	}
	erm := train.SummaryBaseline{Risk: math.NaN(), RobustRisk: math.NaN()}
	if s.ERM != nil {
		erm = *s.ERM
	}
	line("Training rows", "ERM", "robust")
	line("  average risk", number6(erm.Risk), number6(s.ERMRisk))
	line("  robust risk", number6(erm.RobustRisk), number6(s.RobustRisk))
	if s.WorstGroup != nil || erm.WorstGroup != nil {
		a, b := groupCells(erm.WorstGroup), groupCells(s.WorstGroup)
		fmt.Fprintf(w, "  worst group of %s\n", grouping)
		line("    group", a[0], b[0])
		line("    rows", a[1], b[1])
		line("    risk", a[2], b[2])
	}
	if b := s.GroupWeighted; b != nil && b.WorstGroup != nil {
		fmt.Fprintf(w, "  %s: average risk %s, worst group's %s\n", report.Balanced, number6(b.Risk), number6(b.WorstGroup.Risk))
	}
	fmt.Fprintln(w)
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
	return [3]string{g.Name, thousands(g.Count), number6(g.Risk)}
}

func gapText(s train.Summary) string {
	if s.Certificate.RelativeGap == nil {
		return "unknown"
	}
	return fmt.Sprintf("%.2e", *s.Certificate.RelativeGap)
}

// verdict says in words whether the gap asked for was certified.
func verdict(s train.Summary, gap float64) string {
	switch {
	case s.Certified:
		return fmt.Sprintf("certified (asked for %.3g)", gap)
	case s.Status == "inconsistent":
		return "INCONSISTENT: the bounds contradict each other, neither is to be trusted"
	case s.Certificate.RelativeGap == nil:
		return "UNCERTIFIED: no finite lower bound"
	default:
		return fmt.Sprintf("UNCERTIFIED: asked for %.3g", gap)
	}
}

func penaltyName(p string) string {
	switch p {
	case "kl":
		return "KL"
	case "chi2":
		return "χ²"
	}
	return p
}

// number6 has six significant digits, number4 four, number3 three; what is not
// a number is a dash.
func number6(x float64) string { return significant(x, 6) }
func number4(x float64) string { return significant(x, 4) }
func number3(x float64) string { return significant(x, 3) }

func significant(x float64, digits int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	if x == 0 {
		return "0"
	}
	return strings.TrimSuffix(fmt.Sprintf("%#.*g", digits, x), ".")
}

// plain is a number without trailing zeros: a setting or a count.
func plain(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// passes is a count of passes, to a tenth.
func passes(x float64) string { return strconv.FormatFloat(math.Round(10*x)/10, 'f', -1, 64) }

// bound is a bound in six digits, or that there is none.
func bound(p *float64) string {
	if p == nil {
		return "unknown"
	}
	return number6(*p)
}

func optional6(p *float64) string {
	if p == nil {
		return "-"
	}
	return number6(*p)
}

// thousands writes 1904 as 1 904.
func thousands(n int) string {
	s := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return sign + s
}

// padLeft right-aligns s in width runes, cutting what does not fit.
func padLeft(s string, width int) string {
	s = printable.Line(s)
	n := utf8.RuneCountInString(s)
	if n > width {
		r := []rune(s)
		return string(r[:width-1]) + "…"
	}
	return strings.Repeat(" ", width-n) + s
}

// printFiles lists what was written.
func printFiles(w io.Writer, out *outDir) {
	plots := map[string]int{}
	fmt.Fprintln(w)
	for _, f := range out.files {
		if ext := filepath.Ext(f); ext == ".svg" || ext == ".png" || ext == ".pdf" {
			plots[ext]++
			continue
		}
		fmt.Fprintf(w, "wrote  %s\n", out.file(f))
	}
	for _, ext := range []string{".svg", ".png", ".pdf"} {
		if n := plots[ext]; n > 0 {
			fmt.Fprintf(w, "wrote  %s\n", out.file(fmt.Sprintf("*%s (%d plots)", ext, n)))
		}
	}
}

// printNext names commands that go on from here, ready to be run.
func printNext(w io.Writer, m *train.Model, out *outDir) {
	model, table := shellQuote(out.file(modelFile)), shellQuote(m.Config.Data)
	fmt.Fprintf(w, "next   drotrain predict --model %s --data %s \\\n         --out preds.parquet\n", model, table)
	if strings.HasPrefix(m.Config.Data, datasets.Prefix) {
		fmt.Fprintf(w, "       drotrain report --model %s --out report.md\n", model)
		return
	}
	fmt.Fprintf(w, "       drotrain report --model %s --trained-on %s \\\n         --out report.md\n", model, table)
}
