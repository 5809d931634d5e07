package eval_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/resample"
)

// crossed is an input of two models and three groups, one of them too small, with ties and,
// if asked for, weights.
func crossed(task eval.Task, n int, weighted bool, seed uint64) eval.Input {
	r := rand.New(rand.NewPCG(seed, 31))
	in := eval.Input{Task: task, LossName: "made up", TargetName: "y", Split: "hold-out", Seed: 9, Resamples: 100, MinGroupSize: 5,
		Groups: []data.Grouping{{Name: "g", Labels: []string{"a", "b", "few", "none"}}}, Models: make([]eval.Model, 2)}
	in.Models[0].Name, in.Models[1].Name = "ERM", "robust"
	for i := range n {
		y := 2*r.NormFloat64() + 1
		if task == eval.Binary {
			y = math.Copysign(1, r.NormFloat64()+0.2)
		}
		in.Target = append(in.Target, y)
		for k := range in.Models {
			m := &in.Models[k]
			s := y + r.NormFloat64()*float64(1+i%2)
			if task == eval.Binary {
				s = math.Round(20/(1+math.Exp(-s))) / 20
			}
			m.Score, m.Loss = append(m.Score, s), append(m.Loss, r.ExpFloat64()*float64(1+i%2+k%2))
		}
		g := int32(i % 2)
		if i < 3 {
			g = 2
		}
		in.Groups[0].Index = append(in.Groups[0].Index, g)
		if weighted {
			in.Weight = append(in.Weight, 0.2+r.ExpFloat64())
		}
	}
	return in
}

// resampled are the rows of in that resample b draws, within every group, each as often as
// it is drawn, without resamples of their own.
func resampled(in eval.Input, b int) eval.Input {
	out := in
	out.Resamples, out.Target, out.Weight = 0, nil, nil
	out.Groups = []data.Grouping{{Name: "g", Labels: in.Groups[0].Labels}}
	out.Models = []eval.Model{{Name: "ERM"}, {Name: "robust"}}
	stratum := uint64(0)
	for g := range in.Groups[0].Labels {
		var rows []int
		for i, of := range in.Groups[0].Index {
			if int(of) == g {
				rows = append(rows, i)
			}
		}
		if len(rows) == 0 {
			continue
		}
		stream := resample.NewRNG(in.Seed, 0, stratum, uint64(b))
		stratum++
		for range rows {
			i := rows[stream.Below(uint32(len(rows)))]
			out.Target = append(out.Target, in.Target[i])
			out.Groups[0].Index = append(out.Groups[0].Index, int32(g))
			if in.Weight != nil {
				out.Weight = append(out.Weight, in.Weight[i])
			}
			for k := range out.Models {
				out.Models[k].Score = append(out.Models[k].Score, in.Models[k].Score[i])
				out.Models[k].Loss = append(out.Models[k].Loss, in.Models[k].Loss[i])
			}
		}
	}
	return out
}

