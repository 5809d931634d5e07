// Command drotrain trains linear models that hold up on every group of rows:
// distributionally robust training, from a Parquet file to a certified model
// and a report.
//
//	drotrain train --data loans.parquet --target deny --groups region,sex
//	drotrain report --model drotrain-out/model.json --data loans.parquet
//
// Exit codes: 0 done and certified to the gap asked for, 1 failed, 2 wrong
// command line, 3 stopped at a limit before the gap (the model is written and
// marked uncertified), 4 a --fail-if gate failed, 129, 130 and 143 interrupted.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"
)

func main() {
	ctx, stop := withSignals(context.Background())
	defer stop()
	a := &app{
		stdout:   os.Stdout,
		stderr:   os.Stderr,
		terminal: term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("TERM") != "dumb",
		now:      time.Now,
	}
	code := a.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// An interrupted error is the cause of a context cancelled by a signal.
type interrupted struct{ sig syscall.Signal }

func (e interrupted) Error() string {
	switch e.sig {
	case syscall.SIGTERM:
		return "terminated"
	case syscall.SIGHUP:
		return "hung up"
	}
	return "interrupted"
}

// code is the exit status a shell gives a process stopped by the signal.
func (e interrupted) code() int { return 128 + int(e.sig) }

// withSignals returns a context cancelled by the first SIGINT, SIGTERM or SIGHUP,
// with an interrupted error as its cause. A second signal ends the process at once.
// SIGHUP stays ignored where it is (nohup). A reader of the output that goes away is
// an error of the writing, not the end of the process: what is being trained is
// still saved.
func withSignals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(ch, syscall.SIGHUP)
	}
	signal.Ignore(syscall.SIGPIPE)
	go func() {
		select {
		case s := <-ch:
			signal.Stop(ch)
			sig, ok := s.(syscall.Signal)
			if !ok {
				sig = syscall.SIGINT
			}
			cancel(interrupted{sig})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(ch)
		cancel(nil)
	}
}
