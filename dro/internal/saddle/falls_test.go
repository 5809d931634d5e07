package saddle

import (
	"testing"

	"github.com/drotrain/drotrain/internal/exact"
)

// One sample of the loss a²/2 at a margin that may be off, with a value that is as far off
// as an oracle's may be.
type offLoss struct{ value float64 }

func (offLoss) Dims() (n, d, slope int) { return 1, 1, 1 }
func (o offLoss) EvalTo(value, slope, x []float64, _, _ int) {
	value[0], slope[0] = o.value, x[0]
}
func (offLoss) AddGradTo(dst, weight, slope []float64, _, _ int) { dst[0] += weight[0] * slope[0] }
func (offLoss) Rounding() (terms int, largest []float64, smoothness float64) {
	return 1, []float64{1}, 1
}

// givenWeight is a dual of one weight.
type givenWeight struct{}

func (givenWeight) Modulus() float64        { return 0 }
func (givenWeight) Value([]float64) float64 { return 0 }
func (givenWeight) FixedWeights()           {}
func (givenWeight) BestResponseTo(y, f []float64) (risk, tau float64) {
	y[0] = 1
	return f[0], f[0]
}

// noPenalty is φ = 0.
type noPenalty struct{}

func (noPenalty) Modulus() float64                           { return 0 }
func (noPenalty) Value([]float64) float64                    { return 0 }
func (noPenalty) ProxTo(_, _, _ []float64, _, _ float64)     {}
func (noPenalty) FenchelYoung(_, _ []float64) (left float64) { return 0 }
func (noPenalty) NonNegative(Primal) (ok bool)               { return false }

// What a loss falls by, to the last bit, when its value and its margin are as far off as
// they may be: each alone, and both, at the point and at the minimum of a shifted loss.
func TestFallsCoversValuesAndMargins(t *testing.T) {
	for _, at := range []float64{1, 3, 1e-3, 1e8} {
		truth := exact.Mul(exact.New(at), exact.New(at/2))
		for _, c := range []struct{ value, margin float64 }{{0.9 * LossRounding, 0}, {0, 1e-12 * at}, {0.9 * LossRounding, 1e-12 * at}, {LossRounding / 2, 1e-3 * at}} {
			said, _ := truth.Float64()
			said *= 1 + c.value
			cert := NewCertifier(&Problem{Oracle: offLoss{said}, Dual: givenWeight{}, Primal: noPenalty{}})
			cert.Evaluate([]float64{at})
			w := cert.ProveResponse()
			cert.Rounding.margins = c.margin / at
			less := exact.New(at - c.margin) // the margin as it is
			is := exact.Mul(less, exact.Mul(less, exact.New(0.5)))
			falls := cert.Rounding.LowerRounding(&w.Sums, c.margin)
			if exact.IsLess(is, exact.Sub(exact.New(said), exact.New(falls))) {
				t.Errorf("at %v, %+v: %v less %v is above %s", at, c, said, falls, is.Text('g', 20))
			}
			if most := 3*LossRounding*said + 3*at*c.margin; falls > most {
				t.Errorf("at %v, %+v: falls by %v, more than %v", at, c, falls, most)
			}
			// The loss with its margins shifted has a minimum of 0 and so has the loss: what is
			// proved of one may be said of the other less this much, at φ = the loss at x.
			if low := cert.Rounding.MinimumRounding(w, cert.X, 0); low < LossRounding*said || c.margin > 0 && low < at*c.margin*(1-1e-6) {
				t.Errorf("at %v, %+v: the minimum falls by %v", at, c, low)
			}
		}
	}
}
