package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/drotrain/drotrain/internal/printable"
)

// An app is one run of the command: its streams and its view of the world.
type app struct {
	stdout, stderr io.Writer
	terminal       bool             // stderr is a terminal
	now            func() time.Time // the clock of the progress display

	inputs []input // files that are read
}

// run executes the command line and returns the exit code.
func (a *app) run(ctx context.Context, args []string) (code int) {
	out := &checkedWriter{w: a.stdout}
	text := &plainWriter{w: out}
	a.stdout = text
	defer func() {
		if r := recover(); r != nil {
			code = exitFailed
			a.printError(internalError(r, panicSite()))
		}
	}()

	root := newRoot(a)
	root.SetArgs(args)
	err := asUsage(root.ExecuteContext(ctx))
	text.flush()
	if err == nil && errors.Is(out.err, syscall.EPIPE) {
		return exitPipe // whoever read has seen enough
	}
	if err == nil && out.err != nil {
		err = fmt.Errorf("cannot write to standard output: %w", out.err)
	}
	if err == nil {
		return exitOK
	}
	code = exitCode(ctx, err)
	a.printError(err)
	return code
}

// printError writes err to stderr, with its hint if it has one.
func (a *app) printError(err error) {
	msg, hint := describe(err)
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

// line writes one line to stderr, folded at spaces on a terminal.
func (a *app) line(s string) {
	s = printable.Text(s)
	if a.terminal {
		printWrapped(a.stderr, "", s)
		return
	}
	fmt.Fprintln(a.stderr, s)
}

func internalError(value any, site string) error {
	return withHint(fmt.Errorf("internal error%s: %v", site, value),
		"this is a bug in drotrain; please report it, with the command line and the output of `drotrain version`, at "+issuesURL)
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
