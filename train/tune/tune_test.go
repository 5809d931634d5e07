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
	"gonum.org/v1/gonum/floats"
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

// Where a named group has another slope the choice is an adversary over groups or
// balanced weights, and the worst group's risk on rows never seen falls by a third; where
// all rows follow one law it is the plain average.
func TestChoiceHelpsWhereItCan(t *testing.T) {
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
		loss, err := unseen.losses(x)
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
	if s := choose(t, table(t, 2000, 0, false), DefaultOptions()); s.Best().Family != "erm" || !strings.Contains(s.Reason, "ERM is best here") {
		t.Errorf("one law: %s", s.Reason)
	}
}

// The same choice, to the last bit, whatever runs side by side.
func TestChoiceDoesNotDependOnThreads(t *testing.T) {
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

// The estimates and their errors against arithmetic by hand.
func TestEstimates(t *testing.T) {
	loss := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	r := level.Rows{N: 10, Labels: []string{"a", "b"}, Group: []int32{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}}
	fold := []int{0, 0, 1, 1, 0, 0, 1, 1, 0, 0}
	m := newMeasure(r, fold, 2, 1, 0.2)
	if e := m.average(loss); !(math.Abs(e.value-5.5) <= 1e-12) {
		t.Errorf("average %v", e.value)
	}
	if e := m.conditional(loss); !(math.Abs(e.value-9.5) <= 1e-12) { // of 9 and 10
		t.Errorf("tail %v", e.value)
	}
	// b is the worst on either fold's others: its means are (2+6+10)/3 and (4+8)/2.
	groups := m.groups()
	if e := m.worst(loss); groups != 2 || !(math.Abs(e.value-6) <= 1e-12) {
		t.Errorf("worst %v of %d groups", e.value, groups)
	}
	// The error of a difference of averages is that of the paired differences.
	other := []float64{0, 2, 2, 4, 4, 6, 6, 8, 8, 10}
	difference, se := m.average(loss).minus(m.average(other))
	if !(math.Abs(difference-0.5) <= 1e-12) || !(math.Abs(se-math.Sqrt(10*0.25)/10) <= 1e-12) {
		t.Errorf("difference %v ± %v", difference, se)
	}
	// Rows without weight make no group that may be the worst, nor its place in a fold.
	of := r
	of.Labels, of.Group = []string{"a", "b", "c", "d"}, []int32{0, 0, 0, 0, 1, 1, 2, 2, 3, 3}
	of.Weights = []float64{1, 1, 1, 1, 1, 1, 0, 0, 0, 1}
	at := newMeasure(of, []int{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}, 2, 1, 0.2)
	if count := at.groups(); count != 2 || !reflect.DeepEqual(at.eligible, []bool{true, true, false, false}) {
		t.Errorf("%d groups may be the worst: %v", count, at.eligible)
	}
	at.least = 3
	if count := at.groups(); count != 1 {
		t.Errorf("%d groups have three rows", count)
	}
	// Weights of 2 are rows twice.
	r.Weights = []float64{2, 1, 1, 1, 1, 1, 1, 1, 1, 2}
	m = newMeasure(r, fold, 2, 1, 0.25)
	if e := m.average(loss); !(math.Abs(e.value-66.0/12) <= 1e-12) {
		t.Errorf("weighted average %v", e.value)
	}
	if e := m.conditional(loss); !(math.Abs(e.value-29.0/3) <= 1e-12) {
		t.Errorf("weighted tail %v", e.value)
	}
}

// The rule, whatever the unit of the losses.
func TestRule(t *testing.T) {
	pick := func(criterion string, rate, budget float64, rule string, c ...Candidate) (chosen int) {
		for k, unit := range []float64{1, 1 << 20, 1.0 / (1 << 20)} {
			s := &Selection{Criterion: criterion, Rate: rate, Candidates: append([]Candidate{{Average: 1}}, c...)}
			for i := range s.Candidates {
				c := &s.Candidates[i]
				c.Average, c.Tail, c.Fall, c.SE, c.Rise, c.RiseSE = unit*c.Average, unit*c.Tail, unit*c.Fall, unit*c.SE, unit*c.Rise, unit*c.RiseSE
			}
			if s.choose(rule, budget); k > 0 && s.Chosen != chosen {
				t.Errorf("candidate %d, %d in another unit: %+v", chosen, s.Chosen, c)
			}
			if best := s.Best(); s.Chosen > 0 && strings.Contains(s.Reason, "the average rises") != (best.Rise > 0) {
				t.Errorf("%+v: %s", best, s.Reason)
			}
			chosen = s.Chosen
		}
		return chosen
	}
	none := math.Inf(1)
	for what, v := range map[string][2]int{
		"too small a fall":      {pick("worst-group", 2, none, "best", Candidate{Fall: 0.1, SE: 0.11}), 0},
		"within two errors":     {pick("worst-group", 2, none, "best", Candidate{Fall: 0.1, SE: 0.051}), 0},
		"beyond two errors":     {pick("worst-group", 2, none, "best", Candidate{Fall: 0.1, SE: 0.049}), 1},
		"too dear":              {pick("worst-group", 2, none, "best", Candidate{Fall: 0.1, SE: 0.01, Rise: 0.06}), 0},
		"worth it":              {pick("worst-group", 2, none, "best", Candidate{Fall: 0.1, SE: 0.01, Rise: 0.04}), 1},
		"a lower average":       {pick("worst-group", 2, none, "best", Candidate{Fall: 0.1, SE: 0.01, Rise: -0.04}), 1},
		"the better of two":     {pick("worst-group", 2, none, "best", Candidate{Fall: 0.1, SE: 0.01, Rise: 0.04}, Candidate{Fall: 0.1, SE: 0.01, Rise: 0.01}), 2},
		"a tie":                 {pick("worst-group", 2, none, "best", Candidate{Fall: 0.1, SE: 0.01}, Candidate{Fall: 0.1, SE: 0.01}), 1},
		"over budget":           {pick("worst-group", 2, 0.01, "best", Candidate{Fall: 0.1, SE: 0.01, Rise: 0.02}), 0},
		"within one se":         {pick("worst-group", 2, none, "se", Candidate{Fall: 0.1, SE: 0.02}, Candidate{Fall: 0.11, SE: 0.02}), 1},
		"nothing to speak of":   {pick("worst-group", 2, none, "best", Candidate{Fall: 0.0009, SE: 1e-5}), 0},
		"all but a tie":         {pick("worst-group", 2, none, "best", Candidate{Fall: 0.1, SE: 0.01}, Candidate{Fall: 0.1005, SE: 0.01}), 1},
		"at one se":             {pick("worst-group", 2, none, "se", Candidate{Fall: 0.125, SE: 0.03125}, Candidate{Fall: 0.15625, SE: 0.03125}), 1},
		"beyond one se":         {pick("worst-group", 2, none, "se", Candidate{Fall: 0.1, SE: 0.02}, Candidate{Fall: 0.13, SE: 0.02}), 2},
		"the se of the best":    {pick("worst-group", 2, none, "se", Candidate{Fall: 0.1, SE: 0.049}, Candidate{Fall: 0.13, SE: 0.02}), 2},
		"tail within budget":    {pick("tail", 2, 0.01, "best", Candidate{Fall: 0.1, SE: 0.01, Rise: 0.009}), 1},
		"tail beyond budget":    {pick("tail", 2, 0.01, "best", Candidate{Fall: 9, SE: 0.01, Rise: 0.011}), 0},
		"nothing but ERM there": {pick("tail", 2, 0.01, "best"), 0},
	} {
		if v[0] != v[1] {
			t.Errorf("%s: candidate %d, not %d", what, v[0], v[1])
		}
	}
}

// A fall of the worst group's risk is the smaller of two: of the group named on the other
// folds, and of the largest mean of all.
func TestFallIsTheSmallerOfTwo(t *testing.T) {
	const n, folds = 90, 3
	rng := rand.New(rand.NewPCG(31, 4))
	first, second := 0, 0
	for range 40 {
		r := level.Rows{N: n, Labels: []string{"a", "b", "c"}, Group: make([]int32, n)}
		fold, out := make([]int, n), [][]float64{make([]float64, n), make([]float64, n)}
		for j := range fold {
			fold[j], r.Group[j] = j%folds, int32(j/folds%3)
			out[0][j], out[1][j] = rng.ExpFloat64(), rng.ExpFloat64()
		}
		m := newMeasure(r, fold, folds, 5, 0.2)
		m.groups()
		s := &Selection{Criterion: "worst-group", Candidates: make([]Candidate, 2)}
		s.measure(m, out)
		a, aSE := m.worst(out[0]).minus(m.worst(out[1]))
		b, bSE := m.largest(out[0]).minus(m.largest(out[1]))
		if first++; b < a {
			a, aSE = b, bSE
			first--
			second++
		}
		if c := s.Candidates[1]; c.Fall != a || c.SE != aSE {
			t.Errorf("fall %v ± %v, not %v ± %v", c.Fall, c.SE, a, aSE)
		}
	}
	if first < 5 || second < 5 {
		t.Errorf("either was the smaller %d and %d times", first, second)
	}
}

// μ is chosen by the plain average, only where it measurably predicts better, and then is
// that of every candidate: none is ahead because its ridge is.
func TestRidgeIsTheSameForAll(t *testing.T) {
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
		o.Ridge, o.Levels, o.MinGroupSize = true, 1, 5
		s := choose(t, a, o)
		at, fall := 0, 0.0
		for i, r := range s.Ridges { // {90, 0.5}: the largest fall is 1.9 of its errors, a smaller one 3.2
			if i > 0 && r.Fall > max(2*r.SE, worth*s.Ridges[0].Average, fall) {
				at, fall = i, r.Fall
			}
			if r.Fall > worth*s.Ridges[0].Average && r.Fall <= 2*r.SE {
				kept++
			}
		}
		if len(s.Ridges) != 4 || s.Mu != s.Ridges[at].Mu {
			t.Errorf("%d rows: μ = %v of %+v", c.n, s.Mu, s.Ridges)
			continue
		}
		if v := s.Candidates[0].Average; !(math.Abs(v/s.Ridges[at].Average-1) <= 1e-3) {
			t.Errorf("%d rows: ERM has average %v among the candidates, %v at their μ", c.n, v, s.Ridges[at].Average)
		}
		if at > 0 && !(math.Abs(s.Ridges[at].Average/s.Ridges[0].Average-1) <= 0.01) {
			moved++
		}
	}
	if kept == 0 || moved == 0 {
		t.Errorf("%d falls within an error, %d choices of another μ", kept, moved)
	}
}

