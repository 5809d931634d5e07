//go:build mpi && linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/drotrain/drotrain/train"
)

// Under launchers that are installed; DROTRAIN_MPIEXEC and DROTRAIN_MPI add one. Without the
// tag these tests are not built; .ci/run runs them.

// A job starts this program as ranks.
type job struct {
	t        *testing.T
	launcher []string
	env      []string
	program  string // the command, as a launcher takes it
	dir      string
}

func jobs(t *testing.T, use func(t *testing.T, j job)) {
	any := false
	for name, launcher := range map[string][]string{
		"OpenMPI": {"mpirun.openmpi", "--oversubscribe"}, "MPICH": {"mpirun.mpich"}, "named": {os.Getenv("DROTRAIN_MPIEXEC")},
	} {
		path, err := exec.LookPath(launcher[0])
		if err != nil {
			t.Logf("%s is not installed", name)
			continue
		}
		any = true
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			program := filepath.Join(dir, "drotrain") // the name by which TestMain runs the command
			if err := os.Symlink(os.Args[0], program); err != nil {
				t.Fatal(err)
			}
			library := ""
			if name == "named" {
				library = os.Getenv("DROTRAIN_MPI")
			}
			use(t, job{t, append([]string{path}, launcher[1:]...), append(os.Environ(),
				"OMPI_ALLOW_RUN_AS_ROOT=1", "DROTRAIN_TEST_CHECKPOINT=1ms", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
				"DROTRAIN_MPI="+library), program, dir})
		})
	}
	if !any {
		t.Skip("no MPI is installed")
	}
}

// start runs the command in a new process and returns its stderr.
func (j job) start(n int, args ...string) (*exec.Cmd, *bytes.Buffer) {
	j.t.Helper()
	c := exec.Command(j.launcher[0], append(append(append([]string{}, j.launcher[1:]...), "-n", fmt.Sprint(n)),
		args...)...)
	var out bytes.Buffer
	c.Stdout, c.Stderr, c.Env, c.Dir, c.WaitDelay = &out, &out, j.env, j.dir, time.Second
	if err := c.Start(); err != nil {
		j.t.Fatal(err)
	}
	timer := time.AfterFunc(2*time.Minute, func() { _ = c.Process.Kill() })
	j.t.Cleanup(func() { timer.Stop() })
	return c, &out
}

func (j job) run(n int, args ...string) (string, error) {
	j.t.Helper()
	c, out := j.start(n, args...)
	err := c.Wait()
	return out.String(), err
}

// model is the saved one without its seconds.
func (j job) model(out string) string {
	j.t.Helper()
	b, err := os.ReadFile(filepath.Join(j.dir, out, modelFile))
	if err != nil {
		j.t.Fatal(err)
	}
	return string(regexp.MustCompile(`"(seconds|trained)": [^,\n]*`).ReplaceAll(b, nil))
}

// tables puts three files of the same columns into a directory, and names them by a glob.
func (j job) tables() string {
	b, err := os.ReadFile("../../datasets/files/hmda.parquet")
	if err != nil {
		j.t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(j.dir, "data"), 0o755); err != nil {
		j.t.Fatal(err)
	}
	for _, name := range []string{"a", "b", "c"} {
		if err := os.WriteFile(filepath.Join(j.dir, "data", name+".parquet"), b, 0o644); err != nil {
			j.t.Fatal(err)
		}
	}
	return "data/*.parquet"
}

