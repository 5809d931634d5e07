package engine

import (
	"fmt"
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/saddle"
)

func TestCertificate_Arithmetic(t *testing.T) {
	c := saddle.Certificate{Upper: 2, Lower: 1.5}
	if c.Gap() != 0.5 || c.Relative() != 0.25 {
		t.Errorf("gap %v, relative %v", c.Gap(), c.Relative())
	}
	if unknown := (saddle.Certificate{Upper: 1, Lower: math.Inf(-1)}); !math.IsInf(unknown.Relative(), 1) {
		t.Errorf("relative gap %v without a lower bound", unknown.Relative())
	}
	if small := (saddle.Certificate{Upper: 1e-14, Lower: 0, Scale: 1}); small.Relative() != 1e-2 {
		t.Errorf("relative gap %v near zero", small.Relative())
	}
	if small := (saddle.Certificate{Upper: 1e-30, Lower: 0}); small.Relative() != 1 {
		t.Errorf("relative gap %v of small losses", small.Relative())
	}
	if exact := (saddle.Certificate{}); exact.Relative() != 0 {
		t.Errorf("relative gap %v of an optimum of 0 that is known", exact.Relative())
	}
	for s := saddle.NotSolved; s <= saddle.Inconsistent; s++ {
		if fmt.Sprint(s) == "" {
			t.Error("a status without a name")
		}
	}
}

// The weights of a response of KL are off by the rounding of their exponents,
// uΣ y_j(16 + 4|log(y_j/max y)|): what is said of the gradient has that in it, for one heavy
// weight and many light ones in any proportion, and is not many times of it.
func TestResponseGradientRounding_IncludesWeights(t *testing.T) {
	for n := 2; n <= 1<<40; n *= 4 {
		c := &Certifier{Evaluator: &Evaluator{N: n}}
		c.Rounding.largest, c.Rounding.smooth = []float64{1, 3}, 0.5
		c.proof = &Proof{Sums: Sums{Size: 0.25, Mass: 1}}
		slope := c.Rounding.slopeBound(&c.proof.Sums) // of all samples
		dst, most := make([]float64, 2), 0.0
		c.ResponseGradientRounding(dst)
		for share := 0.001; share < 1; share += 0.001 { // of the heavy weight
			if light := (1 - share) / float64(n-1); light <= share {
				most = max(most, UnitRoundoff*(16+4*(1-share)*math.Log(share/light)))
			}
		}
		for k, z := range c.Rounding.largest {
			if ratio := dst[k] / (most * z * slope); !(ratio >= 1 && ratio < 4) {
				t.Errorf("%d samples: a gradient off by %.3g, its weights by %.3g", n, dst[k], most*z*slope)
			}
		}
	}
}

// keeping is an oracle that says that its losses are ≥ 0.
type keeping struct{ sized }

func (keeping) NonNegative() bool { return true }

// A loss below 0 by 1e-9 of one and the largest is rounding, by more the break of a promise.
func TestLosses_BelowZeroByRoundingPass(t *testing.T) {
	for _, top := range []float64{0, 1, 1023} {
		for least, fine := range map[float64]bool{0: true, -1e-9 * (1 + top): true, math.Nextafter(-1e-9*(1+top), -1): false,
			-1: false} {
			p := &saddle.Problem{Oracle: keeping{sized{n: 2, d: 1, s: 1}}, Dual: priced{}, Primal: ridged{}}
			c := &Certifier{Evaluator: &Evaluator{Problem: p, N: 2, Value: []float64{top, least}}}
			c.touched = true
			if err := c.CheckPromises(); (err == nil) != fine {
				t.Errorf("losses of %v: %v", c.Value, err)
			}
		}
	}
}
