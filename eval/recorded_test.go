package eval_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
	"github.com/drotrain/drotrain/internal/goldentest"
)

// rows are n rows of a task, with so many models: the losses are the logarithmic one or half
// the squared error.
func rows(task eval.Task, n, models int) eval.Input {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(models)))
	in := eval.Input{Task: task, TargetName: "y", Split: "hold-out", Resamples: 100, Seed: 7, MinGroupSize: 5}
	in.LossName, in.LossUnit = "logistic", "nats"
	if task == eval.Regression {
		in.LossName, in.LossUnit, in.TargetUnit = "squared", "USD²", "USD"
	}
	in.Models = make([]eval.Model, models)
	for k := range in.Models {
		in.Models[k].Name = []string{"ERM", "robust", "tempered", "other", "fifth"}[k]
	}
	for i := range n {
		z := 3 * (rng.Float64() + rng.Float64() - 1)
		y, noise := float64(1-2*(i%2)), rng.Float64()-0.5
		if task == eval.Regression {
			y = 10 + z + 4*noise*noise*noise + float64(i%3)
		} else if noise < z/6 {
			y = 1
		}
		in.Target = append(in.Target, y)
		for k := range in.Models {
			m, own := &in.Models[k], rng.Float64()-0.5
			pull := 1 - 0.15*float64(k) + 0.05*float64(k*(i%3))
			if task == eval.Regression {
				s := 10 + pull*z + own
				m.Score, m.Loss = append(m.Score, s), append(m.Loss, (s-y)*(s-y)/2)
				continue
			}
			m.Score = append(m.Score, 1/(1+math.Exp(-pull*z-own)))
			m.Loss = append(m.Loss, 0)
		}
	}
	logarithmic(&in)
	return in
}

// logarithmic gives scores of two classes the logarithmic loss.
func logarithmic(in *eval.Input) {
	if in.Task != eval.Binary {
		return
	}
	for _, m := range in.Models {
		for i, p := range m.Score {
			if in.Target[i] < 0 {
				p = 1 - p
			}
			m.Loss[i] = -math.Log(max(p, 1e-15))
		}
	}
}

// grouped adds a grouping.
func grouped(in *eval.Input, name string, labels []string, of func(i int) int) {
	g := data.Grouping{Name: name, Labels: labels}
	for i := range in.Target {
		g.Index = append(g.Index, int32(of(i)))
	}
	in.Groups = append(in.Groups, g)
}

func thirds(i int) int { return i * 7 % 3 }

// skewed is 0 for 11 of 18 rows, 1 for 5, and 2 for 2.
func skewed(i int) int {
	switch r := i * 5 % 18; {
	case r < 11:
		return 0
	case r < 16:
		return 1
	}
	return 2
}

var three, two = []string{"a", "b", "c"}, []string{"east", "west"}

// rounded makes ties of scores.
func rounded(in *eval.Input, parts float64) {
	for _, m := range in.Models {
		for i, s := range m.Score {
			m.Score[i] = math.Round(s*parts) / parts
			if in.Task == eval.Regression {
				d := m.Score[i] - in.Target[i]
				m.Loss[i] = d * d / 2
			}
		}
	}
	logarithmic(in)
}

func weigh(in *eval.Input) {
	for i := range in.Target {
		in.Weight = append(in.Weight, 0.25+float64(i*11%7)/4)
	}
}

// few leaves so many rows of a class, of which the scores stay.
func few(in *eval.Input, class float64, left int) {
	for i, y := range in.Target {
		if y != class {
			continue
		}
		if left--; left < 0 {
			in.Target[i] = -class
		}
	}
	logarithmic(in)
}

