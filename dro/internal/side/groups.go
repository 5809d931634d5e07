package side

import (
	"errors"
	"fmt"
	"math"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/memory"
	"gonum.org/v1/gonum/floats"
)

// Groups is the adversary over groups of samples. Let f_g be the mean loss of group g under the weights of its
// samples, and q weights over the groups. Then
//
//	R(f) = max_q Σ_g q_g (f_g + c_g) − ψ(q),
//
// where ψ and the set of q are those of a Simplex around a prior. With Nu = 0 and no radius, this is plain group
// DRO, whose risk is the largest group mean. A sample may be in several groups. The weights of the samples are y =
// Σ_g q_g a_g, where a_g are the weights within group g.
type Groups struct {
	Near   Simplex   // adversary over the groups; its Weights are the prior, nil for equal weights
	Adjust []float64 // c_g ≥ 0 in units of the loss, such as C/√n_g of Sagawa et al. (2020); nil means 0

	ways   int       // number of groupings
	of     [][]int32 // for each grouping, the group of each sample, or −1
	count  []float64 // effective number of samples in each group, by their weights
	weight []float64 // weights of the samples; nil if equal

	rows *ranks.Rows // distribution of the samples over ranks; nil for a single process
}

var (
	_ engine.Adversary   = (*Groups)(nil)
	_ engine.Curved      = (*Groups)(nil)
	_ engine.Smoothable  = (*Groups)(nil)
	_ engine.Pieced      = (*Groups)(nil)
	_ engine.Grouped     = (*Groups)(nil)
	_ engine.Distributed = (*Groups)(nil)
)

// minMass is the minimum weight of a group; the inverse of a smaller number may overflow.
const minMass = 0x1p-1022

// NewGroups returns the adversary over groups with the set and penalty of near. of[k][j] is the group of sample j
// in the kth grouping, numbered from 0 in each grouping, or −1 if the sample is in no group; the groups of all
// groupings are then numbered consecutively. w holds the weights of the samples; nil means equal weights. A group
// without weight is an error. The slices are not copied.
func NewGroups(near Simplex, w []float64, of ...[]int) (*Groups, error) {
	ways := make([][]int32, len(of))
	for k, way := range of {
		ways[k] = make([]int32, len(way))
		for j, g := range way {
			ways[k][j] = int32(g)
		}
	}
	return NewGroupsOver(nil, near, w, ways...)
}

// NewGroupsOver works like [NewGroups] for samples distributed over MPI ranks. It is a collective call.
func NewGroupsOver(rows *ranks.Rows, near Simplex, w []float64, of ...[]int32) (*Groups, error) {
	if len(of) == 0 || len(of[0]) == 0 {
		return nil, errors.New("dro: an adversary over groups needs the group of every sample")
	}
	n := len(of[0])
	if err := checkWeights(rows, w, n); err != nil {
		return nil, fmt.Errorf("dro: %w", err)
	}
	g := &Groups{Near: near, ways: len(of), weight: w, rows: rows}
	lo, hi := rows.LocalRange(n)
	for k, index := range of {
		if len(index) != n {
			return nil, fmt.Errorf("dro: there are %d samples, but a grouping covers %d", n, len(index))
		}
		first, most := len(g.count), -1
		for j, id := range index[lo:hi] {
			if int(id) >= n {
				return nil, fmt.Errorf(
					"dro: sample %d is in group %d, but there are only %d samples: number the groups from 0 without gaps", lo+j, id, n)
			}
			most = max(most, int(id))
		}
		ids := index
		if first > 0 {
			ids = memory.Make[int32](arenaOf(rows), n)
			for j, id := range index[lo:hi] {
				if ids[lo+j] = -1; id >= 0 {
					ids[lo+j] = int32(first) + id
				}
			}
		}
		g.count = append(g.count, g.groupMasses(ids, first, most)...)
		for id, c := range g.count[first:] {
			if !(c >= minMass) {
				return nil, fmt.Errorf("dro: group %d of grouping %d has no sample with a positive weight", id, k)
			}
		}
		g.of = append(g.of, ids)
	}
	if len(g.count) == 0 {
		return nil, errors.New("dro: no sample belongs to a group")
	}
	if err := g.Valid(n); err != nil {
		return nil, fmt.Errorf("dro: %w", err)
	}
	return g, nil
}

