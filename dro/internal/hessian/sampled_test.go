package hessian

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/losses"
	"gonum.org/v1/gonum/mat"
)

// The Hessian of a sample is close to that of all, in the geometry of the latter, and
// nearer by about the root of the number of samples it takes; it is positive definite, and costs their share of a
// pass.
func TestThinnedHessian(t *testing.T) {
	rng := drotest.RngOf(102)
	const n, d = 30_000, 6
	plain, uneven := drotest.NewSample(rng, n, d, false), drotest.NewSample(rng, n, d, false)
	for j := range n { // some rows are longer, which their weights do not tell
		if rng.IntN(500) == 0 {
			for i := range d {
				uneven.Design[j*d+i] *= 4
			}
		}
	}
	for _, c := range []struct {
		drotest.Sample
		counts []int
	}{{plain, []int{600, 9600}}, {uneven, []int{2400, 9600}}} {
		thinned(t, c.Sample, c.counts)
	}
}

func thinned(t *testing.T, s drotest.Sample, counts []int) {
	rng := drotest.RngOf(106)
	n, d := s.N, s.D
	sum, squares := 0.0, 0.0 // of ‖z‖²: rows of unequal length make estimates vary
	for j := range n {
		z := s.Design[j*d : (j+1)*d]
		length := vec.Dot(z, z)
		sum += length
		squares += length * length
	}
	kurtosis := float64(n) * squares / (sum * sum)
	for _, l := range []losses.Loss{losses.Logistic{}, losses.Squared{}, losses.Huber{Delta: 0.5}} {
		for _, dual := range []saddle.Dual{side.Simplex{Nu: 1}, side.Simplex{Nu: 0.2}, side.Simplex{Divergence: side.PearsonChi2, Nu: 1}, side.Simplex{Divergence: side.PearsonChi2, Nu: 0.1}, side.Simplex{Divergence: side.PearsonChi2, Alpha: 1}} {
			p := &saddle.Problem{Oracle: s.Oracle(t, l), Dual: dual, Primal: side.L2{Mu: 1e-4}}
			c := saddle.NewCertifier(p)
			c.Evaluate(drotest.Normals(rng, d, 0.3))
			full := NewFactored(p, false, c.Evaluator)
			full.Update(c.Y, c.Slope)
			var root mat.Cholesky
			if !root.Factorize(full.Matrix) {
				t.Fatal("the Hessian is not positive definite")
			}
			before := math.Inf(1)
			for _, count := range counts {
				part := NewFactored(p, false, c.Evaluator)
				part.Samples = count
				passes := c.Passes
				part.Update(c.Y, c.Slope)
				used := c.Passes - passes
				if used < 0.99*float64(count)/float64(n) || used > 1 {
					t.Errorf("%v, %#v: %d samples cost %v passes", l.Name(), dual, count, used)
				}
				if used == 1 {
					continue
				}
				var factor mat.Cholesky
				if !factor.Factorize(part.Matrix) {
					t.Fatalf("%v, %#v: the Hessian of %d samples is not positive definite", l.Name(), dual, count)
				}
				// The largest relative error along some directions.
				worst := 0.0
				for range 200 {
					v := mat.NewVecDense(d, drotest.Normals(rng, d, 1))
					worst = max(worst, math.Abs(mat.Inner(v, part.Matrix, v)/mat.Inner(v, full.Matrix, v)-1))
				}
				law := math.Sqrt(kurtosis * float64(d) / float64(count))
				if worst > 7*law || worst > law && worst > 2*law*before { // far below the law all that counts is certain
					t.Errorf("%v, %#v: error %.3g of %d samples, at most %.3g and %.3g expected", l.Name(), dual, worst, count, 7*law, 2*law*before)
				}
				before = worst / law
			}
		}
	}
}

// A Hessian of one sample is that of one sample, and costs no pass.
func TestHessianOfOneSample(t *testing.T) {
	o := drotest.NewSample(drotest.RngOf(111), 5000, 3, false).Oracle(t, losses.Logistic{})
	p := &saddle.Problem{Oracle: o, Dual: side.Simplex{Nu: 0.3}, Primal: side.L2{Mu: 0.01}}
	c := saddle.NewCertifier(p)
	c.Evaluate(make([]float64, 3))
	m := NewFactored(p, false, c.Evaluator)
	m.Samples = 1
	before := c.Passes
	if err := m.Update(c.Y, c.Slope); err != nil || c.Passes-before > 0.5 {
		t.Errorf("%v after %v passes", err, c.Passes-before)
	}
}
