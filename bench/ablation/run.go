package ablation

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"syscall"
	"time"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/ablate"
	"github.com/drotrain/drotrain/internal/tuning"
	"github.com/drotrain/drotrain/losses"
)

// A Row is what one variant took of one cell.
type Row struct {
	Cell, Variant string
	Seconds       float64 // of the processor, the least of the repetitions
	Passes        float64 // as the solver counts them
	Arithmetic    float64 // multiplications with entries of the design, in passes
	Gap           float64
	Status        dro.Status
	Err           error // why there was no solve, as where the method is not for the problem
}

// A Variant is a method with some of its heuristics switched off, or with another value of
// one constant; a nil method is what dro.Choose says.
type Variant struct {
	Name     string
	Method   dro.Method
	Off      ablate.Switches
	Constant *tuning.Constant
	Value    float64 // of Constant
}

// Switched are the default with all heuristics, and without each.
func Switched() []Variant {
	out := []Variant{{Name: "auto"}}
	for _, s := range ablate.Each() {
		out = append(out, Variant{Name: "without " + s.Name, Off: s.Off})
	}
	return out
}

// Solvers are the default and the methods it could have been.
func Solvers() []Variant {
	return []Variant{{Name: "auto"}, {Name: "newton", Method: dro.Newton{}}, {Name: "newton-cg", Method: dro.NewtonCG{}},
		{Name: "growing", Method: dro.Growing{}}, {Name: "lbfgs", Method: dro.LBFGS{}}}
}

// mostPasses end a solve.
const mostPasses = 3000

// Run solves every cell by every variant to the relative gap of the cell, in turn, repeats that,
// and calls report with what each took and logf, if there is one, with what the solver
// decides. A solve ends after limit of wall-clock time. What a variant refuses is a row
// too, with the error.
func Run(ctx context.Context, cells []Cell, variants []Variant, repeats int, limit time.Duration, logf func(string, ...any), report func(Row)) error {
	for _, c := range cells {
		p, err := c.make()
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		rows := make([]Row, len(variants))
		for r := range repeats {
			for k, v := range variants {
				row := one(ctx, p, c.gap(), v, mostPasses, limit, logf)
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				row.Cell = c.Name
				if r > 0 && row.Err == nil {
					row.Seconds = min(row.Seconds, rows[k].Seconds)
				}
				rows[k] = row
			}
		}
		for _, row := range rows {
			report(row)
		}
	}
	return nil
}

func one(ctx context.Context, p *dro.Problem, gap float64, v Variant, passes float64, limit time.Duration, logf func(string, ...any)) Row {
	o := newCounting(p.Oracle.(*losses.Linear))
	counted := &dro.Problem{Oracle: o, Dual: p.Dual, Primal: p.Primal}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	ablate.Off = v.Off
	defer func() { ablate.Off = ablate.Switches{} }()
	if c := v.Constant; c != nil {
		defer func(was float64) { c.Value = was }(c.Value)
		c.Value = v.Value
	}
	m := v.Method
	if m == nil {
		m, _ = dro.Choose(counted)
	}
	s := dro.DefaultSettings()
	s.RelativeGap, s.MaxPasses, s.Logf = gap, passes, logf
	began := processor()
	res, err := dro.Solve(ctx, counted, m, s)
	if res == nil {
		return Row{Variant: v.Name, Err: err}
	}
	return Row{Variant: v.Name, Seconds: processor() - began, Passes: res.Passes, Arithmetic: o.passes(),
		Gap: res.Certificate.Relative(), Status: res.Status}
}

// processor returns the seconds that this process has had of all processors.
func processor() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return math.NaN()
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// WriteRow writes one line.
func WriteRow(w io.Writer, r Row) {
	if r.Err != nil {
		fmt.Fprintf(w, "%-44s %-26s not solved: %v\n", r.Cell, r.Variant, r.Err)
		return
	}
	fmt.Fprintf(w, "%-44s %-26s %8.1f passes %9.1f arithmetic %8.3f s  %-9v %.1e\n", r.Cell, r.Variant, r.Passes, r.Arithmetic, r.Seconds, r.Status, r.Gap)
}

// Summary writes, for every variant, its time and arithmetic over those of the first, over
// the cells that both certify (geometric mean), the cells where it takes most and least
// time, and how many it does not certify.
func Summary(w io.Writer, rows []Row) {
	base := map[string]Row{}
	var names []string
	for _, r := range rows {
		if r.Variant == rows[0].Variant {
			base[r.Cell] = r
		} else if !slices.Contains(names, r.Variant) {
			names = append(names, r.Variant)
		}
	}
	fmt.Fprintln(w, "| variant | time | arithmetic | time, most | in | time, least | in | not certified |")
	fmt.Fprintln(w, "|---|--:|--:|--:|---|--:|---|--:|")
	for _, name := range names {
		total, work, count := 0.0, 0.0, 0.0
		var most, least float64
		var mostIn, leastIn string
		lost := 0
		for _, r := range rows {
			b := base[r.Cell]
			if r.Variant != name || b.Status != dro.Certified || !(b.Seconds > 0) {
				continue
			}
			if r.Status != dro.Certified {
				lost++
				continue
			}
			ratio := r.Seconds / b.Seconds
			total += math.Log(ratio)
			work += math.Log(r.Arithmetic / b.Arithmetic)
			if count == 0 || ratio > most {
				most, mostIn = ratio, r.Cell
			}
			if count == 0 || ratio < least {
				least, leastIn = ratio, r.Cell
			}
			count++
		}
		fmt.Fprintf(w, "| %s | %.2f | %.2f | %.2f | %s | %.2f | %s | %d |\n", name, math.Exp(total/count), math.Exp(work/count), most, mostIn, least, leastIn, lost)
	}
}
