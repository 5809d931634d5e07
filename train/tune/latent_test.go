package tune

import (
	"math"
	"math/rand/v2"
	"reflect"
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
		train.Latent, _ = seen.Laws(1).Posterior(seen.X, seen.Target)
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

// A hidden subgroup whose features are shifted is found although they say something of who
// is in it: no curve predicts its rows as two laws do.
func TestShiftedSubgroupIsFound(t *testing.T) {
	const n, d = 1900, 4
	for _, classes := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(2, 9))
		n := n
		a := &Table{Loss: losses.Squared{}}
		if classes {
			n, a.Loss = 2*n, losses.Logistic{}
		}
		z := make([]float64, n*d)
		a.Target = make([]float64, n)
		for j := range a.Target {
			row := z[j*d : (j+1)*d]
			for k := range row {
				row[k] = rng.NormFloat64()
			}
			row[d-1] = 1
			m := row[0] + row[2]
			if rng.Float64() < 0.2 {
				row[1]++
				row[2]++
				m = row[2] - row[0]
			}
			if a.Target[j] = m + 0.3*rng.NormFloat64(); classes {
				if a.Target[j] = -1; rng.Float64() < 1/(1+math.Exp(-4*m)) {
					a.Target[j] = 1
				}
			}
		}
		x, err := design.NewDense(n, d, z)
		if err != nil {
			t.Fatal(err)
		}
		a.Rows, a.X, a.Primal = level.Rows{N: n}, x, dro.L2{Mu: 1 / float64(n), Intercept: true, FreeModulus: a.Loss.Smoothness()}
		fold, err := a.Folds(3, 0)
		if err != nil {
			t.Fatal(err)
		}
		s, _, err := a.subgroup(t.Context(), fold, 3)
		if err != nil {
			t.Fatal(err)
		}
		if s == nil || !s.Found || math.Abs(s.Share-0.2) > 0.08 || math.Abs(s.Noise-1) > 0.1 || !classes && !(s.Explained > mostExplained && s.OverCurve > 10) {
			t.Errorf("classes %v: %+v", classes, s)
		}
		t.Logf("classes %v: %+v", classes, s)
	}
}

// Of two classes, whose rows are a probability of their features alone, a curve is one law,
// though rows not fitted say of two lines that they are likelier than one.
func TestNoSubgroupOfClassesOnACurve(t *testing.T) {
	const n, d = 2400, 4
	rng := rand.New(rand.NewPCG(3, 9))
	a := &Table{Loss: losses.Logistic{}, Target: make([]float64, n)}
	z := make([]float64, n*d)
	for j := range a.Target {
		row := z[j*d : (j+1)*d]
		for k := range row {
			row[k] = rng.NormFloat64()
		}
		row[d-1] = 1
		a.Target[j] = -1
		if m := row[0] + row[1] + row[2] + row[0]*row[0] + math.Sin(2*row[1]); rng.Float64() < 1/(1+math.Exp(-2*m)) {
			a.Target[j] = 1
		}
	}
	x, err := design.NewDense(n, d, z)
	if err != nil {
		t.Fatal(err)
	}
	a.Rows, a.X, a.Primal = level.Rows{N: n}, x, dro.L2{Mu: 1. / n, Intercept: true, FreeModulus: a.Loss.Smoothness()}
	fold, err := a.Folds(3, 0)
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := a.subgroup(t.Context(), fold, 3)
	if err != nil || s == nil || s.Found || !(s.Evidence > leastEvidence && s.Agreement > leastAgree && s.Explained < mostShifted && s.OverCurve < 0) {
		t.Errorf("%+v, %v", s, err)
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
		s, _, err := a.subgroup(t.Context(), fold, 3)
		if err != nil {
			t.Fatal(err)
		}
		if s == nil || s.Found {
			t.Errorf("%s: %+v", name, s)
		}
		t.Logf("%s: %+v", name, s)
	}
}

