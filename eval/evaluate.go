package eval

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// Evaluate measures every model overall and by group, compares each with the
// first, and draws its conclusions. Errors are invalid input, naming the row,
// model or grouping, or ctx's error. What is merely not computable (the AUC of
// a group with one class) is reported as such in the result.
//
// Cost: O(n log n) for each model and grouping, plus n random reads for each
// model, grouping and resample.
func Evaluate(ctx context.Context, in Input) (*Evaluation, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	n := len(in.Target)
	in.weight = scaleWeights(in.Weight)
	e := &Evaluation{
		Schema: Schema, Task: in.Task, Loss: in.LossName, LossUnit: in.LossUnit,
		Target: in.TargetName, TargetUnit: in.TargetUnit, Positive: in.Positive,
		Split: orDefault(in.Split, "evaluation rows"), N: n,
		MinGroupSize: max(in.MinGroupSize, 1), Confidence: in.confidence(),
		Resamples: in.Resamples, Seed: in.Seed,
		Groupings: []Grouping{}, Compared: []Comparison{}, Caveats: []string{},
	}
	if in.Weight != nil {
		k := Num(effective(in.Weight))
		e.Weighted, e.Effective = true, &k
	}
	if in.Task == Binary {
		t := Num(in.threshold())
		e.Threshold = &t
	}
	strata, err := newStrata(ctx, &in)
	if err != nil {
		return nil, err
	}
	e.Models = make([]ModelResult, len(in.Models))
	losses := make([]*sorted, len(in.Models))
	err = in.parallel(ctx, "measuring", len(in.Models), func(k int, b *scratch) error {
		m := in.Models[k]
		s, err := newSorted(m.Loss, in.weight)
		if err != nil {
			return err
		}
		losses[k] = s
		r := ModelResult{Name: m.Name}
		r.Overall = measureRows(&in, k, strata.all)
		for _, a := range cvarLevels(n) {
			v, _ := s.cvar(a)
			r.CVaR = append(r.CVaR, CVaRPoint{a, Num(v)})
		}
		r.KL = worstCaseKLCurve(s)
		r.ChiSquare = worstCaseChiSquareCurve(s)
		if in.Task == Binary {
			r.Calibration = calibrate(&in, m.Score, strata.all.order[k], bins)
		} else {
			r.Residuals = residualBins(in.Target, m.Score, strata.all.order[k], b)
		}
		e.Models[k] = r
		return nil
	})
	if err != nil {
		return nil, err
	}
	for k, g := range in.Groups {
		var share map[string]float64
		if in.TrainShare != nil {
			share = in.TrainShare[k]
		}
		r, err := e.measureGrouping(ctx, &in, g, strata.groups[k], share)
		if err != nil {
			return nil, err
		}
		e.Groupings = append(e.Groupings, r)
	}
	if err := e.addIntervals(ctx, &in, strata, losses); err != nil {
		return nil, err
	}
	e.calibrateGroups(&in, strata)
	e.nameWorstGroups()
	e.compare()
	if in.Columns != nil {
		if e.Slices, err = searchSlices(ctx, &in); err != nil {
			return nil, err
		}
	}
	e.caveat(&in)
	e.Rate = in.rate()
	e.Gaps = e.gaps(in.tolerance())
	e.Verdict = e.verdict(&in)
	return e, nil
}

// parallel runs f(0) … f(n−1) on a pool of goroutines, each with a scratch of
// its own. It returns the error of the lowest index, or ctx's.
func parallel(ctx context.Context, workers, n int, f func(i int, b *scratch) error) error {
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, n)
	errs := make([]error, n)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var b scratch
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				errs[i] = f(i, &b)
			}
		}()
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("eval: %w", err)
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
