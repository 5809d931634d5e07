package tune

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/level"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// wideTable draws rows of so many columns that candidates are searched for together; shared is
// the share of every column's variance that all have in common.
func wideTable(t testing.TB, n, d int, shared float64, loss losses.Loss) *Table {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	z, target := make([]float64, n*d), make([]float64, n)
	r := level.Rows{N: n, Labels: []string{"common", "other"}, Group: make([]int32, n)}
	for i := range target {
		if r.Group[i] = 0; rng.Float64() < 0.2 {
			r.Group[i] = 1
		}
		common := rng.NormFloat64()
		for j := range d - 1 {
			z[i*d+j] = math.Sqrt(shared)*common + math.Sqrt(1-shared)*rng.NormFloat64()
		}
		z[i*d+d-1] = 1
		target[i] = z[i*d]*float64(1-2*r.Group[i]) + z[i*d+1] + 0.3*rng.NormFloat64()
		if _, signs := loss.(losses.Logistic); signs {
			target[i] = math.Copysign(1, target[i]+rng.NormFloat64())
		}
	}
	x, err := design.NewDense(n, d, z)
	if err != nil {
		t.Fatal(err)
	}
	tb := &Table{Rows: r, X: x, Target: target, Loss: loss, Primal: dro.L2{Mu: 1 / float64(n), Intercept: true, FreeModulus: 1}}
	if !tb.wide() {
		t.Fatalf("%d rows of %d columns are not wide", n, d)
	}
	return tb
}

// offBy is what the estimate of the metric may be off by, as where the curvature without a fold
// is another than with it: 4 of nearly separable rows, 4 to 18 on ten drawn wide tables of groups.
const offBy = 30

// What searches end at is within a few times their gap of the optimum, and has the bits that
// each search has alone, whatever the threads.
func TestSearchesEndWhereSolvesDo(t *testing.T) {
	const n, d = 1500, 310
	for _, loss := range []losses.Loss{losses.Logistic{}, losses.Squared{}} {
		tb := wideTable(t, n, d, 0.9, loss)
		m := tb.metricAt(make([]float64, d))
		if m == nil {
			t.Fatal("there is no metric")
		}
		levels := []level.Level{plainAverage, {Average: "balanced", Penalty: "kl"}}
		for _, nu := range []float64{5, 2} {
			levels = append(levels, level.Level{Penalty: "kl", Nu: &nu}, level.Level{Penalty: "chi2", Nu: &nu},
				level.Level{Penalty: "kl", Adversary: "groups", Prior: "shares", Nu: level.At(nu / 20)})
		}
		run := func(of ...level.Level) []*search {
			var all []*search
			for _, l := range of {
				all = append(all, &search{level: l, primal: tb.Primal, goal: searchGap, most: searchEvaluations})
			}
			count := 0
			if err := tb.together(t.Context(), all, m, func(*search) { count++ }); err != nil || count != len(all) {
				t.Fatalf("%d of %d ended: %v", count, len(all), err)
			}
			return all
		}
		all := run(levels...)
		threads := runtime.GOMAXPROCS(1)
		alone := run(levels[4])[0]
		runtime.GOMAXPROCS(threads)
		if !reflect.DeepEqual(alone.x, all[4].x) || alone.passes != all[4].passes {
			t.Errorf("%s: %v alone, %v with others", loss.Name(), alone.x[:3], all[4].x[:3])
		}
		for _, s := range all {
			if least, f := tb.least(t, s.level, s.x), tb.valueAt(t, s.level, s.x); !s.ended || !(f <= least*(1+offBy*searchGap)) {
				t.Errorf("%s, %v: %v after %v passes, the optimum is %v", loss.Name(), s.level, f, s.passes, least)
			}
		}
	}
}

