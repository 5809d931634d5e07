package solvetest_test

import (
	"context"
	"math"
	"sync/atomic"
	"testing"

	dro "github.com/drotrain/drotrain/dro/internal/solvetest"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// Without a penalty the best response is a vertex and proves little; the
// separable method's own weights, projected on the dual set, prove more.
func TestSeparable_CertifiesWithOwnWeights(t *testing.T) {
	p := &dro.Problem{Oracle: sample(t, losses.Huber{Delta: 1}, 64, 2),
		Dual: dro.Simplex{Divergence: dro.PearsonChi2, Alpha: 0.5}, Primal: dro.L2{Mu: 0.5}}
	s := dro.DefaultSettings()
	s.MaxPasses, s.RelativeGap = 3000, 0.05
	exact, err := dro.SolveBy(context.Background(), p, dro.Newton{}, dro.DefaultSettings())
	if err != nil || exact.Status != dro.Certified {
		t.Fatal(err, exact)
	}
	res := solveBy(t, p, primaldual.SeparableBlock{Block: 8, Schedule: primaldual.Theory}, s)
	holds(t, res, exact.Objective)
	if res.Status != dro.Certified {
		t.Errorf("%v after %.4g passes: relative gap %.3g", res.Status, res.Passes, res.Certificate.Relative())
	}
	t.Logf("%v after %.4g passes: relative gap %.3g", res.Status, res.Passes, res.Certificate.Relative())
}

// gramCounted counts the rows of Gram matrices.
type gramCounted struct {
	*losses.Linear
	rows *atomic.Int64
}

func (o gramCounted) AddGramTo(dst, weight []float64, lo, hi int) {
	o.rows.Add(int64(hi - lo))
	o.Linear.AddGramTo(dst, weight, lo, hi)
}

// Certify takes of the rows as many as cost ten passes, no more, where a Hessian of all is dearer.
func TestCertify_Passes(t *testing.T) {
	const n, d = 500, 400
	o := gramCounted{sample(t, losses.Logistic{}, n, d), new(atomic.Int64)}
	if _, err := dro.Certify(&dro.Problem{Oracle: o, Dual: dro.Simplex{Nu: 10}, Primal: dro.L2{Mu: 0.1}},
		make([]float64, d)); err != nil {
		t.Fatal(err)
	}
	pass, gram := o.Work()
	cost := float64(o.rows.Load()) / n * (1 + gram/pass)
	if cost > 10 || cost < 9.9 {
		t.Errorf("%d of %d rows, at the cost of %.4g passes, of %.4g for all", o.rows.Load(), n, cost, 1+gram/pass)
	}
}

// Certify proves from the point alone what a solve proves on its way there.
func TestCertify_AgreesWithSolve(t *testing.T) {
	p := &dro.Problem{Oracle: sample(t, losses.Logistic{}, 500, 3), Dual: dro.Simplex{Nu: 1}, Primal: dro.L2{Mu: 0.1}}
	res := solveBy(t, p, dro.Newton{}, dro.DefaultSettings())
	c, err := dro.Certify(p, res.X)
	if err != nil {
		t.Fatal(err)
	}
	if c.Upper != res.Certificate.Upper || c.Lower > res.Certificate.Upper || c.Relative() > 1e-6 {
		t.Errorf("%+v, the solve %+v", c, res.Certificate)
	}
	if last := res.Trace[len(res.Trace)-1]; last.Certificate != res.Certificate {
		t.Errorf("the trace ends with %+v, the result is %+v", last.Certificate, res.Certificate)
	}
	for _, bad := range [][]float64{{1}, {1, 2, math.NaN()}} {
		if _, err := dro.Certify(p, bad); err == nil {
			t.Errorf("%v certified", bad)
		}
	}
	if far, err := dro.Certify(p, []float64{100, -100, 50}); err != nil ||
		!(far.Lower <= res.Objective && res.Objective <= far.Upper) {
		t.Errorf("%+v, %v: the optimum is %v", far, err, res.Objective)
	}
}
