package eval_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
)

// A population from which samples are drawn with replacement: what is measured
// over all of it is the truth.
func population(task eval.Task, rate float64, heavy bool, n int, seed uint64) eval.Input {
	r := rand.New(rand.NewPCG(seed, 21))
	in := eval.Input{Task: task, LossName: "made up", TargetName: "y", Split: "hold-out", MinGroupSize: 20, Seed: seed,
		Groups: []encode.Grouping{{Name: "g", Labels: []string{"a", "b"}}}}
	a, b := eval.Model{Name: "ERM"}, eval.Model{Name: "robust"}
	noise := func() float64 {
		if !heavy {
			return r.NormFloat64()
		}
		return r.NormFloat64() / math.Sqrt((math.Pow(r.NormFloat64(), 2)+math.Pow(r.NormFloat64(),
			2)+math.Pow(r.NormFloat64(), 2)+math.Pow(r.NormFloat64(), 2)+math.Pow(r.NormFloat64(), 2))/5)
	}
	shift := math.Log(rate / (1 - rate))
	for range n {
		z := r.NormFloat64()
		if task == eval.Regression {
			y := z + noise()/2
			in.Target = append(in.Target, y)
			for k, m := range []*eval.Model{&a, &b} {
				s := z * (1 - 0.2*float64(k))
				m.Score, m.Loss = append(m.Score, s), append(m.Loss, (s-y)*(s-y)/2)
			}
		} else {
			y := -1.0
			if r.Float64() < 1/(1+math.Exp(-z-shift)) {
				y = 1
			}
			in.Target = append(in.Target, y)
			for k, m := range []*eval.Model{&a, &b} {
				p := 1 / (1 + math.Exp(-(1-0.3*float64(k))*(z+shift)))
				m.Score, m.Loss = append(m.Score, p), append(m.Loss, -math.Log(0.5+y*(p-0.5)))
			}
		}
		in.Groups[0].Index = append(in.Groups[0].Index, int32(r.IntN(2)))
	}
	in.Models = []eval.Model{a, b}
	return in
}

// draw is a sample of n rows of a population.
func draw(in eval.Input, n int, seed uint64) eval.Input {
	r := rand.New(rand.NewPCG(seed, 22))
	out := in
	out.Target, out.Groups = nil, []encode.Grouping{{Name: "g", Labels: in.Groups[0].Labels}}
	out.Models = []eval.Model{{Name: "ERM"}, {Name: "robust"}}
	for range n {
		i := r.IntN(len(in.Target))
		out.Target = append(out.Target, in.Target[i])
		out.Groups[0].Index = append(out.Groups[0].Index, in.Groups[0].Index[i])
		for k := range out.Models {
			out.Models[k].Score = append(out.Models[k].Score, in.Models[k].Score[i])
			out.Models[k].Loss = append(out.Models[k].Loss, in.Models[k].Loss[i])
		}
	}
	return out
}

// Coverage of the intervals over samples of a population whose measures are known.
// With DROTRAIN_LONG=1 from 30 to 10⁵ rows per group, rates near 0 and 1, and heavy tails;
// -v prints the table of docs/intervals.md.
func TestIntervals_OfMeasuresCover(t *testing.T) {
	settings := []setting{{eval.Binary, 0.2, false, 1250, 30}}
	if os.Getenv("DROTRAIN_LONG") != "" {
		settings = nil
		for _, n := range []int{30, 300, 3000, 30_000, 100_000} {
			runs := 1000
			if n > 300 {
				runs = min(400, 10_000_000/n)
			}
			for _, rate := range []float64{0.001, 0.03, 0.5, 0.97} {
				settings = append(settings, setting{eval.Binary, rate, false, n, runs})
			}
			for _, heavy := range []bool{false, true} {
				settings = append(settings, setting{eval.Regression, 0, heavy, n, runs})
			}
		}
	}
	for _, c := range settings {
		t.Run(c.String(), func(t *testing.T) { c.cover(t) })
	}
}

