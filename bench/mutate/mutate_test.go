package mutate

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// sitesOf are the mutants of a file.
func sitesOf(t *testing.T, source string) []Site {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "p.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	sites, err := Sites(root, "p.go")
	if err != nil {
		t.Fatal(err)
	}
	return sites
}

// The mutants of a small file, one by one.
func TestSites(t *testing.T) {
	const source = `package p

import "errors"

const half = 0.5

func f(a, b int) (int, error) {
	if a < b && a != 3 {
		a += 2
		g(a)
	}
	if b == 0 {
		return 0, errors.New("b is 0 + 1")
	}
	return a * b, nil
}
`
	sites := sitesOf(t, source)
	got := map[string]bool{}
	for _, s := range sites {
		if s.Old != source[s.From:s.To] {
			t.Errorf("%v: the bytes are %q", s, source[s.From:s.To])
		}
		got[strings.TrimPrefix(s.String(), "p.go:")] = true
	}
	for _, want := range []string{
		"5 constant: 0.5 → (2 * 0.5)", "8 condition: a < b && a != 3 → !(a < b && a != 3)", "8 boundary: < → <=",
		"8 condition: && → ||", "8 condition: != → ==", "8 constant: 3 → 4", "9 arithmetic: += → -=", "9 constant: 2 → 3",
		"9 statement: a += 2 → (nothing)", "10 statement: g(a) → (nothing)", "12 condition: b == 0 → !(b == 0)",
		"12 condition: == → !=", "12 constant: 0 → 1", "13 constant: 0 → 1", "15 arithmetic: * → /",
	} {
		if !got[want] {
			t.Errorf("no mutant %q", want)
		}
		delete(got, want)
	}
	if len(got) > 0 {
		t.Errorf("more mutants: %v", got)
	}
}

// Numbers are left alone where another one makes the same program, and nowhere near.
func TestIdle(t *testing.T) {
	const source = `package p

import "slices"

func f(a []int, n int, wait func() int) {
	_ = tuning.New("16", "rows", 17, 18, 19)
	_ = make([]int, 2, 3+4*n)
	_ = make([]int, 5, (6 + len(a)))
	_ = make([]int, 0, n-7)
	_ = make([]int, 0, n/8)
	_ = make([]int, 0, cap(a[9:]))
	_ = make(chan int, 10)
	a = slices.Grow(a, 11)
	slices.SortFunc(a, func(x, y int) int {
		at := func() int { return 12 }
		if x < y {
			return -13
		}
		if x > y && at() > 0 {
			return 14
		}
		return 0
	})
	slices.IndexFunc(a, func(x int) bool { return x > 15 })
}
`
	sites := sitesOf(t, source)
	var left []string
	for _, s := range sites {
		if s.Kind == "constant" {
			left = append(left, s.Old)
		}
	}
	if want := strings.Fields("17 2 5 0 7 0 8 0 9 10 12 0 0 15"); !slices.Equal(left, want) {
		t.Errorf("%v are drawn, of these %v mean something", left, want)
	}
}

func TestWriteText(t *testing.T) {
	var out bytes.Buffer
	WriteText(&out, []Result{
		{Site: Site{File: "dro/a.go", Line: 3, Kind: "boundary", Old: "<", New: "<="}},
		{Site: Site{File: "dro/a.go", Kind: "constant"}, Killed: true},
		{Site: Site{File: "eval/b.go", Kind: "constant"}, Killed: true},
		{Site: Site{File: "eval/b.go", Line: 4, Kind: "statement", Old: "f()"}, Nothing: true},
		{Site: Site{File: "eval/c.go", Line: 5, Kind: "constant", Old: "1", New: "2"}, Undecided: true},
	})
	for _, want := range []string{"dro             1 of    2 mutants killed,  50 %", "eval            1 of    1 mutants killed, 100 %; 1 of 2, 50 %, with those that mean nothing\n",
		"statement       0 of    0", "all             2 of    3 mutants killed,  67 %; 2 of 4, 50 %, with",
		"survived: dro/a.go:3 boundary: < → <=", "means nothing: eval/b.go:4 statement: f() → (nothing)", "undecided: eval/c.go:5"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q lacks %q", out.String(), want)
		}
	}
}

