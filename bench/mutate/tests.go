package mutate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
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
	kept           *journal
	overlaid       string
	binaries       map[string]*binary
}

// A binary is the tests of one package.
type binary struct {
	dir, path string // below the clone; of the file, "" for none
	short     bool   // without the long tests
	tests     []oneTest
}

// A oneTest is one of them, or a part of one that takes long, and what it did without a
// mutant; no name: all of them, with the mutant already in.
type oneTest struct {
	name    string
	reached map[int]bool
	took    time.Duration
	roomy   bool // it fails where memory is limited
}

// run compiles the schema and tells of every mutant that does.
func (t *tester) run(ctx context.Context, tell func(Result)) (err error) {
	for {
		if t.overlaid, err = t.overlay(t.clone, t.scratch); err != nil {
			return err
		}
		args := append([]string{"build", "-overlay", t.overlaid}, compiling...)
		for _, dir := range t.dirs() {
			args = append(args, "./"+dir)
		}
		messages, err := output(ctx, t.clone, nil, "go", args...)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			break
		}
		if !t.dropFailing(messages) {
			if !t.alone() {
				return fmt.Errorf("the mutants do not compile: %s", messages)
			}
			return nil
		}
		if len(t.sites) == 0 {
			return nil
		}
	}
	left := slices.Sorted(maps.Keys(t.sites))
	defer func() {
		for _, id := range left { // of a run that is interrupted, or fails, too
			tell(Result{Site: t.sites[id], Undecided: ctx.Err() != nil || err != nil})
		}
	}()
	// The tests of a mutant's own package before those of others.
	for _, own := range []bool{true, false} {
		if t.options.Own && !own {
			break
		}
		for _, dir := range t.packages() {
			var next, these []int
			for _, id := range left {
				if t.uses(dir, id, own) {
					these = append(these, id)
				} else {
					next = append(next, id)
				}
			}
			if len(these) == 0 {
				continue
			}
			b, err := t.build(ctx, dir)
			if err != nil {
				return err
			}
			var work sync.WaitGroup
			var lock sync.Mutex
			var failed error
			free := make(chan bool, max(1, t.options.Jobs))
			for _, id := range these {
				free <- true
				work.Go(func() {
					defer func() { <-free }()
					by, err := t.killer(ctx, b, id)
					lock.Lock()
					defer lock.Unlock()
					if failed = errors.Join(failed, err); by != "" {
						tell(Result{Site: t.sites[id], Killed: true, By: by})
					} else {
						next = append(next, id)
					}
				})
			}
			work.Wait()
			slices.Sort(next)
			if left = next; failed != nil {
				return failed
			}
		}
	}
	return nil
}

const module = "github.com/drotrain/drotrain/"

// compiling are the flags of every build, so that none is done twice: all errors are
// told, and what is not mutated is as in the cache from other runs, in other folders.
var compiling = []string{"-trimpath", "-gcflags=" + module + "...=-e"}

// top is the room that a package is in.
func top(dir string) string {
	room, _, _ := strings.Cut(dir, "/")
	return room
}

// packages are all with tests, those that need least first.
func (t *tester) packages() (dirs []string) {
	for path := range t.tests {
		dirs = append(dirs, strings.TrimPrefix(path, module))
	}
	slices.SortFunc(dirs, func(a, b string) int {
		return cmp.Or(len(t.tests[module+a])-len(t.tests[module+b]), strings.Compare(a, b))
	})
	return dirs
}

// uses reports whether the tests of a package may notice a mutant: of its own package, or
// of another one of its room, or beyond; none that an earlier run has seen it survive.
func (t *tester) uses(dir string, id int, own bool) bool {
	of := t.sites[id].dir
	if own || dir == of {
		return own && dir == of && !t.kept.survived(t.sites[id], 0)
	}
	if !t.tests[module+dir][module+of] {
		return false
	}
	if top(dir) == top(of) {
		return !t.kept.survived(t.sites[id], 1)
	}
	return t.options.Beyond
}

