package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/check"
	"github.com/drotrain/drotrain/datasets"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/page"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/report"
)

// The data on which `drotrain train` without options trains.
const defaultData = "builtin:digits"

// Files of the output directory.
const (
	modelFile   = "model.json"
	metricsFile = "metrics.json"
	reportFile  = "report.html"
)

// run trains, writes the files and prints the outcome.
func (o *trainOptions) run(ctx context.Context, a *app, fs *pflag.FlagSet) error {
	a.quiet = a.quiet || a.isFollower()
	if err := o.checkStreams(a); err != nil {
		return err
	}
	if err := o.openCheckpoint(a, fs); err != nil {
		return err
	}
	if err := a.agreeOnOptions(o, fs); err != nil {
		return err
	}
	err := o.runFrom(ctx, a, fs)
	if a.isFollower() {
		return err
	}
	return o.closeCheckpoint(ctx, a, err)
}

// runFrom trains, continuing from the checkpoint if there is one.
func (o *trainOptions) runFrom(ctx context.Context, a *app, fs *pflag.FlagSet) error {
	if err := o.prepare(a, fs); err != nil {
		return err
	}
	auto := o.Measure == options.Auto && o.Report == options.ReportFull && o.Resamples != "0" && a.comm == nil &&
		o.Config.Memory == 0
	ctx = ranks.NewContext(ctx, a.comm)
	if a.comm != nil && o.hasNoHoldout() && o.Report != options.ReportNone {
		o.Report = options.ReportNone
		a.warn("no report is written: no rows are held out, and with several ranks training rows cannot be evaluated")
	}
	opt, err := reportOptions(o.Settings)
	if err != nil {
		return err
	}
	switch {
	case a.isFollower():
		return o.follow(ctx, a, opt)
	case o.Out == stream:
		return o.trainToStream(ctx, a)
	}
	out, err := a.inputs.OpenDir(o.Out, o.Force || o.Resume)
	if err != nil {
		if _, missing := os.Stat(filepath.Join(o.Out, checkpointFile)); missing == nil && !o.Force && !o.Resume {
			err = exit.WithHint(err, "it holds an interrupted run: continue it with --resume, or start again with --force")
		}
		return err
	}
	defer out.Close()
	opt.Command = options.CommandLine("train", fs, "data", "target", "groups")
	err = o.trainAndReport(ctx, a, out, opt, auto)
	var few *train.CrossfitError
	if auto && errors.As(err, &few) { // a group or a class has too few rows for five parts
		a.note("%v; instead, 20 %% of the rows are held out (--holdout 0.2)", few)
		if j := o.Config.Checkpoint; j != nil { // it is of the training that cannot be measured
			if err := j.Remove(); err != nil {
				return err
			}
			o.Config.Checkpoint = nil
		}
		o.Config.Evaluate, o.Config.Holdout = train.EvaluateHoldout, train.DefaultConfig().Holdout
		err = o.trainAndReport(ctx, a, out, opt, false)
	}
	return err
}

