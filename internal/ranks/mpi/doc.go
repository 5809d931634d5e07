// Package mpi exchanges numbers between ranks through MPI. The library is loaded at run time with dlopen, through
// purego, so that cgo is not needed. The same binary runs under Open MPI, under MPICH and its derivatives, and
// under libraries with the ABI of the MPI-5 standard.
//
// The package is only built with the tag mpi, because a program that can load a library depends on the system's
// dynamic loader. Without the tag, Start returns a single rank, or an error if a launcher has started several. Only
// cmd imports the package. The best places to start reading are launcher.go, mpi.go and abi.go.
package mpi
