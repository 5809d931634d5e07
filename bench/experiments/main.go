// Command experiments runs the experiments on which decisions of this project are based, and writes the results:
//
//	go -C bench run ./experiments            lists them
//	go -C bench run ./experiments NAME -h    explains one
//
// Each experiment is a file in this folder that registers itself; code shared by several experiments is in a
// package below bench/. To add an experiment, copy theory.go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// An experiment is a subcommand. Its function run defines flags on fs, parses args, prints results to standard
// output, and notes to standard error.
type experiment struct {
	about string // one line
	run   func(ctx context.Context, fs *flag.FlagSet, args []string) error
}

var experiments = map[string]experiment{}

// register adds an experiment. The file that contains the experiment calls it from init.
func register(name, about string, run func(context.Context, *flag.FlagSet, []string) error) {
	if _, taken := experiments[name]; taken {
		panic("two experiments are called " + name)
	}
	experiments[name] = experiment{about, run}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stderr))
}

// run returns the exit code: 0 for success, 1 for a failure, 2 for a wrong command line.
func run(ctx context.Context, args []string, stderr io.Writer) int {
	if len(args) == 0 {
		list(stderr)
		return 2
	}
	e, ok := experiments[args[0]]
	if !ok {
		fmt.Fprintf(stderr, "experiments: there is no experiment %q\n", args[0])
		list(stderr)
		return 2
	}
	fs := flag.NewFlagSet(args[0], flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprintf(stderr, "%s: %s\n", args[0], e.about)
		fs.PrintDefaults()
	}
	err := e.run(ctx, fs, args[1:])
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		return 2
	}
	fmt.Fprintf(stderr, "experiments: %s: %v\n", args[0], err)
	return 1
}

// errUsage reports a wrong command line whose message has been printed.
var errUsage = errors.New("wrong command line")

// parse parses args, all of which must be flags.
func parse(fs *flag.FlagSet, args []string) error {
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return errUsage
	}
	if fs.NArg() > 0 {
		fmt.Fprintf(fs.Output(), "%s: unexpected argument %q\n", fs.Name(), fs.Arg(0))
		return errUsage
	}
	return nil
}

func list(w io.Writer) {
	var names []string
	for name := range experiments {
		names = append(names, name)
	}
	slices.Sort(names)
	fmt.Fprintln(w, "usage: go -C bench run ./experiments NAME [flags]")
	for _, name := range names {
		fmt.Fprintf(w, "  %-10s %s\n", name, experiments[name].about)
	}
}

// logStep prints the current step to standard error.
func logStep(what string) { fmt.Fprintln(os.Stderr, what) }
