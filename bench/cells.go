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
	Group   string  `json:"group"` // main, quick, sweep-n, sweep-d, sweep-nu or ref
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
	Kappa   float64 `json:"kappa,omitempty"` // largest column scale over the smallest
}

// Name is the cell's name in tables and for -cells.
func (c *cell) Name() string {
	if c.Source.Dataset != "" {
		return fmt.Sprintf("%s/%s-%s-%s-nu%g-mu%.3g", c.Group, c.Source.Dataset, c.Loss, c.Penalty, c.Nu, c.Mu)
	}
	return fmt.Sprintf("%s/%s-%s-n%d-d%d-k%g-nu%g", c.Group, c.Loss, c.Penalty, c.N, c.D, c.Source.Kappa, c.Nu)
}

func synthetic(group, loss, penalty string, n, d int, kappa, nu float64) cell {
	return cell{group, source{Rows: n, Columns: d, Kappa: kappa}, loss, penalty, n, d, nu, 1 / float64(n)}
}

// grid is every combination of losses, penalties and ν on the given sources.
func grid(group string, sources []source, losses []string, nus []float64) (out []cell) {
	for _, s := range sources {
		for _, loss := range losses {
			for _, penalty := range []string{"kl", "chi2"} {
				for _, nu := range nus {
					out = append(out, synthetic(group, loss, penalty, s.Rows, s.Columns, s.Kappa, nu))
				}
			}
		}
	}
	return out
}

var allLosses = []string{"logistic", "huber", "squared"}

func quickCells() []cell {
	return grid("quick", []source{{Rows: 2000, Columns: 10, Kappa: 1}, {Rows: 60_000, Columns: 10, Kappa: 100}}, allLosses, []float64{1})
}

func mainCells() []cell {
	var sources []source
	for _, shape := range [][2]int{{100_000, 20}, {100_000, 100}, {1_000_000, 20}} {
		for _, kappa := range []float64{1, 100} {
			sources = append(sources, source{Rows: shape[0], Columns: shape[1], Kappa: kappa})
		}
	}
	return grid("main", sources, allLosses, []float64{1, 0.1})
}

// sweepCells vary one of n, d and ν around logistic loss, KL, n = 10⁵, d = 20, ν = 1.
func sweepCells() (out []cell) {
	for _, n := range []int{10_000, 30_000, 100_000, 300_000, 1_000_000} {
		out = append(out, synthetic("sweep-n", "logistic", "kl", n, 20, 1, 1))
	}
	for _, d := range []int{10, 20, 50, 100, 200} {
		out = append(out, synthetic("sweep-d", "logistic", "kl", 100_000, d, 1, 1))
	}
	for _, nu := range []float64{10, 1, 0.1, 0.01} {
		out = append(out, synthetic("sweep-nu", "logistic", "kl", 100_000, 20, 1, nu))
	}
	return out
}

// referenceCells are the problems of reference.json in dir; none when it is absent.
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
		out = append(out, cell{"ref", source{Dataset: r.Dataset}, r.Loss, penalty, r.N, r.D, r.Nu, r.Mu})
	}
	return out, nil
}

// bySource orders cells so that those of one design follow each other.
func bySource(cells []cell) []cell {
	out := slices.Clone(cells)
	key := func(c *cell) string { return fmt.Sprintf("%+v", c.Source) }
	slices.SortStableFunc(out, func(a, b cell) int { return strings.Compare(key(&a), key(&b)) })
	return out
}
