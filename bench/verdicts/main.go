// Command verdicts counts how often the verdict of a training is right: designs whose truth is
// known, many draws each, what was said against what is true of the population.
//
//	go -C bench run ./verdicts -draws 50 -out results/verdicts.csv
package main

import (
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/report"
)

// A design is a population, a number of rows and how robust the model is to be.
type design struct {
	name       string
	kind       string // what is different in the minority: see row
	rows       int
	minority   float64 // share of the rows
	groups     int     // minorities; each has the share
	regression bool
	level      string // chosen, groups or rows
}

func designs() []design {
	var all []design
	for _, rows := range []int{500, 10_000} {
		for _, level := range []string{"groups", "chosen"} {
			add := func(kind string, minority float64, groups int, regression bool) {
				task := "classes"
				if regression {
					task = "numbers"
				}
				all = append(all, design{fmt.Sprintf("%s, %s, %d of %g", kind, task, groups, minority), kind, rows, minority, groups, regression, level})
			}
			add("spurious", 0.1, 1, false)
			add("spurious", 0.05, 2, false)
			add("slope", 0.2, 1, false)
			add("slope", 0.2, 1, true)
			add("spurious", 0.1, 1, true)
			add("same", 0.1, 1, false)
			add("same", 0.1, 3, true)
			add("noise", 0.1, 1, false)
			add("noise", 0.1, 2, true)
			add("shift", 0.1, 1, true)
		}
	}
	return all
}

// draw returns n rows of the population of a design.
func (d design) draw(n int, rng *rand.Rand) *data.Frame {
	const noise = 4 // columns that do not matter
	x := make([][]float64, 3+noise)
	for j := range x {
		x[j] = make([]float64, n)
	}
	y, group := make([]float64, n), make([]int32, n)
	labels := []string{"most"}
	for k := range d.groups {
		labels = append(labels, fmt.Sprintf("few%d", k+1))
	}
	for i := range n {
		g := 0
		if k := int(rng.Float64() / d.minority); k < d.groups {
			g = 1 + k
		}
		group[i] = int32(g)
		for j := range x {
			x[j][i] = rng.NormFloat64()
		}
		few := g > 0
		signal, spread := x[0][i]+0.5*x[1][i], 1.0
		switch {
		case d.kind == "slope" && few:
			signal = -x[0][i] + 1.5*x[1][i]
		case d.kind == "noise" && few:
			spread = 3
		case d.kind == "shift" && few:
			signal += 2
		}
		value := signal + spread*rng.NormFloat64()
		if !d.regression {
			value = math.Copysign(1, value)
		}
		y[i] = value
		if d.kind == "spurious" { // a column that follows the target, the other way in the minority
			sign := 1.0
			if few {
				sign = -1
			}
			x[2][i] = sign*value + 0.7*rng.NormFloat64()
		}
	}
	columns := []data.Column{{Name: "y", Type: "double", Kind: data.Numeric, Number: y}, {Name: "group", Type: "string", Kind: data.Categorical, Level: labels, Code: group}}
	if !d.regression {
		code := make([]int32, n)
		for i, v := range y {
			if v > 0 {
				code[i] = 1
			}
		}
		columns[0] = data.Column{Name: "y", Type: "string", Kind: data.Categorical, Level: []string{"no", "yes"}, Code: code}
	}
	for j := range x {
		columns = append(columns, data.Column{Name: fmt.Sprintf("x%d", j), Type: "double", Kind: data.Numeric, Number: x[j]})
	}
	f, err := data.NewFrame(columns...)
	if err != nil {
		log.Fatal(err)
	}
	return f
}

// A result is what was said of a draw, and the truth: the relative change of the worst group's
// risk in the population.
type result struct {
	outcome eval.Outcome
	reason  eval.Reason
	change  float64
	kept    bool // cross-validation kept the standard model
}

