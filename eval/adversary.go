package eval

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/data/facts"
	"github.com/drotrain/drotrain/dro/divergence"
	"github.com/drotrain/drotrain/internal/compensated"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/memory"
)

// An AdversaryInput holds the worst-case weights of the n training rows at the end of a training run.
type AdversaryInput struct {
	Penalty    divergence.Divergence // "" if there is no penalty
	Nu         float64               // 0 if unknown
	OverGroups bool                  // the adversary weights groups, not rows

	Weights []float64        // n weights: y ≥ 0, Σ y = 1 within 1e-6
	Loss    []float64        // n losses of the robust model, or nil
	Groups  []facts.Grouping // groupings of the training rows

	Arena *memory.Arena // for a vector of n numbers; nil means the heap
}

// negligibleWeight is the weight, relative to the average, below which a row counts as having none: solvers approach 0.
const negligibleWeight = 1e-3

// An Adversary describes the worst-case weights of the training rows.
type Adversary struct {
	Penalty divergence.Divergence `json:"penalty,omitempty"`
	Nu      *Num                  `json:"nu,omitempty"`

	// OverGroups reports that the adversary chose weights of groups, not of rows.
	OverGroups bool `json:"over_groups,omitempty"`

	N              int `json:"n"`
	Effective      Num `json:"effective_rows"` // 1/Σ y²
	EffectiveShare Num `json:"effective_share"`
	MaxWeight      Num `json:"max_weight_times_n"`
	RadiusKL       Num `json:"radius_kl"`         // Σ y log(n y)
	RadiusChi      Num `json:"radius_chi_square"` // ½ mean((n y − 1)²)
	ZeroRows       int `json:"zero_weight_rows"`  // rows whose weight is below 0.001 of the average
	HalfMassRows   int `json:"rows_holding_half"` // smallest number of rows that hold half of the weight
	TenPercent     Num `json:"mass_of_heaviest_tenth"`
	OnePercent     Num `json:"mass_of_heaviest_hundredth"`

	Groupings []MassGrouping `json:"mass_by_group"`
	Top       []TopRow       `json:"heaviest_rows"`
	Warnings  []string       `json:"warnings"`
}

// A MassGrouping holds the worst-case weight of each group of a grouping.
type MassGrouping struct {
	Name   string      `json:"name"`
	Groups []GroupMass `json:"groups"`
}

// A GroupMass compares a group's share of the weight with its share of the rows.
type GroupMass struct {
	Label string  `json:"group"`
	N     int     `json:"n"`
	Share float64 `json:"share_of_rows"`
	Mass  float64 `json:"share_of_mass"`
}

// Lift returns Mass/Share: the group's weight relative to its share of the rows.
func (g GroupMass) Lift() float64 { return g.Mass / g.Share }

// A TopRow is one of the rows with the largest weight.
type TopRow struct {
	Row    int  `json:"row"`
	Weight Num  `json:"weight_times_n"`
	Loss   *Num `json:"loss,omitempty"`
	Mass   Num  `json:"share_of_mass"`
}

// topRows is the number of rows listed in order of weight.
const topRows = 10

