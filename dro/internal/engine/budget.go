package engine

// Spend counts passes over the data. The loop ends between two steps once the budget is spent.
func (e *Evaluator) Spend(passes float64) { e.Passes += passes }

// PassesLeft returns the number of passes over n of the samples that may still be spent, at most most, minus a
// reserve in passes over all samples. It limits an inner solve.
func (e *Evaluator) PassesLeft(reserve float64, n int, most float64) float64 {
	return min(most, (e.Budget-e.Passes-reserve)*float64(e.N)/float64(n))
}
