package page

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
)

// The page is well-formed, self-contained, small, and says what it must.
func TestPage_IsWellFormed(t *testing.T) {
	for _, task := range []eval.Task{eval.Binary, eval.Regression} {
		var b bytes.Buffer
		if err := WriteHTML(&b, evaltest.Sample(t, task)); err != nil {
			t.Fatal(err)
		}
		s := b.String()
		wellFormed(t, s)
		for _, no := range []string{"<script", "http://", "https://", "url(", "@import", "NaN", "ZgotmplZ", "%!"} {
			if strings.Contains(s, no) {
				t.Errorf("page contains %q", no)
			}
		}
		for _, yes := range []string{"<title>Sample</title>", "Verdict", "too few rows", "DRAGO",
			"Effective sample size", "Caveats", "drotrain train sample.csv", "prefers-color-scheme", "@media print",
			`aria-labelledby="cvar-t cvar-d"`} {
			if !strings.Contains(s, yes) {
				t.Errorf("page lacks %q", yes)
			}
		}
		if len(s) > 300_000 {
			t.Errorf("page has %d bytes", len(s))
		}
	}
}

// wellFormed checks that tags nest and ids are unique.
func wellFormed(t *testing.T, s string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(s))
	d.Strict = false
	d.AutoClose = []string{"meta"}
	d.Entity = xml.HTMLEntity
	ids := make(map[string]bool)
	var open []string
	for {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := tok.(type) {
		case xml.StartElement:
			open = append(open, e.Name.Local)
			for _, a := range e.Attr {
				if a.Name.Local == "id" {
					if ids[a.Value] {
						t.Errorf("id %q twice", a.Value)
					}
					ids[a.Value] = true
				}
				if a.Name.Local == "href" && strings.HasPrefix(a.Value, "#") && !strings.Contains(s, `id="`+a.Value[1:]+`"`) {
					t.Errorf("link to nowhere: %s", a.Value)
				}
			}
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1] != e.Name.Local {
				t.Fatalf("</%s> closes %v", e.Name.Local, open)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("left open: %v", open)
	}
}

// Hostile names cannot break out of the page.
func TestPage_EscapesNames(t *testing.T) {
	const evil = `</title><script>alert(1)</script>"'&| *`
	in := eval.Input{Task: eval.Binary, Target: []float64{1, -1, 1, -1}, TargetName: evil, LossUnit: evil, Split: evil,
		Models: []eval.Model{{Name: evil, Score: []float64{.1, .2, .3, .4}, Loss: []float64{1, 2, 3, 4}}},
		Groups: []encode.Grouping{{Name: evil, Labels: []string{evil, "b"}, Index: []int32{0, 0, 1, 1}}}}
	e := evaltest.Evaluate(t, in)
	var b bytes.Buffer
	if err := WriteHTML(&b, &eval.Report{Title: evil, Evaluation: e, Command: evil, Notes: []string{evil}}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "<script") {
		t.Error("script got through")
	}
	wellFormed(t, b.String())
}

