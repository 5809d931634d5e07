package latent

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/design"
)

// mixed draws rows of which a share follows another slope, and says which.
func mixed(t *testing.T, n int, share float64, binary bool) (*Rows, []bool) {
	t.Helper()
	const d = 4
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	z, target, other := make([]float64, n*d), make([]float64, n), make([]bool, n)
	for j := range target {
		slope := 2.0
		if other[j] = rng.Float64() < share; other[j] {
			slope = -2
		}
		for k := range d {
			z[j*d+k] = rng.NormFloat64()
		}
		z[j*d+d-1] = 1
		m := slope*z[j*d] + z[j*d+1] + 0.5
		target[j] = m + 0.3*rng.NormFloat64()
		if binary {
			if target[j] = -1; rng.Float64() < 1/(1+math.Exp(-3*m)) {
				target[j] = 1
			}
		}
	}
	x, err := design.NewDense(n, d, z)
	if err != nil {
		t.Fatal(err)
	}
	return &Rows{X: x, Target: target, Binary: binary, Free: true}, other
}

// The two laws that rows were drawn from come out, and the rows of the second are told
// apart as well as the laws themselves can.
func TestLawsAreFound(t *testing.T) {
	r, other := mixed(t, 3000, 0.15, false)
	l := Fit(r)
	if l == nil {
		t.Fatal("no laws")
	}
	for k, want := range []float64{2, 1, 0, 0.5} {
		if math.Abs(l.Common[k]-want) > 0.03 {
			t.Errorf("common law: coefficient %d is %v, not %v", k, l.Common[k], want)
		}
	}
	for k, want := range []float64{-2, 1, 0, 0.5} {
		if math.Abs(l.Other[k]-want) > 0.06 {
			t.Errorf("other law: coefficient %d is %v, not %v", k, l.Other[k], want)
		}
	}
	if math.Abs(l.Share-0.15) > 0.02 || math.Abs(l.Noise[0]-0.3) > 0.02 || math.Abs(l.Noise[1]-0.3) > 0.04 {
		t.Errorf("share %v, noise %v", l.Share, l.Noise)
	}
	p, _ := l.Posterior(r.X, r.Target)
	wrong := 0
	for j := range p {
		if (p[j] > 0.5) != other[j] {
			wrong++
		}
	}
	if wrong > 3000*5/100 {
		t.Errorf("%d of 3000 rows taken for the wrong law", wrong)
	}
}

func TestLawsOfTwoClasses(t *testing.T) {
	r, _ := mixed(t, 6000, 0.2, true)
	l := Fit(r)
	if l == nil {
		t.Fatal("no laws")
	}
	if !(l.Common[0] > 4) || !(l.Other[0] < -3) || !(l.Other[1] > 1.5) || math.Abs(l.Share-0.2) > 0.06 || l.Noise != nil {
		t.Errorf("laws %+v", l)
	}
}

// The mixture has the likelihood of its formula, and it is above those it is held against
// where there are two laws.
func TestLikelihood(t *testing.T) {
	for _, binary := range []bool{false, true} {
		r, _ := mixed(t, 2000, 0.2, binary)
		mean := func(l *Laws) float64 {
			_, density := l.Posterior(r.X, r.Target)
			s := 0.0
			for _, v := range density {
				s += v / 2000
			}
			return s
		}
		two := Fit(r)
		p, density := two.Posterior(r.X, r.Target)
		for j := range 20 {
			a, b := make([]float64, 2000), make([]float64, 2000)
			r.X.MarginsTo(a, two.Common, 0, 2000)
			r.X.MarginsTo(b, two.Other, 0, 2000)
			of := func(margin float64, law int) float64 {
				if binary {
					return 1 / (1 + math.Exp(-r.Target[j]*margin))
				}
				z := (r.Target[j] - margin) / two.Noise[law]
				return math.Exp(-z*z/2) / two.Noise[law] / math.Sqrt(2*math.Pi)
			}
			common, other := (1-two.Share)*of(a[j], 0), two.Share*of(b[j], 1)
			if math.Abs(density[j]-math.Log(common+other)) > 1e-9 || math.Abs(p[j]-other/(common+other)) > 1e-9 {
				t.Fatalf("row %d: %v, %v; by hand %v, %v", j, p[j], density[j], other/(common+other), math.Log(common+other))
			}
		}
		if a, b, c := mean(two), mean(Null(r, two)), mean(Single(r)); !(a > b+0.005) || !(a > c+0.005) {
			t.Errorf("binary %v: two laws %v, free noise %v, one law %v", binary, a, b, c)
		}
	}
}

