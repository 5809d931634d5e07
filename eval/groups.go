package eval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/data/facts"
	"github.com/drotrain/drotrain/eval/internal/interval"
	"github.com/drotrain/drotrain/internal/compensated"
)

// Shares returns, for each grouping, the proportion of the rows in every group. To set Input.TrainShare, pass the
// groupings of the training rows. It panics if an index has no label.
func Shares(groups []facts.Grouping) []map[string]float64 {
	out := make([]map[string]float64, len(groups))
	for k, g := range groups {
		out[k] = make(map[string]float64)
		count := make([]int, len(g.Labels))
		for _, j := range g.Index {
			count[j]++
		}
		for j, n := range count {
			if n > 0 {
				out[k][g.Labels[j]] = float64(n) / float64(len(g.Index))
			}
		}
	}
	return out
}

// measureGrouping evaluates all models in every group of a grouping. share maps each group to its proportion of the
// training rows, or is nil.
func (e *Evaluation) measureGrouping(
	ctx context.Context, in *Input, g facts.Grouping, groups []interval.Stratum, share map[string]float64,
) (Grouping, error) {
	weight := in.rows.Weight
	total := make([]float64, len(in.Models))
	for k, m := range in.Models {
		total[k] = weight.SumOf(m.Loss)
	}
	out := Grouping{Name: g.Name, Groups: make([]Group, len(groups))}
	err := in.rows.Parallel(ctx, "measuring by "+g.Name, len(groups), func(j int) error {
		r := groups[j].Rows
		h := Group{Label: g.Labels[g.Index[r[0]]], N: len(r), Share: weight.Total(r) / float64(e.N),
			Sufficient: len(r) >= e.MinGroupSize}
		if share != nil {
			s, ok := share[h.Label]
			if ok && (isNotFinite(s) || s < 0) {
				return fmt.Errorf("eval: the proportion of group %q in training is %v", h.Label, s)
			}
			t := Num(s)
			h.TrainShare = &t
		}
		untrained := slices.Contains(in.Untrained, h.Label)
		h.Sufficient = h.Sufficient && !untrained
		for k, m := range in.Models {
			v := measureStratum(in.rows, k, &groups[j])
			if untrained {
				v = v.undefineAll("no model evaluated on this group was trained with it")
			}
			risk, _ := v.Get(riskMeasure.Key)
			es := undefined()
			if total[k] > 0 {
				es = Num(risk * weight.Total(r) / total[k])
			}
			of := GroupModel{Model: m.Name, Values: v, ErrorShare: es}
			if in.Task == Multiclass && g.Name != in.TargetName && len(in.Classes) <= maxMatrixClasses {
				of.Classes = classResults(in.rows, &in.Models[k], r)
			}
			h.Models = append(h.Models, of)
		}
		out.Groups[j] = h
		return nil
	})
	if err != nil {
		return Grouping{}, err
	}
	for k, m := range in.Models {
		s := Summary{Model: m.Name, Spread: make(map[string]Spread)}
		for _, q := range in.Task.Measures() {
			overall, _ := e.Models[k].Overall.Get(q.Key)
			s.Spread[q.Key] = newSpread(out.Groups, k, q.Key, overall)
		}
		out.Summary = append(out.Summary, s)
	}
	return out, nil
}

// newSpread summarises one measure of model k over the groups with enough rows.
func newSpread(groups []Group, k int, key string, overall float64) Spread {
	lo, hi := math.Inf(1), math.Inf(-1)
	diff, ratio := 0.0, math.Inf(1)
	var sum, wsum, weight compensated.Sum
	s := Spread{}
	for i := range groups {
		g := &groups[i]
		v, ok := g.Models[k].Values.Get(key)
		if !g.Sufficient || !ok {
			continue
		}
		s.Groups++
		if v < lo {
			lo, s.MinGroup = v, g.Label
		}
		if v > hi {
			hi, s.MaxGroup = v, g.Label
		}
		diff = math.Max(diff, math.Abs(v-overall))
		r := v / overall
		if r > 1 {
			r = 1 / r
		}
		if math.IsNaN(r) || r < ratio {
			ratio = r
		}
		w := g.averageWeight()
		sum.Add(v)
		wsum.Add(w * v)
		weight.Add(w)
	}
	if s.Groups == 0 {
		u := undefined()
		return Spread{GroupMin: u, GroupMax: u, Difference: Between{u, u}, Ratio: Between{u, u}, Average: u,
			WeightedAverage: u}
	}
	s.GroupMin, s.GroupMax = Num(lo), Num(hi)
	s.Difference = Between{Num(hi - lo), Num(diff)}
	s.Ratio = Between{Num(lo / hi), Num(ratio)}
	s.Average = Num(sum.Value() / float64(s.Groups))
	s.WeightedAverage = Num(wsum.Value() / weight.Value())
	return s
}

