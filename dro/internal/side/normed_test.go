package side

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/internal/exact"
)

// No weight and no sum of weights is above what a dual says of its set, and both are
// reached; the penalty grows with the square of the distance in the norm that it names.
func TestNormsAndCapsOfTheSets(t *testing.T) {
	rng := drotest.RngOf(221)
	const n = 9
	fixed, err := NewFixed([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []interface {
		saddle.Dual
		saddle.Normed
	}{KL{Nu: 1}, ChiSquare{Nu: 1}, CappedKL{Alpha: 0.4, Nu: 1}, CappedChiSquare{Alpha: 0.4, Nu: 1}, Box{Lower: -0.5, Upper: 2, Nu: 1}, Box{Lower: -3, Upper: 2, Nu: 1}, Uniform{}, fixed} {
		heaviest, sum := 0.0, 0.0
		y, f := make([]float64, n), make([]float64, n)
		for trial := range 60 {
			for j := range f {
				f[j] = math.Pow(10, float64(trial%9)) * rng.NormFloat64()
			}
			if trial < 2 { // all of one sign, or one alone
				vec.Fill(f, float64(1-2*trial)*1e9)
			} else if trial < 12 {
				clear(f)
				f[trial%n] = 1e9
			}
			d.BestResponseTo(y, f)
			total := 0.0
			for _, v := range y {
				heaviest, total = max(heaviest, math.Abs(v)), total+math.Abs(v)
			}
			sum = max(sum, total)
			if d.Modulus() == 0 {
				continue
			}
			centre := make([]float64, n) // where ψ vanishes
			d.BestResponseTo(centre, make([]float64, n))
			two, one := 0.0, 0.0
			for j := range y {
				two, one = two+(y[j]-centre[j])*(y[j]-centre[j]), one+math.Abs(y[j]-centre[j])
			}
			least := d.NormScale(n) * d.NormScale(n) * two / 2
			if d.SumNorm() {
				least = max(least, one*one/2)
			}
			if psi := d.Value(y); psi < least*(1-1e-9)-1e-12 {
				t.Errorf("%#v: ψ = %v, less than the %v of its norm", d, psi, least)
			}
			_, plain := d.(ChiSquare)
			if _, capped := d.(CappedChiSquare); (plain || capped) && !(math.Abs(d.Value(y)-least) <= 1e-9*(1+least)) {
				t.Errorf("%#v: ψ = %v, not the %v of its norm", d, d.Value(y), least)
			}
		}
		if c := d.WeightCap(n); !(math.Abs(heaviest-c) <= 1e-9*c) && !isPoint(d) || heaviest > c*(1+1e-12) {
			t.Errorf("%#v: weights up to %v, %v it says", d, heaviest, c)
		}
		if c := d.TotalWeight(n); !(math.Abs(sum-c) <= 1e-9*c) {
			t.Errorf("%#v: sums up to %v, %v it says", d, sum, c)
		}
	}
}

func isPoint(d saddle.Dual) bool { return d.Modulus() == 0 }

// The penalty of a part of the samples is no less than that of all, to the last bit: bounds
// from working sets rest on it.
func TestRestrictedPenaltyIsNoLess(t *testing.T) {
	rng := drotest.RngOf(222)
	for range 2000 {
		m := 1 + rng.IntN(1000)
		n := m + rng.IntN(100_000)
		nu := math.Pow(10, 8*rng.Float64()-4)
		restricted, offset := ChiSquare{Nu: nu}.Restricted(n, m)
		want := exact.Mul(exact.New(nu), exact.Div(exact.New(float64(n)), exact.New(float64(m))))
		if got := restricted.Modulus(); exact.Less(exact.New(got), want) || drotest.Above(want, got) < -1e-14*got {
			t.Fatalf("ν = %v of %d of %d samples: %v, not %s", nu, m, n, got, want.Text('g', 25))
		}
		off := exact.Sub(exact.Div(want, exact.New(2)), exact.New(nu/2))
		if d := math.Abs(drotest.Above(off, offset)); d > 4*saddle.UnitRoundoff*(1+float64(m)/float64(n-m+1))*math.Abs(offset) {
			t.Fatalf("ν = %v of %d of %d samples: an offset of %v, not %s", nu, m, n, offset, off.Text('g', 25))
		}
	}
}

// A divergence is off by something, however small it is.
func TestDivergencesAreNeverExact(t *testing.T) {
	for _, d := range []Divergence{KullbackLeibler, PearsonChi2} {
		b := NewBall(d, 0.1, nil)
		y := []float64{0.25, 0.25, 0.25, 0.25}
		if divergence, off := b.divergence(y); divergence != 0 || !(off > 0) || off > 1e-25 {
			t.Errorf("of the weights themselves: %v, off by %v", divergence, off)
		}
	}
}
