package eval

import (
	"cmp"
	"context"
	"errors"
	"math"

	"github.com/drotrain/drotrain/eval/internal/interval"
)

// Evaluate evaluates every model overall and by group, compares each with the first, and draws conclusions. It
// returns an error that names the row, model or grouping if the input is invalid, or the error of ctx. A measure
// that cannot be computed, such as the AUC of a group with a single class, is not an error; the result states that
// it is undefined.
//
// The cost is O(n log n) for each model and grouping.
func Evaluate(ctx context.Context, in Input) (*Evaluation, error) {
	if ctx == nil {
		return nil, errors.New("the context is nil")
	}
	if err := in.fillLosses(); err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	n := len(in.Target)
	in.rows = in.newMeasuredRows()
	defer in.rows.Arena.Close()
	e := &Evaluation{
		Schema: Schema, Task: in.Task, Loss: in.LossName, LossUnit: in.LossUnit,
		Target: in.TargetName, TargetUnit: in.TargetUnit, Positive: in.Positive,
		Negative: in.Negative, Split: cmp.Or(in.Split, "evaluation rows"), Table: in.Table, Filter: in.Filter, N: n,
		MinGroupSize: max(in.MinGroupSize, 1), Confidence: in.confidence(),
		Resamples: in.Resamples, Seed: in.Seed, FitsConstant: in.FitsConstant,
		Groupings: []Grouping{}, Compared: []Comparison{}, Caveats: []string{},
	}
	if in.Weight != nil {
		k := Num(effectiveRows(in.Weight))
		e.Weighted, e.Effective = true, &k
	}
	if in.Task == Binary {
		t := Num(in.threshold())
		e.Threshold = &t
	}
	if in.Task == Regression {
		squared := in.isSquaredError()
		e.MeanSquare = &squared
	}
	strata, err := newStrata(ctx, in.rows, in.Groups)
	if err != nil {
		return nil, err
	}
	constant := newConstantPrediction(in.rows, in.LossUnit)
	e.Constants = constant.measure(strata.All.Rows)
	if in.Task == Multiclass {
		e.ConstantClass = in.Classes[constant.class]
	}
	e.Models = make([]ModelResult, len(in.Models))
	losses := make([]*sortedLosses, len(in.Models))
	err = in.rows.Parallel(ctx, "measuring", 3*len(in.Models), func(step int) error {
		k := step % len(in.Models)
		m, r := &in.Models[k], &e.Models[k]
		switch step / len(in.Models) {
		case 0:
			s, err := sortLosses(in.rows.Arena, m.Loss, in.rows.Weight)
			if err != nil {
				return err
			}
			losses[k] = s
			for _, a := range cvarLevels(n) {
				v, _ := s.CVaRAt(a)
				r.CVaR = append(r.CVaR, CVaRPoint{Alpha: a, Value: Num(v)})
			}
		case 1:
			r.Overall = measureStratum(in.rows, k, strata.All)
		default:
			r.Name, r.Role = m.Name, m.Role
			r.OverConstant = differenceFromConstant(&in, m.Loss, strata.All.Rows, 1)
			r.Constant = in.isConstant(m)
			if in.Task == Binary {
				r.Calibration = calibrationBinsOf(in.rows, m.Score, strata.All.Order[k], calibrationBins)
			} else if in.Task == Multiclass {
				r.Classes = classResults(in.rows, m, strata.All.Rows)
				r.ConfusionMatrix, r.MostConfused = confusionsOf(in.rows, m)
			} else {
				r.Residuals = residualBins(in.Target, m.Score, strata.All.Order[k])
			}
		}
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
		r, err := e.measureGrouping(ctx, &in, g, strata.Groups[k], share)
		if err != nil {
			return nil, err
		}
		err = in.rows.Parallel(ctx, "", len(r.Groups), func(j int) error {
			r.Groups[j].Constants = constant.measure(strata.Groups[k][j].Rows)
			return nil
		})
		if err == nil {
			err = r.compareWithConstant(ctx, &in, strata.Groups[k])
		}
		if err != nil {
			return nil, err
		}
		e.Groupings = append(e.Groupings, r)
	}
	if err := e.addIntervals(ctx, &in, strata, losses); err != nil {
		return nil, err
	}
	e.nameWorstGroups()
	e.compareWorstGroups()
	e.addCaveats(&in)
	e.Rate, e.Budget = in.rate(), in.Budget
	e.Favourable, e.ReferenceGroup = in.Favourable, in.ReferenceGroup
	e.Gaps = e.findGaps(in.tolerance())
	e.Criteria = e.fairnessCriteria()
	e.Verdict = e.reachVerdict(&in, strata)
	if in.Columns != nil {
		if e.Slices, err = searchSlices(ctx, &in, e.Shown()); err != nil {
			return nil, err
		}
		if s := e.SliceWarning(); s != "" {
			e.Verdict.Warnings = append(e.Verdict.Warnings, s)
		}
	}
	e.Conclude()
	return e, nil
}

// isSquaredError reports whether the losses of all rows and models of a regression are the same multiple of the
// squared errors, up to rounding.
func (in *Input) isSquaredError() bool {
	square := func(m *Model, i int) float64 { return (m.Score[i] - in.Target[i]) * (m.Score[i] - in.Target[i]) }
	var loss, squares float64
	for k := range in.Models {
		for i, l := range in.Models[k].Loss {
			loss, squares = loss+l, squares+square(&in.Models[k], i)
		}
	}
	if !(loss > 0 && squares > 0) {
		return false
	}
	const rounding = 1e-6
	apart := 0.0
	for k := range in.Models {
		for i, l := range in.Models[k].Loss {
			apart += math.Abs(l - loss/squares*square(&in.Models[k], i))
		}
	}
	return apart <= rounding*loss
}

// isConstant reports whether a model makes the same prediction for all rows. It returns false if there are too few
// rows to tell.
func (in *Input) isConstant(m *Model) bool {
	const (
		fewest = 20 // rows
		share  = 1e-3
	)
	n := len(in.Target)
	if n < fewest || in.Task == Regression && len(m.Score) != n {
		return false
	}
	// For more than two classes, the scores of rows are compared class by class, since they are probabilities
	// of the actual class. Rows for which different classes are predicted must give these classes equal
	// probabilities, so that only rounding decides between them; their scores are in the last span.
	spans := make([][2]float64, max(1, len(in.Classes))+1)
	for c := range spans {
		spans[c] = [2]float64{math.Inf(1), math.Inf(-1)}
	}
	predicted := make([]bool, len(spans))
	for _, c := range m.Class {
		predicted[c] = true
	}
	add := func(class int, v float64) {
		spans[class] = [2]float64{min(spans[class][0], v), max(spans[class][1], v)}
	}
	for i, v := range m.Score {
		class := 0
		if in.Task == Multiclass {
			class = int(in.Target[i])
		}
		if add(class, v); predicted[class] {
			add(len(spans)-1, v)
		}
	}
	limit := share
	if in.Task == Regression {
		mean, squares := 0.0, 0.0
		for i, v := range in.Target { // Welford
			apart := v - mean
			mean += apart / float64(i+1)
			squares += apart * (v - mean)
		}
		if limit *= math.Sqrt(squares / float64(n)); limit == 0 {
			return false
		}
	}
	for _, s := range spans {
		if !(s[1]-s[0] < limit) { // −Inf for a class without rows
			return false
		}
	}
	return true
}

// differenceFromConstant returns the mean difference between loss and the losses of the constant prediction over
// rows. Its interval holds simultaneously for the given number of such comparisons. It returns nil if the input has
// no constant prediction.
func differenceFromConstant(in *Input, loss []float64, rows []int32, comparisons int) *Difference {
	if in.Constant == nil || len(rows) < 2 {
		return nil
	}
	change, l := in.rows.Weight.MeanError(rows, func(i int32) float64 { return loss[i] - in.Constant[i] })
	method := student
	if comparisons > 1 {
		method = "simultaneous"
	}
	confidence := interval.Simultaneous(in.confidence(), float64(comparisons))
	return &Difference{Value: Num(change), Interval: newInterval(l.Interval(change, confidence, math.Inf(-1), math.Inf(1)),
		method)}
}
