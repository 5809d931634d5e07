package latent

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// Targets at the ends of the numbers, and none, leave no laws, or laws whose numbers are numbers
// and whose posteriors are probabilities.
func TestLawsOfExtremeTargets(t *testing.T) {
	found := 0
	for _, scale := range []float64{1e-320, 1e-310, 1e-170, 1e-150, 1e150, 1e155, 1e200, 1e300} {
		for _, one := range []float64{0, 1, math.MaxFloat64, -math.MaxFloat64, math.Inf(1), math.NaN()} { // of one row, 0: as it is
			r, _ := mixed(t, 200, 0.3, false)
			for j := range r.Target {
				r.Target[j] *= scale
			}
			if one != 0 {
				r.Target[17] = one
			}
			single := Single(r)
			laws := map[string]*Laws{"one": single}
			if single != nil {
				laws["two"] = More(r, single)
				if laws["null"] = Null(r, single); laws["null"] != nil && laws["two"] != nil {
					laws["nearer"] = Nearer(r, laws["null"], laws["two"])
				}
			}
			for name, l := range laws {
				if l == nil {
					continue
				}
				for _, law := range l.Law {
					if v := floats.Sum(law.Coefficients) + law.Noise + law.Share; v-v != 0 || !(law.Noise > 0) {
						t.Errorf("targets of %v, one of %v, %s: laws %+v", scale, one, name, l)
					}
				}
				found++
				p, _ := l.Posterior(r.X, r.Target)
				for j := range r.Target {
					sum := 0.0
					for k := range p {
						if sum += p[k][j]; !(p[k][j] >= 0) {
							t.Errorf("targets of %v, one of %v, %s: row %d follows law %d with a probability of %v", scale, one, name, j, k, p[k][j])
							break
						}
					}
					if !(math.Abs(sum-1) < 1e-9) {
						t.Errorf("targets of %v, one of %v, %s: probabilities of row %d sum to %v", scale, one, name, j, sum)
						break
					}
				}
			}
		}
	}
	if found < 20 {
		t.Errorf("laws of %d", found)
	}
}
