//go:build mpi && linux

package mpi

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/ranks/gather"
)

// What a rank of the tests does, in the environment.
const role = "DROTRAIN_TEST_RANK"

func TestMain(m *testing.M) {
	if what := os.Getenv(role); what != "" {
		os.Exit(asRank(what))
	}
	os.Exit(m.Run())
}

func asRank(what string) int {
	c, exit, err := Start(os.Getenv)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	r, n := float64(c.Rank()), float64(c.Size())
	switch what {
	case "die":
		if c.Rank() == 1 {
			os.Exit(7)
		}
		c.Sum([]float64{1})
		time.Sleep(time.Minute)
	case "kill":
		if c.Rank() == 1 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		c.Sum([]float64{1})
		time.Sleep(time.Minute)
	case "stop": // as one whose wire is cut
		c.Sum([]float64{1})
		if c.Rank() == 1 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		}
		c.Sum([]float64{1})
	case "abort":
		if c.Rank() == 1 {
			c.Abort(5)
		}
		c.Sum([]float64{1})
	}
	sum, most := []float64{r, 1}, []float64{r, -r}
	c.Sum(sum)
	c.Max(most)
	own := make([]float64, 3*c.Rank())
	for i := range own {
		own[i] = r + float64(i)/8
	}
	all, ends := ranks.GatherAll(c, own)
	at, ok := 0, true
	for k, end := range ends {
		for i := 0; at < end; at, i = at+1, i+1 {
			ok = ok && all[at] == float64(k)+float64(i)/8
		}
	}
	long := make([]float64, 100_000)
	for i := range long {
		long[i] = r
	}
	c.Sum(long)
	text, err := gather.Values(c, fmt.Sprint("rank ", c.Rank()))
	if err != nil || !ok || sum[0] != n*(n-1)/2 || sum[1] != n || most[0] != n-1 || most[1] != 0 ||
		long[99_999] != n*(n-1)/2 || text[c.Size()-1] != fmt.Sprint("rank ", c.Size()-1) {
		fmt.Fprintln(os.Stderr, "wrong:", sum, most, all, ends, long[0], text, err)
		exit(9)
	}
	if c.Rank() == 0 {
		fmt.Printf("right of %d by %v\n", c.Size(), c)
	}
	exit(0)
	return 0
}

// A family is a launcher with its library.
type family struct{ name, launcher, library string }

// families are what is installed; DROTRAIN_MPIEXEC and DROTRAIN_MPI add one.
func families(t *testing.T) (out []family) {
	for _, f := range []family{
		{"Open MPI", "mpirun.openmpi", "libmpi.so.40"}, {"MPICH", "mpirun.mpich", "libmpich.so.12"},
		{"the one named", os.Getenv("DROTRAIN_MPIEXEC"), os.Getenv(Variable)},
	} {
		if path, err := exec.LookPath(f.launcher); err == nil {
			f.launcher = path
			out = append(out, f)
		} else {
			t.Logf("%s is not installed", f.name)
		}
	}
	if len(out) == 0 {
		t.Skip("no MPI is installed")
	}
	return out
}

// run starts this test as n ranks.
func (f family) run(t *testing.T, n int, what string) (string, error) {
	t.Helper()
	args := []string{"-n", fmt.Sprint(n)}
	if f.name == "Open MPI" {
		args = append(args, "--oversubscribe")
	}
	c := exec.Command(f.launcher, append(args, os.Args[0])...)
	c.Env = append(os.Environ(), role+"="+what, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
		Variable+"="+f.library)
	c.WaitDelay = time.Second
	timer := time.AfterFunc(time.Minute, func() { c.Process.Kill() })
	defer timer.Stop()
	out, err := c.CombinedOutput()
	return string(out), err
}

func TestWorld_Collectives(t *testing.T) {
	for _, f := range families(t) {
		for _, n := range []int{1, 2, 4} {
			out, err := f.run(t, n, "calls")
			if err != nil || !strings.Contains(out, fmt.Sprintf("right of %d by", n)) {
				t.Errorf("%s, %d ranks: %v: %s", f.name, n, err, out)
			} else {
				t.Log(strings.TrimSpace(out))
			}
		}
	}
}

// The death of a rank ends all within seconds, with an exit code.
func TestWorld_DeathOfARankEndsAll(t *testing.T) {
	for _, f := range families(t) {
		t.Setenv(Patience, "")
		for _, what := range []string{"die", "kill", "abort", "stop"} {
			if what == "stop" {
				t.Setenv(Patience, "500ms")
			}
			began := time.Now()
			if out, err := f.run(t, 2, what); err == nil || time.Since(began) > time.Minute {
				t.Errorf("%s, %s: after %v: %v: %s", f.name, what, time.Since(began), err, out)
			} else if what == "stop" && !strings.Contains(out, "no message from the other ranks for 500ms") {
				t.Errorf("%s: %s", f.name, out)
			}
			t.Logf("%s, %s: ended after %.1f s", f.name, what, time.Since(began).Seconds())
		}
	}
}

func TestWorld_RefusesAMismatch(t *testing.T) {
	all := families(t)
	for _, f := range all {
		for _, other := range all {
			if f.name == other.name || (f.name == "Open MPI") == (other.name == "Open MPI") {
				continue
			}
			mixed := f
			mixed.library = other.library
			out, err := mixed.run(t, 2, "calls")
			if err == nil || !strings.Contains(out, "to the library of the launcher") {
				t.Errorf("%s with the library of %s: %v: %s", f.name, other.name, err, out)
			}
		}
	}
	f := all[0]
	f.library = filepath.Join(t.TempDir(), "libmpi.so")
	if out, err := f.run(t, 1, "calls"); err == nil || !strings.Contains(out, "no MPI library was found") {
		t.Errorf("a library that is not there: %v: %s", err, out)
	}
}