// Every interval of resamples is what its definition says: the rows of each resample are
// written out, measured anew as if they were a table of their own, and the values sorted.
func TestIntervalsAreRecomputedFromRows(t *testing.T) {
	for trial, task := range []eval.Task{eval.Binary, eval.Regression, eval.Binary, eval.Regression} {
		in := crossed(task, 83, trial >= 2, uint64(trial))
		shares := []map[string]float64{{"a": 0.7, "b": 0.2, "few": 0.1}}
		if trial%2 == 0 {
			in.TrainShare = shares
		}
		e, err := eval.Evaluate(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		if in.TrainShare == nil { // shares are those of the rows, not of a resample
			shares = []map[string]float64{{}}
			for _, g := range e.Groupings[0].Groups {
				shares[0][g.Label] = g.Share
			}
		}
		again := make([]*eval.Evaluation, in.Resamples)
		for b := range again {
			drawn := resampled(in, b)
			drawn.TrainShare = shares
			if again[b], err = eval.Evaluate(context.Background(), drawn); err != nil {
				t.Fatal(err)
			}
		}
		name := fmt.Sprintf("%s, weights %v", task, trial >= 2)
		checked := 0
		same := func(what string, got eval.Interval, want eval.Interval) {
			t.Helper()
			checked++
			near := func(a, b eval.Num) bool {
				return a == b || math.Abs(float64(a-b)) <= 1e-9*(1+math.Abs(float64(b)))
			}
			if !near(got.Low, want.Low) || !near(got.High, want.High) {
				t.Errorf("%s: %s: %v to %v (%s), recomputed %v to %v", name, what, got.Low, got.High, got.Method, want.Low, want.High)
			}
		}
		values := func(of func(e *eval.Evaluation) eval.Num) []float64 {
			x := make([]float64, len(again))
			for b, a := range again {
				x[b] = float64(of(a))
			}
			return x
		}
		percentile := func(what string, got eval.Interval, of func(e *eval.Evaluation) eval.Num) {
			t.Helper()
			if got.Method != "bootstrap percentile" {
				return
			}
			var x []float64
			for _, v := range values(of) {
				if !math.IsNaN(v) {
					x = append(x, v)
				}
			}
			same(what, got, eval.Interval{Low: eval.Num(quantileOf(x, 0.025)), High: eval.Num(quantileOf(x, 0.975))})
		}
		groups := e.Groupings[0].Groups
		for k := range in.Models {
			for _, m := range task.Measures() {
				key := m.Key
				if key == "ece" {
					continue // its interval is no percentile
				}
				percentile(key, e.Models[k].Intervals[key], func(e *eval.Evaluation) eval.Num { return e.Models[k].Overall.Of[key] })
				for g := range groups {
					percentile(key+" of a group", groups[g].Models[k].Intervals[key], func(e *eval.Evaluation) eval.Num { return e.Groupings[0].Groups[g].Models[k].Values.Of[key] })
				}
				spread := e.Groupings[0].Summary[k].Spread[key]
				if !slices.ContainsFunc(values(func(e *eval.Evaluation) eval.Num { return e.Groupings[0].Summary[k].Spread[key].Average }), math.IsNaN) {
					percentile("average "+key, spread.Intervals["average"], func(e *eval.Evaluation) eval.Num { return e.Groupings[0].Summary[k].Spread[key].Average })
					percentile("weighted "+key, spread.Intervals["weighted_average"], func(e *eval.Evaluation) eval.Num { return e.Groupings[0].Summary[k].Spread[key].WeightedAverage })
				}
			}
		}
		c := e.Compared[0]
		for _, m := range task.Measures() {
			if d := c.Measures[m.Key]; d.Interval != nil && m.Key != "ece" {
				percentile("change of "+m.Key, *d.Interval, func(e *eval.Evaluation) eval.Num { return e.Compared[0].Measures[m.Key].Value })
			}
		}
		for g, d := range c.Groups {
			if d.Interval != nil {
				percentile("change in a group", *d.Interval, func(e *eval.Evaluation) eval.Num {
					of := e.Groupings[0].Groups[g].Models
					return of[1].Values.Of["risk"] - of[0].Values.Of["risk"]
				})
			}
		}
		for _, key := range []string{"average", "weighted_average"} {
			if d := c.Spread[key]; d.Interval != nil {
				percentile("change of the "+key, *d.Interval, func(e *eval.Evaluation) eval.Num {
					a, b := e.Groupings[0].Summary[1].Spread["risk"], e.Groupings[0].Summary[0].Spread["risk"]
					if key == "average" {
						return a.Average - b.Average
					}
					return a.WeightedAverage - b.WeightedAverage
				})
			}
		}
		together(t, name, in, e, again, same)
		if checked < 36 {
			t.Errorf("%s: only %d intervals", name, checked)
		}
	}
}

// together holds the simultaneous intervals of risks and of their changes, and what follows
// from them, against the largest studentised deviation of every resample.
func together(t *testing.T, name string, in eval.Input, e *eval.Evaluation, again []*eval.Evaluation, same func(string, eval.Interval, eval.Interval)) {
	t.Helper()
	groups := e.Groupings[0].Groups
	// se is of the mean of a − b over a group.
	se := func(g int, a, b []float64) float64 {
		var s, w, q float64
		for pass := range 2 {
			for i, of := range in.Groups[0].Index {
				if in.Groups[0].Labels[of] != groups[g].Label {
					continue
				}
				weight, x := 1.0, a[i]
				if in.Weight != nil {
					weight = in.Weight[i]
				}
				if b != nil {
					x -= b[i]
				}
				if pass == 0 {
					s, w = s+weight*x, w+weight
				} else {
					q += math.Pow(weight*(x-s/w), 2)
				}
			}
		}
		return math.Sqrt(q) / w
	}
	risk := func(e *eval.Evaluation, g, k int) float64 {
		return float64(e.Groupings[0].Groups[g].Models[k].Values.Of["risk"])
	}
	largest := make([]float64, len(again))
	for b, a := range again {
		for g := range groups {
			if !groups[g].Sufficient {
				continue
			}
			for k := range 2 {
				largest[b] = max(largest[b], math.Abs(risk(a, g, k)-risk(e, g, k))/se(g, in.Models[k].Loss, nil))
			}
			change := risk(a, g, 1) - risk(a, g, 0) - risk(e, g, 1) + risk(e, g, 0)
			largest[b] = max(largest[b], math.Abs(change)/se(g, in.Models[1].Loss, in.Models[0].Loss))
		}
	}
	critical := quantileOf(largest, 0.95)
	around := func(at, half float64) eval.Interval {
		return eval.Interval{Low: eval.Num(at - half), High: eval.Num(at + half)}
	}
	bands := make([][]eval.Interval, 3) // of either model, and of the change
	for g := range groups {
		if !groups[g].Sufficient {
			if groups[g].Models[0].Simultaneous != nil || e.Compared[0].Groups[g].Simultaneous != nil {
				t.Errorf("%s: a simultaneous interval of %d rows", name, groups[g].N)
			}
			continue
		}
		for k := range 2 {
			want := around(risk(e, g, k), critical*se(g, in.Models[k].Loss, nil))
			want.Low = max(0, want.Low) // losses are ≥ 0
			same("risk, simultaneous", *groups[g].Models[k].Simultaneous, want)
			bands[k] = append(bands[k], want)
		}
		want := around(risk(e, g, 1)-risk(e, g, 0), critical*se(g, in.Models[1].Loss, in.Models[0].Loss))
		same("change, simultaneous", *e.Compared[0].Groups[g].Simultaneous, want)
		bands[2] = append(bands[2], want)
	}
	most := make([]eval.Interval, 2)
	for k := range most {
		most[k] = eval.Interval{Low: eval.Num(math.Inf(-1)), High: eval.Num(math.Inf(-1))}
		for _, b := range bands[k] {
			most[k].Low, most[k].High = max(most[k].Low, b.Low), max(most[k].High, b.High)
		}
		same("largest risk", *e.Models[k].WorstGroup.MaxInterval, most[k])
	}
	// max a − max b, for a and b anywhere in their bands and a − b in its own: by trying.
	low, high := eval.Num(math.Inf(1)), eval.Num(math.Inf(-1))
	for g := range bands[0] {
		if a := bands[1][g]; a.High >= most[1].Low { // may hold the largest of the model
			high = max(high, min(bands[2][g].High, a.High-most[0].Low))
		}
		if b := bands[0][g]; b.High >= most[0].Low {
			low = min(low, max(bands[2][g].Low, most[1].Low-b.High))
		}
	}
	same("change of the largest risk", *e.Compared[0].WorstGroup.Interval, eval.Interval{Low: low, High: high})
}

// quantileOf is the quantile between the order statistics next to it.
func quantileOf(x []float64, q float64) float64 {
	s := slices.Clone(x)
	slices.Sort(s)
	h := q * float64(len(s)-1)
	k := min(int(h), len(s)-2)
	return s[k] + (h-float64(k))*(s[k+1]-s[k])
}
