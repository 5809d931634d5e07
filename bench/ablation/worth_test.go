package ablation

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/tuning"
	"github.com/drotrain/drotrain/losses"
)

// Every heuristic saves arithmetic, which is counted, on a cell of its kind: without it, or
// with it broken, the solve takes as much as if it were switched off. Penalties that fall
// have tests of their own in package dro.
func TestHeuristicsEarnTheirRoom(t *testing.T) {
	cells := map[string]Cell{}
	for _, c := range Cells() {
		cells[c.Name] = c
	}
	for _, w := range []struct {
		without, cell string
		times         float64 // the arithmetic, at least: about two thirds of what is measured
	}{
		{"working sets", "κ = 1 100000 × 20 squared, KL, ν = 1", 1.7},
		{"coresets", "κ = 100 30000 × 100 squared, KL, ν = 1", 1.9},
		{"sampled Hessians", "κ = 100 30000 × 100 logistic, KL, ν = 1", 1.7},
		{"renewal", "κ = 1 30000 × 100 logistic, KL, ν = 1", 1.8},
		{"distrust", "rare 12000 × 40 logistic, KL, ν = 1", 3},
		{"BFGS corrections", "x 12000 × 80 squared, KL, ν = 1", 4},
		{"rent or buy", "x 12000 × 80 squared, KL, ν = 1", 2},
		{"prefixes", "κ = 1 100000 × 20 logistic, KL, ν = 1", 1.3},
	} {
		t.Run(w.without, func(t *testing.T) {
			c, ok := cells[w.cell]
			if !ok {
				t.Fatalf("there is no cell %q", w.cell)
			}
			p, err := c.make()
			if err != nil {
				t.Fatal(err)
			}
			var took [2]Row
			for _, v := range Switched() {
				k := 0
				if v.Name == "without "+w.without {
					k = 1
				} else if v.Name != "auto" {
					continue
				}
				if took[k] = one(context.Background(), p, c.gap(), v, 400, time.Hour, nil); took[k].Err != nil {
					t.Fatal(took[k].Err)
				}
			}
			t.Logf("%s: %.3g passes of arithmetic, %.3g without", w.cell, took[0].Arithmetic, took[1].Arithmetic)
			if took[0].Status != dro.Certified {
				t.Errorf("%v", took[0].Status)
			}
			if !(took[1].Arithmetic >= w.times*took[0].Arithmetic) {
				t.Errorf("%.4g passes of arithmetic, %.4g without: less than %v times as much", took[0].Arithmetic, took[1].Arithmetic, w.times)
			}
		})
	}
}

// Every limit of a turn keeps some solve from taking as long again, or from going on for good.
func TestLimitsEarnTheirRoom(t *testing.T) {
	limits := map[string]string{ // by the cell that shows it
		"κ = 1000 3000 × 800 logistic, KL, ν = 1":         "rent: what L-BFGS may take, whatever Hessians cost",
		"ar 40 × 2001 logistic, KL, ν = 1":                "hessian: products of a solve by conjugate gradients",
		"to 1e-15: cauchy 500 × 20 squared, χ², ν = 0.01": "guarded: length of a turn that has to halve the gap",
	}
	for _, c := range Cells() {
		name := limits[c.Name]
		at := slices.IndexFunc(tuning.All(), func(c *tuning.Constant) bool { return c.Name == name })
		if at < 0 {
			continue
		}
		delete(limits, c.Name)
		p, err := c.make()
		if err != nil {
			t.Fatal(err)
		}
		with := one(context.Background(), p, c.gap(), Variant{}, 1200, time.Hour, nil)
		without := one(context.Background(), p, c.gap(), Variant{Constant: tuning.All()[at], Value: 1e9}, 1200, time.Hour, nil)
		t.Logf("%s: %v after %.4g passes of arithmetic, %v after %.4g without", name, with.Status, with.Arithmetic, without.Status, without.Arithmetic)
		if with.Status == dro.Limit || without.Status != dro.Limit && without.Arithmetic < 2*with.Arithmetic {
			t.Errorf("%s: %v after %.4g passes of arithmetic, %v after %.4g without", name, with.Status, with.Arithmetic, without.Status, without.Arithmetic)
		}
	}
	if len(limits) > 0 {
		t.Errorf("cells or constants that are gone: %v", limits)
	}
}

// Where steps are short, by heavy tails or kinks, many Hessians say little and cost as much as
// any: a first one of few samples serves until the end, or L-BFGS takes the steps.
func TestShortStepsTakeFewHessians(t *testing.T) {
	most := map[string]float64{ // passes of arithmetic: about half as many again as are measured
		"tails 20000 × 400 squared, KL, ν = 1":   100,
		"x 6000 × 80 squared, KL, ν = 1":         130,
		"kinks 5000 × 20 huber 0.001, KL, ν = 1": 25,
	}
	for _, c := range Cells() {
		limit, ok := most[c.Name]
		if !ok {
			continue
		}
		delete(most, c.Name)
		p, err := c.make()
		if err != nil {
			t.Fatal(err)
		}
		took := one(context.Background(), p, c.gap(), Variant{}, 400, time.Hour, nil)
		if took.Err != nil {
			t.Fatal(took.Err)
		}
		t.Logf("%s: %.4g passes of arithmetic", c.Name, took.Arithmetic)
		if took.Status != dro.Certified || took.Arithmetic > limit {
			t.Errorf("%s: %v after %.4g passes of arithmetic", c.Name, took.Status, took.Arithmetic)
		}
	}
	if len(most) > 0 {
		t.Errorf("cells that are gone: %v", most)
	}
}

// The separable method on prefixes leaves a problem that rests on few samples to Newton's steps
// in the Hessian of the last prefix, 12 passes; L-BFGS in their place would make it 23.
func TestNewtonStartsInTheHessianOfThePrefix(t *testing.T) {
	p, err := table{n: 40_000, d: 80, noise: "student"}.problem(losses.Squared{}, dro.KL{Nu: 1})
	if err != nil {
		t.Fatal(err)
	}
	took := one(context.Background(), p, 1e-6, Variant{Method: dro.OnPrefixes(p, dro.SeparableBlock{})}, 400, time.Hour, nil)
	if took.Err != nil {
		t.Fatal(took.Err)
	}
	t.Logf("%.4g passes", took.Passes)
	if took.Status != dro.Certified || took.Passes > 17 {
		t.Errorf("%v after %.4g passes", took.Status, took.Passes)
	}
}
