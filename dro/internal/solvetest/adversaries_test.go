package solvetest

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/losses"
)

// An adversaryCase is one problem of testdata/adversaries.json, which
// testdata/adversaries.py wrote.
type adversaryCase struct {
	Loss       string    `json:"loss"`
	Mu         float64   `json:"mu"`
	Intercept  bool      `json:"intercept"`
	Weighted   bool      `json:"weighted"`
	Divergence string    `json:"divergence"`
	Nu         float64   `json:"nu"`
	Radius     *float64  `json:"radius"`
	Share      float64   `json:"share"`
	Ways       int       `json:"ways"`
	Prior      string    `json:"prior"`
	Adjust     []float64 `json:"adjust"`
	Optimum    float64   `json:"optimum"`
}

type adversaryTable struct {
	N        int       `json:"n"`
	D        int       `json:"d"`
	Rows     []float64 `json:"rows"`
	Logistic []float64 `json:"logistic"`
	Squared  []float64 `json:"squared"`
	Weights  []float64 `json:"weights"`
	Groups   [][]int   `json:"groups"`
}

func adversaries(t *testing.T) (out []struct {
	Data  adversaryTable  `json:"data"`
	Cases []adversaryCase `json:"cases"`
}) {
	t.Helper()
	raw, err := os.ReadFile("testdata/adversaries.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func (c adversaryCase) problem(t *testing.T, a adversaryTable) *Problem {
	t.Helper()
	target, loss := a.Logistic, losses.Loss(losses.Logistic{})
	if c.Loss == "squared" {
		target, loss = a.Squared, losses.Squared{}
	}
	o := newLinear(t, loss, drotest.Dense(t, a.N, a.D, a.Rows), target)
	p := &Problem{Oracle: o, Primal: L2{Mu: c.Mu, Intercept: c.Intercept}}
	var w []float64
	if c.Weighted {
		w = a.Weights
	}
	near := Simplex{Nu: c.Nu}
	if c.Radius != nil {
		near.Radius = *c.Radius
	}
	if c.Divergence == "chi2" {
		near.Divergence = PearsonChi2
	}
	switch {
	case c.Ways > 0:
		g := newGroups(t, near, w, a.Groups[:c.Ways]...)
		if g.Adjust = c.Adjust; c.Prior == "shares" {
			g.Near.Weights = g.GroupMasses()
		}
		p.Dual = g
	case c.Share > 0:
		p.Dual = Simplex{Divergence: PearsonChi2, Alpha: c.Share, Weights: w}
	default:
		near.Weights = w
		p.Dual = near
	}
	return p
}

// Every adversary reaches the optimum that another program found by another form of the
// problem, and its bounds hold that optimum at every check.
func TestAdversaries_AgainstOtherSolver(t *testing.T) {
	const accuracy = 1e-8
	for _, table := range adversaries(t) {
		for _, c := range table.Cases {
			p := c.problem(t, table.Data)
			method, _ := Choose(p)
			gap := 1e-10
			if c.Share > 0 {
				gap = accuracy // what falling penalties reach
			}
			res := drotest.Solve(t, p, method, drotest.SettingsFor(gap, 3000))
			size := math.Max(1e-12, math.Abs(c.Optimum))
			if !(math.Abs(res.Objective-c.Optimum) <= accuracy*size) {
				t.Errorf("%+v by %s: objective %.12g, optimum %.12g", c, method.Name(), res.Objective, c.Optimum)
			}
			if res.Status != Certified {
				t.Errorf("%+v by %s: %v, relative gap %.3g after %.4g passes", c, method.Name(), res.Status,
					res.Certificate.Relative(), res.Passes)
			}
			for _, check := range res.Trace {
				if check.Lower > c.Optimum+accuracy*size || check.Upper < c.Optimum-accuracy*size {
					t.Errorf("%+v by %s: [%v, %v] misses the optimum %v", c, method.Name(), check.Lower, check.Upper, c.Optimum)
				}
			}
		}
	}
}
