package solvetest

import (
	"archive/zip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

const multiclass = "../../../../shared/reference/multiclass"

// A softmaxReference is one certified optimum of multiclass.json.
type softmaxReference struct {
	Dataset       string
	Rows, Columns int
	Classes       int
	Penalty       string
	Nu, Mu        float64
	Objective     float64
}

// readMulticlass returns the rows and the classes of an .npz file of doubles and integers in C order.
func readMulticlass(t *testing.T, name string, n, d int) (*design.Dense, []int) {
	t.Helper()
	r, err := zip.OpenReader(filepath.Join(multiclass, name+".npz"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	arrays := map[string][]byte{}
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if arrays[f.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
	}
	body := func(name string) []byte {
		b := arrays[name]
		return b[10+int(binary.LittleEndian.Uint16(b[8:])):]
	}
	x, class := make([]float64, n*d), make([]int, n)
	for i := range x {
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(body("X.npy")[8*i:]))
	}
	for j := range class {
		class[j] = int(binary.LittleEndian.Uint32(body("y.npy")[4*j:]))
	}
	z := newDense(t, n, d, x)
	return z, class
}

// Every optimum of robust softmax regression that another program certified is reached, and is within
// the bounds.
func TestSoftmax_ReferenceOptima(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(multiclass, "multiclass.json"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip(err)
	}
	var references []softmaxReference
	if err != nil || json.Unmarshal(raw, &references) != nil {
		t.Fatal(err)
	}
	for _, c := range references {
		if testing.Short() && c.Dataset == "iwildcam20" {
			continue
		}
		z, class := readMulticlass(t, c.Dataset, c.Rows, c.Columns)
		o, err := losses.NewSoftmax(z, class, c.Classes)
		if err != nil {
			t.Fatal(err)
		}
		p := &Problem{Oracle: o, Dual: Simplex{Nu: c.Nu}, Primal: L2{Mu: c.Mu}}
		if c.Penalty == "chi2" {
			p.Dual = Simplex{Divergence: PearsonChi2, Nu: c.Nu}
		}
		for _, m := range []Method{nil, LBFGS{}} {
			if m == nil {
				m, _ = Choose(p)
			}
			res := drotest.Solve(t, p, m, drotest.SettingsFor(1e-10, 5000))
			t.Logf("%s %s nu %v mu %v by %s: %v, %.4g passes, %v, objective off by %.2g", c.Dataset, c.Penalty, c.Nu, c.Mu,
				m.Name(), res.Status, res.Passes, res.Elapsed, res.Objective-c.Objective)
			if !(math.Abs(res.Objective-c.Objective) <= 1e-9*c.Objective) {
				t.Errorf("%+v by %s: objective %.12g", c, m.Name(), res.Objective)
			}
			slack := 1e-11 * c.Objective // of the reference
			for _, check := range res.Trace {
				if !(check.Lower <= c.Objective+slack && check.Upper >= c.Objective-slack) {
					t.Errorf("%+v by %s: [%v, %v] misses the optimum", c, m.Name(), check.Lower, check.Upper)
				}
			}
		}
	}
}

// softmaxSample returns n rows of d columns, the last one 1, and classes that depend on them.
func softmaxSample(t *testing.T, seed uint64, n, d, classes int) (*design.Dense, []int) {
	t.Helper()
	rng := drotest.RngOf(seed)
	x, class := make([]float64, n*d), make([]int, n)
	for j := range n {
		row := x[j*d : (j+1)*d]
		for i := range row {
			row[i] = rng.NormFloat64()
		}
		row[d-1] = 1
		best := math.Inf(-1)
		for c := range classes {
			if v := 1.5*row[c%(d-1)] + 0.7*float64(c%2) + 1.5*rng.NormFloat64(); v > best {
				best, class[j] = v, c
			}
		}
	}
	z := newDense(t, n, d, x)
	return z, class
}

func newSoftmax(t *testing.T, z design.Matrix, class []int, classes int) *losses.Softmax {
	t.Helper()
	o, err := losses.NewSoftmax(z, class, classes)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// softmaxAdversaries are all kinds of adversaries on n samples.
func softmaxAdversaries(t *testing.T, n int) map[string]Dual {
	t.Helper()
	of, w := make([]int, n), make([]float64, n)
	for j := range of {
		of[j], w[j] = j%3, 0.5+float64(j%7)
	}
	groups := func(near Simplex) Dual {
		g := newGroups(t, near, w, of)
		return g
	}
	fixed, err := NewFixed(w)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]Dual{
		"none": Simplex{Divergence: PearsonChi2, Alpha: 1}, "weights": fixed, "kl": Simplex{Nu: 0.3},
		"chi2":          Simplex{Divergence: PearsonChi2, Nu: 0.5},
		"weighted kl":   Simplex{Divergence: KullbackLeibler, Nu: 0.3, Weights: w},
		"kl ball":       Simplex{Divergence: KullbackLeibler, Radius: 0.2, Weights: w},
		"chi2 ball":     Simplex{Divergence: PearsonChi2, Radius: 0.3},
		"cvar":          Simplex{Divergence: PearsonChi2, Alpha: 0.3},
		"weighted cvar": Simplex{Divergence: PearsonChi2, Alpha: 0.4, Weights: w}, "capped kl": Simplex{Alpha: 0.3, Nu: 0.2},
		"groups kl":  groups(Simplex{Divergence: KullbackLeibler, Nu: 0.1}),
		"group ball": groups(Simplex{Divergence: PearsonChi2, Radius: 0.1}),
		"group dro":  groups(Simplex{Divergence: KullbackLeibler}),
	}
}

// Softmax regression of two classes is logistic regression: with X_1 = −X_2 = x/2 the losses are the
// same, and the ridge is μ‖x‖²/4, with an intercept and without, for every adversary.
func TestSoftmax_TwoClassesAreLogistic(t *testing.T) {
	const n, d, mu = 300, 5, 0.02
	z, class := softmaxSample(t, 11, n, d, 2)
	sign := make([]float64, n)
	for j, c := range class {
		sign[j] = 2*float64(c) - 1
	}
	linear := newLinear(t, losses.Logistic{}, z, sign)
	for name, dual := range softmaxAdversaries(t, n) {
		for _, intercept := range []bool{false, true} {
			gap := 1e-8
			two := &Problem{Oracle: linear, Dual: dual, Primal: L2{Mu: mu / 2, Intercept: intercept}}
			many := &Problem{Oracle: newSoftmax(t, z, class, 2), Dual: dual,
				Primal: L2{Mu: mu, Intercept: intercept, Classes: 2}}
			first, _ := Choose(two)
			a := drotest.Solve(t, two, first, drotest.SettingsFor(gap, 3000))
			second, _ := Choose(many)
			b := drotest.Solve(t, many, second, drotest.SettingsFor(gap, 3000))
			t.Logf("%s, intercept %v: logistic %v %.12g, softmax %v %.12g in %.4g passes, gap %.2g", name, intercept, a.Status,
				a.Objective, b.Status, b.Objective, b.Passes, b.Certificate.Relative())
			if b.Status != Certified || !(math.Abs(a.Objective-b.Objective) <= 3*gap*a.Objective) ||
				!(b.Certificate.Lower <= a.Certificate.Upper) || !(a.Certificate.Lower <= b.Certificate.Upper) {
				t.Errorf("%s, intercept %v: %v: [%v, %v], logistic regression has [%v, %v]", name, intercept, b.Status,
					b.Certificate.Lower, b.Certificate.Upper, a.Certificate.Lower, a.Certificate.Upper)
			}
		}
	}
}

// Every adversary is certified for several classes, with intercepts and without; the bounds of
// different methods and those of the point alone overlap.
func TestSoftmax_EveryAdversaryIsCertified(t *testing.T) {
	const n, d, classes = 400, 6, 5
	z, class := softmaxSample(t, 12, n, d, classes)
	for name, dual := range softmaxAdversaries(t, n) {
		for _, intercept := range []bool{false, true} {
			p := &Problem{Oracle: newSoftmax(t, z, class, classes), Dual: dual,
				Primal: L2{Mu: 0.01, Intercept: intercept, Classes: classes}}
			m, _ := Choose(p)
			res := drotest.Solve(t, p, m, drotest.SettingsFor(1e-7, 3000))
			t.Logf("%s, intercept %v by %s: %v, %.4g passes, gap %.2g", name, intercept, m.Name(), res.Status, res.Passes,
				res.Certificate.Relative())
			if res.Status != Certified {
				t.Errorf("%s, intercept %v: %v, gap %.3g", name, intercept, res.Status, res.Certificate.Relative())
			}
			if len(Unmet(LBFGS{}, p)) == 0 {
				other := drotest.Solve(t, p, LBFGS{}, drotest.SettingsFor(1e-7, 3000))
				if other.Status != Certified || !(other.Certificate.Lower <= res.Certificate.Upper &&
					res.Certificate.Lower <= other.Certificate.Upper) {
					t.Errorf("%s, intercept %v by lbfgs: %v [%v, %v], by %s [%v, %v]", name, intercept, other.Status,
						other.Certificate.Lower, other.Certificate.Upper, m.Name(), res.Certificate.Lower, res.Certificate.Upper)
				}
			}
			at, err := Certify(p, res.X)
			if err != nil || !(at.Lower <= res.Certificate.Upper) || !(at.Upper >= res.Certificate.Lower) {
				t.Errorf("%s, intercept %v: of the point alone %v, %v, not %v", name, intercept, at, err, res.Certificate)
			}
		}
	}
}

// The bounds of every check hold the optimum on awkward problems: few rows, columns of unequal size,
// rare classes, and one without a row.
func TestSoftmax_BoundsHoldTheOptimum(t *testing.T) {
	rng := drotest.RngOf(13)
	certified, solves := 0, 0
	for k := range 40 {
		n, d, classes := 4+rng.IntN(60), 2+rng.IntN(4), 2+rng.IntN(4)
		sample := drotest.NewSample(rng, n, d, true)
		class := make([]int, n)
		for j := range class {
			class[j] = min(rng.IntN(classes+k%2), classes-1)
			if k%5 == 0 {
				class[j] = min(j/(n-1), classes-2) // one row of its own class, none of the last
			}
			sample.Design[j*d] *= math.Pow(10, float64(k%4))
			sample.Design[j*d+d-1] = 1
		}
		nu, mu := math.Pow(10, -2*rng.Float64()), math.Pow(10, -4*rng.Float64())
		for _, dual := range []Dual{Simplex{Nu: nu}, Simplex{Divergence: PearsonChi2, Nu: nu},
			Simplex{Divergence: PearsonChi2, Alpha: 1}, Simplex{Divergence: PearsonChi2, Alpha: 0.5}} {
			z := newDense(t, n, d, sample.Design)
			p := &Problem{Oracle: newSoftmax(t, z, class, classes), Dual: dual,
				Primal: L2{Mu: mu, Intercept: k%3 > 0, Classes: classes}}
			m, _ := Choose(p)
			fine := drotest.Solve(t, p, m, drotest.SettingsFor(1e-9, 4000))
			for _, res := range []*TestResult{fine, drotest.Solve(t, p, m, drotest.SettingsFor(1e-3, 500))} {
				if err := drotest.CheckBounds(res); err != nil {
					t.Errorf("problem %d, %T: %v", k, dual, err)
				}
				for _, check := range res.Trace {
					if !(check.Lower <= fine.Objective*(1+1e-12)) || !(check.Upper >= fine.Certificate.Lower) {
						t.Errorf("problem %d, %T: [%v, %v] misses the optimum in [%v, %v]", k, dual, check.Lower, check.Upper,
							fine.Certificate.Lower, fine.Certificate.Upper)
					}
				}
			}
			if solves++; fine.Certificate.Relative() <= 1e-6 {
				certified++
			} else {
				t.Logf("problem %d, %T, classes %d, n %d, intercept %v, mu %.2g: %v, gap %.2g after %.4g passes", k, dual, classes,
					n, k%3 > 0, mu, fine.Status, fine.Certificate.Relative(), fine.Passes)
			}
		}
	}
	if certified < solves*9/10 {
		t.Errorf("%d of %d problems are certified to 1e-6", certified, solves)
	}
}

// A result has the same bits for any number of threads, and the paper's methods, which take slopes
// of any length, agree with it.
func TestSoftmax_ThreadsAndMethods(t *testing.T) {
	const n, d, classes = 5000, 4, 3
	z, class := softmaxSample(t, 14, n, d, classes)
	p := &Problem{Oracle: newSoftmax(t, z, class, classes), Dual: Simplex{Nu: 0.5},
		Primal: L2{Mu: 0.1, Intercept: true, Classes: classes}}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one := drotest.Solve(t, p, Newton{}, drotest.SettingsFor(1e-8, 500))
	runtime.GOMAXPROCS(4)
	four := drotest.Solve(t, p, Newton{}, drotest.SettingsFor(1e-8, 500))
	if one.Status != Certified || one.Certificate != four.Certificate || !slices.Equal(one.X, four.X) {
		t.Errorf("%v with one thread, %v with four", one.Certificate, four.Certificate)
	}
	// Without second derivatives of one margin their steps are those of the theory, which are short.
	for _, c := range []struct {
		m      Method
		within float64
	}{{primaldual.FullVector{}, 0.01}, {primaldual.Stochastic{Schedule: primaldual.Theory}, 0.13},
		{primaldual.SeparableBlock{Schedule: primaldual.Theory}, 0.13}} {
		res := drotest.Solve(t, p, c.m, drotest.SettingsFor(c.within/10, 200))
		if !(res.Objective <= (1+c.within)*one.Objective) || !(res.Certificate.Lower <= one.Certificate.Upper) ||
			!(res.Certificate.Upper >= one.Certificate.Lower) {
			t.Errorf("%s: %v, objective %v in [%v, %v], not %v", c.m.Name(), res.Status, res.Objective, res.Certificate.Lower,
				res.Certificate.Upper, one.Objective)
		}
	}
}
