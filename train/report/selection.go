package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
)

// A selectionRow is a candidate in the table of a selection. A nil field is a null.
type selectionRow struct {
	Family      string   `drotrain:"family"`
	Name        string   `drotrain:"name"`
	Mu          *float64 `drotrain:"mu"`
	Rows        float64  `drotrain:"rows"`
	Nu          *float64 `drotrain:"nu"`
	Average     *float64 `drotrain:"average"`
	WorstGroup  *float64 `drotrain:"worst_group"`
	Tail        *float64 `drotrain:"tail"`
	Improvement *float64 `drotrain:"improvement"`
	SE          *float64 `drotrain:"se"`
	Cost        *float64 `drotrain:"cost"`
	CostSE      *float64 `drotrain:"cost_se"`
	Allowed     string   `drotrain:"allowed"`
	Chosen      string   `drotrain:"chosen"`
}

// SelectionTable returns the candidates of a selection, one in each row, as columns for data.WriteTable.
func SelectionTable(s *tune.Selection) ([]data.Column, error) {
	known := func(v float64) *float64 {
		if math.IsNaN(v) {
			return nil
		}
		return &v
	}
	yes := map[bool]string{true: "yes", false: "no"}
	rows := make([]selectionRow, len(s.Candidates))
	for i, c := range s.Candidates {
		rows[i] = selectionRow{c.Family, c.Name, known(c.Mu), float64(c.Rows), c.Level.Nu, known(c.Average), c.WorstGroup,
			known(c.Tail),
			known(c.Improvement), known(c.SE), known(c.Cost), known(c.CostSE), yes[c.Allowed], yes[i == s.Chosen]}
	}
	f, err := data.FromStructs(rows)
	if err != nil {
		return nil, err
	}
	columns := make([]data.Column, len(f.Columns))
	for k, c := range f.Columns {
		columns[k] = *c
	}
	return columns, nil
}

// families maps families of candidates to the names of their models in reports.
var families = map[string]string{"erm": Baseline, "balanced": Balanced, "half": "half-balanced ERM",
	"subsets": "balanced subsets", level.ValidationSubsets: "balanced subsets of the validation rows",
	"groups": "group DRO", "rows, chi2": "χ² over rows"}

// Choice converts a selection to the form that reports hold, or returns nil if s is nil.
func Choice(s *tune.Selection) *eval.Choice {
	if s == nil {
		return nil
	}
	c := &eval.Choice{Reason: s.Reason + ".", Chosen: s.Chosen, Validation: s.Validation,
		Errors: s.RequiredErrors(), IsByAccuracy: s.Criterion == "worst-group-accuracy",
		Criterion: tune.CriterionText(s.Criterion, s.Rate)}
	for i := range s.Candidates {
		k := &s.Candidates[i]
		c.Candidates = append(c.Candidates, eval.Candidate{Family: families[k.Family], Name: k.Name, Mu: eval.Num(k.Mu),
			Average: eval.Num(k.Average),
			Value:   eval.Num(k.Value), Improvement: eval.Num(k.Improvement),
			SE: eval.Num(k.SE), CostSE: eval.Num(k.CostSE), Allowed: k.Allowed})
	}
	return c
}

// WriteSelection writes the candidates, in their order, as a table that is 80 characters wide, followed by the learning
// curve if there is one. A name too long for its column continues on the next line. It panics if there are no
// candidates.
func WriteSelection(w io.Writer, s *tune.Selection) error {
	var err error
	line := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf(format, args...), " "))
		}
	}
	const width = 25
	scale := 1.0 // magnitude of the values of the standard model
	for _, v := range []float64{math.Abs(s.Candidates[0].Value), math.Abs(s.Candidates[0].Average)} {
		if v > scale && !math.IsInf(v, 1) {
			scale = v
		}
	}
	decimals := max(0, 4-int(math.Log10(scale))) // number of decimals, the same for all numbers in the table
	number := func(v float64) string {
		t := fmt.Sprintf("%.*f", decimals, v)
		if len(t) > 9 {
			t = fmt.Sprintf("%.3g", v)
		}
		return strings.ReplaceAll(t, "-", "−")
	}
	rows := "all " + printable.Plural(s.Of, "training row", "training rows")
	if s.Rows < s.Of {
		rows = printable.Count(s.Rows) + " of " + printable.Plural(s.Of, "training row", "training rows")
	}
	if s.Validation > 0 {
		line("trained on %s, measured on %s", rows, printable.Plural(s.Validation, "validation row", "validation rows"))
	} else {
		line("%d-fold cross-validation on %s", s.Folds, rows)
	}
	line("  %-*s %11s %19s %9s %9s", width, "candidate", "criterion", "improvement ± s.e.", "average", "increase")
	for i := range s.Candidates {
		c := &s.Candidates[i]
		mark, improvement, cost := " ", "", ""
		if i == s.Chosen {
			mark = "→"
		}
		if i > 0 {
			improvement, cost = number(c.Improvement)+" ± "+number(c.SE), number(c.Cost)
		}
		name := fmt.Sprintf("%s, μ = %s", c.Name, printable.Setting(c.Mu))
		parts := printable.Wrap(strings.ReplaceAll(name, " = ", "\u00a0=\u00a0"), width)
		line("%s %-*s %11s %19s %9s %9s", mark, width, parts[0], number(c.Value), improvement, number(c.Average), cost)
		for _, more := range parts[1:] {
			line("    %s", more)
		}
	}
	average := "average risk"
	if s.Criterion == "worst-group-accuracy" {
		average = "average error rate"
	}
	for _, l := range printable.Wrap(fmt.Sprintf("→ marks the chosen candidate. The criterion is the %s. The average "+
		"is the %s. Lower is better. Improvements of the criterion and increases in the average are relative to the first "+
		"candidate.", tune.CriterionText(s.Criterion, s.Rate), average), 78) {
		line("  %s", l)
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
		line("  %-*s %11d %19s %19s", width, printable.Wrap(p.Name, width)[0], p.Rows, worst,
			number(p.Average)+" ± "+number(p.SE))
	}
	return err
}
