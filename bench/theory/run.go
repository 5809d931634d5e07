package theory

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/primaldual"
)

// A lab runs the experiments of one report.
type lab struct {
	ctx      context.Context
	quick    bool
	seed     uint64
	seeds    int // number of seeds over which means are taken
	steps    int // number of steps of a run that is evaluated at every step
	progress func(string)
}

// A misstatement describes how a schedule is made deliberately wrong.
type misstatement struct {
	constants float64 // divisor of the oracle's constants; 0 means that they are not changed
	modulus   float64 // modulus claimed for a side that has none; 0 means none
}

// problem returns the problem as presented to the schedule.
func (in *instance) problem(l misstatement) *dro.Problem {
	p := &dro.Problem{Oracle: in.oracle, Dual: in.dual, Primal: in.primal}
	if l.constants > 0 {
		p.Oracle = understated{in.oracle, l.constants}
	}
	if l.modulus > 0 && in.nu == 0 {
		p.Dual = overstatedDual{in.dual.(primaldual.Box), l.modulus}
	}
	if l.modulus > 0 && in.mu == 0 {
		p.Primal = overstatedPrimal{in.primal.(dro.Entropy), l.modulus}
	}
	return p
}

// conditioned is an oracle that states its Lipschitz constants.
type conditioned interface {
	ConstantsTo(lipschitz, smoothness, x []float64)
}

// An understated is an oracle that states constants smaller than the true ones.
type understated struct {
	dro.Oracle
	by float64
}

// ConstantsTo divides the constants of the oracle.
func (o understated) ConstantsTo(lipschitz, smoothness, x []float64) {
	o.Oracle.(conditioned).ConstantsTo(lipschitz, smoothness, x)
	for j := range lipschitz {
		lipschitz[j] /= o.by
		smoothness[j] /= o.by
	}
}

// An overstatedDual is a dual that claims a modulus that it does not have.
type overstatedDual struct {
	primaldual.Box
	claimed float64
}

// Modulus implements dro.Dual.
func (d overstatedDual) Modulus() float64 { return d.claimed }

// IsPrecise returns true, since the box computes ψ without cancellation.
func (overstatedDual) IsPrecise() bool { return true }

// An overstatedPrimal is a primal that claims a modulus that it does not have.
type overstatedPrimal struct {
	dro.Entropy
	claimed float64
}

// Modulus implements dro.Primal.
func (p overstatedPrimal) Modulus() float64 { return p.claimed }

// errDiverged reports a run whose iterates are not finite.
var errDiverged = errors.New("the iterates diverged")

// run runs m on the problem until step returns true, and returns the passes of one iteration.
func (in *instance) run(
	ctx context.Context, m dro.Method, l misstatement, seed uint64, step func(dro.Iterate) (enough bool),
) (passes float64, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := dro.Options{}
	s.RelativeGap, s.MaxPasses, s.CheckEvery, s.Seed = 1e-300, math.MaxFloat64, math.MaxFloat64, seed
	done := false
	s.Follow = func(it dro.Iterate) {
		if !done && step(it) {
			done = true
			stop()
		}
	}
	s.Method = m
	res, err := dro.Solve(ctx, in.problem(l), &s)
	switch {
	case err != nil && !errors.Is(err, context.Canceled):
		return 0, err
	case !done && res != nil && res.Status == dro.Stalled:
		return 0, errDiverged
	case !done:
		return 0, ctx.Err()
	}
	return (res.Passes - 1) / float64(max(1, res.Iterations)), nil
}

// each calls do(0) … do(n−1) on all processors and returns the error with the smallest index.
func (l *lab) each(n int, do func(k int) error) error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := range next {
				errs[k] = do(k)
			}
		}()
	}
	for k := range n {
		next <- k
	}
	close(next)
	wg.Wait()
	if err := l.ctx.Err(); err != nil {
		return err
	}
	return errors.Join(errs...)
}

// checkpoints returns the iterations at which a run with the given number of steps is evaluated.
func checkpoints(steps int) (at []int) {
	for k := 1; k < steps; k = max(k+1, k*5/4) {
		at = append(at, k)
	}
	return append(at, steps)
}

// meanAndError returns the mean of v and its standard error.
func meanAndError(v []float64) (mean, se float64) {
	n := float64(len(v))
	for _, a := range v {
		mean += a / n
	}
	for _, a := range v {
		se += (a - mean) * (a - mean)
	}
	if n < 2 {
		return mean, 0
	}
	return mean, math.Sqrt(se / (n - 1) / n)
}

// slope returns the least-squares slope of y against x over the points at which both are finite, or NaN if there
// are fewer than two.
func slope(x, y []float64) float64 {
	var n, sx, sy, sxx, sxy float64
	for i := range x {
		if v := x[i] + y[i]; math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		n++
		sx += x[i]
		sy += y[i]
		sxx += x[i] * x[i]
		sxy += x[i] * y[i]
	}
	if n < 2 {
		return math.NaN()
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// exponent returns the slope of log y against log x.
func exponent(x, y []float64) float64 {
	lx, ly := make([]float64, len(x)), make([]float64, len(y))
	for i := range x {
		lx[i], ly[i] = math.Log(x[i]), math.Log(y[i])
	}
	return slope(lx, ly)
}
