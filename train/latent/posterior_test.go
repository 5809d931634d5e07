package latent

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/design"
)

// The posterior is Bayes's rule on the densities of the two laws, and the density that of
// their mixture.
func TestPosterior(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 1))
	const n, d = 40, 2
	rows := make([]float64, n*d)
	for i := range rows {
		rows[i] = rng.NormFloat64()
	}
	x, err := design.NewDense(n, d, rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []*Laws{
		{Common: []float64{1, -2}, Other: []float64{-1, 0.5}, Share: 0.2},
		{Common: []float64{1, -2}, Other: []float64{-1, 0.5}, Share: 0},
		{Common: []float64{1, -2}, Other: []float64{-1, 0.5}, Share: 0.3, Noise: []float64{0.5, 2}},
	} {
		target := make([]float64, n)
		for j := range target {
			if target[j] = rng.NormFloat64(); l.Noise == nil {
				target[j] = math.Copysign(1, target[j])
			}
		}
		p, density := l.Posterior(x, target)
		of := func(law int, w []float64, j int) float64 {
			m := w[0]*rows[j*d] + w[1]*rows[j*d+1]
			if l.Noise == nil {
				return 1 / (1 + math.Exp(-target[j]*m))
			}
			s := l.Noise[law]
			return math.Exp(-(target[j]-m)*(target[j]-m)/(2*s*s)) / (s * math.Sqrt(2*math.Pi))
		}
		for j := range target {
			a, b := (1-l.Share)*of(0, l.Common, j), l.Share*of(1, l.Other, j)
			if math.Abs(p[j]-b/(a+b)) > 1e-12 || math.Abs(density[j]-math.Log(a+b)) > 1e-12 {
				t.Errorf("share %v, row %d: %v and %v, want %v and %v", l.Share, j, p[j], density[j], b/(a+b), math.Log(a+b))
			}
		}
	}
}