// DescribeAdversary summarises worst-case weights. It returns an error if there are no weights, if they are
// negative or not finite or do not sum to one, or if slices differ in length.
func DescribeAdversary(in AdversaryInput) (_ *Adversary, err error) {
	defer memory.Catch(&err)
	n := len(in.Weights)
	if n == 0 {
		return nil, fmt.Errorf("eval: there are no weights")
	}
	if in.Loss != nil && len(in.Loss) != n {
		return nil, fmt.Errorf("eval: there are %d weights for %d losses", n, len(in.Loss))
	}
	N := float64(n)
	a := &Adversary{Penalty: in.Penalty, OverGroups: in.OverGroups, N: n, Groupings: []MassGrouping{}, Top: []TopRow{},
		Warnings: []string{}}
	var sum, squares, kl, chi compensated.Sum
	for i, y := range in.Weights {
		if isNotFinite(y) || y < 0 {
			return nil, fmt.Errorf("eval: weight %d is %v; it must be finite and ≥ 0", i+1, y)
		}
		sum.Add(y)
		squares.Add(y * y)
		chi.Add((N*y - 1) * (N*y - 1))
		if y > 0 {
			kl.Add(y * math.Log(N*y))
		}
		if N*y < negligibleWeight {
			a.ZeroRows++
		}
	}
	if math.Abs(sum.Value()-1) > 1e-6 {
		return nil, fmt.Errorf("eval: the weights sum to %v, not to 1", sum.Value())
	}
	if nu := Num(in.Nu); in.Nu > 0 {
		a.Nu = &nu
	}
	a.Effective = Num(1 / squares.Value())
	a.EffectiveShare = a.Effective / Num(N)
	a.MaxWeight = Num(slices.Max(in.Weights) * N)
	a.RadiusKL, a.RadiusChi = Num(max(0, kl.Value())), Num(chi.Value()/N/2)
	hundredth, tenth, half := concentration(in.Arena, in.Weights)
	a.OnePercent, a.TenPercent, a.HalfMassRows = Num(hundredth), Num(tenth), half
	for _, g := range in.Groups {
		if err := checkGrouping(g, n); err != nil {
			return nil, err
		}
		a.Groupings = append(a.Groupings, massByGroup(g, in.Weights))
	}
	// an adversary over groups gives the same weight to all rows of a group
	for _, i := range indicesOfLargest(in.Weights, in.Loss, topRows) {
		r := TopRow{Row: i + 1, Weight: Num(in.Weights[i] * N), Mass: Num(in.Weights[i])}
		if in.Loss != nil {
			l := Num(in.Loss[i])
			r.Loss = &l
		}
		a.Top = append(a.Top, r)
	}
	a.addWarning()
	return a, nil
}

// massByGroup returns the weight of every group that has rows, in descending order of the ratio of weight to rows.
func massByGroup(g facts.Grouping, y []float64) MassGrouping {
	mass, count := make([]compensated.Sum, len(g.Labels)), make([]int, len(g.Labels))
	for i, k := range g.Index {
		mass[k].Add(y[i])
		count[k]++
	}
	out := MassGrouping{Name: g.Name, Groups: []GroupMass{}}
	for k, n := range count {
		if n > 0 {
			out.Groups = append(out.Groups, GroupMass{g.Labels[k], n, float64(n) / float64(len(y)), mass[k].Value()})
		}
	}
	slices.SortStableFunc(out.Groups, func(a, b GroupMass) int { return cmp.Compare(b.Lift(), a.Lift()) })
	return out
}

// addWarning adds a warning if a few rows carry most of the weight.
func (a *Adversary) addWarning() {
	const advice = " Raise ν, use the Huber loss, or inspect these rows first: they may contain errors."
	switch ess := float64(a.Effective); {
	case ess < 30:
		a.Warnings = append(a.Warnings, fmt.Sprintf("About %s of %s %s the objective (effective sample size %s).%s",
			printable.Count(int(math.Ceil(ess))), printable.Plural(a.N, "row", "rows"), printable.Noun(math.Ceil(ess), "carries",
				"carry"), printable.Number(ess), advice))
	case ess < 0.05*float64(a.N):
		a.Warnings = append(a.Warnings,
			fmt.Sprintf("The effective sample size is %s, %s of the %s rows: few rows carry most of the worst-case weight.%s",
				printable.Number(ess), printable.Percent(ess/float64(a.N)), printable.Count(a.N), advice))
	case a.N > 100 && float64(a.MaxWeight) > 0.05*float64(a.N):
		a.Warnings = append(a.Warnings, fmt.Sprintf("One row holds %s of the weight.%s",
			printable.Percent(float64(a.MaxWeight)/float64(a.N)), advice))
	}
}
