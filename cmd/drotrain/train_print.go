package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/check"
	"github.com/drotrain/drotrain/datasets"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/expr"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/train"
)

// verboseNotes lists prefixes of notes that are printed only with --verbose.
var verboseNotes = []string{"solver ", "stored sparsely", "the robustness was chosen on "}

// printNotes prints the notes of a training run. Notes that are warnings are stored, to be printed at the end.
func (o *trainOptions) printNotes(a *app, notes []string, findings []check.Finding, f *data.Frame) {
	warnings, notes := train.SplitWarnings(notes)
	for _, w := range warnings {
		for k := range findings {
			if findings[k].String() == w {
				w = addOption(w, &findings[k])
				break
			}
		}
		a.warn(w)
	}
	for _, n := range notes {
		if !o.Verbose && slices.ContainsFunc(verboseNotes, func(prefix string) bool { return strings.HasPrefix(n, prefix) }) {
			continue
		}
		if f != nil {
			n = exit.AddSuggestion(f, n)
		}
		a.note("%s", n)
	}
}

// printResult prints the outcome. It returns an error, which sets the exit code, if the model is not certified.
func (o *trainOptions) printResult(a *app, m *train.Model, e *eval.Evaluation, out *outputDir) error {
	s, err := o.printOutcome(a, m, e, out)
	if a.comm != nil {
		t := a.traffic()
		a.info("ranks %d, rounds %d, %.1f MB per rank, threads %d (ranks on its processors: %d)", a.comm.Size(), t.Rounds,
			float64(t.Bytes)/1e6, runtime.GOMAXPROCS(0), a.localRanks)
	}
	if err != nil {
		return err
	}
	return o.checkOutcome(m, e, s)
}

// printOutcome prints the summary as text or JSON. e is the evaluation, or nil if nothing was measured.
func (o *trainOptions) printOutcome(a *app, m *train.Model, e *eval.Evaluation, out *outputDir) (train.Summary, error) {
	s := m.Summary(out.File(modelFile))
	if e != nil {
		s.Warnings = e.Verdict.Warnings
	}
	if o.JSON {
		return s, show.JSON(a.stdout, outcomeOf(s, e))
	}
	isRefused := e != nil && e.Verdict.Outcome == eval.Degenerate && !o.AllowDegenerate
	for _, w := range s.Warnings {
		if !isRefused || w == e.SliceWarning() { // the error states the other reasons
			a.warn(w)
		}
	}
	show.Outcome(a.stdout, m, e, o.resultTitle(m))
	out.List(a.stdout)
	if e != nil {
		printNext(a.stdout, m, e, out)
	}
	return s, nil
}

// A trainOutcome is the output of train --json: the outcome of the training run and the main measures.
type trainOutcome struct {
	train.Summary
	// warnings about the table, such as leakage, and about the model
	Warnings []string      `json:"warnings"`
	Verdict  *eval.Verdict `json:"verdict,omitempty"`  // absent if nothing was measured
	Measured *measured     `json:"measured,omitempty"` // likewise
}

// A measured holds the measures of the models over all rows and in each model's worst group.
type measured struct {
	Split  eval.Split      `json:"split"` // the rows on which the models are measured
	Rows   int             `json:"rows"`
	Models []measuredModel `json:"models"`
	// Change is the change of the worst group's risk from the first model to the second.
	Change *eval.Difference `json:"worst_group_change,omitempty"`
}

type measuredModel struct {
	Name       string           `json:"name"`
	Overall    eval.Values      `json:"overall"`
	WorstGroup *eval.WorstGroup `json:"worst_group,omitempty"` // absent if there are no groups
	Measures   eval.Values      `json:"worst_group_measures,omitempty"`
}

