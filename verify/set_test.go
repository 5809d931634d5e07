package verify

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/internal/interval"
)

// add is an adder.
func add(n int, term func(j int) number) number {
	sum := interval.NewSum()
	for j := range n {
		sum.Add(term(j))
	}
	return sum.Value()
}

// Weights off the set by rounding are moved into it, and others are refused: they would prove too much.
func TestNearest_WeightsOutsideOfTheSet(t *testing.T) {
	at := func(v float64) *float64 { return &v }
	w, err := newReference([]float64{1, 1, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		config  config
		inside  []float64 // on the boundary, up to rounding
		outside []float64
		holds   func(s set, y []number) bool
	}{
		{"given weights", config{Average: "plain"}, []float64{0.25, 0.25, 0.25, 0.25}, []float64{0.26, 0.25, 0.25, 0.24},
			func(_ set, y []number) bool { return y[0].Float() == 0.25 }},
		{"CVaR", config{Protect: at(0.6)}, []float64{0.25 / 0.6 * (1 + 1e-12), 0.25 / 0.6 * (1 + 1e-12), 0.1, 0.2 / 3},
			[]float64{0.5, 0.3, 0.1, 0.1},
			func(_ set, y []number) bool {
				most := interval.Div(interval.New(0.25), interval.New(0.6))
				return y[0].Lo.Cmp(most.Hi) <= 0 && y[1].Lo.Cmp(most.Hi) <= 0
			}},
		{"χ² ball", config{Radius: at(0.02), Penalty: "chi2"}, []float64{0.3 * (1 + 1e-12), 0.2, 0.3, 0.2},
			[]float64{0.31, 0.19, 0.31, 0.19},
			func(s set, y []number) bool {
				d := add(4, func(j int) number { return pearson{}.term(y[j], w.exact[j]) })
				return d.Lo.Cmp(big.NewFloat(0.02)) <= 0
			}},
		{"KL ball", config{Radius: at(0.01), Penalty: "kl"}, []float64{0.25, 0.25, 0.25, 0.25},
			[]float64{0.35, 0.15, 0.25, 0.25},
			func(set, []number) bool { return true }},
		{"total variation", config{Radius: at(0.1), Penalty: "tv"}, []float64{0.35 * (1 + 1e-12), 0.15, 0.25, 0.25},
			[]float64{0.36, 0.15, 0.25, 0.24},
			func(_ set, y []number) bool {
				return y[0].Lo.Cmp(interval.Add(interval.New(0.25), interval.New(0.1)).Hi) <= 0
			}},
		{"extremile", config{Spectral: "extremile:2"}, []float64{0.4375 * (1 + 1e-12), 0.3125, 0.1875, 0.0625},
			[]float64{0.44, 0.31, 0.1875, 0.0625},
			func(_ set, y []number) bool { return y[0].Lo.Cmp(big.NewFloat(0.4375)) <= 0 }},
		{"extremile, two rows", config{Spectral: "extremile:2"}, []float64{0.25, 0.25, 0.25, 0.25},
			[]float64{0.4, 0.4, 0.1, 0.1},
			func(set, []number) bool { return true }},
	} {
		s, err := newSet(&c.config, w)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		normalised := func(v []float64) []number {
			r, err := newReference(v)
			if err != nil {
				t.Fatal(err)
			}
			return r.exact
		}
		if y, _, err := s.makeFeasible(normalised(c.inside), add); err != nil {
			t.Errorf("%s: weights inside: %v", c.name, err)
		} else if total := add(4, func(j int) number { return y[j] }); !c.holds(s, y) || total.Lo.Cmp(big.NewFloat(1)) > 0 ||
			total.Hi.Cmp(big.NewFloat(1)) < 0 {
			t.Errorf("%s: moved to %v, of sum %v", c.name, floats(y), total.Float())
		}
		if y, _, err := s.makeFeasible(normalised(c.outside), add); err == nil {
			t.Errorf("%s: weights outside: taken as %v", c.name, floats(y))
		}
	}
}

// Reference weights that cannot be divided by their sum are refused.
func TestNewReference_RefusesWeightsWithoutSum(t *testing.T) {
	for _, w := range [][]float64{nil, {0, 0}, {1, -1}, {math.NaN(), 1}, {math.Inf(1), 1}, {1e308, 1e308}} {
		if r, err := newReference(w); err == nil {
			t.Errorf("%v: %v", w, r.float)
		}
	}
	if r, err := newReference([]float64{0, 2, 2}); err != nil || r.float[0] != 0 || r.float[2] != 0.5 {
		t.Errorf("%v, %v", r, err)
	}
}

// The equations of columns without a penalty take memory for every pair.
func TestSupported_LimitsColumnsWithoutARegulariser(t *testing.T) {
	m := &Model{Encoder: &encode.Encoder{Columns: make([]encode.Coding, MaxFreeColumns+1)}}
	m.Config.Loss, m.Config.Gap, m.Config.Average = "logistic", 1e-6, "plain"
	if err := m.Supported(); err == nil || !strings.Contains(err.Error(), "train with mu > 0") {
		t.Error(err)
	}
	if m.Config.Mu = 1e-9; m.Supported() != nil {
		t.Error(m.Supported())
	}
}

// For two values of the losses, the largest mean loss in a χ² ball has a closed form, however wide the ball is.
func TestBall_RiskOfTwoLosses(t *testing.T) {
	const n, low, high = 40, 0.3, 7.1
	equal := make([]float64, n)
	for j := range equal {
		equal[j] = 1
	}
	w, err := newReference(equal)
	if err != nil {
		t.Fatal(err)
	}
	for _, large := range []int{1, 7, 30} {
		f := make([]number, n)
		for j := range f {
			if f[j] = interval.New(low); j < large {
				f[j] = interval.New(high)
			}
		}
		for _, radius := range []float64{1e-6, 0.1, 0.49, 0.51, 2, 15, 1000} {
			s, err := newBall(&config{Penalty: "chi2"}, 0, radius, w)
			if err != nil {
				t.Fatal(err)
			}
			p := float64(large) / n
			want := low + (high-low)*min(1, p+math.Sqrt(2*radius*p*(1-p)))
			if got := s.riskAbove(f, add).Float(); !(math.Abs(got-want) <= 1e-13*want) {
				t.Errorf("%d large losses, radius %v: risk at most %v, want %v", large, radius, got, want)
			}
		}
	}
}
