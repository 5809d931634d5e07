package latent

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/design"
)

// The posterior is Bayes's rule on the densities of the laws, and the density that of
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
		{Law: []Law{{Coefficients: []float64{1, -2}, Share: 0.8}, {Coefficients: []float64{-1, 0.5}, Share: 0.2}}, Classes: true},
		{Law: []Law{{Coefficients: []float64{1, -2}, Share: 1}}, Classes: true},
		{Law: []Law{{Coefficients: []float64{1, -2}, Share: 1, Noise: 0.7}}},
		{Law: []Law{{Coefficients: []float64{1, -2}, Share: 0.7, Noise: 0.5}, {Coefficients: []float64{-1, 0.5}, Share: 0.3, Noise: 2}}},
		{Law: []Law{{Coefficients: []float64{1, -2}, Share: 0.5, Noise: 0.5}, {Coefficients: []float64{-1, 0.5}, Share: 0.3, Noise: 2}, {Coefficients: []float64{0, 1}, Share: 0.2, Noise: 1}},
			Growth: []float64{0.5, 0.1, -0.3, 0.2, 1, 0.4, 0.2, -0.6}},
	} {
		target := make([]float64, n)
		for j := range target {
			if target[j] = rng.NormFloat64(); l.Classes {
				target[j] = math.Copysign(1, target[j])
			}
		}
		p, density := l.Posterior(x, target)
		for j := range target {
			a, b := rows[j*d], rows[j*d+1]
			grown := 1.0
			if l.Growth != nil {
				log := 0.0
				for i, z := range []float64{a, b} {
					g := l.Growth[4*i : 4*i+4]
					up, down := math.Max(z, 0), math.Max(-z, 0)
					log += g[0]*(math.Log(1+up)-0.25) + g[1]*(math.Log(1+down)-0.25) + g[2]*(math.Log(0.1+up)+1.5) + g[3]*(math.Log(0.1+down)+1.5)
				}
				grown = math.Exp(log)
			}
			sum, each := 0.0, make([]float64, len(l.Law))
			for k, law := range l.Law {
				m := law.Coefficients[0]*a + law.Coefficients[1]*b
				if l.Classes {
					each[k] = law.Share / (1 + math.Exp(-target[j]*m))
				} else {
					s := law.Noise * grown
					each[k] = law.Share * math.Exp(-(target[j]-m)*(target[j]-m)/(2*s*s)) / (s * math.Sqrt(2*math.Pi))
				}
				sum += each[k]
			}
			for k := range each {
				if math.Abs(p[k][j]-each[k]/sum) > 1e-12 {
					t.Errorf("%+v, row %d: %v of law %d, want %v", l, j, p[k][j], k, each[k]/sum)
				}
			}
			if math.Abs(density[j]-math.Log(sum)) > 1e-12 {
				t.Errorf("%+v, row %d: %v, want %v", l, j, density[j], math.Log(sum))
			}
		}
	}
}
