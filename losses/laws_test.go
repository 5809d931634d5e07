package losses

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/memory"
)

// Every sum over a range of samples agrees with its definition, for every storage.
func TestLinear_SumsAgainstDefinitions(t *testing.T) {
	const n, d, lo, hi = 13, 4, 2, 11
	rng := rand.New(rand.NewPCG(11, 12))
	vector := func(k int) []float64 {
		v := make([]float64, k)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return v
	}
	x, w, s, scale := vector(d), vector(n), vector(n), vector(d)
	for _, l := range all {
		for _, o := range linearOver(t, l, n, d) {
			row := func(j int) []float64 {
				z := make([]float64, d)
				o.z.RowTo(z, j)
				return z
			}
			same := func(what string, got, want float64) {
				t.Helper()
				if !(math.Abs(got-want) <= 1e-6*(1+math.Abs(want))) { // float32 rows are summed in float32
					t.Errorf("%s, %T: %s is %v, not %v", l.Name(), o.z, what, got, want)
				}
			}
			grad, squares, gram := vector(d), vector(d), vector(d*d)
			value, slope, margin, norms := vector(n), vector(n), vector(n), vector(n)
			before := [][]float64{slices.Clone(grad), slices.Clone(squares), slices.Clone(gram), slices.Clone(margin),
				slices.Clone(norms)}
			o.AddGradTo(grad, w, s, lo, hi)
			o.AddSquaresTo(squares, w, lo, hi)
			o.AddGramTo(gram, w, lo, hi)
			o.MarginsTo(margin, x, lo, hi)
			o.SquaredNormsTo(norms, scale, lo, hi)
			o.EvalTo(value, slope, x, 0, n)
			want := before
			for j := range n {
				z := row(j)
				m, norm := 0.0, 0.0
				for i := range d {
					m, norm = m+z[i]*x[i], norm+scale[i]*z[i]*z[i]
				}
				v, sl, _ := eval(l, m, o.target[j])
				same("a loss", value[j], v)
				same("a slope", slope[j], sl)
				if j < lo || j >= hi {
					continue
				}
				want[3][j], want[4][j] = m, norm
				for i := range d {
					want[0][i] += w[j] * s[j] * z[i]
					want[1][i] += w[j] * z[i] * z[i]
					for k := i; k < d; k++ {
						want[2][i*d+k] += w[j] * z[i] * z[k]
					}
				}
			}
			for k, got := range [][]float64{grad, squares, gram, margin, norms} {
				for i := range got {
					if k == 2 && i/d > i%d {
						continue // below the diagonal
					}
					same([]string{"a gradient", "a change", "squares", "a Gram matrix", "a margin", "a norm"}[k], got[i], want[k][i])
				}
			}
			lipschitz, smoothness := vector(n), vector(n)
			o.ConstantsTo(lipschitz, smoothness, x)
			for j := range n {
				norm := 0.0
				for _, v := range row(j) {
					norm += v * v
				}
				h := l.Lipschitz()
				if math.IsInf(h, 1) {
					h = math.Abs(slope[j])
				}
				same("H", lipschitz[j], h*math.Sqrt(norm))
				if want := l.Smoothness() * norm; norm == 0 || !math.IsInf(want, 1) {
					same("M", smoothness[j], map[bool]float64{false: want}[norm == 0])
				} else if smoothness[j] != want {
					t.Errorf("%s: M is %v, not %v", l.Name(), smoothness[j], want)
				}
			}
			if math.IsInf(l.Smoothness(), 1) {
				if terms, largest, smooth := o.Rounding(); terms != 0 || largest != nil || smooth != 0 {
					t.Errorf("%s: a description of the rounding without a smoothness: %d, %v, %v", l.Name(), terms, largest, smooth)
				}
			} else if terms, largest, smooth := o.Rounding(); terms < 1 || terms > d || smooth != l.Smoothness() {
				t.Errorf("%s, %T: %d terms, smoothness %v", l.Name(), o.z, terms, smooth)
			} else {
				for i := range d {
					most := 0.0
					for j := range n {
						most = max(most, math.Abs(row(j)[i]))
					}
					if largest[i] < most {
						t.Errorf("column %d: %v above %v", i, most, largest[i])
					}
				}
			}
			pass, gramWork := o.Work()
			if a, b := o.z.Work(); pass != a || gramWork != b || o.Bytes() != o.z.Bytes() || !o.NonNegative() ||
				o.Arena() != nil || o.Rows() != nil || o.MaxSelected() != n {
				t.Errorf("%T: work %v and %v, %d bytes", o.z, pass, gramWork, o.Bytes())
			}
		}
	}
}

// steep is a loss without a largest curvature.
type steep struct{ Squared }

func (steep) Smoothness() float64 { return math.Inf(1) }

// away is a matrix that is not in memory.
type away struct {
	design.Matrix
	arena *memory.Arena
	most  int
}

func (a away) Arena() *memory.Arena { return a.arena }
func (a away) MaxSelected() int     { return a.most }

