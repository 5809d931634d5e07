package tune

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/level"
)

// table draws rows of which a share follows another slope.
func table(t testing.TB, n int, share float64, named bool) *Table {
	t.Helper()
	const d = 4
	rng := rand.New(rand.NewPCG(3, uint64(n)))
	z, target := make([]float64, n*d), make([]float64, n)
	r := level.Rows{N: n, Labels: []string{"common", "other"}}
	for i := range target {
		slope := 1.0
		g := int32(0)
		if rng.Float64() < share {
			slope, g = -1, 1
		}
		r.Group = append(r.Group, g)
		for k := range d {
			z[i*d+k] = rng.NormFloat64()
		}
		z[i*d+d-1] = 1
		target[i] = slope*z[i*d] + z[i*d+1] + 0.3*rng.NormFloat64()
	}
	if !named {
		r.Group, r.Labels = nil, nil
	}
	x, err := design.NewDense(n, d, z)
	if err != nil {
		t.Fatal(err)
	}
	return &Table{Rows: r, X: x, Target: target, Loss: losses.Squared{}, Primal: dro.L2{Mu: 1 / float64(n), Intercept: true, FreeModulus: 1}}
}

func choose(t testing.TB, table *Table, o Options) *Selection {
	t.Helper()
	s, err := Select(context.Background(), table, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Where a named group has another slope the choice is group DRO or group-balanced ERM, and the
// worst group's risk on rows never seen decreases by a third; where all rows follow one
// distribution the choice is ERM.
func TestSelect_ImprovesTheWorstGroupWhereItCan(t *testing.T) {
	seen, unseen := table(t, 2000, 0.2, true), table(t, 5001, 0.2, true)
	s := choose(t, seen, DefaultOptions())
	best := s.Best()
	if !strings.HasPrefix(best.Family, "groups") && best.Family != "balanced" {
		t.Errorf("chosen: %s (%s)", best.Name, s.Reason)
	}
	worst := func(l level.Level) float64 {
		x, _, err := seen.Solve(context.Background(), l, nil)
		if err != nil {
			t.Fatal(err)
		}
		loss, err := unseen.lossesAt(x)
		if err != nil {
			t.Fatal(err)
		}
		var sum, count [2]float64
		for j, g := range unseen.Group {
			sum[g] += loss[j]
			count[g]++
		}
		return max(sum[0]/count[0], sum[1]/count[1])
	}
	plain, chosen := worst(s.Candidates[0].Level), worst(best.Level)
	if !(chosen <= plain*2/3) {
		t.Errorf("worst group on unseen rows: %v by the plain average, %v by the choice", plain, chosen)
	}
	if v := *best.WorstGroup; !(math.Abs(v/chosen-1) <= 0.15) {
		t.Errorf("worst group estimated at %v, %v on unseen rows", v, chosen)
	}
	if s := choose(t, table(t, 2000, 0, false), DefaultOptions()); s.Best().Family != "erm" || !strings.Contains(s.Reason, "ERM is kept") {
		t.Errorf("one distribution: %s", s.Reason)
	}
}

// The choice is the same, to the last bit, for any number of threads.
func TestSelect_DoesNotDependOnThreads(t *testing.T) {
	a := table(t, 1500, 0.1, true)
	want := choose(t, a, DefaultOptions())
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	got := choose(t, a, DefaultOptions())
	if !reflect.DeepEqual(want, got) {
		t.Errorf("%+v\nwith one thread, else\n%+v", got, want)
	}
}

// Every row is held out once, and every fold has its share of every group.
func TestFoldsAreStratified(t *testing.T) {
	a := table(t, 1000, 0.1, true)
	fold, err := a.Folds(5, 1)
	if err != nil {
		t.Fatal(err)
	}
	var count [5][2]int
	for j, k := range fold {
		count[k][a.Group[j]]++
	}
	for k := range count {
		for g := range 2 {
			if d := count[k][g] - count[0][g]; d < -1 || d > 1 {
				t.Errorf("fold %d has %v rows of the groups, fold 0 %v", k, count[k], count[0])
			}
		}
	}
	rows := a.sample(200, 1)
	others := 0
	for i, j := range rows {
		if i > 0 && rows[i-1] >= j {
			t.Fatal("not in order")
		}
		others += int(a.Group[j])
	}
	if len(rows) != 200 || others < 15 || others > 25 {
		t.Errorf("%d rows, %d of the other group", len(rows), others)
	}
}

// Another μ is chosen only if ERM predicts significantly better with it, and then for every
// candidate.
func TestSelect_OneRidgeForAllCandidates(t *testing.T) {
	kept, moved := 0, 0
	for _, c := range []struct {
		n     int
		noise float64
	}{{150, 0}, {60, 3}, {90, 0.5}, {1300, 1}} {
		const d = 24
		rng := rand.New(rand.NewPCG(5, uint64(c.n)))
		a := table(t, c.n, 0.2, true)
		if c.noise > 0 { // columns that say nothing
			z := make([]float64, c.n*d)
			for i := range z {
				if z[i] = rng.NormFloat64(); i%d == d-1 {
					z[i] = 1
				}
			}
			for j := range a.Target {
				a.Target[j] = z[j*d]/4 + c.noise*rng.NormFloat64()
			}
			var err error
			if a.X, err = design.NewDense(c.n, d, z); err != nil {
				t.Fatal(err)
			}
		}
		o := DefaultOptions()
		o.Ridge, o.MinGroupSize = true, 5
		s := choose(t, a, o)
		at, fall := 0, 0.0
		for i, r := range s.Ridges { // {90, 0.5}: the largest fall is 1.9 of its errors, a smaller one 3.2
			if i > 0 && r.Improvement > max(2*r.SE, worth*s.Ridges[0].Average, fall) {
				at, fall = i, r.Improvement
			}
			if r.Improvement > worth*s.Ridges[0].Average && r.Improvement <= 2*r.SE {
				kept++
			}
		}
		if len(s.Ridges) != 4 || s.Mu != s.Ridges[at].Mu {
			t.Errorf("%d rows: μ = %v of %+v", c.n, s.Mu, s.Ridges)
			continue
		}
		if v := s.Candidates[0].Average; math.Abs(v/s.Ridges[at].Average-1) > 1e-3 {
			t.Errorf("%d rows: ERM has average %v among the candidates, %v at their μ", c.n, v, s.Ridges[at].Average)
		}
		if at > 0 && math.Abs(s.Ridges[at].Average/s.Ridges[0].Average-1) > 0.01 {
			moved++
		}
	}
	if kept == 0 || moved == 0 {
		t.Errorf("%d falls within an error, %d choices of another μ", kept, moved)
	}
}

func TestSelect_InvalidOptionsAndRows(t *testing.T) {
	a := table(t, 60, 0.2, true)
	a.Loss = losses.Logistic{}
	for j := range a.Target {
		a.Target[j] = -1
	}
	a.Target[0], a.Target[1] = 1, 1
	if _, err := Select(context.Background(), a, nil, DefaultOptions()); err == nil || !strings.Contains(err.Error(), "a fold would be without a class: 2 of the 60") {
		t.Errorf("two of a class, three folds: %v", err)
	}
	for want, change := range map[string]func(*Options){
		"Config.Folds is 1":      func(o *Options) { o.Folds = 1 },
		"100 folds of 60":        func(o *Options) { o.Folds = 100 },
		"Config.Rate is -1":      func(o *Options) { o.Rate = -1 },
		"Config.Budget is -1":    func(o *Options) { o.Budget = -1 },
		"Config.Select is \"x\"": func(o *Options) { o.Criterion = "x" },
		"needs groups of":        func(o *Options) { o.Criterion, o.MinGroupSize = "worst-group", 1000 },
	} {
		o := DefaultOptions()
		change(&o)
		if _, err := Select(context.Background(), table(t, 60, 0.2, true), nil, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Select(ctx, table(t, 600, 0.2, true), nil, DefaultOptions()); err == nil {
		t.Error("a cancelled choice has an answer")
	}
}

// forgetful is a memory that cannot be read.
type forgetful struct{ err error }

func (m forgetful) Load(string, any) (bool, error) { return false, m.err }
func (m forgetful) Store(string, any)              {}

// A memory that cannot be read ends the choice with its error; one that has nothing
// changes no number.
func TestSelect_MemoryThatCannotBeRead(t *testing.T) {
	a := table(t, 200, 0.2, true)
	o := DefaultOptions()
	want := choose(t, a, o)
	a.Memory = forgetful{}
	if got := choose(t, a, o); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, without a memory %+v", got, want)
	}
	lost := errors.New("lost")
	a.Memory = forgetful{lost}
	if _, err := Select(context.Background(), a, nil, o); !errors.Is(err, lost) {
		t.Errorf("error %v", err)
	}
	if _, err := a.Margins(context.Background(), level.Level{Average: "plain"}, 3, 7, nil, nil); !errors.Is(err, lost) {
		t.Errorf("error %v of margins", err)
	}
}

// With two groups the default criterion is the worst group's risk, with one the tail.
func TestSelect_CriterionFollowsTheGroups(t *testing.T) {
	a := table(t, 300, 0.3, true)
	if s := choose(t, a, DefaultOptions()); s.Criterion != "worst-group" || s.Rows != 300 || s.Of != 300 {
		t.Errorf("of two groups: %s, by %d rows of %d", s.Criterion, s.Rows, s.Of)
	}
	fewer := DefaultOptions()
	fewer.Rows = 200
	if s := choose(t, a, fewer); s.Rows != 200 || s.Of != 300 {
		t.Errorf("by %d rows of %d", s.Rows, s.Of)
	}
	a = table(t, 300, 0, true)
	if s := choose(t, a, DefaultOptions()); s.Criterion == "worst-group" {
		t.Errorf("of one group: %s", s.Criterion)
	}
}

// A selection records the averages of every μ tried and their differences, and a path from its
// first coefficient to its last; progress is reported to the end; Margins are of models that
// have not seen the row.
func TestSelection_RecordsOfAChoice(t *testing.T) {
	a := table(t, 300, 0.1, true)
	o := DefaultOptions()
	o.Path, o.Ridge, o.Folds = true, true, 3
	done, total := 0, 0
	o.Observe = func(d, of int) {
		if d < done || d > of || total > 0 && of != total {
			t.Errorf("%d of %d after %d of %d", d, of, done, total)
		}
		done, total = d, of
	}
	s := choose(t, a, o)
	if done != total || total != 3*len(s.Candidates) {
		t.Errorf("progress ended at %d of %d", done, total)
	}
	// Every candidate is solved in every fold, in 300 passes at most; so is each family's start.
	solves := float64(s.Folds * (2*len(s.Candidates) + len(s.Ridges) + 2 + 5 + pathMore))
	if s.Passes > 300*solves || s.Passes < float64((s.Folds-1)*len(s.Candidates)) {
		t.Errorf("%v passes for %v problems at most", s.Passes, solves)
	}
	if len(s.Ridges) != 4 || s.Ridges[0].Mu != a.Primal.Mu || s.Ridges[0].Improvement != 0 || s.Ridges[0].SE != 0 {
		t.Fatalf("%+v", s.Ridges)
	}
	best := s.Ridges[0]
	for _, r := range s.Ridges[1:] {
		if math.Abs(r.Improvement-(s.Ridges[0].Average-r.Average)) > 1e-12 || (r.SE > 0) != (r.Improvement != 0) {
			t.Errorf("%+v, the first %+v", r, s.Ridges[0])
		}
		if r.Improvement > max(best.Improvement, 2*r.SE, worth*s.Ridges[0].Average) {
			best = r
		}
	}
	if s.Mu != best.Mu {
		t.Errorf("μ = %v, the best is %v", s.Mu, best.Mu)
	}
	for _, p := range s.Paths {
		last := len(p.Nu) - 1
		low, high := p.Solved[0], p.Solved[len(p.Solved)-1]
		if last+1 != pathPoints || p.Nu[0] != low || math.Abs(p.Nu[last]/high-1) > 1e-12 || len(p.Upper) != pathPoints || len(p.Lower) != pathPoints {
			t.Errorf("%s: %d coefficients from %v to %v, solved from %v to %v", p.Penalty, last+1, p.Nu[0], p.Nu[last], low, high)
		}
		for k := 1; k <= last; k++ {
			if step := p.Nu[k] / p.Nu[k-1]; math.Abs(step/math.Pow(high/low, 1.0/float64(last))-1) > 1e-9 {
				t.Errorf("%s: a step of %v", p.Penalty, step)
			}
		}
		if len(p.Solved) > 5+pathMore {
			t.Errorf("%s: %d coefficients solved", p.Penalty, len(p.Solved))
		}
	}
	var told [][2]int
	margins, err := a.Margins(t.Context(), s.Candidates[0].Level, 3, 7, nil, func(d, of int) { told = append(told, [2]int{d, of}) })
	if err != nil || !reflect.DeepEqual(told, [][2]int{{1, 3}, {2, 3}, {3, 3}}) {
		t.Fatalf("%v, %v", told, err)
	}
	fold, err := a.Folds(3, 7)
	if err != nil {
		t.Fatal(err)
	}
	for k := range 3 {
		var inside, outside []int
		for j, f := range fold {
			if f == k {
				outside = append(outside, j)
			} else {
				inside = append(inside, j)
			}
		}
		x, _, err := a.Select(inside).Solve(t.Context(), s.Candidates[0].Level, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float64, a.N)
		a.X.MarginsTo(want, x, 0, a.N)
		for _, j := range outside {
			if !(math.Abs(margins[j]-want[j]) <= 1e-3) {
				t.Errorf("fold %d: margin %v of row %d, not %v", k, margins[j], j, want[j])
			}
		}
	}
}

// The estimates and their errors against arithmetic by hand.
func TestMeasure_EstimatesByHand(t *testing.T) {
	loss := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	r := level.Rows{N: 10, Labels: []string{"a", "b"}, Group: []int32{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}}
	fold := []int{0, 0, 1, 1, 0, 0, 1, 1, 0, 0}
	m := newMeasure(r, fold, 2, 1)
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("%s is %v, not %v", what, got, want)
		}
	}
	near("the average", m.average(loss).value, 5.5)
	near("the tail", m.tail(loss).value, 10)
	near("the deviation", m.deviation(loss), math.Sqrt(8.25))
	if m.countEligible() != 2 {
		t.Errorf("%d eligible groups", m.countEligible())
	}
	other := []float64{0, 2, 2, 4, 4, 6, 6, 8, 8, 10}
	difference, se := m.average(loss).minus(m.average(other))
	near("the difference of averages", difference, 0.5)
	near("its error", se, math.Sqrt(10*0.25)/10)
	r.Weights = []float64{2, 1, 1, 1, 1, 1, 1, 1, 1, 2}
	m = newMeasure(r, fold, 2, 1)
	near("the weighted average", m.average(loss).value, 66.0/12)
	near("the weighted tail", m.tail(loss).value, 10)
}

// The influence of a row on the average and on the tail is the derivative of the estimate by
// the logarithm of the row's weight; the tail is the least of q + mean of (loss − q)₊/share.
func TestMeasure_InfluencesAreDerivatives(t *testing.T) {
	const n = 60
	rng := rand.New(rand.NewPCG(21, 4))
	for range 3 {
		loss := make([]float64, n)
		r := level.Rows{N: n, Weights: make([]float64, n)}
		for j := range loss {
			loss[j], r.Weights[j] = rng.NormFloat64(), 0.2+rng.ExpFloat64()
		}
		m := newMeasure(r, make([]int, n), 1, 1)
		tail := math.Inf(1)
		for _, q := range loss {
			v := q
			for j, l := range loss {
				v += m.weight[j] / m.total * max(0, l-q) / tailShare
			}
			tail = min(tail, v)
		}
		if got := m.tail(loss).value; !(math.Abs(got-tail) <= 1e-12) {
			t.Errorf("tail %v, not %v", got, tail)
		}
		for name, of := range map[string]func([]float64) estimate{"average": m.average, "tail": m.tail} {
			e := of(loss)
			const h = 1e-6
			for j := range loss {
				was, all := m.weight[j], m.total
				m.weight[j], m.total = was*(1+h), all+was*h
				up := of(loss).value
				m.weight[j], m.total = was*(1-h), all-was*h
				down := of(loss).value
				m.weight[j], m.total = was, all
				if d := (up - down) / (2 * h); !(math.Abs(d-e.influence[j]) <= 1e-6) {
					t.Errorf("%s: row %d has influence %v, the derivative is %v", name, j, e.influence[j], d)
				}
			}
		}
	}
}

// The decrease of the worst group's risk less significance of its errors is the least certain
// comparison: every group after is below itself before, or below the worst group before.
func TestMeasure_WorstGroupAgainstItsDefinition(t *testing.T) {
	const n, groups = 90, 3
	rng := rand.New(rand.NewPCG(31, 4))
	fold := make([]int, n)
	r := level.Rows{N: n, Labels: []string{"a", "b", "c"}, Group: make([]int32, n), Weights: make([]float64, n)}
	for j := range fold {
		fold[j], r.Group[j], r.Weights[j] = j%3, int32(j/3%groups), 0.5+rng.Float64()
	}
	mean := func(v []float64, g int) (mean, variance float64) {
		mass, count := 0.0, 0.0
		for j := range v {
			if int(r.Group[j]) == g {
				mean, mass, count = mean+r.Weights[j]*v[j], mass+r.Weights[j], count+1
			}
		}
		mean /= mass
		for j := range v {
			if int(r.Group[j]) == g {
				variance += math.Pow(r.Weights[j]/mass*(v[j]-mean), 2) * count / (count - 1)
			}
		}
		return mean, variance
	}
	own, others := 0, 0
	for range 40 {
		before, after, less := make([]float64, n), make([]float64, n), make([]float64, n)
		for j := range before {
			before[j] = rng.ExpFloat64() + float64(r.Group[j])
			after[j] = before[j] + 0.3*rng.NormFloat64() - []float64{-1, -0.5, 0.4}[r.Group[j]]*rng.Float64()
			less[j] = before[j] - after[j]
		}
		at, worst := 0, math.Inf(-1)
		for g := range groups {
			if v, _ := mean(before, g); v > worst {
				at, worst = g, v
			}
		}
		old, oldVariance := mean(before, at)
		bound, largest := math.Inf(1), math.Inf(-1)
		for g := range groups {
			is, variance := mean(after, g)
			d, paired := mean(less, g)
			v := d - significance*math.Sqrt(paired)
			if cross := old - is - significance*math.Sqrt(oldVariance+variance); g != at && cross > v {
				v = cross
				others++
			} else {
				own++
			}
			bound, largest = min(bound, v), max(largest, is)
		}
		value, decrease, se := newMeasure(r, fold, 3, 5).worstGroup(before, after)
		if !(math.Abs(value-largest) <= 1e-12 && math.Abs(decrease-(old-largest)) <= 1e-12 && math.Abs(decrease-significance*se-bound) <= 1e-12) {
			t.Errorf("%v, decrease %v ± %v; want %v, %v, bound %v", value, decrease, se, largest, old-largest, bound)
		}
	}
	if own < 20 || others < 20 {
		t.Errorf("a group was compared with itself %d times, with the worst %d times", own, others)
	}
}

// A group is eligible if it has the rows for it, of positive weight, some in every fold.
func TestMeasure_EligibleGroups(t *testing.T) {
	rows := level.Rows{N: 11, Labels: []string{"enough", "few", "in one fold", "of no weight"},
		Group: []int32{0, 0, 0, 1, 1, 2, 2, 2, 3, 3, -1}, Weights: []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1}}
	fold := []int{0, 1, 1, 0, 1, 0, 0, 0, 0, 1, 1}
	for least, want := range map[int][]bool{3: {true, false, false, false}, 2: {true, true, false, false}} {
		if m := newMeasure(rows, fold, 2, least); !reflect.DeepEqual(m.eligible, want) {
			t.Errorf("of %d rows at least: %v", least, m.eligible)
		}
	}
}

