// Command drotrain trains linear models by distributionally robust optimisation: from a table to a certified model
// and a report.
//
//	drotrain train --data loans.parquet --target deny --groups region,sex
//	drotrain eval --model drotrain-out/model.json --data loans.parquet
//
// Exit codes: 0 if the command succeeded and train certified the requested gap, 1 if the command failed, 2 for a wrong
// command line, 3 if training stopped before reaching the gap (the model is written and marked uncertified), 4 if a
// --fail-if gate or --strict failed, the model is degenerate or verify did not prove the certificate, 129, 130 or 143
// if a signal ended the run, and 141 if nobody reads the output.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/internal/limit"
	"github.com/drotrain/drotrain/internal/ranks/mpi"
	"golang.org/x/term"
)

func main() {
	a := &app{
		stdout:   os.Stdout,
		stderr:   os.Stderr,
		json:     slices.Contains(os.Args, "--json"),
		bold:     term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("TERM") != "dumb",
		terminal: term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("TERM") != "dumb",
		now:      time.Now,
		patience: time.Second,
	}
	// check before any more memory is allocated
	if err := checkAddressSpace(limit.AddressSpaceLeft(), limit.LeastAddressSpace()); err != nil {
		a.printError(err, exit.Failed)
		os.Exit(exit.Failed)
	}
	ctx, stop := exit.WithSignals(context.Background())
	defer stop()
	comm, end, err := mpi.Start(os.Getenv)
	if err != nil {
		if mpi.LauncherOf(os.Getenv).Rank <= 0 { // all ranks would print the same
			fmt.Fprintln(os.Stderr, "drotrain: error:", err)
		}
		os.Exit(exit.Failed)
	}
	limit.LimitHeap()
	a.joinRanks(comm)
	code := a.run(ctx, os.Args[1:])
	if code != exit.OK || !a.endsOnSignal(ctx) {
		stop()
	}
	end(code)
}