// Rounding returns zeros if the curvature is unbounded; a matrix on disk states its arena and how many samples may be
// copied; a matrix of one entry is valid.
func TestMatrix_FaultsAreNamed(t *testing.T) {
	z, err := design.NewDense(3, 1, []float64{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	o, err := NewLinear(steep{}, z, []float64{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	if terms, largest, smooth := o.Rounding(); terms != 0 || largest != nil || smooth != 0 {
		t.Errorf("%d terms, %v, %v", terms, largest, smooth)
	}
	arena := &memory.Arena{}
	for most, want := range map[int]int{2: 2, 3: 3, 9: 3} {
		if o, err = NewLinear(Squared{}, away{z, arena, most}, []float64{1, 2, 3}); err != nil || o.Arena() != arena ||
			o.MaxSelected() != want {
			t.Errorf("%v; %d samples may be copied, of %d", err, o.MaxSelected(), most)
		}
	}
	one, err := design.NewDense(1, 1, []float64{2})
	if err != nil {
		t.Fatal(err)
	}
	if o, err = NewLinear(Logistic{}, one, []float64{-1}); err != nil {
		t.Fatal(err)
	}
	if n, d, slope := o.Dims(); n != 1 || d != 1 || slope != 1 {
		t.Errorf("%d × %d, slopes of %d", n, d, slope)
	}
	if _, err := NewLinear(Squared{}, away{z, arena, 1}, nil); err == nil {
		t.Error("no targets")
	}
}

// The quadratic upper bound touches the loss at its margin and, up to rounding, at the margin mirrored at the target,
// so no smaller curvature is possible.
func TestMajorant_TouchesTwice(t *testing.T) {
	for _, l := range []Majorised{Logistic{}, Huber{Delta: 0.3}, Huber{Delta: 5}} {
		for _, target := range targets(l) {
			for _, r := range []float64{-900, -40, -7, -5.001, -2, -0.4, 0.31, 0.5, 3, 6, 30, 600} {
				m, mirrored := r, -r
				if l.Name() == "huber" {
					m, mirrored = target+r, target-r
				}
				v, s, _ := eval(l, m, target)
				kappa := []float64{0}
				l.MajorantTo(kappa, []float64{v}, []float64{s}, []float64{target})
				w, _, _ := eval(l, mirrored, target)
				off := mirrored - m
				if at := v + s*off + kappa[0]*off*off/2; !(math.Abs(at-w) <= 1e-9*(1+w+math.Abs(s*off))) &&
					!(l.Name() == "logistic" && !(math.Abs(r) <= 700)) {
					t.Errorf("%#v at %v: %v where the loss is %v, κ = %v", l, m, at, w, kappa[0])
				}
			}
		}
	}
	// at the end of what a slope can say, and at 0
	for s, want := range map[float64]float64{0: 0.5 / 745, 0.5: 0.25, -0.5: 0.25} {
		v := math.Ln2
		if s == 0 {
			v = 0
		}
		kappa := []float64{0}
		if (Logistic{}).MajorantTo(kappa, []float64{v}, []float64{s}, []float64{1}); !(math.Abs(kappa[0]-want) <= 1e-12) {
			t.Errorf("slope %v: κ = %v, not %v", s, kappa[0], want)
		}
	}
}

// The lower bound equals the curvature up to rounding and decays no faster than necessary. It is 0 if rounding may
// exceed a twentieth of the curvature.
func TestCurvatureLowerBound_Tight(t *testing.T) {
	const u = 0x1p-53
	bound := func(l Loss, s float64) (kappa, radius, decay float64) {
		k := []float64{7}
		radius, decay = l.CurvatureLowerBoundTo(k, []float64{s}, []float64{1})
		return k[0], radius, decay
	}
	for _, s := range []float64{-0.9, -0.5, -1e-9, 0, 1e-300, 0.3, 0.999, 1 - 1e-12} {
		p := math.Abs(s)
		kappa, radius, decay := bound(Logistic{}, s)
		if !math.IsInf(radius, 1) || decay != 1 || kappa > p*(1-p) || kappa < p*(1-p)*(1-10.5*u/(1-p)) {
			t.Errorf("slope %v: κ = %v of %v, radius %v, decay %v", s, kappa, p*(1-p), radius, decay)
		}
	}
	for rest, some := range map[float64]bool{1000: true, 200: true, 199: false, 20: false, 0: false} { // of u, 1 − p
		if kappa, _, _ := bound(Logistic{}, rest*u-1); (kappa > 0) != some {
			t.Errorf("1 − p = %v u: κ = %v", rest, kappa)
		}
	}
	if kappa, radius, decay := bound(Squared{}, 7); kappa != 1 || !math.IsInf(radius, 1) || decay != 0 {
		t.Errorf("squared: %v within %v, decay %v", kappa, radius, decay)
	}
	for _, delta := range []float64{1, 0.25} {
		for s, want := range map[float64]float64{0: 1, 0.875: 1, -0.875: 1, math.Nextafter(0.875, 1): 0, 1: 0, -1: 0} {
			kappa, radius, decay := bound(Huber{Delta: delta}, s*delta)
			if kappa != want || decay != 0 || radius > delta/8 || radius < delta/8*(1-1e-11) {
				t.Errorf("Huber %v at a slope of %v: %v within %v, decay %v", delta, s*delta, kappa, radius, decay)
			}
			c := []float64{7}
			Huber{Delta: delta}.CurvatureTo(c, []float64{s * delta}, nil)
			if inside := map[bool]float64{true: 1, false: 0}[math.Abs(s) < 1]; c[0] != inside {
				t.Errorf("Huber %v at a slope of %v: curvature %v", delta, s*delta, c[0])
			}
		}
	}
	for l, want := range map[Loss][2]float64{Logistic{}: {1, 0.25}, Squared{}: {math.Inf(1), 1}, Huber{Delta: 3}: {3, 1}} {
		if l.Lipschitz() != want[0] || l.Smoothness() != want[1] {
			t.Errorf("%s: %v and %v", l.Name(), l.Lipschitz(), l.Smoothness())
		}
	}
	if p, q := probability(math.Log(3)), probability(-math.Log(3)); !(math.Abs(p-0.75) <= 1e-15) ||
		!(math.Abs(q-0.25) <= 1e-15) || probability(0) != 0.5 || probability(-800) < 0 || probability(800) != 1 {
		t.Errorf("%v and %v", p, q)
	}
}
