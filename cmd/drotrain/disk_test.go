//go:build unix

package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/datasets"
	"github.com/drotrain/drotrain/internal/limit"
)

// embedded returns the columns of a built-in data set.
func embedded(t *testing.T, name string) (columns []data.Column) {
	t.Helper()
	f, err := datasets.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range f.Columns {
		columns = append(columns, *c)
	}
	return columns
}

// If files may not grow (ulimit -f), as on a full disk, a training run whose rows are stored on disk ends with an
// error that names the directory and a fix. No file remains, and the same command succeeds without the limit.
func TestFile_TooLargeForTheDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes")
	}
	t.Chdir(t.TempDir())
	if err := data.WriteTable("t.parquet", embedded(t, "cps1988"), false); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("cache", 0o777); err != nil {
		t.Fatal(err)
	}
	run := func(limit string) (code int, stderr string) {
		cmd := exec.Command("sh", "-c", `ulimit -f `+limit+`; exec drotrain "$@"`, "sh", "train", "--data", "t.parquet",
			"--target", "wage", "--nu", "1", "--loss", "huber",
			"--cache", "cache", "--memory", "0", "--out", "out", "--force", "--report", "none", "--quiet")
		var told strings.Builder
		cmd.Stderr = &told
		_ = cmd.Run()
		return cmd.ProcessState.ExitCode(), told.String()
	}
	for _, limit := range []string{"8", "2000"} { // of 512 bytes: the buckets, the matrix
		code, told := run(limit)
		if code != exit.Failed || !strings.Contains(told, "cache: file too large") ||
			!strings.Contains(told, "name a directory on another disk with --cache") {
			t.Errorf("%s blocks: exit code %d: %s", limit, code, told)
		}
		if left, err := os.ReadDir("cache"); err == nil && len(left) > 0 {
			t.Errorf("%s blocks: %s is left", limit, left[0].Name())
		}
		if _, err := os.Stat("out/" + modelFile); err == nil {
			t.Errorf("%s blocks: there is a model", limit)
		}
	}
	if code, told := run("unlimited"); code != exit.OK {
		t.Errorf("with room: exit code %d: %s", code, told)
	}
}

// If a limit on the address space leaves the runtime too little, the command fails before it reads the table and does
// not crash.
func TestAddressSpace_TooLittle(t *testing.T) {
	least := limit.LeastAddressSpace()
	if err := checkAddressSpace(least, least); err != nil {
		t.Error(err)
	}
	err := checkAddressSpace(least-1, least)
	if msg, hint := exit.Describe(err); exit.Code(t.Context(), err) != exit.Failed ||
		!strings.Contains(msg, "ulimit -v leaves") || !strings.Contains(hint, "raise this limit") {
		t.Errorf("%s; %s", msg, hint)
	}
}
