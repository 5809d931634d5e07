package show

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

// An outcome contains every number of the training run beside its name, with the baseline before the model.
func TestOutcome_HasEveryNumber(t *testing.T) {
	const n = 120
	rng := rand.New(rand.NewPCG(4, 2))
	y, x, g := make([]float64, n), make([]float64, n), make([]string, n)
	for i := range n {
		x[i], g[i] = rng.NormFloat64(), []string{"east", "west", "west"}[i%3]
		y[i] = 5 + x[i]*float64(i%3) + rng.ExpFloat64()
	}
	group, err := data.ColumnOf("side", g)
	if err != nil {
		t.Fatal(err)
	}
	f, err := data.NewFrame(data.Column{Name: "y", Kind: data.Numeric, Type: "double", Number: y},
		data.Column{Name: "x", Kind: data.Numeric, Type: "double", Number: x}, group)
	if err != nil {
		t.Fatal(err)
	}
	c := train.DefaultConfig()
	c.Target, c.Groups, c.Holdout, c.Level = "y", []string{"side"}, 0, level.Level{Penalty: "kl", Nu: level.At(0.5)}
	m, err := train.FitFrame(context.Background(), f, c)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	Outcome(&b, m, nil, "a title")
	s := m.Summary("")
	text := strings.ReplaceAll(b.String(), "\u202f", " ")
	at := 0
	for _, want := range [][]string{
		{"a title"}, {"Model", s.Level, s.Loss + " loss"},
		{"Certificate", "certified", Number6(s.Objective), printable.Scientific(*s.Certificate.RelativeGap)},
		{"Bounds", Number6(*s.Certificate.Lower), Number6(*s.Certificate.Upper), Passes(s.Passes) + " passes"},
		{"120 rows", fmt.Sprint(s.D, " columns"), s.Solver, " s"},
		{"Adversary", "of 120 rows", Percent(s.EffectiveShare()), Number3(s.LargestWeight())},
		{"Training rows", "ERM", "robust"}, {"average risk", Number6(s.ERM.Risk), Number6(s.AverageRisk)},
		{"robust risk", Number6(s.ERM.RobustRisk), Number6(s.RobustRisk)},
		{"worst group of side"}, {"group", s.ERM.WorstGroup.Name, s.WorstGroup.Name},
		{"rows", fmt.Sprint(s.ERM.WorstGroup.Count), fmt.Sprint(s.WorstGroup.Count)},
		{"risk", Number6(s.ERM.WorstGroup.Risk), Number6(s.WorstGroup.Risk)},
		{"average risk", Number6(s.GroupWeighted.Risk), Number6(s.GroupWeighted.WorstGroup.Risk)},
	} {
		found := -1
		lines := strings.Split(text[at:], "\n")
		from := at
		for _, line := range lines {
			k := 0
			for _, part := range want {
				part = strings.ReplaceAll(part, "\u202f", " ")
				i := strings.Index(line[k:], part)
				if i < 0 {
					k = -1
					break
				}
				k += i + len(part)
			}
			if from += len(line) + 1; k >= 0 {
				found = from
				break
			}
		}
		if found < 0 {
			t.Fatalf("no line with %q after\n%s in\n%s", want, text[:at], text)
		}
		at = min(found, len(text))
	}
}