// The rule, in any unit of the losses.
func TestSelection_Rule(t *testing.T) {
	pick := func(criterion string, budget float64, c ...Candidate) (chosen int) {
		for k, unit := range []float64{1, 1 << 20, 1.0 / (1 << 20)} {
			s := &Selection{Criterion: criterion, Rate: 2, Candidates: append([]Candidate{{Average: 1}}, c...)}
			for i := range s.Candidates {
				c := &s.Candidates[i]
				c.Average, c.Tail, c.Improvement, c.SE, c.Cost, c.CostSE = unit*c.Average, unit*c.Tail, unit*c.Improvement, unit*c.SE, unit*c.Cost, unit*c.CostSE
			}
			if s.choose(budget); k > 0 && s.Chosen != chosen {
				t.Errorf("candidate %d, %d in another unit: %+v", chosen, s.Chosen, c)
			}
			chosen = s.Chosen
			if best := s.Best(); chosen > 0 && strings.Contains(s.Reason, "the average rises") != (best.Cost > 0) {
				t.Errorf("%+v: %s", best, s.Reason)
			}
		}
		return chosen
	}
	none := math.Inf(1)
	for what, v := range map[string][2]int{
		"within its errors":     {pick("worst-group", none, Candidate{Improvement: 0.1, SE: 0.041}), 0},
		"beyond its errors":     {pick("worst-group", none, Candidate{Improvement: 0.1, SE: 0.039}), 1},
		"too costly":            {pick("worst-group", none, Candidate{Improvement: 0.1, SE: 0.01, Cost: 0.06}), 0},
		"worth its cost":        {pick("worst-group", none, Candidate{Improvement: 0.1, SE: 0.01, Cost: 0.04}), 1},
		"a lower average":       {pick("worst-group", none, Candidate{Improvement: 0.1, SE: 0.01, Cost: -0.04}), 1},
		"the better of two":     {pick("worst-group", none, Candidate{Improvement: 0.1, SE: 0.01, Cost: 0.04}, Candidate{Improvement: 0.1, SE: 0.01, Cost: 0.01}), 2},
		"the better in error":   {pick("worst-group-accuracy", none, Candidate{Improvement: 0.1, SE: 0.01, Cost: 0.04}, Candidate{Improvement: 0.1, SE: 0.01, Cost: 0.01}), 2},
		"a tie":                 {pick("worst-group", none, Candidate{Improvement: 0.1, SE: 0.01}, Candidate{Improvement: 0.1005, SE: 0.01}), 1},
		"too small to matter":   {pick("worst-group", none, Candidate{Improvement: 0.0049, SE: 1e-5}), 0},
		"over budget":           {pick("worst-group", 0.01, Candidate{Improvement: 0.1, SE: 0.01, Cost: 0.02}), 0},
		"within the budget":     {pick("tail", 0.01, Candidate{Tail: 1, Improvement: 0.1, SE: 0.01, Cost: 0.009}), 1},
		"not surely within":     {pick("tail", 0.01, Candidate{Improvement: 9, SE: 0.01, Cost: 0.009, CostSE: 0.001}), 0},
		"nothing but ERM there": {pick("tail", 0.01), 0},
	} {
		if v[0] != v[1] {
			t.Errorf("%s: candidate %d, not %d", what, v[0], v[1])
		}
	}
}