// A weight of two is a row twice.
func TestWeightsAreRows(t *testing.T) {
	r, _ := mixed(t, 400, 0.2, false)
	rows := make([]int, 0, 600)
	r.Weight = make([]float64, 400)
	for j := range r.Weight {
		r.Weight[j] = 1
		rows = append(rows, j)
		if j%2 == 0 {
			r.Weight[j] = 2
			rows = append(rows, j)
		}
	}
	twice := &Rows{X: r.X.Select(rows), Free: true}
	for _, j := range rows {
		twice.Target = append(twice.Target, r.Target[j])
	}
	a, b := Single(r), Single(twice)
	for k := range a.Common { // the ridge weighs 400 rows in one, 600 in the other
		if math.Abs(a.Common[k]-b.Common[k]) > 5e-3 {
			t.Errorf("coefficient %d: %v weighted, %v repeated", k, a.Common[k], b.Common[k])
		}
	}
}

// Rows that no arithmetic fits are no laws, and no crash.
func TestNoLaws(t *testing.T) {
	x, err := design.NewDense(4, 2, []float64{1e200, 1, -1e200, 1, 1e200, 1, 1e200, 1})
	if err != nil {
		t.Fatal(err)
	}
	if l := Fit(&Rows{X: x, Target: []float64{1e200, 0, 1, 2}, Free: true}); l != nil {
		for _, v := range append(l.Common, l.Other...) {
			if math.IsNaN(v) {
				t.Errorf("laws %+v", l)
			}
		}
	}
}

// slope is the gradient of Σ w·log density − ½·ridge·‖x‖² of one law, the last coordinate
// free or not, written out; for numbers under noise of one.
func slope(r *Rows, x, w []float64) []float64 {
	n, d := r.X.Dims()
	margin, per, g := make([]float64, n), make([]float64, n), make([]float64, d)
	r.X.MarginsTo(margin, x, 0, n)
	for j, m := range margin {
		if per[j] = r.Target[j] - m; r.Binary {
			per[j] = r.Target[j] / (1 + math.Exp(r.Target[j]*m))
		}
	}
	r.X.AddRowsTo(g, w, per, 0, n)
	for k := range g {
		if k < d-1 || !r.Free {
			g[k] -= ridge * x[k]
		}
	}
	return g
}

// One law is where the penalised likelihood has no slope, with the deviation of what is
// left; and so is each of two, under the weights of its rows.
func TestLawsAreStationary(t *testing.T) {
	for _, binary := range []bool{false, true} {
		for _, free := range []bool{false, true} {
			for _, weighted := range []bool{false, true} {
				r, _ := mixed(t, 600, 0.25, binary)
				r.Free = free
				n := len(r.Target)
				w := make([]float64, n)
				total := 0.0
				for j := range w {
					w[j] = 1
					if weighted {
						w[j] = float64(1 + j%3)
					}
					total += w[j]
				}
				if weighted {
					r.Weight = append([]float64(nil), w...)
				}
				for j := range w {
					w[j] *= float64(n) / total
				}
				one := Single(r)
				for k, g := range slope(r, one.Common, w) {
					if math.Abs(g) > 1e-4 {
						t.Errorf("binary %v, free %v, weighted %v: slope %v of coordinate %d of one law", binary, free, weighted, g, k)
					}
				}
				if !binary {
					margin, square := make([]float64, n), 0.0
					r.X.MarginsTo(margin, one.Common, 0, n)
					for j, m := range margin {
						square += w[j] * (r.Target[j] - m) * (r.Target[j] - m) / float64(n)
					}
					if s := math.Sqrt(square); math.Abs(one.Noise[0]-s) > 1e-9*s || one.Noise[1] != one.Noise[0] {
						t.Errorf("noise %v, not %v", one.Noise, s)
					}
				}
				two := Fit(r)
				p, _ := two.Posterior(r.X, r.Target)
				in, out, mass := make([]float64, n), make([]float64, n), 0.0
				for j := range p {
					in[j], out[j] = w[j]*p[j], w[j]*(1-p[j])
					mass += in[j]
				}
				for k := range one.Common {
					a, b := slope(r, two.Common, out)[k], slope(r, two.Other, in)[k]
					if math.Abs(a) > 0.2 || math.Abs(b) > 0.2 { // where the rise of the likelihood ends the steps
						t.Errorf("binary %v, free %v, weighted %v: slopes %v and %v of coordinate %d", binary, free, weighted, a, b, k)
					}
				}
				if share := mass / float64(n); math.Abs(share-two.Share) > 1e-3 {
					t.Errorf("share %v, of the rows %v", two.Share, share)
				}
			}
		}
	}
}

