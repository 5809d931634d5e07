package eval

import (
	"cmp"
	"math"
	"slices"
)

// GroupCoefficients holds the coefficients of a model in which groups have their own coefficients. Its methods
// panic if the fields have different numbers of groups.
type GroupCoefficients struct {
	About  string             `json:"about"` // what was chosen and why
	Model  string             `json:"model"`
	Unit   string             `json:"unit"`        // unit of Coefficient, such as "log-odds per unit"
	Scaled string             `json:"scaled_unit"` // unit of Coefficient × Scale
	Panels []GroupCoefficient `json:"features"`
}

// A GroupCoefficient holds the coefficient of a feature in every group of a grouping: the shared coefficient
// plus the group's deviation.
type GroupCoefficient struct {
	Feature string   `json:"feature"`
	By      string   `json:"by"`    // name of the group column
	Scale   Num      `json:"scale"` // standard deviation of a number; 1 for a level
	Shared  Num      `json:"shared"`
	Labels  []string `json:"groups"`
	Group   []Num    `json:"coefficients"` // coefficients in the order of Labels
}

// maximum numbers of panels, and of groups in a panel, that Arranged returns
const (
	maxGroupPanels    = 12
	maxGroupsOfAPanel = 20
)

// spread returns the range of the groups' coefficients for one standard deviation of the feature.
func (q *GroupCoefficient) spread() float64 {
	lo, hi := float64(q.Shared), float64(q.Shared)
	for _, v := range q.Group {
		lo, hi = math.Min(lo, float64(v)), math.Max(hi, float64(v))
	}
	return (hi - lo) * math.Abs(float64(q.Scale))
}

// Arranged returns the coefficients for a figure or table. The features whose coefficients differ most between
// groups come first. All features have the same groups, which are those furthest from the shared coefficients.
// panels and groups are the numbers of omitted panels and groups.
func (g *GroupCoefficients) Arranged() (shown []GroupCoefficient, panels, groups int) {
	shown = slices.Clone(g.Panels)
	slices.SortStableFunc(shown, func(a, b GroupCoefficient) int { return cmp.Compare(b.spread(), a.spread()) })
	panels = max(0, len(shown)-maxGroupPanels)
	shown = shown[:len(shown)-panels]
	type group struct{ by, label string }
	far := map[group]float64{}
	labels := map[string][]string{}
	for _, q := range shown {
		for k, label := range q.Labels {
			of := group{q.By, label}
			if _, ok := far[of]; !ok {
				labels[q.By] = append(labels[q.By], label)
			}
			far[of] = math.Max(far[of], math.Abs(float64(q.Group[k]-q.Shared)*float64(q.Scale)))
		}
	}
	for by, all := range labels {
		slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(far[group{by, b}], far[group{by, a}]) })
		for _, label := range all[min(len(all), maxGroupsOfAPanel):] {
			delete(far, group{by, label})
			groups++
		}
	}
	for i, q := range shown {
		kept, values := []string{}, []Num{}
		for k, label := range q.Labels {
			if _, ok := far[group{q.By, label}]; ok {
				kept, values = append(kept, label), append(values, q.Group[k])
			}
		}
		shown[i].Labels, shown[i].Group = kept, values
	}
	return shown, panels, groups
}
