package evaltest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
)

// Rows are n rows of a task, with so many models: the losses are the logarithmic one or half
// the squared error.
func Rows(task eval.Task, n, models int) eval.Input {
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

// Grouped adds a grouping.
func Grouped(in *eval.Input, name string, labels []string, of func(i int) int) {
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

// A Table is small, and has a trouble of its own, which its name says.
type Table struct {
	Name string
	eval.Input
}

// Tables are those that records are made of.
func Tables(t testing.TB) (of []Table) {
	add := func(name string, in eval.Input, change func(in *eval.Input)) {
		if change != nil {
			change(&in)
		}
		of = append(of, Table{name, in})
	}
	shared := func(in *eval.Input) {
		Grouped(in, "site", three, skewed)
		Grouped(in, "side", two, func(i int) int { return i / 2 % 2 })
		Grouped(in, "site × side", []string{"a, east", "a, west", "b, east", "b, west", "c, east", "c, west"}, func(i int) int { return 2*skewed(i) + i/2%2 })
	}
	for _, task := range []eval.Task{eval.Binary, eval.Regression} {
		name := string(task) + ", "
		for _, n := range []int{1, 2, 3, 4, 9, 40} {
			add(fmt.Sprint(name, n, " rows"), Rows(task, n, 2), nil)
			add(fmt.Sprint(name, n, " rows of two groups"), Rows(task, n, 2), func(in *eval.Input) {
				Grouped(in, "side", two, func(i int) int { return i % 2 })
				in.MinGroupSize = 2
			})
		}
		add(name+"three groupings", Rows(task, 260, 3), func(in *eval.Input) {
			shared(in)
			in.Models[2].Role, in.MinGroupSize = eval.RescaledModel, 20
		})
		add(name+"weights", Rows(task, 250, 2), func(in *eval.Input) {
			shared(in)
			weigh(in)
			in.Confidence = 0.8
		})
		add(name+"ties", Rows(task, 150, 2), func(in *eval.Input) {
			rounded(in, 8)
			Grouped(in, "site", three, thirds)
		})
		add(name+"ties and weights", Rows(task, 150, 2), func(in *eval.Input) {
			rounded(in, 4)
			weigh(in)
			Grouped(in, "site", three, thirds)
		})
		add(name+"shares of the training", Rows(task, 150, 2), func(in *eval.Input) {
			Grouped(in, "site", append(three, "unseen"), thirds)
			in.TrainShare = []map[string]float64{{"a": 0.5, "b": 0.4, "unseen": 0.1}}
			in.EffectiveRows, in.TrainingRows = 200, 1000
		})
		add(name+"no intervals", Rows(task, 120, 3), func(in *eval.Input) {
			Grouped(in, "site", three, skewed)
			in.Resamples, in.MinGroupSize = 0, 14
		})
		add(name+"confidence 0.999", Rows(task, 120, 2), func(in *eval.Input) {
			Grouped(in, "site", three, skewed)
			in.Confidence = 0.999
		})
		add(name+"one model", Rows(task, 120, 1), func(in *eval.Input) { Grouped(in, "site", three, skewed) })
		add(name+"five models", Rows(task, 80, 5), func(in *eval.Input) { Grouped(in, "side", two, func(i int) int { return i % 2 }) })
		add(name+"the same model twice", Rows(task, 120, 2), func(in *eval.Input) {
			Grouped(in, "site", three, thirds)
			in.Models[1].Score, in.Models[1].Loss = in.Models[0].Score, in.Models[0].Loss
		})
		add(name+"a change that is constant", Rows(task, 120, 2), func(in *eval.Input) {
			Grouped(in, "site", three, thirds)
			for i, l := range in.Models[0].Loss {
				in.Models[1].Loss[i] = l + 0.25
			}
		})
		add(name+"losses below 0", Rows(task, 120, 2), func(in *eval.Input) {
			Grouped(in, "site", three, thirds)
			for i := range in.Models[0].Loss {
				in.Models[1].Loss[i] -= 1.5
				in.Models[0].Loss[i] -= 0.75
			}
			in.LossName, in.LossUnit = "own", ""
		})
		add(name+"constant scores", Rows(task, 120, 2), func(in *eval.Input) {
			Grouped(in, "site", three, thirds)
			for i := range in.Models[1].Score {
				in.Models[1].Score[i] = 0.5
			}
			logarithmic(in)
		})
		add(name+"a constant target", Rows(task, 60, 2), func(in *eval.Input) {
			Grouped(in, "site", three, thirds)
			for i := range in.Target {
				in.Target[i] = 1
			}
			logarithmic(in)
		})
		add(name+"a model without error", Rows(task, 60, 2), func(in *eval.Input) {
			Grouped(in, "site", three, thirds)
			for i, y := range in.Target {
				in.Models[1].Loss[i], in.Models[1].Score[i] = 0, y
				if task == eval.Binary {
					in.Models[1].Score[i] = (1 + y) / 2
				}
			}
		})
		add(name+"a model whose errors are the largest", Rows(task, 60, 2), func(in *eval.Input) {
			for i, y := range in.Target {
				in.Models[1].Score[i], in.Models[1].Loss[i] = -y, 2*y*y
				if task == eval.Binary {
					in.Models[1].Score[i], in.Models[1].Loss[i] = (1-y)/2, 34
				}
			}
		})
		add(name+"groups of one row and more", Rows(task, 121, 2), func(in *eval.Input) {
			Grouped(in, "size", []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "66"}, func(i int) int {
				k := 0
				for i > k && k < 10 {
					i -= k + 1
					k++
				}
				return k
			})
			in.MinGroupSize = 1
		})
		add(name+"rows enough for the normal law", Rows(task, 2300, 2), func(in *eval.Input) {
			Grouped(in, "size", []string{"1100", "1000", "200"}, func(i int) int {
				switch {
				case i < 1100:
					return 0
				case i < 2100:
					return 1
				}
				return 2
			})
		})
		add(name+"rows enough for the normal law, and weights", Rows(task, 1500, 2), weigh)
		add(name+"one loss above all, of rows enough", Rows(task, 1200, 2), func(in *eval.Input) {
			in.Models[1].Loss[77] = 1e4
			if task == eval.Regression {
				in.Models[0].Score[33] = 1e4
			}
		})
		add(name+"slices", Rows(task, 1300, 2), func(in *eval.Input) {
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
			Grouped(in, "site", three, thirds)
			if task == eval.Regression {
				weigh(in)
			}
		})
		add(name+"slices of many columns", Rows(task, 180, 1), func(in *eval.Input) {
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
			add(fmt.Sprintf("binary, %d of class %g", left, class), Rows(eval.Binary, 120, 2), func(in *eval.Input) {
				few(in, class, left)
				Grouped(in, "site", three, skewed)
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
		add(fmt.Sprintf("binary, threshold %g", at), Rows(eval.Binary, 120, 2), func(in *eval.Input) {
			rounded(in, 10)
			Grouped(in, "side", two, func(i int) int { return i / 2 % 2 })
			in.Threshold, in.Tolerance = &at, 0.2
		})
	}
	add("binary, reliability by group", Rows(eval.Binary, 808, 2), func(in *eval.Input) {
		sizes := []int{14, 29, 30, 31, 44, 45, 46, 59, 60, 149, 150, 151}
		Grouped(in, "size", []string{"14", "29", "30", "31", "44", "45", "46", "59", "60", "149", "150", "151"}, func(i int) int {
			k := 0
			for i >= sizes[k] {
				i -= sizes[k]
				k++
			}
			return k
		})
		in.Resamples, in.MinGroupSize = 0, 29
	})
	add("a budget", Rows(eval.Binary, 200, 3), func(in *eval.Input) {
		Grouped(in, "side", two, func(i int) int { return i / 2 % 2 })
		for i := range in.Target {
			in.Models[1].Loss[i] *= 1.3 - 0.5*float64(i/2%2)
		}
		budget := 0.01
		in.Budget, in.Rate, in.Split = &budget, 3, "training rows"
	})
	add("groups beyond those shown", Two(620, 104, 0.1, 2), func(in *eval.Input) { in.MinGroupSize = 6 })
	add("the eight loans", Loans(), nil)
	f := Read(t)
	add("the fixture, binary", f.Input(eval.Binary), func(in *eval.Input) { in.Resamples = 100 })
	add("the fixture, regression", f.Input(eval.Regression), func(in *eval.Input) { in.Resamples = 100 })
	return of
}