// recorded are small tables, each with a trouble of its own.
func recorded(t *testing.T) (names []string, of map[string]eval.Input) {
	of = make(map[string]eval.Input)
	add := func(name string, in eval.Input, change func(in *eval.Input)) {
		if change != nil {
			change(&in)
		}
		names, of[name] = append(names, name), in
	}
	shared := func(in *eval.Input) {
		grouped(in, "site", three, skewed)
		grouped(in, "side", two, func(i int) int { return i / 2 % 2 })
		grouped(in, "site × side", []string{"a, east", "a, west", "b, east", "b, west", "c, east", "c, west"}, func(i int) int { return 2*skewed(i) + i/2%2 })
	}
	for _, task := range []eval.Task{eval.Binary, eval.Regression} {
		name := string(task) + ", "
		for _, n := range []int{1, 2, 3, 4, 9, 40} {
			add(fmt.Sprint(name, n, " rows"), rows(task, n, 2), nil)
			add(fmt.Sprint(name, n, " rows of two groups"), rows(task, n, 2), func(in *eval.Input) {
				grouped(in, "side", two, func(i int) int { return i % 2 })
				in.MinGroupSize = 2
			})
		}
		add(name+"three groupings", rows(task, 260, 3), func(in *eval.Input) {
			shared(in)
			in.Tempered, in.MinGroupSize = "tempered", 20
		})
		add(name+"weights", rows(task, 250, 2), func(in *eval.Input) {
			shared(in)
			weigh(in)
			in.Confidence = 0.8
		})
		add(name+"ties", rows(task, 150, 2), func(in *eval.Input) {
			rounded(in, 8)
			grouped(in, "site", three, thirds)
		})
		add(name+"ties and weights", rows(task, 150, 2), func(in *eval.Input) {
			rounded(in, 4)
			weigh(in)
			grouped(in, "site", three, thirds)
		})
		add(name+"shares of the training", rows(task, 150, 2), func(in *eval.Input) {
			grouped(in, "site", append(three, "unseen"), thirds)
			in.TrainShare = []map[string]float64{{"a": 0.5, "b": 0.4, "unseen": 0.1}}
			in.EffectiveRows, in.TrainingRows = 200, 1000
		})
		add(name+"no intervals", rows(task, 120, 3), func(in *eval.Input) {
			grouped(in, "site", three, skewed)
			in.Resamples, in.MinGroupSize = 0, 14
		})
		add(name+"confidence 0.999", rows(task, 120, 2), func(in *eval.Input) {
			grouped(in, "site", three, skewed)
			in.Confidence = 0.999
		})
		add(name+"one model", rows(task, 120, 1), func(in *eval.Input) { grouped(in, "site", three, skewed) })
		add(name+"five models", rows(task, 80, 5), func(in *eval.Input) { grouped(in, "side", two, func(i int) int { return i % 2 }) })
		add(name+"the same model twice", rows(task, 120, 2), func(in *eval.Input) {
			grouped(in, "site", three, thirds)
			in.Models[1].Score, in.Models[1].Loss = in.Models[0].Score, in.Models[0].Loss
		})
		add(name+"a change that is constant", rows(task, 120, 2), func(in *eval.Input) {
			grouped(in, "site", three, thirds)
			for i, l := range in.Models[0].Loss {
				in.Models[1].Loss[i] = l + 0.25
			}
		})
		add(name+"losses below 0", rows(task, 120, 2), func(in *eval.Input) {
			grouped(in, "site", three, thirds)
			for i := range in.Models[0].Loss {
				in.Models[1].Loss[i] -= 1.5
				in.Models[0].Loss[i] -= 0.75
			}
			in.LossName, in.LossUnit = "own", ""
		})
		add(name+"constant scores", rows(task, 120, 2), func(in *eval.Input) {
			grouped(in, "site", three, thirds)
			for i := range in.Models[1].Score {
				in.Models[1].Score[i] = 0.5
			}
			logarithmic(in)
		})
		add(name+"a constant target", rows(task, 60, 2), func(in *eval.Input) {
			grouped(in, "site", three, thirds)
			for i := range in.Target {
				in.Target[i] = 1
			}
			logarithmic(in)
		})
		add(name+"a model without error", rows(task, 60, 2), func(in *eval.Input) {
			grouped(in, "site", three, thirds)
			for i, y := range in.Target {
				in.Models[1].Loss[i], in.Models[1].Score[i] = 0, y
				if task == eval.Binary {
					in.Models[1].Score[i] = (1 + y) / 2
				}
			}
		})
		add(name+"a model whose errors are the largest", rows(task, 60, 2), func(in *eval.Input) {
			for i, y := range in.Target {
				in.Models[1].Score[i], in.Models[1].Loss[i] = -y, 2*y*y
				if task == eval.Binary {
					in.Models[1].Score[i], in.Models[1].Loss[i] = (1-y)/2, 34
				}
			}
		})
		add(name+"groups of one row and more", rows(task, 121, 2), func(in *eval.Input) {
			grouped(in, "size", []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "66"}, func(i int) int {
				k := 0
				for i > k && k < 10 {
					i -= k + 1
					k++
				}
				return k
			})
			in.MinGroupSize = 1
		})
		add(name+"rows enough for the normal law", rows(task, 2300, 2), func(in *eval.Input) {
			grouped(in, "size", []string{"1100", "1000", "200"}, func(i int) int {
				switch {
				case i < 1100:
					return 0
				case i < 2100:
					return 1
				}
				return 2
			})
		})
		add(name+"rows enough for the normal law, and weights", rows(task, 1500, 2), weigh)
		add(name+"one loss above all, of rows enough", rows(task, 1200, 2), func(in *eval.Input) {
			in.Models[1].Loss[77] = 1e4
			if task == eval.Regression {
				in.Models[0].Score[33] = 1e4
			}
		})
		add(name+"slices", rows(task, 1300, 2), func(in *eval.Input) {
			site, age := eval.Column{Name: "site", Levels: three}, eval.Column{Name: "age", Unit: "years"}
			late, still, whole := eval.Column{Name: "late"}, eval.Column{Name: "still"}, eval.Column{Name: "whole"}
			for i := range in.Target {
				site.Code, age.Value = append(site.Code, int32(thirds(i))), append(age.Value, float64(20+i*13%50))
				late.Value = append(late.Value, float64(i*i%997)/7)
				still.Value, whole.Value = append(still.Value, 4), append(whole.Value, float64(i%4))
				if site.Code[i] == 1 && age.Value[i] > 50 {
					in.Models[1].Loss[i]++
				}
				if i%4 == 3 && late.Value[i] > 100 {
					in.Models[1].Loss[i] += 2
				}
				if i%97 == 0 {
					site.Code[i], age.Value[i] = -1, math.NaN()
				}
			}
			in.Columns = []eval.Column{site, age, {Name: late.Name, Load: func() (eval.Column, error) { return late, nil }}, still, whole}
			grouped(in, "site", three, thirds)
			if task == eval.Regression {
				weigh(in)
			}
		})
		add(name+"slices of many columns", rows(task, 180, 1), func(in *eval.Input) {
			for j := range 36 {
				c := eval.Column{Name: fmt.Sprint("x", j)}
				for i := range in.Target {
					c.Value = append(c.Value, float64((i*(2*j+3)+j)%(5+j/3)))
					if j == 34 && c.Value[i] > 10 {
						in.Models[0].Loss[i] += 3
					}
				}
				in.Columns = append(in.Columns, c)
			}
		})
	}
	for _, left := range []int{1, 2, 3, 9, 10, 11} {
		for _, class := range []float64{1, -1} {
			add(fmt.Sprintf("binary, %d of class %g", left, class), rows(eval.Binary, 120, 2), func(in *eval.Input) {
				few(in, class, left)
				grouped(in, "site", three, skewed)
				if left == 3 {
					weigh(in)
				}
				if left == 2 {
					in.Models[1].Loss[5] += 0.5 // another loss
				}
			})
		}
	}
	for _, at := range []float64{0, 0.3, 0.5, 1} {
		add(fmt.Sprintf("binary, threshold %g", at), rows(eval.Binary, 120, 2), func(in *eval.Input) {
			rounded(in, 10)
			grouped(in, "side", two, func(i int) int { return i / 2 % 2 })
			in.Threshold, in.Tolerance = &at, 0.2
		})
	}
	add("binary, reliability by group", rows(eval.Binary, 1200, 2), func(in *eval.Input) {
		grouped(in, "side", []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"}, func(i int) int { return i * i % 101 % 11 })
		in.Resamples, in.MinGroupSize = 0, 40
	})
	add("a budget", rows(eval.Binary, 200, 3), func(in *eval.Input) {
		grouped(in, "side", two, func(i int) int { return i / 2 % 2 })
		for i := range in.Target {
			in.Models[1].Loss[i] *= 1.3 - 0.5*float64(i/2%2)
		}
		budget := 0.01
		in.Budget, in.Rate, in.Split = &budget, 3, "training rows"
	})
	add("groups beyond those shown", evaltest.Two(620, 104, 0.1, 2), func(in *eval.Input) { in.MinGroupSize = 6 })
	add("the eight loans", evaltest.Loans(), nil)
	f := evaltest.Read(t)
	add("the fixture, binary", f.Input(eval.Binary), func(in *eval.Input) { in.Resamples = 100 })
	add("the fixture, regression", f.Input(eval.Regression), func(in *eval.Input) { in.Resamples = 100 })
	return names, of
}