// What cannot be computed is said, not faked, and never NaN.
func TestPage_OfHardInputHasNoNaN(t *testing.T) {
	one := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = 1
		}
		return x
	}
	cases := map[string]eval.Input{
		"one row": {Task: eval.Binary, Target: []float64{1},
			Models: []eval.Model{{Name: "m", Score: []float64{0.5}, Loss: []float64{0.7}}}},
		"one class": {Task: eval.Binary, Target: one(9),
			Models: []eval.Model{{Name: "m", Score: make([]float64, 9), Loss: make([]float64, 9)}}, Resamples: 100},
		"constant": {Task: eval.Regression, Target: one(9),
			Models: []eval.Model{{Name: "m", Score: one(9), Loss: make([]float64, 9)},
				{Name: "r", Score: one(9), Loss: make([]float64, 9)}}, Resamples: 100},
		"extreme": {Task: eval.Regression, Target: []float64{1e150, -1e150, 0},
			Models:    []eval.Model{{Name: "m", Score: []float64{-1e200, 1e200, 0}, Loss: []float64{1e300, 1e300, 1e-300}}},
			Resamples: 100},
		"all groups small": {Task: eval.Binary, Target: []float64{1, -1, 1},
			Models:       []eval.Model{{Name: "m", Score: []float64{0, 1, 0.5}, Loss: []float64{1, 1, 1}}},
			Groups:       []encode.Grouping{{Name: "g", Labels: []string{"a", "b", "unseen"}, Index: []int32{0, 1, 1}}},
			MinGroupSize: 50, Resamples: 100},
		"single-row groups": {Task: eval.Regression, Target: []float64{1, 2},
			Models: []eval.Model{{Name: "m", Score: []float64{0, 1}, Loss: []float64{1, 1}},
				{Name: "r", Score: []float64{0, 1}, Loss: []float64{1, 1}}},
			Groups: []encode.Grouping{{Name: "g", Labels: []string{"a", "b"}, Index: []int32{0, 1}}}, Resamples: 100},
	}
	for name, in := range cases {
		in.Columns = []eval.Column{{Name: "c", Value: in.Target}}
		e, err := eval.Evaluate(context.Background(), in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r := &eval.Report{Title: name, Evaluation: e}
		var b bytes.Buffer
		if err := r.WriteJSON(&b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		evaltest.Finite(t, b.Bytes())
		b.Reset()
		if err := WriteHTML(&b, r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
			t.Errorf("%s: NaN on the page", name)
		}
		wellFormed(t, b.String())
		if err := WriteMarkdown(io.Discard, r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name == "one class" && e.Models[0].Overall.Why["auc"] != "no negative rows" {
			t.Errorf("AUC of one class: %v", e.Models[0].Overall.Why)
		}
		if name == "all groups small" && (e.Models[0].WorstGroup != nil ||
			!strings.Contains(strings.Join(e.Caveats, " "), "too few for any conclusion")) {
			t.Errorf("small groups: %v", e.Caveats)
		}
	}
}

// The page and the file of numbers stay small whatever the groups: -v prints their sizes.
func TestPage_SizeIsBounded(t *testing.T) {
	for _, c := range []struct{ groups, page, numbers int }{{10, 130_000, 120_000}, {10_000, 260_000, 1_200_000}} {
		in := evaltest.Two(4*c.groups+400, c.groups, 0.1, 1)
		in.Resamples = 100
		e := evaltest.Evaluate(t, in)
		var html, numbers bytes.Buffer
		if err := WriteHTML(&html, &eval.Report{Title: "many", Evaluation: e}); err != nil {
			t.Fatal(err)
		}
		if err := e.WriteJSON(&numbers); err != nil {
			t.Fatal(err)
		}
		t.Logf("%d groups: %d bytes of report.html, %d of metrics.json", c.groups, html.Len(), numbers.Len())
		if html.Len() > c.page || numbers.Len() > c.numbers || e.Groupings[0].Count() != c.groups {
			t.Errorf("%d groups: %d bytes of the page, %d of the numbers; at most %d and %d", e.Groupings[0].Count(), html.Len(),
				numbers.Len(), c.page, c.numbers)
		}
		if strings.Contains(html.String(), "more groups are in metrics.json") != (c.groups > eval.MostGroups) {
			t.Errorf("%d groups: the page hides that groups are left out, or says so of none", c.groups)
		}
	}
}

// A table of groups shows the worst of them, as many as have room, the worst by name and
// those too small as such, a few where not all have room, and says how many there are besides.
func TestPage_MoreGroupsThanShown(t *testing.T) {
	for _, groups := range []int{eval.MostGroups, eval.MostGroups + 7} {
		in := evaltest.Two(4*groups+1, groups, 0.1, 12)
		in.MinGroupSize, in.Resamples = 5, 0
		e := evaltest.Evaluate(t, in)
		var b bytes.Buffer
		if err := WriteMarkdown(&b, &eval.Report{Title: "Many", Evaluation: e}); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		small := eval.MostGroups - 1 // one has five rows
		if groups > eval.MostGroups {
			small = eval.MostGroups / 6
		}
		rest := fmt.Sprintf("%d more groups are in metrics.json", groups-1-small)
		if said := strings.Contains(text, rest); said != (groups > eval.MostGroups) ||
			strings.Contains(text, "more groups are in metrics.json") != said {
			t.Errorf("%d groups: the rest is named: %v", groups, said)
		}
		if worst := strings.Count(text, "(largest RMSE, robust)"); worst != 1 {
			t.Errorf("%d groups: %d are the worst", groups, worst)
		}
		if n := strings.Count(text, "(too few rows)"); n != small {
			t.Errorf("%d groups: %d are too small, not %d", groups, n, small)
		}
	}
}

// Of one group alone there is a page: its risk is that of the worst, and nothing lies between
// groups.
func TestPage_OfOneGroup(t *testing.T) {
	in := evaltest.Two(40, 1, 0.1, 12)
	in.MinGroupSize, in.Resamples = 5, 0
	e := evaltest.Evaluate(t, in)
	var b bytes.Buffer
	if err := WriteMarkdown(&b, &eval.Report{Title: "One", Evaluation: e}); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); strings.Count(text, "(largest RMSE, robust)") != 1 {
		t.Errorf("no worst group in %s", text)
	}
}
