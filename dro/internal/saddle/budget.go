package saddle

// Spend counts passes over the data. The loop ends between two steps, where the budget is spent.
func (e *Evaluator) Spend(passes float64) { e.Passes += passes }

// PassesLeft returns the passes over n of the samples that may still be spent, less a reserve in passes
// over all, and most at most: the limit of a solve on some of the samples.
func (e *Evaluator) PassesLeft(reserve float64, n int, most float64) float64 {
	return min(most, (e.Budget-e.Passes-reserve)*float64(e.N)/float64(n))
}