func (d design) run(ctx context.Context, seed uint64, population *data.Frame) (result, error) {
	cfg := train.DefaultConfig()
	cfg.KeepRows = true
	cfg.Target, cfg.Groups, cfg.Gap, cfg.Seed = "y", []string{"group"}, 1e-5, seed
	cfg.GroupCoefficients = train.GroupCoefficientsNo // with them the two models hardly differ
	switch d.level {
	case "groups":
		cfg.Level = level.Level{Penalty: "kl", Adversary: "groups", Nu: level.At(0.02)}
	case "rows":
		cfg.Level = level.Level{Penalty: "chi2", Nu: level.At(0.5)}
	}
	if d.rows < train.CrossfitBelow {
		cfg.Evaluate, cfg.Holdout = train.EvaluateCrossfit, 0
	}
	m, err := train.FitFrame(ctx, d.draw(d.rows, rand.New(rand.NewPCG(seed, uint64(d.rows)))), cfg)
	if err != nil {
		return result{}, err
	}
	o := report.DefaultOptions()
	o.Quick, o.Resamples = true, 400
	x, err := report.Measure(ctx, m, o)
	if err != nil {
		return result{}, err
	}
	v := x.Evaluation.Verdict
	r := result{outcome: v.Outcome, reason: v.Reason, kept: report.Name(m) == report.Baseline}
	if !r.kept {
		rows, _, err := m.Encoder.Encode(ctx, population, nil)
		if err != nil {
			return r, err
		}
		worst := func(coefficients []float64) float64 {
			p, e := m.PredictDataset(rows, coefficients)
			if e != nil {
				err = e
				return 0
			}
			sum, n := make([]float64, d.groups+1), make([]float64, d.groups+1)
			for i, l := range p.Loss {
				g := rows.Groups[0].Index[i]
				sum[g], n[g] = sum[g]+l, n[g]+1
			}
			top := 0.0
			for g := range sum {
				top = max(top, sum[g]/n[g])
			}
			return top
		}
		before, after := worst(m.Baseline), worst(m.Scoring())
		r.change = after/before - 1
	}
	return r, err
}

// truth returns the class of a relative change.
func truth(change float64) string {
	switch {
	case change <= -1.0/3:
		return "falls by a third or more"
	case change < -0.02:
		return "falls by less"
	case change <= 0.02:
		return "no change"
	}
	return "rises"
}

func main() {
	log.SetFlags(0)
	draws := flag.Int("draws", 50, "draws of every design")
	out := flag.String("out", "results/verdicts.csv", "file to write")
	only := flag.String("only", "", "designs whose line contains this")
	people := flag.Int("population", 50_000, "rows that stand for the population")
	flag.Parse()
	type cell struct {
		d       design
		results []result
	}
	var cells []*cell
	for _, d := range designs() {
		if strings.Contains(fmt.Sprintf("%d, %s, %s", d.rows, d.level, d.name), *only) {
			cells = append(cells, &cell{d: d})
		}
	}
	var wait sync.WaitGroup
	limit := make(chan bool, 2)
	for _, c := range cells {
		wait.Add(1)
		go func() {
			defer wait.Done()
			limit <- true
			defer func() { <-limit }()
			population := c.d.draw(*people, rand.New(rand.NewPCG(99, 99)))
			for k := range *draws {
				r, err := c.d.run(context.Background(), uint64(k+1), population)
				if err != nil {
					log.Printf("%s, draw %d: %v", c.d.name, k, err)
					continue
				}
				c.results = append(c.results, r)
			}
		}()
	}
	wait.Wait()
	f, err := os.Create(*out)
	if err != nil {
		log.Fatal(err)
	}
	w := csv.NewWriter(f)
	head := []string{"rows", "level", "design", "draws", "mean_change", "kept"}
	for _, o := range eval.Outcomes() {
		head = append(head, string(o))
	}
	_ = w.Write(append(head, "helped_but_not_better", "hurt_but_not_worse"))
	table := map[string]map[eval.Outcome]int{}
	for _, c := range cells {
		count := map[eval.Outcome]int{}
		mean, kept, wrong, wronged := 0.0, 0, 0, 0
		for _, r := range c.results {
			count[r.outcome]++
			mean += r.change / float64(len(c.results))
			if r.kept {
				kept++
			}
			if r.outcome == eval.Helped && r.change >= 0 {
				wrong++
			}
			if r.outcome == eval.Hurt && r.change <= 0 {
				wronged++
			}
			key := fmt.Sprintf("%5d rows, %s", c.d.rows, truth(r.change))
			if table[key] == nil {
				table[key] = map[eval.Outcome]int{}
			}
			table[key][r.outcome]++
		}
		line := []string{strconv.Itoa(c.d.rows), c.d.level, c.d.name, strconv.Itoa(len(c.results)), fmt.Sprintf("%.3f", mean), strconv.Itoa(kept)}
		for _, o := range eval.Outcomes() {
			line = append(line, strconv.Itoa(count[o]))
		}
		_ = w.Write(append(line, strconv.Itoa(wrong), strconv.Itoa(wronged)))
	}
	w.Flush()
	if err := cmp(w.Error(), f.Close()); err != nil {
		log.Fatal(err)
	}
	for _, rows := range []int{500, 10_000} {
		for _, is := range []string{"falls by a third or more", "falls by less", "no change", "rises"} {
			key := fmt.Sprintf("%5d rows, %s", rows, is)
			if table[key] == nil {
				continue
			}
			fmt.Printf("%s:", key)
			for _, o := range eval.Outcomes() {
				if n := table[key][o]; n > 0 {
					fmt.Printf(" %s %d,", o, n)
				}
			}
			fmt.Println()
		}
	}
}

// cmp returns the first error.
func cmp(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