// trainAndReport trains, writes the files and prints the outcome. If auto is set, a small table is
// cross-fitted.
func (o *trainOptions) trainAndReport(
	ctx context.Context, a *app, out *outputDir, opt report.Options, auto bool,
) error {
	p := a.newProgress()
	defer p.Finish()
	m, err := o.fit(ctx, a, out, p, auto)
	p.Finish()
	if elsewhere := exit.StoppedElsewhere(err); elsewhere != nil {
		stopped, stop := context.WithCancelCause(ctx)
		stop(elsewhere)
		ctx = stopped
	}
	if m == nil {
		if cause := context.Cause(ctx); cause != nil {
			if err = fmt.Errorf("%w before a model was trained", cause); !o.Config.Checkpoint.HasParts() {
				err = fmt.Errorf("%w: no output was written", err)
			}
		}
		return err
	}
	stopped := err
	p.Begin("writing the model")
	if err := out.Write(modelFile, func(w io.Writer) error { _, err := m.WriteTo(w); return err }); err != nil {
		return err
	}
	p.Finish() // the notes stand between
	o.printNotes(a, m.Notes, m.Findings, m.Run.Frame)
	if stopped != nil {
		return o.reportStopped(ctx, a, m, out, stopped)
	}
	var e *eval.Evaluation
	if o.Report != options.ReportNone {
		opt.Observe = p.ObserveEvaluation
		e, err = o.writeResults(ctx, m, out, opt, p)
		p.Finish()
		if err != nil && context.Cause(ctx) != nil {
			return o.reportStopped(ctx, a, m, out, err)
		} else if err != nil {
			return fmt.Errorf("the model was written to %s, but its report failed: %w", out.File(modelFile), err)
		}
	}
	if err := o.writeWeights(a, m); err != nil {
		return err
	}
	if err := o.writeProof(ctx, a, m); err != nil {
		return err
	}
	o.ended = true
	return o.printResult(a, m, e, out)
}

// verboseNotes lists prefixes of notes that are printed only with --verbose.
var verboseNotes = []string{"solver ", "storage sparse", "the level was chosen on "}

// printNotes prints the notes of a training run and stores the warnings among them for the end.
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

// hasNoHoldout reports whether the run holds out no rows.
func (o *trainOptions) hasNoHoldout() bool {
	c := &o.Config
	return c.Holdout == 0 && c.HoldoutData+c.Split+c.GroupHoldout+c.Time == ""
}

// prepare chooses the data and checks the options.
func (o *trainOptions) prepare(a *app, fs *pflag.FlagSet) error {
	if err := o.chooseData(a, fs); err != nil {
		return err
	}
	c := &o.Config
	err := checkRoles(role{"target", []string{c.Target}, []string{"features", "drop", "categorical"}},
		role{"features", c.Features, []string{"drop"}},
		role{"drop", c.Drop, nil}, role{"groups", c.Groups, nil}, role{"categorical", c.Categorical, nil})
	if err != nil {
		return err
	}
	if o.Measure != options.Auto {
		c.Evaluate = o.Measure
	}
	if c.Evaluate == train.EvaluateCrossfit {
		c.Holdout = 0
	}
	if err := c.Validate(); err != nil {
		return exit.Usagef("", "%v", err)
	}
	return checkCombinations(fs, c)
}

// chooseData sets the data if they are not given, and the default columns of an embedded data set.
func (o *trainOptions) chooseData(a *app, fs *pflag.FlagSet) error {
	for _, name := range []string{"data", "target", "out"} {
		if f := fs.Lookup(name); f.Changed && f.Value.String() == "" {
			return exit.Usagef("", "--%s is empty", name)
		}
	}
	c := &o.Config
	if c.Data == "" {
		c.Data = defaultData
	}
	addArrayFiles(c)
	if strings.HasPrefix(c.Data, datasets.Prefix) {
		info, err := datasets.Get(c.Data)
		if err != nil {
			return unknownDataset(c.Data, err)
		}
		if c.Target == "" {
			c.Target = info.Target
		}
		if !fs.Changed("groups") && c.Target == info.Target {
			c.Groups = info.Groups
		}
		if fs.Changed("group-features") && c.GroupFeatures && info.GroupsUnknown {
			return exit.Usagef("leave out --group-features",
				"the group columns of %s are unknown at prediction and cannot be features", c.Data)
		}
	}
	if c.Target == "" {
		return exit.Usagef(fmt.Sprintf("`drotrain inspect %s` lists the columns", printable.QuoteShell(c.Data)),
			"--target is missing; it names the column to predict")
	}
	with := ""
	if len(c.Groups) > 0 {
		with = ", groups " + strings.Join(c.Groups, ", ")
	}
	a.info("%s", printable.EscapeLine(fmt.Sprintf("reading %s, target %s%s", c.Data, c.Target, with)))
	return nil
}

