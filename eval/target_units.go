package eval

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// squaredError replaces "risk" in the criterion of a choice whose values are root mean squared errors.
const squaredError = "squared error"

// RootMeanSquare is the name of the loss in a report that [Report.InTargetUnits] returns.
const RootMeanSquare = "rmse"

// InTargetUnits returns a report in which risks, with their intervals and changes, are root mean squared errors in
// units of the target. If risks are not proportional to mean squared errors, it returns the report unchanged.
func (r *Report) InTargetUnits() *Report {
	u, ok := r.Evaluation.riskUnit()
	if !ok {
		return r
	}
	out := *r
	out.Evaluation = u.convertEvaluation(r.Evaluation)
	if r.Choice != nil {
		c := *r.Choice
		c.Criterion = "root of the " + strings.ReplaceAll(c.Criterion, "risk", squaredError)
		c.Candidates = slices.Clone(c.Candidates)
		for k := range c.Candidates {
			m := &c.Candidates[k]
			m.SE *= Num(u.square) / (2 * u.rootMeanSquare(m.Value))
			m.Improvement *= Num(u.square) / (u.rootMeanSquare(m.Value) + u.rootMeanSquare(r.Choice.Candidates[0].Value))
			m.CostSE *= Num(u.square) / (2 * u.rootMeanSquare(m.Average))
			m.Average, m.Value = u.rootMeanSquare(m.Average), u.rootMeanSquare(m.Value)
		}
		out.Choice = &c
	}
	return &out
}

// inTargetUnits returns a copy of e in which risks are root mean squared errors in units of the target, or e itself
// if risks are not proportional to mean squared errors.
func (e *Evaluation) inTargetUnits() *Evaluation {
	if u, ok := e.riskUnit(); ok {
		return u.convertEvaluation(e)
	}
	return e
}

// riskUnit returns the conversion of risks to root mean squared errors, and false if risks are not proportional to mean
// squared errors or were converted already.
func (e *Evaluation) riskUnit() (riskUnit, bool) {
	if e.Task != Regression || e.Loss == RootMeanSquare || !e.isRiskMeanSquare() {
		return riskUnit{}, false
	}
	u := riskUnit{float64(e.Models[0].Overall.Of[RootMeanSquare])}
	u.square *= u.square / float64(e.Models[0].Overall.Risk())
	return u, u.square > 0 && !math.IsInf(u.square, 1)
}

// A riskUnit converts risks to root mean squared errors: RMSE² = square·risk.
type riskUnit struct{ square float64 }

func (u riskUnit) rootMeanSquare(risk Num) Num { return Num(math.Sqrt(max(0, u.square*float64(risk)))) }

func (u riskUnit) convertInterval(iv *Interval) *Interval {
	if iv == nil {
		return nil
	}
	out := *iv
	out.Low, out.High = u.rootMeanSquare(iv.Low), u.rootMeanSquare(iv.High)
	return &out
}

// convertDifference returns the change in the root mean squared error for a change in the risk, with its interval: a² −
// b² = (a + b)(a − b).
func (u riskUnit) convertDifference(d Difference, after, before Num) Difference {
	a, b := u.rootMeanSquare(after), u.rootMeanSquare(before)
	out := Difference{Value: a - b}
	if d.Interval != nil && a+b > 0 {
		iv := *d.Interval
		iv.Low, iv.High = iv.Low*Num(u.square)/(a+b), iv.High*Num(u.square)/(a+b)
		out.Interval = &iv
	}
	return out
}

func (u riskUnit) convertValues(v Values) Values {
	v.Of = maps.Clone(v.Of)
	if risk := v.Risk(); risk.Defined() {
		v.Of[riskMeasure.Key] = u.rootMeanSquare(risk)
	}
	return v
}

func (u riskUnit) convertIntervals(of map[string]Interval) map[string]Interval {
	out := maps.Clone(of)
	if iv, ok := out[riskMeasure.Key]; ok {
		out[riskMeasure.Key] = *u.convertInterval(&iv)
	}
	return out
}

