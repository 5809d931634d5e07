package saddle

import (
	"errors"
)

// A Method is a way to solve a Problem: Newton and LBFGS of package dro, those of package dro/primaldual, or your own.
// Its fields are settings; one value may be used for several solves at the same time.
type Method interface {
	// Name returns the name of the method in messages.
	Name() string

	// Needs returns the conditions on a problem. A problem that does not meet all of them is refused.
	Needs() []Need

	// Start begins a solve of a problem that meets all needs.
	Start(r Run) (Stepper, error)
}

// A Run is a solve in progress, as its Method sees it. It keeps the best bounds of all points that are evaluated.
// Package dro makes it; its methods must not be called at the same time.
type Run interface {
	// Problem returns the problem. Its parts may have other types than those that were given to Solve.
	Problem() *Problem

	// Start returns the starting point, of length d, which the method may overwrite. It was evaluated before the first
	// step.
	Start() []float64

	// Evaluate returns the objective at x, of length d: one pass. It is +Inf where the objective is not finite.
	Evaluate(x []float64) (objective float64)

	// Response returns the best response y at the point evaluated last, of length n, and Σ_j y_j ∇f_j there, of length d.
	// Both must not be changed, and are overwritten by the next evaluation.
	Response() (y, gradient []float64)

	// Certify computes the lower bound that the best response at the point evaluated last proves. It takes at most half a
	// pass.
	Certify()

	// CertifyWith computes the lower bound that weights y in Y, of length n, prove with the losses and slopes of the point
	// evaluated last: half a pass.
	CertifyWith(y []float64)

	// Best returns the best bounds so far.
	Best() Certificate

	// Logf passes a message to Options.Logf, if that is set.
	Logf(format string, args ...any)
}

// A Stepper is the state of a Method on one problem. Package dro calls Step, and then Check when it is due, until the
// problem is solved or a limit is reached.
type Stepper interface {
	// Step performs one iteration. It returns ErrStalled when no further progress is possible; any other error ends the
	// solve.
	Step() error

	// IsCheckDue reports whether Check should be called. byPasses reports whether enough passes were made since the last
	// check.
	IsCheckDue(byPasses bool) bool

	// Check evaluates and certifies the current points of the method.
	Check()
}

// A Need is a condition that a method imposes on a problem.
type Need struct {
	What string // what follows "METHOD needs" in the error of a refusal

	Holds func(p *Problem) bool // reports whether a problem meets the need
}

// IsMet reports whether p meets the need. It panics without Holds.
func (n Need) IsMet(p *Problem) bool { return n.Holds(p) }

// Or returns a need that is met if either is.
func (n Need) Or(other Need) Need {
	return Need{What: n.What + ", or " + other.What, Holds: func(p *Problem) bool { return n.IsMet(p) || other.IsMet(p) }}
}

// ErrStalled is returned by Stepper.Step if it can make no further progress.
var ErrStalled = errors.New("no further progress in double precision")