// groupMasses returns the total weights of the groups that are numbered from first on; most is the last group that
// has samples on this rank.
func (g *Groups) groupMasses(ids []int32, first, most int) []float64 {
	add := func(sums []float64, lo, hi int) {
		for j, id := range ids[lo:hi] {
			if id >= 0 {
				sums[int(id)-first] += g.weightAt(lo + j)
			}
		}
	}
	if g.rows == nil {
		sums := make([]float64, most+1)
		add(sums, 0, len(ids))
		return sums
	}
	last := []float64{float64(most)}
	g.rows.Comm().Max(last)
	return g.rows.Totals(len(ids), int(last[0])+1, add)
}

func (g *Groups) weightAt(j int) float64 {
	if g.weight == nil {
		return 1
	}
	return g.weight[j]
}

// Count implements Grouped.
func (g *Groups) Count() int { return len(g.count) }

// GroupMasses returns the total weight of the samples of each group.
func (g *Groups) GroupMasses() []float64 { return append([]float64(nil), g.count...) }

// Valid returns an error if the dual cannot be used with n samples.
func (g *Groups) Valid(n int) error {
	if len(g.of) == 0 || len(g.of[0]) < n {
		return fmt.Errorf("the groups do not cover %d samples", n)
	}
	if w := g.Near.Weights; w != nil && len(w) != len(g.count) {
		return fmt.Errorf("there are %d prior weights, but %d groups", len(w), len(g.count))
	}
	if err := g.Near.Valid(len(g.count)); err != nil {
		return fmt.Errorf("in the adversary over the groups, %w", err)
	}
	if g.Adjust != nil && len(g.Adjust) != len(g.count) {
		return fmt.Errorf("there are %d adjustments, but %d groups", len(g.Adjust), len(g.count))
	}
	for i, c := range g.Adjust {
		if !(c >= 0) || math.IsInf(c, 1) {
			return fmt.Errorf("the adjustment of group %d is %v; it must be finite and ≥ 0", i, c)
		}
	}
	return nil
}

// Region implements Adversary. At the prior ψ ≤ 0, since the adjustments are not negative.
func (*Groups) Region() engine.Region { return engine.Part }

// Modulus implements Dual.
func (g *Groups) Modulus() float64 { return g.Near.Nu }

// Smoothed implements Smoothable.
func (g *Groups) Smoothed(nu float64, _ int) (saddle.Dual, float64) {
	s := *g
	s.Near.Nu = nu
	return &s, s.Near.maxDivergence(len(g.count))
}

// WithRows implements Distributed.
func (g *Groups) WithRows(rows *ranks.Rows) saddle.Dual {
	over := *g
	over.rows = rows
	return &over
}

// OfSamples implements Distributed.
func (g *Groups) OfSamples(samples []int) saddle.Dual {
	of := *g
	of.rows, of.weight, of.of = nil, ranks.GatherAt(g.rows, samples, g.weight)[0], ranks.GatherAt(g.rows, samples, g.of...)
	return &of
}

// A groupedLosses holds the groups that have samples, for given losses.
type groupedLosses struct {
	id    []int32   // numbers of the groups that have samples with weight
	place []int32   // for every group, its index in id, or −1
	mass  []float64 // for each group in id, the total weight of its samples
	mean  []float64 // f_g of each group in id
	size  []float64 // mean of |f| in each group in id
	loss  []float64 // f_g + c_g of each group in id
	near  Simplex   // adversary over the groups in id
	q     []float64 // weights of the groups in id
	response
	perGroup []float64 // for every group, q_g/mass_g, from which the weights of the samples are computed
}

// evaluate computes the group means of the losses and the weights over groups.
func (g *Groups) evaluate(f []float64) *groupedLosses {
	s := g.meansOf(f)
	s.response = s.near.respond(s.q, s.loss, engine.Multipliers{})
	for i, id := range s.id {
		s.perGroup[id] = s.q[i] / s.mass[i]
	}
	return s
}

