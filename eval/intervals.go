package eval

import (
	"context"
	"math"

	"github.com/drotrain/drotrain/eval/internal/interval"
)

// addIntervals adds the comparisons with the baseline and, unless the number of resamples is 0, all intervals.
func (e *Evaluation) addIntervals(ctx context.Context, in *Input, strata *strata, losses []*sortedLosses) error {
	for k := range in.Models {
		e.Models[k].Intervals = make(map[string]Interval)
	}
	for k := range in.Models[1:] {
		e.Compared = append(e.Compared, newComparison(e, in, losses, k+1))
	}
	if in.Resamples == 0 {
		return nil
	}
	tailQ := make([]float64, len(losses))
	for k, s := range losses {
		_, tailQ[k] = s.CVaRAt(TailAlpha)
	}
	center := meanOf(in.Target)
	plan := interval.Plan{Resamples: in.Resamples, Confidence: e.Confidence, Seed: in.Seed}
	divided := strata.Groups
	if len(divided) == 0 {
		divided = [][]interval.Stratum{{*strata.All}}
	}
	columns := newInfluenceColumns(in.rows, tailQ, center)
	by := make([]*interval.Maker, len(divided))
	for j := range divided {
		var err error
		division := interval.Division{Salt: uint64(j), Strata: divided[j], All: strata.All}
		if by[j], err = interval.NewMaker(ctx, &in.rows.Rows, plan, division, columns); err != nil {
			return err
		}
	}
	overall, err := e.addOverallIntervals(ctx, in, by[len(by)-1])
	if err != nil {
		return err
	}
	for j := range in.Groups {
		if err := e.addGroupIntervals(ctx, in, by[j], j, divided[j], overall); err != nil {
			return err
		}
	}
	return nil
}

// quantityOf returns a measure of a model (base is −1) or its change from model base.
func (m *Measure) quantityOf(model, base int) interval.Quantity {
	return interval.Quantity{Model: model, Base: base, Derive: m.derive, Ranks: m.interval.ranks}
}

// allQuantities returns all measures of all models, ordered by model and then by measure.
func allQuantities(in *Input) (out []interval.Quantity) {
	for k := range in.Models {
		for _, m := range in.Task.Measures() {
			out = append(out, m.quantityOf(k, -1))
		}
	}
	return out
}

// addGroupIntervals adds the intervals for the groups of grouping j and for its summaries and, for the last
// grouping, for the comparisons by group. overall holds the errors over all rows.
func (e *Evaluation) addGroupIntervals(
	ctx context.Context, in *Input, r *interval.Maker, j int, strata []interval.Stratum, overall []interval.Uncertainty,
) error {
	grouping := &e.Groupings[j]
	groups, list, name := grouping.Groups, in.Task.Measures(), grouping.Name
	parts := make([]*interval.Part, len(strata)) // an element is nil if there are too few rows
	for s := range strata {
		if groups[s].Sufficient && groups[s].N > 1 {
			parts[s] = r.Stratum(s)
		}
	}
	of := allQuantities(in)
	changes := len(of)
	for k := range in.Models[1:] {
		of = append(of, riskMeasure.quantityOf(k+1, 0))
	}
	errors, err := r.Errors(ctx, "intervals by "+name, parts, of)
	if err != nil {
		return err
	}
	critical, err := r.CriticalValue(ctx, "simultaneous intervals by "+name, parts)
	if err != nil {
		return err
	}
	critical = max(critical, interval.NormalQuantile(interval.Simultaneous(e.Confidence, in.Comparisons.Groups)))
	// for each group, the intervals of the risk differences of the models after the first
	differences := make([][]*Interval, len(strata))
	err = in.rows.Parallel(ctx, "", len(groups), func(s int) error {
		g := &groups[s]
		base := float64(g.Models[0].Values.Risk())
		for k := range in.Models {
			m := &g.Models[k]
			m.Intervals = make(map[string]Interval)
			addExactIntervals(in.rows, k, &strata[s], m.Values, e.Confidence, m.Intervals)
			if parts[s] == nil {
				continue
			}
			part := &measuredPart{parts[s], in.rows, e.Confidence}
			for q, measure := range list {
				part.putInterval(measure, k, g.N, errors[s][k*len(list)+q], m.Values, m.Intervals)
			}
			if k > 0 {
				differences[s] = append(differences[s], part.change(float64(m.Values.Risk())-base, base, errors[s][changes+k-1],
					errors[s][0], e.Confidence))
			}
		}
		if parts[s] != nil {
			e.addSimultaneous(in, g, strata[s].Rows, critical,
				func(k int) interval.Uncertainty { return errors[s][k*len(list)] })
		}
		return nil
	})
	if err != nil {
		return err
	}
	spreads := &spreads{e: e, in: in, g: grouping, errors: errors, overall: overall}
	spreads.addIntervals()
	if j == len(e.Groupings)-1 {
		for k := range e.Compared {
			c := &e.Compared[k]
			c.addGroups(in, grouping, k, &groupErrors{strata: strata, intervals: differences, critical: critical,
				of: func(s int) (interval.Uncertainty, interval.Uncertainty) { return errors[s][changes+k], errors[s][0] }})
			spreads.compare(c, k+1)
		}
	}
	return nil
}

