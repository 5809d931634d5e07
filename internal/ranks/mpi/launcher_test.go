package mpi

import (
	"strings"
	"testing"
	"time"
)

func TestLauncher_PerEnvironment(t *testing.T) {
	for _, c := range []struct {
		set  map[string]string
		want Launcher
	}{
		{nil, Launcher{"", 0, -1}},
		{map[string]string{"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "2", "PMIX_RANK": "2"},
			Launcher{"mpirun of Open MPI", 4, 2}},
		{map[string]string{"PMI_SIZE": "3", "PMI_RANK": "0"}, Launcher{"mpiexec of MPICH, Intel MPI or a relative", 3, 0}},
		{map[string]string{"SLURM_STEP_NUM_TASKS": "8", "SLURM_PROCID": "7"}, Launcher{"srun of Slurm", 8, 7}},
		{map[string]string{"SLURM_PROCID": "0"}, Launcher{"", 0, -1}}, // a batch script
		{map[string]string{"PMIX_RANK": "1"}, Launcher{"a launcher of PMIx", 0, 1}},
		{map[string]string{"PMI_SIZE": "many"}, Launcher{"", 0, -1}},
	} {
		if got := LauncherOf(func(name string) string { return c.set[name] }); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.set, got, c.want)
		}
	}
}

// A library that does not belong to the launcher starts jobs of one rank: refused with both
// names.
func TestMPI_OtherLauncher(t *testing.T) {
	l := Launcher{"mpiexec of MPICH, Intel MPI or a relative", 4, 0}
	if err := l.checkSize(4, "MPICH 4.2"); err != nil {
		t.Error(err)
	}
	for _, c := range []struct{ launcher, library string }{{launchers[0].name, "MPICH 4.2"},
		{launchers[1].name, "Open MPI v5"}} {
		if err := (Launcher{Name: c.launcher}).checkLibrary(c.library); err == nil ||
			!strings.Contains(err.Error(), c.launcher) || !strings.Contains(err.Error(), c.library) {
			t.Errorf("%s with %s: %v", c.launcher, c.library, err)
		}
		if err := (Launcher{Name: c.launcher}).checkLibrary(
			strings.Replace("MPICH 4.2Open MPI v5", c.library, "", 1)); err != nil {
			t.Error(err)
		}
	}
	err := l.checkSize(1, "Open MPI v4.1.4")
	for _, say := range []string{l.Name, "4 processes", "Open MPI v4.1.4", Variable} {
		if err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%v does not say %q", err, say)
		}
	}
}

func TestPatience_Values(t *testing.T) {
	for text, want := range map[string]time.Duration{"": 0, "90s": 90 * time.Second, "10m": 10 * time.Minute} {
		if d, err := parsePatience(func(string) string { return text }); err != nil || d != want {
			t.Errorf("%q: %v, %v", text, d, err)
		}
	}
	for _, text := range []string{"90", "-1s", "0s", "soon"} {
		if _, err := parsePatience(func(string) string { return text }); err == nil || !strings.Contains(err.Error(),
			Patience) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
