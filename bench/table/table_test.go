package table

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/methods"
	"github.com/drotrain/drotrain/losses"
)

// twoRows writes a reference directory with one problem that can be solved by
// hand: rows z = 1 with targets ±1, squared loss. By symmetry x = 0 and both
// losses are ½, so that the objective is ½ for every penalty.
func twoRows(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var entries []string
	for _, penalty := range []string{"kl", "chi2"} {
		entries = append(entries, fmt.Sprintf(`{"dataset":"tiny","loss":"squared","penalty":%q,"nu":1,"mu":0.5,"objective":0.5}`, penalty))
	}
	for name, text := range map[string]string{
		"reference.json":  "[" + strings.Join(entries, ",") + "]",
		"tiny_design.csv": "one,target,group\n1,1,a\n1,-1,b\n1,1,a\n1,-1,b\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestPage(t *testing.T) {
	refs, err := readReferences(twoRows(t))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := measure(context.Background(), refs, 100, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		for m, cells := range r.cells {
			for k, c := range cells {
				if !(c.passes > 0) || !(math.Abs(c.off) <= methods.Targets[k]) {
					t.Errorf("%s, %s to %g: %+v", entries()[m].Name, r.Penalty, methods.Targets[k], c)
				}
			}
		}
	}
	tried, err := tryTheory(context.Background(), smallest(refs), 5)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := page.Execute(&b, newPageData(rows, refs[0], tried, 100)); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{"### tiny, 4 rows × 1 columns", "| separable | 2, 2, 2 |", "**"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, e := range entries() {
		if !strings.Contains(text, " "+e.Name+" |") {
			t.Errorf("no column %s", e.Name)
		}
	}
	for _, bad := range []string{"NaN", "Inf", "<no value>", "%!"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q in the page", bad)
		}
	}
}

// A full Gram matrix counts as one Hessian.
func TestHessiansAreCounted(t *testing.T) {
	refs, err := readReferences(twoRows(t))
	if err != nil {
		t.Fatal(err)
	}
	p, grams, err := refs[0].problem()
	if err != nil {
		t.Fatal(err)
	}
	s := dro.DefaultSettings()
	s.X0 = []float64{1}
	if _, err := dro.Solve(context.Background(), p, dro.LBFGS{}, s); err != nil || grams.Load() != 0 {
		t.Errorf("%d rows in Hessians of lbfgs, %v", grams.Load(), err)
	}
	if _, err := dro.Solve(context.Background(), p, dro.FullVector{}, s); err != nil || grams.Load() < 4 || grams.Load()%4 != 0 {
		t.Errorf("%d rows in Hessians of full, %v", grams.Load(), err)
	}
	var _ dro.Curved = countingOracle{&losses.Linear{}, grams}
}

func TestBadReferences(t *testing.T) {
	dir := twoRows(t)
	if err := os.WriteFile(filepath.Join(dir, "tiny_design.csv"), []byte("one,target,group\n1,x,a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readReferences(dir); err == nil || !strings.Contains(err.Error(), "row 1") {
		t.Errorf("a target that is no number: %v", err)
	}
	if _, err := readReferences(t.TempDir()); err == nil {
		t.Error("an empty directory is accepted")
	}
}

// The page in docs says what the methods need as they say it today; its numbers are of
// the run that it names.
func TestPageSaysWhatMethodsNeed(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "methods.md"))
	if err != nil {
		t.Fatal(err)
	}
	if want := (pageData{}).Needs(); !strings.Contains(string(text), want) {
		t.Errorf("docs/methods.md lacks\n%s", want)
	}
}