// addOverallIntervals adds the intervals over all rows and the intervals of the comparisons. It returns the errors of
// [allQuantities].
func (e *Evaluation) addOverallIntervals(
	ctx context.Context, in *Input, r *interval.Maker,
) ([]interval.Uncertainty, error) {
	part, list := &measuredPart{r.All(), in.rows, e.Confidence}, in.Task.Measures()
	of := allQuantities(in)
	changes := len(of)
	for k := range in.Models[1:] {
		for q := range list {
			of = append(of, list[q].quantityOf(k+1, 0))
		}
		of = append(of, tailMeasure.quantityOf(k+1, 0))
	}
	errors, err := r.Errors(ctx, "intervals over all rows", []*interval.Part{part.Part}, of)
	if err != nil {
		return nil, err
	}
	for k := range in.Models {
		m := &e.Models[k]
		addExactIntervals(in.rows, k, part.Rows(), m.Overall, e.Confidence, m.Intervals)
		for q, measure := range list {
			part.putInterval(measure, k, e.N, errors[0][k*len(list)+q], m.Overall, m.Intervals)
		}
	}
	own := errors[0][0] // error of the baseline's risk
	confidence := interval.Simultaneous(e.Confidence, in.Comparisons.Average)
	for k := range e.Compared {
		c, first := &e.Compared[k], changes+k*(len(list)+1)
		for q, m := range list {
			d := c.Measures[m.Key]
			base := float64(e.Models[0].Overall.Of[m.Key])
			switch {
			case !d.Value.Defined() || m.interval.none || m.lacksRows(e.Models[0].Overall, e.N):
				continue
			case m.interval.resampled != nil:
				d.Interval = m.interval.resampled(part, k+1, 0, float64(d.Value))
			default:
				if m.interval.onLogit {
					base = m.High
				}
				d.Interval = part.change(float64(d.Value), base, errors[0][first+q], own, confidence)
				if m.interval.changeMethod != "" && d.Interval != nil {
					d.Interval.Method = m.interval.changeMethod
				}
			}
			c.Measures[m.Key] = d
		}
		if TailAlpha*float64(len(in.Target)) >= fewTailRows {
			base := float64(e.Models[0].CVaRAt(TailAlpha))
			c.CVaR.Interval = part.change(float64(c.CVaR.Value), base, errors[0][first+len(list)], own, confidence)
		}
	}
	return errors[0], nil
}

// student is the method of intervals from the influences of the rows.
const student = "skewness-adjusted t"

// A measuredPart is the rows on which the intervals of measures are computed.
type measuredPart struct {
	*interval.Part
	in         *measuredRows
	confidence float64
}

