package newton

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
)

const (
	// prefixShare is the ratio of the number of rows to the number of rows in a prefix.
	prefixShare = 32

	// prefixRowsPerColumn is the minimum number of rows in a prefix for each column.
	prefixRowsPerColumn = 150

	// atypical is the ratio of the objective of all rows to that of the prefix, at the solution on the prefix, above
	// which the prefix is no sample of the rows.
	atypical = 10

	// PrefixGap is the relative gap to which the problem on a prefix of PrefixRows rows is solved.
	PrefixGap = 1e-3
)

// PrefixRows returns the number of rows in a prefix whose solution is close enough to that of all n rows to save
// passes over them. It returns 0 if n is too small for a prefix of at least least rows.
func PrefixRows(n, d, least int) int {
	if size := n / prefixShare; size >= max(least, prefixRowsPerColumn*d) {
		return size
	}
	return 0
}

// startOnPrefix moves the starting point of a solve with many rows to the solution of the problem on the first rows,
// and evaluates that solution, unless the starting point has the smaller objective. If the rows are in random order,
// the first rows are a random sample; otherwise the solve takes more passes.
func startOnPrefix(r *engine.Run) error {
	size := PrefixRows(r.Cert.N, r.Cert.D, r.Settings.PrefixRows)
	if size == 0 || r.Settings.X0 != nil || !math.IsInf(r.Cert.BestObjective, 1) { // a starting point is known
		return nil
	}
	x, objective, err := SolvePrefix(r, size, PrefixGap)
	if x == nil {
		return err
	}
	all := r.Cert.Evaluate(x)
	if all > atypical*math.Abs(objective) && !(all < r.Cert.Evaluate(r.Start)) {
		r.Evaluated = true // x may be far worse than the starting point, which was evaluated last
		return nil
	}
	if copy(r.Start, x); !slices.Equal(r.Cert.X, x) {
		r.Cert.Evaluate(x)
	}
	r.Evaluated = true
	return nil
}

// SolvePrefix solves the problem of r, restricted to the first size rows, to the relative gap gap. It returns the
// solution and its objective, or a nil x if Newton's method does not support the restricted problem, for example
// because the ball is too large for so few rows.
func SolvePrefix(r *engine.Run, size int, gap float64) (x []float64, objective float64, err error) {
	model, ok := r.Problem.Oracle.(engine.Model)
	if !ok || r.Cert.Rows != nil {
		return nil, 0, nil
	}
	s := engine.DefaultSettings()
	s.Seed, s.RelativeGap, s.MaxPasses = r.Settings.Seed, gap, r.Cert.PassesLeft(2, size, 200)
	l, err := engine.NewLoop(r.Ctx, &saddle.Problem{Oracle: model.Prefix(size), Dual: r.Problem.Dual,
		Primal: r.Problem.Primal}, Newton{}, s)
	if err != nil {
		return nil, 0, nil
	}
	defer l.Close()
	l.Iterate()
	if l.Failed != nil {
		return nil, 0, l.Failed
	}
	r.Cert.Passes += l.Cert.Passes * float64(size) / float64(r.Cert.N)
	r.Logf("newton: on the first %d rows: %v, %.3g passes over these rows", size, l.Result.Status, l.Cert.Passes)
	return slices.Clone(l.Cert.BestX), l.Cert.BestObjective, nil
}
