package latent

import (
	"math"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/design"
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

// Features at the ends of the numbers, of one column or of all, and rows of which one has all the
// weight, leave no laws, or laws of numbers: of two classes as well.
func TestLawsOfExtremeFeatures(t *testing.T) {
	none, found := 0, 0
	for _, scale := range []float64{0, 1e-310, 1e-160, 1, 1e100, 1e155, 1e200, 1e307} {
		for _, columns := range []int{1, 4} {
			for _, heavy := range []float64{1, 1e-300, 1e300, math.Inf(1)} {
				for _, binary := range []bool{false, true} {
					r, _ := mixed(t, 90, 0.3, binary)
					z := make([]float64, 4*90)
					for j := range r.Target {
						row := z[4*j : 4*j+4]
						r.X.RowTo(row, j)
						floats.Scale(scale, row[:columns])
					}
					var err error
					if r.X, err = design.NewDense(90, 4, z); err != nil {
						t.Fatal(err)
					}
					if r.Weight = slices.Repeat([]float64{1}, 90); heavy != 1 {
						r.Weight[7] = heavy
					}
					single := Single(r)
					laws := []*Laws{single}
					if single != nil {
						more, null := More(r, single), Null(r, single)
						if laws = append(laws, more, null); more != nil && null != nil {
							laws = append(laws, Nearer(r, null, more))
						}
					}
					for _, l := range laws {
						if l == nil {
							none++
							continue
						}
						found++
						for _, law := range l.Law {
							if v := floats.Sum(law.Coefficients) + law.Noise + law.Share; v-v != 0 || law.Noise < 0 || !(law.Share > 0) {
								t.Errorf("features of %v in %d columns, a weight of %v, classes %v: %+v", scale, columns, heavy, binary, law)
							}
						}
					}
				}
			}
		}
	}
	if none < 20 || found < 100 {
		t.Errorf("%d laws are found, and %d are not", found, none)
	}
}
