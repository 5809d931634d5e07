// Package level specifies the robustness of a model in practical terms, such as the size of the smallest subgroup to
// protect, an effective sample size or a penalty coefficient, and returns the corresponding adversary of package dro
// (docs/math.md §10). It may import only dro, design, memory and internal packages. The best place to start reading is
// Level.
//
// Stability: this package is a part of package train and may change with any version before 1.0; prefer package
// train.
package level

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/memory"
)

// A Level specifies how robust a model is to be. At most one of Average, Nu, Ess, Protect, Radius, Spectral,
// Wasserstein and Own may be set; if none is set, the level is chosen from the data. The keys are options of the
// drotrain command.
type Level struct {
	// Average trains without an adversary: plain (empirical risk minimisation); balanced, with the same total
	// weight for every group; half-balanced, in which the total weight of a group is proportional to the square
	// root of its original weight; subsets, the mean of models trained on ten subsets with equally many rows of
	// every group; or validation-subsets, the same on subsets of the validation rows.
	Average string `json:"average,omitempty"`

	Nu *float64 `json:"nu,omitempty"` // penalty coefficient ν ≥ 0 of the divergence, in units of the loss
	// minimum effective sample size as a proportion of the rows in (0, 1]: Kish’s for chi2, the perplexity for
	// kl
	Ess *float64 `json:"ess,omitempty"`
	// size of the smallest subgroup to protect, as a proportion of the rows in [1/n, 1]: CVaR
	Protect *float64 `json:"protect,omitempty"`
	Radius  *float64 `json:"radius,omitempty"` // radius ρ > 0 of a divergence ball

	// weights of the losses by their rank, in the syntax of dro.ParseSpectrum, such as extremile:2
	Spectral string `json:"spectral,omitempty"`

	// Wasserstein is the radius ε > 0 of a ball around the rows in the type-1 Wasserstein distance. Features
	// may move by ε on average in the Euclidean norm, while targets may not. Rows keep their weights.
	Wasserstein *float64 `json:"wasserstein,omitempty"`

	Own *Own `json:"own,omitempty"` // adversary defined by the caller's program

	Penalty dro.Divergence `json:"penalty"` // the divergence; "" for kl
	// what the adversary weights: rows or groups; empty means rows
	Adversary string  `json:"adversary,omitempty"`
	Adjust    float64 `json:"group_adjust,omitempty"` // C ≥ 0; C/√n_g is added to the risk of group g
}

// averages lists the valid values of Level.Average.
var averages = []string{"plain", "balanced", "half-balanced", "subsets", ValidationSubsets}

// At returns a pointer to v, for fields that may be unset.
func At(v float64) *float64 { return &v }

// setFields returns the names of those mutually exclusive fields that are set.
func (l Level) setFields() []string {
	var set []string
	for _, k := range Kinds {
		if k.isSet(&l) {
			set = append(set, k.field)
		}
	}
	return set
}

// joinConfigFields joins names of fields in the form in which they appear in a train.Config.
func joinConfigFields(fields []string, separator string) string {
	return "Config." + strings.Join(fields, separator+"Config.")
}

// IsSet reports whether the level is set and therefore is not chosen from the data.
func (l Level) IsSet() bool { return l.kind() != nil }

// HasDivergence reports whether the level uses a divergence.
func (l Level) HasDivergence() bool {
	k := l.kind()
	return k != nil && k.takesDivergence
}

// KeepsWeights reports whether no adversary weights the rows: the level is an average, or its adversary only moves
// features.
func (l Level) KeepsWeights() bool {
	k := l.kind()
	return k != nil && k.keepsWeights
}

// IsMeanOfModels reports whether the model is the mean of models on subsets, as opposed to the minimiser of a risk.
func (l Level) IsMeanOfModels() bool { return l.Average == "subsets" || l.Average == ValidationSubsets }

// IsGroupwise reports whether the adversary weights groups.
func (l Level) IsGroupwise() bool { return l.Adversary == "groups" }