// Every mutant by hand finds its place: one whose text has changed is to be brought up to
// date with it.
func TestHandApplies(t *testing.T) {
	for _, n := range Hand {
		if _, err := n.apply("../.."); err != nil {
			t.Errorf("%s: %v", n.What, err)
		}
	}
}

// What a run has decided another one takes from the journal, but for survivors of fewer
// tests than it runs.
func TestJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	site := func(k int) Site {
		return Site{File: "a.go", Line: k, Kind: "constant", Old: "1", New: "2", From: 10 * k, Code: "x :=\t1"}
	}
	own, room, all := Options{Own: true}, Options{}, Options{Beyond: true}
	j, err := openJournal(path, own)
	if err != nil {
		t.Fatal(err)
	}
	for k, o := range []Options{own, own, room, all, all} {
		if err := j.add(Result{Site: site(k), Killed: k == 0, By: "a ^TestA$", Undecided: k == 4}, o); err != nil {
			t.Fatal(err)
		}
	}
	for what, c := range map[string]struct {
		o     Options
		known string
	}{"own": {own, "yyyy"}, "room": {room, "ynyy"}, "all": {all, "ynny"}} {
		j, err := openJournal(path, c.o)
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range c.known + "n" {
			r, ok := j.of(site(k))
			if ok != (want == 'y') || r.Line != k || ok && r.Killed != (k == 0) {
				t.Errorf("%s: mutant %d is known: %v, %+v", what, k, ok, r)
			}
			past := map[string]string{"room": "nynnn", "all": "nyynn"}[what]
			if own := past != "" && past[k] == 'y'; j.survived(site(k), 0) != own || j.survived(site(k), 1) != (own && k == 2) {
				t.Errorf("%s: mutant %d has survived %v and %v", what, k, j.survived(site(k), 0), j.survived(site(k), 1))
			}
		}
	}
	m := &schema{sites: map[int]Site{1: site(0), 2: site(1), 3: site(2)}}
	for id, s := range m.sites {
		s.place = 100 * (id / 2) // the last two are of one statement
		m.sites[id] = s
	}
	tests := []oneTest{{"^TestA$/^part$", map[int]bool{1: true}, 5, false}, {"^TestA$/^rest$", map[int]bool{2: true}, 7, true}}
	for name, of := range map[string][]oneTest{"^TestA$": tests, "^TestB$": nil} {
		if err := j.ran(m, "some/where", name, of); err != nil {
			t.Fatal(err)
		}
	}
	if j, err = openJournal(path, all); err != nil {
		t.Fatal(err)
	}
	if got, known := j.runsOf(m, "some/where", "^TestA$"); !known || !reflect.DeepEqual(got, tests) {
		t.Errorf("%v, %+v", known, got)
	}
	if got, known := j.runsOf(m, "some/where", "^TestB$"); !known || len(got) > 0 {
		t.Errorf("a test that reaches nothing: %v, %+v", known, got)
	}
	if _, known := j.runsOf(m, "some/where", "^TestC$"); known {
		t.Error("a test that has not run is known")
	}
	none, err := openJournal("", own)
	if err != nil || none.add(Result{Site: site(1)}, own) != nil {
		t.Error(err)
	}
	if _, err := openJournal(filepath.Dir(path), own); err == nil {
		t.Error("a folder is read as a journal")
	}
}

