package report

import (
	"fmt"
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
)

// Coverage of the intervals of a cross-fitted evaluation over samples of a population: of the models of the folds,
// whose predictions are measured, and of the model that is trained on all rows. With DROTRAIN_LONG=1 it uses three
// sample sizes, with a level that is set and one that is chosen; -v prints the first table of
// bench/results/coverage.md.
func TestCrossFit_Covers(t *testing.T) {
	set := level.Level{Penalty: "kl", Adversary: "groups", Nu: level.At(0.02)}
	type setting struct {
		n, runs int
		level   level.Level
		split   string
	}
	settings, people := []setting{{300, 4, set, train.EvaluateCrossfit}}, 10_000
	if os.Getenv("DROTRAIN_LONG") != "" {
		settings, people = nil, 100_000
		for _, split := range []string{train.EvaluateCrossfit, train.EvaluateHoldout} {
			for _, n := range []int{150, 600, 3000} {
				if n > 150 || split == train.EvaluateCrossfit { // groups of a dozen rows held out have no interval
					settings = append(settings, setting{n, 300, set, split})
				}
			}
			settings = append(settings, setting{600, 100, level.Level{Penalty: "kl"}, split})
		}
	}
	population := examples(people, 1)
	for _, c := range settings {
		name := fmt.Sprintf("%s of %d rows, a level that is set", c.split, c.n)
		if !c.level.IsSet() {
			name = fmt.Sprintf("%s of %d rows, a level that is chosen", c.split, c.n)
		}
		t.Run(name, func(t *testing.T) {
			made, width := map[string]int{}, map[string]float64{}
			kept := 0
			held := map[string][2]int{} // of the models of the folds, of the model
			for s := range c.runs {
				m := trained(t, examples(c.n, uint64(1000+s)), c.level, false, func(k *train.Config) {
					k.Groups, k.Gap, k.Mu, k.Evaluate, k.Seed = []string{"region"}, 1e-6, level.At(1/float64(c.n)), c.split, uint64(s)
					if c.split == train.EvaluateHoldout {
						k.Holdout = 0.25
					}
				})
				o := DefaultOptions()
				o.Resamples, o.Quick = 300, true
				x := must(Measure(t.Context(), m, o))
				e := x.Evaluation
				if len(e.Compared) == 0 { // ERM was kept: there is no change
					kept++
					continue
				}
				all := [][2][]float64{{m.Baseline, m.ScoringCoefficients()}}
				folds := all
				if x.folds != nil {
					folds = foldModels(t, m, x.folds)
				}
				truth := [2]map[string]float64{risks(population, folds), risks(population, all)}
				count := func(key string, iv *eval.Interval) {
					if iv == nil {
						return
					}
					made[key]++
					width[key] += float64(iv.High - iv.Low)
					h := held[key]
					for k := range h {
						if v := truth[k][key]; float64(iv.Low) <= v && v <= float64(iv.High) {
							h[k]++
						}
					}
					held[key] = h
				}
				risk := e.Models[e.Focus()].Intervals["risk"]
				count("risk", &risk)
				count("change of risk", e.Compared[0].Measures["risk"].Interval)
				if w := e.Models[e.Focus()].WorstGroup; w != nil {
					count("largest group risk", w.MaxInterval)
				}
				if w := e.Compared[0].WorstGroup; w != nil {
					count("its change", w.Interval)
				}
			}
			line := "| " + name + " |"
			for _, key := range []string{"risk", "change of risk", "largest group risk", "its change"} {
				n := float64(made[key])
				if made[key] < (c.runs-kept)*9/10 || made[key] == 0 {
					t.Errorf("%s: %d intervals of %d samples, ERM kept in %d", key, made[key], c.runs, kept)
					continue
				}
				of := [2]float64{float64(held[key][0]) / n, float64(held[key][1]) / n}
				line += fmt.Sprintf(" %.0f, %.0f |", 100*of[0], 100*of[1])
				if least := 0.93 - 4*math.Sqrt(0.95*0.05/n); of[0] < least {
					t.Errorf("%s: holds in %.3f of %d samples, %.3f is least", key, of[0], made[key], least)
				}
			}
			t.Logf("%s width of the last %.3f", line, width["its change"]/float64(made["its change"]))
		})
	}
}

// A small effective sample size is attributed to the adversary only if the row weights do not cause it.
func TestReport_RowWeightsAreNotAdversary(t *testing.T) {
	rows := examples(200, 3)
	for i := range rows {
		if rows[i].Weight = 0.01; i < 20 {
			rows[i].Weight = 1
		}
	}
	for want, l := range map[bool]level.Level{false: {Average: "plain"}, true: {Nu: level.At(0.01)}} {
		m := trained(t, rows, l, true, func(c *train.Config) { c.Gap = 1e-4 })
		x := must(Measure(t.Context(), m, Options{}))
		if m.Result.EffectiveSampleSize > 100 || (x.Input.EffectiveRows > 0) != want {
			t.Errorf("%s: %v effective rows, %v told", l, m.Result.EffectiveSampleSize, x.Input.EffectiveRows)
		}
	}
}

// foldModels are the coefficients of the two models of every fold, which are all that a
// fold's margins are made of.
func foldModels(t *testing.T, m *train.Model, of *train.OutOfFold) (out [][2][]float64) {
	t.Helper()
	d := m.Run.Train
	table := &tune.Table{Rows: train.Rows(d, nil), X: d.X, Target: d.Target, Loss: losses.Logistic{}}
	fold, err := table.Folds(of.Folds, m.Config.Seed)
	if err != nil {
		t.Fatal(err)
	}
	for k := range of.Folds {
		var rows, base, robust []float64
		for j, f := range fold {
			if f == k {
				row := make([]float64, d.D)
				d.X.RowTo(row, j)
				rows, base, robust = append(rows, row...), append(base, of.Baseline.Margin[j]), append(robust, of.Robust.Margin[j])
			}
		}
		x := mat.NewDense(len(base), d.D, rows)
		var models [2][]float64
		for i, margin := range [][]float64{base, robust} {
			var c, back mat.VecDense
			y := mat.NewVecDense(len(margin), margin)
			if err := c.SolveVec(x, y); err != nil {
				t.Fatal(err)
			}
			back.MulVec(x, &c)
			back.SubVec(&back, y)
			if wrong := mat.Norm(&back, math.Inf(1)); wrong > 1e-9 {
				t.Fatalf("fold %d: its margins are no linear function of its rows, by %v", k, wrong)
			}
			models[i] = c.RawVector().Data
		}
		out = append(out, models)
	}
	return out
}

// risks are the measures of models in a population, each the mean over these pairs of
// baseline and robust model.
func risks(population []example, models [][2][]float64) map[string]float64 {
	var group [2]map[string]float64
	var overall [2]float64
	count := map[string]float64{}
	for i := range group {
		group[i] = map[string]float64{}
	}
	for j := range population {
		e := &population[j]
		y := 1.0
		if e.Y == "no" {
			y = -1
		}
		count[e.Region]++
		for _, pair := range models {
			for i, x := range pair {
				loss := math.Log1p(math.Exp(-y*(x[0]*e.A+x[1]*e.B+x[2]))) / float64(len(models))
				group[i][e.Region] += loss
				overall[i] += loss / float64(len(population))
			}
		}
	}
	var worst [2]float64
	for i := range group {
		for g, sum := range group[i] {
			worst[i] = max(worst[i], sum/count[g])
		}
	}
	return map[string]float64{"risk": overall[1], "change of risk": overall[1] - overall[0],
		"largest group risk": worst[1], "its change": worst[1] - worst[0]}
}
