package report_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train/report"
)

// The labels determine the task unless the options set it: two values are classes, other numbers are quantities, and
// other labels are an error.
func TestAudit_TaskOfLabels(t *testing.T) {
	texts := func(v ...string) (label []string, number []float64) { return v, nil }
	numbers := func(v ...float64) (label []string, number []float64) { return nil, v }
	for name, c := range map[string]struct {
		label  []string
		number []float64
		change func(o *report.AuditOptions)
		task   eval.Task
		err    string
	}{
		"two texts":   {task: eval.Binary},
		"two numbers": {task: eval.Binary},
		"two numbers, quantities": {task: eval.Regression,
			change: func(o *report.AuditOptions) { o.Task = eval.Regression }},
		"numbers": {task: eval.Regression},
		"numbers, classes": {err: "the labels before it are only",
			change: func(o *report.AuditOptions) { o.Task = eval.Binary }},
		"numbers, one positive": {err: "at least three",
			change: func(o *report.AuditOptions) { o.Positive = "1" }},
		"numbers, a loss of classes": {err: "at least three",
			change: func(o *report.AuditOptions) { o.Loss = "logistic" }},
		"two texts, a loss of numbers": {err: "huber is for numeric labels",
			change: func(o *report.AuditOptions) { o.Loss = "huber" }},
		"two texts, a loss of nothing": {err: `"hinge"`, change: func(o *report.AuditOptions) { o.Loss = "hinge" }},
		"three texts":                  {err: `the label is "well", but the labels before it are only "yes" and "no"`},
		"one text":                     {err: "only one value"},
		"one text that is positive":    {task: eval.Binary, change: func(o *report.AuditOptions) { o.Positive = "yes" }},
		"one text that is not":         {task: eval.Binary, change: func(o *report.AuditOptions) { o.Positive = "no" }},
		"one number":                   {task: eval.Regression},
		"one number of a class": {err: "only one value",
			change: func(o *report.AuditOptions) { o.Task = eval.Binary }},
		"one number, a loss of classes": {err: "only one value",
			change: func(o *report.AuditOptions) { o.Loss = "logistic" }},
		"one number, positive":             {task: eval.Binary, change: func(o *report.AuditOptions) { o.Positive = "2" }},
		"two texts, neither of them meant": {err: "", change: func(o *report.AuditOptions) { o.Positive = "maybe" }},
	} {
		switch {
		case strings.HasPrefix(name, "two texts"):
			c.label, c.number = texts("yes", "no", "no", "yes", "no", "yes")
		case strings.HasPrefix(name, "two numbers"):
			c.label, c.number = numbers(0, 1, 1, 0, 1, 0)
		case strings.HasPrefix(name, "numbers"):
			c.label, c.number = numbers(0, 1, 1.5, 0, 1, 2)
		case strings.HasPrefix(name, "three"):
			c.label, c.number = texts("yes", "no", "no", "well", "no", "yes")
		case strings.HasPrefix(name, "one text"):
			c.label, c.number = texts("yes", "yes", "yes", "yes", "yes", "yes")
		default:
			c.label, c.number = numbers(2, 2, 2, 2, 2, 2)
		}
		score := []float64{0.1, 0.2, 0.9, 0.5, 0.4, 0.3}
		y := data.Column{Name: "y", Type: "double", Kind: data.Numeric, Number: c.number}
		if c.number == nil {
			y = data.Column{Name: "y", Type: "string", Kind: data.Categorical}
			for _, v := range c.label {
				k := slices.Index(y.Level, v)
				if k < 0 {
					k, y.Level = len(y.Level), append(y.Level, v)
				}
				y.Code = append(y.Code, int32(k))
			}
		}
		f := must(data.NewFrame(y, data.Column{Name: "s", Type: "double", Kind: data.Numeric, Number: score}))
		o := report.AuditOptions{Options: options(), Label: "y", Scores: []report.Score{{Name: "it", Column: "s"}},
			HuberDelta: 1}
		if c.change != nil {
			c.change(&o)
		}
		x, err := report.Audit(t.Context(), f, o)
		switch {
		case c.task == "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v", name, err)
			}
		case err != nil || x.Input.Task != c.task:
			t.Errorf("%s: %v, want %s", name, err, c.task)
		}
	}
}

