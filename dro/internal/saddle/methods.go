package saddle

import "gonum.org/v1/gonum/mat"

// What methods are made of; what a problem is made of is in contracts.go. There is no
// other interface in dro.

// A Method is a way to solve a Problem: FullVector, LBFGS, … Its fields are
// settings; one value may be used for many solves at once.
type Method interface {
	// Name is the method's name on the command line.
	Name() string

	// Needs is what the method asks of a problem; Solve refuses one that lacks any.
	Needs() []Need

	// Start begins a solve, of a problem that has what is needed.
	Start(r *Run) (Stepper, error)
}

// A Stepper is a method at work on one problem.
type Stepper interface {
	// Step performs one iteration. It returns ErrStalled when no further
	// progress is possible.
	Step() error

	// Check evaluates what the method has to offer at the certifier of its run.
	Check()

	// Visit lists every mutable field, so that a solve goes on bit for bit from a snapshot.
	Visit(*State)
}

// LateStarting is the ability of a Stepper to say that the first point worth evaluating is
// one of its own, not the start.
type LateStarting interface{ StartsLate() bool }

// Checking is the ability of a Stepper to say when a check is due, in place of the passes.
type Checking interface{ WantsCheck() bool }

// Delegating is the ability of a Stepper to let another one work.
type Delegating interface{ Current() Stepper }

// Moving is the ability of a Stepper to go on from the best point, which another one may have
// found.
type Moving interface{ MoveToBest() }

// Returning is the ability of a Stepper to return a point at random, as the theorems do.
type Returning interface{ Drawn() []float64 }

// Inheriting is the ability of a Method to start with the Hessian of a solve on fewer
// samples.
type Inheriting interface{ TakesOver() bool }

// Heir is the ability of a Stepper to start with the Hessian of a solve on fewer samples.
type Heir interface{ TakeOver(from Hessian) }

// A Metric is a matrix at a point that steps are taken in the norm of.
type Metric interface {
	// Update takes it at the point with best response y and these slopes. After an error there
	// is none to solve for.
	Update(y, slope []float64) error

	Solve(v []float64) // overwrites v by its product with the inverse

	Damping() float64 // λ
	Redamp(lambda float64) error

	Visit(*State)
}

// A Hessian of P that steps can be solved for: formed and factorised, or known by its
// products.
type Hessian interface {
	Metric // (H + λD), D positive and diagonal

	// Cost is what Update costs, in evaluations of P.
	Cost() float64

	// Widen sets the share that the quadratics above the losses have in the curvatures,
	// from the next Update on, and reports whether that changes anything. Width tells it.
	Widen(share float64) bool
	Width() float64
	CanWiden() bool
}

// A Jacobian multiplies by the gradients of K pieces of an objective, one a row. Where pieces
// lie with several ranks vectors of K entries are those of the pieces that are here, and sums
// are of all.
type Jacobian interface {
	TimesTo(dst, delta []float64)                 // Jδ, K
	AddTransposedTo(dst, q []float64) (s float64) // adds Jᵀq, d; Σq
	AddGramTo(dst *mat.SymDense, w []float64)     // adds Σ_k w_k j_k j_kᵀ
}

// An IdentityCard is what distinguishes one method of the template T from another
// (Identity Cards 1–3).
type IdentityCard[T any] interface {
	// PrimalEstimate is subroutine 1: it stores ḡ_{k−1} in the template.
	PrimalEstimate(t T)

	// MixCenter overwrites the template's center, the coordinates of x_{k−1}, by
	// (1−w^P)x_{k−1} + w^P Σ_I γ_I x̂_{k−1,I}.
	MixCenter(t T)

	// DualStep is subroutine 2 and the dual update: y_k from x_k.
	DualStep(t T)

	// Refresh is subroutine 3: the comparison points.
	Refresh(t T)

	Visit(*State)
}
