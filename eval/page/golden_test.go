package page

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
	"github.com/drotrain/drotrain/internal/goldentest"
)

var (
	hidden = regexp.MustCompile(`(?s)<style.*?</style>|<svg.*?</svg>`)
	tags   = regexp.MustCompile(`<[^>]*>`)
	spaces = regexp.MustCompile(`[ \t]*\n\s*`)
)

// seen is what a reader sees of a page besides its figures.
func seen(html string) string {
	return strings.TrimSpace(spaces.ReplaceAllString(tags.ReplaceAllString(hidden.ReplaceAllString(html, ""), "\n"), "\n")) + "\n"
}

// sliced is a report of a bad slice, not certified.
func sliced(t *testing.T) *eval.Report {
	in := evaltest.Two(1200, 4, 0.2, 3)
	site, age := eval.Column{Name: "site", Levels: []string{"a", "b", "c"}}, eval.Column{Name: "age", Unit: "years"}
	for i := range in.Target {
		site.Code, age.Value = append(site.Code, int32(i*7%3)), append(age.Value, float64(20+i*13%50))
		if site.Code[i] == 1 && age.Value[i] > 50 {
			in.Models[1].Loss[i]++
		}
	}
	in.Columns, in.Resamples = []eval.Column{site, age}, 150
	e, err := eval.Evaluate(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return &eval.Report{Title: "Sliced", Evaluation: e, Objective: eval.Objective{Loss: "squared", Penalty: "kl", Nu: 2, Mu: 0.5, N: 1200},
		Certificate: &eval.Certificate{Upper: 0.5, Lower: 0.49, Gap: 0.01, RelativeGap: 0.02, Target: 1e-6, Passes: 24, Seconds: 0.5}}
}

// Every word and number of the reports, of both tasks: the Markdown as it is, and what a
// reader sees of the page besides its figures.
func TestTextsAreGolden(t *testing.T) {
	reports := map[string]*eval.Report{"binary": evaltest.Sample(t, eval.Binary), "regression": evaltest.Sample(t, eval.Regression), "sliced": sliced(t)}
	for task, r := range reports {
		var markdown, html bytes.Buffer
		if err := WriteMarkdown(&markdown, r); err != nil {
			t.Fatal(err)
		}
		if err := WriteHTML(&html, r); err != nil {
			t.Fatal(err)
		}
		for name, got := range map[string]string{task + ".md": markdown.String(), task + ".txt": seen(html.String())} {
			goldentest.Text(t, filepath.Join("testdata", "golden-"+name), got)
		}
	}
}
