package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/sys/cpu"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/ranks/gather"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/report"
)

// A training run can be distributed over several ranks, each of which runs this program with the same options. Rank 0
// writes the files and prints the outcome; the other ranks only print errors of their own.

// joinRanks sets the communicator of several ranks.
func (a *app) joinRanks(c ranks.Comm) {
	if _, alone := c.(ranks.One); alone {
		return
	}
	a.comm, a.traffic = ranks.CountTraffic(c)
	if a.isFollower() {
		a.rankErrors, a.stdout, a.stderr, a.terminal = a.stderr, io.Discard, io.Discard, false
	}
}

// isFollower reports whether another rank writes the results.
func (a *app) isFollower() bool { return a.comm != nil && a.comm.Rank() > 0 }

// printRankError prints an error of this rank after a delay. If all ranks have the error, rank 0 prints it and ends
// the others before that.
func (a *app) printRankError(msg string) {
	time.Sleep(a.patience)
	fmt.Fprintf(a.rankErrors, "drotrain: error: rank %d: %s\n", a.comm.Rank(), msg)
}

// endsOnSignal arranges that a signal ends all ranks if this rank still waits for rank 0. It reports whether it has
// done so.
func (a *app) endsOnSignal(ctx context.Context) bool {
	if !a.isFollower() || ctx.Err() != nil {
		return false
	}
	context.AfterFunc(ctx, func() {
		err := wrapInterruption(ctx, ctx.Err(), "rank 0 had finished")
		a.printRankError(err.Error())
		a.comm.Abort(exit.Code(ctx, err))
	})
	return true
}

// checkOneRank returns an error for commands that do not support several ranks.
func (a *app) checkOneRank(command string) error {
	if a.comm == nil || a.comm.Size() == 1 || command == "train" {
		return nil
	}
	return exit.Usagef("run the command without the MPI launcher", "%s cannot run in %d processes: only train supports "+
		"several processes", command,
		a.comm.Size())
}

// A rankState holds what must be equal on all ranks, and the processors of the rank.
type rankState struct{ Version, Machine, Options, Checkpoint, Processors string }

// agreeOnOptions returns an error if the options, versions, kinds of processors or checkpoints of ranks differ.
// Otherwise it divides the processors of a machine among its ranks, unless the number of threads is set. It is a
// collective call.
func (a *app) agreeOnOptions(o *trainOptions, fs *pflag.FlagSet) error {
	if a.comm == nil {
		return nil
	}
	own := rankState{Version: train.Version(), Machine: machine(), Processors: processors()}
	fs.VisitAll(func(f *pflag.Flag) {
		if f.Changed && options.MustMatchOnResume(f) {
			own.Options += fmt.Sprintf("--%s %s ", f.Name, f.Value.String())
		}
	})
	if o.Resume {
		b, err := os.ReadFile(filepath.Join(o.Out, checkpointFile))
		if err != nil {
			return err
		}
		sum := sha256.Sum256(b)
		own.Checkpoint = hex.EncodeToString(sum[:6])
	}
	localIndex, localRanks, err := own.compareRanks(a.comm)
	if err == nil && o.Threads == 0 && os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(shareProcessors(runtime.GOMAXPROCS(0), localIndex, localRanks))
	}
	a.localRanks = localRanks
	return err
}

// shareProcessors returns the number of processors for one of localRanks ranks that share them, given by its index; it
// is at least one.
func shareProcessors(processors, localIndex, localRanks int) int {
	return max(1, (processors+localRanks-1-localIndex)/localRanks)
}

// compareRanks returns an error if the states of ranks differ. Otherwise it returns the index of this rank among
// those on the same processors, and their number. It is a collective call.
func (own rankState) compareRanks(c ranks.Comm) (localIndex, localRanks int, err error) {
	all, err := gather.Values(c, own)
	if err != nil {
		return 0, 0, err
	}
	first := all[0]
	for r, is := range all {
		if is.Processors == own.Processors {
			if localRanks++; r < c.Rank() {
				localIndex++
			}
		}
		for _, f := range []struct{ what, was, is string }{
			{"runs a different version", first.Version, is.Version},
			{"runs on a different kind of processor", first.Machine, is.Machine},
			{"was given different options", first.Options, is.Options},
			{"sees a different checkpoint", first.Checkpoint, is.Checkpoint},
		} {
			if f.was != f.is {
				return 0, 0, exit.WithHint(fmt.Errorf("rank %d %s (%s) from rank 0 (%s)", r, f.what, f.is, f.was),
					"run the same program with the same options and files on all ranks")
			}
		}
	}
	return localIndex, localRanks, nil
}

// processors identifies the host and the processors that this process may use.
func processors() string {
	host, _ := os.Hostname()
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // where there is one
	status, _ := os.ReadFile("/proc/self/status")
	_, allowed, _ := strings.Cut(string(status), "Cpus_allowed_list:")
	allowed, _, _ = strings.Cut(allowed, "\n")
	return fmt.Sprintf("%s %s %s", host, strings.TrimSpace(string(boot)), strings.TrimSpace(allowed))
}

// machine describes the properties of the machine on which results of arithmetic depend.
func machine() string {
	return fmt.Sprintf("%s, AVX2 %v, FMA %v", runtime.GOARCH, cpu.X86.HasAVX2, cpu.X86.HasFMA)
}

// follow takes part in the training and evaluation led by rank 0, without writing results.
func (o *trainOptions) follow(ctx context.Context, a *app, opt report.Options) error {
	m, err := o.fit(ctx, a, nil, nil, false)
	var stopped *ranks.StoppedError
	switch {
	case errors.As(err, &stopped), m != nil && err != nil:
		return nil // all ranks have stopped; rank 0 ends them once it has written the files
	case err != nil:
		return wrapInterruption(ctx, err, "a model was trained")
	case o.Report == options.ReportNone:
		return nil
	}
	_, err = report.Measure(ctx, m, opt)
	return wrapInterruption(ctx, cmp.Or(err, ctx.Err()), "the report was finished")
}

// wrapInterruption returns an error that states before which step the run was interrupted if err is due to the
// cancelled context ctx, and err otherwise.
func wrapInterruption(ctx context.Context, err error, step string) error {
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w before %s", cause, step)
	}
	return err
}