// Unless told otherwise the cost may be a hundredth of the average if the tail is asked for,
// nothing if the tail is the default, and anything worth it for a worst group.
func TestSelect_BudgetFollowsTheCriterion(t *testing.T) {
	nan, none := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		asked  string
		named  bool
		budget float64
		want   float64
	}{
		{"", false, nan, 0}, {"tail", false, nan, 0.01}, {"", true, nan, none}, {"average", true, nan, none},
		{"", false, 0.2, 0.2}, {"", true, 0, 0}, {"tail", true, none, none},
	} {
		o := DefaultOptions()
		o.Criterion, o.Budget = c.asked, c.budget
		s := choose(t, table(t, 300, 0.3, c.named), o)
		if told := s.Budget; (told == nil) != math.IsInf(c.want, 1) || told != nil && *told != c.want {
			t.Errorf("%+v: %v", c, told)
		}
	}
}

// opposite draws a table where no linear model helps: two groups of 10 % have opposite slopes.
func opposite(t testing.TB, seed uint64) *Table {
	t.Helper()
	const n, d = 2000, 3
	rng := rand.New(rand.NewPCG(seed, 7))
	z, target := make([]float64, n*d), make([]float64, n)
	r := level.Rows{N: n, Labels: []string{"most", "up", "down"}, Group: make([]int32, n)}
	for j := range n {
		if u := rng.Float64(); u < 0.1 {
			r.Group[j] = 1
		} else if u < 0.2 {
			r.Group[j] = 2
		}
		z[j*d], z[j*d+1], z[j*d+2] = rng.NormFloat64(), rng.NormFloat64(), 1
		target[j] = []float64{1, 3, -1}[r.Group[j]]*z[j*d] + z[j*d+1] + 0.5*rng.NormFloat64()
	}
	x, err := design.NewDense(n, d, z)
	if err != nil {
		t.Fatal(err)
	}
	return &Table{Rows: r, X: x, Target: target, Loss: losses.Squared{}, Primal: dro.L2{Mu: 1.0 / n, Intercept: true, FreeModulus: 1}}
}