// build makes the tests of a package, once, and runs each without a mutant: the quickest
// of those that reach a statement are the first to be run on its mutants.
func (t *tester) build(ctx context.Context, dir string) (*binary, error) {
	if b := t.binaries[dir]; b != nil {
		return b, nil
	}
	b := &binary{dir: dir, short: !slices.Contains(t.dirs(), dir)}
	path := filepath.Join(t.scratch, fmt.Sprintf("%d.test", len(t.binaries)))
	t.binaries[dir] = b
	os.Remove(path)
	if _, err := output(ctx, t.clone, nil, "go", append(append([]string{"test", "-c", "-vet=off", "-overlay", t.overlaid, "-o", path}, compiling...), "./"+dir)...); err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return b, nil // no tests
	}
	b.path = path
	if t.alone() {
		b.tests = []oneTest{{}}
		return b, nil
	}
	names, err := output(ctx, filepath.Join(t.clone, dir), nil, path, "-test.list", "^(Test|Example|Fuzz)")
	if err != nil {
		return nil, err
	}
	for name := range strings.Lines(names) {
		name = "^" + strings.TrimSpace(name) + "$"
		tests, known := t.kept.runsOf(t.schema, dir, name)
		if !known {
			if tests, err = t.without(ctx, b, name); err == nil {
				err = t.kept.ran(t.schema, dir, name, tests)
			}
			if err != nil {
				return nil, err
			}
		}
		for _, one := range tests {
			if len(one.reached) > 0 {
				b.tests = append(b.tests, one)
			}
		}
	}
	slices.SortStableFunc(b.tests, func(x, y oneTest) int { return cmp.Compare(x.took, y.took) })
	return b, nil
}

// without runs a test without a mutant, part by part if it takes long and has parts: none
// of one that fails.
func (t *tester) without(ctx context.Context, b *binary, name string) ([]oneTest, error) {
	one, text, err := t.reaches(ctx, b, oneTest{name: name})
	if err != nil && ctx.Err() == nil {
		one, text, err = t.reaches(ctx, b, oneTest{name: name, roomy: true})
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		if t.options.Note != nil {
			t.options.Note(fmt.Sprintf("%s %s fails without a mutant: %v", b.dir, name, err))
		}
		return nil, nil
	case len(one.reached) == 0:
		return nil, nil
	}
	parts := inParts.FindAllStringSubmatch(text, -1)
	if one.took <= 2*time.Second || len(parts) < 2 {
		return []oneTest{one}, nil
	}
	var tests []oneTest
	for _, p := range parts {
		part, _, err := t.reaches(ctx, b, oneTest{name: name + "/^" + regexp.QuoteMeta(p[1]) + "$", roomy: one.roomy})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil { // it needs the others
			return []oneTest{one}, nil
		}
		tests = append(tests, part)
	}
	return tests, nil
}

// inParts finds the subtests in what a test says.
var inParts = regexp.MustCompile(`(?m)^    --- PASS: [^/\s]+/([^/\s]+) \(`)

// reaches runs a test without a mutant, and returns which statements it reaches.
func (t *tester) reaches(ctx context.Context, b *binary, one oneTest) (oneTest, string, error) {
	one.reached = map[int]bool{}
	said := filepath.Join(t.scratch, "reached")
	os.Remove(said)
	began := time.Now()
	out, err := t.execute(ctx, b, one, -1, said)
	if one.took = time.Since(began); err != nil {
		return one, out, err
	}
	text, _ := os.ReadFile(said)
	for line := range strings.Lines(string(text)) {
		id, _ := strconv.Atoi(strings.TrimSpace(line))
		one.reached[id] = true
	}
	return one, out, nil
}

// killer returns a test that fails on a mutant, "" for none.
func (t *tester) killer(ctx context.Context, b *binary, id int) (by string, err error) {
	for _, one := range b.tests {
		if one.reached != nil && !one.reached[t.place(id)] {
			continue
		}
		limit := t.options.Timeout
		if one.took > 0 {
			limit = min(limit, 5*time.Minute+20*one.took) // where others keep the processors busy
		}
		within, cancel := context.WithTimeout(ctx, limit)
		text, err := t.execute(within, b, one, id, os.DevNull)
		cancel()
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case err == nil:
			continue
		case !strings.Contains(text, "FAIL") && !strings.Contains(text, "panic") && !strings.Contains(text, "fatal error"):
			return "time", nil
		}
		return strings.TrimSpace(b.dir + " " + one.name), nil
	}
	return "", nil
}

// execute runs a test with a mutant, for as many times the seconds of processors as it
// takes without one, and some. Without a limit of its own (-test.timeout) Go itself sees
// goroutines that wait for each other.
func (t *tester) execute(ctx context.Context, b *binary, one oneTest, id int, said string) (string, error) {
	limits, run := "", "."
	if !one.roomy {
		limits = "ulimit -v 8000000 2>/dev/null; "
	}
	if one.took > 0 {
		limits += fmt.Sprintf("ulimit -t %d 2>/dev/null; ", 5+int(6*one.took.Seconds()))
	}
	if one.name != "" {
		run = one.name
	}
	args := []string{"-c", limits + `exec "$@"`, "sh", b.path, "-test.failfast", "-test.run", run, "-test.timeout", "0"}
	if b.short {
		args = append(args, "-test.short")
	}
	if id < 0 {
		args = append(args, "-test.v")
	}
	return output(ctx, filepath.Join(t.clone, b.dir), []string{number + "=" + strconv.Itoa(id), reach + "=" + said}, "sh", args...)
}
