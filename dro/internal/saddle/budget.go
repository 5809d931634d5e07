package saddle

import "math"

// spent is what ends a step, or a check, that would read more samples than the solve may.
// The Loop, which calls both, takes it for the limit; it leaves no package.
type spent struct{}

// Spend counts passes that are about to be read. Where they are more than the budget
// leaves, nothing is counted and the loop ends here, with what is proved so far.
func (e *Evaluator) Spend(passes float64) {
	e.Afford(passes)
	e.Passes += passes
}

// Afford ends the loop where so many passes cannot be spent any more.
func (e *Evaluator) Afford(passes float64) {
	if e.Passes+passes > e.Budget {
		panic(spent{})
	}
}

// Left is what may still be spent, less a reserve, in passes over samples of which there
// are n: for a solve on some of the samples. It is never more than most.
func (e *Evaluator) Left(reserve float64, n int, most float64) float64 {
	const rounding = 1e-9 // so that what comes back as spent is within the budget
	return min(most, (e.Budget-e.Passes-reserve)*(1-rounding)*float64(e.N)/float64(n))
}

// within calls f and reports whether the budget lasted.
func (c *Certifier) within(f func()) (lasted bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, over := r.(spent); !over {
				panic(r)
			}
			c.X[0] = math.NaN() // what is known of the last point may be of several
		}
	}()
	f()
	return true
}