// Which of two opposite groups is the worse is chance, in all folds alike: ERM is kept.
func TestSelect_KeepsERMForOppositeGroups(t *testing.T) {
	for seed := range uint64(40) {
		if s := choose(t, opposite(t, seed), DefaultOptions()); s.Chosen != 0 {
			t.Errorf("seed %d: %s", seed, s.Reason)
		}
	}
}

// Candidates may be judged by the error rate of the worst group, of classes only.
func TestSelect_WorstGroupAccuracy(t *testing.T) {
	a := table(t, 2000, 0.2, true)
	o := DefaultOptions()
	o.Criterion, o.Rate = "worst-group-accuracy", 0.5
	if _, err := Select(t.Context(), a, nil, o); err == nil || !strings.Contains(err.Error(), "needs a target of classes") {
		t.Errorf("of numbers: %v", err)
	}
	a.Loss, a.Primal.FreeModulus = losses.Logistic{}, losses.Logistic{}.Smoothness()
	for j, v := range a.Target {
		a.Target[j] = math.Copysign(1, v)
	}
	s := choose(t, a, o)
	x, _, err := a.Solve(t.Context(), erm, nil)
	if err != nil {
		t.Fatal(err)
	}
	margin, wrong := make([]float64, a.N), 0.0
	a.X.MarginsTo(margin, x, 0, a.N)
	for j, v := range margin {
		if v*a.Target[j] < 0 {
			wrong += 1 / float64(a.N)
		}
	}
	if v := s.Candidates[0].Average; !(math.Abs(v-wrong) <= 0.01) {
		t.Errorf("error rate of ERM %v out of fold, %v in the sample", v, wrong)
	}
	if best := s.Best(); s.Chosen == 0 || !(*best.WorstGroup < 0.8**s.Candidates[0].WorstGroup) || !strings.Contains(s.Reason, "worst group's error rate") {
		t.Errorf("%s", s.Reason)
	}
}

