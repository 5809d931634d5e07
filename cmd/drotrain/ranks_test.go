package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/internal/ranks"
)

// Every rank is told which one stands otherwise, in what, and what rank 0 has.
func TestRanksThatDifferAreRefused(t *testing.T) {
	same := standing{"v1", "amd64", "--nu 1 ", "abc", "host"}
	for want, other := range map[string]standing{
		"": same,
		"rank 2 is another version: v2, and rank 0 v1":                         {"v2", "amd64", "--nu 1 ", "abc", "host"},
		"rank 2 runs on another kind of processor: arm64, and rank 0 amd64":    {"v1", "arm64", "--nu 1 ", "abc", "host"},
		"rank 2 was given other options: --nu 1 --seed 5 , and rank 0 --nu 1 ": {"v1", "amd64", "--nu 1 --seed 5 ", "abc", "host"},
		"rank 2 sees another checkpoint: def, and rank 0 abc":                  {"v1", "amd64", "--nu 1 ", "def", "host"},
	} {
		told := make([]string, 3)
		if err := ranks.Run(3, func(c ranks.Comm) error {
			own := same
			if c.Rank() == 2 {
				own = other
			}
			if _, _, err := own.agreed(c); err != nil {
				told[c.Rank()] = err.Error()
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for r, got := range told {
			if !strings.HasPrefix(got, want) || (got == "") != (want == "") {
				t.Errorf("rank %d is told %q, not %q", r, got, want)
			}
		}
	}
}

// Ranks on the same processors divide these among themselves.
func TestRanksShareProcessors(t *testing.T) {
	hosts := []string{"a", "b", "a", "a", "b", "c"}
	if err := ranks.Run(len(hosts), func(c ranks.Comm) error {
		place, beside, err := standing{Processors: hosts[c.Rank()]}.agreed(c)
		if err != nil {
			return err
		}
		want := []int{3, 4, 3, 2, 4, 8}[c.Rank()]
		if got := share(8, place, beside); got != want {
			t.Errorf("rank %d takes %d of 8 processors, not %d", c.Rank(), got, want)
		}
		if got := share(1, place, beside); got != 1 {
			t.Errorf("rank %d takes %d of one processor", c.Rank(), got)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// launched runs a command line as so many ranks of this process, with what each is given
// beside it: their codes, and what each says to its two streams.
func launched(t *testing.T, n int, line string, beside ...string) (codes []int, said, errs []string) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	codes, said, errs = make([]int, n), make([]string, n), make([]string, n)
	_ = ranks.Run(n, func(c ranks.Comm) error {
		var out, err bytes.Buffer
		a := &app{stdout: &out, stderr: &err, now: time.Now}
		a.join(c)
		args := strings.Fields(line)
		if c.Rank() < len(beside) {
			args = append(args, strings.Fields(beside[c.Rank()])...)
		}
		code := a.run(t.Context(), args)
		codes[c.Rank()], said[c.Rank()], errs[c.Rank()] = code, out.String(), err.String()
		if code != exit.OK && code != exit.Limit {
			return fmt.Errorf("exit code %d", code)
		}
		return nil
	})
	return codes, said, errs
}

// Several ranks that hold out no rows write the model, and say that there is no report.
func TestRanks_NothingHeldOut(t *testing.T) {
	t.Chdir(t.TempDir())
	codes, _, errs := launched(t, 2, "train --data builtin:hmda --nu 5 --holdout 0 --quiet --threads 1 --out o")
	if codes[0] != exit.OK || codes[1] != exit.OK || !strings.Contains(errs[0], "warning: no report is written") || errs[1] != "" {
		t.Errorf("%v, %q", codes, errs)
	}
	if _, err := os.Stat("o/model.json"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat("o/report.html"); err == nil {
		t.Error("a report is written")
	}
}

// The first of several ranks writes what one alone writes, to the last bit but for the
// seconds, and prints; the others say nothing. What is for one process is refused, and so are
// ranks that were given other options, by each that hears of it.
func TestRanksOfTheProgram(t *testing.T) {
	t.Chdir(t.TempDir())
	const train = "train --data builtin:hmda --nu 5 --groups afam --resamples 0 --quiet --threads 1 --holdout 0.25 --checkpoint-every 1ms --out "
	kept := func(dir, name string) string {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(regexp.MustCompile(`"(seconds|created|checkpoint)": [^,\n]*`).ReplaceAll(b, nil))
	}
	for _, n := range []int{1, 3} {
		dir := fmt.Sprint("of", n)
		codes, said, errs := launched(t, n, train+dir)
		for r := range n {
			if codes[r] != exit.OK || errs[r] != "" || (said[r] == "") != (r > 0) {
				t.Errorf("rank %d of %d ends with %d: %s%s", r, n, codes[r], errs[r], said[r])
			}
		}
		for _, name := range []string{modelFile, metricsFile} {
			if kept(dir, name) != kept("of1", name) {
				t.Errorf("%d ranks write another %s than one", n, name)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, checkpointFile)); err == nil {
			t.Errorf("a checkpoint of %d ranks that have ended is left", n)
		}
	}
	for _, command := range []string{"inspect builtin:hmda", "tune --data builtin:hmda", "datasets"} {
		codes, _, errs := launched(t, 2, command)
		if name, _, _ := strings.Cut(command, " "); codes[0] != exit.Usage || !strings.Contains(errs[0], name+" is for one process, and this is one of 2: only train runs over several") {
			t.Errorf("%s: %d, %s", command, codes[0], errs[0])
		}
	}
	if codes, said, errs := launched(t, 1, "datasets"); codes[0] != exit.OK || said[0] == "" || errs[0] != "" {
		t.Errorf("one rank: %d, %s", codes[0], errs[0])
	}
	codes, _, errs := launched(t, 3, train+"other", "", "", "--seed 5 --quiet=false")
	for r := range codes {
		says := "drotrain: error: "
		if r > 0 {
			says += fmt.Sprintf("rank %d: ", r)
		}
		if says += "rank 2 was given other options: "; codes[r] != exit.Failed || !strings.HasPrefix(errs[r], says) || !strings.Contains(errs[r], "--seed 5 ") || strings.Contains(errs[r], "--quiet") {
			t.Errorf("rank %d: %d, %s", r, codes[r], errs[r])
		}
	}
}