// audited evaluates scores of two classes, with row weights if there are any.
func audited(
	t *testing.T, label []string, score, weight []float64, change func(o *report.AuditOptions),
) (*report.Measured, error) {
	t.Helper()
	type row struct {
		Y string  `drotrain:"y"`
		S float64 `drotrain:"s"`
		W float64 `drotrain:"w"`
	}
	var rows []row
	for i, v := range label {
		r := row{v, score[i], 1}
		if weight != nil {
			r.W = weight[i]
		}
		rows = append(rows, r)
	}
	f := must(data.FromStructs(rows))
	o := report.AuditOptions{Options: options(), Label: "y", Scores: []report.Score{{Name: "it", Column: "s"}},
		HuberDelta: 1}
	if weight != nil {
		o.Weight = "w"
	}
	if change != nil {
		change(&o)
	}
	return report.Audit(t.Context(), f, o)
}

// A row of weight k counts as k equal rows.
func TestAudit_WeightsAreRepetitions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 33))
	var label, labels []string
	var score, weight, scores []float64
	for i := range 60 {
		label = append(label, []string{"yes", "no"}[i%2])
		score, weight = append(score, 0.05+0.9*r.Float64()), append(weight, float64(1+i%3))
		for range 1 + i%3 {
			labels, scores = append(labels, label[i]), append(scores, score[i])
		}
	}
	a, err := audited(t, label, score, weight, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := audited(t, labels, scores, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for key, v := range b.Evaluation.Models[0].Overall.Of {
		if got := a.Evaluation.Models[0].Overall.Of[key]; !(math.Abs(float64(got-v)) <= 1e-9) {
			t.Errorf("%s is %v with weights, %v of repetitions", key, got, v)
		}
	}
}

// Of two standard labels, such as 0 and 1, the positive one is that of training, in either order, also if numbers are
// stored as text. A requested positive label is matched to the label that is meant.
func TestAudit_PositiveLabelOfTraining(t *testing.T) {
	asked := ""
	positive := func(f *data.Frame) (own, trained string) {
		t.Helper()
		o := report.AuditOptions{Options: options(), Label: "y", Scores: []report.Score{{Name: "it", Column: "s"}},
			HuberDelta: 1, Positive: asked}
		x, failed := report.Audit(t.Context(), f, o)
		e, err := encode.NewEncoder(t.Context(), f, []int{0, 1, 2, 3},
			encode.Spec{Target: "y", Features: []string{"s"}, Positive: asked})
		if asked == "none" && failed != nil && err != nil {
			return "", ""
		}
		var must *report.OptionError
		if asked == "" && errors.As(failed, &must) && must.Option == "positive" && err == nil {
			return e.Target.Positive, e.Target.Positive // labels that do not say it: the audit asks
		}
		if failed != nil || err != nil {
			t.Fatal(asked, failed, err)
		}
		return x.Input.Positive, e.Target.Positive
	}
	score := []float64{0.1, 0.2, 0.9, 0.5}
	kind := data.Column{Name: "s", Kind: data.Numeric, Number: score}
	texts := []string{"no", "yes", "Yes", "true", "TRUE", "1", "2", "10", "-3", "1e999", "inf", "b", "zebra", "false"}
	for i, a := range texts {
		for _, b := range texts[i+1:] {
			for _, level := range [][]string{{a, b}, {b, a}} {
				f := must(data.NewFrame(data.Column{Name: "y", Kind: data.Categorical, Level: level, Code: []int32{0, 1, 1, 0}},
					kind))
				if own, trained := positive(f); own != trained {
					t.Errorf("of %q the audit takes %q, training %q", level, own, trained)
				}
			}
		}
	}
	for _, v := range [][]float64{{0, 1}, {9, 10}, {-1, -2}, {1e-300, 2e-300}, {1e20, 3}, {2, 1}} {
		f := must(data.NewFrame(data.Column{Name: "y", Kind: data.Numeric, Number: []float64{v[0], v[1], v[1], v[0]}}, kind))
		if own, trained := positive(f); own != trained {
			t.Errorf("of %v the audit takes %q, training %q", v, own, trained)
		}
	}
	for _, c := range []struct {
		kind data.Kind
		asks []string
		want string
	}{
		{data.Numeric, []string{"0", "0.0", "-0", "0e5"}, "0"}, {data.Numeric, []string{"1", "1.0", "+1", "1e0"}, "1"},
		{data.Numeric, []string{"none"}, ""},
		{data.Bool, []string{"true", "True", "TRUE"}, "true"}, {data.Bool, []string{"false", "fALSE"}, "false"},
		{data.Bool, []string{"none"}, ""},
	} {
		f := must(data.NewFrame(data.Column{Name: "y", Kind: c.kind, Number: []float64{0, 1, 1, 0}}, kind))
		for _, asked = range c.asks {
			if own, trained := positive(f); own != c.want || trained != c.want {
				t.Errorf("%q of %v: the audit takes %q, training %q", asked, c.kind, own, trained)
			}
		}
	}
}

// Errors name the column and the row: missing, invalid or absent scores and weights.
func TestAudit_Refuses(t *testing.T) {
	label, score := []string{"yes", "no", "yes", "no"}, []float64{0.1, 0.2, 0.3, 0.4}
	for want, c := range map[string]struct {
		score, weight []float64
		change        func(o *report.AuditOptions)
	}{
		"at least one column of predictions": {score, nil, func(o *report.AuditOptions) { o.Scores = nil }},
		`"nowhere"`:                          {score, nil, func(o *report.AuditOptions) { o.Scores[0].Column = "nowhere" }},
		`"no groups"`:                        {score, nil, func(o *report.AuditOptions) { o.Groups = []string{"no groups"} }},
		`"no weight"`:                        {score, nil, func(o *report.AuditOptions) { o.Weight = "no weight" }},
		"row 3":                              {[]float64{0.1, 0.2, 1.3, 0.4}, nil, nil},
		"a number above 0":                   {score, []float64{1, 0, 1, 1}, nil},
		"a score must be a number":           {score, nil, func(o *report.AuditOptions) { o.Scores[0].Column = "y" }},
		"MB of memory (Config.Memory) is not enough": {score, nil,
			func(o *report.AuditOptions) { o.Memory, o.Cache = 1<<20, t.TempDir() }},
	} {
		if _, err := audited(t, label, c.score, c.weight, c.change); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// The error for a missing label names its row.
func TestAudit_MissingLabels(t *testing.T) {
	f := must(data.NewFrame(
		data.Column{Name: "y", Kind: data.Categorical, Level: []string{"no", "yes"}, Code: []int32{0, 1, 0, 1},
			Null: []bool{false, false, true, false}},
		data.Column{Name: "s", Kind: data.Numeric, Number: []float64{0.1, 0.2, 0.3, 0.4}}))
	_, err := report.Audit(t.Context(), f, report.AuditOptions{Options: options(), Label: "y",
		Scores: []report.Score{{Name: "it", Column: "s"}}})
	var at *data.Error
	if !errors.As(err, &at) || at.Column != "y" || at.Row != 3 || !strings.Contains(err.Error(), "the label is missing") {
		t.Errorf("%v", err)
	}
}

// Bools are classes even if all labels are true or all are false.
func TestAudit_LabelsOfOneBool(t *testing.T) {
	type row struct {
		Y bool    `drotrain:"y"`
		P float64 `drotrain:"p"`
	}
	for _, y := range []bool{true, false} {
		f := must(data.FromStructs([]row{{y, 0.9}, {y, 0.8}, {y, 0.9}}))
		o := report.AuditOptions{Label: "y", Scores: []report.Score{{Name: "p", Column: "p"}}}
		a := must(report.Audit(t.Context(), f, o))
		want := 0.0
		if y {
			want = 1
		}
		if got := float64(a.Evaluation.Models[0].Overall.Of["accuracy"]); a.Input.Task != eval.Binary ||
			a.Input.Positive != "true" || got != want {
			t.Errorf("all %v: task %s, positive %q, accuracy %v", y, a.Input.Task, a.Input.Positive, got)
		}
		o.Task = eval.Regression
		if _, err := report.Audit(t.Context(), f, o); err != nil {
			t.Errorf("as quantities: %v", err)
		}
	}
}