// addArrayFiles adds .npy files named as target or groups to the table, and replaces them by column names.
func addArrayFiles(c *train.Config) {
	if !strings.HasSuffix(c.Data, ".npy") {
		return
	}
	take := func(file string) string {
		name, is := strings.CutSuffix(filepath.Base(file), ".npy")
		if !is {
			return file
		}
		c.Data += "," + file
		return name
	}
	c.Target = take(c.Target)
	c.Groups = slices.Clone(c.Groups)
	for i := range c.Groups {
		c.Groups[i] = take(c.Groups[i])
	}
}

// fit trains and shows the progress on stderr.
func (o *trainOptions) fit(
	ctx context.Context, a *app, out *outputDir, p *show.Progress, auto bool,
) (*train.Model, error) {
	cfg := o.Config
	cfg.Observe = p.Observe
	if o.Verbose {
		cfg.Logf = func(format string, args ...any) { a.info("solver: "+format, args...) }
	}
	o.keepOnDisk(a, &cfg)
	ctx = p.Watch(ctx)
	p.Begin(show.Reading)
	frame, err := cfg.OpenData(ctx, a.openTable)
	if err != nil {
		return nil, err
	}
	a.noteUnusedTexts(frame, cfg.Reading)
	if auto && frame.Rows < train.CrossfitBelow && cfg.ValidationData+cfg.ValidationSplit == "" {
		cfg.Evaluate, cfg.Holdout = train.EvaluateCrossfit, 0
	}
	if out != nil {
		if err := out.Spares(modelFile, metricsFile, reportFile); err != nil {
			return nil, err
		}
	}
	p.Begin(show.Encoding)
	cfg.KeepRows, cfg.KeepProof = true, o.Proof != "" // the report reads the rows
	return train.FitFrame(ctx, frame, cfg)
}

// choiceOptions lists the options that say how a level is chosen.
var choiceOptions = []string{"select", "folds", "validation"}

// checkCombinations returns an error for options that exclude each other, or have no effect together.
func checkCombinations(fs *pflag.FlagSet, c *train.Config) error {
	given := func(names ...string) (out []string) {
		for _, name := range names {
			if fs.Changed(name) {
				out = append(out, "--"+name)
			}
		}
		return out
	}
	averagesValidation := c.Average == level.ValidationSubsets
	var kinds []string
	for _, k := range level.Kinds {
		kinds = append(kinds, k.Option)
	}
	levels, choice := given(kinds...), given(choiceOptions...)
	switch {
	case len(levels) > 0 && len(choice) > 0 && !(averagesValidation && slices.Equal(choice, []string{"--validation"})):
		return exit.Usagef("leave out one of the two kinds", "%s sets the robustness, but %s is for choosing it",
			strings.Join(levels, " and "), strings.Join(choice, ", "))
	case fs.Changed("penalty") && !c.HasDivergence():
		return exit.Usagef("set the robustness with --nu, --radius or --ess, or leave out --penalty",
			"--penalty %s has no effect without --nu, --radius or --ess", c.Penalty)
	case fs.Changed("adversary") && !c.Level.IsSet():
		return exit.Usagef("set the robustness, as in --nu 1, or leave out --adversary to choose it by cross-validation",
			"--adversary %s has no effect without a robustness setting", c.Adversary)
	}
	typed := map[string]bool{} // on the command line: a configuration may have more than a run uses
	fs.Visit(func(f *pflag.Flag) { typed[f.Name] = true })
	for _, name := range []string{"resamples", "card"} {
		if typed["report"] && fs.Lookup("report").Value.String() == options.ReportNone && typed[name] {
			return exit.Usagef("leave out one of them", "--%s has no effect with --report none", name)
		}
	}
	return nil
}

// keepOnDisk sets where rows go that do not fit into memory.
func (o *trainOptions) keepOnDisk(a *app, cfg *train.Config) {
	if cfg.Cache == "" && o.Out != stream {
		cfg.Cache = o.Out
	}
	cfg.Announce = a.announceDisk()
}

