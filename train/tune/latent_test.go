package tune

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/level"
)

// A hidden subgroup of another slope is found, the risk of its rows on unseen rows falls by
// more than a third, and the estimate says so beforehand.
func TestHiddenSubgroupIsHelped(t *testing.T) {
	seen, unseen := table(t, 2400, 0.12, false), table(t, 5001, 0.12, true)
	s := choose(t, seen, DefaultOptions())
	if s.Criterion != "subgroup" || s.Best().Family != "latent" || math.Abs(s.Subgroup.Share-0.12) > 0.03 {
		t.Fatalf("criterion %s, chosen %s, subgroup %+v", s.Criterion, s.Best().Name, s.Subgroup)
	}
	risk := func(c *Candidate) float64 {
		train := *seen
		train.Latent, _ = seen.Laws(0).Posterior(seen.X, seen.Target)
		x, _, err := train.Solve(t.Context(), c.Level, nil)
		if err != nil {
			t.Fatal(err)
		}
		loss, err := unseen.losses(x)
		if err != nil {
			t.Fatal(err)
		}
		sum, count := 0.0, 0.0
		for j, g := range unseen.Group {
			sum += float64(g) * loss[j]
			count += float64(g)
		}
		return sum / count
	}
	plain, chosen := risk(&s.Candidates[0]), risk(s.Best())
	if !(chosen < plain*2/3) {
		t.Errorf("the hidden rows: %v by the plain average, %v by the choice", plain, chosen)
	}
	if v := *s.Best().WorstGroup; math.Abs(v/chosen-1) > 0.25 {
		t.Errorf("the worse law's risk estimated at %v, %v on unseen rows", v, chosen)
	}
}

// None of what looks like a second law to a mixture is taken for a hidden subgroup: heavy
// tails, skewed noise, noise that grows with a feature, curves, and two lines that the
// features tell apart.
func TestNoSubgroupWhereThereIsOneLaw(t *testing.T) {
	const n, d = 2400, 5
	for name, of := range map[string]func(x []float64, rng *rand.Rand) float64{
		"normal": func(x []float64, rng *rand.Rand) float64 { return x[0] + x[1] + 0.3*rng.NormFloat64() },
		"heavy tails": func(x []float64, rng *rand.Rand) float64 {
			return x[0] + x[1] + 0.3*rng.NormFloat64()/math.Sqrt(rng.ExpFloat64())
		},
		"skewed": func(x []float64, rng *rand.Rand) float64 {
			return math.Exp(0.4*x[0] + 0.4*x[1] + 0.6*rng.NormFloat64())
		},
		"growing noise": func(x []float64, rng *rand.Rand) float64 { return x[0] + x[1] + math.Abs(x[0])*rng.NormFloat64() },
		"a curve":       func(x []float64, rng *rand.Rand) float64 { return x[0] + x[1]*x[1]/2 + 0.3*rng.NormFloat64() },
		"a product":     func(x []float64, rng *rand.Rand) float64 { return x[0] + x[1]*x[2] + 0.3*rng.NormFloat64() },
		"a sine":        func(x []float64, rng *rand.Rand) float64 { return math.Sin(2*x[0]) + x[1] + 0.2*rng.NormFloat64() },
		"two regions": func(x []float64, rng *rand.Rand) float64 {
			slope := 1.0
			if x[2] > 1 {
				slope = -1
			}
			return slope*x[0] + x[1] + 0.2*rng.NormFloat64()
		},
	} {
		rng := rand.New(rand.NewPCG(1, 9))
		z, target := make([]float64, n*d), make([]float64, n)
		for j := range target {
			row := z[j*d : (j+1)*d]
			for k := range row {
				row[k] = rng.NormFloat64()
			}
			row[d-1] = 1
			target[j] = of(row, rng)
		}
		x, err := design.NewDense(n, d, z)
		if err != nil {
			t.Fatal(err)
		}
		a := &Table{Rows: level.Rows{N: n}, X: x, Target: target, Loss: losses.Squared{}, Primal: dro.L2{Mu: 1. / n, Intercept: true, FreeModulus: 1}}
		fold, err := a.Folds(3, 0)
		if err != nil {
			t.Fatal(err)
		}
		s, _, err := a.subgroup(t.Context(), fold, 3, 0)
		if err != nil {
			t.Fatal(err)
		}
		if s == nil || s.Found {
			t.Errorf("%s: %+v", name, s)
		}
		t.Logf("%s: %+v", name, s)
	}
}
