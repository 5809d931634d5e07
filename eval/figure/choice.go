package figure

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/words"
	"github.com/drotrain/drotrain/internal/chart"
)

// OfChoice draws how a level was chosen: the candidates, and the certified paths where
// there are some.
func OfChoice(c *eval.Choice) []Figure {
	r := &eval.Report{Choice: c}
	var out []Figure
	for _, f := range []func(*eval.Report) (Figure, bool){figFrontier, figPath} {
		if g, ok := f(r); ok {
			out = append(out, g)
		}
	}
	return out
}

// figFrontier draws the candidates of a choice, the average against what was to fall, with
// one standard error of the change of either from the plain average.
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
			panel.Series = append(panel.Series, chart.Series{K: len(panel.Series), Marks: true})
		}
		line := &panel.Series[len(panel.Series)-1]
		y, se := float64(k.Value), float64(k.SE)
		line.X, line.Y = append(line.X, float64(k.Average)), append(line.Y, y)
		line.Lo, line.Hi = append(line.Lo, y-se), append(line.Hi, y+se)
	}
	plain := &c.Candidates[0]
	return Figure{
		Name: "frontier", Title: "What was tried", draw: chart.Lines{Panels: []chart.Panel{panel}, Legend: chart.Entries(names)}.Drawing(),
		Caption: "Cross-validated risk of every candidate: average (horizontal) against " + c.Criterion + " (vertical). Lower left is better. Lines join candidates of one kind by increasing robustness. Thin lines: one standard error of the change from the standard model (ERM), paired by rows.",
		Alt: fmt.Sprintf("%s and average risk out of fold of %d models. Plain average: %s and %s; chosen, %s: %s and %s.", c.Criterion, len(c.Candidates),
			words.Number(float64(plain.Value)), words.Number(float64(plain.Average)), best.Name, words.Number(float64(best.Value)), words.Number(float64(best.Average))),
	}, true
}

// figPath draws the certified paths of a choice, one panel a divergence.
func figPath(r *eval.Report) (Figure, bool) {
	if r.Choice == nil || len(r.Choice.Paths) == 0 {
		return Figure{}, false
	}
	var panels []chart.Panel
	widest := 0.0
	for _, p := range r.Choice.Paths {
		widest = max(widest, p.Widest())
		panel := chart.Panel{Title: map[string]string{"kl": "KL", "chi2": "χ²"}[p.Penalty], XLabel: "price ν", YLabel: "optimal objective", XLog: true, Height: 200}
		panel.Series = []chart.Series{{K: 0, X: p.Nu, Y: p.Upper}, {K: 1, X: p.Nu, Y: p.Lower}}
		solved := chart.Series{K: 2, Marks: true}
		for _, nu := range p.Solved {
			k := 0
			for i := range p.Nu {
				if math.Abs(math.Log(p.Nu[i]/nu)) < math.Abs(math.Log(p.Nu[k]/nu)) {
					k = i
				}
			}
			solved.X, solved.Y = append(solved.X, p.Nu[k]), append(solved.Y, p.Upper[k])
		}
		panel.Series = append(panel.Series, solved)
		panels = append(panels, panel)
	}
	said := fmt.Sprintf("for every price, by the points and weights of those solved: the bounds are at most %.2g %% apart", 100*widest)
	return Figure{
		Name: "path", Title: "The optimum at every price",
		draw:    chart.Lines{Panels: panels, Columns: 2, Legend: chart.Entries([]string{"upper bound", "lower bound", "solved"})}.Drawing(),
		Caption: "Of the adversaries over rows, on the rows the level was chosen on. Proved " + said + ".",
		Alt:     fmt.Sprintf("Upper and lower bound of the optimal objective of %s, proved %s.", words.Plural(len(panels), "adversary over rows", "adversaries over rows"), said),
	}, true
}
