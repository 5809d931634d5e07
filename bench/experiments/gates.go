package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/eval"
)

func init() {
	register("gates", "how often gates find bad months of 20 kinds, and how often they fail in good months", gatePower)
}

// A gateModel is a kind of model. The standard deviation of its logit determines how well it separates the classes.
type gateModel struct {
	name      string
	deviation float64
}

var gateModels = []gateModel{{"weak", 0.6}, {"ordinary", 1.3}, {"strong", 3}}

// powerGates lists the gates whose power is measured.
var powerGates = []string{
	"since.worst_group.risk.low > 0.05",
	"since.risk.low > 0",
	"since.auc.high < 0",
	"since.any_group.risk.low > 0",
	"since.any_group.accuracy.high < 0",
	"since.any_group.calibration_gap.low > 0 || since.any_group.calibration_gap.high < 0",
}

// Numbers of rows in the training's hold-out set and in a month.
const (
	referenceRows = 1500
	monthRows     = 2000
)

// An applicant is a row of the simulation. The model sees the values in shown; the other values are the true ones.
type applicant struct {
	region, sex    int
	x, shown       [3]float64
	purpose, coded int     // level of a category; a coded level of −1 is unknown to the model
	logit          float64 // true
	// probabilities that a label is flipped, and that a positive label is recorded as negative
	flip, positives float64
}

const (
	south = 3
	isles = 4 // 6 % of the rows
)

var (
	gateRegions = []string{"Centre", "East", "North", "South", "Isles"}
	gateSexes   = []string{"f", "m"}
	gateShares  = []float64{0.3, 0.22, 0.22, 0.2, 0.06}
	gateSlopes  = [3]float64{0.7, -0.5, 0.3}
	gateEffects = [4]float64{0.6, -0.2, -0.6, 0.2} // of the purposes
)

// A badMonth is a kind of damage. before changes a row before its label is drawn, and after changes what the model
// sees.
type badMonth struct {
	name   string
	before func(r *rand.Rand, a *applicant)
	after  func(r *rand.Rand, a *applicant)
}

// inSouth returns a function that applies f only to applicants in the South.
func inSouth(f func(r *rand.Rand, a *applicant)) func(r *rand.Rand, a *applicant) {
	return func(r *rand.Rand, a *applicant) {
		if a.region == south {
			f(r, a)
		}
	}
}

// flipLabels returns a change that flips labels with probability p; delay one that records positive labels as
// negative; raise one that adds to the logit.
func flipLabels(p float64) func(*rand.Rand, *applicant) {
	return func(_ *rand.Rand, a *applicant) { a.flip = p }
}
func delay(p float64) func(*rand.Rand, *applicant) {
	return func(_ *rand.Rand, a *applicant) { a.positives = p }
}
func raise(by float64) func(*rand.Rand, *applicant) {
	return func(_ *rand.Rand, a *applicant) { a.logit += by }
}

// scaleShown returns a change that multiplies the first value that the model sees.
func scaleShown(by float64) func(*rand.Rand, *applicant) {
	return func(_ *rand.Rand, a *applicant) { a.shown[0] *= by }
}

// loseShown returns a change that replaces the first value that the model sees by its mean, with probability p.
func loseShown(p float64) func(*rand.Rand, *applicant) {
	return func(r *rand.Rand, a *applicant) {
		if r.Float64() < p {
			a.shown[0] = 0
		}
	}
}

// slope returns a change that multiplies the true effect of the first value. The logit already contains the effect
// once.
func slope(by, deviation float64) func(*rand.Rand, *applicant) {
	return func(_ *rand.Rand, a *applicant) { a.logit += (by - 1) * deviation * gateSlopes[0] * a.x[0] }
}

