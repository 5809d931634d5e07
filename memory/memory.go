// Package memory stores slices in memory-mapped files, for tables that are larger than the memory of the machine.
// Functions of other packages that take an [Arena] use it to allocate vectors with one entry for each row; nil
// means the heap. The best places to start reading are Arena and Make.
package memory

import (
	"fmt"

	"github.com/drotrain/drotrain/internal/limit"
)

// A SpaceError is the value of a panic in Make if the address space (ulimit -v) does not suffice.
type SpaceError struct{ Bytes int64 }

func (e *SpaceError) Error() string {
	return fmt.Sprintf("%s leaves too little address space for %d MB more", limit.Ulimit, (e.Bytes+1<<20-1)>>20)
}

// Hint returns advice to the user.
func (e *SpaceError) Hint() string {
	return "raise it, or limit memory by a control group or by --memory instead"
}

// Catch, if deferred, recovers from a panic with a *SpaceError and stores it in err. Other panics continue.
func Catch(err *error) {
	if r := recover(); r != nil {
		e, ok := r.(*SpaceError)
		if !ok {
			panic(r)
		}
		*err = e
	}
}
