package report_test

import (
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train/report"
)

// The labels say what the task is: two values are classes, other numbers are quantities,
// and what is neither is refused, unless the options say more.
func TestTaskOfLabels(t *testing.T) {
	texts := func(v ...string) (label []string, number []float64) { return v, nil }
	numbers := func(v ...float64) (label []string, number []float64) { return nil, v }
	for name, c := range map[string]struct {
		label  []string
		number []float64
		change func(o *report.AuditOptions)
		task   eval.Task
		err    string
	}{
		"two texts":                        {task: eval.Binary},
		"two numbers":                      {task: eval.Binary},
		"two numbers, quantities":          {task: eval.Regression, change: func(o *report.AuditOptions) { o.Task = eval.Regression }},
		"numbers":                          {task: eval.Regression},
		"numbers, classes":                 {err: "third value", change: func(o *report.AuditOptions) { o.Task = eval.Binary }},
		"three texts":                      {err: "third value"},
		"one text":                         {err: "one value only"},
		"one text that is positive":        {task: eval.Binary, change: func(o *report.AuditOptions) { o.Positive = "yes" }},
		"one text that is not":             {task: eval.Binary, change: func(o *report.AuditOptions) { o.Positive = "no" }},
		"one number":                       {task: eval.Regression},
		"one number of a class":            {err: "one value only", change: func(o *report.AuditOptions) { o.Task = eval.Binary }},
		"one number, a loss of classes":    {err: "one value only", change: func(o *report.AuditOptions) { o.Loss = "logistic" }},
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
		type texted struct {
			Y string  `data:"y"`
			S float64 `data:"s"`
		}
		type numbered struct {
			Y float64 `data:"y"`
			S float64 `data:"s"`
		}
		var f *data.Frame
		var err error
		if c.number == nil {
			var rows []texted
			for i, v := range c.label {
				rows = append(rows, texted{v, score[i]})
			}
			f, err = data.FromStructs(rows)
		} else {
			var rows []numbered
			for i, v := range c.number {
				rows = append(rows, numbered{v, score[i]})
			}
			f, err = data.FromStructs(rows)
		}
		if err != nil {
			t.Fatal(err)
		}
		o := report.AuditOptions{Options: options(), Label: "y", Scores: []report.Score{{Name: "it", Column: "s"}}, HuberDelta: 1, Penalty: "kl"}
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