// Validate returns all errors of the level that do not depend on the rows, joined in one error.
func (l Level) Validate() error {
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if set := l.setFields(); len(set) > 1 {
		say("%s each set the robustness: set only one of them", joinConfigFields(set, " and "))
	}
	for _, k := range Kinds {
		if k.isSet(&l) {
			if what := k.check(&l); what != "" {
				say("Config.%s%s", k.field, what)
			}
		}
	}
	if all := dro.Divergences(); !slices.Contains(all, l.Penalty) {
		say("Config.Penalty is %q; it must be one of %s", string(l.Penalty), strings.Trim(fmt.Sprint(all), "[]"))
	}
	if what := checkWord(l.Adversary, "", "rows", "groups"); what != "" {
		say("Config.Adversary is %q; it must be rows or groups", l.Adversary)
	}
	if l.Nu != nil && *l.Nu > 0 && *l.Nu < 0x1p-1022 {
		say("Config.Nu is %v, a denormal number with too few digits: use 0", *l.Nu)
	}
	if !l.Penalty.HasPenalty() {
		l.checkBallOnly(say)
	}
	if !(l.Adjust >= 0) || math.IsInf(l.Adjust, 0) {
		say("Config.Adjust is %v; it must be finite and ≥ 0", l.Adjust)
	}
	switch {
	case !l.IsGroupwise():
		if l.Adjust > 0 {
			say("Config.Adjust needs Config.Adversary groups")
		}
	case l.Penalty.HasPenalty(): // otherwise, no adversary over groups is possible
		if !l.IsSet() {
			say("Config.Adversary groups needs Config.Nu (0 is group DRO) or Config.Radius; leave out Config.Adversary to " +
				"let cross-validation choose among adversaries over rows and groups")
		}
		if k := l.kind(); k != nil && k.groups == nil {
			say("Config.Adversary groups needs Config.Nu or Config.Radius, not %s", joinConfigFields(l.setFields(), ", "))
		}
	}
	if wrong == nil {
		return nil
	}
	return errors.New(strings.Join(wrong, "; "))
}

// checkBallOnly reports settings that are incompatible with a divergence that only has a ball over rows.
func (l Level) checkBallOnly(say func(format string, args ...any)) {
	var instead []string
	if l.Nu != nil {
		instead = append(instead, "Nu")
	}
	if l.Ess != nil {
		instead = append(instead, "Ess")
	}
	if instead != nil {
		say("Config.Penalty %s needs Config.Radius (the proportion of the weight that moves between rows) instead of %s",
			string(l.Penalty), joinConfigFields(instead, " and "))
	}
	if l.IsGroupwise() {
		say("Config.Penalty %s is only for adversaries over rows: leave out Config.Adversary groups", string(l.Penalty))
	}
	if l.Radius != nil && *l.Radius > 1 {
		say("Config.Radius is %v; with Config.Penalty %s it is a proportion of the weight and must be at most 1", *l.Radius,
			string(l.Penalty))
	}
}

// Rows holds the properties of the training rows on which a level depends. Its methods panic if a row is out of
// range.
type Rows struct {
	N       int
	Weights []float64 // sample weights; nil if equal
	Group   []int32   // group of every row, −1 for none; nil if there are no groups
	Labels  []string  // labels of the groups

	Sharded design.Rows // the rows of this process if several train together; nil if it has all rows
}

// ranks returns the distribution of the rows over ranks, or nil if all rows are local.
func (r Rows) ranks() *ranks.Rows { return ranks.RowsOf(r.Sharded) }

// newVector returns n zeros. With several ranks only the local entries occupy memory.
func newVector[T memory.Element](r Rows) []T {
	if r.Sharded == nil {
		return make([]T, r.N)
	}
	return memory.Make[T](memory.NewVirtual(), r.N)
}

