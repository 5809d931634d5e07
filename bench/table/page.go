package table

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"text/template"

	"github.com/drotrain/drotrain/internal/methods"
)

//go:embed methods.md.tmpl
var pageText string

var page = template.Must(template.New("methods").Option("missingkey=zero").Parse(pageText))

// A pageData is what the template shows.
type pageData struct {
	Rows, MaxPasses  int
	WorstOff         string // largest relative distance of a certified objective to the reference
	Tables           []dataTable
	Head             string
	Summary          []summaryLine
	Wins             []winLine
	Worst            string            // the problem hardest for lbfgs
	NewtonBeatsPaper int               // problems where newton needs fewer passes than every method of the paper
	Ratios           map[string]string // geometric means of passes to 1e-6
	Tried            []trial
	TriedOn          string
}

type dataTable struct {
	Name  string
	N, D  int
	Lines []string
}

// few passes are those that a method of the paper is to take.
const few = 25

type summaryLine struct {
	Label     string
	Certified [3]int
	Median    [3]string
	Within    int    // problems certified to 1e-6 within few passes
	Most      string // passes that one takes to it
	Passes    string // geometric mean against lbfgs, to 1e-6
	Work      string
}

// A winLine counts problems of a data set, to a gap of 1e-6.
type winLine struct {
	Name        string
	Rows        int
	Passes      int // lbfgs needs the fewest passes of all
	Work        int // the least work of all
	PaperPasses int // lbfgs needs fewer passes than every method of the paper
	PaperWork   int // less work

	Growing, Shuffled string // passes of growing ÷ those of newton: rows as they come, shuffled
}

const toSix = 1 // the index of 1e-6 in methods.Targets

func newPageData(rows []row, r problem, tried []trial, passes float64) *pageData {
	p := &pageData{Rows: len(rows), MaxPasses: int(passes), Tried: tried, Ratios: map[string]string{}}
	if len(rows) == 0 {
		return p
	}
	p.TriedOn = r.Dataset + ", " + r.terms()
	names := map[string]int{}
	p.Head = "| loss | penalty | ν | μ |"
	rule := "|---|---|--:|--:|"
	for i, e := range entries() {
		names[e.Name] = i
		p.Head += " " + e.Name + " |"
		rule += "--:|"
	}
	p.Head += "\n" + rule
	p.tables(rows)
	p.summary(rows, names["lbfgs"])
	p.wins(rows, names["lbfgs"], names["newton"])
	for i := range p.Wins {
		var own []row
		for _, r := range rows {
			if r.Dataset == p.Wins[i].Name {
				own = append(own, r)
			}
		}
		p.Wins[i].Growing = geometric(own, names["growing"], names["newton"], func(c cell) float64 { return c.passes })
		for k := range own {
			own[k].cells = [][]cell{{toSix: own[k].shuffled[0]}, {toSix: own[k].shuffled[1]}}
		}
		p.Wins[i].Shuffled = geometric(own, 0, 1, func(c cell) float64 { return c.passes })
	}
	for name, pair := range map[string][2]string{
		"ThreeTouches": {"separable-3", "separable"}, "SeparableHistorical": {"separable-historical", "separable"},
		"StochasticHistorical": {"stochastic-historical", "stochastic"}, "FullSeparable": {"separable", "full"},
		"StochasticSeparable": {"stochastic", "separable"}, "GrowingNewton": {"growing", "newton"}, "GrowingSeparable": {"growing", "separable"},
	} {
		p.Ratios[name] = geometric(rows, names[pair[0]], names[pair[1]], func(c cell) float64 { return c.passes })
	}
	worst := 0.0
	for _, r := range rows {
		for _, cells := range r.cells {
			for k, c := range cells {
				if off := math.Abs(c.off) / methods.Targets[k]; off > worst {
					worst = off
				}
			}
		}
	}
	p.WorstOff = fmt.Sprintf("%.2g", worst)
	return p
}

// terms names the objective of a problem.
func (p problem) terms() string {
	return fmt.Sprintf("%s, %s, ν = %.3g, μ = %.3g", p.Loss, penalty(p.Penalty), p.Nu, p.Mu)
}

func penalty(p string) string {
	if p == "chi2" {
		return "χ²"
	}
	return strings.ToUpper(p)
}

