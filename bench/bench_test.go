package main

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestGenerationIsDeterministic(t *testing.T) {
	a, b := generate(50, 4, 100, 3), generate(50, 4, 100, 3)
	if !slices.Equal(a.x, b.x) || !slices.Equal(a.signs, b.signs) || !slices.Equal(a.real, b.real) {
		t.Error("equal seeds, different tables")
	}
	if slices.Equal(a.x, generate(50, 4, 100, 4).x) {
		t.Error("different seeds, equal tables")
	}
	if a.x[0] != 0.6336878034030962 { // frozen: results are compared across versions
		t.Errorf("first entry %v", a.x[0])
	}
}

// One sample, d = 1, z = 2, squared loss, t = 2, μ = 1: P(x) = ½(2x−2)² + ½x²,
// ∇P = 5x − 4, least at x = 0.8 with P = 0.08 + 0.32 = 0.4. At x = 1, P = 0.5 and
// the bound is 0.5 − 1/2 = 0. With one sample every adversary is the same.
func TestCheckerOnOneSample(t *testing.T) {
	table := &table{n: 1, d: 1, x: []float64{2}, real: []float64{2}}
	for _, penalty := range []string{"kl", "chi2"} {
		c := &cell{Loss: "squared", Penalty: penalty, N: 1, D: 1, Nu: 0.7, Mu: 1}
		if b := check(c, table, []float64{1}); math.Abs(b.Upper-0.5) > 1e-15 || math.Abs(b.Lower) > 1e-15 {
			t.Errorf("%s: %+v at 1", penalty, b)
		}
		if b := check(c, table, []float64{0.8}); math.Abs(b.Upper-0.4) > 1e-15 || b.Gap() > 1e-15 {
			t.Errorf("%s: %+v at the optimum", penalty, b)
		}
	}
}

// On losses 0 and 1 with ν = 1: KL has R = log((1+e)/2); χ² has both active,
// τ = ½, n·y = (½, 3/2), R = ¾ − ½·¼ = 0.625. With ν = ¼ the first is inactive:
// n·y = (0, 2), R = 1 − ⅛ = 0.875.
func TestCheckerResponses(t *testing.T) {
	f := []float64{0, 1}
	risk := func(y []float64, penalty float64) float64 { return y[0]*f[0] + y[1]*f[1] - penalty }
	for _, k := range []struct{ got, want float64 }{
		{risk(respondKL(f, 1)), math.Log((1 + math.E) / 2)},
		{risk(respondChi2(f, 1)), 0.625},
		{risk(respondChi2(f, 0.25)), 0.875},
	} {
		if math.Abs(k.got-k.want) > 1e-15 {
			t.Errorf("risk %v, want %v", k.got, k.want)
		}
	}
}

// A wrong x shows in the checker's gap, whatever the solver said; the bounds of
// a right and a wrong one hold the same optimum. No peer is needed.
func TestQuickCellsAndWrongPoint(t *testing.T) {
	o := &options{repeats: 1, seconds: 10, threads: 2, seed: 1, quick: true, dir: t.TempDir(),
		cells: regexp.MustCompile("n2000-"), missing: map[string]bool{"scipy": true, "cvxpy": true}}
	results, err := measureAll(o)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 6 {
		t.Fatalf("%d results", len(results))
	}
	for _, r := range results {
		own := r.of("ours")
		if own.Gap > relativeGap || !r.Sound {
			t.Errorf("%s: gap %v, sound %v", r.Cell, own.Gap, r.Sound)
		}
		data := generate(r.Problem.N, r.Problem.D, r.Problem.Source.Kappa, o.seed)
		wrong := slices.Clone(own.x)
		wrong[0] += 0.1
		b := check(&r.Problem, data, wrong)
		if b.Gap() < 100*relativeGap || b.Lower > own.upper || own.lower > b.Upper {
			t.Errorf("%s: a wrong point passes: %+v", r.Cell, b)
		}
	}
	if md := (&report{Results: results}).markdown(); strings.Count(md, "huber-") != 2 {
		t.Error(md)
	}
}
