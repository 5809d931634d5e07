package train

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/losses"
)

// Recalibration does not depend on the unit of the margins: for margins times a power of two, the slope is divided by
// it, and the intercept is the same, up to the gap. The solution satisfies Σ ℓ'(s·m + c)(m, 1) + ridge = 0, where the
// ridge is the derivative of 1/(2n) times the squared slope in units of the margin's root mean square. Rows that
// occur twice equal rows of weight two.
func TestRecalibration_IndependentOfUnit(t *testing.T) {
	const n = 200
	rng := rand.New(rand.NewPCG(3, 9))
	margin, target := make([]float64, n), make([]float64, n)
	for j := range margin {
		margin[j] = rng.NormFloat64() + 0.3
		target[j] = math.Copysign(1, 1.5*margin[j]-0.4+2*rng.NormFloat64())
	}
	fit := func(margin, target, weight []float64, intercept int) (float64, float64) {
		m := &Model{Config: DefaultConfig(), loss: losses.Logistic{},
			Run: &Run{Train: &encode.Dataset{N: len(margin), Target: target, Intercept: intercept}, Weight: weight}}
		mu := 1.0
		m.Config.Mu = &mu
		slope, shift, err := m.fitSlopeAndIntercept(t.Context(), marginRows{margin: margin, target: target, weight: weight})
		if err != nil {
			t.Fatal(err)
		}
		return slope, shift
	}
	for _, intercept := range []int{0, -1} {
		slope, shift := fit(margin, target, nil, intercept)
		if intercept < 0 && shift != 0 {
			t.Errorf("an intercept of %v where there is none", shift)
		}
		for _, unit := range []float64{0x1p-30, 0x1p-2, 0x1p20} {
			scaled := make([]float64, n)
			for j, v := range margin {
				scaled[j] = unit * v
			}
			if s, c := fit(scaled, target, nil, intercept); !(math.Abs(s*unit-slope) <= 1e-3*slope) ||
				!(math.Abs(c-shift) <= 1e-3) {
				t.Errorf("margins times %v: slope %v, intercept %v; %v and %v before", unit, s*unit, c, slope, shift)
			}
		}
		size, along, level := 0.0, 0.0, 0.0
		for j, v := range margin {
			g := -target[j] / (1 + math.Exp(target[j]*(slope*v+shift)))
			size += v * v / n
			along += g * v / n
			level += g / n
		}
		along += slope * size / n
		if !(math.Abs(along) <= 1e-4) || intercept >= 0 && !(math.Abs(level) <= 1e-4) {
			t.Errorf("intercept %d: derivatives %v and %v", intercept, along, level)
		}
		weight, twice, label := make([]float64, n), margin, target
		for j := range weight {
			if weight[j] = 1; j < n/4 {
				weight[j] = 2
				twice, label = append(twice[:len(twice):len(twice)], margin[j]), append(label[:len(label):len(label)], target[j])
			}
		}
		s, c := fit(margin, target, weight, intercept)
		s2, c2 := fit(twice, label, nil, intercept)
		if !(math.Abs(s-s2) <= 0.02*slope) || !(math.Abs(c-c2) <= 0.02) || math.Abs(s-slope) < 1e-4 {
			t.Errorf("intercept %d: weights of two give %v, %v; rows counted twice %v, %v; without %v, %v", intercept, s, c, s2,
				c2, slope, shift)
		}
	}
	if slope, shift := fit(make([]float64, 3), []float64{1, -1, 1}, nil, 0); slope != 1 || shift != 0 {
		t.Errorf("a model that says the same of every row: %v, %v", slope, shift)
	}
}
