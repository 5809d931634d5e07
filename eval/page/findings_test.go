package page

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
)

// Every heading below the first screen is a sentence with a finding, not the name of the section, and is in the
// contents.
func TestSections_HeadingsAreFindings(t *testing.T) {
	for _, task := range []eval.Task{eval.Binary, eval.Regression} {
		p := newPage(evaltest.Sample(t, task))
		if len(p.Sections()) < 5 {
			t.Errorf("%s: %d sections", task, len(p.Sections()))
		}
		for _, s := range p.Sections() {
			text := p.Section(s.ID).Finding
			if text == "" || text == s.Name || len(strings.Fields(text)) < 4 || strings.HasSuffix(text, ".") ||
				strings.Contains(text, "-0") {
				t.Errorf("%s, %s: %q", task, s.Name, text)
			}
		}
	}
	if newPage(evaltest.Sample(t, eval.Binary)).Section("group-coefficients") != nil {
		t.Error("a section without contents has a heading")
	}
}

// The heading of the groups names who gains and who loses, with the error rates, only if the change is measurable.
func TestGroupsFinding_GainsAndLosses(t *testing.T) {
	p := newPage(evaltest.Sample(t, eval.Binary))
	g, k := p.E.Headline(), p.E.Focus()
	for i := range g.Groups {
		g.Groups[i].Sufficient = true
		g.Groups[i].Models[k].Values.Of["accuracy"], g.Groups[i].Models[0].Values.Of["accuracy"] = 0.75, 0.5
	}
	set := func(low, high eval.Num) {
		for i := range p.E.Compared[k-1].Groups {
			q := &p.E.Compared[k-1].Groups[i]
			q.Value, q.Simultaneous = (low+high)/2, &eval.Interval{Low: low, High: high}
		}
	}
	set(-0.3, -0.1)
	if got := p.groupsFinding(); !strings.Contains(got, "has a lower error rate in") ||
		!strings.Contains(got, "against 50") {
		t.Error(got)
	}
	set(0.1, 0.3) // the loss rises although the accuracy rises
	if got := p.groupsFinding(); !strings.Contains(got, "has a higher") {
		t.Error(got)
	}
	set(-0.1, 0.3)
	if got := p.groupsFinding(); !strings.HasPrefix(got, "No group is measurably better or worse off") {
		t.Error(got)
	}
}

// The worries are ordered by harm: a leak comes before a slice, and only four are unfolded.
func TestWorries_OrderedByHarm(t *testing.T) {
	e := evaltest.Evaluate(t, evaltest.Loans())
	p := newPage(&eval.Report{Evaluation: e, Notes: []string{"warning: later",
		"warning: x: possible leakage: the column alone predicts the target", "warning: one more", "warning: and another",
		"warning: the last"}})
	all := p.Worries()
	if all[0].Kind != "A column may give away the outcome" || len(p.FirstWorries()) != 4 ||
		len(p.OtherWorries()) != len(all)-4 {
		t.Errorf("%q", all)
	}
	at := func(kind string) int {
		return slices.IndexFunc(worries, func(w struct {
			kind string
			find func(p *page) []string
		}) bool {
			return w.kind == kind
		})
	}
	if !(at("A column may give away the outcome") < at("A criterion fails") &&
		at("A criterion fails") < at("Not settled")) {
		t.Error("the order of harm changed")
	}
}

// TestWorries_OfASlice checks that a slice is a worry about some rows, not about the model, for risks that the page
// converts to root mean squared errors too.
func TestWorries_OfASlice(t *testing.T) {
	in := evaltest.Two(600, 3, 0, 4)
	at := make([]float64, len(in.Target))
	for i := range at {
		if at[i] = float64(i % 10); at[i] == 9 {
			for k := range in.Models {
				in.Models[k].Score[i] += 9
				in.Models[k].Loss[i] = (in.Models[k].Score[i] - in.Target[i]) * (in.Models[k].Score[i] - in.Target[i]) / 2
			}
		}
	}
	in.Columns = []eval.Column{{Name: "place", Value: at}}
	p := newPage((&eval.Report{Evaluation: evaltest.Evaluate(t, in)}).InTargetUnits())
	var kinds []string
	for _, w := range p.Worries() {
		if strings.Contains(w.Text, "predicts rows with place") {
			kinds = append(kinds, w.Kind)
			if !strings.Contains(w.Text, "(RMSE ") {
				t.Error(w.Text)
			}
		}
	}
	if !slices.Equal(kinds, []string{"Some rows are predicted worse"}) {
		t.Errorf("%q", kinds)
	}
}

