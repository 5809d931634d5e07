package newton

import (
	"slices"

	"github.com/drotrain/drotrain/dro/internal/hessian"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/ranks"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A layout is how the pieces of a step lie with several ranks, as the samples that they are do:
// vectors have an entry for every piece that is here. nil: every rank has all.
type layout struct {
	rows  *ranks.Rows
	n     int      // samples
	at    [][2]int // by shard that is here: its pieces
	count int      // of all ranks
}

// of is the number of pieces, here where no ranks share them.
func (l *layout) of(here int) int {
	if l == nil {
		return here
	}
	return l.count
}

// sums returns the sum over all pieces of what f adds for those [lo, hi), k of them here.
func (l *layout) sums(k, width int, f func(sum []float64, lo, hi int)) []float64 {
	out := make([]float64, width)
	if l == nil {
		f(out, 0, k)
		return out
	}
	part := l.rows.Partials(l.rows.Shards(l.n), width)
	part.Clear()
	l.rows.Run(l.n, func(s, _, _ int) { f(part.Of(s), l.at[s][0], l.at[s][1]) })
	l.rows.SumTo(out, part)
	return out
}

// sum is sums of one number.
func (l *layout) sum(k int, f func(lo, hi int) float64) float64 {
	return l.sums(k, 1, func(sum []float64, lo, hi int) { sum[0] = f(lo, hi) })[0]
}

// least returns the least of the numbers of the ranks.
func (l *layout) least(v float64) float64 {
	if l == nil {
		return v
	}
	all := []float64{-v}
	l.rows.Comm().Max(all)
	return -all[0]
}

// everywhere returns the problem of a step with all samples that have a weight, where they
// lie: what travels is sums.
func (m *minimax) everywhere(h *mat.SymDense, g []float64) *kinkStep {
	c := m.Cert
	l := &layout{rows: c.Rows, n: c.N, at: make([][2]int, c.Rows.Shards(c.N))}
	each := make([][]int, len(l.at))
	c.Rows.Run(c.N, func(s, lo, hi int) {
		for j := lo; j < hi; j++ {
			if m.cap[j] > 0 {
				each[s] = append(each[s], j)
			}
		}
	})
	ids := slices.Concat(each...)
	end := 0
	for s, of := range each {
		l.at[s] = [2]int{end, end + len(of)}
		end += len(of)
	}
	count := []float64{float64(len(ids))}
	c.Rows.Comm().Sum(count)
	l.count = int(count[0])
	take := func(of []float64) []float64 {
		out := make([]float64, len(ids))
		for k, j := range ids {
			out[k] = of[j]
		}
		return out
	}
	if m.slope == nil {
		m.slope = c.Vector(c.N)
	}
	lo, hi := c.Rows.Here(c.N)
	copy(m.slope[lo:hi], c.Slope[lo:hi])
	p := &kinkStep{quadratic: &quadratic{h: h, g: g, v: take(c.Value), u: take(m.cap), layout: l,
		j: &scattered{layout: l, d: c.D, ids: ids, oracle: m.Problem.Oracle, products: m.products, slope: m.slope, scratch: c.Scratch()}}}
	p.values = func() []float64 { return take(c.Value) }
	p.weigh = func(y, q []float64) float64 {
		for k, j := range ids {
			y[j] = q[k]
		}
		return 0
	}
	m.begin(p, take(c.Y), 1)
	return p
}

// scattered is the Jacobian of samples where they lie.
type scattered struct {
	*layout
	d        int
	ids      []int // here
	oracle   saddle.Oracle
	products saddle.Products
	slope    []float64 // n: those of the point of the step
	scratch  []float64 // n
}

// TimesTo implements Jacobian.
func (s *scattered) TimesTo(dst, delta []float64) {
	s.layout.rows.Run(s.n, func(sh, lo, hi int) {
		s.products.MarginsTo(s.scratch, delta, lo, hi)
		for k := s.at[sh][0]; k < s.at[sh][1]; k++ {
			j := s.ids[k]
			dst[k] = s.slope[j] * s.scratch[j]
		}
	})
}

// put stores numbers of the pieces of a shard as those of its samples, 0 of the others.
func (s *scattered) put(sh, lo, hi int, of func(k int) float64) {
	clear(s.scratch[lo:hi])
	for k := s.at[sh][0]; k < s.at[sh][1]; k++ {
		s.scratch[s.ids[k]] = of(k)
	}
}

// AddTransposedTo implements Jacobian.
func (s *scattered) AddTransposedTo(dst, q []float64) float64 {
	part := s.layout.rows.Partials(s.layout.rows.Shards(s.n), s.d+1)
	part.Clear()
	s.layout.rows.Run(s.n, func(sh, lo, hi int) {
		s.put(sh, lo, hi, func(k int) float64 { return q[k] })
		sum := part.Of(sh)
		s.oracle.AddGradTo(sum[:s.d], s.scratch, s.slope, lo, hi)
		sum[s.d] = kernel.Sum(s.scratch[lo:hi])
	})
	sum := make([]float64, s.d+1)
	s.layout.rows.SumTo(sum, part)
	floats.Add(dst, sum[:s.d])
	return sum[s.d]
}

// AddGramTo implements Jacobian.
func (s *scattered) AddGramTo(dst *mat.SymDense, w []float64) {
	s.layout.rows.Run(s.n, func(sh, lo, hi int) {
		s.put(sh, lo, hi, func(k int) float64 {
			slope := s.slope[s.ids[k]]
			return w[k] * slope * slope
		})
	})
	sum := mat.NewSymDense(s.d, nil)
	hessian.NewGram(s.layout.rows, s.n, s.d).SumOf(sum, s.products, s.scratch)
	dst.AddSym(dst, sum)
}
