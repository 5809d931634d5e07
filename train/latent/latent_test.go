package latent

import (
	"math"
	"math/rand/v2"
	"slices"
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

// two are the two likeliest laws of rows.
func two(r *Rows) *Laws {
	one := Single(r)
	if one == nil {
		return nil
	}
	return More(r, one)
}

// nullOf is what two laws are held against.
func nullOf(r *Rows, two *Laws) *Laws {
	one := Single(r)
	if one == nil {
		return nil
	}
	null := Null(r, one)
	if two != nil && null != nil {
		null = Nearer(r, null, two)
	}
	return null
}

// The two laws that rows were drawn from come out, and the rows of the second are told
// apart as well as the laws themselves can.
func TestLawsAreFound(t *testing.T) {
	r, other := mixed(t, 3000, 0.15, false)
	r.Even = true
	l := two(r)
	if l == nil {
		t.Fatal("no laws")
	}
	for k, want := range []float64{2, 1, 0, 0.5} {
		if math.Abs(l.Law[0].Coefficients[k]-want) > 0.03 {
			t.Errorf("common law: coefficient %d is %v, not %v", k, l.Law[0].Coefficients[k], want)
		}
	}
	for k, want := range []float64{-2, 1, 0, 0.5} {
		if math.Abs(l.Law[1].Coefficients[k]-want) > 0.06 {
			t.Errorf("other law: coefficient %d is %v, not %v", k, l.Law[1].Coefficients[k], want)
		}
	}
	if math.Abs(l.Law[1].Share-0.15) > 0.02 || math.Abs(l.Law[0].Noise-0.3) > 0.02 || math.Abs(l.Law[1].Noise-0.3) > 0.04 {
		t.Errorf("laws %+v", l)
	}
	p, _ := l.Posterior(r.X, r.Target)
	wrong := 0
	for j := range p[1] {
		if (p[1][j] > 0.5) != other[j] {
			wrong++
		}
	}
	if wrong > 3000*5/100 {
		t.Errorf("%d of 3000 rows taken for the wrong law", wrong)
	}
}

func TestLawsOfTwoClasses(t *testing.T) {
	r, _ := mixed(t, 6000, 0.2, true)
	l := two(r)
	if l == nil {
		t.Fatal("no laws")
	}
	if !(l.Law[0].Coefficients[0] > 4) || !(l.Law[1].Coefficients[0] < -3) || !(l.Law[1].Coefficients[1] > 1.5) || math.Abs(l.Law[1].Share-0.2) > 0.06 || l.Law[0].Noise != 0 || l.Growth != nil {
		t.Errorf("laws %+v", l)
	}
}

// The likelihood of two laws is above those it is held against where there are two.
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
		both := two(r)
		if a, b, c := mean(both), mean(nullOf(r, both)), mean(Single(r)); !(a > b+0.005) || !(a > c+0.005) {
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
	r.Even = true
	twice := &Rows{X: r.X.Select(rows), Free: true, Even: true}
	for _, j := range rows {
		twice.Target = append(twice.Target, r.Target[j])
	}
	a, b := Single(r), Single(twice)
	for k := range a.Law[0].Coefficients { // the ridge weighs 400 rows in one, 600 in the other
		if math.Abs(a.Law[0].Coefficients[k]-b.Law[0].Coefficients[k]) > 5e-3 {
			t.Errorf("coefficient %d: %v weighted, %v repeated", k, a.Law[0].Coefficients[k], b.Law[0].Coefficients[k])
		}
	}
}

// Rows that no arithmetic fits are no laws, and no crash.
func TestNoLaws(t *testing.T) {
	x, err := design.NewDense(4, 2, []float64{1e200, 1, -1e200, 1, 1e200, 1, 1e200, 1})
	if err != nil {
		t.Fatal(err)
	}
	if l := two(&Rows{X: x, Target: []float64{1e200, 0, 1, 2}, Free: true}); l != nil {
		for _, v := range append(l.Law[0].Coefficients, l.Law[1].Coefficients...) {
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
				r.Free, r.Even = free, true // else weights are those of the noise too
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
				for k, g := range slope(r, one.Law[0].Coefficients, w) {
					if math.Abs(g) > 1e-4 {
						t.Errorf("binary %v, free %v, weighted %v: slope %v of coordinate %d of one law", binary, free, weighted, g, k)
					}
				}
				if !binary {
					margin, square := make([]float64, n), 0.0
					r.X.MarginsTo(margin, one.Law[0].Coefficients, 0, n)
					for j, m := range margin {
						square += w[j] * (r.Target[j] - m) * (r.Target[j] - m) / float64(n)
					}
					if s := math.Sqrt(square); math.Abs(one.Law[0].Noise-s) > 1e-9*s {
						t.Errorf("noise %v, not %v", one.Law[0].Noise, s)
					}
				}
				both := two(r)
				p, _ := both.Posterior(r.X, r.Target)
				in, out, mass := make([]float64, n), make([]float64, n), 0.0
				for j := range w {
					in[j], out[j] = w[j]*p[1][j], w[j]*p[0][j]
					mass += in[j]
				}
				for k := range one.Law[0].Coefficients {
					a, b := slope(r, both.Law[0].Coefficients, out)[k], slope(r, both.Law[1].Coefficients, in)[k]
					if math.Abs(a) > 0.2 || math.Abs(b) > 0.2 { // where the rise of the likelihood ends the steps
						t.Errorf("binary %v, free %v, weighted %v: slopes %v and %v of coordinate %d", binary, free, weighted, a, b, k)
					}
				}
				if share := mass / float64(n); math.Abs(share-both.Law[1].Share) > 1e-3 {
					t.Errorf("share %v, of the rows %v", both.Law[1].Share, share)
				}
			}
		}
	}
}