// A setting is a population and samples of it.
type setting struct {
	task  eval.Task
	rate  float64
	heavy bool
	group int // rows of a group in a sample, about
	runs  int
}

func (c setting) String() string {
	what := fmt.Sprintf("rate %v", c.rate)
	if c.task == eval.Regression {
		what = map[bool]string{false: "normal errors", true: "t₅ errors"}[c.heavy]
	}
	return fmt.Sprintf("%d a group, %s", c.group, what)
}

// kinds are the columns of the table, by the keys that they hold.
var kinds = []struct {
	name string
	has  func(key string) bool
}{
	{"risk", func(k string) bool { return k == "risk" }},
	{"proportions", func(k string) bool {
		return slices.Contains([]string{"accuracy", "tpr", "fpr", "ppv", "selection_rate", "prevalence", "balanced_accuracy"},
			k)
	}},
	{"AUC, AP", func(k string) bool { return k == "auc" || k == "auprc" }},
	{"ECE", func(k string) bool { return k == "ece" }},
	{"others", func(k string) bool { return !strings.Contains(k, " ") }},
	{"change of ECE", func(k string) bool { return k == "change of ece" }},
	{"changes", func(k string) bool { return strings.HasPrefix(k, "change of ") }},
	{"largest group risk", func(k string) bool { return k == "largest group risk" }},
	{"its change", func(k string) bool { return k == "worst-group change" }},
}

func (c setting) cover(t *testing.T) {
	const pooled = 100_000
	pop := population(c.task, c.rate, c.heavy, pooled, 3)
	truth := evaltest.Evaluate(t, pop)
	hit, made := make(map[string]int), make(map[string]int)
	for s := range c.runs {
		in := draw(pop, 2*c.group, uint64(s))
		in.Resamples = 300
		e := evaltest.Evaluate(t, in)
		count := func(key string, iv eval.Interval, v eval.Num) {
			made[key]++
			if iv.Low <= v && v <= iv.High {
				hit[key]++
			}
		}
		for key, iv := range e.Models[1].Intervals {
			count(key, iv, truth.Models[1].Overall.Of[key])
		}
		for key, d := range e.Compared[0].Measures {
			if d.Interval != nil {
				count("change of "+key, *d.Interval, truth.Compared[0].Measures[key].Value)
			}
		}
		if w := e.Models[1].WorstGroup; w != nil && w.MaxInterval != nil {
			count("largest group risk", *w.MaxInterval, truth.Models[1].WorstGroup.Risk)
		}
		if d := e.Compared[0].WorstGroup; d != nil && d.Interval != nil {
			count("worst-group change", *d.Interval, truth.Compared[0].WorstGroup.Value)
		}
	}
	line := "| " + c.String() + " |"
	seen := make(map[string]bool)
	for _, kind := range kinds {
		least, at := 2.0, ""
		for _, key := range slices.Sorted(maps.Keys(made)) {
			if n := made[key]; !seen[key] && kind.has(key) {
				seen[key] = true
				if share := float64(hit[key]) / float64(n); n > c.runs/2 && share < least {
					least, at = share, strings.TrimPrefix(key, "change of ")
				}
			}
		}
		switch {
		case at == "":
			line += " |"
		case slices.Contains([]string{"proportions", "AUC, AP", "others", "changes"}, kind.name):
			line += fmt.Sprintf(" %.0f (%s) |", 100*least, at)
		default:
			line += fmt.Sprintf(" %.0f |", 100*least)
		}
	}
	t.Log(line)
	for key, n := range made {
		share := float64(hit[key]) / float64(n)
		least := 0.95 - 4*math.Sqrt(0.95*0.05/float64(n))
		switch {
		case c.group < 1000 && c.rate == 0.001:
			continue // next to no sample has a positive
		case c.rate == 0.001 || c.heavy:
			least -= 0.06 // few of a class, few in the tail
		case c.group < 1000:
			least -= 0.03
		}
		if n > c.runs/2 && share < least {
			t.Errorf("%s covers %.3f of %d, %.3f is least", key, share, n, least)
		}
	}
}
