package dro_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/internal/saddle"
)

// Where every weight is on m of n samples, ψ of all is ψ of these and the offset.
func TestRestrictedPenalty(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	for range 200 {
		m := 1 + rng.IntN(8)
		n := m + rng.IntN(30)
		all, part := make([]float64, n), make([]float64, m)
		mass := 0.0
		for j := range part {
			part[j] = rng.ExpFloat64()
			mass += part[j]
		}
		for j, to := range rng.Perm(n)[:m] {
			part[j] /= mass
			all[to] = part[j]
		}
		nu := math.Exp(2 * rng.NormFloat64())
		for _, d := range []interface {
			dro.Dual
			saddle.Restrictable
		}{dro.KL{Nu: nu}, dro.ChiSquare{Nu: nu}} {
			restricted, offset := d.Restricted(n, m)
			if got, want := restricted.Value(part)+offset, d.Value(all); !(math.Abs(got-want) <= dro.ClosedForm*(1+math.Abs(want)*float64(n))) {
				t.Errorf("%#v, %d of %d samples: ψ = %v restricted, %v of all", d, m, n, got, want)
			}
		}
	}
}

// One sample with a coreset's offset stands for its like: the risk is that of all, up to
// the constant that the smaller number of samples makes.
func TestCoresetOffset(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 1))
	for range 100 {
		kl := dro.KL{Nu: math.Exp(rng.NormFloat64())}
		var one, all []float64
		for range 1 + rng.IntN(5) {
			f, kind := rng.NormFloat64(), 1+rng.IntN(6)
			one = append(one, f+kl.CoresetOffset(1/float64(kind)))
			for range kind {
				all = append(all, f)
			}
		}
		risk := func(f []float64) float64 {
			r, _ := kl.BestResponseTo(make([]float64, len(f)), f)
			return r + kl.Nu*math.Log(float64(len(f)))
		}
		if got, want := risk(one), risk(all); !(math.Abs(got-want) <= dro.ClosedForm*(1+math.Abs(want))) {
			t.Errorf("ν = %v: %v by one of a kind, %v by all", kl.Nu, got, want)
		}
	}
}