// What two laws are held against is no other law: a multiple of the same slopes with a
// constant of its own, or labels that are wrong at random.
func TestNullIsNoOtherLaw(t *testing.T) {
	r, _ := mixed(t, 500, 0.25, false)
	l := Null(r, nil)
	for k := range 3 {
		if ratio := l.Other[0] / l.Common[0]; !(ratio >= 0) || math.Abs(l.Other[k]-ratio*l.Common[k]) > 1e-12 {
			t.Errorf("slopes %v and %v", l.Common, l.Other)
		}
	}
	if l.Common[3] == l.Other[3] || l.Noise[0] == l.Noise[1] {
		t.Errorf("no part of its own: %+v", l)
	}
	r, _ = mixed(t, 500, 0.25, true)
	l = Null(r, nil)
	for k, v := range l.Common {
		if l.Other[k] != -v || v == 0 {
			t.Errorf("%v and %v", l.Common, l.Other)
		}
	}
}

// One law whose noise grows with what it predicts, or that is 0 in most rows, is as likely
// as a mixture of one set of slopes as of two, on rows not fitted; the other way round it
// is not.
func TestNullHoldsGrowingNoise(t *testing.T) {
	const n, d = 4000, 3
	rng := rand.New(rand.NewPCG(8, 3))
	draw := func(of func(a, b float64) float64) *Rows {
		z, r := make([]float64, n*d), &Rows{Target: make([]float64, n), Free: true}
		for j := range r.Target {
			a, b := rng.NormFloat64(), rng.NormFloat64()
			z[j*d], z[j*d+1], z[j*d+2] = a, b, 1
			r.Target[j] = of(a, b)
		}
		var err error
		if r.X, err = design.NewDense(n, d, z); err != nil {
			t.Fatal(err)
		}
		return r
	}
	for name, c := range map[string]struct {
		of  func(a, b float64) float64
		two bool
	}{
		"gamma": {func(a, b float64) float64 { return (rng.ExpFloat64() + rng.ExpFloat64()) * math.Exp(0.3*(a+b)) }, false},
		"mostly 0": {func(a, b float64) float64 {
			if rng.Float64() < 0.7 {
				return 0
			}
			return rng.ExpFloat64() * math.Exp(0.3*(a+b))
		}, false},
		"turned": {func(a, b float64) float64 {
			if rng.Float64() < 0.2 {
				a, b = -a, -b
			}
			return a + b + 0.3*rng.NormFloat64()
		}, true},
	} {
		fitted, unseen := draw(c.of), draw(c.of)
		two := Fit(fitted)
		null := Null(fitted, two)
		_, p := two.Posterior(unseen.X, unseen.Target)
		_, q := null.Posterior(unseen.X, unseen.Target)
		sum, square := 0.0, 0.0
		for j := range p {
			sum += p[j] - q[j]
			square += (p[j] - q[j]) * (p[j] - q[j])
		}
		if gain := sum / math.Sqrt(square); (gain > 4) != c.two {
			t.Errorf("%s: two laws are likelier by %.1f standard errors", name, gain)
		}
	}
}