// writeResults measures the model on the hold-out rows, or on the training
// rows if there is no hold-out, and writes the metrics, the plots and the page.
func (o *trainOptions) writeResults(
	ctx context.Context, m *train.Model, out *outputDir, opt report.Options, p *show.Progress,
) (*eval.Evaluation, error) {
	p.Begin("measuring") // the rows are read first
	measured, err := report.Measure(ctx, m, opt)
	if err != nil {
		return nil, err
	}
	e := measured.Evaluation
	recordRecommendation(m, e)
	if m.Reference, err = json.Marshal(eval.NewReference(e)); err != nil {
		return nil, err
	}
	if err := out.Write(modelFile, func(w io.Writer) error { _, err := m.WriteTo(w); return err }); err != nil {
		return nil, err
	}
	if err := out.Write(metricsFile, e.WriteJSON); err != nil {
		return nil, err
	}
	r, err := measured.Report()
	if err != nil {
		return nil, err
	}
	p.Begin(drawing)
	if err := out.Write(reportFile, func(w io.Writer) error { return page.WriteHTML(w, r) }); err != nil {
		return nil, err
	}
	if o.Report == options.ReportFast {
		return e, nil
	}
	return e, writeFigures(ctx, r, out, p, "svg")
}

// recordRecommendation stores the recommendation of the evaluation in the model.
func recordRecommendation(m *train.Model, e *eval.Evaluation) {
	v := e.Verdict
	m.Result.Outcome, m.Result.Recommended = string(v.Outcome), ""
	for _, model := range e.Models {
		switch {
		case model.Name != v.Recommended:
		case model.Role == eval.StandardModel:
			m.Result.Recommended = train.VariantERM
		case model.Role == eval.RescaledModel:
			m.Result.Recommended = train.VariantRescaled
		case model.Name == report.Name(m):
			m.Result.Recommended = train.VariantRobust
		}
	}
}

// printResult prints the outcome. It returns an error, which sets the exit code, if the model is not certified.
func (o *trainOptions) printResult(a *app, m *train.Model, e *eval.Evaluation, out *outputDir) error {
	s, err := o.printOutcome(a, m, e, out)
	if a.comm != nil {
		t := a.traffic()
		a.info("ranks %d, rounds %d, %.1f MB per rank, threads %d (ranks on its processors: %d)", a.comm.Size(), t.Rounds,
			float64(t.Bytes)/1e6, runtime.GOMAXPROCS(0), a.beside)
	}
	if err != nil {
		return err
	}
	return o.checkOutcome(m, e, s)
}

// checkOutcome returns an error, which sets the exit code, if the model is not certified or degenerate. e is its
// evaluation, or nil if nothing was measured.
func (o *trainOptions) checkOutcome(m *train.Model, e *eval.Evaluation, s train.Summary) error {
	switch {
	case !s.Certified:
		return uncertifiedError(m, s)
	case e != nil && e.Verdict.Outcome == eval.Degenerate && !o.AllowDegenerate:
		advice := "train with less robustness, --loss huber or --average plain"
		if m.Config.Level.Average == "plain" {
			advice = "use other features, or more hold-out rows (--holdout)"
		}
		return exit.WithCode(exit.Gate, fmt.Errorf("the model is degenerate: %s", strings.Join(s.Warnings, " ")),
			advice+"; --allow-degenerate accepts the model as it is")
	case e == nil && s.ConstantPrediction && !o.AllowDegenerate:
		return exit.WithCode(exit.Gate, errors.New("the model is degenerate: it predicts the same for every training row"),
			"train with less robustness or other features; --allow-degenerate accepts the model as it is")
	}
	return nil
}

// A trainOutcome is what train --json prints: the outcome of the training and the main measures.
type trainOutcome struct {
	train.Summary
	Warnings []string      `json:"warnings"`           // of the table, as leakage, and of the model
	Verdict  *eval.Verdict `json:"verdict,omitempty"`  // absent where nothing was measured
	Measured *measured     `json:"measured,omitempty"` // likewise
}