// nameWorstGroups determines the worst group of each model in the last grouping. If a model has the same risk in
// several groups, up to rounding, its worst group is that of the baseline if this is one of them.
func (e *Evaluation) nameWorstGroups() {
	g := e.Headline()
	if g == nil {
		return
	}
	for k := range e.Models {
		risks := make([]groupRisk, len(g.Groups))
		compared := 0
		for i, h := range g.Groups {
			risks[i] = groupRisk{Label: h.Label, Rows: h.N, Risk: float64(h.Models[k].Values.Risk())}
			if h.Sufficient {
				compared++
			}
		}
		i := findWorstGroup(risks, e.MinGroupSize)
		if i < 0 {
			continue
		}
		if w := e.Models[0].WorstGroup; w != nil {
			within := tie
			if e.Models[k].Constant {
				within = constantTie
			}
			if b := g.find(w.Label); risks[i].Risk-risks[b].Risk <= within*math.Abs(risks[i].Risk) {
				i = b
			}
		}
		single, widest := g.Groups[i].Models[k].Intervals.Find(riskMeasure.Key), maxInterval(g.Groups, k)
		if single != nil && widest != nil {
			widest.Low, widest.High = min(widest.Low, single.Low), max(widest.High, single.High)
		}
		e.Models[k].WorstGroup = &WorstGroup{
			Grouping: g.Name, Label: risks[i].Label, N: risks[i].Rows, Risk: Num(risks[i].Risk),
			Interval: single, MaxInterval: widest,
			Compared: compared, TooSmall: len(risks) - compared,
		}
	}
}

// The maximum differences of two risks of a model that do not make one group worse than the other, relative to the
// larger risk: those of rounding and of the gap of a solution, and for a constant model those of its predictions.
const tie, constantTie = 1e-6, 1e-3

// maxInterval bounds max_g risk_g by the largest lower and upper limits of the simultaneous intervals.
func maxInterval(groups []Group, k int) *Interval {
	lo, hi := math.Inf(-1), math.Inf(-1)
	for i := range groups {
		if s := groups[i].Models[k].Simultaneous; s != nil && groups[i].Sufficient {
			lo, hi = math.Max(lo, float64(s.Low)), math.Max(hi, float64(s.High))
		}
	}
	if math.IsInf(lo, 0) {
		return nil
	}
	return &Interval{Low: Num(lo), High: Num(hi), Method: "simultaneous"}
}

// WorstFirst returns the groups in the order of a report: first the groups with enough rows, by decreasing risk of
// model k, then the other groups.
func (g *Grouping) WorstFirst(k int) []*Group {
	groups := g.Groups
	out := make([]*Group, len(groups))
	for i := range groups {
		out[i] = &groups[i]
	}
	slices.SortStableFunc(out, func(a, b *Group) int {
		if a.Sufficient != b.Sufficient {
			if a.Sufficient {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.Models[k].Values.Risk(), a.Models[k].Values.Risk())
	})
	return out
}

// find returns the index of the group with the given label, or −1. g may be nil.
func (g *Grouping) find(label string) int {
	if g == nil {
		return -1
	}
	return slices.IndexFunc(g.Groups, func(h Group) bool { return h.Label == label })
}

// FirstGroups returns at most the given number of groups, in the order of [Grouping.WorstFirst]. If there are more,
// at most a sixth of the returned groups have too few rows.
func (g *Grouping) FirstGroups(k, most int) []*Group {
	all := g.WorstFirst(k)
	if len(all) <= most {
		return all
	}
	n := 0
	for n < most && all[n].Sufficient {
		n++
	}
	return all[:min(most, n+most/6)]
}

// compareWithConstant compares all models, in every group with enough rows, with the constant prediction fitted to
// the training rows. The intervals hold simultaneously for these groups.
func (g *Grouping) compareWithConstant(ctx context.Context, in *Input, groups []interval.Stratum) error {
	compared := 0
	for i := range g.Groups {
		if g.Groups[i].Sufficient {
			compared++
		}
	}
	return in.rows.Parallel(ctx, "", len(g.Groups), func(i int) error {
		if h := &g.Groups[i]; h.Sufficient {
			for k := range h.Models {
				h.Models[k].OverConstant = differenceFromConstant(in, in.Models[k].Loss, groups[i].Rows, compared)
			}
		}
		return nil
	})
}
