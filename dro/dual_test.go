package dro_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// raised has the risk of a dro.KL, and 1 more.
type raised struct{ dro.KL }

func (d raised) Value(y []float64) float64 { return d.KL.Value(y) - 1 }

func (d raised) BestResponseTo(y, f []float64) (risk, tau float64) {
	risk, tau = d.KL.BestResponseTo(y, f)
	return risk + 1, tau
}

// A dual that embeds a set of this package and changes its methods is not taken for that set.
func TestSolve_EmbeddedSetKeepsItsMethods(t *testing.T) {
	for _, d := range []dro.Dual{raised{}, &raised{}} {
		if of, err := dro.DualOf(d, 1); reflect.TypeOf(of) != reflect.TypeOf(d) || err != nil {
			t.Errorf("%T: a %T, %v", d, of, err)
		}
	}
	if of, err := dro.DualOf((*dro.KL)(nil), 1); of != nil || err != nil {
		t.Errorf("a nil pointer: %v, %v", of, err)
	}
}

// The weights of Result.Dual are in the set, and their own problem has no optimum below Lower.
func TestSolve_DualProvesLower(t *testing.T) {
	const n, d = 60, 4
	rng := rand.New(rand.NewPCG(3, 9))
	rows, target := make([]float64, n*d), make([]float64, n)
	group := make([]int32, n)
	for j := range n {
		for i := range d - 1 {
			rows[j*d+i] = rng.NormFloat64()
		}
		rows[j*d+d-1] = 1
		group[j] = int32(rng.IntN(3))
		target[j] = 1
		if rng.Float64() > 1/(1+math.Exp(-2*rows[j*d])) {
			target[j] = -1
		}
	}
	z, err := design.NewDense(n, d, rows)
	if err != nil {
		t.Fatal(err)
	}
	oracle, err := losses.NewLinear(losses.Logistic{}, z, target)
	if err != nil {
		t.Fatal(err)
	}
	methods := []dro.Method{dro.Newton{}, dro.LBFGS{}, primaldual.FullVector{}, primaldual.Stochastic{},
		primaldual.SeparableBlock{}}
	proved := map[string]int{}
	for _, dual := range []dro.Dual{
		dro.KL{Nu: 0.5}, dro.ChiSquare{Nu: 0.5}, dro.Ball{Radius: 0.05}, dro.Ball{Radius: 0.05, Divergence: dro.PearsonChi2},
		dro.Ball{Radius: 0.05, Divergence: dro.TotalVariation}, dro.CVaR{Alpha: 0.8}, dro.KL{}, dro.KL{Nu: 1e-3},
		dro.Groups{Of: [][]int32{group}}, dro.Groups{Of: [][]int32{group},
			Near: dro.Ball{Nu: 0.1, Radius: math.Inf(1)}}, dro.Uniform{},
		dro.Spectral{Spectrum: dro.Spectrum{Kind: dro.Extremile, Param: 1.5}},
	} {
		for _, intercept := range []bool{false, true} {
			for _, method := range methods {
				p := &dro.Problem{Oracle: oracle, Dual: dual, Primal: dro.L2{Mu: 0.05, Intercept: intercept, FreeModulus: 0.25}}
				r, err := dro.Solve(t.Context(), p, &dro.Options{Method: method, KeepDual: true, MaxPasses: 300})
				if err != nil || r.Dual == nil { // the method does not solve the problem, or proves 0 alone
					continue
				}
				name := fmt.Sprintf("%s, %T %+v, intercept %v", method.Name(), dual, dual, intercept)
				proved[method.Name()]++
				fixed := *p
				fixed.Dual = dro.Fixed{Weights: r.Dual}
				own, err := dro.Solve(t.Context(), &fixed, &dro.Options{RelativeGap: 1e-10})
				if err != nil {
					t.Fatal(name, err)
				}
				if lower := own.Certificate.Upper - dual.Value(r.Dual); !(lower >= r.Certificate.Lower-1e-9) {
					t.Errorf("%s: the weights prove %v, and Lower is %v", name, lower, r.Certificate.Lower)
				}
				y, f := make([]float64, n), make([]float64, n)
				for range 20 { // outside of the set some losses give the weights more than the best response
					value := -dual.Value(r.Dual)
					for j := range f {
						f[j] = rng.ExpFloat64()
						value += r.Dual[j] * f[j]
					}
					if risk, _ := dual.BestResponseTo(y, f); !(value <= risk+1e-8) {
						t.Errorf("%s: the weights gain %v, and the best response %v", name, value, risk)
						break
					}
				}
			}
		}
	}
	for _, m := range methods {
		if proved[m.Name()] < 3 {
			t.Errorf("%s: only %d problems with weights", m.Name(), proved[m.Name()])
		}
	}
}

// The methods of a set panic with the error that Solve returns.
func TestSets_MethodsPanicIfInvalid(t *testing.T) {
	weights := []float64{1, -2, 3}
	for want, d := range map[string]dro.Dual{
		"dro: ν is -1; it must be finite and ≥ 0":                      dro.KL{Nu: -1},
		"dro: α is 2; it must be in (0, 1]":                            dro.ChiSquare{Nu: 1, Alpha: 2},
		"dro: the weight of sample 1 is -2; it must be finite and ≥ 0": dro.Ball{Radius: 1, Weights: weights},
		"dro: there are 2 weights for 3 samples":                       dro.Fixed{Weights: weights[:2]},
		"dro: there are 4 weights for 3 samples": dro.CVaR{Alpha: 0.5,
			Weights: make([]float64, 4)},
		"dro: Groups.Of has the groups of 2 samples, but there are 3 samples": dro.Groups{Of: [][]int32{{0, 1}}},
	} {
		for name, call := range map[string]func(){
			"BestResponseTo": func() { d.BestResponseTo(make([]float64, 3), []float64{1, 2, 3}) },
			"Value":          func() { d.Value([]float64{0.2, 0.3, 0.5}) },
		} {
			func() {
				defer func() {
					if err, ok := recover().(error); !ok || err.Error() != want {
						t.Errorf("%s of %+v: %v, want %q", name, d, err, want)
					}
				}()
				call()
			}()
		}
	}
}
