package eval

import (
	"github.com/drotrain/drotrain/eval/internal/interval"
)

// SimultaneousInterval returns the interval of measure m of model k in group h of a grouping that holds
// simultaneously for all groups with enough rows, and therefore also for a group selected afterwards. It returns
// nil if there is none. For the risk, under any name, this is the interval of the evaluation. For other measures,
// the interval of the single group is widened to the level confidence^(1/groups) (Šidák 1967), within the bounds of
// the measure.
func (e *Evaluation) SimultaneousInterval(g *Grouping, h *Group, k int, m Measure) *Interval {
	of := &h.Models[k]
	if m.Key == riskMeasure.Key || e.IsRisk(m) {
		return of.Simultaneous
	}
	iv, v := of.Intervals.Find(m.Key), of.Values.Of[m.Key]
	if iv == nil || !v.Defined() || !h.Sufficient {
		return nil
	}
	groups := 0
	for i := range g.Groups {
		if _, defined := g.Groups[i].Models[k].Values.Get(m.Key); defined && g.Groups[i].Sufficient {
			groups++
		}
	}
	freedom := inf // intervals of proportions use normal quantiles
	if !m.isProportion {
		freedom = float64(max(1, h.N-1))
	}
	low, high := m.Bounds()
	q := newEstimate(v, iv).widen(interval.Widening(e.Confidence, float64(groups), freedom))
	if float64(iv.Low) > low { // unless the value may lie on the bound itself
		q[1] = Num(interval.LowerEnd(float64(v), float64(q[1]), low))
	}
	return &Interval{Low: max(Num(low), q[1]), High: min(Num(high), q[2]), Method: "simultaneous"}
}

// widen multiplies the distances from the value to both limits of the interval.
func (a estimate) widen(factor float64) estimate {
	return estimate{a[0], a[0] - Num(factor)*(a[0]-a[1]), a[0] + Num(factor)*(a[2]-a[0])}
}
