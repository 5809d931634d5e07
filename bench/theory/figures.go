package theory

import (
	"slices"

	"github.com/drotrain/drotrain/internal/chart"
	"github.com/drotrain/drotrain/internal/methods"
)

// Figures draws how much of the right side of the inequalities the left one is, step by
// step, and E sup Gap in the same unit.
func (r *Report) Figures() []methods.Figure {
	return []methods.Figure{
		r.figure("theory-guarantees", "guarantees", 4, "left ÷ right"),
		r.figure("theory-suprema", "suprema", 3, "E sup Gap · A_t ÷ right"),
	}
}

// figure draws an experiment that has lines: a panel a problem.
func (r *Report) figure(name, experiment string, wide int, y string) methods.Figure {
	f := methods.Figure{Name: name}
	f.Columns = wide
	for m := fullVector; m < theoryMethods; m++ {
		f.Legend = append(f.Legend, chart.Entry{Name: m.String(), K: int(m)})
	}
	e := r.Find(experiment)
	if e == nil {
		return f
	}
	for _, s := range e.Results {
		k := slices.IndexFunc(f.Panels, func(p chart.Panel) bool { return p.Title == s.Case })
		if k < 0 {
			k = len(f.Panels)
			f.Panels = append(f.Panels, chart.Panel{Title: s.Case, XLabel: "steps t", YLabel: y, XLog: true})
		}
		of := slices.IndexFunc(f.Legend, func(l chart.Entry) bool { return l.Name == s.Method })
		f.Panels[k].Series = append(f.Panels[k].Series, chart.Series{K: of, X: s.X, Y: s.Y})
	}
	return f
}