// With any number of ranks, rank 0 alone writes the same model, the same measures and a report.
func TestMPI_TrainsTheModelOfOneProcess(t *testing.T) {
	jobs(t, func(t *testing.T, j job) {
		table := j.tables()
		before, measured := "", ""
		for _, n := range []int{1, 2, 3} {
			out := fmt.Sprint("out", n)
			said, err := j.run(n, j.program, "train", "--data", table, "--target", "deny", "--groups", "afam", "--nu", "5",
				"--resamples", "100", "--out", out, "--threads", "1")
			if err != nil || strings.Count(said, "certified") == 0 ||
				!regexp.MustCompile(fmt.Sprintf(`ranks %d, rounds \d+, [\d.]+ MB per rank`, n)).MatchString(said) {
				t.Fatalf("%d ranks: %v: %s", n, err, said)
			}
			if strings.Count(said, "reading ") != 1 {
				t.Errorf("%d ranks speak more than once: %s", n, said)
			}
			if _, err := os.Stat(filepath.Join(j.dir, out, reportFile)); err != nil {
				t.Error(err)
			}
			is := j.model(out)
			if before != "" && is != before {
				t.Errorf("%d ranks have another model than one", n)
			}
			before = is
			b := contents(t, filepath.Join(j.dir, out, metricsFile))
			if measured != "" && string(b) != measured {
				t.Errorf("%d ranks measure otherwise than one", n)
			}
			measured = string(b)
		}
	})
}

// Ranks with different options, and options that need a single process, are refused before training.
func TestMPI_RefusesRanksThatDiffer(t *testing.T) {
	jobs(t, func(t *testing.T, j job) {
		table := j.tables()
		script := filepath.Join(j.dir, "each")
		text := "#!/bin/sh\nrank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\n%s\nexec " + j.program + " train --data '" + table +
			"' --target deny --nu 1 --report none --force --out out $more\n"
		for name, c := range map[string]struct{ lines, says string }{
			"options":   {`[ $rank = 1 ] && more="--seed 5"`, "rank 1 was given different options"},
			"processor": {`[ $rank = 1 ] && export GODEBUG=cpu.avx2=off`, "rank 1 runs on a different kind of processor"},
			"files": {`[ $rank = 1 ] && { mkdir -p other/data; for f in a b; do ln -sf ` + j.dir +
				`/data/$f.parquet other/data; done; cd other; }`, "rank 1 finds 2 files, but rank 0 finds 3"},
			"content": {`[ $rank = 1 ] && { mkdir -p third/data; cp data/*.parquet third/data; cp ` +
				must(filepath.Abs("../../datasets/files/digits.parquet")) + ` third/data/c.parquet; cd third; }`, "rank 1"},
		} {
			if err := os.WriteFile(script, []byte(fmt.Sprintf(text, c.lines)), 0o755); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			if said, err := j.run(2, script); err == nil || !strings.Contains(said, c.says) || time.Since(began) > time.Minute {
				t.Errorf("%s: after %v: %v: %s", name, time.Since(began), err, said)
			}
		}
		args := []string{"train", "--data", table, "--target", "deny", "--nu", "1", "--report", "none", "--force", "--out",
			"out"}
		both := append(append(append([]string{j.program}, args...), ":", "-n", "1", j.otherVersion()), args...)
		if said, err := j.run(1, both...); err == nil ||
			!strings.Contains(said, "rank 1 runs a different version (v9.9.9) from rank 0 ("+train.Version()) {
			t.Errorf("another version: %v: %s", err, said)
		}
		if said, err := j.run(2, j.program, "inspect", "builtin:hmda"); err == nil ||
			!strings.Contains(said, "only train supports several processes") {
			t.Errorf("%v: %s", err, said)
		}
		if said, err := j.run(2, j.program, "train", "--data", "builtin:hmda", "--recalibrate", "--out", "r"); err == nil ||
			!strings.Contains(said, "recalibrate does not work with several ranks") {
			t.Errorf("%v: %s", err, said)
		}
	})
}

// otherVersion is this program, as the build of another version would be.
func (j job) otherVersion() string {
	j.t.Helper()
	b, err := os.ReadFile(os.Args[0])
	if err != nil {
		j.t.Fatal(err)
	}
	const module = "\tgithub.com/drotrain/drotrain\t"
	is, other := []byte(module+train.Version()+"\t\n"), []byte(module+"v9.9.9\t")
	if len(other)+1 > len(is) || !bytes.Contains(b, is) {
		j.t.Fatalf("the version %s is not in the program", train.Version())
	}
	other = append(other, bytes.Repeat([]byte("0"), len(is)-len(other)-1)...) // in the place of a checksum
	path := filepath.Join(j.dir, "another", "drotrain")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		j.t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.ReplaceAll(b, is, append(other, '\n')), 0o755); err != nil {
		j.t.Fatal(err)
	}
	return path
}

