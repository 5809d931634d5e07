package page

import (
	"fmt"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/chart"
	"github.com/drotrain/drotrain/internal/printable"
)

// ChoiceFigure draws the candidates of the choice of the level. ok is false if there are none.
func ChoiceFigure(c *eval.Choice) (Figure, bool) { return figFrontier(&eval.Report{Choice: c}) }

// colourOf returns the colour of a family of candidates: that of its model in other figures, or the number-th
// colour.
func colourOf(family string, number int) int {
	switch family {
	case "ERM":
		return 0
	case "group-balanced ERM":
		return 2
	case "over groups":
		return 1
	}
	return max(3, number)
}

// figFrontier draws the criterion of the candidates against their average risk, with one standard error of the
// changes from ERM.
func figFrontier(r *eval.Report) (Figure, bool) {
	c := r.Choice
	if c == nil || c.Best() == nil || len(c.Candidates) < 2 {
		return Figure{}, false
	}
	best := c.Best()
	panel := chart.Panel{XLabel: "average risk, out of fold", YLabel: c.Criterion + ", out of fold", Height: 260,
		Ref: float64(best.Value), RefText: "chosen: " + best.Name}
	var names []string
	for _, k := range c.Candidates {
		if n := len(names) - 1; n < 0 || names[n] != k.Family {
			names = append(names, k.Family)
			panel.Series = append(panel.Series, chart.Series{K: colourOf(k.Family, len(panel.Series)), Marks: true})
		}
		line := &panel.Series[len(panel.Series)-1]
		y, se := float64(k.Value), float64(k.SE)
		line.X, line.Y = append(line.X, float64(k.Average)), append(line.Y, y)
		line.Lo, line.Hi = append(line.Lo, y-se), append(line.Hi, y+se)
	}
	legend := chart.Entries(names)
	for k := range legend {
		legend[k].K = panel.Series[k].K
	}
	panel.Series = append(panel.Series, chart.Series{X: []float64{float64(best.Average)}, Y: []float64{float64(best.Value)}, Ring: true})
	plain := &c.Candidates[0]
	return Figure{
		Name: "frontier", Title: "What was tried", draw: chart.Lines{Panels: []chart.Panel{panel}, Legend: legend}.Drawing(),
		Caption: "Cross-validated risk of every candidate: average (horizontal) against " + c.Criterion + " (vertical). Lower left is better; the ring marks the candidate that was chosen. Lines join candidates of one kind by increasing robustness. Thin lines: one standard error of the change from the standard model (ERM), paired by rows.",
		Alt: fmt.Sprintf("%s and average risk out of fold of %d models. Plain average: %s and %s; chosen, %s: %s and %s.", c.Criterion, len(c.Candidates),
			printable.Number(float64(plain.Value)), printable.Number(float64(plain.Average)), best.Name, printable.Number(float64(best.Value)), printable.Number(float64(best.Average))),
	}, true
}