// sumOverRows returns the given number (width) of sums over the rows. add must add the terms of the rows [lo, hi)
// to sums.
func (r Rows) sumOverRows(width int, add func(sums []float64, lo, hi int)) []float64 {
	if r.Sharded != nil {
		return r.ranks().Totals(r.N, width, add)
	}
	sums := make([]float64, width)
	add(sums, 0, r.N)
	return sums
}

// Select returns the Rows of a subset of the rows.
func (r Rows) Select(rows []int) Rows {
	s := Rows{N: len(rows), Labels: r.Labels}
	for _, j := range rows {
		if r.Weights != nil {
			s.Weights = append(s.Weights, r.Weights[j])
		}
		if r.Group != nil {
			s.Group = append(s.Group, r.Group[j])
		}
	}
	return s
}

// Weight returns the weight of row j, or 1 if all weights are equal.
func (r Rows) Weight(j int) float64 {
	if r.Weights == nil {
		return 1
	}
	return r.Weights[j]
}

// Dual returns the adversary of a valid level over the rows. It returns an error if the level is not set, requires at
// least two groups and there are fewer, or does not support these rows. With several ranks it is a collective call.
func (l Level) Dual(r Rows) (dro.Dual, error) {
	k := l.kind()
	switch {
	case k == nil:
		return nil, errors.New("the robustness is not set")
	case r.N < 0 || r.Weights != nil && len(r.Weights) != r.N || r.Group != nil && len(r.Group) != r.N:
		return nil, fmt.Errorf("there are %d rows, but the slices Weights and Group have %d and %d entries", r.N,
			len(r.Weights), len(r.Group))
	case l.IsGroupwise():
		return l.groupDual(r)
	}
	return k.dual(l, r)
}

// divergenceRadius returns the radius of the divergence ball of a level with Radius or Ess.
func (l Level) divergenceRadius() float64 {
	if l.Radius != nil {
		return *l.Radius
	}
	return l.Penalty.RadiusOfSize(*l.Ess)
}

// groupDual returns the adversary over groups.
func (l Level) groupDual(r Rows) (dro.Dual, error) {
	index, count, err := r.groupIndex()
	if err != nil {
		return nil, err
	}
	near := dro.Ball{Divergence: l.Penalty, Radius: math.Inf(1), Weights: r.groupMasses(index, len(count))}
	if k := l.kind(); k.groups != nil {
		k.groups(l, &near, "")
	}
	g := dro.Groups{Of: [][]int32{index}, Near: near, Weights: r.Weights}
	if l.Adjust > 0 {
		for _, n := range count {
			g.Adjust = append(g.Adjust, l.Adjust/math.Sqrt(n))
		}
	}
	return g, nil
}

// groupIndex numbers the groups that have rows of positive weight. It returns the number of the group of every row, −1
// for none, and counts the rows of positive weight in each group. It returns an error if there are fewer than two groups.
func (r Rows) groupIndex() (index []int32, count []float64, err error) {
	of := r.Group
	if len(of) == 0 {
		return nil, nil, errors.New("an adversary over groups and group-balanced weights need groups: name the group " +
			"columns")
	}
	lo, hi := r.ranks().LocalRange(r.N)
	last := []float64{-1}
	if lo < hi {
		last[0] = float64(slices.Max(of[lo:hi]))
	}
	r.ranks().Comm().Max(last)
	number := make([]int32, 1+int(last[0]))
	rows := r.sumOverRows(len(number), func(sums []float64, lo, hi int) {
		for j, g := range of[lo:hi] {
			if g >= 0 && r.Weight(lo+j) > 0 {
				sums[g]++
			}
		}
	})
	for g, n := range rows {
		if number[g] = -1; n > 0 {
			number[g] = int32(len(count))
			count = append(count, n)
		}
	}
	if len(count) < 2 {
		return nil, nil, fmt.Errorf(
			"an adversary over groups and group-balanced weights need at least two groups with rows; the number of such "+
				"groups is %d", len(count))
	}
	index = newVector[int32](r)
	for j, g := range of[lo:hi] {
		if index[lo+j] = -1; g >= 0 {
			index[lo+j] = number[g]
		}
	}
	return index, count, nil
}

