package show

import (
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/report"
)

// measuredModels returns an evaluation of models on two groups, of which the second has few rows.
func measuredModels(names ...string) *eval.Evaluation {
	e := &eval.Evaluation{Task: eval.Regression, Target: "y", TargetUnit: "thousands of dollars per week",
		MinGroupSize: 30}
	values := func(risk eval.Num) eval.Values {
		return eval.Values{Of: map[string]eval.Num{"risk": risk, "rmse": 2 * risk}}
	}
	groups := []eval.Group{{Label: "north", N: 1200, Sufficient: true}, {Label: "hut", N: 12}}
	for k, name := range names {
		e.Models = append(e.Models, eval.ModelResult{Name: name, Overall: values(eval.Num(k + 1))})
		for i := range groups {
			groups[i].Models = append(groups[i].Models, eval.GroupModel{Values: values(eval.Num(10*i + k + 1))})
		}
	}
	e.Groupings = []eval.Grouping{{Name: "site", Groups: groups}}
	return e
}

func printed(e *eval.Evaluation) []string {
	var b strings.Builder
	printOverall(&b, e)
	printGrouping(&b, e, e.Groupings[0])
	return strings.Split(strings.ReplaceAll(b.String(), "\u202f", " "), "\n")
}

// With two models, the names of measures are printed in full, the numbers of a model stand below its name, and an
// undefined number is a dash.
func TestTables_OfTwoModels(t *testing.T) {
	want := `Overall                                                   ERM           robust
  Risk                                                  1.000            2.000
  RMSE (thousands of dollars per week)                  2.000            4.000
  MAE (thousands of dollars per week)                       -                -
  R²                                                        -                -
  Median absolute error (thousands of dolla…                -                -
  Bias (thousands of dollars per week)                      -                -
  Predicted ÷ observed                                      -                -
  Targets at or below the prediction                        -                -

                                                       Risk                RMSE
By site                           rows        ERM    robust       ERM    robust
  north                          1 200      1.000     2.000     2.000     4.000
  hut                       *       12      11.00     12.00     22.00     24.00
  * fewer than 30 rows: too few for any conclusion
`
	got := strings.Join(printed(measuredModels("ERM", "robust")), "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Of many groups, the first are printed on one line each, and the number of the others is stated once.
func TestTables_OfManyGroups(t *testing.T) {
	for _, n := range []int{shownGroups, shownGroups + 1, shownGroups + 7} {
		e := measuredModels("ERM")
		groups := make([]eval.Group, n)
		for i := range groups {
			groups[i] = e.Groupings[0].Groups[0]
		}
		e.Groupings[0].Groups = groups
		text := strings.Join(printed(e), "\n")
		if got := strings.Count(text, "\n  north "); got != shownGroups {
			t.Errorf("%d groups: %d are told", n, got)
		}
		for k, want := range map[string]bool{"and 1 more group": n == shownGroups+1, "and 7 more groups": n == shownGroups+7,
			"more group": n > shownGroups} {
			if got := strings.Count(text, k); (got == 1) != want || got > 1 {
				t.Errorf("%d groups: %q is said %d times", n, k, got)
			}
		}
	}
}

// With any number of models, lines have at most 80 columns, at most four models are printed, and the columns of a
// table are at most 16 characters wide.
func TestTables_OfManyModels(t *testing.T) {
	names := []string{"first", "second", "third", "fourth", "fifth", "sixth"}
	for n := 1; n <= len(names); n++ {
		lines := printed(measuredModels(names[:n]...))
		for _, l := range lines {
			if w := len([]rune(l)); w > Width {
				t.Errorf("%d models: %d columns in %q", n, w, l)
			}
		}
		text := strings.Join(lines, "\n")
		for k, name := range names {
			if told := strings.Contains(text, name); told != (k < min(n, shownModels)) {
				t.Errorf("%d models: %s is told: %v", n, name, told)
			}
		}
		if more := strings.Contains(text, "and 2 more in the report"); more != (n == 6) {
			t.Errorf("%d models: %s", n, text)
		}
	}
	// The table of one model is no wider than its two measures need.
	lines := printed(measuredModels("first"))
	for _, l := range lines {
		if head := "By site"; strings.HasPrefix(l, head) && len([]rune(l)) != 29+2+7+2+16+1+16 {
			t.Errorf("one model: %d columns in %q", len([]rune(l)), l)
		}
	}
}

// The comparison with the baseline contains the worst groups, if there are groups, and the result of group-balanced
// ERM, if that model has a worst group.
func TestOutcome_Comparison(t *testing.T) {
	worst := &train.SummaryGroup{Name: "hut", Count: 12, Risk: 3}
	for _, c := range []struct {
		s    train.Summary
		want string
	}{
		{train.Summary{AverageRisk: 2, RobustRisk: 4}, `Training rows                                ERM                        robust
  average risk                                 -                       2.00000
  robust risk                                  -                       4.00000
`},
		{train.Summary{AverageRisk: 2, RobustRisk: 4, WorstGroup: worst, ERM: &train.SummaryBaseline{Risk: 1, RobustRisk: 5},
			GroupWeighted: &train.SummaryBaseline{Risk: 1.5, WorstGroup: worst}},
			`Training rows                                ERM                        robust
  average risk                           1.00000                       2.00000
  robust risk                            5.00000                       4.00000
  worst group of site
    group                                      -                           hut
    rows                                       -                            12
    risk                                       -                       3.00000
  group-balanced ERM: average risk 1.50000, worst group’s risk 3.00000
`},
		{train.Summary{AverageRisk: 2, RobustRisk: 4, ERM: &train.SummaryBaseline{Risk: 1, RobustRisk: 5},
			GroupWeighted: &train.SummaryBaseline{Risk: 1.5}},
			`Training rows                                ERM                        robust
  average risk                           1.00000                       2.00000
  robust risk                            5.00000                       4.00000
`},
	} {
		var b strings.Builder
		if comparisonLines(&b, c.s, report.Robust, "site"); b.String() != c.want {
			t.Errorf("got\n%swant\n%s", b.String(), c.want)
		}
	}
}
