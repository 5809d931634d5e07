//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/train"
)

// endless trains for the better part of a minute, as long as nobody stops it.
var endless = []string{"train", "--data", "builtin:hmda", "--mu", "1e-12", "--nu", "1e-9", "--solver", "separable",
	"--gap", "1e-300", "--max-passes", "1e12", "--verbose"}

// start runs the command in a new process and returns its stderr.
func start(t *testing.T, args ...string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts processes")
	}
	cmd := exec.Command("drotrain", args...)
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, bufio.NewReader(stderr)
}

// await reads lines until one contains text.
func await(t *testing.T, r *bufio.Reader, text string) {
	t.Helper()
	var seen bytes.Buffer
	for {
		line, err := r.ReadString('\n')
		if seen.WriteString(line); err != nil {
			t.Fatalf("%v before %q:\n%s", err, text, &seen)
		}
		if strings.Contains(line, text) {
			return
		}
	}
}

// If the terminal is closed during training, the unfinished model is saved.
func TestSignal_HangUpSavesTheModel(t *testing.T) {
	if signal.Ignored(syscall.SIGHUP) {
		t.Skip("these tests run under nohup, which the command inherits")
	}
	t.Chdir(t.TempDir())
	cmd, stderr := start(t, endless...)
	await(t, stderr, "solver: ")
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(stderr)
	var ended *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &ended) || ended.ExitCode() != 129 {
		t.Errorf("%v, want exit status 129", err)
	}
	if !strings.Contains(string(rest), "error: hung up; the unfinished model was written to drotrain-out/model.json") {
		t.Errorf("stderr %q", rest)
	}
	if m, err := train.Load("drotrain-out/model.json"); err != nil || m.Result.Status != "cancelled" {
		t.Errorf("model %v", err)
	}
}

// Under nohup, SIGHUP is ignored.
func TestSignal_HangUpIsIgnoredUnderNohup(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := exec.LookPath("nohup"); err != nil {
		t.Skip(err)
	}
	if testing.Short() {
		t.Skip("it starts processes")
	}
	cmd := exec.Command("nohup", append([]string{"drotrain"}, endless...)...)
	pipe, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	stderr := bufio.NewReader(pipe)
	await(t, stderr, "solver: ")
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM} {
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = io.ReadAll(stderr)
	var ended *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &ended) || ended.ExitCode() != 143 {
		t.Errorf("%v, want exit status 143 of the second signal", err)
	}
}

// A killed run leaves no directory that looks like a result, and the next run can use the directory.
func TestSignal_KillLeavesWhatMayGoOn(t *testing.T) {
	t.Chdir(t.TempDir())
	cmd, stderr := start(t, endless...)
	await(t, stderr, "solver: ")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = io.ReadAll(stderr)
	_ = cmd.Wait()
	if left, err := os.ReadDir("drotrain-out"); err == nil &&
		(len(left) > 1 || len(left) == 1 && left[0].Name() != ".drotrain.lock") {
		t.Errorf("left behind: %v, want a lock at most", left)
	}
	if code, _, stderr := try(t.Context(), append([]string{"train", "--quiet"}, leveled...)...); code != exit.OK {
		t.Errorf("the next run: %d %s", code, stderr)
	}
}

// unread returns the writing end of a pipe whose reader is closed.
func unread(t *testing.T) *os.File {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	t.Cleanup(func() { w.Close() })
	return w
}

// If nobody reads stderr, training continues.
func TestStderr_ClosedDoesNotEndTheTraining(t *testing.T) {
	t.Chdir(t.TempDir())
	if testing.Short() {
		t.Skip("it starts processes")
	}
	w := unread(t)
	var out bytes.Buffer
	cmd := exec.Command("drotrain", append([]string{"train", "--json"}, leveled...)...)
	cmd.Stdout, cmd.Stderr = &out, w
	err := cmd.Run()
	if err != nil || !strings.Contains(out.String(), `"certified": true`) {
		t.Errorf("%v\n%s", err, &out)
	}
	if _, err := train.Load("drotrain-out/model.json"); err != nil {
		t.Error(err)
	}
}

// If nobody reads standard output, the files are written nevertheless, and no error is printed.
func TestStdout_ClosedLeavesTheFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes")
	}
	for _, c := range []struct {
		args  []string
		files []string
	}{
		{append([]string{"train"}, leveled...), []string{"model.json", "metrics.json", "report.html"}},
		{[]string{"tune", "--data", "builtin:loans", "--folds", "2"}, []string{"selection.json", "train.yaml"}},
	} {
		t.Run(c.args[0], func(t *testing.T) {
			t.Chdir(t.TempDir())
			var errs bytes.Buffer
			cmd := exec.Command("drotrain", append(c.args, "--quiet", "--out", "out")...)
			cmd.Stdout, cmd.Stderr = unread(t), &errs
			err := cmd.Run()
			var ended *exec.ExitError
			if !errors.As(err, &ended) || ended.ExitCode() != exit.Pipe || strings.Contains(errs.String(), "error") {
				t.Errorf("%v, want exit status %d; stderr %q", err, exit.Pipe, &errs)
			}
			for _, f := range c.files {
				if info, err := os.Stat("out/" + f); err != nil || info.Size() == 0 {
					t.Errorf("%s: %v", f, err)
				}
			}
		})
	}
}
