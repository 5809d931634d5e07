package eval_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
)

// Every path of a gate is the number of the evaluation that it names, and no other path is
// one.
func TestGates_NameEveryNumber(t *testing.T) {
	in := crossed(eval.Binary, 90, false, 5)
	third := eval.Model{Name: "another"}
	for i, l := range in.Models[0].Loss {
		third.Loss, third.Score = append(third.Loss, 2*l), append(third.Score, in.Models[1].Score[i]/2)
	}
	in.Models = append(in.Models, third)
	e := evaltest.Evaluate(t, in)
	want := map[string]eval.Num{}
	end := func(path string, iv *eval.Interval) {
		low, high := eval.Num(math.NaN()), eval.Num(math.NaN())
		if iv != nil {
			low, high = iv.Low, iv.High
		}
		want[path+".low"], want[path+".high"] = low, high
	}
	of := func(m map[string]eval.Interval, key string) *eval.Interval {
		if iv, ok := m[key]; ok {
			return &iv
		}
		return nil
	}
	for k, model := range e.Models {
		for _, name := range []string{model.Name + ".", ""} {
			if name == "" && k != 1 {
				continue // without a name it is the second model
			}
			want[name+"worst_group.risk"], want[name+"worst_group.n"] = model.WorstGroup.Risk, eval.Num(model.WorstGroup.N)
			end(name+"worst_group.risk", model.WorstGroup.MaxInterval)
			want[name+"cvar[0.25]"] = model.CVaRAt(0.25)
			for _, m := range e.Task.Measures() {
				want[name+"overall."+m.Key] = model.Overall.Of[m.Key]
				end(name+"overall."+m.Key, of(model.Intervals, m.Key))
				s := e.Groupings[0].Summary[k].Spread[m.Key]
				for part, v := range map[string]eval.Num{"difference": s.Difference.BetweenGroups, "ratio": s.Ratio.BetweenGroups,
					"group_min": s.GroupMin,
					"group_max": s.GroupMax, "average": s.Average, "weighted_average": s.WeightedAverage} {
					want[name+part+"."+m.Key] = v
					end(name+part+"."+m.Key, of(s.Intervals, part))
				}
				for _, g := range e.Groupings[0].Groups {
					want[name+"group["+g.Label+"]."+m.Key] = g.Models[k].Values.Of[m.Key]
					want[name+"group["+g.Label+"].n"] = eval.Num(g.N)
					end(name+"group["+g.Label+"]."+m.Key, of(g.Models[k].Intervals, m.Key))
				}
			}
		}
	}
	c := e.Compared[0]
	for key, d := range c.Measures {
		want["change.overall."+key] = d.Value
		end("change.overall."+key, d.Interval)
	}
	want["change.worst_group.risk"], want["change.cvar[0.1]"] = c.WorstGroup.Value, c.CVaR.Value
	end("change.worst_group.risk", c.WorstGroup.Interval)
	end("change.cvar[0.1]", c.CVaR.Interval)
	for path, v := range want {
		g, err := eval.ParseGate(path + " >= 0")
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		r, err := g.Check(e)
		if same := r.Value == v || math.IsNaN(float64(r.Value)) && math.IsNaN(float64(v)); err != nil || !same {
			t.Errorf("%s is %v (%v), not %v", path, r.Value, err, v)
		}
		if r.Failed != !(v < 0) { // what is undefined cannot pass
			t.Errorf("%s = %v: failed %v", path, v, r.Failed)
		}
	}
	if len(want) < 300 {
		t.Errorf("only %d paths", len(want))
	}
	alone := crossed(eval.Binary, 90, false, 5)
	alone.Models, alone.Groups, alone.Resamples = alone.Models[:1], nil, 0
	one := evaltest.Evaluate(t, alone)
	for _, path := range []string{"worst_group.risk", "difference.risk", "overall.risk.low"} {
		g, _ := eval.ParseGate(path + " > 1e9")
		if r, err := g.Check(one); err != nil || r.Value.Defined() || !r.Failed {
			t.Errorf("%s without groups and intervals: %+v, %v", path, r, err)
		}
	}
}