// The metric that knows how an adversary over groups answers is that of the candidate: its
// inverse is the inverse, and steps in it need fewer evaluations where the price is low.
func TestPullOfGroups(t *testing.T) {
	const n, d = 1500, 310
	tb := wideTable(t, n, d, 0.9, losses.Logistic{})
	start, _, err := tb.Solve(t.Context(), plainAverage, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := tb.metricAt(start)
	tb.Labels = strings.Split("abcdefgh", "")
	for k := range 3 { // the signs of three columns
		unit, column := make([]float64, d), make([]float64, n)
		unit[k] = 1
		tb.X.MarginsTo(column, unit, 0, n)
		for j, v := range column {
			if tb.Group[j] &= int32(1<<k - 1); v > 0 {
				tb.Group[j] += 1 << k
			}
		}
	}
	p := tb.pullAt(start, m)
	if p == nil {
		t.Fatal("there are groups")
	}
	q, nu := []float64{0.7, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0}, 0.01
	s := &search{pull: p, under: p.under(q, nu)}
	rng := rand.New(rand.NewPCG(7, 8))
	v, back, mv := make([]float64, d), make([]float64, d), make([]float64, d)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	s.inverse(m, back, v)
	// (M + G'CG) times it, with M by solving again and C by its definition.
	var h mat.Dense
	if err := h.Inverse(mat.NewDense(d, d, m.inverse)); err != nil {
		t.Fatal(err)
	}
	mat.NewVecDense(d, mv).MulVec(&h, mat.NewVecDense(d, back))
	mean, along := 0.0, make([]float64, len(q))
	for g, row := range p.gradient {
		along[g] = floats.Dot(row, back)
		mean += (q[g] + p.share[g]) / 2 * along[g]
	}
	for g, row := range p.gradient {
		floats.AddScaled(mv, (q[g]+p.share[g])/2*(along[g]-mean)/nu, row)
	}
	if floats.Sub(mv, v); !(floats.Norm(mv, 2) < 1e-6*floats.Norm(v, 2)) {
		t.Errorf("off by %v of %v", floats.Norm(mv, 2), floats.Norm(v, 2))
	}
	l := level.Level{Penalty: "kl", Adversary: "groups", Prior: "shares", Nu: &nu}
	knows := &search{level: l, x: slices.Clone(start), primal: tb.Primal, goal: searchGap, most: searchEvaluations, pull: p}
	not := &search{level: l, x: slices.Clone(start), primal: tb.Primal, goal: searchGap, most: searchEvaluations}
	if err := tb.together(t.Context(), []*search{knows, not}, m, func(*search) {}); err != nil {
		t.Fatal(err)
	}
	if least := tb.least(t, l, knows.x); !knows.ended || !(knows.f <= least*(1+offBy*searchGap)) || !(knows.passes < not.passes) {
		t.Errorf("%v after %v passes, %v after %v without it; the optimum is %v", knows.f, knows.passes, not.f, not.passes, least)
	}
	tb.Group = nil
	if tb.pullAt(start, m) != nil {
		t.Error("there are no groups")
	}
}

// valueAt is the regularised risk of the level at x.
func (t *Table) valueAt(tt *testing.T, l level.Level, x []float64) float64 {
	dual, err := l.Dual(t.Rows)
	if err != nil {
		tt.Fatal(err)
	}
	loss, err := t.losses(x)
	if err != nil {
		tt.Fatal(err)
	}
	risk, _ := dual.BestResponseTo(make([]float64, t.N), loss)
	return risk + t.Primal.Value(x)
}

// least is the optimum, to 1e-8, by Newton's method from x.
func (t *Table) least(tt *testing.T, l level.Level, x []float64) float64 {
	oracle, err := losses.NewLinear(t.Loss, t.X, t.Target)
	if err != nil {
		tt.Fatal(err)
	}
	dual, err := l.Dual(t.Rows)
	if err != nil {
		tt.Fatal(err)
	}
	settings := dro.Options{}
	settings.X0, settings.RelativeGap = x, 1e-8
	settings.Method = dro.Newton{}
	res, err := dro.Solve(tt.Context(), &dro.Problem{Oracle: oracle, Dual: dual, Primal: t.Primal}, &settings)
	if err != nil || res.Status != dro.Certified {
		tt.Fatalf("%v: %v, %v", l, res.Status, err)
	}
	return res.Objective
}

// A choice on a wide table searches, and every point that it measures is within a few times
// the gap of searches of the optimum without the fold.
func TestWideTablesAreSearched(t *testing.T) {
	tb := wideTable(t, 1200, 310, 0.2, losses.Logistic{})
	o := DefaultOptions()
	o.Levels, o.Folds = 1, 2
	kept := remembering{}
	tb.Memory = kept
	s := choose(t, tb, o)
	if s.Best().Family == "erm" {
		t.Errorf("chosen: %s, where a group has another slope", s.Reason)
	}
	fold, err := tb.Folds(o.Folds, o.Seed)
	if err != nil {
		t.Fatal(err)
	}
	for k := range o.Folds {
		inside, _ := split(fold, k)
		train := tb.Select(inside)
		train.Primal.Mu = s.Mu
		for _, c := range []int{0, s.Chosen, len(s.Candidates) - 1} {
			x := kept[fmt.Sprintf("round 1 of 1, fold %d, candidate %d", k, c)].X
			oracle, err := losses.NewLinear(tb.Loss, train.X, train.Target)
			if err != nil {
				t.Fatal(err)
			}
			dual, err := s.Candidates[c].Level.Dual(train.Rows)
			if err != nil {
				t.Fatal(err)
			}
			at, err := dro.Certify(&dro.Problem{Oracle: oracle, Dual: dual, Primal: train.Primal}, x)
			if err != nil {
				t.Fatal(err)
			}
			if least := train.least(t, s.Candidates[c].Level, x); !(at.Upper <= least*(1+offBy*searchGap)) {
				t.Errorf("%s without fold %d: %v, the optimum is %v", s.Candidates[c].Name, k, at.Upper, least)
			}
		}
	}
}

// A worked matrix takes so much for a pass and a Hessian.
type worked struct {
	design.Matrix
	pass, gram float64
}

func (w worked) Work() (pass, gram float64) { return w.pass, w.gram }

// There is a metric while it costs as much as some evaluations, of so many columns.
func TestMetricsAreCheap(t *testing.T) {
	a := table(t, 60, 0.2, true)
	x := a.X
	for _, c := range []struct {
		gram float64
		is   bool
	}{{1, true}, {metricPasses, true}, {metricPasses * 1.01, false}} {
		a.X = worked{x, 1, c.gram}
		if m := a.metricAt(make([]float64, 4)); (m != nil) != c.is || m != nil && m.passes != (1+c.gram)/2 {
			t.Errorf("a Hessian of %v passes: %+v", c.gram, m)
		}
	}
	const columns = metricColumns + 1
	wide, err := design.NewDense(1, columns, make([]float64, columns))
	if err != nil {
		t.Fatal(err)
	}
	a.X, a.N = worked{wide, 1, 1}, 1
	if a.metricAt(make([]float64, columns)) != nil {
		t.Errorf("there is a metric of %d columns", columns)
	}
}

// Groups pull where there are some, and not too many.
func TestGroupsThatPull(t *testing.T) {
	a := table(t, 200, 0.2, true)
	m := a.metricAt(make([]float64, 4))
	for count, pulls := range map[int]bool{0: false, 1: false, 2: true, mostGroups: true, mostGroups + 1: false} {
		if a.Labels = make([]string, count); count == 0 {
			a.Group = nil
		} else {
			a.Group = make([]int32, a.N)
			for j := range a.Group {
				a.Group[j] = int32(j % count)
			}
		}
		if (a.pullAt(make([]float64, 4), m) != nil) != pulls {
			t.Errorf("%d groups pull: %v", count, !pulls)
		}
	}
}

// There is no metric of columns that are nearly one: with ε = 10⁻¹² + μ beside ones its condition is 2/ε.
func TestMetricOfTwins(t *testing.T) {
	x, err := design.NewDense(2, 2, []float64{1, 1, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	for mu, is := range map[float64]bool{0: false, 0.4e-12: false, 1.6e-12: true, 1e-6: true} { // 2, 1.4, 0.8 × 10¹²
		a := &Table{Rows: level.Rows{N: 2}, X: x, Target: []float64{1, 2}, Loss: losses.Squared{}, Primal: dro.L2{Mu: mu, FreeModulus: 1}}
		if m := a.metricAt(make([]float64, 2)); (m != nil) != is {
			t.Errorf("μ = %v: a metric %v", mu, m != nil)
		}
	}
}

// All folds but one lie next to each other in a partition: the rows are those of the folds, and
// what they say is what they say in the table, to single precision; a column that this is not
// enough for leaves them in double.
func TestDealOfFolds(t *testing.T) {
	tb := wideTable(t, 1200, 310, 0, losses.Logistic{})
	for _, count := range []int{2, 3, 5} {
		fold, err := tb.Folds(count, 1)
		if err != nil {
			t.Fatal(err)
		}
		d := tb.partitioned(fold, count)
		if d.x == nil {
			t.Fatal("normal numbers are not rounded")
		}
		for k := range count {
			wantInside, wantOutside := split(fold, k)
			inside, outside, train, held := d.without(k)
			for _, of := range []struct {
				rows, want []int
				table      *Table
			}{{inside, wantInside, train}, {outside, wantOutside, held}} {
				if sorted := slices.Sorted(slices.Values(of.rows)); !slices.Equal(sorted, of.want) {
					t.Fatalf("fold %d of %d: %d rows, not %d, or others", k, count, len(of.rows), len(of.want))
				}
				got, want := make([]float64, 310), make([]float64, 310)
				for i, j := range of.rows {
					of.table.X.RowTo(got, i)
					tb.X.RowTo(want, j)
					if of.table.Target[i] != tb.Target[j] || of.table.Group[i] != tb.Group[j] || got[7] != float64(float32(want[7])) {
						t.Fatalf("fold %d of %d: row %d is not row %d", k, count, i, j)
					}
				}
			}
		}
	}
	n, width := tb.X.Dims()
	z := make([]float64, n*width)
	for j := range n {
		tb.X.RowTo(z[j*width:(j+1)*width], j)
		z[j*width+5] += 1e7 // an hour of the year, in seconds
	}
	far := *tb
	var err error
	if far.X, err = design.NewDense(n, width, z); err != nil {
		t.Fatal(err)
	}
	fold, err := far.Folds(3, 1)
	if err != nil {
		t.Fatal(err)
	}
	d := far.partitioned(fold, 3)
	inside, _, train, _ := d.without(1)
	got, want := make([]float64, width), make([]float64, width)
	train.X.RowTo(got, 3)
	if far.X.RowTo(want, inside[3]); d.x != nil || !slices.Equal(got, want) {
		t.Error("a column far from zero is rounded")
	}
}

// Where a difference of the risk is below what single precision tells, a step counts by the slope
// at its end: the search goes on to its gap.
func TestSearchesEndInSinglePrecision(t *testing.T) {
	tb := wideTable(t, 6000, 320, 0.3, losses.Squared{})
	start, _, err := tb.Solve(t.Context(), plainAverage, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := tb.metricAt(start)
	single := *tb
	rows := make([]int, tb.N)
	for j := range rows {
		rows[j] = j
	}
	single.X = design.Single(tb.X, rows)
	nu := 3.0
	for _, l := range []level.Level{plainAverage, {Penalty: "kl", Nu: &nu}} {
		search := func(t2 *Table) *search {
			s := &search{level: l, x: slices.Clone(start), primal: tb.Primal, goal: unseenGap, most: searchEvaluations}
			if err := t2.together(t.Context(), []*search{s}, m, func(*search) {}); err != nil {
				t.Fatal(err)
			}
			return s
		}
		in64, in32 := search(tb), search(&single)
		if f, least := tb.valueAt(t, l, in32.x), tb.valueAt(t, l, in64.x); !in32.ended || in32.passes > in64.passes+1 || !(f <= least*(1+offBy*unseenGap)) {
			t.Errorf("%v: %v after %v passes, ended %v; in double %v after %v", l, f, in32.passes, in32.ended, least, in64.passes)
		}
	}
}

// The worst rows of a tail are those that putting all in order finds, whatever the weights.
func TestTailOfSomeRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for trial := range 40 {
		n := 3 + rng.IntN(4000)
		loss := make([]float64, n)
		m := &measure{tail: []float64{0.1, 0.01, 0.7, 1}[trial%4], weight: make([]float64, n)}
		for j := range loss {
			loss[j], m.weight[j] = math.Round(20*rng.NormFloat64())/10, math.Exp(3*rng.NormFloat64()*float64(trial%3))
			m.total += m.weight[j]
		}
		rows, mass, in := m.worstRows(loss), 0.0, map[int]bool{}
		least := math.Inf(1)
		for _, j := range rows {
			mass, in[j], least = mass+m.weight[j], true, min(least, loss[j])
		}
		if mass < m.tail*m.total*(1-1e-12) {
			t.Fatalf("the rows have %v of %v", mass, m.tail*m.total)
		}
		if m.tail < 0.4 && trial%3 == 0 && n > 500 && float64(len(rows)) > (2*m.tail+0.15)*float64(n) { // of equal weights
			t.Errorf("%d of %d rows are put in order for a tail of %v", len(rows), n, m.tail)
		}
		if len(in) != len(rows) {
			t.Fatalf("%d rows are %d", len(rows), len(in))
		}
		for j, v := range loss {
			if v > least && !in[j] {
				t.Fatalf("row %d with a loss of %v is left out, one of %v is in", j, v, least)
			}
		}
	}
}

// A choice on a wide table that was interrupted goes on with what its memory has of it.
func TestSearchesAreRemembered(t *testing.T) {
	tb := wideTable(t, 1200, 310, 0, losses.Logistic{})
	o := DefaultOptions()
	o.Levels, o.Folds = 1, 3
	last := [2]int{}
	o.Observe = func(done, total int) { last = [2]int{done, total} }
	want := choose(t, tb, o)
	whole, all := 0, last
	if all[0] != all[1] || all[0] < o.Folds*len(want.Candidates) {
		t.Errorf("told of %d of %d", all[0], all[1])
	}
	kept := remembering{}
	tb.Memory = kept
	if got := choose(t, tb, o); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v with a memory, without %+v", got, want)
	}
	for name, s := range kept { // searched for together, and what did not end so solved alone
		if s.Passes < 1 {
			t.Errorf("%s took %v passes", name, s.Passes)
		}
	}
	whole = len(kept)
	if whole < 2 {
		t.Fatalf("%d parts are remembered", whole)
	}
	for k, name := range slices.Sorted(maps.Keys(kept)) {
		if k%2 == 0 {
			delete(kept, name)
		}
	}
	last = [2]int{}
	if got := choose(t, tb, o); !reflect.DeepEqual(got, want) || len(kept) != whole || last != all {
		t.Errorf("%+v from a memory of a part, without %+v; %d of %d parts, told of %v", got, want, len(kept), whole, last)
	}
}

// Searches that ended keep where, and nothing as long as the rows.
func TestSearchesGiveUpTheirRows(t *testing.T) {
	const n, count = 20_000, 8
	tb := table(t, n, 0.2, true)
	m := tb.metricAt(make([]float64, 4))
	held := func() float64 {
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return float64(s.HeapAlloc)
	}
	before := held()
	var all []*search
	for range count {
		all = append(all, &search{level: plainAverage, primal: tb.Primal, goal: searchGap, most: searchEvaluations})
	}
	if err := tb.together(t.Context(), all, m, func(*search) {}); err != nil {
		t.Fatal(err)
	}
	if v := (held() - before) / (8 * n * count); v > 1 {
		t.Errorf("%.1f vectors of the rows are held by a search", v)
	}
	for _, s := range all {
		if !s.ended {
			t.Errorf("a search gave up after %v passes", s.passes)
		}
	}
}

// remembering keeps what it is given.
type remembering map[string]solved

func (m remembering) Load(part string, into any) (bool, error) {
	s, ok := m[part]
	if ok {
		*into.(*solved) = s
	}
	return ok, nil
}

func (m remembering) Store(part string, value any) { m[part] = value.(solved) }