func outcomeOf(s train.Summary, e *eval.Evaluation) trainOutcome {
	t := trainOutcome{Summary: s, Warnings: append([]string{}, s.Warnings...)}
	leaks, notes := train.SplitWarnings(s.Notes)
	t.Warnings, t.Notes = append(t.Warnings, leaks...), notes
	if e == nil {
		return t
	}
	t.Verdict, t.Measured = &e.Verdict, &measured{Split: e.Split, Rows: e.N}
	for _, m := range e.Models {
		one := measuredModel{Name: m.Name, Overall: m.Overall, WorstGroup: m.WorstGroup}
		if m.WorstGroup != nil {
			one.Measures = e.WorstGroupValues(m.Name)
		}
		t.Measured.Models = append(t.Measured.Models, one)
	}
	if len(e.Compared) > 0 {
		t.Measured.Change = e.Compared[0].WorstGroup
	}
	return t
}

func (o *trainOptions) resultTitle(m *train.Model) string {
	t := fmt.Sprintf("%s: %s, target %s", m.Config.Data, show.Plural(m.TrainRows+m.HoldoutRows, "row", "rows"),
		show.Target(m))
	if m.HoldoutRows > 0 {
		t += fmt.Sprintf(" (%s held out)", show.Thousands(m.HoldoutRows))
	}
	if m.Periods != nil {
		t += fmt.Sprintf("\nBy %s: %s", m.Config.Time, m.Periods)
	}
	return t
}

// printNext prints commands that the user may run next. The predict command is shown for the recommended model, and
// omitted if no model is recommended or the model must not be used yet.
func printNext(w io.Writer, m *train.Model, e *eval.Evaluation, out *outputDir) {
	model, table := printable.QuoteShell(out.File(modelFile)), printable.QuoteShell(nextTable(m.Config.Data))
	first := "next   "
	usable := e.Verdict.Outcome != eval.Degenerate || m.Result.Recommended == train.VariantERM
	if usable && e.Verdict.Hold == nil {
		variant := ""
		if _, standard, _ := m.Variant(""); m.Result.Recommended == train.VariantERM && standard != train.VariantERM {
			variant = "--model-variant erm "
		}
		fmt.Fprintf(w, "%sdrotrain predict --model %s --data %s \\\n         %s--out preds.parquet\n", first, model, table,
			variant)
		first = "       "
	}
	filter := ""
	if hasUnknownTargets(nextTable(m.Config.Data), m.Config.Target) {
		filter = "--filter " + printable.QuoteShell(expr.QuoteName(m.Config.Target)+" is not null") + " "
	}
	fmt.Fprintf(w, "%sdrotrain eval --model %s --data %s \\\n         %s--out report.html\n", first, model, table, filter)
}

// hasUnknownTargets reports whether table is a built-in data set in which the target of some rows is null.
func hasUnknownTargets(table, target string) bool {
	if !strings.HasPrefix(table, datasets.Prefix) {
		return false
	}
	f, err := datasets.Open(table)
	if err != nil {
		return false
	}
	defer f.Close()
	c, err := f.Column(context.Background(), target)
	return err == nil && c.Nulls() > 0
}

// nextTable returns the name of a table that can be scored after a training run on data. For a built-in data set with
// a later period it is that period; otherwise it is a placeholder with the same extension.
func nextTable(data string) string {
	if strings.HasPrefix(data, datasets.Prefix) {
		if _, err := datasets.Get(data + "-next"); err == nil {
			return data + "-next"
		}
		return "NEW.parquet"
	}
	path, _, _ := strings.Cut(data, ",")
	return "NEW" + cmp.Or(filepath.Ext(path), ".parquet")
}

// checkOutcome returns an error, which sets the exit code, if the model is degenerate or not certified. e is its
// evaluation, or nil if nothing was measured.
func (o *trainOptions) checkOutcome(m *train.Model, e *eval.Evaluation, s train.Summary) error {
	switch {
	case !s.Certified:
		return uncertifiedError(m, s)
	case e != nil && e.Verdict.Outcome == eval.Degenerate && !o.AllowDegenerate:
		why := slices.DeleteFunc(slices.Clone(s.Warnings), func(w string) bool { return w == e.SliceWarning() })
		return exit.WithCode(exit.Gate, fmt.Errorf("the model is degenerate: %s", strings.Join(why, " ")),
			adviseAgainstDegenerate(m, "use other features, or more hold-out rows (--holdout)"))
	case e == nil && s.ConstantPrediction && !o.AllowDegenerate:
		return exit.WithCode(exit.Gate, errors.New("the model is degenerate: its prediction is the same for every "+
			"training row"), adviseAgainstDegenerate(m, "use other features"))
	}
	return nil
}