// hasOneClass reports whether all rows are of one class, so that nothing is known of the other.
func (part *measuredPart) hasOneClass() bool {
	pos, w := part.Total(columnShared1), part.Total(columnWeight)
	return part.in.Task == Binary && !(pos > 1e-12*w && w-pos > 1e-12*w)
}

// intervalOf returns the interval of a measure of model k, or nil if the measure has no interval of this kind. An area
// under a curve gets a Student interval on the logit scale.
func (part *measuredPart) intervalOf(m Measure, k int, at float64, l interval.Uncertainty) *Interval {
	switch {
	case part.hasOneClass():
		return nil
	case m.interval.onLogit:
		return newInterval(l.LogitInterval(at, part.confidence), "t of the logit")
	}
	least, most := m.Bounds()
	if m.Key == riskMeasure.Key && part.in.LossAtLeast0[k] {
		least = 0
	}
	return newInterval(l.Interval(at, part.confidence, least, most), student)
}

// change returns the interval of the change at of a measure from base, whose error is l; own is the error of
// the first model's risk. It returns nil if the measure has none of this kind.
func (part *measuredPart) change(at, base float64, l, own interval.Uncertainty, confidence float64) *Interval {
	if part.hasOneClass() {
		return nil
	}
	l, at = l.SuppressRounding(at, base, own)
	return newInterval(l.Interval(at, confidence, math.Inf(-1), math.Inf(1)), student)
}

// calibrationInterval returns the interval of the calibration error of model k or, with base ≥ 0, of its change from
// model base; at is the point estimate. It returns nil if all rows are of one class.
func (part *measuredPart) calibrationInterval(k, base int, at float64) *Interval {
	if part.hasOneClass() {
		return nil
	}
	return newInterval(part.CalibrationInterval(k, base, at), "bootstrap, bins bounded")
}

// putInterval stores in iv the interval of a measure of model k, unless iv already has an exact interval of it. n
// is the number of rows of the part, and v holds their measures.
func (part *measuredPart) putInterval(m Measure, k, n int, l interval.Uncertainty, v Values, iv map[string]Interval) {
	at, ok := v.Get(m.Key)
	if _, exact := iv[m.Key]; exact || !ok {
		return
	}
	var i *Interval
	switch how := m.interval; {
	case how.resampled != nil:
		i = how.resampled(part, k, -1, at)
	case how.none, how.exactOnly, m.lacksRows(v, n):
	default:
		i = part.intervalOf(m, k, at, l)
	}
	if i != nil {
		iv[m.Key] = *i
	}
}

// addSimultaneous sets simultaneous intervals of the risks of all models in an eligible group: the intervals of the
// group alone (Student's t, adjusted for skewness) at the level of c standard errors, with c the quantile of the
// largest standardised deviation. They are widened if a class has few rows. The simultaneous intervals contain the
// intervals of the group alone.
func (e *Evaluation) addSimultaneous(
	in *Input, g *Group, rows []int32, c float64, errorOf func(k int) interval.Uncertainty,
) {
	few := scarcityOf(in.rows, rows, g.Models[0].Values, c)
	for k := range g.Models {
		m, least := float64(g.Models[k].Values.Risk()), math.Inf(-1)
		if in.rows.LossAtLeast0[k] { // the mean of losses that are at least 0 is at least 0
			least = 0
		}
		l := errorOf(k)
		iv := newInterval(l.SimultaneousInterval(m, e.Confidence, c), "simultaneous")
		if iv == nil {
			se := in.rows.Weight.StandardError(in.Models[k].Loss, nil, rows)
			iv = &Interval{Low: Num(m - c*se), High: Num(m + c*se), Method: "simultaneous"}
		}
		few.widenForProportion(iv, m, few.GapOf(k))
		iv.Low = Num(interval.LowerEnd(m, float64(iv.Low), least))
		g.Models[k].Simultaneous = iv
	}
}
