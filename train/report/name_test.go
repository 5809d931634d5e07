package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/figure"
	"github.com/drotrain/drotrain/eval/page"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/report"
)

// Where an average was chosen nothing calls the model robust: title, tables, figures, page.
// A gate by that name means it all the same.
func TestAnAverageIsNotCalledRobust(t *testing.T) {
	for average, want := range map[string][2]string{"plain": {"chosen ERM", "Average model (ERM) of "}, "balanced": {"chosen balanced ERM", "Average model (balanced ERM) of "}} {
		m := fit(t, func(c *train.Config) { c.Nu, c.Average = nil, average })
		x, r := reportOf(t, m, options())
		if names := x.Evaluation.Names(); report.Name(m) != want[0] || names[1] != want[0] || r.Coefficients.Models[1] != want[0] || !strings.HasPrefix(r.Title, want[1]) {
			t.Errorf("%s: %q, %q, %q, %q", average, report.Name(m), names, r.Coefficients.Models, r.Title)
		}
		var html bytes.Buffer
		if err := page.WriteHTML(&html, r); err != nil {
			t.Fatal(err)
		}
		text := html.String()
		figures, err := figure.Draw(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range figures {
			text += f.Caption + f.Alt
		}
		for _, of := range []string{"Robust model", "Robust training", "robust −", ", robust", ">robust<", "of robust", "robust:"} {
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
