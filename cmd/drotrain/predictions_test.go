package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
)

// TestEval_FiltersPredictions checks that --filter selects rows of a table of predictions as if the others were not in
// the file, that the output states the condition, and that the error for a missing outcome advises it.
func TestEval_FiltersPredictions(t *testing.T) {
	t.Chdir(t.TempDir())
	const head = "y,p,site\n"
	all, kept := strings.Builder{}, strings.Builder{}
	all.WriteString(head)
	kept.WriteString(head)
	for i := range 300 {
		row := fmt.Sprintf("%d,%.3f,s%d\n", i*7%3/2, 0.5+0.4*math.Sin(float64(i)), i%4)
		if i%5 == 1 {
			all.WriteString(",0.9,s9\n")
		}
		all.WriteString(row)
		kept.WriteString(row)
	}
	put(t, "all.csv", all.String())
	put(t, "kept.csv", kept.String())
	const base = "eval --target y --score p --groups site --json --predictions "
	args := append(strings.Fields(base+"all.csv"), "--filter", "y is not null")
	code, got, stderr := try(t.Context(), args...)
	if code != exit.OK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	want, _ := mustRun(t, base+"kept.csv")
	got = strings.Replace(got, "\"table\": \"all.csv\"", "\"table\": \"kept.csv\"", 1)
	if got = strings.Replace(got, " \"filter\": \"y is not null\",\n", "", 1); got != want {
		t.Error("the result differs from that of a file without these rows")
	}
	args = append(args, "--out", "page.html")
	if code, stdout, stderr := try(t.Context(), append(args[:len(args):len(args)], "--quiet")...); code != exit.OK {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	page, err := os.ReadFile("page.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"(300 rows where y is not null)", "best constant prediction for these rows"} {
		if !strings.Contains(string(page), s) {
			t.Errorf("the page lacks %q", s)
		}
	}
	if strings.Contains(string(page), "constant fitted to the training rows") ||
		strings.Contains(string(page), "constant of the training rows") {
		t.Error("the page of an audit, which knows no training rows, refers to them")
	}
	_, _, stderr = try(t.Context(), strings.Fields(base+"all.csv")...)
	if !strings.Contains(stderr, "row 2: the label is missing") ||
		!strings.Contains(stderr, "leave out the rows with nulls by --filter 'y is not null'") {
		t.Errorf("no advice: %s", stderr)
	}
}
