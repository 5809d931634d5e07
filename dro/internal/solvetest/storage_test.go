package solvetest_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/design"
	dro "github.com/drotrain/drotrain/dro/internal/solvetest"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// An encoded is a table as an encoder leaves it: numeric columns, one-hot ones and
// an intercept, in numbers that single precision holds.
type encoded struct {
	n, d      int
	x, target []float64
}

func newEncoded(loss losses.Loss, n int) *encoded {
	const numeric = 4
	groups := []int{3, 7, 5}
	d := numeric + 1
	for _, levels := range groups {
		d += levels
	}
	rng := rand.New(rand.NewPCG(21, uint64(n)))
	truth := make([]float64, d)
	for k := range truth {
		truth[k] = rng.NormFloat64() / 2
	}
	e := &encoded{n: n, d: d, x: make([]float64, n*d), target: make([]float64, n)}
	for i := range n {
		r := e.x[i*d : (i+1)*d]
		for k := range numeric {
			r[k] = float64(float32(rng.NormFloat64()))
		}
		at := numeric
		for _, levels := range groups {
			r[at+rng.IntN(levels)] = 1
			at += levels
		}
		r[d-1] = 1
		m := rng.NormFloat64()
		for k, v := range r {
			m += v * truth[k]
		}
		e.target[i] = m
		if loss.Name() == "logistic" {
			e.target[i] = math.Copysign(1, m)
		}
	}
	return e
}

// storages are the matrix of e in float64, in float32 and sparse.
func (e *encoded) storages(t testing.TB) []design.Matrix {
	t.Helper()
	x32 := make([]float32, len(e.x))
	start := []int{0}
	var column []int32
	var value []float64
	for i := range e.n {
		for k, v := range e.x[i*e.d : (i+1)*e.d] {
			x32[i*e.d+k] = float32(v)
			if v != 0 {
				column, value = append(column, int32(k)), append(value, v)
			}
		}
		start = append(start, len(value))
	}
	single, err := design.NewDense32(e.n, e.d, x32)
	if err != nil {
		t.Fatal(err)
	}
	sparse, err := design.NewSparse(e.n, e.d, start, column, value)
	if err != nil {
		t.Fatal(err)
	}
	return []design.Matrix{newDense(t, e.n, e.d, e.x), single, sparse}
}

func (e *encoded) problem(t testing.TB, z design.Matrix, loss losses.Loss, dual dro.Dual) *dro.Problem {
	t.Helper()
	o := newLinear(t, loss, z, e.target)
	return &dro.Problem{Oracle: o, Dual: dual, Primal: dro.L2{Mu: 0.01, Intercept: true}}
}

// objective evaluates P(x) from the table by the textbook.
func (e *encoded) objective(loss losses.Loss, dual dro.Dual, x []float64) float64 {
	f := make([]float64, e.n)
	for i := range f {
		m := 0.0
		for k, v := range x {
			m += e.x[i*e.d+k] * v
		}
		switch r := math.Abs(m - e.target[i]); {
		case loss.Name() == "logistic":
			f[i] = math.Log1p(math.Exp(-math.Abs(m))) + max(0, -m*e.target[i])
		case loss.Name() == "huber" && r > 1:
			f[i] = r - 0.5
		default:
			f[i] = r * r / 2
		}
	}
	phi := 0.0
	for _, v := range x[:e.d-1] {
		phi += 0.01 / 2 * v * v
	}
	n := float64(e.n)
	switch d := dual.(dro.Simplex); d.Divergence {
	case dro.KullbackLeibler: // ν log mean exp(f/ν)
		top, s := slices.Max(f), 0.0
		for _, v := range f {
			s += math.Exp((v - top) / d.Nu)
		}
		return phi + top + d.Nu*math.Log(s/n)
	case dro.PearsonChi2: // r_j = (f_j − level)₊/ν of mean 1: the level from which losses have weight
		sorted := slices.Clone(f)
		slices.Sort(sorted)
		slices.Reverse(sorted)
		level, s := 0.0, 0.0
		for k, v := range sorted {
			s += v
			if l := (s - n*d.Nu) / float64(k+1); l < v {
				level = l // Σ (f_j − l)/ν = n over the k+1 largest
			}
		}
		risk := 0.0
		for _, v := range f {
			r := max(0, v-level) / d.Nu
			risk += (r*v - d.Nu/2*(r-1)*(r-1)) / n
		}
		return phi + risk
	}
	panic("no such dual")
}

