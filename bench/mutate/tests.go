package mutate

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// listTests returns for every package with tests what their binary is made of.
func listTests(ctx context.Context, root string) (map[string]map[string]bool, error) {
	text, err := output(ctx, root, nil, "go", "list", "-test", "-f", `{{.ImportPath}}|{{join .Deps " "}}`, "./...")
	if err != nil {
		return nil, err
	}
	tests := map[string]map[string]bool{}
	for line := range strings.Lines(text) {
		path, deps, _ := strings.Cut(strings.TrimSpace(line), "|")
		if path, is := strings.CutSuffix(path, ".test"); is {
			tests[path] = map[string]bool{}
			for _, d := range strings.Fields(deps) {
				tests[path][d] = true
			}
		}
	}
	return tests, nil
}

// A tester runs tests on the mutants of a schema.
type tester struct {
	*schema
	options        Options
	clone, scratch string
	tests          map[string]map[string]bool
	overlaid       string
}

// A binary is the tests of one package.
type binary struct {
	dir, path string // below the clone; of the file, "" for none
	tests     []oneTest
}

// A oneTest is one of them, and what it did without a mutant; no name: all of them, with
// the mutant already in.
type oneTest struct {
	name    string
	reached map[int]bool
	took    time.Duration
}

// run compiles the schema and tells of every mutant that does.
func (t *tester) run(ctx context.Context, tell func(Result)) error {
	for range 20 {
		var err error
		if t.overlaid, err = t.overlay(t.clone, t.scratch); err != nil {
			return err
		}
		messages, err := output(ctx, t.clone, nil, "go", "build", "-gcflags=-e", "-overlay", t.overlaid, "./"+t.dir)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			break
		}
		if !t.dropFailing(messages) {
			if len(t.sites) > 1 {
				return fmt.Errorf("the mutants of %s do not compile: %s", t.dir, messages)
			}
			return nil
		}
	}
	left := slices.Sorted(maps.Keys(t.sites))
	defer func() {
		for _, id := range left { // of a run that is interrupted too
			tell(Result{Site: t.sites[id], Undecided: ctx.Err() != nil})
		}
	}()
	for k, dir := range t.packages() {
		if len(left) == 0 {
			return nil
		}
		b, err := t.build(ctx, dir, k)
		if err != nil {
			return err
		}
		var next []int
		for k, id := range left {
			by, err := t.killer(ctx, b, id)
			if err != nil {
				left = append(next, left[k:]...)
				return err
			}
			if by != "" {
				tell(Result{Site: t.sites[id], Killed: true, By: by})
			} else {
				next = append(next, id)
			}
		}
		left = next
	}
	return nil
}

// packages are those whose tests may notice: the mutated one's, those of its room, and
// those beyond, but for commands and experiments.
func (t *tester) packages() (dirs []string) {
	const module = "github.com/drotrain/drotrain/"
	room, _, _ := strings.Cut(t.dir, "/")
	own := module + t.dir
	rank := func(dir string) int {
		switch {
		case dir == t.dir:
			return 0
		case strings.HasPrefix(dir+"/", room+"/"):
			return 1
		}
		return 2
	}
	for path, deps := range t.tests {
		dir := strings.TrimPrefix(path, module)
		if path != own && !deps[own] {
			continue
		}
		if top, _, _ := strings.Cut(dir, "/"); rank(dir) == 2 && (!t.options.Beyond || top == "cmd" || top == "bench" || top == "notebooks-go" || top == "release") {
			continue
		}
		dirs = append(dirs, dir)
	}
	slices.SortFunc(dirs, func(a, b string) int {
		if ra, rb := rank(a), rank(b); ra != rb {
			return ra - rb
		}
		return len(t.tests[module+a]) - len(t.tests[module+b])
	})
	return dirs
}

// build makes the tests of a package and runs each without a mutant: the quickest of those
// that reach a function are the first to be run on its mutants.
func (t *tester) build(ctx context.Context, dir string, k int) (*binary, error) {
	b := &binary{dir: dir}
	path := filepath.Join(t.scratch, fmt.Sprintf("%d.test", k))
	os.Remove(path)
	if _, err := output(ctx, t.clone, nil, "go", "test", "-c", "-vet=off", "-overlay", t.overlaid, "-o", path, "./"+dir); err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return b, nil // no tests
	}
	b.path = path
	for _, s := range t.sites {
		if s.alone {
			b.tests = []oneTest{{}}
			return b, nil
		}
	}
	names, err := output(ctx, filepath.Join(t.clone, dir), nil, path, "-test.list", "^(Test|Example|Fuzz)")
	if err != nil {
		return nil, err
	}
	said := filepath.Join(t.scratch, "reached")
	for name := range strings.Lines(names) {
		one := oneTest{name: strings.TrimSpace(name), reached: map[int]bool{}}
		os.Remove(said)
		began := time.Now()
		if _, err := t.execute(ctx, b, one, -1, said); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			continue // it fails without a mutant, in a clone
		}
		one.took = time.Since(began)
		text, _ := os.ReadFile(said)
		for line := range strings.Lines(string(text)) {
			id, _ := strconv.Atoi(strings.TrimSpace(line))
			one.reached[id] = true
		}
		if len(one.reached) > 0 {
			b.tests = append(b.tests, one)
		}
	}
	slices.SortStableFunc(b.tests, func(x, y oneTest) int { return int(x.took.Milliseconds() - y.took.Milliseconds()) })
	return b, nil
}

// killer returns a test that fails on a mutant, "" for none.
func (t *tester) killer(ctx context.Context, b *binary, id int) (by string, err error) {
	for _, one := range b.tests {
		if one.reached != nil && !one.reached[t.function(id)] {
			continue
		}
		within, cancel := context.WithTimeout(ctx, t.options.Timeout)
		text, err := t.execute(within, b, one, id, os.DevNull)
		cancel()
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case err == nil:
			continue
		case !strings.Contains(text, "FAIL") && !strings.Contains(text, "panic"):
			return "time", nil
		}
		return strings.TrimSpace(b.dir + " " + one.name), nil
	}
	return "", nil
}

// execute runs a test with a mutant, for as many times the seconds of processors as it
// takes without one, and some.
func (t *tester) execute(ctx context.Context, b *binary, one oneTest, id int, said string) (string, error) {
	limits, run := "ulimit -v 16000000 2>/dev/null; ", "."
	if one.took > 0 {
		limits += fmt.Sprintf("ulimit -t %d 2>/dev/null; ", 10+int(6*one.took.Seconds()))
	}
	if one.name != "" {
		run = "^" + one.name + "$"
	}
	args := []string{"-c", limits + `exec "$@"`, "sh", b.path, "-test.failfast", "-test.run", run, "-test.timeout", "30m"}
	if b.dir != t.dir {
		args = append(args, "-test.short")
	}
	return output(ctx, filepath.Join(t.clone, b.dir), []string{number + "=" + strconv.Itoa(id), reach + "=" + said}, "sh", args...)
}
