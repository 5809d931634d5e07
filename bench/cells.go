package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A cell is one problem to solve.
type cell struct {
	Group   string  `json:"group"` // name of an element of groups
	Source  source  `json:"source"`
	Loss    string  `json:"loss"`
	Penalty string  `json:"penalty"` // kl or chi2
	N       int     `json:"n"`
	D       int     `json:"d"`
	Nu      float64 `json:"nu"`
	Mu      float64 `json:"mu"`
}

// A source is a design matrix: a reference design by name, or a synthetic one.
type source struct {
	Dataset string  `json:"dataset,omitempty"`
	Rows    int     `json:"-"`
	Columns int     `json:"-"`
	Kappa   float64 `json:"kappa,omitempty"` // ratio of the largest to the smallest column scale
	Rho     float64 `json:"rho,omitempty"`   // correlation of any two columns
}

// groups lists the tables of the report, in order.
var groups = []string{"quick", "main", "small", "correlated", "ref", "sweep-n", "sweep-d", "sweep-nu", "sweep-mu",
	"large"}

// Name returns the cell's name in tables and for -cells.
func (c *cell) Name() string {
	if c.Source.Dataset != "" {
		return fmt.Sprintf("%s/%s-%s-%s-nu%g-mu%.3g", c.Group, c.Source.Dataset, c.Loss, c.Penalty, c.Nu, c.Mu)
	}
	name := fmt.Sprintf("%s/%s-%s-n%d-d%d-k%g-nu%g", c.Group, c.Loss, c.Penalty, c.N, c.D, c.Source.Kappa, c.Nu)
	if c.Source.Rho != 0 {
		name += fmt.Sprintf("-rho%g", c.Source.Rho)
	}
	if c.Group == "sweep-mu" {
		name += fmt.Sprintf("-mu%.0e", c.Mu)
	}
	return name
}

// bytes returns the size of the design.
func (c *cell) bytes() float64 { return 8 * float64(c.N) * float64(c.D) }

func synthetic(group, loss, penalty string, s source, nu float64) cell {
	return cell{Group: group, Source: s, Loss: loss, Penalty: penalty, N: s.Rows, D: s.Columns, Nu: nu,
		Mu: 1 / float64(s.Rows)}
}

// grid returns every combination of losses, penalties and ν on the given sources.
func grid(group string, sources []source, losses []string, nus []float64) (out []cell) {
	for _, s := range sources {
		for _, loss := range losses {
			for _, penalty := range []string{"kl", "chi2"} {
				for _, nu := range nus {
					out = append(out, synthetic(group, loss, penalty, s, nu))
				}
			}
		}
	}
	return out
}

var allLosses = []string{"logistic", "huber", "squared"}

func quickCells() []cell {
	return grid("quick", []source{{Rows: 2000, Columns: 10, Kappa: 1}, {Rows: 60_000, Columns: 10, Kappa: 100}}, allLosses,
		[]float64{1})
}

// conditionings returns the designs of n rows and d columns, well and badly scaled.
func conditionings(n, d int) []source {
	return []source{{Rows: n, Columns: d, Kappa: 1}, {Rows: n, Columns: d, Kappa: 100}}
}

// mainCells returns the main problems, of 10⁵ and 10⁶ rows, and smaller, larger and correlated ones.
func mainCells() (out []cell) {
	add := func(group string, sources []source, losses []string, nus ...float64) {
		out = append(out, grid(group, sources, losses, nus)...)
	}
	two := allLosses[:2]
	add("main", conditionings(100_000, 20), allLosses, 1, 0.1)
	add("main", conditionings(1_000_000, 20), allLosses, 1, 0.1)
	add("main", conditionings(100_000, 100), allLosses, 1, 0.1)
	add("small", conditionings(10_000, 20)[:1], allLosses, 1)
	add("main", conditionings(1_000_000, 100), allLosses, 1)
	add("large", conditionings(10_000_000, 20)[:1], two, 1)
	add("large", conditionings(10_000_000, 100)[:1], two, 1)
	add("main", conditionings(1_000_000, 100), allLosses, 0.1)
	add("correlated", []source{
		{Rows: 100_000, Columns: 20, Kappa: 1, Rho: 0.9}, {Rows: 100_000, Columns: 100, Kappa: 1, Rho: 0.9}}, two, 1)
	add("large", conditionings(10_000_000, 20)[1:], two, 1)
	add("large", conditionings(10_000_000, 20), two, 0.1)
	add("large", conditionings(10_000_000, 100)[1:], two, 1)
	return out
}

