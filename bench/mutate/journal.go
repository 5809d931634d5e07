package mutate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// A journal is a text file of the mutants that are decided, one a line: what became of
// it, the mutant, and by which test. What survived the tests of its own package is decided
// for a run of these alone.
type journal struct {
	path string
	told map[string]Result // by key
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
	j := &journal{path: path, told: map[string]Result{}}
	if path == "" {
		return j, nil
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return j, nil
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(f) == 3 && (f[0] == "killed" || slices.Index(scopes, f[0]) >= o.scope()) {
			j.told[f[1]] = Result{Killed: f[0] == "killed", By: f[2]}
		}
	}
	return j, err
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

func (j *journal) add(r Result, o Options) error {
	if j.path == "" || r.Undecided {
		return nil
	}
	verdict := scopes[o.scope()]
	if r.Killed {
		verdict = "killed"
	}
	f, err := os.OpenFile(j.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s\t%s\t%s\n", verdict, r.key(), r.By)
	return errors.Join(err, f.Close())
}
