//go:build unix

package main

import (
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/data"
)

// An answer is what a saved model says of its training.
type answer struct {
	Result struct {
		Status    string
		Objective float64
		Selection *struct{ Chosen int }
	}
}

// savedAnswer reads the model in a directory.
func savedAnswer(t *testing.T, dir string) (a answer) {
	t.Helper()
	b := contents(t, dir+"/model.json")
	if err := json.Unmarshal(b, &a); err != nil {
		t.Fatal(err)
	}
	if a.Result.Status == "" || a.Result.Objective == 0 {
		t.Fatalf("%s has no result: %s", dir, b[:min(500, len(b))])
	}
	return a
}

// sameAnswer reports whether two training runs were certified with the same result, to a gap of 1e-5 or less.
func sameAnswer(a, b answer) bool {
	chosen := func(a answer) int {
		if a.Result.Selection == nil {
			return -1
		}
		return a.Result.Selection.Chosen
	}
	return a.Result.Status == b.Result.Status && chosen(a) == chosen(b) &&
		math.Abs(a.Result.Objective-b.Result.Objective) <= 2e-5*math.Abs(a.Result.Objective)
}

// interrupted are trainings of a second or so: whose solver checks often; that chooses its
// level, of rows from a pipe; and of rows on disk.
var interrupted = map[string][]string{
	"memory": {"--data", "builtin:hmda", "--nu", "0.05", "--solver", "lbfgs", "--gap", "1e-5"},
	"stream": {"--data", "-", "--target", "wage", "--groups", "region"},
	"disk": {"--data", "t.parquet", "--target", "wage", "--ess", "0.3", "--gap", "1e-9", "--cache", "cache", "--memory",
		"0"},
}

// A training run that is killed at random moments, by SIGKILL or a signal that it handles, and is resumed each time,
// ends with a model that is certified to the same gap, and leaves no checkpoint.
func TestResume_AfterAKillIsCertifiedToTheSameGap(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes")
	}
	t.Setenv("DROTRAIN_TEST_CHECKPOINT", "1ms")
	kills := 2
	if os.Getenv("DROTRAIN_LONG") != "" {
		kills = 60
	}
	t.Chdir(t.TempDir())
	columns := embedded(t, "cps1988")
	for _, name := range []string{"t.parquet", "t.csv"} {
		if err := data.WriteTable(name, columns, false); err != nil {
			t.Fatal(err)
		}
		for i := range columns { // fewer for the pipe
			c := &columns[i]
			c.Number, c.Code, c.Null, c.Int = c.Number[:min(1200, len(c.Number))], c.Code[:min(1200,
				len(c.Code))], c.Null[:min(1200, len(c.Null))], c.Int[:min(1200, len(c.Int))]
		}
	}
	for name, options := range interrupted {
		t.Run(name, func(t *testing.T) { killAndResume(t, name, options, kills) })
	}
}

func killAndResume(t *testing.T, name string, options []string, kills int) {
	base := append([]string{"train", "--report", "none", "--quiet"}, options...)
	command := func(args ...string) (*exec.Cmd, *strings.Builder) {
		cmd, stderr := exec.Command("drotrain", args...), &strings.Builder{}
		cmd.Stderr = stderr
		if name == "stream" {
			in, err := os.Open("t.csv")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { in.Close() })
			cmd.Stdin = in
		}
		return cmd, stderr
	}
	began := time.Now()
	cmd, stderr := command(append(base, "--out", name+"-whole")...)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	took := time.Since(began)
	rng := rand.New(rand.NewPCG(1, uint64(len(name))))
	signals := []syscall.Signal{syscall.SIGKILL, syscall.SIGKILL, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}
	want, cut := savedAnswer(t, name+"-whole"), name+"-cut"
	resumed, answered := 0, 0
	for killed := 0; killed < kills || resumed == 0 && killed < 10*kills; {
		if err := os.RemoveAll(cut); err != nil {
			t.Fatal(err)
		}
		for ended := false; !ended; {
			args := append(base, "--out", cut, "--force")
			if _, err := os.Stat(cut + "/" + checkpointFile); err == nil {
				args = []string{"train", "--resume", "--out", cut, "--quiet"}
				resumed++
			}
			cmd, stderr := command(args...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			signal := signals[rng.IntN(len(signals))]
			if killed < 10*kills { // until a checkpoint was met, too
				time.AfterFunc(time.Duration(rng.Float64()*float64(took)), func() { _ = cmd.Process.Signal(signal) })
			}
			err := cmd.Wait()
			switch code := cmd.ProcessState.ExitCode(); {
			case code == -1:
				killed++
			case code == 128+int(signal):
				killed++
				answered++
			case err != nil:
				t.Fatalf("exit code %d: %s", code, stderr)
			default:
				ended = true
			}
		}
		if got := savedAnswer(t, cut); !sameAnswer(got, want) {
			t.Fatalf("after %d kills: %+v\nuninterrupted: %+v", killed, got, want)
		}
		for _, dir := range []string{cut, "cache"} {
			files, err := os.ReadDir(dir)
			if err != nil && dir == cut {
				t.Fatal(err)
			}
			for _, f := range files {
				// a file that was being written
				if (dir != cut || f.Name() != modelFile) && !strings.HasPrefix(f.Name(), ".drotrain-") {
					t.Errorf("%s is left in %s", f.Name(), dir)
				}
			}
		}
	}
	t.Logf("%d kills, %d of them answered, %d runs resumed", kills, answered, resumed)
	if resumed == 0 {
		t.Error("no run was resumed")
	}
}

