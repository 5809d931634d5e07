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
	binaries       []*binary
}

// A binary is the tests of one package, and what they did without a mutant.
type binary struct {
	dir, path string // below the clone; of the file, "" for none
	reached   map[int]bool
	took      time.Duration // of processors
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
	packages := t.packages()
	left := slices.Sorted(maps.Keys(t.sites))
	for k, dir := range packages {
		if len(left) == 0 {
			return nil
		}
		b, err := t.build(ctx, dir, k)
		if err != nil {
			return err
		}
		var next []int
		for _, id := range left {
			killed, by, err := t.kills(ctx, b, id)
			if err != nil {
				return err
			}
			if killed {
				tell(Result{t.sites[id], true, by})
			} else {
				next = append(next, id)
			}
		}
		left = next
	}
	for _, id := range left {
		tell(Result{t.sites[id], false, ""})
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

// build makes the tests of a package and runs them without a mutant.
func (t *tester) build(ctx context.Context, dir string, k int) (*binary, error) {
	b := &binary{dir: dir, reached: map[int]bool{}}
	path := filepath.Join(t.scratch, fmt.Sprintf("%d.test", k))
	os.Remove(path)
	if _, err := output(ctx, t.clone, nil, "go", "test", "-c", "-vet=off", "-overlay", t.overlaid, "-o", path, "./"+dir); err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return b, nil // no tests
	}
	said := filepath.Join(t.scratch, "reached")
	os.Remove(said)
	began := time.Now()
	if _, err := t.execute(ctx, &binary{dir: dir, path: path}, -1, said, 0); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if slices.ContainsFunc(slices.Collect(maps.Values(t.sites)), func(s Site) bool { return s.alone }) {
			b.path, b.reached = path, nil // this is the mutant
			return b, nil
		}
		return b, nil // these fail without a mutant, in a clone
	}
	b.path, b.took = path, time.Since(began)
	text, _ := os.ReadFile(said)
	for line := range strings.Lines(string(text)) {
		id, _ := strconv.Atoi(strings.TrimSpace(line))
		b.reached[id] = true
	}
	return b, nil
}

// kills reports that a test fails on a mutant.
func (t *tester) kills(ctx context.Context, b *binary, id int) (killed bool, by string, err error) {
	alone := t.sites[id].alone
	if b.path == "" || alone && b.reached != nil || !alone && !b.reached[t.function(id)] {
		return false, "", nil
	}
	within, cancel := context.WithTimeout(ctx, t.options.Timeout)
	defer cancel()
	text, err := t.execute(within, b, id, os.DevNull, 10+int(6*b.took.Seconds()))
	switch {
	case ctx.Err() != nil:
		return false, "", ctx.Err()
	case err == nil:
		return false, "", nil
	case !strings.Contains(text, "FAIL") && !strings.Contains(text, "panic"):
		return true, "time", nil
	}
	return true, b.dir, nil
}

// execute runs tests with a mutant, for so many seconds of processors; 0: any.
func (t *tester) execute(ctx context.Context, b *binary, id int, said string, seconds int) (string, error) {
	limits := "ulimit -v 16000000 2>/dev/null; "
	if seconds > 0 {
		limits += fmt.Sprintf("ulimit -t %d 2>/dev/null; ", seconds)
	}
	args := []string{"-c", limits + `exec "$@"`, "sh", b.path, "-test.failfast", "-test.timeout", t.options.Timeout.String()}
	if b.dir != t.dir {
		args = append(args, "-test.short")
	}
	return output(ctx, filepath.Join(t.clone, b.dir), []string{number + "=" + strconv.Itoa(id), reach + "=" + said}, "sh", args...)
}
