package solve

import (
	"slices"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// halves tells every slope as two numbers, the halves of it.
type halves struct{ o *losses.Linear }

func (h halves) Dims() (n, d, slope int) {
	n, d, _ = h.o.Dims()
	return n, d, 2
}

func (h halves) EvalTo(value, slope, x []float64, lo, hi int) {
	n, _, _ := h.Dims()
	whole := make([]float64, n)
	h.o.EvalTo(value, whole, x, lo, hi)
	for j := lo; j < hi; j++ {
		slope[2*j], slope[2*j+1] = whole[j]/2, whole[j]/2
	}
}

func (h halves) AddGradTo(dst, weight, slope []float64, lo, hi int) {
	n, _, _ := h.Dims()
	whole := make([]float64, n)
	for j := lo; j < hi; j++ {
		whole[j] = slope[2*j] + slope[2*j+1]
	}
	h.o.AddGradTo(dst, weight, whole, lo, hi)
}

func (h halves) ConstantsTo(lipschitz, smoothness, x []float64) {
	h.o.ConstantsTo(lipschitz, smoothness, x)
}

// In how many numbers an oracle tells a slope changes no bit of what is solved for.
func TestSlopesOfAnyLength(t *testing.T) {
	o := drotest.NewSample(drotest.RngOf(91), 60, 3, false).Oracle(t, losses.Logistic{})
	for _, m := range []Method{primaldual.FullVector{Schedule: primaldual.Theory}, primaldual.Stochastic{Schedule: primaldual.Theory, Block: 7}, primaldual.Stochastic{Schedule: primaldual.Theory, Block: 7, Strategy: primaldual.Historical},
		primaldual.SeparableBlock{Schedule: primaldual.Theory, Block: 7}, primaldual.SeparableBlock{Schedule: primaldual.Theory, Block: 7, Strategy: primaldual.Historical}} {
		dual := Dual(Simplex{Nu: 0.5})
		if _, separable := m.(primaldual.SeparableBlock); separable {
			dual = Simplex{Divergence: PearsonChi2, Nu: 0.5}
		}
		one := drotest.Solve(t, &Problem{Oracle: drotest.Plain{O: o}, Dual: dual, Primal: L2{Mu: 0.1}}, m, drotest.Asking(1e-9, 20))
		two := drotest.Solve(t, &Problem{Oracle: halves{o}, Dual: dual, Primal: L2{Mu: 0.1}}, m, drotest.Asking(1e-9, 20))
		if !slices.Equal(one.X, two.X) || one.Certificate != two.Certificate || slices.Max(one.X) == 0 {
			t.Errorf("%s: %v, of two numbers %v", drotest.Describe(m), one.X, two.X)
		}
	}
}
