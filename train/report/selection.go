package report

import (
	"fmt"
	"io"
	"math"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/chart"
	"github.com/drotrain/drotrain/train/tune"
)

// SelectionTable is the candidates of a selection, one row each, for data.WriteTable.
func SelectionTable(s *tune.Selection) []data.Column {
	n := len(s.Candidates)
	number := func(name string, of func(c *tune.Candidate) float64) data.Column {
		col := data.Column{Name: name, Type: "double", Kind: data.Numeric, Number: make([]float64, n)}
		for i := range s.Candidates {
			v := of(&s.Candidates[i])
			if math.IsNaN(v) {
				if col.Null == nil {
					col.Null = make([]bool, n)
				}
				col.Null[i], v = true, 0
			}
			col.Number[i] = v
		}
		return col
	}
	word := func(name string, of func(i int) string) data.Column {
		col := data.Column{Name: name, Type: "string", Kind: data.Categorical, Code: make([]int32, n)}
		index := map[string]int32{}
		for i := range n {
			v := of(i)
			k, ok := index[v]
			if !ok {
				k = int32(len(col.Level))
				index[v], col.Level = k, append(col.Level, v)
			}
			col.Code[i] = k
		}
		return col
	}
	yes := func(b bool) string {
		if b {
			return "yes"
		}
		return "no"
	}
	return []data.Column{
		word("family", func(i int) string { return s.Candidates[i].Family }),
		word("name", func(i int) string { return s.Candidates[i].Name }),
		number("mu", func(c *tune.Candidate) float64 { return s.Mu }),
		number("latent", func(c *tune.Candidate) float64 { return orNaN(c.Level.Latent) }),
		number("adjust", func(c *tune.Candidate) float64 { return c.Level.Adjust }),
		number("rows", func(c *tune.Candidate) float64 { return float64(c.Rows) }),
		number("nu", func(c *tune.Candidate) float64 { return orNaN(c.Level.Nu) }),
		number("average", func(c *tune.Candidate) float64 { return c.Average }),
		number("worst_group", func(c *tune.Candidate) float64 { return orNaN(c.WorstGroup) }),
		number("tail", func(c *tune.Candidate) float64 { return c.Tail }),
		number("fall", func(c *tune.Candidate) float64 { return c.Fall }),
		number("se", func(c *tune.Candidate) float64 { return c.SE }),
		number("rise", func(c *tune.Candidate) float64 { return c.Rise }),
		number("rise_se", func(c *tune.Candidate) float64 { return c.RiseSE }),
		word("allowed", func(i int) string { return yes(s.Candidates[i].Allowed) }),
		word("chosen", func(i int) string { return yes(i == s.Chosen) }),
	}
}

func orNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// Frontier draws the candidates of a selection, the average against what is to fall, with
// one standard error of the change from ERM, and returns it as SVG.
func Frontier(s *tune.Selection) ([]byte, error) {
	panel := chart.Panel{XLabel: "Average risk, out of fold", YLabel: "Worst group’s risk, out of fold", Height: 300}
	at := func(c *tune.Candidate) float64 { return orNaN(c.WorstGroup) }
	switch s.Criterion {
	case "worst-group":
	case "subgroup":
		panel.YLabel = "Risk of the worse of two laws, out of fold"
	default:
		panel.YLabel = "Risk of the worst tail, out of fold"
		at = func(c *tune.Candidate) float64 { return c.Tail }
	}
	chosen := s.Best()
	panel.Ref, panel.RefText = at(chosen), "chosen: "+chosen.Name
	var names []string
	for i := range s.Candidates {
		c := &s.Candidates[i]
		if k := len(names) - 1; k < 0 || names[k] != c.Family {
			names = append(names, c.Family)
			panel.Series = append(panel.Series, chart.Series{K: len(panel.Series), Marks: true})
		}
		line := &panel.Series[len(panel.Series)-1]
		y := at(c)
		line.X, line.Y = append(line.X, c.Average), append(line.Y, y)
		line.Lo, line.Hi = append(line.Lo, y-c.SE), append(line.Hi, y+c.SE)
	}
	shown := map[string]string{"erm": Baseline, "latent": "hidden subgroup", "balanced": Balanced, "groups": "over groups", "groups, adjusted": "over groups, adjusted", "rows, kl": "KL over rows", "rows, chi2": "χ² over rows"}
	for k, name := range names {
		names[k] = shown[name]
	}
	return chart.Lines{Panels: []chart.Panel{panel}, Legend: chart.Entries(names),
		Note: "Thin lines: one standard error of the change from ERM, paired by rows."}.Drawing().SVG()
}

// PathFigure draws the certified paths of a selection, one panel a divergence, and returns
// them as SVG.
func PathFigure(s *tune.Selection) ([]byte, error) {
	var panels []chart.Panel
	widest := 0.0
	for _, p := range s.Paths {
		for i, v := range p.Upper {
			widest = max(widest, (v-p.Lower[i])/math.Abs(v))
		}
		panel := chart.Panel{Title: map[string]string{"kl": "KL", "chi2": "χ²"}[p.Penalty], XLabel: "Price ν", YLabel: "Optimal objective", XLog: true, Height: 240}
		panel.Series = []chart.Series{{K: 0, X: p.Nu, Y: p.Upper}, {K: 1, X: p.Nu, Y: p.Lower}}
		var solved chart.Series
		for _, nu := range p.Solved {
			k := 0
			for i := range p.Nu {
				if math.Abs(math.Log(p.Nu[i]/nu)) < math.Abs(math.Log(p.Nu[k]/nu)) {
					k = i
				}
			}
			solved.X, solved.Y = append(solved.X, p.Nu[k]), append(solved.Y, p.Upper[k])
		}
		solved.K, solved.Marks = 2, true
		panel.Series = append(panel.Series, solved)
		panels = append(panels, panel)
	}
	return chart.Lines{Panels: panels, Columns: 2, Legend: chart.Entries([]string{"upper bound", "lower bound", "near a price solved"}),
		Note: fmt.Sprintf("Proved for every price drawn, by the points and weights of those solved: the bounds are at most %.2g %% apart.", 100*widest)}.Drawing().SVG()
}

// WriteSelection prints the candidates for people, in 80 columns, mild before strong in
// every family.
func WriteSelection(w io.Writer, s *tune.Selection) error {
	var err error
	line := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(w, format+"\n", args...)
		}
	}
	what := map[string]string{"worst-group": "worst group", "subgroup": "worse law", "tail": "tail", "average": "average"}[s.Criterion]
	line("%-42s %9s %11s %14s", fmt.Sprintf("%d-fold, %d of %d training rows", s.Folds, s.Rows, s.Of), "average", what, "change")
	for i := range s.Candidates {
		c := &s.Candidates[i]
		mark, value := " ", c.Tail
		switch s.Criterion {
		case "worst-group", "subgroup":
			value = orNaN(c.WorstGroup)
		case "average":
			value = c.Average
		}
		if i == s.Chosen {
			mark = "→"
		}
		change := ""
		if i > 0 {
			change = fmt.Sprintf("%+.4f ± %.4f", -c.Fall, c.SE)
		}
		line("%s %-40s %9.4f %11.4f %17s", mark, c.Name, c.Average, value, change)
	}
	return err
}