func must(path string, err error) string {
	if err != nil {
		panic(err)
	}
	return path
}

// If a rank is killed, all ranks end within seconds, and a resumed run is certified to the same gap.
func TestMPI_DeathOfARankEndsAllAndResumes(t *testing.T) {
	jobs(t, func(t *testing.T, j job) {
		t.Setenv("DROTRAIN_TEST_CHECKPOINT", "1ms")
		table := j.tables()
		args := []string{"train", "--data", table, "--target", "deny", "--nu", "0.2", "--gap", "1e-9", "--report", "none",
			"--threads", "1", "--out"}
		if said, err := j.run(2, append(append([]string{j.program}, args...), "whole")...); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		script := filepath.Join(j.dir, "each")
		line := "#!/bin/sh\nrank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\necho $$ > pid$rank\nexec " + j.program + " \"$@\"\n"
		if err := os.WriteFile(script, []byte(line), 0o755); err != nil {
			t.Fatal(err)
		}
		c, out := j.start(2, append(append([]string{script}, args...), "killed")...)
		for until := time.Now().Add(time.Minute); ; time.Sleep(2 * time.Millisecond) {
			if _, err := os.Stat(filepath.Join(j.dir, "killed", checkpointFile)); err == nil {
				break
			} else if time.Now().After(until) {
				t.Fatalf("cannot write the checkpoint: %s", out)
			}
		}
		b := contents(t, filepath.Join(j.dir, "pid1"))
		pid, _ := strconv.Atoi(strings.TrimSpace(string(b)))
		killed := syscall.Kill(pid, syscall.SIGKILL)
		began := time.Now()
		if err := c.Wait(); killed == nil && err == nil {
			t.Logf("it had ended")
		} else if time.Since(began) > time.Minute {
			t.Errorf("the others ended after %v", time.Since(began))
		} else {
			said, err := j.run(3, j.program, "train", "--resume", "--out", "killed") // of another number
			if err != nil {
				t.Fatalf("%v: %s", err, said)
			}
		}
		if got, want := savedAnswer(t, filepath.Join(j.dir, "killed")), savedAnswer(t,
			filepath.Join(j.dir, "whole")); !sameAnswer(got, want) {
			t.Errorf("resumed: %+v, uninterrupted: %+v", got, want)
		}
	})
}

// A signal to a rank while rank 0 writes the report ends all ranks with the exit code of the signal and a message.
func TestMPI_SignalEndsAllRanks(t *testing.T) {
	jobs(t, func(t *testing.T, j job) {
		table := j.tables()
		script := filepath.Join(j.dir, "each")
		line := "#!/bin/sh\nrank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\necho $$ > pid$rank\nexec " + j.program + " \"$@\"\n"
		if err := os.WriteFile(script, []byte(line), 0o755); err != nil {
			t.Fatal(err)
		}
		c, out := j.start(2, script, "train", "--data", table, "--target", "deny", "--groups", "afam", "--nu", "1",
			"--threads", "1", "--resamples", "1000000", "--out", "o")
		for until := time.Now().Add(time.Minute); ; time.Sleep(2 * time.Millisecond) {
			if _, err := os.Stat(filepath.Join(j.dir, "o", modelFile)); err == nil {
				break
			} else if time.Now().After(until) {
				t.Fatalf("no model: %s", out)
			}
		}
		b := contents(t, filepath.Join(j.dir, "pid1"))
		pid, _ := strconv.Atoi(strings.TrimSpace(string(b)))
		if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait()
		says := regexp.MustCompile(`drotrain: error: rank 1: terminated before (the report was|rank 0 had) finished\n`)
		if code := c.ProcessState.ExitCode(); code != 143 || !says.MatchString(out.String()) {
			t.Errorf("exit code %d: %s", code, out)
		}
	})
}