// A measured holds the measures of the models overall and in their worst groups.
type measured struct {
	Split  eval.Split      `json:"split"` // which rows these are
	Rows   int             `json:"rows"`
	Models []measuredModel `json:"models"`
	// Change is the change of the worst group's risk from the first model to the second.
	Change *eval.Difference `json:"worst_group_change,omitempty"`
}

type measuredModel struct {
	Name       string           `json:"name"`
	Overall    eval.Values      `json:"overall"`
	WorstGroup *eval.WorstGroup `json:"worst_group,omitempty"` // absent without groups
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

// printOutcome prints the summary as text or JSON. e is nil if nothing was measured.
func (o *trainOptions) printOutcome(a *app, m *train.Model, e *eval.Evaluation, out *outputDir) (train.Summary, error) {
	s := m.Summary(out.File(modelFile))
	if e != nil {
		s.Warnings = e.Verdict.Warnings
	}
	if o.JSON {
		return s, show.JSON(a.stdout, outcomeOf(s, e))
	}
	if e == nil || e.Verdict.Outcome != eval.Degenerate || o.AllowDegenerate { // else the error has them
		for _, w := range s.Warnings {
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

// uncertifiedError returns the error of a run that ended before the gap asked for.
func uncertifiedError(m *train.Model, s train.Summary) error {
	err := fmt.Errorf("stopped (%s) after %s %s, before the relative gap of %g was certified; the model was written, "+
		"marked uncertified",
		s.Status, show.Passes(s.Passes), printable.Noun(s.Passes, "pass", "passes"), m.Config.Gap)
	hint := "raise --max-passes or --gap"
	switch {
	case s.Status == "inconsistent":
		hint = "the lower bound exceeds the upper by more than rounding: this is a bug in drotrain; please report it"
	case s.Mu == 0:
		hint = "with --mu 0 a certificate exists only if the data determine every coefficient; set --mu above 0"
	case s.Status == "stalled" && m.Config.Nu != nil && s.LargestWeight() <= 1+1e-12:
		hint = fmt.Sprintf("at --nu %g all weights are equal up to rounding, so the gap cannot be certified; use --average "+
			"plain, which is the same problem, or a smaller --nu", s.Nu)
	case s.Status == "stalled":
		hint = "double precision allows no smaller gap: raise --gap or --mu, or leave out --scale none"
	}
	return exit.WithCode(exit.Limit, err, hint)
}

// reportStopped reports a run that was ended by a signal during or after the training.
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
		return fmt.Errorf("%w; the model was written to %s, but the models to compare it with are not finished", cause,
			out.File(modelFile))
	}
	return exit.WithHint(fmt.Errorf("%w; the model was written to %s, but its report is not finished", cause,
		out.File(modelFile)),
		"write the report with `drotrain eval --trained-on DATA --out report.html`")
}

// printNext prints commands to run next. predict is shown for the recommended model, and left out if there is
// none.
func printNext(w io.Writer, m *train.Model, e *eval.Evaluation, out *outputDir) {
	model, table := printable.QuoteShell(out.File(modelFile)), printable.QuoteShell(nextTable(m.Config.Data))
	first := "next   "
	if e.Verdict.Outcome != eval.Degenerate || m.Result.Recommended == train.VariantERM {
		variant := ""
		if _, standard, _ := m.Variant(""); m.Result.Recommended == train.VariantERM && standard != train.VariantERM {
			variant = " --model-variant erm"
		}
		fmt.Fprintf(w, "%sdrotrain predict --model %s --data %s%s \\\n         --out preds.parquet\n", first, model, table,
			variant)
		first = "       "
	}
	fmt.Fprintf(w, "%sdrotrain eval --model %s --data %s \\\n         --out report.html\n", first, model, table)
}

// nextTable returns the name of a table to score after a training run on data: the next period of an embedded table
// that has one, otherwise a name that stands for a table of the same format.
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
