package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/drotrain/drotrain/internal/bench"
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

// figure draws the time, and below it the passes, against the variable.
func (s sweep) figure(rows []*result) bench.Figure {
	f := bench.Figure{Name: "performance-" + s.of, Wide: 1}
	time := bench.Panel{Title: "time to a certified gap of 1e−6", X: s.axis, Y: "milliseconds"}
	passes := bench.Panel{Title: "passes over the data", X: s.axis, Y: "evaluations for scipy"}
	for _, solver := range []string{"ours", "scipy"} {
		for _, c := range curves(s.of) {
			var x, ms, count []float64
			for _, r := range rows {
				p := &r.Problem
				of := r.of(solver)
				if p.Loss != c.loss || p.Source.Kappa != c.kappa || of == nil || !of.certified() {
					continue
				}
				x, ms, count = append(x, s.value(p)), append(ms, 1000*median(of.Seconds)), append(count, of.Passes)
			}
			if len(x) == 0 {
				continue
			}
			order := make([]int, len(x))
			for i := range order {
				order[i] = i
			}
			slices.SortFunc(order, func(a, b int) int {
				if x[a] < x[b] {
					return -1
				}
				return 1
			})
			line := func(y []float64) bench.Line {
				l := bench.Line{Key: len(f.Legend)}
				for _, i := range order {
					l.X, l.Y = append(l.X, x[i]), append(l.Y, y[i])
				}
				return l
			}
			time.Lines = append(time.Lines, line(ms))
			passes.Lines = append(passes.Lines, line(count))
			f.Legend = append(f.Legend, fmt.Sprintf("%s: %s, κ = %g", solver, c.loss, c.kappa))
		}
	}
	f.Panels = []bench.Panel{time, passes}
	return f
}