// convertEvaluation returns a copy of e in which risks and their changes are root mean squared errors.
func (u riskUnit) convertEvaluation(e *Evaluation) *Evaluation {
	out := *e
	out.Loss, out.LossUnit = RootMeanSquare, e.TargetUnit
	out.Constants = riskAsError(e.Constants)
	out.Models = slices.Clone(e.Models)
	for k := range out.Models {
		m := &out.Models[k]
		if d := m.OverConstant; d != nil {
			over := u.convertDifference(*d, m.Overall.Risk(), m.Overall.Risk()-d.Value)
			m.OverConstant = &over
		}
		m.Overall, m.Intervals = u.convertValues(m.Overall), u.convertIntervals(m.Intervals)
		if m.WorstGroup != nil {
			w := *m.WorstGroup
			w.Risk, w.Interval, w.MaxInterval = u.rootMeanSquare(w.Risk), u.convertInterval(w.Interval),
				u.convertInterval(w.MaxInterval)
			m.WorstGroup = &w
		}
		m.CVaR = slices.Clone(m.CVaR)
		for i := range m.CVaR {
			m.CVaR[i].Value = u.rootMeanSquare(m.CVaR[i].Value)
		}
	}
	out.Groupings = slices.Clone(e.Groupings)
	for i := range out.Groupings {
		g := &out.Groupings[i]
		g.Groups, g.Summary = slices.Clone(g.Groups), slices.Clone(g.Summary)
		for j := range g.Groups {
			h := &g.Groups[j]
			h.Constants = riskAsError(h.Constants)
			h.Models = slices.Clone(h.Models)
			for k := range h.Models {
				m := &h.Models[k]
				if d := m.OverConstant; d != nil {
					over := u.convertDifference(*d, m.Values.Risk(), m.Values.Risk()-d.Value)
					m.OverConstant = &over
				}
				m.Values, m.Intervals, m.Simultaneous = u.convertValues(m.Values), u.convertIntervals(m.Intervals),
					u.convertInterval(m.Simultaneous)
			}
		}
		for k := range g.Summary {
			s := &g.Summary[k]
			if spread, ok := s.Spread[RootMeanSquare]; ok {
				s.Spread = maps.Clone(s.Spread)
				s.Spread[riskMeasure.Key] = spread
			}
		}
	}
	out.Compared = slices.Clone(e.Compared)
	for k := range out.Compared {
		c := &out.Compared[k]
		was, is := &e.Models[0], &e.Models[k+1]
		if risk, ok := c.Measures[riskMeasure.Key]; ok {
			c.Measures = maps.Clone(c.Measures)
			c.Measures[riskMeasure.Key] = u.convertDifference(risk, is.Overall.Risk(), was.Overall.Risk())
		}
		c.CVaR = u.convertDifference(c.CVaR, is.CVaRAt(TailAlpha), was.CVaRAt(TailAlpha))
		// differences in the spread of root mean squared errors are not tested
		c.Spread = nil
		if c.WorstGroup != nil && was.WorstGroup != nil { // then every model has a worst group
			d := u.convertDifference(*c.WorstGroup, is.WorstGroup.Risk, was.WorstGroup.Risk)
			c.WorstGroup = &d
		}
		g := e.Headline()
		c.Groups = slices.Clone(c.Groups)
		for i := range c.Groups {
			q := &c.Groups[i]
			after, before := g.Groups[i].Models[k+1].Values.Risk(), g.Groups[i].Models[0].Values.Risk()
			q.Interval = u.convertDifference(Difference{Interval: q.Interval}, after, before).Interval
			d := u.convertDifference(Difference{Interval: q.Simultaneous}, after, before)
			q.Value, q.Simultaneous = d.Value, d.Interval
			if w := was.WorstGroup; w != nil && q.Label == w.Label && c.AtBaselineWorst != nil {
				c.AtBaselineWorst = &d
			}
		}
	}
	if s := e.Slices; s != nil {
		t := *s
		t.Found = slices.Clone(s.Found)
		for i := range t.Found {
			f := &t.Found[i]
			if iv := u.convertDifference(Difference{Interval: &f.Interval}, f.Risk, f.Rest).Interval; iv != nil {
				f.Interval = *iv
			}
			f.SearchRisk, f.Risk, f.Rest = u.rootMeanSquare(f.SearchRisk), u.rootMeanSquare(f.Risk), u.rootMeanSquare(f.Rest)
		}
		out.Slices = &t
	}
	return &out
}

// riskAsError returns constants in which the risk is the root mean squared error.
func riskAsError(constants map[string]Num) map[string]Num {
	x, ok := constants[RootMeanSquare]
	if !ok {
		return constants
	}
	out := maps.Clone(constants)
	out[riskMeasure.Key] = x
	return out
}
