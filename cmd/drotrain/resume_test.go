//go:build unix

package main

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
)

// slow is a training of a second or so, whose solver checks often.
var slow = []string{"train", "--data", "builtin:hmda", "--nu", "0.05", "--solver", "lbfgs", "--gap", "1e-5", "--checkpoint-every", "1ms", "--no-report", "--quiet"}

// savedModel is the model of a directory, without the times in it.
func savedModel(t *testing.T, dir string) string {
	t.Helper()
	b, err := os.ReadFile(dir + "/model.json")
	if err != nil {
		t.Fatal(err)
	}
	var m any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	var strip func(v any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			delete(v, "seconds")
			for _, w := range v {
				strip(w)
			}
		case []any:
			for _, w := range v {
				strip(w)
			}
		}
	}
	strip(m)
	b, err = json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A training that is killed at random moments, and goes on each time, ends with the model
// of one that nobody killed, and leaves no checkpoint.
func TestKilledAndResumed(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes")
	}
	kills := 4
	if os.Getenv("DROTRAIN_LONG") != "" {
		kills = 60
	}
	t.Chdir(t.TempDir())
	began := time.Now()
	if b, err := exec.Command("drotrain", append(slow, "--out", "whole")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	took := time.Since(began)
	rng := rand.New(rand.NewPCG(1, 2))
	want := savedModel(t, "whole")
	resumed := 0
	for killed := 0; killed < kills || resumed == 0 && killed < 10*kills; {
		if err := os.RemoveAll("cut"); err != nil {
			t.Fatal(err)
		}
		for ended := false; !ended; {
			args := append(slow, "--out", "cut", "--force")
			if _, err := os.Stat("cut/" + checkpointFile); err == nil {
				args = []string{"train", "--resume", "--out", "cut", "--quiet"}
				resumed++
			}
			cmd := exec.Command("drotrain", args...)
			var stderr strings.Builder
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if killed < 10*kills { // until a checkpoint was met, too
				time.AfterFunc(time.Duration(rng.Float64()*float64(took)), func() { _ = cmd.Process.Kill() })
			}
			err := cmd.Wait()
			switch code := cmd.ProcessState.ExitCode(); {
			case code == -1:
				killed++
			case err != nil:
				t.Fatalf("exit code %d: %s", code, stderr.String())
			default:
				ended = true
			}
		}
		if got := savedModel(t, "cut"); got != want {
			t.Fatalf("after %d kills:\n%s\nuninterrupted:\n%s", killed, got, want)
		}
		files, err := os.ReadDir("cut")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if f.Name() != modelFile && !strings.HasPrefix(f.Name(), ".drotrain-") { // a file that was being written
				t.Errorf("%s is left", f.Name())
			}
		}
	}
	if resumed == 0 {
		t.Error("no run was resumed")
	}
}

// Options that differ are refused by name, and so is a resumption of nothing.
func TestResumeRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes")
	}
	t.Chdir(t.TempDir())
	if code, _, stderr := try(t.Context(), "train", "--resume", "--out", "none"); code != exit.Failed || !strings.Contains(stderr, "nothing to resume") {
		t.Errorf("%d: %s", code, stderr)
	}
	cmd, stderr := start(t, "train", "--data", "builtin:cps1988", "--solver", "full", "--gap", "1e-300", "--max-passes", "3000", "--out", "o", "--checkpoint-every", "1ms")
	go func() { _, _ = io.Copy(io.Discard, stderr) }()
	for range 400 {
		if _, err := os.Stat("o/" + checkpointFile); err == nil {
			break
		}
		time.Sleep(25 * time.Millisecond)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	code, _, told := try(t.Context(), "train", "--resume", "--out", "o", "--gap", "1e-3", "--groups", "region")
	for _, want := range []string{"option --gap has changed: it was 1e-300, now it is 0.001", "option --groups has changed: it was not set, now it is region", "--resume --out DIR alone"} {
		if code != exit.Failed || !strings.Contains(told, want) {
			t.Errorf("%d, without %q: %s", code, want, told)
		}
	}
	if err := os.WriteFile("o/"+checkpointFile, []byte("something"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, told := try(t.Context(), "train", "--resume", "--out", "o"); code != exit.Failed || !strings.Contains(told, "no checkpoint of this version") {
		t.Errorf("%d: %s", code, told)
	}
}