// meansOf computes the group means of the losses, and sets the weights over groups to 0.
func (g *Groups) meansOf(f []float64) *groupedLosses {
	n, k := len(f), len(g.count)
	part := g.rows.Partials(g.rows.Shards(n), 3*k)
	part.Clear()
	g.rows.Run(n, func(s, lo, hi int) {
		total, mass, size := part.Shard(s)[:k], part.Shard(s)[k:2*k], part.Shard(s)[2*k:]
		for _, ids := range g.of {
			for j := lo; j < hi; j++ {
				if id := ids[j]; id >= 0 {
					// otherwise a loss that overflows would matter
					if w := g.weightAt(j); w != 0 {
						total[id] += w * f[j]
						mass[id] += w
						size[id] += math.Abs(w * f[j])
					}
				}
			}
		}
	})
	sums := make([]float64, 3*k)
	g.rows.SumTo(sums, part)
	s := &groupedLosses{near: g.Near, place: make([]int32, k), perGroup: make([]float64, k)}
	s.near.Weights = nil
	for id, m := range sums[k : 2*k] {
		s.place[id] = -1
		if !(m >= minMass) {
			continue
		}
		s.place[id] = int32(len(s.id))
		mean := sums[id] / m
		s.id, s.mass, s.mean, s.size = append(s.id, int32(id)), append(s.mass, m), append(s.mean, mean), append(s.size,
			sums[2*k+id]/m)
		if g.Adjust != nil {
			mean += g.Adjust[id]
		}
		if s.loss = append(s.loss, mean); g.Near.Weights != nil {
			s.near.Weights = append(s.near.Weights, g.Near.Weights[id])
		}
	}
	if s.near.Weights != nil && !(engine.Sum(s.near.Weights) > 0) {
		s.near.Weights = nil // the prior of the groups in a prefix
	}
	s.q = make([]float64, len(s.id))
	return s
}

// BestResponseTo implements Dual.
func (g *Groups) BestResponseTo(y, f []float64) (risk, tau float64) {
	s := g.evaluate(f)
	g.storeWeights(y, s)
	return s.risk, s.tau
}

// storeWeights stores the weights of the samples.
func (g *Groups) storeWeights(y []float64, s *groupedLosses) {
	g.rows.Run(len(y), func(_, lo, hi int) {
		clear(y[lo:hi])
		for _, ids := range g.of {
			for j := lo; j < hi; j++ {
				if id := ids[j]; id >= 0 {
					y[j] += g.weightAt(j) * s.perGroup[id]
				}
			}
		}
	})
}

// FusedTo implements Adversary. It reads the rows twice.
func (g *Groups) FusedTo(e *engine.Evaluator, grad, y, x []float64, _ engine.Multipliers) engine.Response {
	e.Eval(x)
	s := g.evaluate(e.Value)
	g.storeWeights(y, s)
	e.GradTo(grad, y)
	a := engine.Response{Multipliers: s.multipliers(), Y: y, Groups: make([]float64, len(g.count)), Risk: s.risk}
	for i, id := range s.id {
		a.Groups[id] = s.q[i]
	}
	return a
}

// Value implements Dual. If there is one grouping, it is ψ(q) minus the adjustments. If there are several, weights
// of the samples may result from different weights of the groups, and Value is an upper bound.
func (g *Groups) Value(y []float64) float64 {
	if g.ways > 1 {
		most := g.Near.maxDivergence(len(g.count))
		least := 0.0
		if g.Adjust != nil {
			least = math.Inf(1)
			for _, c := range g.Adjust {
				least = min(least, c)
			}
		}
		return g.Near.Nu*most - least
	}
	q := g.groupWeights(y)
	psi := g.Near.Value(q)
	for id, c := range g.Adjust {
		psi -= c * q[id]
	}
	return psi
}

// groupWeights returns the weights over groups that correspond to weights of samples; there must be only one
// grouping.
func (g *Groups) groupWeights(y []float64) []float64 {
	q := make([]float64, len(g.count))
	if g.rows == nil {
		for j, v := range y {
			if id := g.of[0][j]; id >= 0 {
				q[id] += v
			}
		}
		return q
	}
	part := g.rows.Partials(g.rows.Shards(len(y)), len(q))
	part.Clear()
	g.rows.Run(len(y), func(s, lo, hi int) {
		sums := part.Shard(s)
		for j := lo; j < hi; j++ {
			if id := g.of[0][j]; id >= 0 {
				sums[id] += y[j]
			}
		}
	})
	g.rows.SumTo(q, part)
	return q
}

