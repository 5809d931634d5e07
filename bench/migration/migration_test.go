package migration

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Where a Python with cvxpy is at hand both sides have one optimum; without, the page
// is still written.
func TestRun_WritesTheTable(t *testing.T) {
	gap := 1e-10
	f := &Found{Results: []Result{
		{Case: Cases()[1], Theirs: 2, Ours: 1, Gap: &gap},
		{Case: Cases()[0], Err: "ModuleNotFoundError: dro"},
	}}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil || !strings.Contains(b.String(), "| 2 | 0e+00 | 1e-10 |") ||
		!strings.Contains(b.String(), "ModuleNotFoundError") {
		t.Errorf("%v\n%s", err, b.String())
	}
	python := os.Getenv("DROTRAIN_PYTHON")
	if python == "" || exec.Command(python, "-c", "import cvxpy").Run() != nil {
		t.Skip("DROTRAIN_PYTHON names no Python with cvxpy")
	}
	found, err := Run(t.Context(), python)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range found.Results {
		if r.Err != "" {
			t.Logf("%s: %s", r.Package, r.Err)
		} else if off := r.Theirs/r.times() - r.Ours; !(off < 1e-6 && off > -1e-6) {
			t.Errorf("%s, %s: %v there, %v here", r.Package, r.Case.Theirs, r.Theirs, r.Ours)
		}
	}
}
