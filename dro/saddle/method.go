package saddle

import (
	"errors"
)

// A Method is a method of solving a Problem: Newton or LBFGS of package dro, a method of package dro/primaldual, or
// a user-defined one. Its fields are settings; one value may be used for several solves at the same time.
type Method interface {
	// Name returns the name of the method in messages.
	Name() string

	// Needs returns the conditions on a problem. A problem that does not meet all of them is rejected.
	Needs() []Need

	// Start begins a solve of a problem that meets all needs.
	Start(r Run) (Stepper, error)
}

// A Run is a solve in progress, in the form in which its Method uses it. It keeps the best bounds of all points
// that are evaluated. Package dro creates it; its methods must not be called concurrently.
type Run interface {
	// Problem returns the problem. Its parts may have types that differ from those passed to Solve.
	Problem() *Problem

	// Start returns the starting point, of length d, which the method may overwrite. The point has been
	// evaluated before the first step.
	Start() []float64

	// Evaluate returns the objective at x, of length d, or +Inf if the objective is not finite. It takes one
	// pass.
	Evaluate(x []float64) (objective float64)

	// Response returns the best response y at the last point evaluated, of length n, and Σ_j y_j ∇f_j there, of
	// length d. Neither must be changed; the next evaluation overwrites them.
	Response() (y, gradient []float64)

	// Certify computes the lower bound that follows from the best response at the last point evaluated. It takes no
	// pass or, if there are unpenalised coordinates, at least half a pass.
	Certify()

	// CertifyWith computes the lower bound that follows from weights y in Y, of length n, and the losses and
	// slopes at the last point evaluated. It takes half a pass, or more if there are unpenalised coordinates.
	CertifyWith(y []float64)

	// Best returns the best bounds so far.
	Best() Certificate

	// Logf passes a message to Options.Logf if that is set.
	Logf(format string, args ...any)
}

// A Stepper is the state of a Method on one problem. Package dro calls Step, and Check whenever it is due, until
// the problem is solved or a limit is reached.
type Stepper interface {
	// Step performs one iteration. It returns ErrStalled if no further progress is possible; any other error
	// ends the solve.
	Step() error

	// IsCheckDue reports whether Check should be called. byPasses reports whether enough passes have been made
	// since the last check.
	IsCheckDue(byPasses bool) bool

	// Check evaluates and certifies the current points of the method.
	Check()
}

// A Need is a condition that a method imposes on a problem.
type Need struct {
	What string // text that follows "METHOD needs" in an error

	Holds func(p *Problem) bool // reports whether a problem meets the need
}

// IsMet reports whether p meets the need. It panics if Holds is nil.
func (n Need) IsMet(p *Problem) bool { return n.Holds(p) }

// Or returns a need that is met if n or other is met.
func (n Need) Or(other Need) Need {
	return Need{What: n.What + ", or " + other.What, Holds: func(p *Problem) bool { return n.IsMet(p) || other.IsMet(p) }}
}

// ErrStalled is returned by Stepper.Step if no further progress is possible.
var ErrStalled = errors.New("no further progress in double precision")
