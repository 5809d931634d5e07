package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/train/tune"
)

// SelectionTable returns the candidates of a selection, one row each, for data.WriteTable.
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
		number("rows", func(c *tune.Candidate) float64 { return float64(c.Rows) }),
		number("nu", func(c *tune.Candidate) float64 { return orNaN(c.Level.Nu) }),
		number("average", func(c *tune.Candidate) float64 { return c.Average }),
		number("worst_group", func(c *tune.Candidate) float64 { return orNaN(c.WorstGroup) }),
		number("tail", func(c *tune.Candidate) float64 { return c.Tail }),
		number("fall", func(c *tune.Candidate) float64 { return c.Improvement }),
		number("se", func(c *tune.Candidate) float64 { return c.SE }),
		number("rise", func(c *tune.Candidate) float64 { return c.Cost }),
		number("rise_se", func(c *tune.Candidate) float64 { return c.CostSE }),
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

// families are the names of the families of candidates for people.
var families = map[string]string{"erm": Baseline, "balanced": Balanced, "groups": "over groups", "groups, adjusted": "over groups, adjusted", "rows, kl": "KL over rows", "rows, chi2": "χ² over rows"}

// Choice returns a selection as the report shows it; nil for none.
func Choice(s *tune.Selection) *eval.Choice {
	if s == nil {
		return nil
	}
	c := &eval.Choice{Reason: s.Reason + ".", Chosen: s.Chosen,
		Criterion: map[string]string{"worst-group": "worst group’s risk", "worst-group-accuracy": "worst group’s error rate", "tail": "risk of the worst tail", "average": "average risk"}[s.Criterion]}
	for i := range s.Candidates {
		k := &s.Candidates[i]
		c.Candidates = append(c.Candidates, eval.Candidate{Family: families[k.Family], Name: k.Name, Average: eval.Num(k.Average),
			Value: eval.Num(s.Value(k)), SE: eval.Num(k.SE), RiseSE: eval.Num(k.CostSE), Allowed: k.Allowed})
	}
	return c
}

// WriteSelection prints the candidates for people, in 80 columns, mild before strong in
// every family. A name too long for its column goes on in the next line.
func WriteSelection(w io.Writer, s *tune.Selection) error {
	var err error
	line := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf(format, args...), " "))
		}
	}
	const width = 25
	what := map[string]string{"worst-group": "worst group", "worst-group-accuracy": "worst error", "tail": "worst tenth", "average": "average"}[s.Criterion]
	number := func(v float64) string {
		if t := fmt.Sprintf("%.4f", v); len(t) <= 9 {
			return t
		}
		return fmt.Sprintf("%.3g", v)
	}
	line("%d-fold cross-validation on %d of %d training rows", s.Folds, s.Rows, s.Of)
	line("  %-*s %11s %19s %9s %9s", width, "candidate", what, "improvement", "average", "cost")
	for i := range s.Candidates {
		c := &s.Candidates[i]
		mark, improvement, cost := " ", "", ""
		if i == s.Chosen {
			mark = "→"
		}
		if i > 0 {
			improvement, cost = number(c.Improvement)+" ± "+number(c.SE), number(c.Cost)
		}
		parts := printable.Wrap(c.Name, width)
		line("%s %-*s %11s %19s %9s %9s", mark, width, parts[0], number(s.Value(c)), improvement, number(c.Average), cost)
		for _, more := range parts[1:] {
			line("    %s", more)
		}
	}
	if s.Curve != nil {
		line("")
		line("Learning curve: risks out of fold by number of training rows")
		line("  %-*s %11s %19s %19s", width, "level", "rows", "worst group", "average")
	}
	for _, p := range s.Curve {
		worst := ""
		if p.WorstGroup != nil {
			worst = number(*p.WorstGroup) + " ± " + number(*p.WorstGroupSE)
		}
		line("  %-*s %11d %19s %19s", width, printable.Wrap(p.Name, width)[0], p.Rows, worst, number(p.Average)+" ± "+number(p.SE))
	}
	return err
}
