package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
)

// sample is a full report on the fixture rows, with a made-up second model.
func sample(t testing.TB, task Task) *Report {
	f := readFixture(t)
	in := f.input(task)
	second := Model{Name: "robust"}
	for i := range in.Target {
		s, l := in.Models[0].Score[i], 0.0
		if task == Binary {
			s = 0.5 + 0.7*(s-0.5)
			l = -math.Log(s)
			if in.Target[i] < 0 {
				l = -math.Log(1 - s)
			}
		} else {
			s = 300 + 0.8*(s-300)
			l = (s - in.Target[i]) * (s - in.Target[i]) / 5000
		}
		second.Score, second.Loss = append(second.Score, s), append(second.Loss, l)
	}
	in.Models = append(in.Models, second)
	in.Resamples, in.Seed, in.MinGroupSize = 200, 1, 75
	in.LossUnit = map[Task]string{Binary: "nats", Regression: "SD²"}[task]
	if task == Regression {
		in.TargetUnit = "USD/week"
	}
	in.Columns = []Column{{Name: "x", Value: in.Models[0].Score}}
	e, err := Evaluate(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	y, _, err := WorstCaseChiSquare(second.Loss, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	a, err := DescribeAdversary(AdversaryInput{Weights: y, Penalty: "chi2", Nu: 0.5, Rows: "hold-out", Loss: second.Loss, Groups: in.Groups, Columns: in.Columns})
	if err != nil {
		t.Fatal(err)
	}
	r := &Report{Title: "Sample", Evaluation: e, Adversary: a,
		Objective:   Objective{Loss: "logistic", Penalty: "chi2", Nu: 0.5, Mu: 0.01, N: 400, SelectedAlike: true},
		Facts:       []Fact{{"Seed", "1"}},
		Certificate: &Certificate{Upper: 0.5, Lower: 0.4999999, Gap: 1e-7, RelativeGap: 2e-7, Target: 1e-6, Certified: true, Passes: 24, Seconds: 0.5},
		Coefficients: &Coefficients{Models: []string{"ERM", "robust"}, Scaled: "log-odds per standard deviation",
			Rows: []Coefficient{{"age", "years", []Num{0.01, 0.02}, []Num{0.1, 0.2}}, {"debt", "", []Num{-1, -0.5}, []Num{-0.4, -0.2}}}},
		Command: "drotrain train sample.csv"}
	r.Trace = []TracePoint{{1, 0.01, 0.9, math.Inf(-1)}, {2, 0.02, 0.8, -3}}
	for k := range 10 {
		r.Trace = append(r.Trace, TracePoint{float64(2*k + 4), 0.04 * float64(k+1), 0.5 + math.Pow(10, -float64(k)), 0.5 - math.Pow(10, -float64(k))/3})
	}
	return r
}

func TestObjectiveText(t *testing.T) {
	for want, o := range map[string]Objective{
		"max over j of":             {Penalty: "kl", Nu: 0, Mu: 1},
		"mean of ℓⱼ(x)":             {Penalty: "kl", Nu: math.Inf(1), Mu: 1},
		"− 0.5 · Σ yⱼ log(n yⱼ)":    {Penalty: "kl", Nu: 0.5, Mu: 1},
		"− 2 · ½ mean((n yⱼ − 1)²)": {Penalty: "chi2", Nu: 2, Mu: 1},
		"as written":                {Text: "as written", Penalty: "kl"},
	} {
		if got := o.ObjectiveText(); !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	// ½ν′‖y − 1/n‖² with ν′ = νn, and ν″n‖y − 1/n‖² with ν″ = ν/2.
	s := strings.Join(Objective{Penalty: "chi2", Nu: 0.5, N: 400}.Normalisation(), " ")
	if !strings.Contains(s, "ν′ = νn = 200") || !strings.Contains(s, "ν′ = ν/2 = 0.25") {
		t.Error(s)
	}
}

// finite fails on any NaN or infinity hidden in JSON text, and on bad JSON.
func finite(t *testing.T, b []byte) {
	t.Helper()
	if !json.Valid(b) {
		t.Error("not JSON")
	}
	for _, s := range []string{"NaN", "Inf", "inf,"} {
		if bytes.Contains(b, []byte(s)) {
			t.Errorf("JSON holds %s", s)
		}
	}
}

func TestReportRoundTrip(t *testing.T) {
	for _, task := range []Task{Binary, Regression} {
		r := sample(t, task)
		var b, c bytes.Buffer
		if err := WriteJSON(&b, r); err != nil {
			t.Fatal(err)
		}
		finite(t, b.Bytes())
		back, err := ReadReport(bytes.NewReader(b.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := WriteJSON(&c, back); err != nil || !bytes.Equal(b.Bytes(), c.Bytes()) {
			t.Error("the report changes on its way through JSON", err)
		}
		var p, q bytes.Buffer
		if err := WriteHTML(&p, r); err != nil {
			t.Fatal(err)
		}
		if err := WriteHTML(&q, back); err != nil || !bytes.Equal(p.Bytes(), q.Bytes()) {
			t.Error("the page of the report read back differs", err)
		}
		b.Reset()
		if err := r.Evaluation.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		e, err := ReadEvaluation(&b)
		if err != nil || e.Verdict.Headline != r.Evaluation.Verdict.Headline || !reflect.DeepEqual(e.Caveats, r.Evaluation.Caveats) {
			t.Error(e, err)
		}
	}
	r := sample(t, Binary)
	r.Objective.Nu = math.Inf(1)
	var b bytes.Buffer
	if err := WriteJSON(&b, r); err != nil || !strings.Contains(b.String(), `"nu": null`) {
		t.Error("infinite ν:", err)
	}
	if back, err := ReadReport(&b); err != nil || !math.IsInf(back.Objective.Nu, 1) || back.Objective.Mu != 0.01 || back.Objective.Penalty != "chi2" {
		t.Error("infinite ν read back:", err)
	}
	if _, err := ReadReport(strings.NewReader(`{"schema":"drotrain.report/99"}`)); err == nil {
		t.Error("unknown schema accepted")
	}
	if _, err := ReadReport(strings.NewReader(`{"schema":"drotrain.report/1"}`)); err == nil {
		t.Error("report without evaluation accepted")
	}
}

// The page is well-formed, self-contained, small, and says what it must.
func TestPage(t *testing.T) {
	for _, task := range []Task{Binary, Regression} {
		var b bytes.Buffer
		if err := WriteHTML(&b, sample(t, task)); err != nil {
			t.Fatal(err)
		}
		s := b.String()
		wellFormed(t, s)
		for _, no := range []string{"<script", "http://", "https://", "url(", "@import", "NaN", "ZgotmplZ", "%!"} {
			if strings.Contains(s, no) {
				t.Errorf("page contains %q", no)
			}
		}
		for _, yes := range []string{"<title>Sample</title>", "Verdict", "insufficient evidence", "DRAGO", "Effective sample size", "Caveats", "drotrain train sample.csv", "prefers-color-scheme", "@media print", `aria-labelledby="cvar-t cvar-d"`} {
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
func TestPageEscapes(t *testing.T) {
	const evil = `</title><script>alert(1)</script>"'&| *`
	in := Input{Task: Binary, Target: []float64{1, -1, 1, -1}, TargetName: evil, LossUnit: evil, Split: evil,
		Models: []Model{{Name: evil, Score: []float64{.1, .2, .3, .4}, Loss: []float64{1, 2, 3, 4}}},
		Groups: []data.Grouping{{Name: evil, Labels: []string{evil, "b"}, Index: []int32{0, 0, 1, 1}}}}
	e, err := Evaluate(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteHTML(&b, &Report{Title: evil, Evaluation: e, Command: evil, Notes: []string{evil}}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "<script") {
		t.Error("script got through")
	}
	wellFormed(t, b.String())
}

// What cannot be computed is said, not faked, and never NaN.
func TestHardInput(t *testing.T) {
	one := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = 1
		}
		return x
	}
	cases := map[string]Input{
		"one row":           {Task: Binary, Target: []float64{1}, Models: []Model{{Name: "m", Score: []float64{0.5}, Loss: []float64{0.7}}}},
		"one class":         {Task: Binary, Target: one(9), Models: []Model{{Name: "m", Score: make([]float64, 9), Loss: make([]float64, 9)}}, Resamples: 100},
		"constant":          {Task: Regression, Target: one(9), Models: []Model{{Name: "m", Score: one(9), Loss: make([]float64, 9)}, {Name: "r", Score: one(9), Loss: make([]float64, 9)}}, Resamples: 100},
		"extreme":           {Task: Regression, Target: []float64{1e150, -1e150, 0}, Models: []Model{{Name: "m", Score: []float64{-1e200, 1e200, 0}, Loss: []float64{1e300, 1e300, 1e-300}}}, Resamples: 100},
		"all groups small":  {Task: Binary, Target: []float64{1, -1, 1}, Models: []Model{{Name: "m", Score: []float64{0, 1, 0.5}, Loss: []float64{1, 1, 1}}}, Groups: []data.Grouping{{Name: "g", Labels: []string{"a", "b", "unseen"}, Index: []int32{0, 1, 1}}}, MinGroupSize: 50, Resamples: 100},
		"single-row groups": {Task: Regression, Target: []float64{1, 2}, Models: []Model{{Name: "m", Score: []float64{0, 1}, Loss: []float64{1, 1}}, {Name: "r", Score: []float64{0, 1}, Loss: []float64{1, 1}}}, Groups: []data.Grouping{{Name: "g", Labels: []string{"a", "b"}, Index: []int32{0, 1}}}, Resamples: 100},
	}
	for name, in := range cases {
		in.Columns = []Column{{Name: "c", Value: in.Target}}
		e, err := Evaluate(context.Background(), in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r := &Report{Title: name, Evaluation: e}
		var b bytes.Buffer
		if err := WriteJSON(&b, r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		finite(t, b.Bytes())
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
		if name == "all groups small" && (e.Models[0].WorstGroup != nil || !strings.Contains(strings.Join(e.Caveats, " "), "insufficient evidence")) {
			t.Errorf("small groups: %v", e.Caveats)
		}
	}
}

func TestBadInputIsNamed(t *testing.T) {
	ok := func() Input {
		return Input{Task: Binary, Target: []float64{1, -1}, RowID: []int{40, 41}, Models: []Model{{Name: "m", Score: []float64{.1, .2}, Loss: []float64{1, 2}}}}
	}
	for want, breakIt := range map[string]func(*Input){
		"no rows":                       func(in *Input) { in.Target = nil },
		"no model":                      func(in *Input) { in.Models = nil },
		`task "x"`:                      func(in *Input) { in.Task = "x" },
		"row 41 is NaN":                 func(in *Input) { in.Models[0].Score[1] = math.NaN() },
		"probability in [0, 1]":         func(in *Input) { in.Models[0].Score[0] = 2 },
		"loss of model \"m\" at row 40": func(in *Input) { in.Models[0].Loss[0] = math.Inf(1) },
		"binary target is":              func(in *Input) { in.Target[0] = 0 },
		"has 1 scores":                  func(in *Input) { in.Models[0].Score = in.Models[0].Score[:1] },
		"name of its own":               func(in *Input) { in.Models = append(in.Models, in.Models[0]) },
		"covers 1 rows":                 func(in *Input) { in.Groups = []data.Grouping{{Name: "g", Labels: []string{"a"}, Index: []int32{0}}} },
		"the group 3 of 1":              func(in *Input) { in.Groups = []data.Grouping{{Name: "g", Labels: []string{"a"}, Index: []int32{0, 3}}} },
		"too few":                       func(in *Input) { in.Resamples = 5 },
		"confidence":                    func(in *Input) { in.Confidence = 2 },
	} {
		in := ok()
		breakIt(&in)
		if _, err := Evaluate(context.Background(), in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error about %q, got %v", want, err)
		}
	}
	for _, y := range [][]float64{nil, {-0.1, 1.1}, {0.5, math.NaN()}, {0.5, 0.4}} {
		if _, err := DescribeAdversary(AdversaryInput{Weights: y}); err == nil {
			t.Errorf("weights %v accepted", y)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Evaluate(ctx, ok()); err == nil {
		t.Error("cancellation ignored")
	}
	if err := WriteHTML(io.Discard, &Report{}); err == nil {
		t.Error("empty report written")
	}
}

// Ten thousand groups: done in a moment, and the page stays small.
func TestManyGroups(t *testing.T) {
	in := two(40_000, 10_000, 0.1, 1)
	in.Resamples = 100
	e, err := Evaluate(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteHTML(&b, &Report{Title: "many", Evaluation: e}); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 1_000_000 || len(e.Groupings[0].Groups) != 10_000 {
		t.Errorf("%d bytes, %d groups", b.Len(), len(e.Groupings[0].Groups))
	}
	if !strings.Contains(b.String(), "more groups are in metrics.json") {
		t.Error("the page hides that groups are left out")
	}
}

// The values of heavy rows appear only when asked for; rows count from 1.
func TestShowRows(t *testing.T) {
	in := AdversaryInput{Loss: []float64{1, 5, 2, 3}, Columns: []Column{{Name: "age", Unit: "years", Value: []float64{30, math.NaN(), 50, 60}}, {Name: "site", Levels: []string{"a"}, Code: []int32{0, 0, -1, 0}}}}
	a, _, err := Holders(in, "chi2", 1)
	if err != nil || a.TopColumns != nil || a.Top[0].Values != nil || a.Top[0].Row != 2 {
		t.Errorf("%+v %v", a, err)
	}
	in.ShowRows = true
	a, w, err := Holders(in, "chi2", 1)
	if err != nil || !reflect.DeepEqual(a.TopColumns, []string{"age (years)", "site"}) || !reflect.DeepEqual(a.Top[0].Values, []string{"(missing)", "a"}) {
		t.Errorf("%+v %v", a, err)
	}
	if math.Abs(float64(a.RadiusChi-w.Radius)) > closedForm || *a.Nu != 1 || a.Penalty != "chi2" {
		t.Errorf("radius %v, want %v", a.RadiusChi, w.Radius)
	}
	r := sample(t, Binary)
	a, w, err = Holders(AdversaryInput{Loss: in.Loss}, "kl", 0.5)
	if err != nil || math.Abs(float64(a.RadiusKL-w.Radius)) > closedForm {
		t.Errorf("radius %v, want %v: %v", a.RadiusKL, w.Radius, err)
	}
	r.Adversary, _, _ = Holders(in, "kl", 1)
	var b bytes.Buffer
	if err := WriteHTML(&b, r); err != nil || !strings.Contains(b.String(), "age (years)") || !strings.Contains(b.String(), "(missing)") {
		t.Error("the page lacks the rows asked for", err)
	}
}

// A run that knows no bounds at its first checks, or at any, has a report.
func TestUnknownBounds(t *testing.T) {
	r := sample(t, Binary)
	for _, trace := range [][]TracePoint{
		{{1, 0.1, math.NaN(), math.Inf(-1)}},
		{{1, 0.1, math.NaN(), math.Inf(-1)}, {2, 0.2, math.NaN(), 0}, {3, 0.3, 0.5, 0.4}, {4, 0.4, 0.45, 0.449}},
	} {
		r.Trace = trace
		r.Certificate = &Certificate{Upper: Undefined(), Lower: Undefined(), Gap: Undefined(), RelativeGap: Undefined(), Target: 1e-6}
		var b bytes.Buffer
		if err := WriteHTML(&b, r); err != nil || strings.Contains(b.String(), "NaN") {
			t.Error("page:", err)
		}
		b.Reset()
		if err := WriteJSON(&b, r); err != nil {
			t.Error(err)
		}
		finite(t, b.Bytes())
	}
}
