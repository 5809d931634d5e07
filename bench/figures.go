package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/drotrain/drotrain/internal/chart"
	"github.com/drotrain/drotrain/internal/methods"
)

// A sweep is a variable with what the figures call it.
type sweep struct {
	of, axis string
	value    func(*cell) float64
}

var sweeps = []sweep{
	{"n", "n", func(c *cell) float64 { return float64(c.N) }},
	{"d", "d", func(c *cell) float64 { return float64(c.D) }},
	{"nu", "1/ν", func(c *cell) float64 { return 1 / c.Nu }},
	{"mu", "1/μ", func(c *cell) float64 { return 1 / c.Mu }},
}

// drawTo writes a figure for every sweep that was measured to the folder dir.
func (r *report) drawTo(dir string) error {
	if dir == "" {
		return nil
	}
	for _, s := range sweeps {
		rows := r.group("sweep-" + s.of)
		if len(rows) == 0 {
			continue
		}
		svg, err := s.figure(rows).SVG()
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "performance-"+s.of+".svg"), svg, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var lossNames = map[string]string{"logistic": "logistic", "huber": "Huber", "squared": "squared"}

// figure draws the time, and below it the passes, against the variable.
func (s sweep) figure(rows []*result) methods.Figure {
	f := methods.Figure{Name: "performance-" + s.of}
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b *result) int { return cmp.Compare(s.value(&a.Problem), s.value(&b.Problem)) })
	took := chart.Panel{Title: "time to a certified gap of 1e−6", XLabel: s.axis, YLabel: "milliseconds", XLog: true, YLog: true}
	passes := chart.Panel{Title: "passes over the data", XLabel: s.axis, YLabel: "of scipy: evaluations", XLog: true, YLog: true}
	for _, c := range curves(s.of) {
		for _, solver := range []string{"ours", "scipy"} {
			of := chart.Entry{K: len(f.Legend) / 2, Hollow: len(f.Legend)%2 == 1}
			t := chart.Series{K: of.K, Hollow: of.Hollow, Marks: true}
			n := t
			for _, r := range rows {
				p, run := &r.Problem, r.of(solver)
				if p.Loss != c.loss || p.Source.Kappa != c.kappa || run == nil {
					continue
				}
				if !run.certified() {
					f.Note = "Runs that were given up are left out."
					continue
				}
				x := s.value(p)
				t.X, t.Y = append(t.X, x), append(t.Y, 1000*median(run.Seconds))
				n.X, n.Y = append(n.X, x), append(n.Y, run.Passes)
			}
			took.Series, passes.Series = append(took.Series, t), append(passes.Series, n)
			of.Name = fmt.Sprintf("%s: %s, κ = %g", solver, lossNames[c.loss], c.kappa)
			f.Legend = append(f.Legend, of)
		}
	}
	f.Panels = []chart.Panel{took, passes}
	return f
}
