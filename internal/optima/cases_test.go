package optima

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/internal/exact"
)

// Every optimum is certified to more than 25 digits, and P at the rounded minimiser is
// what the square of the rounding makes it.
func TestWithin_AllowsTheSquareOfRounding(t *testing.T) {
	if len(Cases()) < 25 {
		t.Fatalf("%d cases", len(Cases()))
	}
	for _, c := range Cases() {
		if o := c.Optimum; !(o.Gap <= 1e-30) || o.High == 0 || !(math.Abs(o.Low) <= 1e-16*math.Abs(o.High)) {
			t.Errorf("%s: %+v", c.Name, o)
		}
		if c.N > 1000 {
			continue // seconds in 256 bits
		}
		x := make([]exact.Real, c.D)
		for i, v := range c.Optimum.X {
			x[i] = exact.New(v)
		}
		above, _ := exact.Sub(exact.Sub(c.Objective(x), exact.New(c.Optimum.High)), exact.New(c.Optimum.Low)).Float64()
		most := 1e-28 * c.Optimum.High
		if c.Nu == 0 {
			most = 1e-14 * c.Optimum.High // a kink: of first order
		}
		if above < -1e-31*c.Optimum.High || above > most {
			t.Errorf("%s: P of the rounded minimiser is %.3g above the optimum", c.Name, above)
		}
		if c.Nu == 0 {
			continue
		}
		upper, lower, err := c.Certify(x, nil)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		if gap, _ := exact.Sub(upper, lower).Float64(); gap < above || gap > 1e-24*c.Optimum.High {
			t.Errorf("%s: certified to %.3g at the rounded minimiser", c.Name, gap)
		}
	}
}

func TestWithin_Cases(t *testing.T) {
	for _, c := range []struct {
		lower, upper float64
		low          float64
		want         bool
	}{
		{1, 1, 0, true}, {1, 1, 1e-20, false}, {1, 1, -1e-20, false},
		{1, 1.5, 1e-20, true}, {0.5, 1, -1e-20, true}, {1.5, 2, 0, false}, {0, 0.5, 0, false}, {math.NaN(), 2, 0, false},
		{0, math.NaN(), 0, false},
	} {
		if got := (Optimum{High: 1, Low: c.low}).IsBetween(c.lower, c.upper); got != c.want {
			t.Errorf("1 + %v in [%v, %v]: %v", c.low, c.lower, c.upper, got)
		}
	}
}
