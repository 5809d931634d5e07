package engine

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Two lines under a function of the free coordinate, one that falls and one that rises, mixed
// so that the mixture is level: it is the height at which they meet, wherever it is asked for;
// gradients mix in the same shares, and what is allowed for rounding is eight units of every
// term and no more than some hundreds.
func TestCuts_MixToALevelOne(t *testing.T) {
	const d = 3
	rng := rand.New(rand.NewPCG(4, 4))
	for range 500 {
		line := func(sign float64) *cut {
			k := &cut{slope: sign * (0.5 + rng.Float64()), b: rng.NormFloat64(), value: rng.NormFloat64(), g: make([]float64, d),
				err: make([]float64, d)}
			for i := range d {
				k.g[i] = rng.NormFloat64()
			}
			return k
		}
		down, up := line(-1), line(1)
		// Both at b0: down.value + down.slope(b0 − down.b) = up.value + up.slope(b0 − up.b).
		b0 := (up.value - down.value + down.slope*down.b - up.slope*up.b) / (down.slope - up.slope)
		height := up.value + up.slope*(b0-up.b)
		theta := up.slope / (up.slope - down.slope)
		for _, b := range []float64{down.b, up.b, -up.b, -down.b, b0, 0} {
			c := &Certifier{Evaluator: &Evaluator{D: d}, bound: make([]float64, d), Err: make([]float64, d)}
			value, rounding := c.combineCuts(down, up, b)
			if !(math.Abs(value-height) <= 1e-13*(1+math.Abs(height)+math.Abs(b))) {
				t.Fatalf("at %v: %v, they meet at %v", b, value, height)
			}
			terms := math.Abs(down.value) + math.Abs(up.value) + math.Abs(down.slope*(down.b-b)) + math.Abs(up.slope*(up.b-b))
			apart := math.Abs(down.value - up.value - down.slope*(down.b-b) + up.slope*(up.b-b)) // shares are exact to 4u
			if least := UnitRoundoff * (8*terms + 4*apart); rounding < (1-1e-9)*least || rounding > 400*UnitRoundoff*terms {
				t.Fatalf("at %v: %v is allowed for terms of %v", b, rounding, terms)
			}
			for i := range d - 1 {
				if want := theta*down.g[i] + (1-theta)*up.g[i]; !(math.Abs(c.bound[i]-want) <= 1e-14) {
					t.Fatalf("gradient %d is %v, not %v", i, c.bound[i], want)
				}
				if least := 8 * UnitRoundoff * (math.Abs(down.g[i]) + math.Abs(up.g[i])); c.Err[i] < least || c.Err[i] > 3*least {
					t.Fatalf("gradient %d is said to be off by %v, of %v and %v", i, c.Err[i], down.g[i], up.g[i])
				}
			}
			if c.bound[d-1] != 0 || c.Err[d-1] != 0 {
				t.Fatalf("the free coordinate: %v ± %v", c.bound[d-1], c.Err[d-1])
			}
			// What is not known of the lines is in it.
			down.slopeError, up.rounding, down.err[0] = 1e-3, 0.25, 0.5
			if _, more := c.combineCuts(down, up, b); !(more >= (1-theta)*0.25+theta*math.Abs(down.b-b)*1e-3) ||
				!(c.Err[0] >= theta*0.5) {
				t.Fatalf("at %v: %v and %v do not hold what the lines are off by", b, more, c.Err[0])
			}
			down.slopeError, up.rounding, down.err[0] = 0, 0, 0
		}
	}
}
