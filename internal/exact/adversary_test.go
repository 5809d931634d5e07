package exact

import "testing"

// A ball too small for divergences of this precision to be told from 0 holds the reference
// weights alone, and one whose price is far below the losses has one.
func TestBall_OfAnySize(t *testing.T) {
	f := []Real{New(1), New(3), New(1e-3)}
	for _, penalty := range []string{"kl", "chi2"} {
		for _, radius := range []float64{5e-324, 1e-136, 1e-60, 0.5} {
			a := Adversary{Penalty: penalty, Radius: radius}
			r := a.Respond(f)
			mean, largest := Div(Add(Add(f[0], f[1]), f[2]), New(3)), f[1]
			if IsLess(r.Value, Sub(mean, New(1e-70))) || IsLess(largest, r.Value) {
				t.Errorf("%s, radius %v: %v", penalty, radius, r.Value)
			}
			if off := Sub(a.divergence(r.Weight, a.referenceWeights(3)), New(radius)); IsLess(New(1e-70), off) {
				t.Errorf("%s, radius %v: weights beyond it by %v", penalty, radius, off)
			}
		}
	}
}
