package methods

import (
	"fmt"
	"io"

	"github.com/drotrain/drotrain/internal/chart"
)

// WriteText writes every experiment as a table of fitted exponents, or of
// ratios, beside those of the theorems.
func (r *TheoryReport) WriteText(w io.Writer) {
	runs := "one run"
	if r.Seeds > 1 {
		runs = fmt.Sprintf("the geometric mean of %d runs", r.Seeds)
	}
	fmt.Fprintf(w, "The paper's claims as experiments, theoretical schedule. Iterations of a stochastic\nmethod are %s. Theorems are upper bounds: \"better\" contradicts none.\n", runs)
	for _, e := range r.Experiments {
		fmt.Fprintf(w, "\n%s\n  claim    %s\n  problem  %s\n", e.Title, e.Claim, e.Problem)
		t := &table{}
		t.row(e.header("  ")...)
		for _, s := range e.Series {
			t.row(e.cells("  ", s)...)
		}
		t.write(w)
		for _, s := range e.Series {
			if s.Why != "" {
				fmt.Fprintf(w, "  %s: %s\n", s.Method, s.Why)
			}
		}
	}
	c := r.Count()
	fmt.Fprintf(w, "\n%d results: %d reproduced, %d better than the bound, %d not reproduced, %d not run\n",
		c[Reproduced]+c[Better]+c[NotReproduced]+c[NotRun], c[Reproduced], c[Better], c[NotReproduced], c[NotRun])
}

// header names the columns of cells.
func (e Experiment) header(indent string) []string {
	switch e.Kind {
	case Ratios:
		return []string{indent + e.Y + ", rows least uniform", "measured", "theorem", "with floors", "verdict"}
	case Growths:
		return []string{indent + e.Y + ", growth from equal rows", "measured", "theorem", "verdict"}
	}
	return []string{indent + "exponent", "measured", "theorem", "verdict"}
}

func (e Experiment) cells(indent string, s Series) []string {
	row := []string{indent + s.Method, optional(s.Measured, "%.2f"), fmt.Sprintf("%.2f", s.Theorem+0)}
	if e.Kind == Ratios {
		sampled := "-"
		if k := len(s.AsSampled); k > 0 {
			sampled = fmt.Sprintf("%.2f", s.AsSampled[k-1])
		}
		row = append(row, sampled)
	}
	return append(row, string(s.Verdict))
}

// Count counts the verdicts.
func (r *TheoryReport) Count() map[Verdict]int {
	c := map[Verdict]int{}
	for _, e := range r.Experiments {
		for _, s := range e.Series {
			c[s.Verdict]++
		}
	}
	return c
}

// Find returns the experiment of that name, nil if there is none.
func (r *TheoryReport) Find(name string) *Experiment {
	for i := range r.Experiments {
		if r.Experiments[i].Name == name {
			return &r.Experiments[i]
		}
	}
	return nil
}

// Figures draws the experiments: iterations against ε, against the constants,
// and what adapting to non-uniform blocks buys.
func (r *TheoryReport) Figures() []Figure {
	return []Figure{
		r.figure("theory-epsilon", 3, "epsilon-mu-nu", "epsilon-mu", "epsilon-nu", "epsilon", "epsilon-nu-smooth"),
		r.figure("theory-constants", 3, "mixed", "primal", "blocks"),
		r.figure("theory-uniformity", 3, "games", "training", "cost"),
	}
}

func (r *TheoryReport) figure(name string, wide int, experiments ...string) Figure {
	f := Figure{Name: name}
	f.Columns = wide
	for m := fullVector; m < theoryMethods; m++ {
		f.Legend = append(f.Legend, chart.Entry{Name: m.String(), K: len(f.Legend)})
	}
	dotted := false
	for _, e := range experiments {
		x := r.Find(e)
		if x == nil {
			continue
		}
		p := chart.Panel{Title: x.Short, XLabel: x.X, YLabel: x.Y, XLog: x.Kind == Exponents, YLog: true}
		for _, s := range x.Series {
			key := 0
			for _, label := range f.Legend {
				if label.Name == s.Method {
					key = label.K
				}
			}
			p.Series = append(p.Series, chart.Series{K: key, X: s.X, Y: s.Y, Marks: true})
			if x.Kind != Exponents {
				p.Series = append(p.Series, chart.Series{K: key, X: s.X, Y: s.Predicted, Dotted: true})
				dotted = true
			}
		}
		f.Panels = append(f.Panels, p)
	}
	if dotted {
		f.Note = "dotted: the ratio of the theorems' constants"
	}
	return f
}