// A level close to those that yield a constant prediction is warned of, and one farther away is not.
func TestLevelWarning_NearTheLimit(t *testing.T) {
	e := evaltest.Evaluate(t, evaltest.Loans())
	e.Levels = &eval.LevelRange{Balls: []eval.BallRange{{Penalty: "kl", Ess: 0.4}}}
	r := &eval.Report{Evaluation: e, Objective: eval.Objective{Penalty: "kl"},
		Adversary: &eval.Adversary{EffectiveShare: 0.45}}
	if got := newPage(r).levelWarning(); !strings.Contains(got, "is 45.0\u00a0% of the rows") ||
		!strings.Contains(got, "at 40.0\u00a0%") {
		t.Error(got)
	}
	for name, change := range map[string]func(){
		"a milder level":     func() { r.Adversary.EffectiveShare = 0.55 },
		"another divergence": func() { r.Adversary.EffectiveShare = 0.45; r.Objective.Penalty = "chi2" },
		"over groups":        func() { r.Objective.Penalty = "kl"; r.Adversary.OverGroups = true },
	} {
		if change(); newPage(r).levelWarning() != "" {
			t.Errorf("%s is warned of", name)
		}
	}
}

// Tables of groups are drawn: every group with enough rows has its interval and the constant prediction, on one axis.
func TestGroups_Drawn(t *testing.T) {
	in := evaltest.Read(t).Input(eval.Binary)
	in.Resamples, in.LossUnit = 200, "nats"
	p := newPage(&eval.Report{Title: "t", Evaluation: evaltest.Evaluate(t, in)})
	groups := p.Groups()
	if !groups.HasDrawings() || groups.Rows[len(groups.Rows)-1].Cells[0] != "all rows" {
		t.Fatal("the table is not drawn, or has no row for all rows")
	}
	for _, row := range groups.Rows {
		for i, s := range row.Strips {
			if s == nil {
				continue
			}
			text := string(row.Drawing(i))
			if row.Class != "faint" && !strings.Contains(text, `class="iv`) {
				t.Errorf("%s, %s: no interval", row.Cells[0], groups.Head[i])
			}
			if ends := groups.EndsOf(i); len(ends) != 2 || strings.Contains(strings.Join(ends, ""), "-") {
				t.Errorf("%s: axis %q", groups.Head[i], ends)
			}
		}
	}
}

// A page with 40 groups of long names folds most of them and stays short.
func TestPage_ManyGroupsAreFolded(t *testing.T) {
	in := evaltest.Two(4000, 40, 0.1, 3)
	in.Resamples = 100
	var b bytes.Buffer
	if err := WriteHTML(&b, &eval.Report{Title: "many", Evaluation: evaltest.Evaluate(t, in)}); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	shown := text[strings.Index(text, `<section id="groups">`):]
	shown = shown[:strings.Index(shown, `<details class="more">`)]
	if n := strings.Count(shown, "<tr"); n != 1+foldedRows+1 { // head, groups, all rows
		t.Errorf("%d rows are shown", n)
	}
}

// TestGroups_EmptyLabel checks that a group whose label is empty has its own interval and change, not those of all rows.
func TestGroups_EmptyLabel(t *testing.T) {
	page := func(label string) *page {
		in := evaltest.Two(900, 3, 0.5, 4)
		in.Groups[len(in.Groups)-1].Labels[0] = label
		return newPage(&eval.Report{Evaluation: evaltest.Evaluate(t, in)})
	}
	named, empty := page("named"), page("")
	for i, want := range named.Groups().Rows {
		got := empty.Groups().Rows[i]
		if strings.HasPrefix(want.Cells[0], "named") {
			want.Cells[0] = strings.Replace(want.Cells[0], "named", "(empty)", 1)
		}
		if !slices.Equal(got.Cells, want.Cells) {
			t.Errorf("row %d is %q, want %q", i, got.Cells, want.Cells)
		}
	}
	if f, _ := figRisk(empty.Report); !strings.Contains(f.Alt, "(empty), n 300") {
		t.Errorf("the figure does not name the group: %s", f.Alt)
	}
}