// adversaries are those of the losses of the last model, by rows and by groups.
func adversaries(in eval.Input) map[string]any {
	last := in.Models[len(in.Models)-1]
	out := make(map[string]any)
	n := len(last.Loss)
	for penalty, prices := range map[string][]float64{"kl": {0.05, 0.5}, "chi2": {0.5, 20}} {
		for _, nu := range prices {
			a := eval.AdversaryInput{Model: last.Name, Rows: in.Split, Loss: last.Loss, Groups: in.Groups, Columns: in.Columns, RowWeight: in.Weight, Top: 3}
			if nu == 0.5 {
				a.ShowRows, a.Top, a.Rows = true, 0, ""
				for i := range n {
					a.Order, a.RowID = append(a.Order, int32((i+n/2)%n)), append(a.RowID, 1000+i)
				}
			}
			if nu == 20 {
				a.Top, a.OverGroups = -1, true
			}
			name := fmt.Sprintf("%s %g", penalty, nu)
			got, worst, err := eval.Holders(a, penalty, nu)
			if err != nil {
				out[name] = err.Error()
				continue
			}
			out[name] = []any{got, worst}
		}
	}
	return out
}

// Everything that is measured of small tables, and of who holds the worst case, is what it
// was: in few lines each, which say where another number or text stands, and the words in full.
func TestEvaluationsAreRecorded(t *testing.T) {
	var out strings.Builder
	names, of := recorded(t)
	for _, name := range names {
		in := of[name]
		e, err := eval.Evaluate(t.Context(), in)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var written bytes.Buffer
		if err := e.WriteJSON(&written); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "# %s\n%s\n", name, spokenOf(e))
		out.WriteString(goldentest.Condensed(t, written.Bytes()))
		held, err := json.Marshal(adversaries(in))
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString(goldentest.Condensed(t, held))
	}
	goldentest.Text(t, filepath.Join("testdata", "recorded.txt"), out.String())
}
