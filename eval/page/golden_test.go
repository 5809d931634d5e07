package page

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
	"github.com/drotrain/drotrain/internal/goldentest"
)

var (
	heading = regexp.MustCompile(`(?s)<(h[1-4])[^>]*>(.*?)</h\d>`)
	tags    = regexp.MustCompile(`<[^>]*>`)
)

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
	e := evaltest.Evaluate(t, in)
	return &eval.Report{Title: "Sliced", Evaluation: e,
		Objective: eval.Objective{Loss: "squared", Penalty: "kl", Nu: 2, Mu: 0.5, N: 1200},
		Certificate: &eval.Certificate{Upper: 0.5, Lower: 0.49, Gap: 0.01, RelativeGap: 0.02, Target: 1e-6, Passes: 24,
			Seconds: 0.5}}
}

// TestGolden_Pages compares one whole report, as Markdown, and the headings of the others with
// testdata.
func TestGolden_Pages(t *testing.T) {
	var headings bytes.Buffer
	reports := map[string]*eval.Report{"binary": evaltest.Sample(t, eval.Binary),
		"regression": evaltest.Sample(t, eval.Regression), "sliced": sliced(t)}
	for _, name := range slices.Sorted(maps.Keys(reports)) {
		var markdown, html bytes.Buffer
		if err := WriteMarkdown(&markdown, reports[name]); err != nil {
			t.Fatal(err)
		}
		if err := WriteHTML(&html, reports[name]); err != nil {
			t.Fatal(err)
		}
		if name == "regression" {
			goldentest.Text(t, filepath.Join("testdata", "golden.md"), markdown.String())
		}
		fmt.Fprintf(&headings, "# %s\n", name)
		for _, m := range heading.FindAllStringSubmatch(html.String(), -1) {
			fmt.Fprintf(&headings, "%s %s\n", m[1], strings.Join(strings.Fields(tags.ReplaceAllString(m[2], " ")), " "))
		}
	}
	goldentest.Text(t, filepath.Join("testdata", "headings.txt"), headings.String())
}
