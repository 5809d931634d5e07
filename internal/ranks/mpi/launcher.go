package mpi

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Launcher is the program that started this process as one of several, according to the
// environment.
type Launcher struct {
	Name string // "" for none
	Size int    // processes that it started; 0 where it does not say
	Rank int    // of this process; −1 where it does not say
}

// What launchers say of their ranks.
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
		// Slurm has a rank for the script of a batch job, too, which is no step of several.
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

// checkLibrary refuses a library of another family than the launcher's, before it is initialised:
// some end the process then.
func (l Launcher) checkLibrary(library string) error {
	const family = "Open MPI"
	if known := l.Name == launchers[0].name || l.Name == launchers[1].name; !known ||
		strings.Contains(l.Name, family) == strings.Contains(library, family) {
		return nil
	}
	return fmt.Errorf("%s started this program, but the MPI library is %s: set %s to the library of the launcher", l.Name,
		library, Variable)
}

// agrees refuses a library that sees other ranks than were started.
func (l Launcher) agrees(size int, library string) error {
	if l.Size == 0 || l.Size == size {
		return nil
	}
	return fmt.Errorf("%s started %d processes, but the MPI library sees %d (%s): set %s to the library of the launcher",
		l.Name, l.Size, size, library, Variable)
}

// Patience names the environment variable with the time that a rank waits for the others before it ends all ranks, such
// as 90s or 10m. It must exceed the time that rank 0 ever computes alone. If it is not set, ranks wait without a limit.
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

// Variable names the MPI library to load, in the environment.
const Variable = "DROTRAIN_MPI"
