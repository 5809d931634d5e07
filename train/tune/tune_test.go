package tune

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/level"
)

// table draws rows, of which a proportion has another slope.
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
	return &Table{Rows: r, X: x, Target: target, Loss: losses.Squared{},
		Primal: dro.L2{Mu: 1 / float64(n), Intercept: true, FreeModulus: 1}}
}

func choose(t testing.TB, table *Table, o Options) *Selection {
	t.Helper()
	s, err := Select(context.Background(), table, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// If a group has another slope, the choice is group DRO or group-balanced ERM, and the worst group's risk on new rows
// decreases by a third. If all rows have one distribution, the choice is ERM.
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
	if s := choose(t, table(t, 2000, 0, false), DefaultOptions()); s.Best().Family != "erm" ||
		!strings.Contains(s.Reason, " is kept") {
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
func TestFolds_AreStratified(t *testing.T) {
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

// With many noise columns a large μ is better. Every family has its own μ, beyond the first 100/n, and the reference
// has 1/n unless another value is better by a standard error.
func TestSelect_MuOfEachFamily(t *testing.T) {
	const n, d = 240, 60
	rng := rand.New(rand.NewPCG(5, 1))
	a := table(t, n, 0.2, true)
	z := make([]float64, n*d)
	for i := range z {
		if z[i] = rng.NormFloat64(); i%d == d-1 {
			z[i] = 1
		}
	}
	for j := range a.Target {
		a.Target[j] = float64(1-2*a.Group[j])*z[j*d]/8 + rng.NormFloat64()
	}
	var err error
	if a.X, err = design.NewDense(n, d, z); err != nil {
		t.Fatal(err)
	}
	o := DefaultOptions()
	o.Ridge = true
	s := choose(t, a, o)
	if s.Candidates[0].Family != "erm" || !(s.Candidates[0].Mu > a.Primal.Mu) {
		t.Errorf("the reference is %+v", s.Candidates[0])
	}
	largest := map[string]float64{}
	for _, c := range s.Candidates {
		largest[c.Family] = max(largest[c.Family], c.Mu)
	}
	for _, family := range []string{"erm", "balanced", "half", "subsets", "groups"} {
		if !(largest[family] > 100.5*a.Primal.Mu && largest[family] <= maxMu) {
			t.Errorf("%s: the largest μ is %v, and 1/n is %v", family, largest[family], a.Primal.Mu)
		}
		if mu := s.MuOf(family, math.NaN()); !(mu > 0) {
			t.Errorf("μ of %s: %v", family, mu)
		}
	}
	if mu := s.MuOf("none", 7); mu != 7 {
		t.Errorf("μ of a family that was not tried: %v", mu)
	}
	o.SharedColumns = WideColumns - 1 // the other columns are products for coefficients of groups
	for _, c := range choose(t, a, o).Candidates {
		if c.Family == "subsets" {
			t.Errorf("balanced subsets are tried with %d shared columns", o.SharedColumns)
		}
	}
}

func TestSelect_InvalidOptionsAndRows(t *testing.T) {
	a := table(t, 60, 0.2, true)
	a.Loss = losses.Logistic{}
	for j := range a.Target {
		a.Target[j] = -1
	}
	a.Target[0], a.Target[1] = 1, 1
	if _, err := Select(context.Background(), a, nil, DefaultOptions()); err == nil ||
		!strings.Contains(err.Error(), "a fold would lack a class: only 2 of the 60") {
		t.Errorf("two of a class, three folds: %v", err)
	}
	for want, change := range map[string]func(*Options){
		"Config.Folds is 1":      func(o *Options) { o.Folds = 1 },
		"100 folds for 60":       func(o *Options) { o.Folds = 100 },
		"Config.Rate is -1":      func(o *Options) { o.Rate = -1 },
		"Config.Budget is -1":    func(o *Options) { o.Budget = -1 },
		"Config.Select is \"x\"": func(o *Options) { o.Criterion = "x" },
		"needs groups of":        func(o *Options) { o.Criterion, o.Folds = "worst-group", 60 },
	} {
		o := DefaultOptions()
		change(&o)
		if _, err := Select(context.Background(), table(t, 60, 0.2, true), nil, o); err == nil ||
			!strings.Contains(err.Error(), want) {
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

// An error of Memory.Load ends the choice; an empty memory changes no number.
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

// The default criterion is the trade-off with two groups, and the tail with one.
func TestSelect_CriterionFollowsTheGroups(t *testing.T) {
	a := table(t, 300, 0.3, true)
	if s := choose(t, a, DefaultOptions()); s.Criterion != "trade-off" || s.Rows != 300 || s.Of != 300 {
		t.Errorf("of two groups: %s, by %d rows of %d", s.Criterion, s.Rows, s.Of)
	}
	fewer := DefaultOptions()
	fewer.Rows = 200
	if s := choose(t, a, fewer); s.Rows != 200 || s.Of != 300 {
		t.Errorf("by %d rows of %d", s.Rows, s.Of)
	}
	a = table(t, 300, 0, true)
	if s := choose(t, a, DefaultOptions()); s.Criterion != "tail" {
		t.Errorf("of one group: %s", s.Criterion)
	}
}

// A selection holds a path between its extreme coefficients, progress is reported up to the total, and Margins are
// those of models that were not fitted to the row.
func TestSelection_RecordsOfAChoice(t *testing.T) {
	a := table(t, 300, 0.1, false)
	o := DefaultOptions()
	o.Path, o.Ridge, o.Folds = true, true, 3
	done, total := 0, 0
	o.Observe = func(d, of int) {
		if d < done || d > of || of < total {
			t.Errorf("%d of %d after %d of %d", d, of, done, total)
		}
		done, total = d, of
	}
	s := choose(t, a, o)
	if done != total || total != 3*len(s.Candidates) {
		t.Errorf("progress ended at %d of %d", done, total)
	}
	// Every candidate is solved in every fold, in 300 passes at most; so is each family's start.
	solves := float64(s.Folds * (2*len(s.Candidates) + 2 + 5 + pathMore))
	if s.Passes > 300*solves || s.Passes < float64((s.Folds-1)*len(s.Candidates)) {
		t.Errorf("%v passes for %v problems at most", s.Passes, solves)
	}
	if len(s.Paths) != 1 {
		t.Fatalf("%d paths", len(s.Paths))
	}
	for _, p := range s.Paths {
		last := len(p.Nu) - 1
		low, high := p.Solved[0], p.Solved[len(p.Solved)-1]
		if last+1 != pathPoints || p.Nu[0] != low || math.Abs(p.Nu[last]/high-1) > 1e-12 || len(p.Upper) != pathPoints ||
			len(p.Lower) != pathPoints {
			t.Errorf("%s: %d coefficients from %v to %v, solved from %v to %v", p.Penalty, last+1, p.Nu[0], p.Nu[last], low,
				high)
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
	margins, err := a.Margins(t.Context(), s.Candidates[0].Level, 3, 7, nil,
		func(d, of int) { told = append(told, [2]int{d, of}) })
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

// Estimates and standard errors agree with arithmetic by hand.
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
	near("the tail", m.estimateTail(loss, nil).value, 10)
	near("the deviation", m.deviation(loss), math.Sqrt(8.25))
	if m.countEligible() != 2 {
		t.Errorf("%d eligible groups", m.countEligible())
	}
	other := []float64{0, 2, 2, 4, 4, 6, 6, 8, 8, 10}
	difference, se := m.average(loss).subtract(m.average(other))
	near("the difference of averages", difference, 0.5)
	near("its error", se, math.Sqrt(10*0.25)/10)
	r.Weights = []float64{2, 1, 1, 1, 1, 1, 1, 1, 1, 2}
	m = newMeasure(r, fold, 2, 1)
	near("the weighted average", m.average(loss).value, 66.0/12)
	near("the weighted tail", m.estimateTail(loss, nil).value, 10)
}

// The influence of a row on the average and on the tail is the derivative of the estimate with respect to the
// logarithm of the row's weight. The tail is the minimum over q of q + mean of (loss − q)₊/proportion.
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
		for _, known := range []int{0, 1, len(loss) / 20, len(loss) / 4, len(loss)} { // rows that were sorted before
			if again, all := m.estimateTail(loss, rowsByValue(loss)[:known]), m.estimateTail(loss, nil); again.value != all.value ||
				!slices.Equal(again.influence, all.influence) {
				t.Errorf("with %d rows sorted before: %v, want %v", known, again.value, all.value)
			}
		}
		if got := m.estimateTail(loss, nil).value; !(math.Abs(got-tail) <= 1e-12) {
			t.Errorf("tail %v, not %v", got, tail)
		}
		for name, of := range map[string]func([]float64) estimate{"average": m.average,
			"tail": func(v []float64) estimate { return m.estimateTail(v, nil) }} {
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

// The worst group has the largest weighted mean, the squares of its influences sum to the variance of this mean, and
// the smoothed value is the expectation of the largest mean under normal errors.
func TestMeasure_WorstAgainstItsDefinition(t *testing.T) {
	const n = 90
	rng := rand.New(rand.NewPCG(31, 4))
	fold := make([]int, n)
	r := level.Rows{N: n, Labels: []string{"a", "b", "c"}, Group: make([]int32, n), Weights: make([]float64, n)}
	loss := make([]float64, n)
	for j := range fold {
		fold[j], r.Group[j], r.Weights[j] = j%3, int32(j/3%3), 0.5+rng.Float64()
		loss[j] = rng.ExpFloat64() + 0.1*float64(r.Group[j])
	}
	var mean, se, mass, count [3]float64
	for j, g := range r.Group {
		mean[g], mass[g], count[g] = mean[g]+r.Weights[j]*loss[j], mass[g]+r.Weights[j], count[g]+1
	}
	for g := range mean {
		mean[g] /= mass[g]
	}
	for j, g := range r.Group {
		v := r.Weights[j] / mass[g] * (loss[j] - mean[g])
		se[g] += v * v * count[g] / (count[g] - 1)
	}
	at := 0
	for g := range mean {
		if se[g] = math.Sqrt(se[g]); mean[g] > mean[at] {
			at = g
		}
	}
	m := newMeasure(r, fold, 3, 5)
	got := m.estimateWorst(loss, false)
	zero := estimate{influence: make([]float64, n)}
	if _, own := got.subtract(zero); got.value != mean[at] || got.rows != int(count[at]) ||
		!(math.Abs(own-se[at]) <= 1e-12) {
		t.Errorf("%v of %d rows, se %v; want %v of %v, se %v", got.value, got.rows, own, mean[at], count[at], se[at])
	}
	const draws = 200_000
	want := 0.0
	for range draws {
		largest := math.Inf(-1)
		for g := range mean {
			largest = max(largest, mean[g]+se[g]*rng.NormFloat64())
		}
		want += largest / draws
	}
	if smooth := m.estimateWorst(loss, true).value; !(math.Abs(smooth-want) <= 0.03) || !(smooth > mean[at]) {
		t.Errorf("smoothed %v, by simulation %v, the largest mean is %v", smooth, want, mean[at])
	}
}

// A group is eligible if it has the rows for it, of positive weight, some in every fold.
// A smoothed error is the probability that the margin with a normal error is below 0. Its deviation is the mean
// absolute margin over the cube root of the group's rows, so that it does not depend on the scale.
func TestMeasure_SmoothErrors(t *testing.T) {
	r := level.Rows{N: 10, Labels: []string{"a", "b"}, Group: []int32{0, 0, 1, 1, 1, 1, 1, 1, 1, 1},
		Weights: []float64{1, 3, 1, 1, 1, 1, 1, 1, 1, 1}}
	lead := []float64{-1, 3, 0, 0.5, -0.25, 40, 1, 2, 3, 4}
	m := newMeasure(r, make([]int, 10), 1, 2)
	size := ((1+3*3)/4.0 + (0.5+0.25+40+1+2+3+4)/8) / 2
	for _, scale := range []float64{1, 1e-6, 1e6} {
		scaled := make([]float64, len(lead))
		floats.ScaleTo(scaled, scale, lead)
		for j, got := range m.smoothErrors(scaled) {
			deviation := size / math.Cbrt([]float64{2, 8}[r.Group[j]])
			if want := (distuv.Normal{Sigma: deviation}).CDF(-lead[j]); !(math.Abs(got-want) <= 1e-12) {
				t.Errorf("scale %v, margin %v: %v, want %v", scale, lead[j], got, want)
			}
		}
	}
	if got := m.smoothErrors(make([]float64, 10)); slices.Max(got) != 0 {
		t.Errorf("margins of 0: %v", got)
	}
}

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

// drawnJudge returns a judge of candidates in two groups of rows rows. ERM has losses around 1 in the first group
// and around 2 in the second; shift holds the change of each other candidate by group. Changes have noise.
func drawnJudge(rows int, noise float64, shift ...[2]float64) *judge {
	rng := rand.New(rand.NewPCG(9, uint64(rows)))
	r := level.Rows{N: 2 * rows, Labels: []string{"low", "high"}, Group: make([]int32, 2*rows)}
	fold := make([]int, r.N)
	v := values{losses: make([][]float64, 1+len(shift))}
	for c := range v.losses {
		v.losses[c] = make([]float64, r.N)
	}
	for j := range r.N {
		g := j % 2
		r.Group[j], fold[j] = int32(g), j/2%2
		v.losses[0][j] = float64(1+g) + 0.1*rng.NormFloat64()
		for c, by := range shift {
			v.losses[c+1][j] = v.losses[0][j] + by[g] + noise*float64(1-j/2%2*2)
		}
	}
	return &judge{measure: newMeasure(r, fold, 2, 1), values: v, rate: 2, largest: map[int][]int32{}}
}

// Every criterion selects the minimum that its name states, and ERM is kept unless the improvement exceeds the
// required standard errors, widened by Student's quantile if few rows decide.
func TestJudge_Choose(t *testing.T) {
	all := func(int) bool { return true }
	for _, c := range []struct {
		name, criterion string
		judge           *judge
		want            int
	}{
		{"a lower worst group", "worst-group", drawnJudge(50, 0.1, [2]float64{0.1, -0.2}), 1},
		{"the lowest worst group", "worst-group", drawnJudge(50, 0.1, [2]float64{0.1, -0.2}, [2]float64{0.55, -0.4}), 2},
		{"a trade-off", "trade-off", drawnJudge(50, 0.1, [2]float64{0.1, -0.2}, [2]float64{0.55, -0.4}), 1},
		{"the average", "average", drawnJudge(50, 0.1, [2]float64{0.55, -0.4}), 0},
		{"the lowest average", "average", drawnJudge(50, 0.1, [2]float64{0.55, -0.4}, [2]float64{-0.1, 0}), 2},
		{"within 1.5 errors", "worst-group", drawnJudge(50, 0.5, [2]float64{0, -0.08}), 0},
		{"beyond 1.5 errors", "worst-group", drawnJudge(50, 0.5, [2]float64{0, -0.12}), 1},
		{"a tie with the other group", "worst-group", drawnJudge(50, 0.1, [2]float64{1.1, -0.1}), 0},
		{"1.6 errors of 4 rows", "worst-group", drawnJudge(4, 0.5, [2]float64{0, -0.46}), 0},
		{"too small to matter", "worst-group", drawnJudge(50, 1e-9, [2]float64{0, -0.005}), 0},
	} {
		if got := c.judge.choose(c.criterion, all); got != c.want {
			decrease, se, rows := c.judge.improvement(c.criterion, max(1, got))
			t.Errorf("%s: candidate %d, not %d (improvement %v, se %v, %d rows)", c.name, got, c.want, decrease, se, rows)
		}
	}
	j := drawnJudge(50, 0.1, [2]float64{0.1, -0.2}, [2]float64{0.55, -0.4})
	if got := j.choose("worst-group", func(c int) bool { return c != 2 }); got != 1 {
		t.Errorf("without the second: %d", got)
	}
}

// By accuracy the smallest smoothed error rate decides, even if another candidate within its standard error has the
// smaller risk: in simulated last layers, the smaller risk often belongs to a model with a worse worst group.
func TestJudge_AccuracyDecidesAlone(t *testing.T) {
	j := drawnJudge(100, 0.1, [2]float64{3, 1}, [2]float64{0, -0.5})
	j.values.smoothed = make([][]float64, 3)
	for c := range j.values.smoothed {
		j.values.smoothed[c] = make([]float64, 200)
		for i := range 200 {
			wrong := []bool{i < 160, i < 80, i > 117}[c] // 80, 40 and 41 rows of the second group
			if i%2 == 1 && wrong {
				j.values.smoothed[c][i] = 1
			}
		}
	}
	if got := j.choose("worst-group-accuracy", func(int) bool { return true }); got != 1 {
		t.Errorf("candidate %d", got)
	}
}

// With the criterion accuracy, a candidate that is better for the worst group replaces ERM on validation rows,
// however few rows the group has; in cross-validation it does not.
func TestJudge_ValidationRowsReplaceERM(t *testing.T) {
	j := drawnJudge(5, 0.1, [2]float64{0, -0.3})
	j.values.smoothed = [][]float64{{0, 1, 0, 1, 0, 1, 0, 0, 0, 0}, {0, 1, 0, 1, 0, 0, 0, 0, 0, 0}} // 3 and 2 of 5 rows
	all := func(int) bool { return true }
	for validation, want := range map[bool]int{false: 0, true: 1} {
		if j.validation = validation; j.choose("worst-group-accuracy", all) != want {
			t.Errorf("validation rows %v: candidate %d is not chosen", validation, want)
		}
	}
}

// With validation rows, every candidate is fitted once to all training rows and evaluated on the validation rows. The
// mean over balanced subsets of the validation rows is evaluated on rows to which it was not fitted.
func TestSelect_OnValidationRows(t *testing.T) {
	classes := func(n int) *Table {
		a := table(t, n, 0.015, true)
		a.Loss, a.Primal.FreeModulus = losses.Logistic{}, losses.Logistic{}.Smoothness()
		for j, v := range a.Target {
			a.Target[j] = math.Copysign(1, v)
		}
		return a
	}
	a, v := classes(2000), classes(1500)
	a.Validation = v
	o := DefaultOptions()
	o.Criterion, o.Ridge = "worst-group-accuracy", true
	s := choose(t, a, o)
	if s.Validation != v.N || s.Rows != a.N || !strings.Contains(s.Reason, "validation rows") {
		t.Fatalf("validation %d, rows %d, %q", s.Validation, s.Rows, s.Reason)
	}
	families := map[string]bool{}
	for _, k := range s.Candidates {
		families[k.Family] = true
		if k.Family == validationFamily {
			continue
		}
		fitted := *a
		fitted.Primal.Mu = k.Mu
		x, _, err := fitted.Solve(t.Context(), k.Level, nil)
		if err != nil {
			t.Fatal(err)
		}
		margin := make([]float64, v.N)
		v.X.MarginsTo(margin, x, 0, v.N)
		var wrong, count [2]float64
		for j, m := range margin {
			if count[v.Group[j]]++; (m >= 0) != (v.Target[j] > 0) {
				wrong[v.Group[j]]++
			}
		}
		// a row may be at the boundary
		if worst := max(wrong[0]/count[0], wrong[1]/count[1]); !(math.Abs(worst-*k.WorstGroup) <= 1.5/min(count[0],
			count[1])) {
			t.Errorf("%s, μ = %v: worst group %v, and %v by its own training", k.Name, k.Mu, *k.WorstGroup, worst)
		}
	}
	for _, family := range []string{"erm", "balanced", "half", "groups", "subsets", validationFamily} {
		if !families[family] {
			t.Errorf("no candidate of the family %s", family)
		}
	}
	if s.Folds != validationFolds {
		t.Errorf("%d folds of the validation rows", s.Folds)
	}
	a.Group, a.Labels = nil, nil // the groups are known on the validation rows alone
	few := *v                    // four rows of one class
	var keep []int
	for j, y := range v.Target {
		if y > 0 || len(keep) < 4 {
			keep = append(keep, j)
		}
	}
	a.Validation = few.Select(keep)
	if s := choose(t, a, o); s.Folds < 2 || s.Folds > 4 {
		t.Errorf("%d folds with four rows of a class", s.Folds)
	}
	a.Validation = v
	s = choose(t, a, o)
	for _, k := range s.Candidates {
		if k.Family == "balanced" || k.Family == "groups" {
			t.Errorf("without groups of the training rows: %s", k.Name)
		}
	}
	if !(s.Best().Value <= s.Candidates[0].Value) {
		t.Errorf("chosen %+v, ERM %+v", s.Best(), s.Candidates[0])
	}
}

// The clusters of every class are the components of a mixture, up to their order. A class whose rows are all equal is
// one group.
func TestTable_InferGroups(t *testing.T) {
	const n = 400
	rng := rand.New(rand.NewPCG(4, 5))
	z, target, component := make([]float64, 3*n), make([]float64, n), make([]int, n)
	for j := range n {
		target[j] = float64(2*(j%2) - 1)
		component[j] = rng.IntN(4) / 3 // a quarter of the rows
		z[3*j], z[3*j+1], z[3*j+2] = rng.NormFloat64()+target[j], rng.NormFloat64()+5*float64(component[j]), 1
	}
	x, err := design.NewDense(n, 3, z)
	if err != nil {
		t.Fatal(err)
	}
	a := &Table{Rows: level.Rows{N: n}, X: x, Target: target, Loss: losses.Logistic{}}
	r := a.InferGroups()
	if len(r.Labels) != 4 {
		t.Fatalf("groups %q", r.Labels)
	}
	for class := range 2 {
		same := 0
		for j := class; j < n; j += 2 {
			if int(r.Group[j])/2 != class {
				t.Fatalf("row %d of class %d is in group %d", j, class, r.Group[j])
			}
			if int(r.Group[j])%2 == component[j] {
				same++
			}
		}
		if share := float64(same) / (n / 2); min(share, 1-share) > 0.03 {
			t.Errorf("class %d: %v of the rows agree with the components", class, share)
		}
	}
	for j := range n {
		if target[j] < 0 {
			z[3*j], z[3*j+1] = 1, 2
		}
	}
	if r = a.InferGroups(); len(r.Labels) != 3 {
		t.Errorf("a class of equal rows: groups %q", r.Labels)
	}
}

// The factor is the ratio of quantiles, which is 1 for many rows.
func TestStudentFactor_AgainstTables(t *testing.T) {
	for _, c := range []struct{ k, freedom, want float64 }{{1.959964, 10, 2.228139 / 1.959964}, {1.959964, 1e6, 1},
		{1, 1, 1.8373}} {
		if got := studentFactor(c.k, c.freedom); !(math.Abs(got-c.want) <= 1e-4) {
			t.Errorf("k = %v with %v degrees: %v, not %v", c.k, c.freedom, got, c.want)
		}
	}
}

// By default the budget is 1 % if the tail is requested, 0 if the tail is the default criterion, and unlimited for a
// criterion of the worst group.
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

// opposite draws a table of two groups of 10 % with opposite slopes, for which no linear model is better.
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
	return &Table{Rows: r, X: x, Target: target, Loss: losses.Squared{},
		Primal: dro.L2{Mu: 1.0 / n, Intercept: true, FreeModulus: 1}}
}

// Chance decides which of two groups with opposite slopes is the worse, so ERM is kept.
func TestSelect_KeepsERMForOppositeGroups(t *testing.T) {
	for seed := range uint64(40) {
		if s := choose(t, opposite(t, seed), DefaultOptions()); s.Chosen != 0 {
			t.Errorf("seed %d: %s", seed, s.Reason)
		}
	}
}

// Candidates can be compared by the error rate of the worst group if the targets are classes.
func TestSelect_WorstGroupAccuracy(t *testing.T) {
	a := table(t, 2000, 0.2, true)
	o := DefaultOptions()
	o.Criterion, o.Rate = "worst-group-accuracy", 0.5
	if _, err := Select(t.Context(), a, nil, o); err == nil ||
		!strings.Contains(err.Error(), "needs a target with classes") {
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
	if best := s.Best(); s.Chosen == 0 || !(*best.WorstGroup < 0.8**s.Candidates[0].WorstGroup) ||
		!strings.Contains(s.Reason, "worst group’s error rate") {
		t.Errorf("%s", s.Reason)
	}
}

// The families of candidates with and without groups.
func TestSelect_Families(t *testing.T) {
	for _, c := range []struct {
		name  string
		named bool
		few   bool
		want  map[string]int
	}{
		{"groups", true, false, map[string]int{"erm": 1, "balanced": 1, "half": 1, "groups": 4}},
		{"groups, few", true, true, map[string]int{"erm": 1, "balanced": 1, "groups": 2}},
		{"no groups", false, false, map[string]int{"erm": 1, rowsFamily: 5}},
		{"no groups, few", false, true, map[string]int{"erm": 1, rowsFamily: 2}},
	} {
		o := DefaultOptions()
		o.Few = c.few
		got := map[string]int{}
		for _, k := range choose(t, table(t, 300, 0.3, c.named), o).Candidates {
			got[k.Family]++
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// The choice uses the requested number of rows, or fewer if there are many columns.
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

// The last point of every curve has all rows of the other folds, and its risks are those of the choice. With fewer
// rows the risks are larger.
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
		if last.Name != c.Name || last.Rows != 2*2000/3 || !(math.Abs(last.Average-c.Average) <= 1e-3*c.Average) ||
			!(math.Abs(*last.WorstGroup-*c.WorstGroup) <= 1e-2*(*c.WorstGroup)) {
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
