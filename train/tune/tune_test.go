package tune

import (
	"context"
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
	if v := *best.WorstGroup; math.Abs(v/chosen-1) > 0.15 {
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
	if e := m.average(loss); math.Abs(e.value-5.5) > 1e-12 {
		t.Errorf("average %v", e.value)
	}
	if e := m.conditional(loss); math.Abs(e.value-9.5) > 1e-12 { // of 9 and 10
		t.Errorf("tail %v", e.value)
	}
	// b is the worst on either fold's others: its means are (2+6+10)/3 and (4+8)/2.
	groups := m.groups()
	if e := m.worst(loss); groups != 2 || math.Abs(e.value-6) > 1e-12 {
		t.Errorf("worst %v of %d groups", e.value, groups)
	}
	// The error of a difference of averages is that of the paired differences.
	other := []float64{0, 2, 2, 4, 4, 6, 6, 8, 8, 10}
	difference, se := m.average(loss).minus(m.average(other))
	if math.Abs(difference-0.5) > 1e-12 || math.Abs(se-math.Sqrt(10*0.25)/10) > 1e-12 {
		t.Errorf("difference %v ± %v", difference, se)
	}
	// Weights of 2 are rows twice.
	r.Weights = []float64{2, 1, 1, 1, 1, 1, 1, 1, 1, 2}
	m = newMeasure(r, fold, 2, 1, 0.25)
	if e := m.average(loss); math.Abs(e.value-66.0/12) > 1e-12 {
		t.Errorf("weighted average %v", e.value)
	}
	if e := m.conditional(loss); math.Abs(e.value-29.0/3) > 1e-12 {
		t.Errorf("weighted tail %v", e.value)
	}
}

func TestRule(t *testing.T) {
	pick := func(criterion string, rate, budget float64, rule string, c ...Candidate) int {
		s := &Selection{Criterion: criterion, Rate: rate, Candidates: append([]Candidate{{Average: 1}}, c...)}
		s.choose(rule, budget)
		return s.Chosen
	}
	none := math.Inf(1)
	for what, v := range map[string][2]int{
		"too small a fall":      {pick("worst-group", 2, none, "best", Candidate{Fall: 0.1, SE: 0.11}), 0},
		"too dear":              {pick("worst-group", 2, none, "best", Candidate{Fall: 0.1, SE: 0.01, Rise: 0.06}), 0},
		"worth it":              {pick("worst-group", 2, none, "best", Candidate{Fall: 0.1, SE: 0.01, Rise: 0.04}), 1},
		"a lower average":       {pick("worst-group", 2, none, "best", Candidate{Fall: 0.1, SE: 0.01, Rise: -0.04}), 1},
		"the better of two":     {pick("worst-group", 2, none, "best", Candidate{Fall: 0.1, SE: 0.01, Rise: 0.04}, Candidate{Fall: 0.1, SE: 0.01, Rise: 0.01}), 2},
		"a tie":                 {pick("worst-group", 2, none, "best", Candidate{Fall: 0.1, SE: 0.01}, Candidate{Fall: 0.1, SE: 0.01}), 1},
		"over budget":           {pick("worst-group", 2, 0.01, "best", Candidate{Fall: 0.1, SE: 0.01, Rise: 0.02}), 0},
		"within one se":         {pick("worst-group", 2, none, "se", Candidate{Fall: 0.1, SE: 0.02}, Candidate{Fall: 0.11, SE: 0.02}), 1},
		"nothing to speak of":   {pick("worst-group", 2, none, "best", Candidate{Fall: 0.0009, SE: 1e-5}), 0},
		"all but a tie":         {pick("worst-group", 2, none, "best", Candidate{Fall: 0.1, SE: 0.01}, Candidate{Fall: 0.1005, SE: 0.01}), 1},
		"beyond one se":         {pick("worst-group", 2, none, "se", Candidate{Fall: 0.1, SE: 0.02}, Candidate{Fall: 0.13, SE: 0.02}), 2},
		"tail within budget":    {pick("tail", 2, 0.01, "best", Candidate{Fall: 0.1, SE: 0.01, Rise: 0.009}), 1},
		"tail beyond budget":    {pick("tail", 2, 0.01, "best", Candidate{Fall: 9, SE: 0.01, Rise: 0.011}), 0},
		"nothing but ERM there": {pick("tail", 2, 0.01, "best"), 0},
	} {
		if v[0] != v[1] {
			t.Errorf("%s: candidate %d, not %d", what, v[0], v[1])
		}
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