// The second law begins with the rows that the first fits worst, the others next to
// nothing: for numbers three of forty here, whichever they are.
func TestBeginsWithTheWorstRows(t *testing.T) {
	const n = 40
	x := make([]float64, n)
	for _, far := range [][2]int{{1, 2}, {0, 38}, {20, 39}} {
		target := make([]float64, n)
		most := -1 // of the others
		for j := range target {
			x[j] = 1
			if target[j] = 5 + 0.001*float64(j); j == far[0] || j == far[1] {
				target[j] = 105
			} else {
				most = j
			}
		}
		z, err := design.NewDense(n, 1, x)
		if err != nil {
			t.Fatal(err)
		}
		sum, mass := 0.0, 0.0
		for j, y := range target {
			w := 1e-3
			if j == far[0] || j == far[1] || j == most {
				w = 1
			}
			sum, mass = sum+w*y, mass+w
		}
		f := newFitter(&Rows{X: z, Target: target, Free: true})
		f.margin[0] = 99 // of whoever was here before
		l := &Laws{Common: []float64{5}, Other: []float64{5}, Noise: []float64{1, 1}}
		if !f.begin(l, true) || math.Abs(l.Other[0]-sum/mass) > 1e-9 {
			t.Errorf("rows %v: the second law begins at %v, not %v", far, l.Other[0], sum/mass)
		}
		other := &Laws{Common: []float64{5}, Other: []float64{5}, Noise: []float64{1, 1}}
		if !f.begin(other, false) || math.Abs(other.Other[0]-sum/mass) > 1e-6 {
			t.Errorf("rows %v: the second law begins at %v, not %v", far, other.Other[0], sum/mass)
		}
	}
}

// Targets in other units have the same laws in those units, those that rows follow exactly
// as well: the least noise a law keeps is a share of the target's deviation.
func TestLawsFollowTheUnits(t *testing.T) {
	const n, d, units = 400, 3, 1 << 20
	rng := rand.New(rand.NewPCG(9, 4))
	z := make([]float64, n*d)
	for _, noise := range []float64{0, 0.3} {
		r := &Rows{Target: make([]float64, n), Free: true}
		far := &Rows{Target: make([]float64, n), Free: true}
		for j := range n {
			a, b := 100*rng.NormFloat64(), 100*rng.NormFloat64() // so large that the ridge is nothing
			z[j*d], z[j*d+1], z[j*d+2] = a, b, 1
			if r.Target[j] = (a+b)/100 + noise*rng.NormFloat64(); j%5 == 0 {
				r.Target[j] = (b-a)/100 + noise*rng.NormFloat64()
			}
			far.Target[j] = units * r.Target[j]
		}
		x, err := design.NewDense(n, d, z)
		if err != nil {
			t.Fatal(err)
		}
		r.X, far.X = x, x
		one, other := Fit(r), Fit(far)
		if floor := least * newFitter(r).scale; noise == 0 && (math.Abs(one.Noise[0]/floor-1) > 1e-9 || math.Abs(one.Noise[1]/floor-1) > 1e-9) {
			t.Errorf("laws that rows follow exactly have a noise of %v, not of %v", one.Noise, floor)
		}
		for name, pair := range map[string][2]*Laws{"two": {one, other}, "null": {Null(r, one), Null(far, other)}, "one": {Single(r), Single(far)}} {
			a, b := pair[0], pair[1]
			if a == nil || b == nil {
				t.Fatalf("%s: no laws", name)
			}
			if math.Abs(a.Share-b.Share) > 1e-6 {
				t.Errorf("%s: a share of %v, in other units %v", name, a.Share, b.Share)
			}
			for k := range a.Common {
				if math.Abs(units*a.Common[k]-b.Common[k]) > 1e-6*units || math.Abs(units*a.Other[k]-b.Other[k]) > 1e-6*units {
					t.Errorf("%s: %v and %v, in other units %v and %v", name, a.Common, a.Other, b.Common, b.Other)
				}
			}
			for k := range a.Noise {
				if math.Abs(units*a.Noise[k]/b.Noise[k]-1) > 1e-6 {
					t.Errorf("%s: a noise of %v, in other units %v", name, a.Noise, b.Noise)
				}
			}
		}
	}
}

