package bound

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/internal/goldentest"
	"github.com/drotrain/drotrain/losses"
)

// What bounds from the curvature are made of, of all samples and of some, is recorded to six
// digits: the weights, the minorant with what rounding may have done to it, the radius at each
// of its ways to be had, what lacks, and what all of that spends.
func TestBoundsAsRecorded(t *testing.T) {
	rng := drotest.RngOf(141)
	var out strings.Builder
	for k, l := range []losses.Loss{losses.Logistic{}, losses.Squared{}, losses.Huber{Delta: 1}} {
		n, d := []int{900, 60, 400}[k], []int{4, 3, 6}[k]
		s := drotest.NewSample(rng, n, d, true)
		for j := range n {
			s.Design[j*d] *= math.Pow(10, float64(j%5-2))
		}
		weights := make([]float64, n)
		for j := range weights {
			weights[j] = float64(rng.IntN(3))
		}
		x := drotest.Normals(rng, d, 0.005)
		for i, dual := range []saddle.Dual{side.KL{Nu: 5}, side.ChiSquare{Nu: 3}, side.Uniform{}, side.KL{Nu: 0.3}, side.KL{Nu: 0.02}, side.ChiSquare{Nu: 0.2}, side.Uniform{}, side.NewBall(side.KullbackLeibler, 0.1, weights), side.CappedKL{Alpha: 0.3, Nu: 0.1}} {
			p := &saddle.Problem{Oracle: s.Oracle(t, l), Dual: dual, Primal: side.L2{Mu: []float64{2, 20, 50, 0.01}[min(i, 3)]}}
			fmt.Fprintf(&out, "%s, %d × %d, %s %v\n", l.Name(), n, d, strings.TrimPrefix(fmt.Sprintf("%T", dual), "side."), dual.Modulus())
			for _, count := range []int{n / 10, n / 2, n} {
				for _, most := range []float64{0, 100} {
					c := saddle.NewCertifier(p)
					c.Evaluate(x)
					lacking := FromCurvature(c, count, n, most)
					fmt.Fprintf(&out, "  of %d, %v passes: %.6g lacking, gap %.6g of %.6g, shortfall %.6g, %.5g passes, affordable %d\n", count, most, lacking, c.Best.Gap(), c.Best.Upper, shortfall(c), c.Passes, Affordable(c, 2))
				}
				c := saddle.NewCertifier(p)
				c.Evaluate(x)
				o, rows, weight, radius, decay, ok := weightsOf(c, p.Oracle.(saddle.CurvatureBoundedBelow), count, n)
				if !ok {
					out.WriteString("  no samples to bound it by\n")
					continue
				}
				ridge := saddle.RidgeOf(p.Primal, d)
				f := newMinorant(o, rows, ridge, append([]float64(nil), weight...), c.Exact.Empty)
				fmt.Fprintf(&out, "  weights of %.6g in all, largest %.6g, of %d, radius %.6g, decay %.6g\n", vec.Sum(weight), slices.Max(weight), len(weight), radius, decay)
				if f == nil {
					out.WriteString("  no minorant\n")
					continue
				}
				fmt.Fprintf(&out, "  scale %.6g, perturbed by %.6g, least %.6g, inflated by %.6g, norm %.6g\n", f.scale, f.perturbed, f.least, f.inflate-1, f.norm(drotest.Normals(drotest.RngOf(1), d, 1), drotest.Normals(drotest.RngOf(2), d, 1e-3)))
				for _, within := range []float64{1e-3, 1, 30, 1e4} {
					for _, most := range []float64{0, 1e9} {
						rho, lacking := f.radius(c, o, weight, within, most)
						fmt.Fprintf(&out, "  radius within %v: %.6g, %.6g lacking, %.5g passes\n", within, rho, lacking, c.Passes)
					}
				}
			}
		}
	}
	goldentest.Text(t, "testdata/recorded.txt", out.String())
}
