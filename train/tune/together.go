package tune

import (
	"context"
	"math"
	"sync"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/shard"
	"github.com/drotrain/drotrain/train/level"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A search is a model that is solved for together with others on the same rows: by the
// limited-memory BFGS method in a metric that all share. What a step costs is reading the
// rows, and all models take their steps in one reading.
type search struct {
	candidate int // of a race

	level  level.Level
	primal dro.L2
	x      []float64 // where it starts, and then where it is
	passes float64
	ended  bool // within the accuracy of a choice, by the estimate of the metric; else it gave up

	goal   float64    // relative gap, by the metric's estimate, at which it ends
	most   float64    // evaluations
	origin []float64  // the plain average, from which the way is measured; nil: it does not matter
	apart  bool       // it is alone: a tile of several vectors takes as long for one
	pull   *pull      // of the groups that the level's adversary weighs; nil: it weighs none
	under  *mat.Dense // what the pull does at the weights of the start

	dual      dro.Dual
	value     []float64 // f of it all at x
	f         float64
	gradient  []float64
	step      []float64 // direction
	length    float64   // of the step that is tried
	slope     float64   // of f along it
	gap       float64   // by the metric's estimate, at x
	shortened int

	tried, at, weight []float64 // the point tried; losses; slopes, by row; the adversary's weights
	next              []float64 // gradient at the point tried
	group             []int32   // of the rows
	pairs             []pair
}

// A pair is a step, the change of the gradient over it, and 1/⟨step, change⟩.
type pair struct {
	s, y []float64
	rho  float64
}

const (
	searchMemory      = 10 // pairs
	searchEvaluations = 50 // of a search: what needs more is left to methods that need fewer
	searchShortenings = 8  // of a step
	searchShortest    = .1 // of the length before
	briefEvaluations  = 12 // of a search that goes on if it is not left behind: it ends short of its level, nearer to the plain average

	// searchGap is the relative gap, by the metric's estimate, to which candidates are searched
	// for. The others start from where the plain average of their fold ended, and what is left of
	// the way from there makes less of them than they are: it has to be small beside that way,
	// too, but for what nobody sees. The plain average starts from a point that has seen the rows
	// held out, and what is left of its way flatters it, by its length: the square root of the gap.
	searchGap = 1e-6
	leftOfWay = 1e-4 // of its square
	unseenGap = 1e-9 // and that of the plain average

	// flatness is the share of f below which its differences say nothing, rows being in single
	// precision: there a step is as good as the slope at its end says (Hager and Zhang 2005).
	flatness = 1e-7
)

// searchColumns is the number of columns from which candidates are searched for together: a Hessian
// costs many passes over the rows.
const searchColumns = 300

// wide reports whether the candidates of the table are searched for together.
func (t *Table) wide() bool {
	_, d := t.X.Dims()
	return d >= searchColumns
}

// together solves for all searches in the metric. done is told of every search that ended.
func (t *Table) together(ctx context.Context, all []*search, m *metric, done func(*search)) error {
	_, d := t.X.Dims()
	for _, s := range all {
		dual, err := s.level.Dual(t.Rows)
		if err != nil {
			return err
		}
		s.dual, s.group = dual, t.Group
		s.value, s.at, s.weight = make([]float64, t.N), make([]float64, t.N), make([]float64, t.N)
		s.gradient, s.next, s.step, s.tried = make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
		if s.x == nil {
			s.x = make([]float64, d)
		}
		copy(s.tried, s.x)
		s.f = math.Inf(1)
	}
	live := append([]*search(nil), all...)
	for len(live) > 0 && ctx.Err() == nil {
		risk := t.evaluate(live)
		var each sync.WaitGroup
		over := make([]bool, len(live))
		for k, s := range live {
			each.Go(func() { over[k] = s.move(risk[k], m) })
		}
		each.Wait()
		rest := live[:0]
		for k, s := range live {
			if !over[k] {
				rest = append(rest, s)
				continue
			}
			s.value, s.at, s.weight, s.pairs = nil, nil, nil, nil
			done(s)
		}
		live = rest
	}
	return context.Cause(ctx)
}

// evaluate returns the risks at the points tried, and leaves their gradients: two readings of
// the rows.
func (t *Table) evaluate(live []*search) []float64 {
	apart := len(live) == 1 && live[0].apart
	x, at, next, weight := make([][]float64, len(live)), make([][]float64, len(live)), make([][]float64, len(live)), make([][]float64, len(live))
	for k, s := range live {
		x[k], at[k], next[k], weight[k] = s.tried, s.at, s.next, s.weight
	}
	shard.Run(t.N, func(_, lo, hi int) {
		if apart {
			t.X.MarginsTo(at[0], x[0], lo, hi)
		} else {
			design.ManyMarginsTo(t.X, at, x, lo, hi)
		}
		for _, s := range live {
			t.Loss.EvalTo(s.value[lo:hi], s.at[lo:hi], s.at[lo:hi], t.Target[lo:hi])
		}
	})
	risk := make([]float64, len(live))
	shard.RunCount(len(live), len(live), func(k, _, _ int) { risk[k], _ = live[k].dual.BestResponseTo(live[k].weight, live[k].value) })
	_, d := t.X.Dims()
	partials := shard.NewPartials(shard.Count(t.N), len(live)*d)
	partials.Clear()
	shard.Run(t.N, func(s, lo, hi int) {
		part := make([][]float64, len(live))
		for k := range part {
			part[k] = partials.Of(s)[k*d : (k+1)*d]
		}
		if apart {
			t.X.AddRowsTo(part[0], weight[0], at[0], lo, hi)
		} else {
			design.ManyAddRowsTo(t.X, part, weight, at, lo, hi)
		}
	})
	sum := make([]float64, len(live)*d)
	partials.SumTo(sum)
	for k, s := range live {
		copy(s.next, sum[k*d:])
		s.primal.AddGradTo(s.next, s.tried)
		s.passes++
	}
	return risk
}

// move takes what was found at the point tried and names the next one; it reports whether the
// search is over.
func (s *search) move(risk float64, m *metric) bool {
	f := risk + s.primal.Value(s.tried)
	switch {
	case math.IsInf(s.f, 1) && f-f == 0: // the start
		s.f = f
		copy(s.gradient, s.next)
		s.feel()
	case f < s.f || f <= s.f+flatness*math.Abs(s.f) && floats.Dot(s.next, s.step) <= -s.slope:
		s.remember()
		s.f, s.x, s.tried = f, s.tried, s.x
		s.gradient, s.next = s.next, s.gradient
		s.shortened = 0
	default:
		if s.shortened++; math.IsInf(s.f, 1) || s.shortened > searchShortenings || s.passes >= s.most {
			return true
		}
		shorter := searchShortest
		if f-f == 0 { // the least point of the parabola through what is known, which is not beyond the middle
			shorter = max(shorter, -s.slope*s.length/(2*(f-s.f-s.slope*s.length)))
		}
		s.length *= shorter
		floats.AddScaledTo(s.tried, s.x, s.length, s.step)
		return false
	}
	s.direct(m)
	s.slope = floats.Dot(s.step, s.gradient)
	gap, enough, full := -s.slope/2, s.enough(m), s.length == 1
	if s.ended = gap <= enough; !s.ended && full && gap*gap <= s.gap*enough/2 {
		s.ended = true // after this step, that takes as much of the gap as the one before
		floats.Add(s.x, s.step)
	}
	s.gap = gap
	if s.ended || s.slope-s.slope != 0 || s.passes >= s.most {
		return true
	}
	s.length = 1
	floats.AddScaledTo(s.tried, s.x, s.length, s.step)
	return false
}

// enough is the gap at which the search ends.
func (s *search) enough(m *metric) float64 {
	gap := s.goal * math.Abs(s.f)
	if s.origin == nil {
		return gap
	}
	v := make([]float64, len(s.x))
	floats.SubTo(v, s.x, s.origin)
	at := mat.NewVecDense(len(v), v)
	return max(unseenGap*math.Abs(s.f), min(gap, leftOfWay*mat.Inner(at, m.gram, at)/2))
}

// feel finds what the groups do to steps, at the weights of the start.
func (s *search) feel() {
	if s.pull == nil {
		return
	}
	q := make([]float64, len(s.pull.share))
	for j, g := range s.group {
		if g >= 0 {
			q[g] += s.weight[j]
		}
	}
	s.under = s.pull.under(q, *s.level.Nu)
}

// inverse stores v times the inverse of the metric of the search in to.
func (s *search) inverse(m *metric, to, v []float64) {
	m.multiply(to, v)
	if s.under != nil {
		s.pull.correct(to, v, s.under)
	}
}

// remember keeps the step that was taken.
func (s *search) remember() {
	p := pair{s: make([]float64, len(s.x)), y: make([]float64, len(s.x))}
	floats.SubTo(p.s, s.tried, s.x)
	floats.SubTo(p.y, s.next, s.gradient)
	along := floats.Dot(p.s, p.y)
	if !(along > 1e-12*floats.Norm(p.s, 2)*floats.Norm(p.y, 2)) {
		return
	}
	p.rho = 1 / along
	if s.pairs = append(s.pairs, p); len(s.pairs) > searchMemory {
		s.pairs = s.pairs[1:]
	}
}

// direct stores the direction of the next step: two loops over the pairs (Nocedal 1980) around
// the metric.
func (s *search) direct(m *metric) {
	q := append([]float64(nil), s.gradient...)
	alpha := make([]float64, len(s.pairs))
	for i := len(s.pairs) - 1; i >= 0; i-- {
		p := s.pairs[i]
		alpha[i] = p.rho * floats.Dot(p.s, q)
		floats.AddScaled(q, -alpha[i], p.y)
	}
	s.inverse(m, s.step, q)
	if last := len(s.pairs) - 1; last >= 0 {
		p := s.pairs[last]
		s.inverse(m, q, p.y)
		floats.Scale(1/(p.rho*floats.Dot(q, p.y)), s.step)
	}
	for i, p := range s.pairs {
		floats.AddScaled(s.step, alpha[i]-p.rho*floats.Dot(p.y, s.step), p.s)
	}
	floats.Scale(-1, s.step)
}
