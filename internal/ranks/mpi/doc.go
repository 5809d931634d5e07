// Package mpi carries numbers between ranks by MPI: the library is loaded when the program
// runs, with dlopen through purego, so that there is no cgo, and one binary runs under Open
// MPI, MPICH and its relatives, and what has the ABI of the MPI-5 standard.
//
// It is built with the tag mpi alone, for a program that can load a library is bound to the
// system's loader; without the tag Start gives a single rank, and an error under a launcher
// of several. Only cmd imports it. Start reading at launcher.go, then mpi.go, abi.go.
package mpi