// A curve is a line of the figures: a loss with KL on columns of one scaling.
type curve struct {
	loss  string
	kappa float64
}

// curves returns the curves of the sweep over the given variable.
func curves(of string) []curve {
	if of == "nu" {
		return []curve{{"logistic", 1}, {"logistic", 100}, {"huber", 1}}
	}
	return []curve{{"logistic", 1}, {"logistic", 100}}
}

// sweepCells returns cells in which one of n, d, ν and μ varies around n = 10⁵, d = 20, ν = 1, μ = 1/n.
func sweepCells() (out []cell) {
	add := func(of string, c curve, n, d int, nu, mu float64) {
		v := synthetic("sweep-"+of, c.loss, "kl", source{Rows: n, Columns: d, Kappa: c.kappa}, nu)
		v.Mu = mu
		out = append(out, v)
	}
	const n, d = 100_000, 20
	for _, c := range curves("n") {
		for _, n := range []int{10_000, 30_000, 100_000, 300_000, 1_000_000} {
			add("n", c, n, d, 1, 1/float64(n))
		}
	}
	for _, c := range curves("d") {
		for _, d := range []int{10, 20, 50, 100, 200} {
			add("d", c, n, d, 1, 1.0/n)
		}
	}
	for _, c := range curves("nu") {
		for _, nu := range []float64{10, 1, 0.3, 0.1, 0.03, 0.01} {
			add("nu", c, n, d, nu, 1.0/n)
		}
	}
	for _, c := range curves("mu") {
		for _, mu := range []float64{1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7} {
			add("mu", c, n, d, 1, mu)
		}
	}
	return out
}

// referenceCells returns the problems of reference.json in dir, or none if the file is absent.
func referenceCells(dir string) ([]cell, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "reference.json"))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var rows []struct {
		Dataset, Loss, Penalty string
		N, D                   int
		Nu, Mu                 float64
	}
	if err := json.Unmarshal(raw, &rows); err != nil {
		return nil, err
	}
	var out []cell
	for _, r := range rows {
		penalty := "kl"
		if strings.Contains(r.Penalty, "chi") {
			penalty = "chi2"
		}
		out = append(out, cell{Group: "ref", Source: source{Dataset: r.Dataset}, Loss: r.Loss, Penalty: penalty, N: r.N,
			D: r.D, Nu: r.Nu, Mu: r.Mu})
	}
	return out, nil
}

// others are the peers other than scipy, which run once on a cell, in the order of the tables.
var others = []string{"cvxpy", "dro", "drago", "drlearn"}

// authors are those peers that are the code of the paper's authors.
var authors = others[2:]

// accepts reports whether a peer solves problems of this kind and is to run on the cell.
func (c *cell) accepts(peer string) bool {
	switch {
	case strings.HasPrefix(c.Group, "sweep"):
		return false
	case c.Loss == "huber" && peer != "cvxpy", c.Penalty == "kl" && peer == "drago":
		return false // the peer does not support the loss or the penalty
	case c.N <= convexRows:
		return true
	}
	few := c.Group == "main" && c.N == authorsRows && c.D == 20 && c.Nu == 1 && c.Source.Kappa == 1
	return slices.Contains(authors, peer) && (few || c.Group == "ref")
}
