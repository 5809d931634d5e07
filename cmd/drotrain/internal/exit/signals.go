package exit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/drotrain/drotrain/internal/ranks"
)

// An Interrupted is an error: the cause of a context cancelled by a signal.
type Interrupted struct {
	Signal syscall.Signal
	Rank   int // rank to which the signal was sent, if there are several; 0 for this process
}

func (e Interrupted) Error() string {
	what := "interrupted"
	switch e.Signal {
	case syscall.SIGTERM:
		what = "terminated"
	case syscall.SIGHUP:
		what = "hung up"
	}
	if e.Rank > 0 {
		return fmt.Sprintf("rank %d was %s", e.Rank, what)
	}
	return what
}

// ExitCode returns the exit status that a shell reports for a process stopped by the signal.
func (e Interrupted) ExitCode() int { return 128 + int(e.Signal) }

// StoppedElsewhere returns the interruption of another rank reported by err, or nil.
func StoppedElsewhere(err error) error {
	var stopped *ranks.StoppedError
	if !errors.As(err, &stopped) || stopped.Err != nil {
		return nil
	}
	if stopped.Code <= 128 {
		return stopped
	}
	return Interrupted{syscall.Signal(stopped.Code - 128), stopped.Rank}
}

// WithSignals returns a context that is cancelled by the first SIGINT, SIGTERM or SIGHUP, with an Interrupted error
// as its cause. A second signal ends the process. SIGHUP remains ignored under nohup. SIGPIPE becomes an error of
// the write that caused it, so that the model is still saved.
func WithSignals(parent context.Context) (context.Context, func()) {
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
			cancel(Interrupted{Signal: sig})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(ch)
		cancel(nil)
	}
}

// Interruption replaces the error of a context cancelled by a signal by the Interrupted error.
func Interruption(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, context.Canceled) {
		return cause
	}
	return err
}