// Twelve candidates with groups, six without; none but ERM if it leaves no loss.
func TestCandidates_Families(t *testing.T) {
	count := func(c []Candidate) map[string]int {
		of := map[string]int{}
		for _, c := range c {
			of[c.Family]++
		}
		return of
	}
	named := table(t, 100, 0.5, true).Rows
	if got := count(candidates(named, 1, 1, false)); !reflect.DeepEqual(got, map[string]int{"erm": 1, "balanced": 1, "groups": 5, "rows, chi2": 5}) {
		t.Errorf("with groups: %v", got)
	}
	if got := count(candidates(named, 1, 1, true)); !reflect.DeepEqual(got, map[string]int{"erm": 1, "balanced": 1, "groups": 3, "rows, chi2": 2}) {
		t.Errorf("few candidates: %v", got)
	}
	if got := count(candidates(level.Rows{N: 100}, 1, 1, false)); !reflect.DeepEqual(got, map[string]int{"erm": 1, "rows, chi2": 5}) {
		t.Errorf("without: %v", got)
	}
	if got := candidates(named, 0, 0, false); len(got) != 1 {
		t.Errorf("without losses: %v", got)
	}
}

// The choice uses as many rows as are asked for, and fewer if they are wide.
func TestTable_ChoiceRows(t *testing.T) {
	a := table(t, 300, 0, false)
	if got := a.choiceRows(200); got != 200 {
		t.Errorf("%d rows of 300, at most 200", got)
	}
	if got := a.choiceRows(1000); got != 300 {
		t.Errorf("%d rows of 300, at most 1000", got)
	}
	wide := &Table{Rows: level.Rows{N: 100_000}, X: sized{n: 100_000, d: 1000}}
	if got := wide.choiceRows(100_000); got != 20_000 {
		t.Errorf("%d rows of 1000 columns", got)
	}
	wide.X = sized{n: 100_000, d: 10_000}
	if got := wide.choiceRows(100_000); got != minRows {
		t.Errorf("%d rows of 10 000 columns", got)
	}
}