// A journal is gone on with at the commit that it was begun at.
func TestJournalIsOfACommit(t *testing.T) {
	root, ctx := t.TempDir(), context.Background()
	git := func(args ...string) string {
		text, err := output(ctx, root, nil, "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b.c"}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(text)
	}
	git("init", "--quiet")
	git("commit", "--quiet", "--allow-empty", "-m", "one")
	first := git("rev-parse", "HEAD")
	path := filepath.Join(root, "journal")
	for range 2 {
		j, err := openJournal(path, Options{})
		if err == nil {
			err = j.checkout(ctx, root)
		}
		if err != nil || git("rev-parse", "HEAD") != first {
			t.Fatal(err, git("rev-parse", "HEAD"), first)
		}
		git("commit", "--quiet", "--allow-empty", "-m", "another")
	}
	elsewhere := &journal{path: path, commit: strings.Repeat("0", 40)}
	if err := elsewhere.checkout(ctx, root); err == nil || !strings.Contains(err.Error(), "is of a commit that is not here") {
		t.Error(err)
	}
}

// All mutants of functions with labels and without results compile beside each other.
func TestSchemaCompiles(t *testing.T) {
	const source = `package p

func f(a [][]int) (sum int) {
rows:
	for _, row := range a {
		for _, v := range row {
			if v < 0 {
				continue rows
			}
			sum += v
		}
		if sum > 100 {
			break rows
		}
	}
	return sum
}

func g(a *int) {
	*a = f(nil) + 2
}
`
	sites := sitesOf(t, source)
	all := together(sites)
	if len(sites) < 8 || len(all) != 1 {
		t.Fatalf("%d mutants in %d schemas", len(sites), len(all))
	}
	ids := slices.Sorted(maps.Keys(all[0].sites))
	text := rewrite(source, "p.go", ids, all[0].sites) + "\nvar mutantNumber int\nfunc mutantReach(int) {}\n"
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	checked := types.Config{Error: func(err error) { t.Error(err) }}
	checked.Check("p", files, []*ast.File{parsed}, nil)
	for _, id := range ids {
		if at := fmt.Sprintf("mutantNumber == %d {", id); !strings.Contains(text, at) {
			t.Errorf("no %q", at)
		}
		if at := fmt.Sprintf("mutantReach(%d) }; ", all[0].place(id)); strings.Count(text, at) != 1 {
			t.Errorf("%d of %q", strings.Count(text, at), at)
		}
		s := all[0].sites[id]
		if of := source[s.place:s.To]; s.Kind == "statement" && s.place != s.From || s.Kind == "condition" && !strings.HasPrefix(of, "if ") || strings.Contains(of, "{\n") {
			t.Errorf("%v is in the statement %q", s, of)
		}
	}
}

// A mutant of one's own is a place in a line, in the function it is in; what is wrong with
// others is said of all at once.
func TestOwn(t *testing.T) {
	const source = "package p\n\nconst a = 2\n\nfunc f() int {\n\tif a > 1 {\n\t\treturn a + a\n\t}\n\treturn 0 // none\n}\n"
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "p.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	sites, err := Own(root, "# mine\n\np.go:3 2 → 3\np.go:7 + a → (nothing)\np.go:9 0 // none → 1\n")
	if err != nil || len(sites) != 3 {
		t.Fatal(sites, err)
	}
	for k, want := range []string{"p.go:3 own: 2 → 3", "p.go:7 own: + a → (nothing)", "p.go:9 own: 0 // none → 1"} {
		if s := sites[k]; s.String() != want || source[s.From:s.To] != s.Old {
			t.Errorf("%v at %d, want %s", s, s.From, want)
		}
	}
	if sites[2].place != sites[2].body {
		t.Errorf("a text beyond its statement is at byte %d of the file", sites[2].place)
	}
	if !sites[0].alone || sites[1].alone || !strings.HasPrefix(source[sites[1].place:], "return a + a") {
		t.Error(sites)
	}
	_, err = Own(root, "p.go:7 a → b\nq.go:1 a → b\np.go:70 a → b\np.go:x a → b\n")
	for _, want := range []string{"there 2 times", "q.go:1 a → b: ", "p.go has", "not of the form"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
}
