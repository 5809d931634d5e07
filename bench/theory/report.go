package theory

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
)

// A Report holds experiments that test the claims of the paper.
type Report struct {
	Quick       bool
	Seed        uint64
	Seeds       int // number of runs over which a mean is computed
	Experiments []Experiment
}

// An Experiment tests one claim for every method, on several problems.
type Experiment struct {
	Name    string
	Title   string
	Text    string   // what is measured, and what would refute the claim
	Columns []string // names of the columns of Result.Values
	Results []Result
}

// A Result is one row in the table of an experiment.
type Result struct {
	Case    string
	Method  string
	Values  []Number
	Verdict Verdict
	Why     string
}

// A Verdict is the outcome of testing a claim.
type Verdict string

const (
	Holds  Verdict = "holds"
	Fails  Verdict = "fails"
	Empty  Verdict = "cannot fail" // no deliberately wrong schedule was detected by the same measurement
	NotRun Verdict = "not run"
	None   Verdict = "" // the number is not a claim
)

// A Number is printed as a dash if it is NaN.
type Number float64

func (v Number) String() string {
	switch a := math.Abs(float64(v)); {
	case math.IsNaN(a):
		return "–"
	case math.IsInf(a, 0):
		return "∞"
	case a >= 1e5 || a < 1e-3 && a > 0:
		return fmt.Sprintf("%.1e", float64(v))
	case a >= 100 || a == math.Trunc(a):
		return fmt.Sprintf("%.0f", float64(v))
	}
	return fmt.Sprintf("%.3g", float64(v))
}

// Run runs all experiments. With quick it takes seconds, and otherwise some minutes. progress, which may be nil, is
// called with the name of every experiment.
func Run(ctx context.Context, quick bool, seed uint64, progress func(string)) (*Report, error) {
	l := &lab{ctx: ctx, quick: quick, seed: seed, seeds: 10, steps: 1500}
	if quick {
		l.seeds, l.steps = 6, 250
	}
	if l.progress = progress; progress == nil {
		l.progress = func(string) {}
	}
	r := &Report{Quick: quick, Seed: seed, Seeds: l.seeds}
	for _, run := range []func() (Experiment, error){l.guarantees, l.growth} {
		e, err := run()
		if err != nil {
			return nil, err
		}
		r.Experiments = append(r.Experiments, e)
	}
	return r, nil
}

// Count counts the verdicts.
func (r *Report) Count() map[Verdict]int {
	c := map[Verdict]int{}
	for _, e := range r.Experiments {
		for _, s := range e.Results {
			c[s.Verdict]++
		}
	}
	return c
}

// WriteText writes the report as a page of Markdown.
func (r *Report) WriteText(w io.Writer) {
	c := r.Count()
	fmt.Fprintf(w, `# The theorems by experiment

The command %sgo -C bench run ./experiments theory -o results/theory.md%s wrote this page. Every method of Mehta, Diakonikolas and
Harchaoui, *Efficient Methods for Min-Max Optimization with Dual-Linear Coupling*, runs with its theoretical schedule on small
synthetic problems. Means are over %d seeds. Of %d claims %d hold, %d fail, %d could not have
failed and %d were not run.

`, "`", "`", r.Seeds, c[Holds]+c[Fails]+c[Empty]+c[NotRun], c[Holds], c[Fails], c[Empty], c[NotRun])
	for i, e := range r.Experiments {
		fmt.Fprintf(w, "## %s\n\n%s\n\n", e.Title, e.Text)
		fmt.Fprintf(w, "| problem | method | %s | |\n|---|---|%s---|\n", strings.Join(e.Columns, " | "),
			strings.Repeat("--:|", len(e.Columns)))
		for _, s := range e.Results {
			fmt.Fprintf(w, "| %s | %s |", s.Case, s.Method)
			for _, v := range s.Values {
				fmt.Fprintf(w, " %s |", v)
			}
			verdict := string(s.Verdict)
			if s.Why != "" {
				verdict = strings.TrimPrefix(verdict+": "+s.Why, ": ")
			}
			fmt.Fprintf(w, " %s |\n", verdict)
		}
		if i < len(r.Experiments)-1 {
			fmt.Fprintln(w)
		}
	}
}
