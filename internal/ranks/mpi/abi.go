//go:build mpi && (linux || darwin)

package mpi

import (
	"fmt"

	"github.com/ebitengine/purego"
)

// An abi holds the values that a family of libraries uses for the names in MPI.
type abi struct {
	world, double, sum, max, inPlace uintptr
	funneled                         int32
	name                             string
}

// ABIs of the MPICH family (MPICH, Intel MPI, MVAPICH, Cray MPICH), which uses integers; of the MPI-5 standard; and
// of Open MPI, which uses addresses of objects in the library.
var (
	mpich = abi{world: 0x44000000, double: 0x4c00080b, sum: 0x58000003, max: 0x58000001, inPlace: ^uintptr(0),
		funneled: 1, name: "MPICH's ABI"}
	standard = abi{world: 0x101, double: 0x214, sum: 0x21, max: 0x23, inPlace: 1, funneled: 1024, name: "the ABI of MPI-5"}
)

// abiOf determines the ABI of a library from its symbols.
func abiOf(library uintptr) (abi, error) {
	if world, err := purego.Dlsym(library, "ompi_mpi_comm_world"); err == nil {
		a := abi{world: world, inPlace: 1, funneled: 1, name: "Open MPI's ABI"}
		for name, at := range map[string]*uintptr{"ompi_mpi_double": &a.double, "ompi_mpi_op_sum": &a.sum,
			"ompi_mpi_op_max": &a.max} {
			if *at, err = purego.Dlsym(library, name); err != nil {
				return a, fmt.Errorf("the Open MPI library lacks %s", name)
			}
		}
		return a, nil
	}
	if at, err := purego.Dlsym(library, "MPI_Abi_get_version"); err == nil {
		var version func(major, minor *int32) int32
		purego.RegisterFunc(&version, at)
		var major, minor int32
		if version(&major, &minor); major >= 1 {
			return standard, nil
		}
	}
	return mpich, nil
}

// candidates returns the names of libraries; those of the launcher's family come first.
func candidates(l Launcher) []string {
	openMPI := []string{"libmpi.so.40", "libmpi.so.80"}
	others := []string{"libmpi_abi.so.1", "libmpi.so.12", "libmpich.so.12"}
	last := []string{"libmpi.so", "libmpi.dylib"}
	if l.Name == launchers[0].name {
		return append(append(openMPI, others...), last...)
	}
	return append(append(others, openMPI...), last...)
}