// A caveat is there where its reason is, and only there.
func TestCaveats_HaveReasons(t *testing.T) {
	const (
		training  = "measured on the training rows"
		small     = "1 group has fewer than 20 rows"
		twoSmall  = "2 groups have fewer than 1000 rows"
		constant  = "robust predicts the same value for every row"
		overall   = "of ERM could not be computed"
		undefined = "are undefined in 1 group of g"
		noWorst   = "No group of g has 1000 rows or more"
		picked    = "An ordinary interval for the worst of 2 groups would be too narrow"
		untested  = "was selected for its result, so its risk is overestimated"
		noGroups  = "No grouping columns were given"
		noBoot    = "No intervals were computed"
	)
	all := []string{training, small, twoSmall, constant, overall, undefined, noWorst, picked, untested, noGroups, noBoot}
	for _, c := range []struct {
		says   []string
		change func(in *eval.Input)
	}{
		{[]string{picked}, func(*eval.Input) {}},
		{[]string{picked, training}, func(in *eval.Input) { in.Split = "training rows" }},
		{[]string{untested, noBoot}, func(in *eval.Input) { in.Resamples = 0 }},
		{[]string{noGroups}, func(in *eval.Input) { in.Groups = nil }},
		{[]string{noWorst, twoSmall}, func(in *eval.Input) { in.MinGroupSize = 1000 }},
		{[]string{picked, constant}, func(in *eval.Input) {
			in.Models[1].Score = slices.Repeat([]float64{0.3},
				len(in.Target))
		}},
		{[]string{picked, undefined}, func(in *eval.Input) {
			for i, g := range in.Groups[0].Index {
				if g == 1 {
					in.Target[i] = 1
				}
			}
		}},
		{[]string{picked, undefined, overall}, func(in *eval.Input) {
			for i := range in.Target {
				in.Target[i] = 1
			}
			in.Groups[0].Labels = []string{"a", "b"}
		}},
		{[]string{small}, func(in *eval.Input) {
			clear(in.Groups[0].Index)
			for i := range 19 {
				in.Groups[0].Index[i] = 1
			}
		}},
		{[]string{picked}, func(in *eval.Input) {
			clear(in.Groups[0].Index)
			for i := range 20 {
				in.Groups[0].Index[i] = 1
			}
		}},
	} {
		in := population(eval.Binary, 0.4, false, 300, 6)
		in.Resamples = 100
		c.change(&in)
		e := evaltest.Evaluate(t, in)
		text := strings.Join(e.Caveats, "\n")
		for _, says := range all {
			if got := strings.Contains(text, says); got != slices.Contains(c.says, says) &&
				!(says == undefined && slices.Contains(c.says, overall)) {
				t.Errorf("want %q; %q said: %v\n%s", c.says, says, got, text)
			}
		}
	}
}

// The worst group may be the first, of the last grouping, and names its rows.
func TestWorstGroup_IsNamed(t *testing.T) {
	for worst := range 3 {
		in := evaltest.Two(300, 3, 0.1, 8)
		in.Groups = append([]encode.Grouping{{Name: "other", Labels: []string{"all"}, Index: make([]int32, 300)}},
			in.Groups...)
		for i := range in.Target {
			if i%3 == worst {
				in.Models[0].Loss[i] += 50
				in.Models[1].Loss[i] += 40
			}
		}
		e := evaltest.Evaluate(t, in)
		for k, m := range e.Models {
			w := m.WorstGroup
			if w == nil || w.Grouping != "g" || w.Label != fmt.Sprintf("g%05d", worst) || w.N != 100 || w.Compared != 3 ||
				w.TooSmall != 0 {
				t.Fatalf("model %d: %+v", k, w)
			}
			if g := e.Groupings[1].Groups[worst].Models[k]; w.Risk != g.Values.Risk() || *w.Interval != g.Intervals["risk"] {
				t.Errorf("model %d: %+v, of the group %+v", k, w, g)
			}
		}
		c := e.Compared[0]
		if at := c.AtBaselineWorst; at == nil || at.Value != c.Groups[worst].Value ||
			*at.Interval != *c.Groups[worst].Simultaneous || !(math.Abs(float64(at.Value)+10) <= 3) {
			t.Errorf("at the baseline's worst: %+v", at)
		}
		if order := e.Groupings[1].WorstFirst(0); order[0].Label != e.Models[0].WorstGroup.Label ||
			order[1].Models[0].Values.Risk() < order[2].Models[0].Values.Risk() {
			t.Errorf("order %v", order)
		}
	}
}

// Many groups are resampled a part at a time: the numbers are those of each alone, and the
// progress ends where it said it would.
func TestGroups_InPartsAreTheSame(t *testing.T) {
	const groups, each = 110, 3
	in := evaltest.Two(groups*each, groups, 0.1, 9)
	in.Resamples = 2000
	last := map[string][2]int{}
	in.Observe = func(p eval.Progress) {
		was := last[p.Phase]
		if p.Done < was[0] || p.Done > p.Total || was[1] > 0 && p.Total != was[1] {
			t.Errorf("%+v after %v", p, was)
		}
		last[p.Phase] = [2]int{p.Done, p.Total}
	}
	e := evaltest.Evaluate(t, in)
	for phase, p := range last {
		if p[0] != p[1] {
			t.Errorf("%s ended at %d of %d", phase, p[0], p[1])
		}
	}
	if len(last) < 3 {
		t.Errorf("phases %v", last)
	}
	few := in
	few.Observe, few.Resamples = nil, 100 // all groups at once
	once := evaltest.Evaluate(t, few)
	for g := range e.Groupings[0].Groups {
		a, b := e.Groupings[0].Groups[g].Models[0], once.Groupings[0].Groups[g].Models[0]
		if a.Values.Risk() != b.Values.Risk() || a.Intervals["risk"].Low > b.Values.Risk() ||
			a.Intervals["risk"].High < b.Values.Risk() {
			t.Fatalf("group %d: %+v, all at once %+v", g, a, b)
		}
	}
}
