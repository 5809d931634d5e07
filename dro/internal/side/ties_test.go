package side

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/internal/ranks"
)

// Weights that are all zero are refused for that: no constant makes more of them.
func TestNoWeightAtAll(t *testing.T) {
	if _, err := NewFixed([]float64{0, 0}); err == nil || !strings.Contains(err.Error(), "> 0") {
		t.Errorf("weights of zero: %v", err)
	}
	if _, err := NewFixed([]float64{0, leastTotal}); err != nil {
		t.Errorf("a weight of %v: %v", leastTotal, err)
	}
	if _, err := NewFixed([]float64{0, leastTotal / 2}); err == nil || !strings.Contains(err.Error(), "constant") {
		t.Errorf("a weight of %v: %v", leastTotal/2, err)
	}
}

// Among samples without weight there is no quantile, and none of them gets any.
func TestQuantileWithoutWeight(t *testing.T) {
	y := []float64{7, 7, 7}
	_, tau := Protected{Share: 0.5, Weights: []float64{0, 0, 0, 1}}.BestResponseTo(y, []float64{-1, 0, 1})
	if !math.IsNaN(tau) || y[0] != 0 || y[1] != 0 || y[2] != 0 {
		t.Errorf("τ = %v, weights %v", tau, y)
	}
}

// Many losses of two numbers that are next to each other have a quantile over ranks.
func TestQuantileOfNeighboursOverRanks(t *testing.T) {
	const n = 20_000
	next := math.Nextafter(1, 2)
	f := make([]float64, n)
	for j := range f {
		if f[j] = 1; j%2 == 0 {
			f[j] = next
		}
	}
	for share, want := range map[float64]float64{0.25: next, 0.5: next, 0.75: 1, 1: 1} {
		err := ranks.Run(2, func(c ranks.Comm) error {
			p := Protected{Share: share, rows: ranks.NewRows(c, n)}
			if tau, _, _ := p.quantile(f, func(int) float64 { return 1.0 / n }); tau != want {
				return fmt.Errorf("rank %d, a share of %v: %v", c.Rank(), share, tau)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// Losses that differ by the smallest number there is have a response, whatever the radius.
func TestLossesThatDifferByNothing(t *testing.T) {
	for _, d := range []Divergence{KullbackLeibler, PearsonChi2} {
		for _, radius := range []float64{0.01, 0.3, 0.5, 2} {
			for _, f := range [][]float64{{0, math.SmallestNonzeroFloat64}, {1, 1}, {3}} {
				y := make([]float64, len(f))
				b := Ball{Divergence: d, Radius: radius}
				risk, _ := b.BestResponseTo(y, f)
				mass := 0.0
				for _, v := range y {
					mass += v
				}
				if math.Abs(mass-1) > 1e-12 || !(math.Abs(risk-f[0]) <= math.SmallestNonzeroFloat64) {
					t.Errorf("divergence %d, radius %v, losses %v: risk %v, weights %v", d, radius, f, risk, y)
				}
			}
		}
	}
}
