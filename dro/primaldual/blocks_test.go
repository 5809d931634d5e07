package primaldual

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/losses"
)

// What the table says of each column, exactly: keep plus what is handed over.
func TestAliasTable_IsExact(t *testing.T) {
	rng := drotest.RngOf(62)
	for range 200 {
		n := 1 + rng.IntN(40)
		w := make([]float64, n)
		for i := range w {
			w[i] = math.Pow(10, 8*rng.Float64()-4)
		}
		a, err := newAlias(w)
		if err != nil {
			t.Fatal(err)
		}
		p := make([]float64, n)
		for i, keep := range a.keep {
			if keep < 0 || keep > 1 {
				t.Fatalf("column %d is kept with probability %v", i, keep)
			}
			p[i] += keep / float64(n)
			p[a.other[i]] += (1 - keep) / float64(n)
		}
		agree(t, "probabilities", p, a.p, drotest.ClosedForm)
	}
}

func TestAliasTable_Refuses(t *testing.T) {
	for _, c := range []struct {
		w    []float64
		want string
	}{
		{[]float64{1, 0}, "block 1 is 0"}, {[]float64{1, 2, -3}, "block 2 is -3"},
		{[]float64{math.NaN(), 1}, "block 0 is NaN"},
		{[]float64{1, math.Inf(1)}, "block 1 is +Inf"}, {[]float64{1e300, 1e-10}, "block 1 underflows"},
		{[]float64{math.MaxFloat64, math.MaxFloat64}, "underflows"},
	} {
		if _, err := newAlias(c.w); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("weights %v: %v, want an error with %q", c.w, err, c.want)
		}
	}
}

func TestSampler_Distributions(t *testing.T) {
	c := testConstants([]float64{1, 9, 4, 0}, []float64{2, 0.1, 30, 0})
	root := func(v []float64) []float64 {
		w := make([]float64, len(v))
		for i, a := range v {
			w[i] = math.Sqrt(a)
		}
		return w
	}
	// Proportions of the table of math: §6 between the blocks that have constants;
	// what is mixed in reaches blocks without any.
	proportional := func(what string, p, w []float64, mix float64) {
		t.Helper()
		total := engine.Sum(w)
		for i := range p {
			want := 0.25
			if w != nil {
				want = (1-mix)*w[i]/total + mix/4
			}
			if !drotest.IsNear(p[i], want, drotest.ClosedForm, 0) {
				t.Errorf("%s: %v of weights %v", what, p, w)
				return
			}
		}
		if !(slices.Min(p) > 0) || !(math.Abs(engine.Sum(p)-1) <= drotest.ClosedForm) {
			t.Errorf("%s: %v", what, p)
		}
	}
	for _, separable := range []bool{false, true} {
		h, err := newSampler(Historical, false, c, separable)
		if err != nil {
			t.Fatal(err)
		}
		proportional("p", h.p.p, c.lambdas, 1e-3)
		proportional("r", h.r.p, nil, 0)
		proportional("s", h.s.p, nil, 0)
		if separable {
			proportional("q", h.q.p, nil, 0)
			proportional("γ", h.gamma, c.ls, 1e-3)
		} else {
			proportional("q", h.q.p, c.gs, 1e-3)
			proportional("γ", h.gamma, c.lambdas, 1e-3)
		}
		r, err := newSampler(Replacement, false, c, separable)
		if err != nil {
			t.Fatal(err)
		}
		proportional("p", r.p.p, root(c.lambdas), 1e-3)
		if separable {
			proportional("q", r.q.p, nil, 0)
			proportional("r", r.r.p, root(c.ls), 0.5)
		} else {
			proportional("q", r.q.p, root(c.gs), 1e-3)
			proportional("r", r.r.p, root(c.lambdas), 0.5)
			proportional("s", r.s.p, root(c.gs), 0.5)
		}
		for _, p := range [][]float64{r.r.p, r.s.p} { // Theorems 3 and 5
			if slices.Min(p) < 1./8 {
				t.Errorf("a replacement probability below 1/(2N): %v", p)
			}
		}
		u, err := newSampler(Replacement, true, c, separable)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range [][]float64{u.p.p, u.q.p, u.r.p, u.s.p, u.gamma} {
			proportional("uniform", p, nil, 0)
		}
	}
	zero := testConstants([]float64{0, 0}, []float64{0, 0})
	if s, err := newSampler(Historical, false, zero, false); err != nil || s.p.p[0] != 0.5 || s.gamma[0] != 0.5 {
		t.Errorf("no constants at all: %v, %v", s, err)
	}
	bad := testConstants([]float64{1, math.Inf(1)}, []float64{0, 0})
	if _, err := newSampler(Historical, false, bad, false); err == nil || !strings.Contains(err.Error(), "distribution") {
		t.Errorf("an infinite constant: %v", err)
	}
}

