package main

import (
	"bufio"
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
	"syscall"
	"time"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/internal/limit"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/shard"
	"github.com/drotrain/drotrain/memory"
	"github.com/drotrain/drotrain/train/report"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// An app is one run of the command, with its streams and environment.
type app struct {
	stdout, stderr io.Writer
	rawOut         io.Writer        // standard output for documents and tables, whose text is not escaped
	input          *bufio.Reader    // reader of standard input; nil until it is used
	terminal       bool             // whether stderr is a terminal
	now            func() time.Time // clock of the progress display

	inputs inputFiles // the files that the command reads
	noSums bool       // do not compute the SHA-256 of a table on standard input

	comm       ranks.Comm           // communicator of ranks that train together; nil for a single process
	traffic    func() ranks.Traffic // returns the traffic between these ranks; nil for a single process
	localRanks int                  // number of ranks that share processors with this one, including itself
	rankErrors io.Writer            // receives errors of a rank other than rank 0, which prints nothing else

	patience time.Duration // time for which such a rank waits before it prints an error

	bold        bool // standard output is a terminal that shows bold text
	quiet, json bool
	logFormat   string // format of lines on stderr: options.LogPlain, LogText or LogJSON

	warnings  []string // printed at the end, even if quiet is set
	helpError error    // error of a request for the help of an unknown command

	flags *pflag.FlagSet // flags of the running command; nil if unknown
}

// run executes the command line and returns the exit code.
func (a *app) run(ctx context.Context, args []string) (code int) {
	boundGarbage(maxGarbage) // again, since an earlier run may have stored rows on disk
	out := &checkedWriter{w: a.stdout}
	a.rawOut = out
	text := show.NewPlain(out)
	text.Styled = a.bold && os.Getenv("NO_COLOR") == ""
	a.stdout = text
	defer func() {
		if r := recover(); r != nil {
			code = exit.Failed
			a.printError(internalError(r, panicSite()), code)
		}
	}()

	// settings until the options are parsed
	a.logFormat, a.json = options.LogPlain, slices.Contains(args, "--json")
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
	err = cmp.Or(err, a.helpError)
	if cmd != nil && cmd != root {
		a.flags = cmd.Flags()
	}
	err = toUsageError(err)
	text.Flush()
	if !a.isFollower() { // only the first rank prints warnings
		for _, w := range a.warnings {
			a.log(logWarning, w)
		}
	}
	if errors.Is(out.err, syscall.EPIPE) && (err == nil || errors.Is(err, syscall.EPIPE)) {
		return exit.Pipe // the reader of the output has seen enough
	}
	if err == nil && out.err != nil {
		err = fmt.Errorf("cannot write to standard output: %w", out.err)
	}
	if err == nil {
		return exit.OK
	}
	code = exit.Code(ctx, err)
	a.printError(err, code)
	return code
}

// hasOption reports whether the running command may have the named option.
func (a *app) hasOption(name string) bool { return a.flags == nil || a.flags.Lookup(name) != nil }

// printError writes err to stderr, with its hint if it has one.
func (a *app) printError(err error, code int) {
	msg, hint := exit.DescribeFor(err, a.hasOption)
	msg, hint = nameStandardInput(options.NameOptions(msg)), options.NameOptions(hint)
	if a.isFollower() {
		a.printRankError(msg)
		return
	}
	if a.json || a.logFormat == options.LogJSON {
		l := logLine{Level: logError, Message: printable.EscapeText(msg), Hint: printable.EscapeText(hint), ExitCode: code}
		if a.logFormat == options.LogJSON {
			l.Time = a.time()
		}
		a.logJSON(l)
		return
	}
	if msg != "" {
		a.log(logError, msg)
	}
	if hint != "" {
		a.log(logHint, hint)
	}
}

// A runner runs a command with its settings, the flags that set them, and the arguments.
type runner func(ctx context.Context, s *options.Settings, fs *pflag.FlagSet, args []string) error

// define adds the options of a command to cmd, and returns cmd. When cmd runs, it reads --config and calls run.
func (a *app) define(cmd *cobra.Command, command string, run runner) *cobra.Command {
	s := options.Add(cmd, command)
	if cmd.Args == nil {
		cmd.Args = noArgs
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		defer memory.Catch(&err)
		if s.ConfigFile != "" {
			a.inputs.Add(s.ConfigFile)
			if err := options.ApplyConfig(cmd.Flags(), s.ConfigFile); err != nil {
				return err
			}
		}
		a.quiet, a.json, a.logFormat = s.Quiet, s.JSON, s.LogFormat
		if s.Threads > 0 {
			shard.SetThreads(s.Threads)
		}
		if s.Config.OnDisk && cmd.Flags().Lookup("cache") == nil {
			return exit.Usagef("give a size, as in --memory 400MB", "--memory 0 stores rows on disk, but %s cannot store "+
				"rows on disk",
				command)
		}
		ctx, stop := limit.Guard(cmd.Context(), s.Config.Memory, func(err error) {
			a.printError(err, exit.Failed)
			os.Exit(exit.Failed)
		})
		defer stop()
		return exit.Interruption(ctx, run(ctx, s, cmd.Flags(), args))
	}
	return cmd
}

// longestLine is the maximum length of a message in bytes, since messages may quote input of any length.
const longestLine = 16 << 10

// Kinds of lines on stderr.
const (
	logInfo     = "info"
	logProgress = "progress"
	logNote     = "note"
	logWarning  = "warning"
	logError    = "error"
	logHint     = "hint"
)

// info writes a message about the progress of the run to stderr, unless the run is quiet.
func (a *app) info(format string, args ...any) {
	if !a.quiet {
		a.log(logInfo, fmt.Sprintf(format, args...))
	}
}

// note writes a remark to stderr, unless the run is quiet.
func (a *app) note(format string, args ...any) {
	if !a.quiet {
		a.log(logNote, fmt.Sprintf(format, args...))
	}
}

// warn stores a warning, unless the same text is already stored. Warnings are printed last, even with --quiet.
func (a *app) warn(text string) {
	if !slices.Contains(a.warnings, text) {
		a.warnings = append(a.warnings, text)
	}
}

// log writes a line to stderr: plain, or in text or JSON format with the time and the kind of the line.
func (a *app) log(kind, text string) {
	escape := printable.EscapeLine
	if kind == logError || kind == logHint { // these may have several lines
		escape = printable.EscapeText
	}
	text = printable.ShortenMiddle(escape(nameStandardInput(text)), longestLine)
	switch a.logFormat {
	case options.LogText:
		fmt.Fprintf(a.stderr, "%s %-8s %s\n", a.time(), kind, strings.ReplaceAll(text, "\n", "\n  "))
		return
	case options.LogJSON:
		a.logJSON(logLine{Time: a.time(), Level: kind, Message: text})
		return
	}
	switch kind {
	case logInfo, logProgress:
		text = "drotrain: " + text
	case logHint:
		text = "hint: " + text
	default:
		text = "drotrain: " + kind + ": " + text
	}
	if !a.terminal {
		fmt.Fprintln(a.stderr, text)
		return
	}
	colour := colours[kind]
	if colour == "" || os.Getenv("NO_COLOR") != "" {
		show.Lines(a.stderr, text)
		return
	}
	fmt.Fprint(a.stderr, colour)
	show.Lines(a.stderr, text)
	fmt.Fprint(a.stderr, "\x1b[0m")
}

// nameStandardInput returns a message about the table "-" in which the table is called standard input.
func nameStandardInput(message string) string {
	if rest, ok := strings.CutPrefix(message, stream+": "); ok {
		return "standard input: " + rest
	}
	return message
}

// colours maps kinds of lines to their colours on a terminal.
var colours = map[string]string{logWarning: "\x1b[33m", logError: "\x1b[31m"}

// A logLine is the JSON form of a line on stderr.
type logLine struct {
	Time     string `json:"time,omitempty"`
	Level    string `json:"level"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
	ExitCode int    `json:"exit_code,omitempty"` // exit code of an error
}

func (a *app) logJSON(l logLine) {
	if b, err := json.Marshal(l); err == nil {
		fmt.Fprintf(a.stderr, "%s\n", b)
	}
}

// time returns the time of a line on stderr.
func (a *app) time() string { return a.now().UTC().Format(time.RFC3339) }

func internalError(value any, site string) error {
	return exit.WithHint(fmt.Errorf("internal error%s: %v", site, value),
		"this is a bug in drotrain; please report it, and include the command line and the output of `drotrain version`, "+
			"at "+exit.IssuesURL)
}

// panicSite returns the source line that panicked, as in " in dir/file.go:12", or "".
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

// A checkedWriter records the first error of its writer, so that a full disk behind stdout is detected.
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

// toUsageError returns a usage error for an option that a library rejected.
func toUsageError(err error) error {
	var option *report.OptionError
	if errors.As(err, &option) && option.Option != "" {
		return exit.Usagef(option.Help, "--%s %s", option.Option, option.Msg)
	}
	return err
}

// newProgress returns a display of the progress on stderr, which shows nothing if the run is quiet.
func (a *app) newProgress() *show.Progress {
	line := func(text string) { a.log(logProgress, text) }
	p := show.NewProgress(a.stderr, line, a.terminal && a.logFormat == options.LogPlain, a.now, a.quiet)
	if p != nil && a.logFormat == options.LogJSON { // programs that read the log show progress themselves
		p.Interval = time.Second
	}
	return p
}
