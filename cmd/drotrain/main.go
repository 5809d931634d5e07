// Command drotrain trains linear models that hold up on every group of rows:
// distributionally robust training, from a Parquet file to a certified model
// and a report.
//
//	drotrain train --data loans.parquet --target deny --groups region,sex
//	drotrain report --model drotrain-out/model.json --data loans.parquet
//
// Exit codes: 0 done and certified to the gap asked for, 1 failed, 2 wrong
// command line, 3 stopped at a limit before the gap (the model is written and
// marked uncertified), 4 a --fail-if gate failed, 130 and 143 interrupted.
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
	if e.sig == syscall.SIGTERM {
		return "terminated"
	}
	return "interrupted"
}

// code is the exit status a shell gives a process stopped by the signal.
func (e interrupted) code() int { return 128 + int(e.sig) }

// withSignals returns a context cancelled by the first SIGINT or SIGTERM, with
// an interrupted error as its cause. A second signal ends the process at once.
func withSignals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM)
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
