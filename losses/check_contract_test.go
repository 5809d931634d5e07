package losses_test

import (
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/losses"
)

var contractMargins = []float64{-6.1, -2.3, -0.9, -0.2, 0.3, 1.4, 2.6, 7.7}

func TestCheck_PassesOurLosses(t *testing.T) {
	for _, l := range []losses.Loss{losses.Logistic{}, losses.Squared{}, losses.Huber{Delta: 1},
		losses.Huber{Delta: 0.05}} {
		targets := []float64{-1, 1}
		if l.Name() != "logistic" {
			targets = []float64{-2, 0, 3.5}
		}
		if err := losses.Check(l, contractMargins, targets); err != nil {
			t.Error(err)
		}
	}
}

// A broken is the squared loss with one promise broken.
type broken struct {
	losses.Squared
	eval       func(v, s *float64)
	curvature  float64
	below, lip float64
	smooth     float64
}

func (b broken) EvalTo(value, slope, margin, target []float64) {
	b.Squared.EvalTo(value, slope, margin, target)
	if b.eval != nil {
		for i := range value {
			b.eval(&value[i], &slope[i])
		}
	}
}
func (b broken) CurvatureTo(curvature, _, _ []float64) {
	for i := range curvature {
		curvature[i] = b.curvature
	}
}
func (b broken) CurvatureLowerBoundTo(curvature, _, _ []float64) (radius, decay float64) {
	for i := range curvature {
		curvature[i] = b.below
	}
	return math.Inf(1), 0
}
func (b broken) Lipschitz() float64  { return b.lip }
func (b broken) Smoothness() float64 { return b.smooth }

func TestCheck_FindsBrokenLosses(t *testing.T) {
	inf := math.Inf(1)
	for want, b := range map[string]broken{
		"": {curvature: 1, below: 1, lip: inf, smooth: 1},
		"at least 0": {eval: func(v, _ *float64) { *v -= 0.1 }, curvature: 1, below: 1, lip: inf,
			smooth: 1},
		"slope is": {eval: func(_, s *float64) { *s *= 1.1 }, curvature: 1, below: 1, lip: inf,
			smooth: 1},
		"curvature is 2, but finite differences":                  {curvature: 2, below: 1, lip: inf, smooth: 2},
		"below the bound 1.5":                                     {curvature: 1, below: 1.5, lip: inf, smooth: 1},
		"larger in absolute value than the Lipschitz":             {curvature: 1, below: 1, lip: 1, smooth: 1},
		"curvature is 1, larger than the smoothness constant 0.5": {curvature: 1, below: 0.5, lip: inf, smooth: 0.5},
	} {
		err := losses.Check(b, contractMargins, []float64{-1, 0.5})
		if want == "" {
			if err != nil {
				t.Error(err)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %q", err, want)
		}
	}
}

// An overgrown loss is the Huber loss with a growth that it has not.
type overgrown struct{ losses.Huber }

func (overgrown) Growth() (slope, offset float64) { return 1, 0.1 }

func TestCheck_FindsWrongGrowth(t *testing.T) {
	if err := losses.Check(overgrown{losses.Huber{Delta: 1}}, contractMargins, []float64{0}); err == nil ||
		!strings.Contains(err.Error(), "Growth") {
		t.Error(err)
	}
}
