package report

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
)

// A selection has one row for each candidate in its table and its text, and a figure that names the families.
func TestSelection_TableTextAndFigure(t *testing.T) {
	worst := []float64{0.9, 0.5, 0.7}
	s := &tune.Selection{Criterion: "worst-group", Folds: 3, Rows: 100, Of: 100, Chosen: 1, Candidates: []tune.Candidate{
		{Family: "erm", Name: "plain", Level: level.Level{Average: "plain"}, Average: 0.2, WorstGroup: &worst[0], Value: 0.9,
			Tail: 1},
		{Family: "groups", Name: "groups ν = 0.1", Level: level.Level{Nu: level.At(0.1)}, Average: 0.25,
			WorstGroup: &worst[1], Value: 0.5, Tail: 1.1, Improvement: 0.4, SE: 0.05, Cost: 0.05, Allowed: true},
		{Family: "rows, chi2", Name: "rows ν = 1", Level: level.Level{Nu: level.At(1)}, Average: 0.22, WorstGroup: &worst[2],
			Value: 0.7, Tail: 0.9, Improvement: 0.2, SE: 0.1, Cost: 0.02, Allowed: true},
	}}
	columns := must(SelectionTable(s))
	find := func(name string) *data.Column {
		for i := range columns {
			if columns[i].Name == name {
				return &columns[i]
			}
		}
		t.Fatalf("no column %s", name)
		return nil
	}
	if c := find("nu"); !c.IsNull(0) || c.IsNull(1) || c.Number[1] != 0.1 {
		t.Errorf("nu: %+v", c)
	}
	if c := find("chosen"); c.Text(0) != "no" || c.Text(1) != "yes" || c.Text(2) != "no" {
		t.Errorf("chosen: %+v", c)
	}
	if c := find("worst_group"); c.Number[2] != 0.7 {
		t.Errorf("worst_group: %+v", c)
	}
	var b bytes.Buffer
	if err := WriteSelection(&b, s); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"→ groups ν\u00a0=\u00a00.1", "0.4000 ± 0.0500", "all 100 training rows"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	s.Candidates[1].Name = "KL over groups, adjusted by 123.456/√n, ν = 0.000123456"
	s.Candidates[2].Average, s.Candidates[2].Improvement, s.Candidates[2].SE = 1234567.891, -2345678.9, 345678.9
	b.Reset()
	if err := WriteSelection(&b, s); err != nil {
		t.Fatal(err)
	}
	for _, l := range strings.Split(b.String(), "\n") {
		if strings.Contains(l, "-2") {
			t.Errorf("a hyphen stands for a minus: %s", l)
		}
		if utf8.RuneCountInString(l) > 80 {
			t.Errorf("%d columns: %s", utf8.RuneCountInString(l), l)
		}
	}
	if text := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(text, "ν = 0.000123456") ||
		!strings.Contains(text, "0.7000 −2.35e+06 ± 3.46e+05 1.23e+06 0.0200") {
		t.Errorf("long names and numbers:\n%s", b.String())
	}
	s.Candidates[1].Name = "groups ν = 0.1"
	c := Choice(s)
	if c.Criterion != "worst group’s risk" || c.Best().Name != "groups ν = 0.1" ||
		c.Candidates[2].Family != "χ² over rows" || c.Candidates[2].Value != 0.7 || c.Candidates[0].Value != 0.9 {
		t.Errorf("as the report shows it: %+v", c)
	}
}

// The report does not call a μ the best for ERM's average risk if another candidate has a lower one.
func TestDescribeMuOfERM_OtherValueIsBetter(t *testing.T) {
	erm := func(mu, average float64) tune.Candidate {
		return tune.Candidate{Family: "erm", Mu: mu, Average: average}
	}
	groups := tune.Candidate{Family: "groups", Mu: 0.5, Average: 0.1}
	for name, c := range map[string]struct {
		s    tune.Selection
		want string
	}{
		"one value": {tune.Selection{Candidates: []tune.Candidate{erm(0.01, 0.7), groups}},
			"ERM, with which the candidates were compared, has μ = 0.01."},
		"best": {tune.Selection{Candidates: []tune.Candidate{erm(0.01, 0.7), groups, erm(0.1, 0.8)}},
			"ERM, with which the candidates were compared, has μ = 0.01, the best of 2 values for its average risk."},
		"another is better": {tune.Selection{Chosen: 1,
			Candidates: []tune.Candidate{erm(0.01, 0.7), groups, erm(0.1, 0.69)}},
			"ERM, with which the candidates were compared, has μ = 0.01; of the 2 values tried, 0.1 is the best for its " +
				"average risk, but not by more than a standard error."},
		"another is chosen": {tune.Selection{Chosen: 2,
			Candidates: []tune.Candidate{erm(0.01, 0.7), groups, erm(0.1, 0.69)}},
			"The criterion chose ERM with μ = 0.1."},
	} {
		if got := describeMuOfERM(&c.s); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
