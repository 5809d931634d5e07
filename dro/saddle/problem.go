package saddle

import (
	"time"
)

// A Problem is the problem min over x, max over y in Y of ⟨y, f(x)⟩ − ψ(y) + φ(x), given by its Oracle f, Dual (Y, ψ)
// and Primal φ.
//
// Before a solve, parts from other modules are checked for consistency at a few points and for a few samples:
// losses are compared with tangents, responses with each other, and proximal steps with the functions that they
// minimise. Solve returns an error if a part violates its contract.
type Problem struct {
	Oracle Oracle // oracle of the losses f
	Dual   Dual   // the set of weights Y and the penalty ψ
	Primal Primal // φ
}

// Options holds the method of a solve, its starting point, and the stopping criteria. Zero values select the
// defaults.
type Options struct {
	Method      Method    // nil selects the method that dro.Choose returns
	X0          []float64 // starting point, of length d; nil means zeros, or the StartingPoint of the Primal
	RelativeGap float64   // relative gap at which the solve stops, to be certified; 0 means 1e-6
	// maximum number of passes over the data, although one evaluation is always made; 0 means 10 000
	MaxPasses float64
	// minimum number of passes between checks; 0 means 2. Once it is more than CheckEvery, a tenth of the passes so
	// far lies between checks. Methods may also check after every step. Newton's method, which tries bounds in every
	// step, computes further ones only at every fifth check.
	CheckEvery float64
	Seed       uint64 // seed of all random choices

	// Threads is the maximum number of goroutines of a loop; 0 means GOMAXPROCS. The bits of the result do not
	// depend on it, and GOMAXPROCS is not changed. If solves with different limits run at the same time, the
	// smallest limit applies to all of them. A Cholesky factorisation with more than 128 columns uses the
	// threads of gonum.
	Threads int

	// KeepDual keeps the weights of the lower bound for Result.Dual. This takes memory for n numbers, and a
	// copy for every better bound. All rows must be in one process.
	KeepDual bool

	Observe func(check Check)                // called at every check; may be nil
	Follow  func(it Iterate)                 // called after every step of a method of the paper; may be nil
	Logf    func(format string, args ...any) // called with decisions of the method, one line each; may be nil

	// Keep is called at every check with the best point so far, from which another solve may start. The slice
	// belongs to Keep. Keep may be nil.
	Keep func(x []float64)
}

// A Check holds the best bounds so far at a check during a solve.
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
	Y      []float64 // y_k, of length n: the weights of the method, as opposed to the best response

	Mu0, Nu0 float64 // offsets μ₀ and ν₀ of the theoretical schedule, in units of a_k·μ and a_k·ν
}
