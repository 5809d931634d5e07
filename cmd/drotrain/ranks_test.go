package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/internal/ranks"
)

// Every rank reports which rank differs from rank 0, in what, and both values.
func TestRanks_RefusesDifferences(t *testing.T) {
	same := rankState{"v1", "amd64", "--nu 1 ", "abc", "host"}
	for want, other := range map[string]rankState{
		"": same,
		"rank 2 runs a different version (v2) from rank 0 (v1)": {"v2", "amd64", "--nu 1 ", "abc",
			"host"},
		"rank 2 runs on a different kind of processor (arm64) from rank 0 (amd64)": {"v1", "arm64", "--nu 1 ", "abc",
			"host"},
		"rank 2 was given different options (--nu 1 --seed 5 ) from rank 0 (--nu 1 )": {"v1", "amd64", "--nu 1 --seed 5 ",
			"abc", "host"},
		"rank 2 sees a different checkpoint (def) from rank 0 (abc)": {"v1", "amd64", "--nu 1 ", "def",
			"host"},
	} {
		told := make([]string, 3)
		if err := ranks.Run(3, func(c ranks.Comm) error {
			own := same
			if c.Rank() == 2 {
				own = other
			}
			if _, _, err := own.compareRanks(c); err != nil {
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

// Ranks on the same processors divide the processors among themselves.
func TestRanks_ShareProcessors(t *testing.T) {
	hosts := []string{"a", "b", "a", "a", "b", "c"}
	if err := ranks.Run(len(hosts), func(c ranks.Comm) error {
		index, count, err := rankState{Processors: hosts[c.Rank()]}.compareRanks(c)
		if err != nil {
			return err
		}
		want := []int{3, 4, 3, 2, 4, 8}[c.Rank()]
		if got := shareProcessors(8, index, count); got != want {
			t.Errorf("rank %d takes %d of 8 processors, not %d", c.Rank(), got, want)
		}
		if got := shareProcessors(1, index, count); got != 1 {
			t.Errorf("rank %d takes %d of one processor", c.Rank(), got)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// launched runs a command line as n ranks of this process, each with its own additional arguments, and returns the
// exit codes and the texts on both streams.
func launched(t *testing.T, n int, line string, beside ...string) (codes []int, said, errs []string) {
	t.Helper()
	codes, said, errs = make([]int, n), make([]string, n), make([]string, n)
	launchedWith(t, n, func(c ranks.Comm) int {
		var out, err bytes.Buffer
		a := &app{stdout: &out, stderr: &err, now: time.Now}
		a.joinRanks(c)
		args := strings.Fields(line)
		if c.Rank() < len(beside) {
			args = append(args, strings.Fields(beside[c.Rank()])...)
		}
		code := a.run(t.Context(), args)
		codes[c.Rank()], said[c.Rank()], errs[c.Rank()] = code, out.String(), err.String()
		return code
	})
	return codes, said, errs
}

// launchedWith calls run as n ranks of this process. run returns an exit code, which ends all ranks unless it is that
// of a training run with a model.
func launchedWith(t *testing.T, n int, run func(c ranks.Comm) int) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	_ = ranks.Run(n, func(c ranks.Comm) error {
		if code := run(c); code != exit.OK && code != exit.Limit {
			return fmt.Errorf("exit code %d", code)
		}
		return nil
	})
}

// A signal to any rank ends all ranks with its exit code and a message that names the rank. Rank 0 prints the message
// if all ranks can stop together; otherwise the rank itself does.
func TestRanks_Signals(t *testing.T) {
	for _, c := range []struct {
		when, options string
		rank, speaks  int
		msg           string
	}{
		{"", "", 2, 2, "drotrain: error: rank 2: terminated before a model was trained\n"},
		{"ERM: ", "", 2, 0, "drotrain: error: rank 2 was terminated before a model was trained\n"},
		{"ERM: ", "", 0, 0, "drotrain: error: terminated before a model was trained\n"},
		{"robust: ", "", 1, 0,
			"drotrain: error: rank 1 was terminated; the unfinished model was written to o/model.json, marked uncertified\n"},
		{"robust: ", "", 0, 0,
			"drotrain: error: terminated; the unfinished model was written to o/model.json, marked uncertified\n"},
	} {
		t.Run(fmt.Sprint(c.when, c.rank), func(t *testing.T) {
			t.Chdir(t.TempDir())
			ctx, stop := context.WithCancelCause(t.Context())
			signal := func() { stop(exit.Interrupted{Signal: syscall.SIGTERM}) }
			if c.when == "" {
				signal()
			}
			codes, errs := make([]int, 3), make([]trigger, 3)
			launchedWith(t, 3, func(comm ranks.Comm) int {
				r := comm.Rank()
				errs[r].text, errs[r].f = c.when, signal
				if c.when == "" || r > 0 {
					errs[r].f = func() {}
				}
				clock := time.Unix(0, 0)
				a := &app{stdout: io.Discard, stderr: &errs[r], now: func() time.Time {
					clock = clock.Add(time.Minute)
					return clock
				}}
				a.joinRanks(comm)
				own := t.Context()
				if r == c.rank {
					own = ctx
				}
				codes[r] = a.run(own,
					strings.Fields("train --data builtin:hmda --nu 0.1 --gap 1e-9 --threads 1 --out o "+c.options))
				return codes[r]
			})
			if codes[c.speaks] != 143 || !strings.Contains(errs[c.speaks].String(), c.msg) {
				t.Errorf("exit codes %v: %s", codes, &errs[c.speaks])
			}
			for r, code := range codes {
				if c.speaks == 0 && r > 0 && (code != exit.OK || errs[r].Len() > 0) {
					t.Errorf("rank %d ends with %d: %s", r, code, &errs[r])
				}
			}
		})
	}
}

// A worker is a rank that is not the first. It records the exit code that it ends all with.
type worker struct {
	ranks.One
	ended chan int
}

func (worker) Rank() int        { return 1 }
func (worker) Size() int        { return 2 }
func (w worker) Abort(code int) { w.ended <- code }

// A rank that receives a signal while it waits for the report of rank 0 prints a message and ends all ranks with the
// exit code of the signal.
func TestRanks_SignalWhileTheFirstWorks(t *testing.T) {
	var faults bytes.Buffer
	w := worker{ended: make(chan int, 1)}
	a := &app{stdout: io.Discard, stderr: &faults, now: time.Now}
	a.joinRanks(w)
	ctx, stop := context.WithCancelCause(t.Context())
	if !a.endsOnSignal(ctx) {
		t.Fatal("it does not wait")
	}
	stop(exit.Interrupted{Signal: syscall.SIGTERM})
	if code := <-w.ended; code != 143 ||
		faults.String() != "drotrain: error: rank 1: terminated before rank 0 had finished\n" {
		t.Errorf("all end with %d: %s", code, &faults)
	}
	if a.endsOnSignal(ctx) {
		t.Error("a rank that was stopped with all others waits for a signal")
	}
	first := &app{}
	first.joinRanks(ranks.One{})
	if first.endsOnSignal(t.Context()) {
		t.Error("the only rank waits for another")
	}
}

// Without hold-out rows, several ranks write the model and warn that there is no report.
func TestRanks_NothingHeldOut(t *testing.T) {
	t.Chdir(t.TempDir())
	codes, _, errs := launched(t, 2, "train --data builtin:hmda --nu 5 --holdout 0 --quiet --threads 1 --out o")
	if codes[0] != exit.OK || codes[1] != exit.OK || !strings.Contains(errs[0], "warning: no report is written") ||
		errs[1] != "" {
		t.Errorf("%v, %q", codes, errs)
	}
	if _, err := os.Stat("o/model.json"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat("o/report.html"); err == nil {
		t.Error("a report is written")
	}
}

// Rank 0 of several writes the files of a single process, bit for bit except for times, and prints the outcome; the
// others print nothing. With several ranks, commands other than train are refused, and so are ranks with different
// options, by every rank.
func TestRanks_TrainTheModelOfOneProcess(t *testing.T) {
	t.Chdir(t.TempDir())
	const train = "train --data builtin:hmda --nu 5 --groups afam --resamples 0 --quiet --threads 1 --holdout 0.25 --out "
	kept := func(dir, name string) string {
		b := contents(t, filepath.Join(dir, name))
		return string(regexp.MustCompile(`"(seconds|trained|created|checkpoint)": [^,\n]*`).ReplaceAll(b, nil))
	}
	for _, n := range []int{1, 3} {
		dir := fmt.Sprint("of", n)
		codes, said, errs := launched(t, n, train+dir)
		for r := range n {
			if codes[r] != exit.OK || r > 0 && errs[r] != "" || strings.Contains(errs[r], "error") ||
				(said[r] == "") != (r > 0) {
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
		if name, _, _ := strings.Cut(command, " "); codes[0] != exit.Usage ||
			!strings.Contains(errs[0], name+" cannot run in 2 processes: only train supports several processes") {
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
		if says += "rank 2 was given different options ("; codes[r] != exit.Failed || !strings.HasPrefix(errs[r], says) ||
			!strings.Contains(errs[r], "--seed 5 ") || strings.Contains(errs[r], "--quiet") {
			t.Errorf("rank %d: %d, %s", r, codes[r], errs[r])
		}
	}
}
