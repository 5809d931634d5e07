package mpi

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Launcher is the program that started this process as one of several, as inferred from environment variables.
type Launcher struct {
	Name string // "" if there is none
	Size int    // number of processes that it started; 0 if unknown
	Rank int    // rank of this process; −1 if unknown
}

// Environment variables in which launchers state the size and the rank.
var launchers = []struct{ name, size, rank string }{
	{"mpirun of Open MPI", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
	{"mpiexec of MPICH, Intel MPI or a relative", "PMI_SIZE", "PMI_RANK"},
	{"srun of Slurm", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
	{"a launcher of PMIx", "PMIX_SIZE", "PMIX_RANK"},
}

// LauncherOf reads an environment.
func LauncherOf(getenv func(string) string) Launcher {
	for _, l := range launchers {
		size, sized := parseNumber(getenv(l.size))
		rank, ranked := parseNumber(getenv(l.rank))
		// Slurm also sets a rank for the script of a batch job, which is not one of several processes.
		if sized || ranked && l.rank == "PMIX_RANK" {
			if !ranked {
				rank = -1
			}
			return Launcher{l.name, size, rank}
		}
	}
	return Launcher{Rank: -1}
}

func parseNumber(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 0
}

// checkLibrary returns an error if the MPI library is of a different family from the launcher. It must run before
// MPI is initialised, since some libraries end the process on a mismatch.
func (l Launcher) checkLibrary(library string) error {
	const family = "Open MPI"
	if known := l.Name == launchers[0].name || l.Name == launchers[1].name; !known ||
		strings.Contains(l.Name, family) == strings.Contains(library, family) {
		return nil
	}
	return fmt.Errorf("%s started this program, but the MPI library is %s: set %s to the library of the launcher", l.Name,
		library, Variable)
}

// checkSize returns an error if the number of ranks that the library reports differs from the number that were
// started.
func (l Launcher) checkSize(size int, library string) error {
	if l.Size == 0 || l.Size == size {
		return nil
	}
	return fmt.Errorf("%s started %d processes, but the MPI library sees %d (%s): set %s to the library of the launcher",
		l.Name, l.Size, size, library, Variable)
}

// Patience is the name of the environment variable that holds the time for which a rank waits for the others before
// it ends all ranks, such as 90s or 10m. The time must exceed the longest time for which rank 0 computes while the
// others wait. If it is not set, ranks wait without a limit.
const Patience = "DROTRAIN_MPI_PATIENCE"

// parsePatience parses the environment variable Patience; it returns 0 if the variable is not set.
func parsePatience(getenv func(string) string) (time.Duration, error) {
	text := getenv(Patience)
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%s is %q: it must be a positive duration such as 90s or 10m", Patience, text)
	}
	return d, nil
}

// Variable is the name of the environment variable that holds the MPI library to load.
const Variable = "DROTRAIN_MPI"