// badMonths returns the 20 kinds of damage for a model whose logit has the given standard deviation.
func badMonths(deviation float64) []badMonth {
	return []badMonth{
		{"35 % of the labels of the South reversed", inSouth(flipLabels(0.35)), nil},
		{"20 % of the labels of the South reversed", inSouth(flipLabels(0.2)), nil},
		{"10 % of the labels of the South reversed", inSouth(flipLabels(0.1)), nil},
		{"35 % of the labels of the Isles (6 % of the rows) reversed", func(_ *rand.Rand, a *applicant) {
			if a.region == isles {
				a.flip = 0.35
			}
		}, nil},
		{"35 % of the labels of women in the South reversed", inSouth(func(_ *rand.Rand, a *applicant) {
			if a.sex == 0 {
				a.flip = 0.35
			}
		}), nil},
		{"10 % of all labels reversed", flipLabels(0.1), nil},
		{"odds doubled everywhere", raise(math.Ln2), nil},
		{"odds tripled in the South", inSouth(raise(math.Log(3))), nil},
		{"odds divided by three in the South", inSouth(raise(-math.Log(3))), nil},
		{"30 % of the positive labels recorded as negative", delay(0.3), nil},
		{"half of the positive labels of the South recorded as negative", inSouth(delay(0.5)), nil},
		{"effect of a column reversed in the South", inSouth(slope(-1, deviation)), nil},
		{"a column without effect everywhere", slope(0, deviation), nil},
		{"a column ten times too large", nil, scaleShown(10)},
		{"a column ten times too large in the South", nil, inSouth(scaleShown(10))},
		{"a column replaced by its mean in 30 % of the rows", nil, loseShown(0.3)},
		{"a column replaced by its mean in the South", nil, inSouth(loseShown(1))},
		{"two columns exchanged", nil, func(_ *rand.Rand, a *applicant) { a.shown[0], a.shown[1] = a.shown[1], a.shown[0] }},
		{"all levels of a category renamed", nil, func(_ *rand.Rand, a *applicant) { a.coded = -1 }},
		{"a new level, 20 % of the rows, with odds four times as high", func(r *rand.Rand, a *applicant) {
			if r.Float64() < 0.2 {
				a.logit += math.Log(4) - deviation*gateEffects[a.purpose]
				a.coded = -1
			}
		}, nil},
	}
}

// drawMonth returns n rows with the predictions of a model that is correct for undamaged rows.
func drawMonth(n int, m gateModel, kind badMonth, seed uint64) eval.Input {
	r := rand.New(rand.NewPCG(seed, 45))
	score := func(x [3]float64, purpose int) float64 {
		z := 0.0
		for j, s := range gateSlopes {
			z += s * x[j]
		}
		if purpose >= 0 {
			z += gateEffects[purpose]
		}
		return -1 + m.deviation*z
	}
	in := eval.Input{Task: eval.Binary, LossName: "logistic", LossUnit: "nats", TargetName: "default", Positive: "yes",
		Resamples: 100, Seed: seed,
		MinGroupSize: 30, Split: eval.Table, Models: []eval.Model{{Name: "model", Role: eval.OtherModel}}}
	region, sex := encode.Grouping{Name: "region", Labels: gateRegions}, encode.Grouping{Name: "sex", Labels: gateSexes}
	both := encode.Grouping{Name: "region × sex"}
	for _, a := range gateRegions {
		for _, b := range gateSexes {
			both.Labels = append(both.Labels, a+" / "+b)
		}
	}
	for range n {
		a := applicant{region: pick(r, gateShares...), sex: r.IntN(2), purpose: r.IntN(4)}
		for j := range a.x {
			a.x[j] = r.NormFloat64()
		}
		a.coded, a.shown, a.logit = a.purpose, a.x, score(a.x, a.purpose)
		if kind.before != nil {
			kind.before(r, &a)
		}
		y := -1.0
		if r.Float64() < 1/(1+math.Exp(-a.logit)) && r.Float64() >= a.positives {
			y = 1
		}
		if r.Float64() < a.flip {
			y = -y
		}
		if kind.after != nil {
			kind.after(r, &a)
		}
		p := 1 / (1 + math.Exp(-score(a.shown, a.coded)))
		in.Target = append(in.Target, y)
		in.Models[0].Score = append(in.Models[0].Score, p)
		in.Models[0].Loss = append(in.Models[0].Loss, math.Log1p(math.Exp(-y*score(a.shown, a.coded))))
		region.Index, sex.Index = append(region.Index, int32(a.region)), append(sex.Index, int32(a.sex))
		both.Index = append(both.Index, int32(2*a.region+a.sex))
	}
	in.Groups = []encode.Grouping{region, sex, both}
	return in
}