func TestBlocks_CoverEveryIndexOnce(t *testing.T) {
	for _, c := range []struct {
		n, b int
		want []int
	}{{7, 3, []int{0, 3, 6, 7}}, {6, 3, []int{0, 3, 6}}, {1, 1, []int{0, 1}}, {5, 5, []int{0, 5}},
		{3, 1, []int{0, 1, 2, 3}}} {
		b, err := evenBlocks(c.n, c.b)
		if err != nil || !slices.Equal(b.start, c.want) {
			t.Errorf("%d samples by %d: %v, %v", c.n, c.b, b.start, err)
		}
	}
	for _, b := range []int{0, -1, 8} {
		if _, err := evenBlocks(7, b); err == nil || !strings.Contains(err.Error(), "between 1 and n = 7") {
			t.Errorf("blocks of %d of 7: %v", b, err)
		}
	}
	for _, c := range [][3]int{{1, 1, 1}, {7, 3, 1}, {1000, 5, 16}, {1000, 100, 100}, {1000, 5000, 125},
		{1 << 20, 20, 1 << 14}, {4160, 4, 65}, {4161, 4, 66}, {10, 9, 2}} {
		b, err := partition(c[0], c[1], 0) // n/64, at least d, at most n/8
		if lo, hi := b.bounds(0); err != nil || hi-lo != c[2] {
			t.Errorf("n = %d, d = %d: blocks of %d, want %d (%v)", c[0], c[1], hi-lo, c[2], err)
		}
	}
	// Of those that are touched once n/512, at least d/2, at most n/8.
	for _, c := range [][3]int{{1, 1, 1}, {8, 4, 1}, {9, 4, 2}, {14, 20, 2}, {513 * 100, 4, 101}, {512 * 100, 4, 100},
		{1000, 50, 25}, {1000, 51, 26}, {1000, 300, 125}, {1001, 2000, 126}, {1001, 2001, 126}} {
		if b := defaultBlockSize(c[0], c[1]); b != c[2] {
			t.Errorf("n = %d, d = %d: small blocks of %d, want %d", c[0], c[1], b, c[2])
		}
	}
}

// An estimator that begins again at the same weights, where their gradient is not known, has the same
// sum of gradients as before: nothing of what was is left in it.
func TestEstimator_BeginsAgain(t *testing.T) {
	s := uneven(47, 9, 2)
	p := &saddle.Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: side.Simplex{Divergence: side.PearsonChi2, Nu: 0.3},
		Primal: saddle.L2{Mu: 0.2}}
	for _, m := range []saddle.Method{Stochastic{Schedule: Theory, Block: 2}, SeparableBlock{Schedule: Theory, Block: 2}} {
		w := bold(begun(t, p, m, 3))
		for range twinSteps {
			w.template.step()
		}
		sum := func() []float64 {
			switch estimator := w.template.estimator.(type) {
			case *stochasticEstimator:
				return slices.Clone(estimator.aggregate)
			case *separableEstimator:
				return slices.Clone(estimator.aggregate)
			}
			t.Fatal("a estimator of another kind")
			return nil
		}
		y := slices.Clone(w.y())
		w.begin(w.template.u, y, nil)
		once := sum()
		w.begin(w.template.u, y, nil)
		if twice := sum(); !slices.Equal(once, twice) {
			t.Errorf("%s: %v, begun again %v", m.Name(), once, twice)
		}
	}
}