// adviseAgainstDegenerate returns the hint of the error for a degenerate model: a milder level and, if it was measured
// and is recommended, the standard model; otherwise other is the advice.
func adviseAgainstDegenerate(m *train.Model, other string) string {
	var advice []string
	if m.Result.Recommended == train.VariantERM && m.Config.Average != "plain" {
		advice = append(advice, "use the standard model (ERM), which was trained too, with --model-variant erm")
	}
	if milder := m.Config.AdviseMilder(); milder != "" {
		advice = append(advice, "train with "+milder)
	}
	if advice == nil {
		advice = []string{other}
	}
	return strings.Join(advice, ", or ") + "; with --allow-degenerate, drotrain accepts the model"
}

// uncertifiedError returns the error of a run that ended before it reached the requested gap.
func uncertifiedError(m *train.Model, s train.Summary) error {
	err := fmt.Errorf("%w (requested: %g); the model was written, marked uncertified", s.Uncertified(), m.Config.Gap)
	hint := "raise --max-passes or --gap"
	switch {
	case s.Status == "inconsistent":
		hint = "the lower bound exceeds the upper bound by more than rounding: this is a bug in drotrain; please report it"
	case s.Status == "uncertified" || s.Mu == 0 && s.Certificate.RelativeGap == nil:
		hint = "with --mu 0 a certificate exists only if the data determine every coefficient; raise " +
			"--max-passes, or set --mu above 0"
	case s.Status == "stalled" && m.Config.Nu != nil && s.LargestWeight() <= 1+1e-12:
		hint = fmt.Sprintf("at --nu %g all weights are equal up to rounding, so the gap cannot be certified; use "+
			"--average plain, which is the same problem, or a smaller --nu", s.Nu)
	case s.Status == "stalled":
		hint = "double precision allows no smaller gap: raise --gap or --mu"
		if m.Config.Scale == "none" {
			hint += ", or leave out --scale none"
		}
	}
	return exit.WithCode(exit.Limit, err, hint)
}

// reportStopped reports a run that a signal ended during or after the training.
func (o *trainOptions) reportStopped(ctx context.Context, a *app, m *train.Model, out *outputDir, err error) error {
	s, printed := o.printOutcome(a, m, nil, out)
	if printed != nil {
		return printed
	}
	cause := context.Cause(ctx)
	switch {
	case cause == nil:
		return err
	case s.Status == "cancelled":
		return fmt.Errorf("%w; the unfinished model was written to %s, marked uncertified", cause, out.File(modelFile))
	case o.Report == options.ReportNone:
		return fmt.Errorf("%w; the model was written to %s, but the comparison models are not finished", cause,
			out.File(modelFile))
	}
	return exit.WithHint(fmt.Errorf("%w; the model was written to %s, but its report is not finished", cause,
		out.File(modelFile)), adviseReport(m, out))
}

// adviseReport returns the command that writes the report of a model whose training run ended before its report was
// finished. It returns "" if the hold-out rows cannot be read again.
func adviseReport(m *train.Model, out *outputDir) string {
	c := &m.Config
	table := "--trained-on " + printable.QuoteShell(c.Data)
	switch {
	case c.HoldoutData != "":
		table = "--data " + printable.QuoteShell(c.HoldoutData)
	case c.ValidationData != "" || c.Data == stream:
		return ""
	}
	return fmt.Sprintf("write the report with `drotrain eval --model %s %s --out report.html`",
		printable.QuoteShell(out.File(modelFile)), table)
}
