package mutate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Options of a Run.
type Options struct {
	Rooms   []string      // folders of the repository, with all that is below them
	Only    string        // a part of the path of the files; "": all
	N       int           // mutants that compile, drawn at random
	Seed    uint64        // of the draw
	Timeout time.Duration // of the tests of one mutant; one that runs into it is killed
	Known   []string      // survivors that mean nothing, as Equivalent lists them: not drawn
}

// A Result is what became of one mutant.
type Result struct {
	Site
	Killed bool
	By     string // the package whose tests did, or "time"
}

// Run draws mutants and runs the tests on each, in a clone of the last commit of the
// repository at root, and tells of every one.
func Run(ctx context.Context, root string, o Options, tell func(Result)) ([]Result, error) {
	scratch, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	clone := filepath.Join(scratch, "clone", "repository") // alone in its folder
	if err := command(ctx, root, "git", "clone", "--quiet", "--local", root, clone); err != nil {
		return nil, err
	}
	sites, err := list(clone, o)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(o.Seed, 1))
	rng.Shuffle(len(sites), func(i, j int) { sites[i], sites[j] = sites[j], sites[i] })
	var results []Result
	for _, s := range sites {
		if len(results) == o.N || ctx.Err() != nil {
			break
		}
		r, compiles, err := test(ctx, clone, scratch, s, o.Timeout)
		if err != nil {
			return results, err
		}
		if compiles {
			results = append(results, r)
			tell(r)
		}
	}
	return results, ctx.Err()
}

// list returns the mutants of all files, but for those that are known to mean nothing.
func list(root string, o Options) ([]Site, error) {
	known := map[string]bool{}
	for _, k := range o.Known {
		known[k] = true
	}
	var sites []Site
	for _, room := range o.Rooms {
		err := filepath.WalkDir(filepath.Join(root, room), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				if err == nil && d.Name() == "testdata" {
					return fs.SkipDir
				}
				return err
			}
			name, _ := filepath.Rel(root, path)
			if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || !strings.Contains(name, o.Only) {
				return nil
			}
			of, err := Sites(root, name)
			for _, s := range of {
				if !known[s.Equivalent()] {
					sites = append(sites, s)
				}
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return sites, nil
}

// Equivalent is how a mutant is listed that means nothing: without its line.
func (s Site) Equivalent() string {
	return fmt.Sprintf("%s %s: %s → %s", s.File, s.Kind, oneLine(s.Old), oneLine(s.New))
}

// test runs the tests of the package of a mutant, and where these pass those of its room.
func test(ctx context.Context, clone, scratch string, s Site, limit time.Duration) (r Result, compiles bool, err error) {
	r.Site = s
	original := filepath.Join(clone, s.File)
	source, err := os.ReadFile(original)
	if err != nil {
		return r, false, err
	}
	mutant := filepath.Join(scratch, "mutant.go")
	changed := string(source[:s.From]) + s.New + string(source[s.To:])
	if err := os.WriteFile(mutant, []byte(changed), 0o644); err != nil {
		return r, false, err
	}
	overlay := filepath.Join(scratch, "overlay.json")
	text, _ := json.Marshal(map[string]map[string]string{"Replace": {original: mutant}})
	if err := os.WriteFile(overlay, text, 0o644); err != nil {
		return r, false, err
	}
	own := "./" + filepath.ToSlash(filepath.Dir(s.File))
	if command(ctx, clone, "go", "build", "-overlay", overlay, own) != nil {
		return r, false, ctx.Err()
	}
	room := "./" + strings.SplitN(s.File, "/", 2)[0]
	for _, packages := range []string{own, room + "/..."} {
		within, cancel := context.WithTimeout(ctx, limit)
		err := command(within, clone, "go", "test", "-overlay", overlay, "-vet=off", "-failfast", "-timeout", limit.String(), packages)
		late := within.Err() != nil && ctx.Err() == nil
		cancel()
		if ctx.Err() != nil {
			return r, false, ctx.Err()
		}
		if err != nil {
			r.Killed, r.By = true, packages
			if late || strings.Contains(err.Error(), "test timed out") {
				r.By = "time"
			}
			return r, true, nil
		}
	}
	return r, true, nil
}

// command runs a program and returns its output as the error where it fails.
func command(ctx context.Context, dir, name string, args ...string) error {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	c.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Run(); err != nil {
		return errors.Join(err, errors.New(out.String()))
	}
	return nil
}

// WriteText writes the score by room and by kind, and the survivors.
func WriteText(w io.Writer, results []Result) {
	count := func(of func(Result) bool) (killed, all int) {
		for _, r := range results {
			if of(r) {
				if all++; r.Killed {
					killed++
				}
			}
		}
		return killed, all
	}
	line := func(what string, of func(Result) bool) {
		if killed, all := count(of); all > 0 {
			fmt.Fprintf(w, "%-12s %4d of %4d mutants killed, %3.0f %%\n", what, killed, all, 100*float64(killed)/float64(all))
		}
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
		if !r.Killed {
			fmt.Fprintln(w, "survived:", r)
		}
	}
}
