package page

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
	"github.com/drotrain/drotrain/internal/goldentest"
)

// full gives a report what reports of trained models have, another kind of it by k.
func full(t *testing.T, in eval.Input, k int) *eval.Report {
	t.Helper()
	e, err := eval.Evaluate(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	r := &eval.Report{Title: fmt.Sprint("Table | ", k), Evaluation: e, Notes: []string{"a *note*"}}
	r.Objective = eval.Objective{Loss: []string{"", "huber(δ=1)"}[k%2], Penalty: []string{"kl", "chi2", ""}[k%3], Nu: []float64{0, 0.5, math.Inf(1), 2}[k%4], Mu: float64(k % 5), N: 100 * (k % 7), Selection: []string{"", "given"}[k%2], SelectedAlike: k%4 == 1}
	r.Facts = []eval.Fact{{Key: "seed", Value: fmt.Sprint(k)}, {Key: "éclat", Value: "1"}}
	if k%6 == 5 {
		r.Card, r.Command, r.Facts = []eval.Fact{{Key: "owner", Value: "A_B"}}, "drotrain train\n```x```", nil
	}
	last := in.Models[len(in.Models)-1]
	held := eval.AdversaryInput{Model: last.Name, Rows: []string{"", "hold-out"}[k%2], Loss: last.Loss, Groups: in.Groups, Columns: in.Columns, RowWeight: in.Weight, ShowRows: k%3 == 0, OverGroups: k%5 == 0, Top: []int{0, -1, 2}[k%3]}
	if k%4 != 3 {
		if r.Adversary, _, err = eval.Holders(held, []string{"kl", "chi2"}[k/2%2], []float64{0.1, 1, 1e12}[k%3]); err != nil {
			t.Fatal(err)
		}
	}
	unknown := eval.Undefined()
	r.Certificate = []*eval.Certificate{nil, {Upper: 0.5, Lower: 0.49999, Gap: 1e-5, RelativeGap: 2e-5, Target: 1e-4, Certified: true, Passes: 24, Seconds: 0.5, Solver: "newton"},
		{Upper: 0.5, Lower: 0.4, Gap: 0.1, RelativeGap: 0.25, Passes: 3.5, Seconds: 12, Status: "stopped"}, {Upper: 7, Lower: unknown, Gap: unknown, RelativeGap: unknown, Target: 1e-6}}[k%4]
	for p := range k % 5 {
		r.Trace = append(r.Trace, eval.TracePoint{Passes: float64(p), Seconds: float64(p), Upper: 1 + math.Pow(4, -float64(p)), Lower: 1 - math.Pow(3, -float64(p))})
	}
	if n := 3 * (k % 9); n > 0 {
		c := &eval.Coefficients{Models: e.Names(), Unit: []string{"", "USD per unit"}[k%2], Scaled: "per standard deviation", About: "Intervals of each."}
		for j := range n {
			q := eval.Coefficient{Name: fmt.Sprint("x", j), Unit: []string{"", "years"}[j%2*(k%2)]}
			for m := range e.Models[:max(1, len(e.Models)-j%2)] {
				v := float64((j*7+m)%11-5) / 4
				q.Original, q.Scaled = append(q.Original, eval.Num(v)), append(q.Scaled, eval.Num(2*v))
				if k%3 > 0 && j%3 > 0 {
					q.Intervals, q.ScaledIntervals = append(q.Intervals, &eval.Interval{Low: eval.Num(v - 0.5), High: eval.Num(v + 0.75)}), append(q.ScaledIntervals, &eval.Interval{Low: eval.Num(2*v - 1), High: eval.Num(2*v + 1)})
				}
			}
			c.Rows = append(c.Rows, q)
		}
		if k%2 > 0 {
			c.Rows[0].Name = "(intercept)"
		}
		r.Coefficients = c
	}
	if k%3 == 1 {
		r.Choice = &eval.Choice{Criterion: "worst group’s risk", Reason: "least", Chosen: k % 4, Candidates: []eval.Candidate{{Family: "ERM", Name: "plain", Average: 0.2, Value: 0.9},
			{Family: "groups", Name: "groups ν = 0.1", Average: 0.25, Value: 0.5, SE: 0.05, Allowed: true}, {Family: "groups", Name: "groups ν = 1", Average: 0.22, Value: 0.6, SE: 0.07}, {Family: "KL", Name: "rows", Average: 0.3, Value: 0.7, SE: 0.1}}}
		if k%2 > 0 {
			r.Choice.Paths = []eval.PricePath{{Penalty: "kl", Solved: []float64{1.2, 4}, Nu: []float64{1, 2, 4}, Upper: []float64{3, 2, 1}, Lower: []float64{3, 1.9, 1}}, {Penalty: "chi2", Solved: []float64{2}, Nu: []float64{1, 2, 4}, Upper: []float64{3, 2, 1}, Lower: []float64{3, 1.5, 1}}}
		}
	}
	return r
}

const head = "# Reports in few lines: of every section, and of every figure, a checksum of the words and a sum of the numbers.\n"

var drawn = regexp.MustCompile(`(?s)<svg.*?</svg>`)

// recorded is a report in few lines: the sections of its page and of its Markdown, and its figures.
func recorded(t *testing.T, r *eval.Report) string {
	t.Helper()
	var out strings.Builder
	var markdown, html bytes.Buffer
	if err := WriteMarkdown(&markdown, r); err != nil {
		t.Fatal(err)
	}
	if err := WriteHTML(&html, r); err != nil {
		t.Fatal(err)
	}
	for _, section := range strings.Split(markdown.String(), "\n## ") {
		title, text, _ := strings.Cut(section, "\n")
		fmt.Fprintf(&out, "## %s: %s\n", title, goldentest.CondensedText(text))
	}
	fmt.Fprintf(&out, "page: %s\n", goldentest.CondensedText(seen(html.String())))
	for k, svg := range drawn.FindAllString(html.String(), -1) {
		fmt.Fprintf(&out, "figure %d: %s\n", k+1, goldentest.CondensedText(svg))
	}
	return out.String()
}

// The reports of every second small table say and draw what they did.
func TestReportsAreRecorded(t *testing.T) {
	var out strings.Builder
	small := 0
	for _, table := range evaltest.Tables(t) {
		if len(table.Target) > 200 {
			continue
		}
		if small++; small%2 > 0 {
			fmt.Fprintf(&out, "# %s\n%s", table.Name, recorded(t, full(t, table.Input, small/2)))
		}
	}
	goldentest.Record(t, filepath.Join("testdata", "recorded.txt"), head, out.String(), 0.01)
}

// What is left out of reports of many groups, columns, models and coefficients, at the numbers
// where it begins.
func TestReportsOfManyAreRecorded(t *testing.T) {
	var out strings.Builder
	for _, n := range []int{10, 12, 13, 20, 21, 24, 25, 40, 41, 50, 51, 100, 101} {
		labels := make([]string, n)
		for k := range labels {
			labels[k] = fmt.Sprint("g", k)
		}
		index := func(i int) int { return i * i % 211 % n }
		in := evaltest.Rows(eval.Binary, 4*n, 2)
		in.Resamples, in.MinGroupSize = 0, 3
		evaltest.Grouped(&in, "site", labels, index)
		r := full(t, in, 1)
		for len(r.Choice.Candidates) < n {
			r.Choice.Candidates = append(r.Choice.Candidates, eval.Candidate{Family: "more", Name: fmt.Sprint("more ", len(r.Choice.Candidates)), Average: 0.3, Value: 0.6})
		}
		for len(r.Coefficients.Rows) < n {
			v := eval.Num(n - len(r.Coefficients.Rows))
			r.Coefficients.Rows = append(r.Coefficients.Rows, eval.Coefficient{Name: fmt.Sprint("more", v), Original: []eval.Num{v, -v}, Scaled: []eval.Num{2 * v, v}})
		}
		for len(r.Adversary.Columns) < n {
			r.Adversary.Columns = append(r.Adversary.Columns, eval.MassGrouping{Name: fmt.Sprint("column ", len(r.Adversary.Columns)), Groups: []eval.GroupMass{{Label: "all", N: 4 * n, Share: 1, Mass: 1}}})
		}
		fmt.Fprintf(&out, "# %d\n%s", n, recorded(t, r))
	}
	for models := 1; models <= 5; models++ {
		in := evaltest.Rows(eval.Regression, 40, models)
		for g := range 5 {
			evaltest.Grouped(&in, fmt.Sprint("side ", g), []string{"a", "b"}, func(i int) int { return i >> g % 2 })
		}
		in.Resamples = 0
		fmt.Fprintf(&out, "# %d models\n%s", models, recorded(t, full(t, in, 1)))
	}
	goldentest.Record(t, filepath.Join("testdata", "many.txt"), head, out.String(), 0.01)
}
