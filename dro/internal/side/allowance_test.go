package side

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
)

// What is allowed for the rounding of a response is small where losses are ordinary: some
// thousand units of the losses' size, for any adversary near reference weights, price and ball.
func TestAllowancesAreSmall(t *testing.T) {
	const n = 500
	rng := drotest.RngOf(412)
	f, w, y := drotest.Normals(rng, n, 1), make([]float64, n), make([]float64, n)
	for j := range w {
		f[j] += 2
		w[j] = 0.5 + rng.Float64()
	}
	for _, d := range []Divergence{KullbackLeibler, PearsonChi2} {
		for _, weights := range [][]float64{nil, w} {
			for _, b := range []Ball{NewBall(d, 0.05, weights), NewBall(d, 1, weights), NewPenalty(d, 0.5, weights), NewPenalty(d, 20, weights), {Divergence: d, Radius: 0.1, Nu: 0.25, Weights: weights}} {
				own, outside := b.rounding(b.respond(y, f, math.NaN()), y, f)
				if !(own > 0 && own < 5e-12) || !(outside >= 0 && outside < 1e-11) {
					t.Errorf("%d %+v, weights %v: %v of the risk, %v of the weights", d, b.Radius, weights != nil, own, outside)
				}
				// In another unit it is the same share.
				scaled := make([]float64, n)
				for j := range f {
					scaled[j] = 0x1p20 * f[j]
				}
				big := b
				big.Nu *= 0x1p20
				more, far := big.rounding(big.respond(y, scaled, math.NaN()), y, scaled)
				if more > 1.001*0x1p20*own+1e-30 || more < 0x1p20*own/1.001 || !(math.Abs(far-outside) <= 1e-13) {
					t.Errorf("%d %+v, weights %v: %v and %v, in another unit %v and %v", d, b.Radius, weights != nil, own, outside, more/0x1p20, far)
				}
			}
		}
	}
}
