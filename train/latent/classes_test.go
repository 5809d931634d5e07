package latent

import (
	"math"
	"math/rand/v2"
	"testing"
)

// answered draws two classes by a probability.
func answered(t *testing.T, n, d int, seed uint64, of func(z []float64, rng *rand.Rand) float64) *Rows {
	t.Helper()
	r := drawn(t, n, d, seed, func(z []float64, rng *rand.Rand) float64 {
		if rng.Float64() < of(z, rng) {
			return 1
		}
		return -1
	})
	r.Binary = true
	return r
}

func sigmoid(m float64) float64 { return 1 / (1 + math.Exp(-m)) }

// A third law of two classes is found beside two.
func TestThirdLawOfTwoClasses(t *testing.T) {
	r := answered(t, 3500, 3, 11, func(z []float64, rng *rand.Rand) float64 {
		switch u := rng.Float64(); {
		case u < 0.2:
			return sigmoid(6 * (z[1] - z[0]))
		case u < 0.4:
			return sigmoid(6 * (z[2] - z[1]))
		}
		return sigmoid(6 * (z[0] + z[1]))
	})
	three := More(r, two(r))
	for k, signs := range [][]float64{{1, 1, 0}, {-1, 1, 0}, {0, -1, 1}} {
		law := three.Law[k]
		if k > 0 && (law.Coefficients[2] > 2) != (signs[2] > 0) { // two of the same share
			law = three.Law[3-k]
		}
		if want := []float64{0.6, 0.2, 0.2}[k]; math.Abs(law.Share-want) > 0.06 {
			t.Errorf("law %d: a share of %v, not %v", k, law.Share, want)
		}
		for i, s := range signs {
			if v := law.Coefficients[i]; s == 0 && math.Abs(v) > 1.5 || s != 0 && !(s*v > 2) {
				t.Errorf("law %d: %v", k, law.Coefficients)
			}
		}
	}
	null := Nearer(r, Null(r, two(r)), three)
	if f := newFitter(r); null.tie == nil || !(f.likelihood(three) > f.likelihood(null)+0.003) {
		t.Errorf("a likelihood of %v, and of two laws and a part tied to one of %v", f.likelihood(three), f.likelihood(null))
	}
}

// Answers that are skewed or have heavy tails are no two laws; other slopes are.
func TestNullHoldsOtherAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		of  func(z []float64, rng *rand.Rand) float64
		two bool
	}{
		"skewed": {func(z []float64, _ *rand.Rand) float64 { return 1 - math.Exp(-math.Exp(2*(z[0]+z[1]))) }, false},
		"heavy":  {func(z []float64, _ *rand.Rand) float64 { return 0.5 + math.Atan(2*(z[0]+z[1]))/math.Pi }, false},
		"another constant": {func(z []float64, rng *rand.Rand) float64 {
			m := 3 * (z[0] + z[1])
			if rng.Float64() < 0.2 {
				m += 5
			}
			return sigmoid(m)
		}, false},
		"other slopes": {func(z []float64, rng *rand.Rand) float64 {
			if rng.Float64() < 0.2 {
				return sigmoid(3 * (z[1] - z[0]))
			}
			return sigmoid(3 * (z[0] + z[1]))
		}, true},
	} {
		fitted, unseen := answered(t, 4000, 2, 12, c.of), answered(t, 4000, 2, 13, c.of)
		if gain := gainOfTwo(fitted, unseen); (gain > 3) != c.two {
			t.Errorf("%s: two laws are likelier by %.1f standard errors", name, gain)
		}
	}
}

