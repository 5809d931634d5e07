package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/output"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/train/report"
)

// An app is one run of the command: its streams and its view of the world.
type app struct {
	stdout, stderr io.Writer
	terminal       bool             // stderr is a terminal
	now            func() time.Time // the clock of the progress display

	inputs output.Inputs // files that are read

	comm    ranks.Comm           // the ranks that train together; nil: this process alone
	traffic func() ranks.Traffic // between them
	beside  int                  // of them, ranks on the processors of this one, itself among them
	faults  io.Writer            // of the errors of a rank that is not the first, which says nothing else

	patience time.Duration // what such a rank waits before it says what is wrong

	warnings []string // that are told at the end, whatever is quiet

	hasOption func(name string) bool // of the command that runs; nil: not known
}

// run executes the command line and returns the exit code.
func (a *app) run(ctx context.Context, args []string) (code int) {
	out := &checkedWriter{w: a.stdout}
	text := show.NewPlain(out)
	a.stdout = text
	defer func() {
		if r := recover(); r != nil {
			code = exit.Failed
			a.printError(internalError(r, panicSite()))
		}
	}()

	root := newRoot(a)
	root.SetArgs(args)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, _ error) error {
		_, flags, _ := root.Find(args) // it was found
		if cmd.HasSubCommands() && len(flags) > 0 && !strings.HasPrefix(flags[0], "-") {
			return unknownCommand(cmd, flags[0])
		}
		return options.FlagErrors(cmd.Flags(), flags)
	})
	cmd, err := root.ExecuteContextC(ctx)
	if cmd != nil && cmd != root {
		a.hasOption = func(name string) bool { return cmd.Flags().Lookup(name) != nil }
	}
	err = asUsage(err)
	text.Flush()
	for _, w := range a.warnings {
		if a.follows() {
			break // the first rank tells them
		}
		a.line("drotrain: warning: " + w)
	}
	if err == nil && errors.Is(out.err, syscall.EPIPE) {
		return exit.Pipe // whoever read has seen enough
	}
	if err == nil && out.err != nil {
		err = fmt.Errorf("cannot write to standard output: %w", out.err)
	}
	if err == nil {
		return exit.OK
	}
	code = exit.Code(ctx, err)
	a.printError(err)
	return code
}

// printError writes err to stderr, with its hint if it has one.
func (a *app) printError(err error) {
	msg, hint := exit.DescribeFor(err, a.hasOption)
	if a.follows() {
		a.complain(msg)
		return
	}
	if msg != "" {
		a.line("drotrain: error: " + msg)
	}
	if hint != "" {
		a.line("hint: " + hint)
	}
}

// note writes a remark to stderr.
func (a *app) note(format string, args ...any) {
	a.line("drotrain: " + fmt.Sprintf(format, args...))
}

// warn keeps a warning, which the user is told last and also under --quiet.
func (a *app) warn(text string) {
	if !slices.Contains(a.warnings, text) {
		a.warnings = append(a.warnings, text)
	}
}

// line writes one line to stderr, folded at spaces on a terminal.
func (a *app) line(s string) {
	s = printable.Text(s)
	if a.terminal {
		show.Wrapped(a.stderr, "", s)
		return
	}
	fmt.Fprintln(a.stderr, s)
}

func internalError(value any, site string) error {
	return exit.WithHint(fmt.Errorf("internal error%s: %v", site, value),
		"this is a bug in drotrain; please report it, with the command line and the output of `drotrain version`, at "+exit.IssuesURL)
}

// panicSite names the line that panicked, " in dir/file.go:12", or nothing.
func panicSite() string {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for seen := false; ; {
		f, more := frames.Next()
		if seen && !strings.HasPrefix(f.Function, "runtime.") {
			dir, file := filepath.Split(f.File)
			return fmt.Sprintf(" in %s/%s:%d", filepath.Base(dir), file, f.Line)
		}
		seen = seen || f.Function == "runtime.gopanic"
		if !more {
			return ""
		}
	}
}

// A checkedWriter remembers the first error of its writer, so that a full disk
// behind stdout is not taken for success.
type checkedWriter struct {
	w   io.Writer
	err error
}

func (c *checkedWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	if err != nil && c.err == nil {
		c.err = err
	}
	return n, err
}

// asUsage turns an option that a library refused into a wrong command line.
func asUsage(err error) error {
	var option *report.OptionError
	if errors.As(err, &option) && option.Option != "" {
		return exit.Usagef(option.Help, "--%s %s", option.Option, option.Msg)
	}
	return err
}

// newProgress shows the progress on stderr, or nothing if quiet.
func (a *app) newProgress(quiet bool) *show.Progress {
	return show.NewProgress(a.stderr, a.terminal, a.now, quiet)
}