// Where steps begin a law that its rows follow exactly keeps the least noise, in any unit of
// the target; the second is the multiple that its rows follow.
func TestLawsBeginWithTheLeastNoise(t *testing.T) {
	const n = 90
	rng := rand.New(rand.NewPCG(9, 5))
	for _, units := range []float64{1e-6, 1, 1e6} {
		z, target, p := make([]float64, 2*n), make([]float64, n), make([]float64, n)
		for j := range target {
			z[2*j], z[2*j+1] = 100*rng.NormFloat64(), 1
			if target[j] = units * z[2*j] / 100; j%3 == 0 {
				target[j], p[j] = 2*target[j]+units, 1
			}
		}
		x, err := design.NewDense(n, 2, z)
		if err != nil {
			t.Fatal(err)
		}
		f := newFitter(&Rows{X: x, Target: target, Free: true})
		floor := least * f.scale
		l := f.parted(p)
		if math.Abs(l.Noise[0]/floor-1) > 1e-9 || math.Abs(l.Noise[1]/floor-1) > 1e-9 || math.Abs(l.Share-1./3) > 1e-12 ||
			math.Abs(l.scale-2) > 1e-3 || math.Abs(l.shift/units-1) > 1e-3 {
			t.Errorf("in units of %v: %+v, the least noise is %v", units, l, floor)
		}
		l = &Laws{Common: []float64{units / 100, 0}, Other: make([]float64, 2), Noise: []float64{9, 9}}
		if !f.begin(l, false) || math.Abs(l.Noise[0]/floor-1) > 1e-9 {
			t.Errorf("in units of %v: it begins with a noise of %v, not %v", units, l.Noise, floor)
		}
	}
}

// No law loses all its rows, wherever the steps begin: the second of two has at most a half
// of them, a part of the mixture that is no other law nearly all.
func TestShareIsHeld(t *testing.T) {
	for _, binary := range []bool{false, true} {
		for _, null := range []bool{false, true} {
			r, _ := mixed(t, 300, 0, binary)
			f := newFitter(r)
			one := f.single()
			top := 0.5
			if null {
				top = 1 - least
			}
			for _, of := range []float64{1e-9, 0.5, 1 - 1e-9} {
				l := &Laws{Common: make([]float64, 4), Other: append([]float64(nil), one.Common...), Share: of, scale: 1}
				if !binary {
					l.Noise = []float64{one.Noise[0], one.Noise[0]}
				}
				if l = f.alternate(l, null); l == nil || !(l.Share >= least && l.Share <= top) {
					t.Errorf("binary %v, null %v: from a share of %v %+v", binary, null, of, l)
				}
			}
			if l := f.parted(f.weight); !binary && (l == nil || l.Share != 1-least) {
				t.Errorf("parted by all rows: %+v", l)
			}
		}
	}
}

// Rows too few to part are no crash.
func TestFewRows(t *testing.T) {
	for n := 1; n <= 7; n++ {
		for _, binary := range []bool{false, true} {
			z, target := make([]float64, 2*n), make([]float64, n)
			for j := range target {
				z[2*j], z[2*j+1], target[j] = float64(j), 1, float64(2*(j%2)-1)
			}
			x, err := design.NewDense(n, 2, z)
			if err != nil {
				t.Fatal(err)
			}
			r := &Rows{X: x, Target: target, Binary: binary, Free: true}
			two := Fit(r)
			for _, l := range []*Laws{two, Null(r, two), Single(r)} {
				if l != nil && !(l.Share >= 0 && l.Share <= 1) {
					t.Errorf("%d rows: a share of %v", n, l.Share)
				}
			}
		}
	}
}