// interruptTraining starts a training run with options and kills it once there is a checkpoint in out.
func interruptTraining(t *testing.T, out string, options ...string) {
	t.Helper()
	t.Setenv("DROTRAIN_TEST_CHECKPOINT", "1ms")
	cmd, stderr := start(t, append([]string{"train", "--out", out}, options...)...)
	go func() { _, _ = io.Copy(io.Discard, stderr) }()
	for range 2400 {
		if _, err := os.Stat(filepath.Join(out, checkpointFile)); err == nil {
			break
		}
		time.Sleep(25 * time.Millisecond)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// Changed options are refused by name, and so is --resume without a checkpoint.
func TestResume_RefusesOtherOptions(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes")
	}
	t.Chdir(t.TempDir())
	if code, _, stderr := try(t.Context(), "train", "--resume", "--out", "none"); code != exit.Failed ||
		!strings.Contains(stderr, "nothing to resume") {
		t.Errorf("%d: %s", code, stderr)
	}
	// With data a training run begins where there is nothing to resume, but not over the files of another.
	for i, want := range []int{exit.OK, exit.Failed} {
		code, _, stderr := try(t.Context(), "train", "--resume", "--data", "builtin:cps1988", "--nu", "1", "--report", "none",
			"--out", "begun")
		if code != want || strings.Contains(stderr, "exists and is not empty") != (i == 1) {
			t.Errorf("%d: %s", code, stderr)
		}
	}
	// What a configuration file says is remembered too.
	put(t, "c.yaml", "data: builtin:cps1988\nsolver: full\ngap: 1e-300\nmax-passes: 3000\n")
	interruptTraining(t, "c", "--config", "c.yaml")
	if code, _, told := try(t.Context(), "train", "--config", "c.yaml", "--out", "c"); code != exit.Failed ||
		!strings.Contains(told, "continue that run with --resume") {
		t.Errorf("%d: %s", code, told)
	}
	if code, _, told := try(t.Context(), "train", "--resume", "--out", "c", "--gap", "1e-3"); code != exit.Failed ||
		!strings.Contains(told, "option --gap has changed: it was 1e-300, now it is 0.001") ||
		strings.Contains(told, "option data") {
		t.Errorf("%d: %s", code, told)
	}
	if code, _, told := try(t.Context(), "train", "--resume", "--out", "c", "--report", "none"); strings.Contains(told,
		"option --data has changed") || !strings.Contains(told, "--report has changed") {
		t.Errorf("%d: %s", code, told)
	}
	interruptTraining(t, "o", "--data", "builtin:cps1988", "--solver", "full", "--gap", "1e-300", "--max-passes", "3000")
	code, _, told := try(t.Context(), "train", "--resume", "--out", "o", "--gap", "1e-3", "--groups", "region")
	for _, want := range []string{"option --gap has changed: it was 1e-300, now it is 0.001",
		"option --groups has changed: it was not set, now it is region", "give only --resume --out DIR"} {
		if code != exit.Failed || !strings.Contains(told, want) {
			t.Errorf("%d, without %q: %s", code, want, told)
		}
	}
	put(t, "o/"+checkpointFile, "something")
	if code, _, told := try(t.Context(), "train", "--resume", "--out", "o"); code != exit.Failed || !strings.Contains(told,
		"is not a checkpoint of this version") {
		t.Errorf("%d: %s", code, told)
	}
}