// failures returns, over months of a kind, one for each reference, how often each gate fails, and how often at
// least one of those in union fails.
func failures(
	ctx context.Context, m gateModel, kind badMonth, references []*eval.Reference, union []int,
) (fails []int, any int, err error) {
	var gates []eval.Gate
	for _, text := range powerGates {
		g, err := eval.ParseGate(text)
		if err != nil {
			return nil, 0, err
		}
		gates = append(gates, g)
	}
	fails = make([]int, len(gates))
	for i, reference := range references {
		now, err := eval.Evaluate(ctx, drawMonth(monthRows, m, kind, 2*uint64(i)+1))
		if err != nil {
			return nil, 0, err
		}
		now.Reference = reference
		found := false
		for k, g := range gates {
			r, err := g.Check(now)
			if err != nil {
				return nil, 0, err
			}
			if r.Failed {
				fails[k]++
				found = found || slices.Contains(union, k)
			}
		}
		if found {
			any++
		}
	}
	return fails, any, nil
}

// gatePower prints the power and the rate of false alarms of gates on simulated months, as a Markdown table.
func gatePower(ctx context.Context, fs *flag.FlagSet, args []string) error {
	months := fs.Int("months", 100, "months of every kind, and of the good ones")
	if err := parse(fs, args); err != nil {
		return err
	}
	union := []int{2, 3, 5} // gates that docs/gates.md recommends in combination
	fmt.Printf("Failures in percent of %d months of %d rows against a hold-out of %d rows, for a weak / an ordinary / a "+
		"strong model.\n", *months, monthRows, referenceRows)
	fmt.Println("Standard error of a percentage: at most", math.Ceil(10*50/math.Sqrt(float64(*months)))/10, "points.")
	fmt.Println()
	var letters []string
	for k, text := range powerGates {
		letters = append(letters, string(rune('A'+k)))
		fmt.Printf("%s: %s\n", letters[k], text)
	}
	var parts []string
	for _, k := range union {
		parts = append(parts, letters[k])
	}
	fmt.Printf("\n| month | %s | %s |\n|---|%s--:|\n", strings.Join(letters, " | "), strings.Join(parts, " or "),
		strings.Repeat("--:|", len(letters)))
	references := make([][]*eval.Reference, len(gateModels))
	for k, m := range gateModels {
		for i := range uint64(*months) {
			then, err := eval.Evaluate(ctx, drawMonth(referenceRows, m, badMonth{}, 2*i))
			if err != nil {
				return err
			}
			references[k] = append(references[k], eval.NewReference(then))
		}
	}
	kinds := len(badMonths(1))
	for k := -1; k < kinds; k++ {
		name := "**like the hold-out**"
		columns := make([][]string, len(powerGates)+1)
		for j, m := range gateModels {
			var kind badMonth
			if k >= 0 {
				kind = badMonths(m.deviation)[k]
				name = kind.name
			}
			logStep(m.name + ": " + name)
			fails, any, err := failures(ctx, m, kind, references[j], union)
			if err != nil {
				return err
			}
			for g, n := range append(fails, any) {
				columns[g] = append(columns[g], fmt.Sprintf("%.0f", 100*float64(n)/float64(*months)))
			}
		}
		row := []string{name}
		for _, c := range columns {
			row = append(row, strings.Join(c, " / "))
		}
		fmt.Printf("| %s |\n", strings.Join(row, " | "))
	}
	return nil
}
