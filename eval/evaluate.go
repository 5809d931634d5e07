package eval

import (
	"cmp"
	"context"
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
	in.rows = in.measured()
	e := &Evaluation{
		Schema: Schema, Task: in.Task, Loss: in.LossName, LossUnit: in.LossUnit,
		Target: in.TargetName, TargetUnit: in.TargetUnit, Positive: in.Positive,
		Split: cmp.Or(in.Split, "evaluation rows"), N: n,
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
	strata, err := newStrata(ctx, in.rows, in.Groups)
	if err != nil {
		return nil, err
	}
	e.Models = make([]ModelResult, len(in.Models))
	losses := make([]*sorted, len(in.Models))
	err = in.rows.parallel(ctx, "measuring", len(in.Models), func(k int, b *scratch) error {
		m := in.Models[k]
		s, err := newSorted(m.Loss, in.rows.Weight)
		if err != nil {
			return err
		}
		losses[k] = s
		r := ModelResult{Name: m.Name}
		r.Overall = measureRows(in.rows, k, strata.all)
		for _, a := range cvarLevels(n) {
			v, _ := s.cvar(a)
			r.CVaR = append(r.CVaR, CVaRPoint{a, Num(v)})
		}
		r.KL = worstCaseKLCurve(s)
		r.ChiSquare = worstCaseChiSquareCurve(s)
		if in.Task == Binary {
			r.Calibration = calibrate(in.rows, m.Score, strata.all.order[k], bins)
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
