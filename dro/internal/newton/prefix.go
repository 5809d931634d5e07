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

	// prefixRows and prefixRowsPerColumn are the minimum numbers of rows in a prefix.
	prefixRows          = 10_000
	prefixRowsPerColumn = 150

	// PrefixGap is the relative gap to which the problem on a prefix of PrefixRows rows is solved.
	PrefixGap = 1e-3
)

// PrefixRows returns the number of rows in a prefix whose solution is close enough to that of all n rows to save
// passes over them. It returns 0 if n is too small.
func PrefixRows(n, d int) int {
	if size := n / prefixShare; size >= max(prefixRows, prefixRowsPerColumn*d) {
		return size
	}
	return 0
}

// startOnPrefix moves the starting point of a solve with many rows to the solution of the problem on the first
// rows, and evaluates it. If the rows are in random order, the first rows are a random sample; otherwise the
// starting point is worse and the solve takes more passes.
func startOnPrefix(r *engine.Run) error {
	size := PrefixRows(r.Cert.N, r.Cert.D)
	if size == 0 || r.Settings.X0 != nil || !math.IsInf(r.Cert.BestObjective, 1) { // a starting point is known
		return nil
	}
	x, err := SolvePrefix(r, size, PrefixGap)
	if x == nil || math.IsInf(r.Cert.Evaluate(x), 1) {
		return err
	}
	copy(r.Start, x)
	r.Evaluated = true
	return nil
}

// SolvePrefix solves the problem of a run on its first size rows to the relative gap, and returns the solution. It
// returns nil if Newton's method does not support the problem on these rows, for example because the ball is too
// large for fewer rows.
func SolvePrefix(r *engine.Run, size int, gap float64) ([]float64, error) {
	model, ok := r.Problem.Oracle.(engine.Model)
	if !ok || r.Cert.Rows != nil {
		return nil, nil
	}
	s := engine.DefaultSettings()
	s.Seed, s.RelativeGap, s.MaxPasses = r.Settings.Seed, gap, r.Cert.PassesLeft(2, size, 200)
	l, err := engine.NewLoop(r.Ctx, &saddle.Problem{Oracle: model.Prefix(size), Dual: r.Problem.Dual,
		Primal: r.Problem.Primal}, Newton{}, s)
	if err != nil {
		return nil, nil
	}
	defer l.Close()
	l.Iterate()
	if l.Failed != nil {
		return nil, l.Failed
	}
	r.Cert.Passes += l.Cert.Passes * float64(size) / float64(r.Cert.N)
	r.Logf("newton: on the first %d rows: %v, %.3g passes over these rows", size, l.Result.Status, l.Cert.Passes)
	return slices.Clone(l.Cert.BestX), nil
}
