package mutate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// A journal is a text file of the mutants of a commit that are decided, one a line: what became of
// it, the mutant, and by which test. What survived the tests of its own package is decided
// for a run of these alone. In it are also what tests reach without a mutant.
type journal struct {
	path   string
	commit string            // that it is of
	told   map[string]Result // by key
	past   map[string]int    // by key: of which of scopes no test failed in an earlier run
	runs   map[string][]run  // by folder and name of a test
}

// A run is what a test without a mutant, or a part of one, took and reached.
type run struct {
	Name    string
	Took    time.Duration
	Roomy   bool     `json:",omitempty"`
	Reached []string // statements, by the byte in a file where they begin
}

// scopes are the tests that a mutant survived, in the words of a journal, from fewer to
// more.
var scopes = []string{"survived its own tests", "survived its room", "survived all"}

func (o Options) scope() int {
	switch {
	case o.Own:
		return 0
	case o.Beyond:
		return 2
	}
	return 1
}

func openJournal(path string, o Options) (*journal, error) {
	j := &journal{path: path, told: map[string]Result{}, past: map[string]int{}, runs: map[string][]run{}}
	if path == "" {
		return j, nil
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return j, nil
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case len(f) != 3:
		case f[0] == "commit":
			j.commit = f[1]
		case f[0] == "reached":
			var runs []run
			if err := json.Unmarshal([]byte(f[2]), &runs); err != nil {
				return j, fmt.Errorf("%s: %s: %w", path, f[1], err)
			}
			j.runs[f[1]] = runs
		case f[0] == "killed" || slices.Index(scopes, f[0]) >= o.scope():
			j.told[f[1]] = Result{Killed: f[0] == "killed", By: f[2]}
		default:
			j.past[f[1]] = slices.Index(scopes, f[0]) + 1
		}
	}
	return j, err
}

// checkout makes a clone that of the commit of the journal, or the journal that of the clone's.
func (j *journal) checkout(ctx context.Context, clone string) error {
	if j.path == "" {
		return nil
	}
	if j.commit != "" {
		if _, err := output(ctx, clone, nil, "git", "checkout", "--quiet", "--detach", j.commit); err != nil {
			return fmt.Errorf("%s is of a commit that is not here: %w", j.path, err)
		}
		return nil
	}
	head, err := output(ctx, clone, nil, "git", "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	return j.write("commit", strings.TrimSpace(head), "")
}

// key names a mutant among those of one commit.
func (s Site) key() string {
	return strings.ReplaceAll(fmt.Sprintf("%s at byte %d", s.Equivalent(), s.From), "\t", " ")
}

// of returns what became of a mutant in an earlier run.
func (j *journal) of(s Site) (Result, bool) {
	r, ok := j.told[s.key()]
	r.Site = s
	return r, ok
}

// survived reports that the tests of a scope have been run on a mutant in an earlier run.
func (j *journal) survived(s Site, scope int) bool { return j.past[s.key()] > scope }

func (j *journal) add(r Result, o Options) error {
	if j.path == "" || r.Undecided {
		return nil
	}
	verdict := scopes[o.scope()]
	if r.Killed {
		verdict = "killed"
	}
	return j.write(verdict, r.key(), r.By)
}

func (j *journal) write(what, of, more string) error {
	f, err := os.OpenFile(j.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s\t%s\t%s\n", what, of, more)
	return errors.Join(err, f.Close())
}

// statement names the statement of a mutant among those of one commit.
func (s Site) statement() string { return fmt.Sprintf("%s:%d", s.File, s.place) }

// runsOf are those of a test in an earlier run, by the numbers of a schema.
func (j *journal) runsOf(m *schema, dir, name string) (tests []oneTest, ok bool) {
	runs, ok := j.runs[dir+" "+name]
	for _, r := range runs {
		one := oneTest{r.Name, map[int]bool{}, r.Took, r.Roomy}
		for id, s := range m.sites {
			if slices.Contains(r.Reached, s.statement()) {
				one.reached[m.place(id)] = true
			}
		}
		tests = append(tests, one)
	}
	return tests, ok
}

// ran keeps those of a test.
func (j *journal) ran(m *schema, dir, name string, tests []oneTest) error {
	if j.path == "" {
		return nil
	}
	runs := []run{}
	for _, one := range tests {
		r := run{Name: one.name, Took: one.took, Roomy: one.roomy}
		for id := range one.reached {
			r.Reached = append(r.Reached, m.sites[id].statement())
		}
		slices.Sort(r.Reached)
		runs = append(runs, r)
	}
	text, err := json.Marshal(runs)
	if err != nil {
		return err
	}
	return j.write("reached", dir+" "+name, string(text))
}
