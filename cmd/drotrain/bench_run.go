package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/internal/methods"
	"github.com/drotrain/drotrain/internal/shard"
)

// benchMethods holds the options of `drotrain bench methods`.
type benchMethods struct{ trainOptions }

func (o *benchMethods) run(ctx context.Context, a *app, fs *pflag.FlagSet) error {
	if o.Config.Data == "" {
		o.Config.Data = "builtin:hmda"
	}
	if err := o.chooseData(a, fs); err != nil {
		return err
	}
	if o.Threads > 0 {
		shard.SetThreads(o.Threads)
	}
	out, err := a.inputs.OpenDir(o.Out, o.Force)
	if err != nil {
		return err
	}
	defer out.Close()
	frame, err := o.Config.OpenData(ctx, a.openTable)
	if err != nil {
		return err
	}
	cfg := o.Config
	problem, info, err := methods.NewProblem(ctx, frame, cfg)
	if err != nil {
		return err
	}
	r, err := methods.Compare(ctx, problem, info, methods.CompareOptions{
		Gap: cfg.Gap, MaxPasses: cfg.MaxPasses, Seed: cfg.Seed, Progress: o.progress(a)})
	if err != nil {
		return exit.Interruption(ctx, err)
	}
	return o.printResult(ctx, a, out, "bench-methods.json", r, r.WriteText, r.Figures())
}

// progress returns a function that reports the current step on stderr.
func (o *benchMethods) progress(a *app) func(string) {
	return func(what string) { a.info("running %s", what) }
}

// printResult writes the JSON and the figures, and prints the table or the JSON.
func (o *benchMethods) printResult(ctx context.Context, a *app, out *outputDir, name string, report any, text func(io.Writer), figures []methods.Figure) error {
	if err := out.Write(name, func(w io.Writer) error { return show.JSON(w, report) }); err != nil {
		return err
	}
	for _, f := range figures {
		for _, format := range []struct {
			ext    string
			render func() ([]byte, error)
		}{{".svg", f.SVG}, {".png", f.PNG}} {
			if err := ctx.Err(); err != nil {
				return exit.Interruption(ctx, err)
			}
			b, err := format.render()
			if err != nil {
				return err
			}
			if err := out.Write(f.Name+format.ext, func(w io.Writer) error { _, err := w.Write(b); return err }); err != nil {
				return err
			}
		}
	}
	if o.JSON {
		return show.JSON(a.stdout, report)
	}
	text(a.stdout)
	fmt.Fprintln(a.stdout)
	for _, f := range out.Files() {
		fmt.Fprintf(a.stdout, "wrote  %s\n", out.File(f))
	}
	return nil
}
