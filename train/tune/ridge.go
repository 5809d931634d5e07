package tune

import "context"

// A Ridge is a value of μ with the out-of-fold risk of ERM.
type Ridge struct {
	Mu          float64 `json:"mu"`
	Average     float64 `json:"average"` // mean loss
	Improvement float64 `json:"fall"`    // decrease of the average from the first μ's
	SE          float64 `json:"se"`      // standard error of Improvement, paired
}

const (
	// ridgeRows is the number of rows per column from which μ = 1/n and 100/n differ by less than a standard
	// error.
	ridgeRows   = 1000
	ridgeErrors = 2 // standard errors that the improvement of another μ must exceed
)

// chooseRidge chooses one μ for all candidates: the one at which ERM predicts best, if the improvement exceeds
// two standard errors and half a percent. Otherwise a robust model could beat an overfitted ERM only because
// the same μ regularises it more.
func (c *selectionRun) chooseRidge(ctx context.Context, start []float64) error {
	mu := c.table.Primal.Mu
	if _, d := c.table.X.Dims(); !(mu > 0) || c.table.N >= ridgeRows*d {
		return nil
	}
	factors := []float64{1, 0.1, 10, 100}
	specs := make([]spec, len(factors))
	for i, factor := range factors {
		specs[i] = spec{level: erm, ridge: factor, from: -1}
		if i > 0 {
			specs[i].from = 0
		}
	}
	margins, _, passes, err := c.newFoldRun("ridge", func() {}).run(ctx, specs, start)
	if err != nil {
		return err
	}
	c.Passes += passes
	first := c.measure.average(c.table.lossesOf(margins[0]))
	chosen := 0
	for i, factor := range factors {
		at := c.measure.average(c.table.lossesOf(margins[i]))
		r := Ridge{Mu: factor * mu, Average: at.value}
		r.Improvement, r.SE = first.minus(at)
		c.Ridges = append(c.Ridges, r)
		if r.Improvement > max(c.Ridges[chosen].Improvement, ridgeErrors*r.SE, worth*first.value) {
			chosen = i
		}
	}
	c.Mu = c.Ridges[chosen].Mu
	other := *c.table
	other.Primal.Mu = c.Mu
	c.table = &other
	return nil
}
