package saddle

import (
	"time"
)

// A Problem is min over x, max over y in Dual of ⟨y, f(x)⟩ − ψ(y) + φ(x).
//
// Before a solve, parts of other modules are compared with themselves at a few points and for a few samples: losses
// with tangents, responses with each other, proximal steps with what they minimise. Solve returns an error for a part
// that breaks its contract.
type Problem struct {
	Oracle Oracle // the losses f
	Dual   Dual   // the set of weights and ψ
	Primal Primal // φ
}

// Options holds the method of a solve, its starting point and its stopping criteria. Zero values select the defaults.
type Options struct {
	Method      Method    // nil: the method that dro.Choose returns
	X0          []float64 // starting point, of length d; nil: zeros, or the StartingPoint of the Primal
	RelativeGap float64   // relative gap to certify, at which the solve stops; 0: 1e-6
	MaxPasses   float64   // largest number of passes over the data; one evaluation is always made; 0: 10 000
	CheckEvery  float64   // passes between check points, at least; later a tenth of the passes so far; 0: 2
	Seed        uint64    // seed of every random choice

	// Threads is the largest number of goroutines of a loop; 0: GOMAXPROCS. The result does not depend
	// on it, to the last bit, and GOMAXPROCS is not changed. While solves with other limits run
	// in the process, the smallest limit counts for all of them. A Cholesky factorisation of more than 128
	// columns runs on the threads that gonum uses.
	Threads int

	// KeepDual keeps the weights of the lower bound for Result.Dual, at n numbers of memory and a copy with every better
	// bound. The rows must be those of one process.
	KeepDual bool

	Observe func(check Check)                // called at every check point; may be nil
	Follow  func(it Iterate)                 // called after every step of a method of the paper; may be nil
	Logf    func(format string, args ...any) // called with the decisions of the method, one line each; may be nil

	// Keep is called at every check point with the best point so far, which another solve may
	// start from. The slice belongs to Keep. It may be nil.
	Keep func(x []float64)
}

// A Check holds the best bounds so far at a check point of a solve.
type Check struct {
	Certificate
	Passes  float64
	Elapsed time.Duration
}

// An Iterate is the state of a method of package primaldual after its Kth step since the last restart. X and Y
// belong to the method and must only be read during the call. The theorems of the paper bound the averages of X
// and Y with the weights a_k.
type Iterate struct {
	K      int
	Weight float64   // a_k
	Total  float64   // A_k = Σ_{i≤k} a_i, in units of a_k
	X      []float64 // x_k, of length d
	Y      []float64 // y_k, of length n: the method's own weights, not the best response

	Mu0, Nu0 float64 // the offsets μ₀, ν₀ of the theoretical schedule, in units of a_k
}