// Where features say something of who follows another slope, as one that turns it nearly for
// sure, the product of both is a law of its own, and no subgroup is found beside it.
func TestNoSubgroupBesideAProduct(t *testing.T) {
	a := drawn(t, 1000, 6, func(x []float64, rng *rand.Rand) (float64, int32) {
		slope := 1.0
		if x[2]+0.5*rng.NormFloat64() > 0.7 {
			slope = -1
		}
		return slope*x[0] + x[1] + 0.45*rng.NormFloat64(), 0
	})
	fold, err := a.Folds(3, 0)
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := a.subgroup(t.Context(), fold, 3)
	if err != nil || s == nil || s.Found || !s.enough() || s.Explained <= mostExplained || s.OverCurve == 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

// drawn are rows of four normal features and a constant with targets of a function, which says
// of every row whose it is, too.
func drawn(t *testing.T, n int, seed uint64, of func(x []float64, rng *rand.Rand) (y float64, group int32)) *Table {
	t.Helper()
	const d = 5
	rng := rand.New(rand.NewPCG(seed, 9))
	z, a := make([]float64, n*d), &Table{Rows: level.Rows{N: n}, Target: make([]float64, n), Loss: losses.Squared{}, Primal: dro.L2{Mu: 1 / float64(n), Intercept: true, FreeModulus: 1}}
	a.Group = make([]int32, n)
	for j := range a.Target {
		row := z[j*d : (j+1)*d]
		for k := range row {
			row[k] = rng.NormFloat64()
		}
		row[d-1] = 1
		a.Target[j], a.Group[j] = of(row, rng)
	}
	var err error
	if a.X, err = design.NewDense(n, d, z); err != nil {
		t.Fatal(err)
	}
	return a
}

// Two hidden subgroups of other slopes are found where a law for both of them is one with
// much noise, and the risk of the worse of them falls by three tenths, by a weight for each.
func TestTwoHiddenSubgroups(t *testing.T) {
	of := func(x []float64, rng *rand.Rand) (float64, int32) {
		m, group := x[0]+x[1], int32(0)
		switch u := rng.Float64(); {
		case u < 0.12:
			m, group = x[1]-x[0], 1
		case u < 0.24:
			m, group = x[0]+x[1]+1.5*x[2], 2
		}
		return m + 0.2*rng.NormFloat64(), group
	}
	seen, unseen := drawn(t, 2400, 4, of), drawn(t, 4000, 5, of)
	seen.Group = nil
	s := choose(t, seen, DefaultOptions())
	if s.Criterion != "subgroup" || !s.Subgroup.Found || len(s.Subgroup.Shares) != 2 || s.Best().Level.Second == nil {
		t.Fatalf("criterion %s, chosen %s, %+v", s.Criterion, s.Best().Name, s.Subgroup)
	}
	for _, share := range s.Subgroup.Shares {
		if math.Abs(share-0.12) > 0.03 {
			t.Errorf("shares %v", s.Subgroup.Shares)
		}
	}
	worst := func(l level.Level) float64 {
		train := *seen
		train.Latent, _ = seen.Laws(2).Posterior(seen.X, seen.Target)
		x, _, err := train.Solve(t.Context(), l, nil)
		if err != nil {
			t.Fatal(err)
		}
		loss, err := unseen.losses(x)
		if err != nil {
			t.Fatal(err)
		}
		var sum, count [3]float64
		for j, g := range unseen.Group {
			sum[g] += loss[j]
			count[g]++
		}
		return max(sum[0]/count[0], sum[1]/count[1], sum[2]/count[2])
	}
	plain, chosen := worst(s.Candidates[0].Level), worst(s.Best().Level)
	if !(chosen < 0.7*plain) {
		t.Errorf("the worst of the laws: %v by the plain average, %v by the choice", plain, chosen)
	}
	margins, err := seen.Margins(t.Context(), s.Best().Level, 3, 1, nil, func(int, int) {})
	if err != nil || len(margins) != seen.N {
		t.Errorf("cross-fitted: %v", err)
	}
}

// A subgroup is found beside noise that grows with a feature.
func TestSubgroupBesideGrowingNoise(t *testing.T) {
	a := drawn(t, 2400, 6, func(x []float64, rng *rand.Rand) (float64, int32) {
		m := x[0] + x[1]
		if rng.Float64() < 0.08 {
			m = x[0] - x[1]
		}
		return m + 0.4*(0.3+math.Abs(x[0]))*rng.NormFloat64(), 0
	})
	fold, err := a.Folds(3, 0)
	if err != nil {
		t.Fatal(err)
	}
	if s, _, err := a.subgroup(t.Context(), fold, 3); err != nil || s == nil || !s.Found || len(s.Shares) != 1 || math.Abs(s.Share-0.08) > 0.03 {
		t.Errorf("%+v, %v", s, err)
	}
}

// Noise along a direction is no laws, on whichever side: three of them fan out from the one,
// and are refused for that alone.
func TestNoiseAlongADirectionIsNoSubgroups(t *testing.T) {
	a := drawn(t, 4500, 7, func(x []float64, rng *rand.Rand) (float64, int32) {
		return x[0] + x[1] + 0.4*math.Abs(x[0]-x[1])*rng.NormFloat64(), 0
	})
	fold, err := a.Folds(3, 0)
	if err != nil {
		t.Fatal(err)
	}
	parts := a.parts(fold, 3)
	s, _, err := a.hold(t.Context(), 3, parts, fold)
	if err != nil || s.Found || !(s.Fan > mostFan) || !(s.Evidence > leastEvidence) || !(s.OverFan < 0) {
		t.Errorf("%+v, %v", s, err)
	}
}

// Two subgroups on opposite sides of one law are found where noise along that direction does not
// do as well.
func TestSubgroupsOnOppositeSides(t *testing.T) {
	a := drawn(t, 2400, 8, func(x []float64, rng *rand.Rand) (float64, int32) {
		m := x[0] + x[1]
		switch u := rng.Float64(); {
		case u < 0.12:
			m += 1.5 * x[2]
		case u < 0.24:
			m -= 1.5 * x[2]
		}
		return m + 0.2*rng.NormFloat64(), 0
	})
	fold, err := a.Folds(3, 0)
	if err != nil {
		t.Fatal(err)
	}
	if s, _, err := a.subgroup(t.Context(), fold, 3); err != nil || s == nil || !s.Found || len(s.Shares) != 2 || !(s.Fan > mostFan) || !(s.OverFan > leastEvidence) {
		t.Errorf("%+v, %v", s, err)
	}
}

// The bars of a subgroup stand where its documentation says.
func TestBarsOfSubgroups(t *testing.T) {
	for _, c := range []struct {
		s             Subgroup
		enough, alone bool
	}{
		{Subgroup{Shares: []float64{0.1, 0.4}, Evidence: 3, Agreement: 0.9, Explained: 0.05}, true, true},
		{Subgroup{Shares: []float64{0.4}, Evidence: 2, Agreement: 0.9, Explained: 1. / 3}, true, false},
		{Subgroup{Shares: []float64{0.1, 0.41}, Evidence: 2.99, Agreement: 1}, false, false},
		{Subgroup{Shares: []float64{0.1}, Evidence: 1.99, Agreement: 1}, false, false},
		{Subgroup{Shares: []float64{0.1}, Evidence: 9, Agreement: 0.89}, false, true},
		{Subgroup{Shares: []float64{0.1}, Evidence: 9, Agreement: 1, Explained: 0.34}, false, false},
		{Subgroup{Shares: []float64{0.1}, Evidence: 9, Agreement: 1, Explained: 0.051}, true, false},
	} {
		if c.s.enough() != c.enough || c.s.alone() != c.alone {
			t.Errorf("%+v: enough %v, alone %v", c.s, c.s.enough(), c.s.alone())
		}
	}
}

// A budget is kept by two standard errors of what the average pays.
func TestBudgetIsKept(t *testing.T) {
	s := &Selection{Candidates: []Candidate{{Average: -2}}}
	for _, c := range []struct {
		rise, se float64
		ok       bool
	}{{0.01, 0.004, true}, {0.01, 0.006, false}, {-0.01, 0.015, true}, {0.03, 0, false}} {
		if got := s.affordable(&Candidate{Rise: c.rise, RiseSE: c.se}, 0.01); got != c.ok {
			t.Errorf("a rise of %v ± %v of 2 within 1 %%: %v", c.rise, c.se, got)
		}
	}
}

// The path holds the optimum at prices that were not solved, and narrows where it was wide.
func TestPathHoldsTheOptimaBetween(t *testing.T) {
	a := table(t, 800, 0.2, false)
	o := DefaultOptions()
	o.Path, o.Levels, o.Criterion = true, 4, "tail"
	s := choose(t, a, o)
	if len(s.Paths) != 2 {
		t.Fatalf("%d paths", len(s.Paths))
	}
	for _, p := range s.Paths {
		if len(p.Solved) <= 4 {
			t.Errorf("%s: %d prices solved, none where the bracket of four was wide", p.Penalty, len(p.Solved))
		}
		for k := 3; k < len(p.Nu); k += 14 {
			l := level.Level{Penalty: p.Penalty, Nu: &p.Nu[k]}
			dual, err := l.Dual(a.Rows)
			if err != nil {
				t.Fatal(err)
			}
			oracle, err := losses.NewLinear(a.Loss, a.X, a.Target)
			if err != nil {
				t.Fatal(err)
			}
			problem := &dro.Problem{Oracle: oracle, Dual: dual, Primal: a.Primal}
			method, _ := dro.Choose(problem)
			settings := dro.DefaultSettings()
			settings.RelativeGap = 1e-9
			res, err := dro.Solve(t.Context(), problem, method, settings)
			if err != nil {
				t.Fatal(err)
			}
			if v := res.Objective; !(p.Lower[k] <= v*(1+1e-9)) || !(p.Upper[k] >= v*(1-1e-9)) || !(p.Upper[k]-p.Lower[k] < 0.02*v) {
				t.Errorf("%s, ν = %v: [%v, %v] about %v", p.Penalty, p.Nu[k], p.Lower[k], p.Upper[k], v)
			}
		}
	}
}

// What laws say of some rows of some rows is what they say of those rows.
func TestLawsOfSomeRows(t *testing.T) {
	var none *laws
	if none.pick([]int{1}) != nil {
		t.Error("no laws have some")
	}
	l := &laws{held: [][]float64{{0, 1, 2, 3, 4, 5, 6}, {6, 5, 4, 3, 2, 1, 0}}, membership: [][][]float64{{{0, .1, .2, .3, .4, .5, .6}, {1, 2}}, {{6, 5, 4, 3, 2, 1, 0}}}}
	l.membership[0][1] = []float64{7, 6, 5, 4, 3, 2, 1}
	once := l.pick([]int{6, 2, 4, 1})
	twice := once.pick([]int{3, 0})
	if direct := l.pick([]int{1, 6}); !reflect.DeepEqual(twice, direct) || len(direct.membership) != 2 || direct.membership[0][1][0] != 6 || direct.membership[1][0][1] != 0 || direct.held[1][0] != 5 {
		t.Errorf("%+v, at once %+v", twice, direct)
	}
}