// tables writes one table for each data set; the fewest passes to 1e-6 are bold.
func (p *pageData) tables(rows []row) {
	for _, r := range rows {
		if k := len(p.Tables); k == 0 || p.Tables[k-1].Name != r.Dataset {
			p.Tables = append(p.Tables, dataTable{Name: r.Dataset, N: r.design.n, D: r.design.d})
		}
		t := &p.Tables[len(p.Tables)-1]
		line := fmt.Sprintf("| %s | %s | %.3g | %.3g |", r.Loss, penalty(r.Penalty), r.Nu, r.Mu)
		least := r.least(func(c cell) float64 { return c.passes })
		for _, cells := range r.cells {
			var parts []string
			for k, c := range cells {
				s := count(c.passes)
				if k == toSix && c.passes == least {
					s = "**" + s + "**"
				}
				parts = append(parts, s)
			}
			line += " " + strings.Join(parts, " / ") + " |"
		}
		t.Lines = append(t.Lines, line)
	}
}

func count(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf("%.0f", v)
}

// least returns the least of what over the methods, to 1e-6.
func (r row) least(what func(cell) float64) float64 {
	least := math.Inf(1)
	for _, cells := range r.cells {
		if v := what(cells[toSix]); v < least {
			least = v
		}
	}
	return least
}

func (p *pageData) summary(rows []row, lbfgs int) {
	for m, e := range entries() {
		s := summaryLine{Label: e.Name}
		for k := range methods.Targets {
			var v []float64
			for _, r := range rows {
				if c := r.cells[m][k].passes; !math.IsNaN(c) {
					v = append(v, c)
				}
			}
			s.Certified[k] = len(v)
			s.Median[k] = "–"
			if len(v) > 0 {
				slices.Sort(v)
				s.Median[k] = count(v[len(v)/2])
			}
			if k == toSix && len(v) > 0 {
				s.Within, s.Most = sort.Search(len(v), func(i int) bool { return v[i] > few }), count(v[len(v)-1])
			}
		}
		s.Passes = geometric(rows, m, lbfgs, func(c cell) float64 { return c.passes })
		s.Work = geometric(rows, m, lbfgs, func(c cell) float64 { return c.work })
		p.Summary = append(p.Summary, s)
	}
}

// geometric is the geometric mean of the ratio of two methods, to 1e-6, over the
// rows that both certify.
func geometric(rows []row, a, b int, what func(cell) float64) string {
	sum, n := 0.0, 0.0
	for _, r := range rows {
		if v := math.Log(what(r.cells[a][toSix]) / what(r.cells[b][toSix])); !math.IsNaN(v) {
			sum += v
			n++
		}
	}
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", math.Exp(sum/n))
}

// wins counts by data set where lbfgs wins, and where it loses to the paper.
func (p *pageData) wins(rows []row, lbfgs, newton int) {
	worst := 0.0
	for _, r := range rows {
		if k := len(p.Wins); k == 0 || p.Wins[k-1].Name != r.Dataset {
			p.Wins = append(p.Wins, winLine{Name: r.Dataset})
		}
		w := &p.Wins[len(p.Wins)-1]
		w.Rows++
		own := r.cells[lbfgs][toSix]
		if own.passes == r.least(func(c cell) float64 { return c.passes }) {
			w.Passes++
		}
		if own.work == r.least(func(c cell) float64 { return c.work }) {
			w.Work++
		}
		passes, work := math.Inf(1), math.Inf(1)
		for m, e := range entries() {
			if c := r.cells[m][toSix]; strings.Contains(e.Label, "Alg.") && !math.IsNaN(c.passes) {
				passes, work = min(passes, c.passes), min(work, c.work)
			}
		}
		if own.passes < passes {
			w.PaperPasses++
		}
		if own.work < work {
			w.PaperWork++
		}
		if c := r.cells[newton][toSix]; c.passes < passes {
			p.NewtonBeatsPaper++
		}
		if ratio := own.passes / passes; ratio > worst {
			worst = ratio
			p.Worst = fmt.Sprintf("%s, %s: L-BFGS takes %s passes, the best method of the paper %s", r.Dataset, r.terms(), count(own.passes), count(passes))
		}
	}
}
