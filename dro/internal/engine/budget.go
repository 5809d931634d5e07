package engine

// Spend adds to the number of passes over the data. Once this number reaches the budget, the loop ends after the
// current step.
func (e *Evaluator) Spend(passes float64) { e.Passes += passes }

// PassesLeft returns how many passes over n of the samples an inner solve may take. It keeps a reserve, in passes over
// all samples, and returns no more than most.
func (e *Evaluator) PassesLeft(reserve float64, n int, most float64) float64 {
	return min(most, (e.Budget-e.Passes-reserve)*float64(e.N)/float64(n))
}