// A sized is a matrix of n × d entries that nobody reads.
type sized struct {
	design.Matrix
	n, d int
}

func (x sized) Dims() (n, d int)           { return x.n, x.d }
func (x sized) Work() (pass, gram float64) { return float64(x.n) * float64(x.d), 0 }

// Every level of the curve ends at all rows of the other folds, where its risks are those of the
// choice; fewer rows predict worse.
func TestSelect_LearningCurve(t *testing.T) {
	o := DefaultOptions()
	o.Curve, o.Seed = true, 3
	rows := table(t, 2000, 0.2, true)
	s := choose(t, rows, o)
	if s.Chosen == 0 || len(s.Curve) != 2*curvePoints {
		t.Fatalf("%d points of the curve, chosen %s", len(s.Curve), s.Best().Name)
	}
	for i, c := range []*Candidate{&s.Candidates[0], s.Best()} {
		curve := s.Curve[i*curvePoints : (i+1)*curvePoints]
		last := curve[curvePoints-1]
		if last.Name != c.Name || last.Rows != 2*2000/3 || !(math.Abs(last.Average-c.Average) <= 1e-3*c.Average) || !(math.Abs(*last.WorstGroup-*c.WorstGroup) <= 1e-2*(*c.WorstGroup)) {
			t.Errorf("%s: %+v with all rows, %v and %v in the choice", c.Name, last, c.Average, *c.WorstGroup)
		}
		for k := range curvePoints - 1 {
			if !(curve[k].Rows < curve[k+1].Rows && curve[k].SE > 0 && *curve[k].WorstGroupSE > curve[k].SE) {
				t.Errorf("%+v before %+v", curve[k], curve[k+1])
			}
		}
		if !(curve[0].Average > last.Average) {
			t.Errorf("%s: average %v with %d rows, %v with %d", c.Name, curve[0].Average, curve[0].Rows, last.Average, last.Rows)
		}
	}
	again := choose(t, rows, o)
	if !reflect.DeepEqual(s.Curve, again.Curve) {
		t.Error("the curve differs in a second run")
	}
	few := choose(t, table(t, 200, 0.2, false), o)
	if len(few.Curve) == 0 || few.Curve[0].WorstGroup != nil || few.Curve[0].Rows < minCurveRows {
		t.Errorf("without groups: %+v", few.Curve)
	}
}
