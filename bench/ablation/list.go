package ablation

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
)

// Cells are the problems: of independent columns as in the benchmark (fewer rows), of
// correlated ones, of heavy tails, those where the adversary rests on few rows, those with
// an intercept, balls, of which some end at a kink, and largest losses, CVaR and groups,
// which are kinks throughout; and those that show what ends a method's turn: more columns than
// rows, Hessians dearer than any number of steps, a gap that rounding does not allow.
func Cells() []Cell {
	var out []Cell
	add := func(kind, name string, t table, loss losses.Loss, dual dro.Dual) {
		out = append(out, Cell{Kind: kind, Name: fmt.Sprintf("%s %d × %d %s", name, t.n, t.d, describe(loss, dual)),
			make: func() (*dro.Problem, error) { return t.problem(loss, dual) }})
	}
	for _, size := range [][2]int{{100_000, 20}, {30_000, 100}} {
		for _, kappa := range []float64{1, 100} {
			t := table{n: size[0], d: size[1], noise: "student", kappa: kappa}
			name := fmt.Sprintf("κ = %g", kappa)
			add("main", name, t, losses.Logistic{}, dro.KL{Nu: 1})
			add("main", name, t, losses.Squared{}, dro.KL{Nu: 1})
			add("main", name, t, losses.Huber{Delta: 1}, dro.KL{Nu: 1})
			add("main", name, t, losses.Squared{}, dro.ChiSquare{Nu: 0.1})
			add("main", name, t, losses.Logistic{}, dro.ChiSquare{Nu: 0.1})
		}
	}
	large := table{n: 1_000_000, d: 20, noise: "student", kappa: 1}
	add("large", "κ = 1", large, losses.Logistic{}, dro.KL{Nu: 1})
	add("large", "κ = 1", large, losses.Squared{}, dro.ChiSquare{Nu: 0.1})
	add("large", "κ = 1", large, losses.Logistic{}, dro.KL{Nu: 0.1})
	large.kappa = 100
	add("large", "κ = 100", large, losses.Huber{Delta: 1}, dro.ChiSquare{Nu: 0.1})
	add("large", "κ = 1", table{n: 300_000, d: 100, noise: "student", kappa: 1}, losses.Logistic{}, dro.ChiSquare{Nu: 0.1})
	wide := table{n: 60_000, d: 300, noise: "student", kappa: 1}
	add("huge", "κ = 1", table{n: 1_000_000, d: 100, noise: "student", kappa: 1}, losses.Logistic{}, dro.KL{Nu: 1})
	add("huge", "κ = 1", table{n: 1_000_000, d: 100, noise: "student", kappa: 1}, losses.Squared{}, dro.ChiSquare{Nu: 0.1})
	add("huge", "κ = 1", table{n: 600_000, d: 300, noise: "student", kappa: 1}, losses.Logistic{}, dro.KL{Nu: 1})
	add("wide", "κ = 1", wide, losses.Logistic{}, dro.KL{Nu: 1})
	add("wide", "κ = 1", wide, losses.Squared{}, dro.ChiSquare{Nu: 0.1})
	add("wide", "κ = 1", table{n: 200_000, d: 300, noise: "student", kappa: 1}, losses.Logistic{}, dro.KL{Nu: 1})
	add("wide", "κ = 1", table{n: 40_000, d: 600, noise: "student", kappa: 1}, losses.Logistic{}, dro.KL{Nu: 1})
	add("wide", "κ = 1", table{n: 100_000, d: 600, noise: "student", kappa: 1}, losses.Logistic{}, dro.KL{Nu: 1})
	sharp := table{n: 1_000_000, d: 20, noise: "normal", kappa: 1, signal: 8}
	add("large", "sharp", sharp, losses.Logistic{}, dro.KL{Nu: 1})
	add("large", "sharp", sharp, losses.Logistic{}, dro.ChiSquare{Nu: 0.1})
	for _, columns := range []string{"ar", "low rank"} {
		add("correlated", columns, table{n: 20_000, d: 400, columns: columns, noise: "normal"}, losses.Logistic{}, dro.KL{Nu: 1})
		add("correlated", columns, table{n: 10_000, d: 400, columns: columns, noise: "normal"}, losses.Squared{}, dro.ChiSquare{Nu: 1})
	}
	add("heavy", "tails", table{n: 20_000, d: 400, noise: "student"}, losses.Squared{}, dro.KL{Nu: 1})
	add("heavy", "x", table{n: 20_000, d: 20, columns: "heavy", noise: "normal"}, losses.Logistic{}, dro.KL{Nu: 1})
	add("heavy", "x", table{n: 5000, d: 20, columns: "cube", noise: "normal"}, losses.Squared{}, dro.KL{Nu: 1})
	add("heavy", "x", table{n: 6000, d: 80, columns: "heavy", noise: "normal"}, losses.Squared{}, dro.KL{Nu: 1})
	add("heavy", "x", table{n: 12_000, d: 80, columns: "heavy", noise: "normal"}, losses.Squared{}, dro.KL{Nu: 1})
	add("heavy", "x", table{n: 25_000, d: 600, columns: "heavy", noise: "normal"}, losses.Squared{}, dro.KL{Nu: 1})
	add("heavy", "rare", table{n: 12_000, d: 40, columns: "rare", noise: "normal"}, losses.Logistic{}, dro.KL{Nu: 1})
	add("heavy", "kinks", table{n: 5000, d: 20, noise: "student"}, losses.Huber{Delta: 1e-3}, dro.KL{Nu: 1})
	for _, n := range []int{600, 5000, 20_000} {
		for _, nu := range []float64{1e-2, 1e-3} {
			add("few rows", "cauchy", table{n: n, d: 10, noise: "cauchy"}, losses.Squared{}, dro.KL{Nu: nu})
		}
	}
	add("few rows", "cauchy", table{n: 5000, d: 10, noise: "cauchy"}, losses.Huber{Delta: 1}, dro.KL{Nu: 1e-2})
	add("few rows", "cauchy", table{n: 5000, d: 10, noise: "cauchy"}, losses.Squared{}, dro.ChiSquare{Nu: 1e-2})
	for _, t := range []table{{n: 20_000, d: 20, intercept: true}, {n: 5000, d: 20, signal: 30, share: 1e-4, intercept: true}} {
		name := "labels"
		if t.signal > 0 {
			name = "separate"
		}
		for _, dual := range []dro.Dual{dro.Uniform{}, dro.KL{Nu: 1}, dro.ChiSquare{Nu: 0.1}, dro.NewBall(dro.KullbackLeibler, 0.3, nil)} {
			add("intercept", name, t, losses.Logistic{}, dual)
		}
	}
	for _, noise := range []string{"student", "cauchy"} {
		t := table{n: 20_000, d: 20, noise: noise, intercept: true}
		add("intercept", noise, t, losses.Squared{}, dro.KL{Nu: 1})
		add("intercept", noise, t, losses.Squared{}, dro.ChiSquare{Nu: 0.1})
		add("intercept", noise, t, losses.Huber{Delta: 1}, dro.Protected{Share: 0.5, Nu: 0.1})
	}
	for _, near := range []dro.Ball{dro.NewBall(dro.KullbackLeibler, 0.3, nil), dro.NewBall(dro.PearsonChi2, 1, nil)} {
		for _, noise := range []string{"normal", "cauchy"} {
			add("balls", noise, table{n: 20_000, d: 20, noise: noise}, losses.Squared{}, near)
		}
		add("balls", "labels without intercept", table{n: 20_000, d: 20}, losses.Logistic{}, near)
		add("balls", "weak", table{n: 2000, d: 10, signal: 0.05}, losses.Logistic{}, near) // the optimum is near 0, where all losses are the same
	}
	for _, dual := range []dro.Dual{dro.Protected{Share: 0.1}, dro.KL{}} {
		for _, loss := range []losses.Loss{losses.Logistic{}, losses.Squared{}, losses.Huber{Delta: 1}} {
			add("kinks", "student", table{n: 5000, d: 20, noise: "student"}, loss, dual)
		}
	}
	for _, n := range []int{2000, 40_000} {
		add("kinks", "groups", table{n: n, d: 20, noise: "student"}, losses.Squared{}, everyTenth(n))
		add("kinks", "groups", table{n: n, d: 20}, losses.Logistic{}, everyTenth(n))
	}
	add("long", "κ = 1000", table{n: 3000, d: 800, noise: "student", kappa: 1000}, losses.Logistic{}, dro.KL{Nu: 1})
	add("long", "rare", table{n: 4000, d: 600, columns: "rare"}, losses.Logistic{}, dro.KL{Nu: 1})
	add("long", "ar", table{n: 40, d: 2001, columns: "ar", share: 1e-6}, losses.Logistic{}, dro.KL{Nu: 1})
	add("long", "to 1e-15: cauchy", table{n: 500, d: 20, noise: "cauchy", intercept: true}, losses.Squared{}, dro.ChiSquare{Nu: 0.01})
	out[len(out)-1].asks = 1e-15
	out = append(out, Cell{Kind: "sparse", Name: "one-hot 25 000 × 1801 logistic, KL, ν = 1",
		make: func() (*dro.Problem, error) { return oneHot(25_000, 6, 300, dro.KL{Nu: 1}) }},
		Cell{Kind: "sparse", Name: "one-hot 25 000 × 6001 logistic, KL, ν = 1",
			make: func() (*dro.Problem, error) { return oneHot(25_000, 6, 1000, dro.KL{Nu: 1}) }})
	return out
}

