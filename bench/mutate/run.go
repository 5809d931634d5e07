package mutate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Options of a Run.
type Options struct {
	List    string        // mutants of one's own (Own) in place of a draw; "": none
	Rooms   []string      // folders of the repository, with all that is below them
	Only    string        // a part of the path of the files; "": all
	Kinds   []string      // of the mutants drawn; none: all
	N       int           // mutants drawn at random, of which about one in six does not compile
	Seed    uint64        // of the draw
	Beyond  bool          // run the tests of other rooms, too
	Own     bool          // run those of a mutant's package alone
	Jobs    int           // mutants that tests are run on at once; 0: one
	Timeout time.Duration // of the clock, of a test on one mutant; one that runs into it is killed
	Note    func(string)  // hears of tests that fail without a mutant, and are left out, and of what is Known in vain
	Known   []string      // survivors that mean nothing, as Equivalent lists them: drawn, and no test is run on them
	Journal string        // a file of what is decided, with which another run goes on; "": none
}

// A Result is what became of one mutant.
type Result struct {
	Site
	Killed    bool
	By        string // the package and its test that did, or "time"
	Undecided bool   // the run was interrupted before all tests had
	Nothing   bool   // it means nothing (Options.Known)
}

// Run draws mutants and runs the tests on each, in a clone of the last commit of the
// repository at root, or of that of the journal, and tells of every one.
func Run(ctx context.Context, root string, o Options, tell func(Result)) (results []Result, err error) {
	scratch, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	clone := filepath.Join(scratch, "clone", "repository") // alone in its folder
	if _, err := output(ctx, root, nil, "git", "clone", "--quiet", "--local", ".", clone); err != nil {
		return nil, err
	}
	kept, err := openJournal(o.Journal, o)
	if err != nil {
		return nil, err
	}
	if err := kept.checkout(ctx, clone); err != nil {
		return nil, err
	}
	sites, err := draw(ctx, clone, o)
	if err != nil {
		return nil, err
	}
	tests, err := listTests(ctx, clone)
	if err != nil {
		return nil, err
	}
	var left []Site
	for _, s := range sites {
		if s.known {
			results = append(results, Result{Site: s, Nothing: true})
		} else if r, ok := kept.of(s); ok {
			results = append(results, r)
		} else {
			left = append(left, s)
		}
	}
	var unkept error
	for _, m := range together(left) {
		t := &tester{schema: m, options: o, clone: clone, scratch: scratch, tests: tests, kept: kept, binaries: map[string]*binary{}}
		err := t.run(ctx, func(r Result) {
			results = append(results, r)
			tell(r)
			unkept = errors.Join(unkept, kept.add(r, o))
		})
		if err = errors.Join(err, unkept); err != nil {
			return results, err
		}
	}
	return results, nil
}

// together puts all mutants in one schema, but for those that are alone.
func together(sites []Site) (out []*schema) {
	all := &schema{sites: map[int]Site{}}
	for k, s := range sites {
		if s.alone {
			out = append(out, &schema{sites: map[int]Site{k + 1: s}})
		} else {
			all.sites[k+1] = s
		}
	}
	if len(all.sites) > 0 {
		out = append([]*schema{all}, out...)
	}
	return out
}

// draw returns the mutants that tests are run on.
func draw(ctx context.Context, clone string, o Options) ([]Site, error) {
	if o.List != "" {
		return Own(clone, o.List)
	}
	sites, err := list(ctx, clone, o)
	rng := rand.New(rand.NewPCG(o.Seed, 1))
	rng.Shuffle(len(sites), func(i, j int) { sites[i], sites[j] = sites[j], sites[i] })
	return sites[:min(len(sites), o.N)], err
}

// list returns the mutants of all files that are compiled here, but for those of packages
// that only tests use and those of programs that wrote what is in the repository, and is
// tested there.
func list(ctx context.Context, root string, o Options) ([]Site, error) {
	known, there, scanned := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, k := range o.Known {
		known[k] = true
	}
	args := []string{"list", "-f", `{{.Dir}}|{{.Name}}|{{join .GoFiles " "}}`}
	for _, room := range o.Rooms {
		args = append(args, "./"+room+"/...")
	}
	text, err := output(ctx, root, nil, "go", args...)
	if err != nil {
		return nil, err
	}
	var sites []Site
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		if len(fields) != 3 || strings.HasSuffix(fields[1], "test") || strings.HasSuffix(fields[0], "/gen") {
			continue
		}
		dir, err := filepath.Rel(root, fields[0])
		if err != nil {
			return nil, err
		}
		for _, name := range strings.Fields(fields[2]) {
			file := filepath.ToSlash(filepath.Join(dir, name))
			if !strings.Contains(file, o.Only) {
				continue
			}
			of, err := Sites(root, file)
			if err != nil {
				return nil, err
			}
			scanned[file] = true
			for _, s := range of {
				s.dir, s.pkg = filepath.ToSlash(dir), fields[1]
				if s.known = known[s.Equivalent()]; s.known {
					there[s.Equivalent()] = true
				}
				if len(o.Kinds) == 0 || slices.Contains(o.Kinds, s.Kind) {
					sites = append(sites, s)
				}
			}
		}
	}
	for _, k := range o.Known {
		if file, _, _ := strings.Cut(k, " "); scanned[file] && !there[k] && o.Note != nil {
			o.Note("listed in vain, its line has changed: " + k)
		}
	}
	return sites, nil
}

// Equivalent is how a mutant is listed that means nothing: by the text of its line instead
// of its number.
func (s Site) Equivalent() string {
	return fmt.Sprintf("%s %s: %s → %s in %s", s.File, s.Kind, oneLine(s.Old), oneLine(s.New), s.Code)
}

// output runs a program and returns what it wrote, in the error too where it fails.
func output(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), env...)
	c.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Run(); err != nil {
		return out.String(), errors.Join(err, errors.New(out.String()))
	}
	return out.String(), nil
}

// WriteText writes the score by room and by kind, without and with those that mean nothing,
// which no test could notice, and the survivors.
func WriteText(w io.Writer, results []Result) {
	line := func(what string, of func(Result) bool) {
		var killed, all, nothing int
		for _, r := range results {
			switch {
			case !of(r) || r.Undecided:
			case r.Nothing:
				nothing++
			default:
				if all++; r.Killed {
					killed++
				}
			}
		}
		if all+nothing == 0 {
			return
		}
		fmt.Fprintf(w, "%-12s %4d of %4d mutants killed, %3.0f %%", what, killed, all, 100*float64(killed)/float64(max(1, all)))
		if nothing > 0 {
			fmt.Fprintf(w, "; %d of %d, %.0f %%, with those that mean nothing", killed, all+nothing, 100*float64(killed)/float64(all+nothing))
		}
		fmt.Fprintln(w)
	}
	seen := map[string]bool{}
	for _, key := range []func(Result) string{
		func(r Result) string { return strings.SplitN(r.File, "/", 2)[0] },
		func(r Result) string { return r.Kind },
	} {
		for _, r := range results {
			if k := key(r); !seen[k] {
				seen[k] = true
				line(k, func(r Result) bool { return key(r) == k })
			}
		}
	}
	line("all", func(Result) bool { return true })
	for _, r := range results {
		switch {
		case r.Undecided:
			fmt.Fprintln(w, "undecided:", r, "in", r.Code)
		case r.Nothing:
			fmt.Fprintln(w, "means nothing:", r, "in", r.Code)
		case !r.Killed:
			fmt.Fprintln(w, "survived:", r, "in", r.Code)
		}
	}
}