// Steps of a law and of the part that is a multiple of it end where the penalised likelihood
// of both, written out, has no slope; a law turned about stays one.
func TestTiedLawsAreStationary(t *testing.T) {
	r := answered(t, 800, 2, 14, func(z []float64, rng *rand.Rand) float64 {
		if rng.Float64() < 0.3 {
			return 0.8
		}
		return sigmoid(2*z[0] - z[1] + 0.5)
	})
	rng := rand.New(rand.NewPCG(15, 1))
	for _, turned := range []bool{false, true} {
		f := newFitter(r)
		inside, outside := make([]float64, f.n), make([]float64, f.n)
		for j := range inside {
			inside[j] = rng.Float64()
			outside[j] = 1 - inside[j]
		}
		l := &Laws{Law: []Law{{Coefficients: make([]float64, 3)}, {Coefficients: make([]float64, 3)}}, Classes: true, tie: &tie{part: 1, scale: 1, wrong: turned}}
		f.follow(l, inside)
		for range 200 {
			if !f.maximiseTied(l, outside, inside) {
				t.Fatal("the arithmetic failed")
			}
		}
		z := make([]float64, 3)
		cost := func(x []float64, scale, shift float64) float64 {
			sum := 0.0
			for j, y := range r.Target {
				r.X.RowTo(z, j)
				m := z[0]*x[0] + z[1]*x[1] + z[2]*x[2]
				sum += outside[j]*math.Log1p(math.Exp(-y*m)) + inside[j]*math.Log1p(math.Exp(-y*(scale*m+shift)))
			}
			return sum + (x[0]*x[0]+x[1]*x[1])*ridge/2
		}
		x, s := l.Law[0].Coefficients, l.tie
		const h = 1e-4
		for i := range x {
			a, b := append([]float64(nil), x...), append([]float64(nil), x...)
			a[i], b[i] = a[i]+h, b[i]-h
			if g := (cost(a, s.scale, s.shift) - cost(b, s.scale, s.shift)) / (2 * h); math.Abs(g) > 0.05 {
				t.Errorf("turned %v: slope %v of coordinate %d", turned, g, i)
			}
		}
		norm := (x[0]*x[0] + x[1]*x[1]) * ridge
		part := func(scale, shift float64) float64 { return cost(x, scale, shift) + norm*scale*scale/2 }
		if turned {
			if s.scale != -1 || s.shift != 0 || l.Law[1].Coefficients[0] != -x[0] {
				t.Errorf("turned: %+v", s)
			}
		} else if a, b := (part(s.scale+h, s.shift)-part(s.scale-h, s.shift))/(2*h), (part(s.scale, s.shift+h)-part(s.scale, s.shift-h))/(2*h); s.scale > 0 && math.Abs(a) > 0.05 || s.scale == 0 && a < -0.05 || math.Abs(b) > 0.05 {
			t.Errorf("slopes %v of the multiple %v and %v of the shift %v", a, s.scale, b, s.shift)
		}
	}
}

// The direction in which one law leaves most unsaid is that of no other direction's quotient
// above its own.
func TestDirectionOfMostSpread(t *testing.T) {
	r := answered(t, 500, 3, 16, func(z []float64, _ *rand.Rand) float64 { return sigmoid(z[0]) })
	f := newFitter(r)
	rng := rand.New(rand.NewPCG(17, 1))
	a, b := make([]float64, f.n), make([]float64, f.n)
	for j := range a {
		a[j], b[j] = rng.NormFloat64(), rng.Float64()
	}
	quotient := func(v []float64) float64 {
		margin, up, down := make([]float64, f.n), 0.0, 0.0
		r.X.MarginsTo(margin, v, 0, f.n)
		for j, m := range margin {
			up, down = up+a[j]*m*m, down+b[j]*m*m
		}
		for _, x := range v {
			down += ridge * x * x
		}
		return up / down
	}
	v := f.along(a, b)
	best := quotient(v)
	for range 500 {
		w := make([]float64, len(v))
		for i := range w {
			w[i] = v[i]*float64(rng.IntN(2)) + 0.3*rng.NormFloat64()
		}
		if q := quotient(w); q > best*(1+1e-9) {
			t.Fatalf("a quotient of %v, %v along %v", best, q, w)
		}
	}
	if !(best > 0) {
		t.Errorf("quotient %v", best)
	}
}
