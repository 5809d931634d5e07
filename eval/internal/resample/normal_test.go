package resample

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval/internal/measure"
)

// near is the tolerance of sums that are taken in two ways.
const near = 1e-9

// drawnRows are rows of several models, with weights, enough of them for normal laws.
func drawnRows(t *testing.T, task measure.Task, models int) (*measure.Rows, *measure.Strata) {
	t.Helper()
	const n = normalRows + 100
	g := rand.New(rand.NewPCG(17, 1))
	rows := &measure.Rows{Task: task, Threshold: 0.5, Models: make([]measure.Model, models)}
	weight := make([]float64, n)
	for i := range n {
		y := g.NormFloat64()
		if task == measure.Binary {
			y = float64(2*g.IntN(2) - 1)
		}
		rows.Target = append(rows.Target, y)
		for k := range rows.Models {
			m := &rows.Models[k]
			m.Score = append(m.Score, min(0.999, max(0.001, 0.5+0.1*y+0.3*g.Float64()-0.15)))
			m.Loss = append(m.Loss, float64(k+1)+g.Float64())
		}
		weight[i] = 0.5 + g.Float64()
	}
	rows.Weight = measure.ScaleWeights(weight)
	s, err := measure.NewStrata(t.Context(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	return rows, s
}

// A root times its transpose is the matrix, directions without variance included, and what
// is added is the root times z.
func TestTriangleIsARoot(t *testing.T) {
	const n, none = 5, 3
	g := rand.New(rand.NewPCG(18, 1))
	var root [n][n]float64
	for j := range n {
		for k := range j {
			root[j][k] = g.NormFloat64()
		}
		root[j][j] = 1 + g.Float64()
	}
	for j := range n {
		root[j][none] = 0
	}
	var lower []float64
	for j := range n {
		for k := range j + 1 {
			s := 0.0
			for q := range n {
				s += root[j][q] * root[k][q]
			}
			lower = append(lower, s)
		}
	}
	got := cholesky(lower, n)
	for k := range n {
		z, dst := make([]float64, n), slices.Repeat([]float64{7}, n)
		z[k] = 1
		got.addTo(dst, z)
		for j := range n {
			if !(math.Abs(dst[j]-7-root[j][k]) <= near) {
				t.Errorf("entry %d, %d is %v, want %v", j, k, dst[j]-7, root[j][k])
			}
		}
	}
}

// The error distribution of a stratum has the mean and the covariance of sums of rows that are drawn with
// replacement, whether they are summed at once or in parts.
func TestLimitIsTheLawOfSums(t *testing.T) {
	for _, task := range []measure.Task{measure.Binary, measure.Regression} {
		rows, s := drawnRows(t, task, 2)
		c := newColumns(rows, []float64{1.5, 2.5}, 0.25)
		limits, err := c.limits(t.Context(), rows, []measure.Stratum{*s.All}, false)
		if err != nil {
			t.Fatal(err)
		}
		l := limits[0]
		if l == nil {
			t.Fatalf("%s: no estimateError", task)
		}
		n := len(rows.Target)
		x := make([][]float64, n)
		mean := make([]float64, c.rank)
		for i := range n {
			row := c.newRow()
			c.fill(rows, &row, int32(i))
			x[i] = append(slices.Clone(row.v), make([]float64, c.rank-c.width0)...)
			for k, b := range row.bin {
				x[i][c.bins+k*measure.ECEBins+int(b)] = row.gap[k]
			}
			for j, v := range x[i] {
				mean[j] += v / float64(n)
			}
		}
		covariance := make([][]float64, c.rank)
		for j := range c.rank {
			covariance[j] = make([]float64, c.rank)
			for k := range j + 1 {
				for i := range n {
					covariance[j][k] += (x[i][j] - mean[j]) * (x[i][k] - mean[k])
				}
			}
			if want := mean[j] * float64(n); !(math.Abs(l.mean[j]-want) <= near*float64(n)) {
				t.Errorf("%s: the mean of column %d is %v, want %v", task, j, l.mean[j], want)
			}
		}
		columns := make([][]float64, c.rank) // of the root
		for k := range columns {
			z := make([]float64, c.rank)
			z[k], columns[k] = 1, make([]float64, c.rank)
			l.root.addTo(columns[k], z)
		}
		for j := range c.rank {
			for k := range j + 1 {
				got := 0.0
				for q := range columns {
					got += columns[q][j] * columns[q][k]
				}
				if scale := 1 + math.Sqrt(covariance[j][j]*covariance[k][k]); !(math.Abs(got-covariance[j][k]) <= near*scale) {
					t.Errorf("%s: the covariance of columns %d and %d is %v, want %v", task, j, k, got, covariance[j][k])
				}
			}
		}
		all := s.All.Rows
		once, parts := c.newMoments(rows, all), c.newMoments(rows, all)
		once.add(c, rows, all)
		other := &moments2{shift: parts.shift, sum: make([]float64, c.rank), cross: make([]float64, len(once.cross)), cube: make([]float64, c.width0)}
		parts.add(c, rows, all[:300])
		other.add(c, rows, all[300:])
		parts.merge(other)
		for what, v := range map[string][2][]float64{"sums": {once.sum, parts.sum}, "products": {once.cross, parts.cross}, "cubes": {once.cube, parts.cube}, "rows": {{once.n}, {parts.n}}} {
			for j := range v[0] {
				if !(math.Abs(v[0][j]-v[1][j]) <= near*(1+math.Abs(v[0][j]))) {
					t.Errorf("%s: %s %d are %v at once, %v in parts", task, what, j, v[0][j], v[1][j])
				}
			}
		}
	}
}

// Means and standard errors of risks and of their changes are those of ratios of sums, taken
// from rows and from their error distribution alike.
func TestFamilyOfRisks(t *testing.T) {
	const models = 3
	rows, s := drawnRows(t, measure.Regression, models)
	ones := slices.Repeat([]float64{1}, models)
	for _, byRows := range []bool{false, true} {
		r, err := New(t.Context(), rows, Plan{ByRows: byRows}, 0, []measure.Stratum{*s.All}, nil, ones, 0)
		if err != nil {
			t.Fatal(err)
		}
		if (r.limit[0] == nil) != byRows {
			t.Fatalf("by rows %v: a estimateError: %v", byRows, r.limit[0] != nil)
		}
		f := newFamily(r, []bool{true})
		if len(f.mean[0]) != 2*models-1 || len(f.se[0]) != 2*models-1 {
			t.Fatalf("by rows %v: %d means", byRows, len(f.mean[0]))
		}
		for k := range 2*models - 1 {
			value := func(i int) float64 {
				if k < models {
					return rows.Models[k].Loss[i]
				}
				return rows.Models[k-models+1].Loss[i] - rows.Models[0].Loss[i]
			}
			a, w, q := 0.0, 0.0, 0.0
			for i, v := range rows.Weight {
				a, w = a+v*value(i), w+v
			}
			for i, v := range rows.Weight {
				d := v * (value(i) - a/w)
				q += d * d
			}
			if !(math.Abs(f.mean[0][k]-a/w) <= near) || !(math.Abs(f.se[0][k]-math.Sqrt(q)/w) <= near) {
				t.Errorf("by rows %v, number %d: %v ± %v, want %v ± %v", byRows, k, f.mean[0][k], f.se[0][k], a/w, math.Sqrt(q)/w)
			}
		}
	}
}

// The deviation of a resample is the largest of those of the risks and of their changes from
// the first model's, each in its standard errors; one without an error is passed over.
func TestDeviationIsTheLargest(t *testing.T) {
	const models, per = 3, 4
	c := &Columns{models: models, per: per, shared: models * per}
	sums := make([]float64, models*per+1)
	risk := []float64{2, 2.5, 1.25}
	sums[c.shared] = 8
	for k, v := range risk {
		sums[k*per+colLoss] = 8 * v
	}
	at := []float64{2, 2.5, 1.25, 0.5, -0.75} // of the risks, and of the changes
	f := &family{c: c, mean: [][]float64{make([]float64, 5)}, se: [][]float64{{0.5, 0.5, 0.5, 0.5, 0.5}}}
	for k := range at {
		copy(f.mean[0], at)
		if got := f.deviation(0, sums); got != 0 {
			t.Errorf("%v where nothing differs", got)
		}
		for _, off := range []float64{0.125, -0.125} {
			f.mean[0][k] = at[k] + off
			f.mean[0][(k+1)%5] = at[(k+1)%5] - off/2
			if got := f.deviation(0, sums); got != 0.25 {
				t.Errorf("number %d off by %v: %v standard errors", k, off, got)
			}
			f.se[0][k] = 0
			if got := f.deviation(0, sums); got != 0.125 {
				t.Errorf("number %d without an error: %v", k, got)
			}
			f.se[0][k] = 0.5
		}
	}
}

// Without chance the statistics of ranks are those measured, and their variances are the
// sums of squared influences.
func TestLimitOfRanks(t *testing.T) {
	for _, task := range []measure.Task{measure.Binary, measure.Regression} {
		rows, s := drawnRows(t, task, 2)
		l := newRankLimit(rows, s.All, func(row int32) int32 { return row }, []measure.Stratum{*s.All})
		keys := []string{"auc", "auprc"}
		if task == measure.Regression {
			keys = []string{"median_ae"}
		}
		dst := make([]float64, len(keys)*len(rows.Models))
		l.draw(dst, make([]float64, len(dst)))
		for k := range rows.Models {
			want := measure.All(rows, k, s.All)
			for q, key := range keys {
				if got, w := dst[len(keys)*k+q], float64(want.Of[key]); !(math.Abs(got-w) <= near) {
					t.Errorf("%s of model %d is %v, want %v", key, k, got, w)
				}
			}
		}
		if task == measure.Regression {
			continue
		}
		for k := range rows.Models {
			ties := s.All.Ties(rows, k)
			along := make([]float64, len(rows.Target))
			for kind, influence := range []func(){
				func() { AUCInfluence(along, ties, ties.AUC()) },
				func() { averagePrecisionInfluence(along, ties, ties.AveragePrecision()) },
			} {
				influence()
				want, got := 0.0, 0.0
				for _, v := range along { // they sum to zero
					want += v * v
				}
				for q := range k + 1 {
					got += math.Pow(l.root[kind].v[k*(k+1)/2+q], 2)
				}
				if !(math.Abs(got-want) <= near*want) {
					t.Errorf("%s of model %d: variance %v, want %v", keys[kind], k, got, want)
				}
			}
		}
	}
}

// Where nobody wants the ranks of all rows together, none are drawn.
func TestNoRanksOfTheWhole(t *testing.T) {
	rows, s := drawnRows(t, measure.Binary, 2)
	for _, byRows := range []bool{false, true} {
		r, err := New(t.Context(), rows, Plan{Resamples: 4, Seed: 1, ByRows: byRows}, 0, []measure.Stratum{*s.All}, nil, []float64{1, 2}, 0)
		if err != nil {
			t.Fatal(err)
		}
		out, err := r.Run(t.Context(), "g", []bool{true}, func(int, []float64) {}, func(int, int) {})
		if err != nil {
			t.Fatal(err)
		}
		for b := range 4 {
			line := out.Overall[b*r.C.width:][:r.C.width]
			if w := line[r.C.shared]; !(math.Abs(w/float64(len(rows.Target))-1) <= 0.1) {
				t.Errorf("by rows %v: weights of %v", byRows, w)
			}
			for _, v := range line[r.C.rank:] {
				if v != 0 {
					t.Errorf("by rows %v: ranks %v", byRows, line[r.C.rank:])
					break
				}
			}
		}
	}
}

// A group is of the family from two rows on, where there is a deviation.
func TestFamilyOfFewRows(t *testing.T) {
	rows, _ := drawnRows(t, measure.Regression, 2)
	groups := data.Grouping{Labels: []string{"one", "two", "three", "many", "the others"}, Index: make([]int32, len(rows.Target))}
	for i := range groups.Index {
		groups.Index[i] = int32(min(4, []int{0, 1, 1, 2, 2, 2, 3}[min(i, 6)]+i/46))
	}
	s, err := measure.NewStrata(t.Context(), rows, []data.Grouping{groups})
	if err != nil {
		t.Fatal(err)
	}
	strata := s.Groups[0]
	ones := []float64{1, 1}
	r, err := New(t.Context(), rows, Plan{}, 0, strata, nil, ones, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := newFamily(r, []bool{true, true, true, false, true})
	for k, want := range []bool{false, true, true, false, true} {
		if (f.se[k] != nil) != want {
			t.Errorf("%d rows: errors %v", len(strata[k].Rows), f.se[k])
		}
		for _, v := range f.se[k] {
			if !(v > 0) {
				t.Errorf("%d rows: an error of %v", len(strata[k].Rows), v)
			}
		}
	}
}

// Rows that are a stratum each have their own variance, the square of what they do; and
// the rows of two halves, one error distribution after the other, have that of both.
func TestLawsAddUp(t *testing.T) {
	g := rand.New(rand.NewPCG(2, 5))
	x := make([]float64, 30)
	var single estimateError
	want := 0.0
	for i := range x {
		x[i] = g.NormFloat64() + 0.3
		single.addRows(x[i : i+1])
		want += x[i] * x[i]
	}
	if !(math.Abs(single.variance-want) <= near) || single.n != len(x) || !(math.Abs(single.second-want) <= near) {
		t.Errorf("%+v, the squares sum up to %v", single, want)
	}
	var first, second, both estimateError
	first.addRows(x[:10])
	second.addRows(x[10:])
	both.addRows(x[:10])
	both.addRows(x[10:])
	if !(math.Abs(both.variance-first.variance-second.variance) <= near) || !(math.Abs(both.third-first.third-second.third) <= near) || !(math.Abs(both.spread-first.spread-second.spread) <= near) {
		t.Errorf("%+v, of its parts %+v and %+v", both, first, second)
	}
	// One that every row shares says nothing.
	shifted := make([]float64, 10)
	for i := range shifted {
		shifted[i] = x[i] + 7
	}
	var moved estimateError
	moved.addRows(shifted)
	if !(math.Abs(moved.variance-first.variance) <= near) || !(math.Abs(moved.third-first.third) <= near) {
		t.Errorf("%+v, before a shift %+v", moved, first)
	}
}

// What rows do to the share of the weight at or below a median sums up to nothing, rows at
// the median and ties of it included.
func TestBelowSumsUpToNothing(t *testing.T) {
	g := rand.New(rand.NewPCG(5, 5))
	for _, weighted := range []bool{false, true} {
		rows := &measure.Rows{Task: measure.Regression, Models: make([]measure.Model, 1)}
		var order []int32
		for i := range 41 {
			rows.Target = append(rows.Target, 0)
			rows.Models[0].Score = append(rows.Models[0].Score, math.Round(g.NormFloat64()*3))
			order = append(order, int32(i))
			if weighted {
				rows.Weight = append(rows.Weight, 0.5+g.Float64())
			}
		}
		for _, median := range []float64{0, 1, 2, 9} {
			share, total := 0.0, 0.0
			for i, v := range rows.Models[0].Score {
				w := 1.0
				if weighted {
					w = rows.Weight[i]
				}
				if total += w; math.Abs(v) <= median {
					share += w
				}
			}
			dst := make([]float64, len(order))
			belowInfluence(dst, rows, 0, order, median, share/total)
			sum := 0.0
			for _, v := range dst {
				sum += v
			}
			if !(math.Abs(sum) <= 1e-12) {
				t.Errorf("weighted %v, up to %v: %v", weighted, median, sum)
			}
		}
	}
}
