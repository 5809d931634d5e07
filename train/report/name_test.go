package report_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/page"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/report"
)

// If the model is an average, the title, tables, figures and page do not call it robust, and ERM is the only model. A
// gate may still use the name robust. The page shows the date of the training, which SOURCE_DATE_EPOCH sets.
func TestName_OfAnAverage(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1767225600")
	for average, want := range map[string][]string{"plain": {"ERM", "Standard model (ERM) predicting "},
		"balanced": {"group-balanced ERM", "Group-balanced model predicting "}} {
		m := fit(t, func(c *train.Config) { c.Nu, c.Average = nil, average })
		x, r := reportOf(t, m, options())
		names, last := x.Evaluation.Names(), len(r.Coefficients.Models)-1
		if report.Name(m) != want[0] || !slices.Contains(names, want[0]) || r.Coefficients.Models[last] != want[0] ||
			!strings.HasPrefix(r.Title, want[1]) || (len(names) == 1) != (average == "plain") {
			t.Errorf("%s: %q, %q, %q, %q", average, report.Name(m), names, r.Coefficients.Models, r.Title)
		}
		var html bytes.Buffer
		if err := page.WriteHTML(&html, r); err != nil {
			t.Fatal(err)
		}
		text := html.String()
		if !strings.Contains(text, "Trained 2026-01-01 on ") {
			t.Errorf("%s: the page has no date of the training", average)
		}
		figures := must(page.Figures(r))
		for _, f := range figures {
			text += f.Caption + f.Alt
		}
		for _, of := range []string{"Robust model", "Robust training", "robust −", ", robust", ">robust<", "of robust",
			"robust:"} {
			if at := strings.Index(text, of); at >= 0 {
				t.Errorf("%s: …%s…", average, text[max(0, at-100):min(len(text), at+100)])
			}
		}
		g, err := eval.ParseGate("robust.overall.risk > 1e9")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := g.Check(x.Evaluation); err != nil || got.Failed {
			t.Errorf("%s: %+v, %v", average, got, err)
		}
	}
}

// must returns v, or ends the test if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