// What two laws are held against is no other law: a multiple of the same slopes with a
// constant of its own, or labels that are wrong at random.
func TestNullIsNoOtherLaw(t *testing.T) {
	r, _ := mixed(t, 500, 0.25, false)
	l := nullOf(r, nil)
	for k := range 3 {
		a, b := l.Law[0].Coefficients, l.Law[1].Coefficients
		if ratio := b[0] / a[0]; !(ratio >= 0) || math.Abs(b[k]-ratio*a[k]) > 1e-12 {
			t.Errorf("slopes %v and %v", a, b)
		}
	}
	if l.Law[0].Coefficients[3] == l.Law[1].Coefficients[3] || l.Law[0].Noise == l.Law[1].Noise {
		t.Errorf("no part of its own: %+v", l)
	}
	r, _ = mixed(t, 500, 0.25, true)
	l = nullOf(r, nil)
	for k := range 3 {
		a, b := l.Law[0].Coefficients, l.Law[1].Coefficients
		if math.Abs(b[k]-l.tie.scale*a[k]) > 1e-12 {
			t.Errorf("slopes %v and %v", a, b)
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
		if gain := gainOfTwo(fitted, unseen); (gain > 4) != c.two {
			t.Errorf("%s: two laws are likelier by %.1f standard errors", name, gain)
		}
	}
}

// gainOfTwo is by how many standard errors two laws make rows that were not seen likelier than
// the null.
func gainOfTwo(fitted, unseen *Rows) float64 {
	both := two(fitted)
	null := nullOf(fitted, both)
	_, p := both.Posterior(unseen.X, unseen.Target)
	_, q := null.Posterior(unseen.X, unseen.Target)
	sum, square := 0.0, 0.0
	for j := range p {
		sum += p[j] - q[j]
		square += (p[j] - q[j]) * (p[j] - q[j])
	}
	return sum / math.Sqrt(square)
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
		for _, how := range []kind{multiple, free} {
			f := newFitter(&Rows{X: z, Target: target, Free: true})
			f.margin[0] = 99 // of whoever was here before
			l := &Laws{Law: []Law{{Coefficients: []float64{5}, Share: 1, Noise: 1}}}
			if !f.begin(l, slices.Repeat([]float64{1}, n), 0, how) || math.Abs(l.Law[1].Coefficients[0]-sum/mass) > 1e-6 {
				t.Errorf("rows %v: the second law begins at %v, not %v", far, l.Law[1].Coefficients[0], sum/mass)
			}
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
		r := &Rows{Target: make([]float64, n), Free: true, Even: noise == 0}
		far := &Rows{Target: make([]float64, n), Free: true, Even: noise == 0}
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
		one, other := two(r), two(far)
		if floor := least * newFitter(r).scale; noise == 0 && (math.Abs(one.Law[0].Noise/floor-1) > 1e-9 || math.Abs(one.Law[1].Noise/floor-1) > 1e-9) {
			t.Errorf("laws that rows follow exactly are %+v, the least noise is %v", one, floor)
		}
		for name, pair := range map[string][2]*Laws{"two": {one, other}, "null": {nullOf(r, one), nullOf(far, other)}, "one": {Single(r), Single(far)}} {
			a, b := pair[0], pair[1]
			if a == nil || b == nil {
				t.Fatalf("%s: no laws", name)
			}
			for k := range a.Law {
				x, y := a.Law[k], b.Law[k]
				if math.Abs(x.Share-y.Share) > 1e-6 {
					t.Errorf("%s: a share of %v, in other units %v", name, x.Share, y.Share)
				}
				for i := range x.Coefficients {
					if math.Abs(units*x.Coefficients[i]-y.Coefficients[i]) > 1e-6*units {
						t.Errorf("%s: %v, in other units %v", name, x.Coefficients, y.Coefficients)
					}
				}
				if math.Abs(units*x.Noise/y.Noise-1) > 1e-6 {
					t.Errorf("%s: a noise of %v, in other units %v", name, x.Noise, y.Noise)
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
		q := make([]float64, n)
		for j, v := range p {
			q[j] = 1 - v
		}
		from := &Laws{Law: []Law{{Coefficients: make([]float64, 2), Share: 2. / 3}, {Coefficients: make([]float64, 2), Share: 1. / 3}}, Growth: make([]float64, 2*terms)}
		l := f.tied(from, [][]float64{q, p}, 0, 1)
		if math.Abs(l.Law[0].Noise/floor-1) > 1e-9 || math.Abs(l.Law[1].Noise/floor-1) > 1e-9 ||
			math.Abs(l.tie.scale-2) > 1e-3 || math.Abs(l.tie.shift/units-1) > 1e-3 {
			t.Errorf("in units of %v: %+v, the least noise is %v", units, l, floor)
		}
		l = &Laws{Law: []Law{{Coefficients: []float64{units / 100, 0}, Share: 1, Noise: 9}}, Growth: make([]float64, 2*terms)}
		if !f.begin(l, slices.Repeat([]float64{1}, n), 0, free) || math.Abs(l.Law[0].Noise/floor-1) > 1e-9 {
			t.Errorf("in units of %v: it begins with %+v, not a noise of %v", units, l, floor)
		}
	}
}

// No law loses all its rows, wherever the steps begin, and the law of most rows is the first.
func TestShareIsHeld(t *testing.T) {
	for _, binary := range []bool{false, true} {
		for _, null := range []bool{false, true} {
			r, _ := mixed(t, 300, 0, binary)
			f := newFitter(r)
			one := f.single()
			for _, of := range []float64{1e-9, 0.5, 1 - 1e-9} {
				l := one.clone()
				l.Law = append([]Law{{Coefficients: make([]float64, 4), Share: 1 - of, Noise: one.Law[0].Noise}}, l.Law...)
				l.Law[1].Share = of
				if null {
					l.tie = &tie{of: 0, part: 1, scale: 1}
				}
				if l = f.alternate(l, iterations); l == nil || !(l.Law[1].Share >= least/2 && l.Law[0].Share >= least/2) || math.Abs(l.Law[0].Share+l.Law[1].Share-1) > 1e-12 {
					t.Fatalf("binary %v, null %v: from a share of %v %+v", binary, null, of, l)
				}
				if l.sorted(); l.Law[0].Share < l.Law[1].Share {
					t.Errorf("shares %v before %v", l.Law[0].Share, l.Law[1].Share)
				}
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
			both := two(r)
			for _, l := range []*Laws{both, nullOf(r, both), Single(r)} {
				if l != nil && !(l.Law[0].Share >= 0 && l.Law[0].Share <= 1) {
					t.Errorf("%d rows: a share of %v", n, l.Law[0].Share)
				}
			}
		}
	}
}

// drawn are rows of d normal features and a constant, with targets of a function.
func drawn(t *testing.T, n, d int, seed uint64, of func(z []float64, rng *rand.Rand) float64) *Rows {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	z, r := make([]float64, n*(d+1)), &Rows{Target: make([]float64, n), Free: true}
	for j := range r.Target {
		row := z[j*(d+1) : (j+1)*(d+1)]
		for k := range d {
			row[k] = rng.NormFloat64()
		}
		row[d] = 1
		r.Target[j] = of(row, rng)
	}
	var err error
	if r.X, err = design.NewDense(n, d+1, z); err != nil {
		t.Fatal(err)
	}
	return r
}

// Noise that grows with a feature is fitted beside the laws: its factor is that of the rows,
// and rows not fitted are likelier than where noise is the same everywhere.
func TestNoiseThatGrows(t *testing.T) {
	draw := func(z []float64, rng *rand.Rand) float64 {
		slope := 1.0
		if rng.Float64() < 0.15 {
			slope = -1
		}
		return slope*z[1] + z[2] + 0.2*(0.3+math.Abs(z[0]))*rng.NormFloat64()
	}
	fitted, unseen := drawn(t, 3000, 3, 1, draw), drawn(t, 3000, 3, 2, draw)
	l := two(fitted)
	for k, want := range []float64{0, 1, 1, 0} {
		if math.Abs(l.Law[0].Coefficients[k]-want) > 0.03 {
			t.Errorf("common law: coefficient %d is %v, not %v", k, l.Law[0].Coefficients[k], want)
		}
	}
	if math.Abs(l.Law[1].Coefficients[1]+1) > 0.06 || math.Abs(l.Law[1].Share-0.15) > 0.02 {
		t.Errorf("laws %+v", l)
	}
	at := func(z float64) float64 {
		x, err := design.NewDense(1, 4, []float64{z, 0, 0, 1})
		if err != nil {
			t.Fatal(err)
		}
		u := sizes(x, 1, true)
		out := make([]float64, 1)
		growthOf(out, u, l.Growth)
		return out[0] * l.Law[0].Noise
	}
	for _, z := range []float64{-2, -1, 0.3, 1, 2} {
		if want := 0.2 * (0.3 + math.Abs(z)); math.Abs(at(z)/want-1) > 0.15 {
			t.Errorf("at %v the noise is %v, not %v", z, at(z), want)
		}
	}
	fitted.Even = true
	even := two(fitted)
	_, grown := l.Posterior(unseen.X, unseen.Target)
	_, same := even.Posterior(unseen.X, unseen.Target)
	sum := 0.0
	for j := range grown {
		sum += (grown[j] - same[j]) / float64(len(grown))
	}
	if even.Growth != nil || !(sum > 0.1) {
		t.Errorf("noise that grows makes rows not fitted likelier by %v", sum)
	}
}

// A third law is found beside two, by splitting one of them, and what it is held against is
// two laws and a multiple of one.
func TestThirdLaw(t *testing.T) {
	r := drawn(t, 3000, 3, 3, func(z []float64, rng *rand.Rand) float64 {
		a, b := z[0], z[1]
		switch u := rng.Float64(); {
		case u < 0.12:
			a = -a
		case u < 0.2:
			b = 3 * b
		}
		return a + b + 0.2*rng.NormFloat64()
	})
	both := two(r)
	three := More(r, both)
	for k, want := range [][]float64{{1, 1, 0, 0, 0.8}, {-1, 1, 0, 0, 0.12}, {1, 3, 0, 0, 0.08}} {
		for i, v := range three.Law[k].Coefficients {
			if math.Abs(v-want[i]) > 0.08 {
				t.Errorf("law %d: %v, not %v", k, three.Law[k].Coefficients, want[:4])
			}
		}
		if math.Abs(three.Law[k].Share-want[4]) > 0.02 {
			t.Errorf("law %d: a share of %v, not %v", k, three.Law[k].Share, want[4])
		}
	}
	null := Nearer(r, Null(r, both), three)
	if f := newFitter(r); len(null.Law) != 3 || null.tie == nil || !(f.likelihood(three) > f.likelihood(null)+0.01) || f.likelihood(null) < f.likelihood(both) {
		t.Errorf("%d laws, a likelihood of %v, two of %v and three of %v", len(null.Law), f.likelihood(null), f.likelihood(both), f.likelihood(three))
	} else {
		of, part := null.Law[null.tie.of].Coefficients, null.Law[null.tie.part].Coefficients
		for i := range 3 {
			if math.Abs(part[i]-null.tie.scale*of[i]) > 1e-12 {
				t.Errorf("%v is no multiple of %v", part, of)
			}
		}
	}
}
