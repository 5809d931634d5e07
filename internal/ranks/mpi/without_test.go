//go:build !mpi

package mpi

import (
	"strings"
	"testing"
)

func TestStart_WithoutMPI(t *testing.T) {
	c, _, err := Start(func(string) string { return "" })
	if err != nil || c.Size() != 1 {
		t.Fatal(c, err)
	}
	_, _, err = Start(func(name string) string {
		if name == "OMPI_COMM_WORLD_SIZE" {
			return "4"
		}
		return ""
	})
	if err == nil || !strings.Contains(err.Error(), "one of 4 processes") || !strings.Contains(err.Error(), "-tags mpi") {
		t.Error(err)
	}
}