// everyTenth is plain group DRO over ten groups, some ten times the size of others.
func everyTenth(n int) dro.Dual {
	of := make([]int, n)
	for j := range of {
		of[j] = min(j%20, 9)
	}
	g, err := dro.NewGroups(dro.NewBall(dro.KullbackLeibler, math.Inf(1), nil), nil, of)
	if err != nil {
		panic(err) // every group has rows
	}
	return g
}

func describe(loss losses.Loss, dual dro.Dual) string {
	name := loss.Name()
	if h, ok := loss.(losses.Huber); ok && h.Delta != 1 {
		name = fmt.Sprintf("huber %g", h.Delta)
	}
	switch d := dual.(type) {
	case dro.Ball:
		divergence := "KL"
		if d.Divergence == dro.PearsonChi2 {
			divergence = "χ²"
		}
		return fmt.Sprintf("%s, %s ≤ %g", name, divergence, d.Radius)
	case dro.Protected:
		return fmt.Sprintf("%s, CVaR, %g, ν = %g", name, d.Share, d.Nu)
	case dro.Uniform:
		return name + ", ERM"
	case *dro.Groups:
		return name + ", largest mean"
	case dro.ChiSquare:
		return fmt.Sprintf("%s, χ², ν = %g", name, d.Nu)
	case dro.KL:
		if d.Nu == 0 {
			return name + ", largest loss"
		}
	}
	return fmt.Sprintf("%s, KL, ν = %g", name, dual.Modulus())
}
