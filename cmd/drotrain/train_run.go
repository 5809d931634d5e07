package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/page"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/report"
)

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

// runFrom trains, writes the files and prints the outcome. It continues from the checkpoint if there is one.
func (o *trainOptions) runFrom(ctx context.Context, a *app, fs *pflag.FlagSet) error {
	if err := o.prepare(a, fs); err != nil {
		return err
	}
	mayCrossfit := o.mayCrossfit(a)
	ctx = ranks.NewContext(ctx, a.comm)
	if a.comm != nil && o.hasNoHoldout() && o.Report != options.ReportNone {
		o.Report = options.ReportNone
		a.warn("no report is written: there are no hold-out rows, and several ranks cannot evaluate on training rows")
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
	out, err := o.openOutput(a)
	if err != nil {
		return err
	}
	defer out.Close()
	opt.Command = options.CommandLine("train", fs, "data", "target", "groups")
	err = o.trainAndReport(ctx, a, out, opt, mayCrossfit)
	var few *train.CrossfitError
	if mayCrossfit && errors.As(err, &few) { // a group or a class has too few rows to be divided into five folds
		if err := o.holdOutInstead(a, few); err != nil {
			return err
		}
		err = o.trainAndReport(ctx, a, out, opt, false)
	}
	return err
}

// mayCrossfit reports whether a small table may be cross-fitted. The user must not have requested another way of
// measuring, and the rows must be in the memory of one process.
func (o *trainOptions) mayCrossfit(a *app) bool {
	return o.Evaluate == options.Auto && o.Report == options.ReportFull && o.Resamples != "0" && a.comm == nil &&
		o.Config.Memory == 0
}

// hasNoHoldout reports whether the run holds out no rows.
func (o *trainOptions) hasNoHoldout() bool {
	c := &o.Config
	return c.Holdout == 0 && c.HoldoutData+c.Split+c.GroupHoldout+c.Time == ""
}

// openOutput opens the output directory.
func (o *trainOptions) openOutput(a *app) (*outputDir, error) {
	out, err := a.inputs.OpenDir(o.Out, o.Force || o.Resume)
	if err != nil {
		if _, missing := os.Stat(filepath.Join(o.Out, checkpointFile)); missing == nil && !o.Force && !o.Resume {
			err = exit.WithHint(err, "the directory holds an interrupted run: continue that run with --resume, or start "+
				"again with --force")
		}
		return nil, err
	}
	return out, nil
}

// holdOutInstead makes the run hold out rows because the table has too few rows to be cross-fitted, and removes the
// checkpoint of the training run that cannot be measured.
func (o *trainOptions) holdOutInstead(a *app, few *train.CrossfitError) error {
	a.note("%v; instead, 20 %% of the rows are held out (--holdout 0.2)", few)
	if j := o.Config.Checkpoint; j != nil {
		if err := j.Remove(); err != nil {
			return err
		}
		o.Config.Checkpoint = nil
	}
	o.Config.Evaluate, o.Config.Holdout = train.EvaluateHoldout, train.DefaultConfig().Holdout
	return nil
}

// trainAndReport trains, writes the files and prints the outcome. A small table is cross-fitted if mayCrossfit is set.
func (o *trainOptions) trainAndReport(
	ctx context.Context, a *app, out *outputDir, opt report.Options, mayCrossfit bool,
) error {
	p := a.newProgress()
	defer p.Finish()
	m, stopped := o.fit(ctx, a, out, p, mayCrossfit)
	p.Finish()
	if elsewhere := exit.StoppedElsewhere(stopped); elsewhere != nil {
		ended, stop := context.WithCancelCause(ctx)
		stop(elsewhere)
		ctx = ended
	}
	if m == nil {
		return o.noModelError(ctx, stopped)
	}
	p.Begin("writing the model")
	if err := writeModel(m, out); err != nil {
		return err
	}
	p.Finish() // end the progress display before notes are printed
	o.printNotes(a, m.Notes, m.Findings, m.Run.Frame)
	if stopped != nil {
		return o.reportStopped(ctx, a, m, out, stopped)
	}
	var e *eval.Evaluation
	if o.Report != options.ReportNone {
		opt.Observe = p.ObserveEvaluation
		var err error
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

// fit reads the table and trains a model, and shows the progress on stderr. The model is nil if none was trained,
// and unfinished if there is an error.
func (o *trainOptions) fit(
	ctx context.Context, a *app, out *outputDir, p *show.Progress, mayCrossfit bool,
) (*train.Model, error) {
	cfg := o.Config
	cfg.Observe = p.Observe
	if o.Verbose {
		cfg.Logf = func(format string, args ...any) { a.info("solver: "+format, args...) }
	}
	o.setCache(a, &cfg)
	ctx = p.Watch(ctx)
	p.Begin(show.Reading)
	frame, err := cfg.OpenData(ctx, a.openTable)
	if err != nil {
		return nil, err
	}
	a.noteUnusedReading(frame, cfg.Reading)
	if mayCrossfit && frame.Rows < train.CrossfitBelow && cfg.ValidationData+cfg.ValidationSplit == "" {
		cfg.Evaluate, cfg.Holdout = train.EvaluateCrossfit, 0
	}
	if out != nil {
		if err := out.MayWrite(modelFile, metricsFile, reportFile); err != nil {
			return nil, err
		}
	}
	for _, path := range []string{o.WeightsOut, o.Proof} {
		if err := a.inputs.MayWrite(path); err != nil {
			return nil, err
		}
	}
	p.Begin(show.Encoding)
	cfg.KeepRows, cfg.KeepProof = true, o.Proof != "" // the report reads the rows
	return train.FitFrame(ctx, frame, cfg)
}

// setCache sets the directory for rows that do not fit into memory, which is --out unless --cache is given, and the
// function that announces that rows are stored there.
func (o *trainOptions) setCache(a *app, cfg *train.Config) {
	if cfg.Cache == "" && o.Out != stream {
		cfg.Cache = o.Out
	}
	cfg.Announce = a.announceDisk()
}

// noModelError returns the error of a run that ended before a model was trained: err, or the signal that ended it.
func (o *trainOptions) noModelError(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if cause == nil {
		return err
	}
	if err = fmt.Errorf("%w before a model was trained", cause); !o.Config.Checkpoint.HasParts() {
		err = fmt.Errorf("%w: no output was written", err)
	}
	return err
}

// writeModel writes the model into the output directory.
func writeModel(m *train.Model, out *outputDir) error {
	return out.Write(modelFile, func(w io.Writer) error { _, err := m.WriteTo(w); return err })
}

// writeResults measures the model on the hold-out rows, out of fold or, if there are no hold-out rows, on the training
// rows. It writes the metrics, the page and, unless the report is fast, the figures, and writes the model again with
// the results.
func (o *trainOptions) writeResults(
	ctx context.Context, m *train.Model, out *outputDir, opt report.Options, p *show.Progress,
) (*eval.Evaluation, error) {
	p.Begin("measuring") // reading the rows is the first step
	measured, err := report.Measure(ctx, m, opt)
	if err != nil {
		return nil, err
	}
	e := measured.Evaluation
	recordRecommendation(m, e)
	if m.Reference, err = json.Marshal(eval.NewReference(e)); err != nil {
		return nil, err
	}
	if err := writeModel(m, out); err != nil {
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
