package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/bench/value"
)

// A file of measured rows is of one run at a time: another's are never overwritten. Rows of
// another program are measured again, but for those of peers.
func TestRowsOfOneRun(t *testing.T) {
	keep := filepath.Join(t.TempDir(), "rows.json")
	a, b := &valueRun{keep: keep}, &valueRun{keep: keep}
	for _, r := range []*valueRun{a, b} {
		if err := r.read(true); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.add([]value.Row{{Table: "t", Model: value.Chosen, By: "drotrain of another day"}, {Table: "t", Model: value.GroupWeights, By: "scikit-learn"}}); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(keep)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.add([]value.Row{{Table: "u"}}); err == nil || !strings.Contains(err.Error(), "give every run a file of its own") {
		t.Errorf("a second run on the same rows: %v", err)
	}
	if after, err := os.ReadFile(keep); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the rows are no longer those of the first run: %v", err)
	}
	for measures, want := range map[bool]int{true: 1, false: 2} {
		next := &valueRun{keep: keep, seeds: 1}
		if err := next.read(measures); err != nil || len(next.all) != want {
			t.Errorf("a run that measures (%v) has %d rows, want %d: %v", measures, len(next.all), want, err)
		}
		if lacks := len(next.missing("t", value.Chosen)) > 0; lacks != measures {
			t.Errorf("a run that measures (%v) lacks the rows of another program: %v", measures, lacks)
		}
	}
}

func TestCommandLine(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"", 2, "theory"},
		{"nothing", 2, `no "nothing"`},
		{"theory -h", 0, "-quick"},
		{"theory -quik", 2, "-quik"},
		{"theory now", 2, `"now"`},
	} {
		var b bytes.Buffer
		if code := run(context.Background(), strings.Fields(c.args), &b); code != c.code || !strings.Contains(b.String(), c.says) {
			t.Errorf("%q: code %d, want %d; said\n%s", c.args, code, c.code, &b)
		}
	}
}