// groupMasses returns the total weight of the rows of each group, given the number of groups.
func (r Rows) groupMasses(index []int32, count int) []float64 {
	return r.sumOverRows(count, func(sums []float64, lo, hi int) {
		for j, g := range index[lo:hi] {
			if g >= 0 {
				sums[g] += r.Weight(lo + j)
			}
		}
	})
}

// averageWeights returns the weights of an average other than plain. For subsets these are the mean of the weights
// in the subsets.
func (l Level) averageWeights(r Rows) ([]float64, error) {
	switch l.Average {
	case "half-balanced":
		return balancedWeights(r, 0.5)
	case "subsets":
		subsets, err := Subsets(r)
		if err != nil {
			return nil, err
		}
		w := make([]float64, r.N)
		for _, rows := range subsets {
			for _, j := range rows {
				w[j] += 1 / float64(len(rows)*len(subsets))
			}
		}
		return w, nil
	}
	return balancedWeights(r, 1)
}

// balancedWeights returns weights of the rows that sum to 1. The total weight of a group is proportional to its
// original weight to the power 1 − strength; within a group, the weights are proportional to those of the rows.
func balancedWeights(r Rows, strength float64) ([]float64, error) {
	index, count, err := r.groupIndex()
	if err != nil {
		return nil, err
	}
	total, sum := r.groupMasses(index, len(count)), 0.0
	for _, t := range total {
		sum += math.Pow(t, 1-strength)
	}
	divisor := make([]float64, len(total))
	for g, t := range total {
		divisor[g] = math.Pow(t, strength) * sum
	}
	w := newVector[float64](r)
	r.ranks().Run(r.N, func(_, lo, hi int) {
		for j, g := range index[lo:hi] {
			if g >= 0 {
				w[lo+j] = r.Weight(lo+j) / divisor[g]
			}
		}
	})
	return w, nil
}

// Balanced returns weights of the rows that sum to 1, such that all groups have the same total weight and, within a
// group, weights are proportional to those of the rows. Rows without a group have weight 0. It returns an error if there
// are fewer than two groups. It panics if a slice lacks an entry for a row.
func Balanced(r Rows) ([]float64, error) { return balancedWeights(r, 1) }

// subsetCount is the number of balanced subsets whose models are averaged.
const subsetCount = 10

// Subsets draws ten random subsets of the rows. In each, every group has as many rows as the smallest group has in
// the table. Equal arguments yield equal subsets. It returns an error if there are fewer than two groups, row
// weights, or several ranks. It panics if a slice lacks an entry for a row.
func Subsets(r Rows) ([][]int, error) {
	if r.Sharded != nil {
		return nil, errors.New("balanced subsets need all rows in one process")
	}
	if r.Weights != nil {
		return nil, errors.New("balanced subsets do not support row weights")
	}
	index, count, err := r.groupIndex()
	if err != nil {
		return nil, err
	}
	least := int(slices.Min(count))
	rows := make([][]int, len(count))
	for j, g := range index {
		if g >= 0 {
			rows[g] = append(rows[g], j)
		}
	}
	const stream = 0x73756273
	subsets := make([][]int, subsetCount)
	for k := range subsets {
		rng := rand.New(rand.NewPCG(uint64(k), stream))
		for _, of := range rows {
			for i := range least { // the first steps of a shuffle
				j := i + rng.IntN(len(of)-i)
				of[i], of[j] = of[j], of[i]
			}
			subsets[k] = append(subsets[k], of[:least]...)
		}
		slices.Sort(subsets[k])
	}
	return subsets, nil
}

// ValidationSubsets is the Average for the mean of models trained on balanced subsets of the validation rows.
const ValidationSubsets = "validation-subsets"
