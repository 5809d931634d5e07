package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/drotrain/drotrain/bench/mutate"
)

func init() {
	register("mutate", "changes the code and sees whether the tests of a clone notice", mutants)
}

//go:embed equivalent.txt
var equivalent string

func mutants(ctx context.Context, fs *flag.FlagSet, args []string) error {
	rooms := fs.String("rooms", "dro,losses,data,eval,train,design,internal/kernel", "folders to draw from")
	only := fs.String("only", "", "a part of the path of the files to draw from")
	kinds := fs.String("kinds", "", "of the mutants, as condition,boundary,arithmetic,constant,statement; empty: all")
	n := fs.Int("n", 40, "mutants to draw: one in six does not compile and does not count")
	beyond := fs.Bool("beyond", false, "run the tests of all packages that use a mutant's, too: what go test ./... notices")
	jobs := fs.Int("jobs", 1, "mutants that tests are run on at once")
	own := fs.Bool("own", false, "run the tests of a mutant's package alone: soon done, and a lower bound of the score")
	kept := fs.String("journal", "", "a file of what is decided: another run of the same draw goes on with it, at its commit, the survivors of -own against the tests of their rooms")
	seed := fs.Uint64("seed", 1, "of the draw")
	limit := fs.Duration("timeout", 20*time.Minute, "of the tests of a package on one mutant; one that takes longer is killed")
	root := fs.String("root", ".", "the repository, of which the last commit is tested")
	hand := fs.Bool("hand", false, "only the mutants found by hand: those whose name holds -only")
	list := fs.String("list", "", "a file of mutants of your own in place of a draw, \"dro/solve.go:12 old → new\" a line")
	if err := parse(fs, args); err != nil {
		return err
	}
	var mine []byte
	if *list != "" {
		var err error
		if mine, err = os.ReadFile(*list); err != nil {
			return err
		}
	}
	if *hand {
		left := 0
		err := mutate.RunHand(ctx, *root, *only, func(n mutate.Named, killed bool, err error) {
			switch {
			case err != nil:
				left++
				fmt.Printf("out of date: %s: %v\n", n.What, err)
			case !killed:
				left++
				fmt.Printf("survived: %s (%s)\n", n.What, n.Test)
			default:
				fmt.Printf("killed: %s (%s)\n", n.What, n.Test)
			}
		})
		if err == nil && left > 0 {
			err = fmt.Errorf("%d are not killed", left)
		}
		return err
	}
	results, err := mutate.Run(ctx, *root, mutate.Options{
		List: string(mine), Rooms: strings.Split(*rooms, ","), Only: *only, Kinds: strings.FieldsFunc(*kinds, func(r rune) bool { return r == ',' }), N: *n, Seed: *seed, Beyond: *beyond, Own: *own, Jobs: *jobs, Timeout: *limit, Known: known(), Journal: *kept,
		Note: func(text string) { fmt.Fprintln(os.Stderr, text) },
	}, func(r mutate.Result) {
		verdict := "survived"
		switch {
		case r.Undecided:
			verdict = "undecided"
		case r.Killed:
			verdict = "killed by " + r.By
		}
		fmt.Fprintf(os.Stderr, "%s: %s\n", verdict, r)
	})
	mutate.WriteText(os.Stdout, results)
	return err
}

// known lists the mutants of equivalent.txt, which mean nothing: one a line, the reasons
// in lines that begin with #.
func known() (lines []string) {
	for line := range strings.Lines(equivalent) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}