// ResponseDerivativesTo implements Curved. Weights within a group are constant.
func (g *Groups) ResponseDerivativesTo(response []float64, _ *engine.Response, lo, hi int) {
	clear(response[lo:hi])
}

// CouplingTerms implements Curved. Weights only move between groups. Let c be the derivatives of the group weights with
// respect to the group means. The Hessian with respect to the means is diag(c) − ccᵀ/Σc, minus a further rank-one
// term if a ball binds. along holds the gradients of the group means, followed by the combination of them for each
// rank-one term.
func (g *Groups) CouplingTerms(
	e *engine.Evaluator, _ *engine.Response, within []float64, _ float64, slope []float64,
) (along [][]float64, share []float64) {
	s := g.evaluate(e.Value)
	along = g.groupGradients(e, s, within, slope)
	if share = make([]float64, len(s.q)); !(s.nu > 0) {
		return along, share
	}
	r := newReference(nil, s.near.Weights, len(s.q))
	s.near.responseDerivativesAt(&r, s.nu, share, s.q, 0, len(s.q))
	total := engine.Sum(share)
	if !(total > 0) {
		return nil, nil
	}
	mean, scatter := engine.Dot(share, s.loss)/total, 0.0
	together, apart := make([]float64, e.D), make([]float64, e.D)
	for i, c := range share {
		off := s.loss[i] - mean
		scatter += c * off * off
		floats.AddScaled(together, c, along[i])
		floats.AddScaled(apart, c*off, along[i])
	}
	along, share = append(along, together), append(share, -1/total)
	if s.nu > s.near.Nu && scatter > 0 {
		along, share = append(along, apart), append(share, -1/scatter)
	}
	return along, share
}

// groupGradients returns the gradients of the group means, one in each row. It takes half a pass for each grouping.
// within has length
// n and receives the weights within the groups.
func (g *Groups) groupGradients(e *engine.Evaluator, s *groupedLosses, within, slope []float64) (along [][]float64) {
	k := len(s.id)
	e.Spend(0.5 * float64(g.ways))
	part := g.rows.Partials(e.Rows.Shards(e.N), k*e.D)
	part.Clear()
	g.rows.Run(e.N, func(sh, lo, hi int) {
		sums := part.Shard(sh)
		for _, ids := range g.of {
			for j := lo; j < hi; j++ {
				id := ids[j]
				if id < 0 || s.place[id] < 0 { // a group without weight among the first samples
					continue
				}
				i := int(s.place[id])
				within[j] = g.weightAt(j) / s.mass[i]
				e.Problem.Oracle.AddGradTo(sums[i*e.D:(i+1)*e.D], within, slope, j, j+1)
			}
		}
	})
	rows := make([]float64, k*e.D)
	g.rows.SumTo(rows, part)
	for i := range k {
		along = append(along, rows[i*e.D:(i+1)*e.D])
	}
	return along
}

// Pieces implements Pieced: the groups.
func (g *Groups) Pieces() engine.Pieces {
	if g.Near.Nu > 0 || g.Near.HasBall() {
		return engine.Pieces{}
	}
	return engine.Pieces{Groups: g.piecesAt}
}

// piecesAt returns the means of the groups that have a prior, including their adjustments, at the last point that e
// evaluated, and the gradients of these means. Weights q of these groups correspond to the weights Σ_g q_g a_g of
// the samples.
func (g *Groups) piecesAt(e *engine.Evaluator) (p engine.GroupPieces) {
	s := g.evaluate(e.Value)
	all := g.groupGradients(e, s, make([]float64, e.N), e.Slope)
	possible := s.possibleGroups()
	for _, i := range possible {
		p.Loss, p.Rows = append(p.Loss, s.loss[i]), append(p.Rows, all[i])
	}
	p.Weigh = func(y, q []float64) (groups []float64) {
		clear(s.perGroup)
		groups = make([]float64, len(g.count))
		for k, i := range possible {
			id := s.id[i]
			groups[id], s.perGroup[id] = q[k], q[k]/s.mass[i]
		}
		g.storeWeights(y, s)
		return groups
	}
	return p
}

// possibleGroups returns the groups that can have weight.
func (s *groupedLosses) possibleGroups() (out []int) {
	for i := range s.id {
		if s.near.Weights == nil || s.near.Weights[i] > 0 {
			out = append(out, i)
		}
	}
	return out
}
