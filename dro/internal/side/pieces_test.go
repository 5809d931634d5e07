package side

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/losses"
)

// The pieces of an adversary over groups are the means of their losses, with the gradients
// of these means, whichever samples groups share, and whatever lies between the samples of
// one.
func TestPiecesAreMeansOfGroups(t *testing.T) {
	const n, d = 40, 3
	s := drotest.NewSample(drotest.RngOf(41), n, d, false)
	first, second := make([]int, n), make([]int, n)
	for j := range n {
		first[j], second[j] = j%3, j/20
		if j%7 == 0 {
			first[j] = -1
		}
	}
	g, err := NewGroups(NewPenalty(KullbackLeibler, 0, nil), nil, first, second)
	if err != nil {
		t.Fatal(err)
	}
	p := &saddle.Problem{Oracle: s.Oracle(t, losses.Squared{}), Dual: g, Primal: L2{Mu: 0.1}}
	c := saddle.NewCertifier(p)
	c.Evaluate([]float64{0.3, -0.2, 0.5})
	v, rows, _ := g.PiecesAt(c.Evaluator)
	if len(v) != 5 {
		t.Fatalf("%d pieces of five groups", len(v))
	}
	for k := range v {
		in := func(j int) bool { return k < 3 && first[j] == k || k >= 3 && second[j] == k-3 }
		mean, count, gradient := 0.0, 0.0, make([]float64, d)
		for j := range n {
			if in(j) {
				count++
				mean += c.Value[j]
				for i := range d {
					gradient[i] += c.Slope[j] * s.Design[j*d+i]
				}
			}
		}
		if !(math.Abs(v[k]-mean/count) <= 1e-12) {
			t.Errorf("piece %d is %v, the mean of its losses %v", k, v[k], mean/count)
		}
		for i := range d {
			if !(math.Abs(rows[k][i]-gradient[i]/count) <= 1e-12) {
				t.Errorf("piece %d: gradient %v, not %v", k, rows[k][i], gradient[i]/count)
			}
		}
	}
}

// What losses are not above holds the loss at every margin that the computed one may stand
// for, and more than that only by its rounding.
func TestLossesAboveHoldAllMargins(t *testing.T) {
	const n, d = 50, 3
	for _, loss := range []losses.Loss{losses.Logistic{}, losses.Squared{}} {
		s := drotest.NewSample(drotest.RngOf(43), n, d, false)
		p := &saddle.Problem{Oracle: s.Oracle(t, loss), Dual: KL{Nu: 1}, Primal: L2{Mu: 0.1}}
		c := saddle.NewCertifier(p)
		x := []float64{0.4, -0.3, 0.2}
		c.Evaluate(x)
		for _, off := range []float64{0, 1e-6, 0.05, 0.5} {
			c.Margin = off
			above := make([]float64, n)
			c.LossesAboveTo(above)
			for j := range n {
				m := 0.0
				for i := range d {
					m += x[i] * s.Design[j*d+i]
				}
				worst := 0.0
				for _, at := range []float64{m - off, m, m + off} {
					value := make([]float64, 1)
					loss.EvalTo(value, make([]float64, 1), []float64{at}, s.Label[j:j+1])
					worst = max(worst, value[0])
				}
				if above[j] < worst*(1-1e-15) || off == 0 && above[j] > c.Value[j]*(1+1e-9)+1e-12 || above[j] < c.Value[j] {
					t.Errorf("%T, margins off by %v: sample %d is not above %v, and may be %v", loss, off, j, above[j], worst)
				}
			}
		}
	}
}