var (
	storedLosses = []losses.Loss{losses.Logistic{}, losses.Squared{}, losses.Huber{Delta: 1}}
	storedDuals  = []dro.Dual{dro.Simplex{Nu: 1}, dro.Simplex{Divergence: dro.PearsonChi2, Nu: 0.5}}
)

func storedMethods() []dro.Method {
	return []dro.Method{dro.Newton{}, dro.Newton{Products: true}, dro.Newton{}, dro.LBFGS{}, primaldual.SeparableBlock{}}
}

// The same numbers in another storage have the same optimum, and every method
// certifies it. What is certified of the single and the sparse storage holds of the
// table in double precision: the objective as the textbook has it, and the bounds of
// a certificate over the dense float64 matrix at the same point.
func TestStorages_SameOptimum(t *testing.T) {
	const n, gap, rounding = 1500, 1e-9, 1e-13
	for _, loss := range storedLosses {
		e := newEncoded(loss, n)
		all := e.storages(t)
		for _, dual := range storedDuals {
			s := dro.DefaultSettings()
			s.RelativeGap = gap
			reference := e.problem(t, all[0], loss, dual)
			best, err := dro.SolveBy(context.Background(), reference, dro.Newton{}, s)
			if err != nil || best.Status != dro.Certified {
				t.Fatalf("%s %#v: %v, %v", loss.Name(), dual, err, best.Status)
			}
			for _, z := range all {
				for _, m := range storedMethods() {
					what := fmt.Sprintf("%T %s %#v %s", z, loss.Name(), dual, m.Name())
					res, err := dro.SolveBy(context.Background(), e.problem(t, z, loss, dual), m, s)
					if err != nil || res.Status != dro.Certified {
						t.Fatalf("%s: %v, %+v", what, err, res)
					}
					if c := res.Certificate; c.Lower > best.Certificate.Upper || c.Upper < best.Certificate.Lower {
						t.Errorf("%s: [%v, %v] misses the optimum in [%v, %v]", what, c.Lower, c.Upper, best.Certificate.Lower,
							best.Certificate.Upper)
					}
					if p := e.objective(loss, dual, res.X); !(math.Abs(p-res.Objective) <= rounding*p) {
						t.Errorf("%s: objective %v, by the textbook %v", what, res.Objective, p)
					}
					again, err := dro.Certify(reference, res.X)
					if err != nil || !(math.Abs(again.Upper-res.Certificate.Upper) <= rounding*again.Upper) ||
						again.Lower > res.Certificate.Upper {
						t.Errorf("%s: %v; [%v, %v] over the matrix in float64, upper bound %v", what, err, again.Lower, again.Upper,
							res.Certificate.Upper)
					}
				}
			}
		}
	}
}

// The threads change no bit, whatever the storage.
func TestStorage_ThreadsChangeNoBit(t *testing.T) {
	const n = 5000 // two shards
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for i, loss := range storedLosses {
		e := newEncoded(loss, n)
		dual := storedDuals[i%2]
		for _, z := range e.storages(t) {
			for _, m := range storedMethods() {
				var res [2]*dro.TestResult
				for k, threads := range []int{1, 8} {
					runtime.GOMAXPROCS(threads)
					var err error
					if res[k], err = dro.SolveBy(context.Background(), e.problem(t, z, loss, dual), m,
						dro.DefaultSettings()); err != nil {
						t.Fatal(err)
					}
				}
				a, b := res[0], res[1]
				if !slices.Equal(a.X, b.X) || !slices.Equal(a.Weights, b.Weights) || a.Certificate != b.Certificate ||
					a.Passes != b.Passes || a.Iterations != b.Iterations {
					t.Errorf("%T %s %s: %v and %v, %v and %v with 1 and 8 threads", z, loss.Name(), m.Name(), a.Certificate,
						b.Certificate, a.X, b.X)
				}
			}
		}
	}
}