func TestInvalidChoices(t *testing.T) {
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
		"folds is 1":      func(o *Options) { o.Folds = 1 },
		"100 folds of 60": func(o *Options) { o.Folds = 100 },
		"levels is 0":     func(o *Options) { o.Levels = 0 },
		"rate is -1":      func(o *Options) { o.Rate = -1 },
		"budget is -1":    func(o *Options) { o.Budget = -1 },
		"rule is \"odd\"": func(o *Options) { o.Rule = "odd" },
		"select is \"x\"": func(o *Options) { o.Criterion = "x" },
		"tail is 0":       func(o *Options) { o.Tail = 0 },
		"needs groups of": func(o *Options) { o.Criterion, o.MinGroupSize = "worst-group", 1000 },
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
func TestMemoryThatCannotBeRead(t *testing.T) {
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

// Of two groups there is a worse one, of one there is not: without being told, the choice
// looks at the worst group, or at the tail.
func TestCriterionFollowsTheGroups(t *testing.T) {
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

// What is not asked for is a hundredth of the average where the tail is, nothing where it is
// left, and has no end where a worst group is traded for the average.
func TestBudgetFollowsTheCriterion(t *testing.T) {
	nan, none := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		asked, criterion string
		budget, want     float64
	}{
		{"", "tail", nan, 0}, {"tail", "tail", nan, 0.01}, {"", "worst-group", nan, none}, {"", "subgroup", nan, none}, {"average", "average", nan, none},
		{"", "tail", 0.2, 0.2}, {"", "worst-group", 0, 0}, {"tail", "tail", none, none},
	} {
		s := &choosing{Selection: &Selection{Criterion: c.criterion}, options: Options{Criterion: c.asked, Budget: c.budget}}
		s.afford()
		if told := s.Budget; s.budget != c.want || (told == nil) != (c.want == none) || told != nil && *told != c.want {
			t.Errorf("%q asked for, %q, budget %v: %v, told %v", c.asked, c.criterion, c.budget, s.budget, told)
		}
	}
}

// The ends of the ranges of what a choice may be told.
func TestOptionsAtTheirEnds(t *testing.T) {
	for _, c := range []struct {
		change func(o *Options)
		ok     bool
	}{
		{func(o *Options) {}, true},
		{func(o *Options) { o.Folds = 2 }, true}, {func(o *Options) { o.Folds = 1 }, false},
		{func(o *Options) { o.Levels = 1 }, true}, {func(o *Options) { o.Levels = 0 }, false},
		{func(o *Options) { o.Rate = 0 }, true}, {func(o *Options) { o.Rate = -1e-300 }, false}, {func(o *Options) { o.Rate = math.Inf(1) }, false}, {func(o *Options) { o.Rate = math.NaN() }, false},
		{func(o *Options) { o.Budget = 0 }, true}, {func(o *Options) { o.Budget = -1e-300 }, false}, {func(o *Options) { o.Budget = math.NaN() }, true},
		{func(o *Options) { o.Tail = 1 }, true}, {func(o *Options) { o.Tail = 1.0000001 }, false}, {func(o *Options) { o.Tail = 0 }, false}, {func(o *Options) { o.Tail = 1e-300 }, true},
		{func(o *Options) { o.Criterion = "" }, true}, {func(o *Options) { o.Criterion = "best" }, false}, {func(o *Options) { o.Rule = "" }, false},
	} {
		o := DefaultOptions()
		c.change(&o)
		if err := o.Validate(); (err == nil) != c.ok {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// Estimates of random losses are what their definitions say, and the influence of a row is
// the derivative of the estimate by the logarithm of its weight.
func TestEstimatesAgainstTheirDefinitions(t *testing.T) {
	const n, folds = 60, 3
	rng := rand.New(rand.NewPCG(21, 4))
	for trial := range 3 {
		loss, fold := make([]float64, n), make([]int, n)
		r := level.Rows{N: n, Labels: []string{"a", "b", "few", "c", "one fold"}, Group: make([]int32, n), Weights: make([]float64, n)}
		for j := range loss {
			loss[j], fold[j], r.Weights[j] = rng.NormFloat64(), j%folds, 0.2+rng.ExpFloat64()
			r.Group[j] = []int32{0, 1, 3, -1}[rng.IntN(4)]
		}
		r.Group[0], r.Group[1], r.Group[3], r.Group[6], r.Group[9] = 2, 2, 4, 4, 4
		m := newMeasure(r, fold, folds, 3, 0.2)
		if count := m.groups(); count != 3 || m.eligible[2] || m.eligible[4] || !m.grouped() {
			t.Fatalf("%d groups may be the worst: %v", count, m.eligible)
		}
		share := func(g, j int) float64 { // of row j in group g
			switch {
			case r.Group[j] == int32(g) && m.eligible[g]:
				return m.weight[j]
			}
			return 0
		}
		mean := func(g int, of func(j int) bool) (value, mass float64) {
			for j := range loss {
				if of(j) {
					value, mass = value+share(g, j)*loss[j], mass+share(g, j)
				}
			}
			return value / mass, mass
		}
		named := func(k int) (value float64, at int) { // by the folds besides k
			most := math.Inf(-1)
			for g := range m.eligible {
				if v, w := mean(g, func(j int) bool { return fold[j] != k }); w > 0 && v > most {
					most, at = v, g
				}
			}
			value, _ = mean(at, func(j int) bool { return fold[j] == k })
			return value, at
		}
		worst := 0.0
		for k := range folds {
			value, _ := named(k)
			worst += value / folds
		}
		if e := m.worst(loss); !(math.Abs(e.value-worst) <= 1e-12) {
			t.Errorf("trial %d: worst group %v, not %v", trial, e.value, worst)
		}
		s := m.scales(loss)
		average, spread, total := 0.0, 0.0, 0.0
		for j, v := range loss {
			average, total = average+m.weight[j]*v, total+m.weight[j]
		}
		average /= total
		for j, v := range loss {
			spread += m.weight[j] * (v - average) * (v - average) / total
		}
		if !(math.Abs(s.mean-average) <= 1e-12) || !(math.Abs(s.deviation-math.Sqrt(spread)) <= 1e-12) || !(math.Abs(m.total-total) <= 1e-12*total) {
			t.Errorf("scales %+v, not %v and %v", s, average, math.Sqrt(spread))
		}
		// CVaR: the least of q + mean of (loss − q)₊/share.
		tail := math.Inf(1)
		for _, q := range loss {
			v := q
			for j, l := range loss {
				v += m.weight[j] / total * max(0, l-q) / 0.2
			}
			tail = min(tail, v)
		}
		if e := m.conditional(loss); !(math.Abs(e.value-tail) <= 1e-12) {
			t.Errorf("tail %v, not %v", e.value, tail)
		}
		// In the worst group by the mean of all folds, that of its own stands in the derivative.
		recentred := make([]float64, n)
		for k := range folds {
			_, at := named(k)
			own, mass := mean(at, func(j int) bool { return fold[j] == k })
			whole, _ := mean(at, func(int) bool { return true })
			for j := range loss {
				if fold[j] == k {
					recentred[j] = share(at, j) / mass / folds * (own - whole)
				}
			}
		}
		for name, of := range map[string]func([]float64) estimate{"average": m.average, "worst": m.worst, "tail": m.conditional} {
			e := of(loss)
			const h = 1e-6
			for j := range loss {
				was, all := m.weight[j], m.total
				m.weight[j], m.total = was*(1+h), all+was*h
				up := of(loss).value
				m.weight[j], m.total = was*(1-h), all-was*h
				down := of(loss).value
				m.weight[j], m.total = was, all
				d := (up - down) / (2 * h)
				if name == "worst" {
					d += recentred[j]
				}
				if !(math.Abs(d-e.influence[j]) <= 1e-6) {
					t.Errorf("trial %d, %s: row %d has influence %v, the derivative is %v", trial, name, j, e.influence[j], d)
				}
			}
		}
	}
}

// Of a group with few rows in a fold, or one, the error is as large as that of the mean of them all:
// of a single group the worst is the average.
func TestErrorOfFewRowsInAFold(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 4))
	for _, folds := range []int{2, 5, 20} {
		const n = 20
		r := level.Rows{N: n, Labels: []string{"all"}, Group: make([]int32, n)}
		loss, fold := make([]float64, n), make([]int, n)
		for j := range loss {
			loss[j], fold[j] = rng.ExpFloat64(), j%folds
		}
		m := newMeasure(r, fold, folds, n, 0.2)
		m.groups()
		a, b := m.average(loss), m.worst(loss)
		if !(math.Abs(a.value-b.value) <= 1e-12) || floats.Distance(a.influence, b.influence, 2) > 1e-12 {
			t.Errorf("%d folds: %v by %v, the average %v by %v", folds, b.value, b.influence, a.value, a.influence)
		}
	}
}

// What a choice records is what it did: the averages of every μ tried and how they differ,
// a path from its first price to its last, progress up to the end, and margins of every row
// by a model that has not seen it.
func TestRecordsOfAChoice(t *testing.T) {
	a := table(t, 300, 0.1, true)
	o := DefaultOptions()
	o.Path, o.Ridge, o.Levels, o.Folds = true, true, 3, 3
	done, total := 0, 0
	o.Observe = func(d, of int) {
		if d < done || d > of || total > 0 && of != total {
			t.Errorf("%d of %d after %d of %d", d, of, done, total)
		}
		done, total = d, of
	}
	s := choose(t, a, o)
	if done != total || total < 3*3 {
		t.Errorf("progress ended at %d of %d", done, total)
	}
	// Every candidate is solved in every fold, in 300 passes at most; so is each family's start.
	solves := float64(s.Folds * (2*len(s.Candidates) + len(s.Ridges) + 2 + 2*(3+pathMore)))
	if s.Passes > 300*solves || s.Passes < float64((s.Folds-1)*len(s.Candidates)) {
		t.Errorf("%v passes for %v problems at most", s.Passes, solves)
	}
	if len(s.Ridges) != 4 || s.Ridges[0].Mu != a.Primal.Mu || s.Ridges[0].Fall != 0 || s.Ridges[0].SE != 0 {
		t.Fatalf("%+v", s.Ridges)
	}
	best := s.Ridges[0]
	for _, r := range s.Ridges[1:] {
		if !(math.Abs(r.Fall-(s.Ridges[0].Average-r.Average)) <= 1e-12) || (r.SE > 0) != (r.Fall != 0) {
			t.Errorf("%+v, the first %+v", r, s.Ridges[0])
		}
		if r.Fall > max(best.Fall, 2*r.SE, worth*s.Ridges[0].Average) {
			best = r
		}
	}
	if s.Mu != best.Mu {
		t.Errorf("μ = %v, the best is %v", s.Mu, best.Mu)
	}
	for _, p := range s.Paths {
		last := len(p.Nu) - 1
		low, high := p.Solved[0], p.Solved[len(p.Solved)-1]
		if last+1 != pathPoints || p.Nu[0] != low || !(math.Abs(p.Nu[last]/high-1) <= 1e-12) || len(p.Upper) != pathPoints || len(p.Lower) != pathPoints {
			t.Errorf("%s: %d prices from %v to %v, solved from %v to %v", p.Penalty, last+1, p.Nu[0], p.Nu[last], low, high)
		}
		for k := 1; k <= last; k++ {
			if step := p.Nu[k] / p.Nu[k-1]; !(math.Abs(step/math.Pow(high/low, 1.0/float64(last))-1) <= 1e-9) {
				t.Errorf("%s: a step of %v", p.Penalty, step)
			}
		}
		if len(p.Solved) > 3+pathMore {
			t.Errorf("%s: %d prices solved", p.Penalty, len(p.Solved))
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

// Out of the race is what two standard errors keep from the best, from any gain or from the
// budget; what is too dear for now holds nobody back.
func TestRaceLeavesBehind(t *testing.T) {
	for what, v := range map[string]struct {
		criterion string
		c         []Candidate
		want      []bool
	}{
		"far below the best":     {"worst-group", []Candidate{{Fall: 1, SE: 0.01}, {Fall: 0.1, SE: 0.01}}, []bool{true, false}},
		"within the errors":      {"worst-group", []Candidate{{Fall: 1, SE: 0.2}, {Fall: 0.9, SE: 0.3}}, []bool{true, true}},
		"as good at most":        {"worst-group", []Candidate{{Fall: 1, SE: 0.125}, {Fall: 0.5, SE: 0.125}}, []bool{true, false}},
		"no gain":                {"worst-group", []Candidate{{Fall: -0.1, SE: 0.01}, {Fall: -0.1, SE: 0.1}}, []bool{false, true}},
		"a gain for a rise":      {"worst-group", []Candidate{{Fall: 0.1, SE: 0.01, Rise: 0.2}, {Fall: 0.1, SE: 0.01, Rise: 0.2, RiseSE: 0.1}}, []bool{false, true}},
		"beyond the budget":      {"tail", []Candidate{{Fall: 9, SE: 0.01, Rise: 0.3, RiseSE: 0.01}, {Fall: 1, SE: 0.01}}, []bool{false, true}},
		"perhaps beyond it":      {"tail", []Candidate{{Fall: 9, SE: 0.01, Rise: 0.3, RiseSE: 0.1}, {Fall: 1, SE: 0.01}}, []bool{true, true}},
		"at the end of a budget": {"tail", []Candidate{{Fall: 9, SE: 0.01, Rise: 0.25}, {Fall: 1, SE: 0.01}}, []bool{true, false}},
	} {
		s := &Selection{Criterion: v.criterion, Rate: 2, Candidates: append([]Candidate{{Average: 1}}, v.c...)}
		alive := make([]bool, 3)
		budget := 0.25
		if s.leaveBehind(alive, budget); alive[1] != v.want[0] || alive[2] != v.want[1] {
			t.Errorf("%s: %v are left in the race, want %v", what, alive[1:], v.want)
		}
	}
}

// Of many columns candidates are solved for by gradients where these do, and to the same
// accuracy where columns are nearly dependent and they do not.
func TestWideTablesAreSolved(t *testing.T) {
	const n, d = 2500, 320
	for _, shared := range []float64{0, 0.98} { // of every column's variance with its neighbour
		rng := rand.New(rand.NewPCG(5, 6))
		z, target := make([]float64, n*d), make([]float64, n)
		for i := range target {
			last, sum := rng.NormFloat64(), 0.0
			for j := range d {
				last = math.Sqrt(shared)*last + math.Sqrt(1-shared)*rng.NormFloat64()
				z[i*d+j] = last
				sum += last * float64(j%5-2)
			}
			target[i] = 1
			if 2*rng.NormFloat64() > sum/20 {
				target[i] = -1
			}
		}
		x, err := design.NewDense(n, d, z)
		if err != nil {
			t.Fatal(err)
		}
		tb := &Table{Rows: level.Rows{N: n}, X: x, Target: target, Loss: losses.Logistic{}, Primal: dro.L2{Mu: 1e-4}}
		nu := 2.0
		l := level.Level{Nu: &nu, Penalty: "kl"}
		got, _, err := tb.Solve(t.Context(), l, nil)
		if err != nil {
			t.Fatal(err)
		}
		oracle, err := losses.NewLinear(tb.Loss, x, target)
		if err != nil {
			t.Fatal(err)
		}
		dual, err := l.Dual(tb.Rows)
		if err != nil {
			t.Fatal(err)
		}
		p := &dro.Problem{Oracle: oracle, Dual: dual, Primal: tb.Primal}
		at, err := dro.Certify(p, got)
		if err != nil {
			t.Fatal(err)
		}
		res, err := dro.Solve(t.Context(), p, &dro.Options{Method: dro.Newton{}})
		if err != nil || res.Certificate.Relative() > 1e-6 {
			t.Fatalf("%v, %v", res.Status, err)
		}
		if at.Upper > res.Objective*(1+1.01*accuracy) {
			t.Errorf("%v shared: the objective is %v, the least %v", shared, at.Upper, res.Objective)
		}
	}
}

// A round goes on from where the one before ended: the same candidates again take next to
// nothing.
func TestRoundsGoOn(t *testing.T) {
	tb := table(t, 600, 0.2, true)
	of := []family{{name: "kl", levels: []level.Level{{Penalty: "kl", Nu: level.At(1)}, {Penalty: "kl", Nu: level.At(0.3)}}}}
	fold := make([]int, tb.N)
	for i := range fold {
		fold[i] = i % 3
	}
	r := &race{table: tb, fold: fold, count: 3, of: of, alive: []bool{true, true, true}, from: make([][]float64, 9), tell: func() {}}
	first, err := r.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	took := r.passes
	again, err := r.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if more := r.passes - took; !(more < took/2) {
		t.Errorf("%v passes, and %v again", took, more)
	}
	for c := range first {
		for j := range first[c] {
			if !(math.Abs(first[c][j]-again[c][j]) <= 0.02*(1+first[c][j])) {
				t.Fatalf("candidate %d, row %d: a loss of %v, %v again", c, j, first[c][j], again[c][j])
			}
		}
	}
}

// The spread of losses far from zero is about their mean, by the weights of the rows.
func TestScalesOfLossesFarFromZero(t *testing.T) {
	loss, weight, fold := make([]float64, 100), make([]float64, 100), make([]int, 100)
	rng, total, sum, squares := rand.New(rand.NewPCG(1, 1)), 0.0, 0.0, 0.0
	for j := range loss {
		w, v := 1+rng.Float64(), rng.NormFloat64()
		loss[j] = 1e9 + v
		weight[j], fold[j] = w, j%2
		total, sum, squares = total+w, sum+w*v, squares+w*v*v
	}
	mean := sum / total
	s := newMeasure(level.Rows{N: 100, Weights: weight}, fold, 2, 1, 0.5).scales(loss)
	if want := math.Sqrt(squares/total - mean*mean); !(math.Abs(s.mean-1e9-mean) <= 1e-5 && math.Abs(s.deviation-want) <= 1e-5) {
		t.Errorf("mean %v and %v, deviation %v, not %v and %v", 1e9, s.mean-1e9, s.deviation, mean, want)
	}
}

// A group may be the worst that has the rows for it, of weights above zero, some in every fold.
func TestGroupsThatMayBeTheWorst(t *testing.T) {
	rows := level.Rows{N: 11, Labels: []string{"enough", "few", "in one fold", "of no weight"},
		Group: []int32{0, 0, 0, 1, 1, 2, 2, 2, 3, 3, -1}, Weights: []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1}}
	m := newMeasure(rows, []int{0, 1, 1, 0, 1, 0, 0, 0, 0, 1, 1}, 2, 3, 0.5)
	if n := m.groups(); n != 1 || !reflect.DeepEqual(m.eligible, []bool{true, false, false, false}) {
		t.Errorf("%d groups: %v", n, m.eligible)
	}
	m = newMeasure(rows, m.fold, 2, 2, 0.5)
	if n := m.groups(); n != 2 || !reflect.DeepEqual(m.eligible, []bool{true, true, false, false}) {
		t.Errorf("of two rows at least, %d groups: %v", n, m.eligible)
	}
}
