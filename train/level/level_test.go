package level_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/level"
)

func rows(n int) level.Rows {
	r := level.Rows{N: n, Labels: []string{"a", "empty", "b"}}
	for j := range n {
		r.Group = append(r.Group, int32(2*(j%5/4)))
	}
	return r
}

// solve returns the solution for a squared loss with heavy-tailed targets.
func solve(t *testing.T, l level.Level) (*dro.Result, []float64) {
	t.Helper()
	const n, d = 400, 3
	rng := rand.New(rand.NewPCG(1, 2))
	z, target := make([]float64, n*d), make([]float64, n)
	for i := range target {
		for k := range d {
			z[i*d+k] = rng.NormFloat64()
		}
		z[i*d+d-1] = 1
		target[i] = z[i*d] + rng.ExpFloat64()*rng.NormFloat64()
	}
	matrix, err := design.NewDense(n, d, z)
	if err != nil {
		t.Fatal(err)
	}
	o, err := losses.NewLinear(losses.Squared{}, matrix, target)
	if err != nil {
		t.Fatal(err)
	}
	dual, err := l.Dual(rows(n))
	if err != nil {
		t.Fatal(err)
	}
	p := &dro.Problem{Oracle: o, Dual: dual, Primal: dro.L2{Mu: 1e-2, Intercept: true}}
	m, _ := dro.Choose(p)
	s := dro.Options{Method: m, RelativeGap: 1e-7}
	res, err := dro.Solve(context.Background(), p, &s)
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != dro.Certified {
		t.Errorf("%v: %v", l, res.Status)
	}
	loss, slope := make([]float64, n), make([]float64, n)
	o.EvalTo(loss, slope, res.X, 0, n)
	return res, loss
}

// The optimum at every level satisfies the definition of the level.
func TestLevel_Meaning(t *testing.T) {
	share := func(y []float64) (kish, perplexity float64) {
		squares, entropy := 0.0, 0.0
		for _, v := range y {
			squares += v * v
			if v > 0 {
				entropy -= v * math.Log(v)
			}
		}
		n := float64(len(y))
		return 1 / squares / n, math.Exp(entropy) / n
	}
	res, _ := solve(t, level.Level{Ess: level.At(0.6), Penalty: "chi2"})
	if kish, _ := share(res.Weights); !(math.Abs(kish-0.6) <= 1e-7) {
		t.Errorf("χ², ess 0.6: Kish's share is %v", kish)
	}
	res, _ = solve(t, level.Level{Ess: level.At(0.6), Penalty: "kl"})
	if _, perplexity := share(res.Weights); !(math.Abs(perplexity-0.6) <= 1e-7) {
		t.Errorf("KL, ess 0.6: the perplexity's share is %v", perplexity)
	}
	// Every subgroup of 15 % of the rows has a mean loss of at most the risk, and the
	// worst one has it.
	res, loss := solve(t, level.Level{Protect: level.At(0.15), Penalty: "kl"})
	slices.Sort(loss)
	worst := 0.0
	for _, v := range loss[len(loss)-60:] {
		worst += v / 60
	}
	if !(math.Abs(worst/res.Risk-1) <= 1e-9) {
		t.Errorf("protect 0.15: the risk is %v, the worst 15 %% have %v", res.Risk, worst)
	}
	one, _ := solve(t, level.Level{Ess: level.At(1), Penalty: "kl"})
	plain, _ := solve(t, level.Level{Average: "plain", Penalty: "kl"})
	if one.Objective != plain.Objective {
		t.Errorf("ess 1 is not the average: %v, %v", one.Objective, plain.Objective)
	}
	// C/√n_g is added to the group's risk.
	adjusted, loss := solve(t, level.Level{Nu: level.At(0), Penalty: "kl", Adversary: "groups", Adjust: 3})
	most := math.Inf(-1)
	for _, g := range []int32{0, 2} {
		sum, count := 0.0, 0.0
		for j, id := range rows(400).Group {
			if id == g {
				sum += loss[j]
				count++
			}
		}
		most = max(most, sum/count+3/math.Sqrt(count))
	}
	if !(math.Abs(adjusted.Risk/most-1) <= 1e-9) {
		t.Errorf("group DRO adjusted: risk %v, by hand %v", adjusted.Risk, most)
	}
}

// The risk of group DRO is the largest group mean plus C/√n; a single group is an error.
func TestLevel_GroupDROIsTheLargestMean(t *testing.T) {
	r := level.Rows{N: 6, Group: []int32{0, 1, 2, 3, 0, 1}, Labels: []string{"a·x", "a·y", "b·x", "b·y"}}
	loss := []float64{1, 2, 3, 9, 1, 5} // means 1, 3.5, 3, 9
	for l, want := range map[level.Level]float64{
		{Penalty: "kl", Adversary: "groups"}:              9,
		{Penalty: "kl", Adversary: "groups", Adjust: 0.5}: 9.5,
		{Penalty: "chi2", Adversary: "groups"}:            9,
	} {
		l.Nu = level.At(0)
		if err := l.Validate(); err != nil {
			t.Fatal(err)
		}
		dual, err := l.Dual(r)
		if err != nil {
			t.Fatal(err)
		}
		if risk, _ := dual.BestResponseTo(make([]float64, 6), loss); !(math.Abs(risk-want) <= 1e-12) {
			t.Errorf("%+v: %v, not %v", l, risk, want)
		}
	}
	dual, err := level.Level{Penalty: "kl", Adversary: "groups", Nu: level.At(0)}.Dual(r.Select([]int{3}))
	if err == nil || !strings.Contains(err.Error(), "the number of such groups is 1") {
		t.Errorf("one group: %v, %v", dual, err)
	}
}

func TestLevels_InvalidAreRefused(t *testing.T) {
	nan := math.NaN()
	for want, l := range map[string]level.Level{
		"Config.Nu and Config.Ess each set the robustness: set only one of them": {Nu: level.At(1),
			Ess: level.At(0.5)},
		"Config.Protect and Config.Average each set the robustness": {Average: "plain",
			Protect: level.At(0.5)},
		"Ess is 0; it must be a proportion":           {Ess: level.At(0)},
		"Ess is 1.5":                                  {Ess: level.At(1.5)},
		"Ess is NaN":                                  {Ess: &nan},
		"Protect is 0":                                {Protect: level.At(0)},
		"Radius is -1":                                {Radius: level.At(-1)},
		"Nu is -1; it must be finite and ≥ 0":         {Nu: level.At(-1)},
		"Average is \"mean\"":                         {Average: "mean"},
		"Adversary is \"columns\"":                    {Adversary: "columns"},
		"Adjust is -1":                                {Adversary: "groups", Adjust: -1},
		"Config.Adjust needs Config.Adversary groups": {Adjust: 1},
		"Config.Adversary groups needs Config.Nu (0":  {Adversary: "groups"},
		"needs Config.Nu or Config.Radius, not Config.Ess": {Adversary: "groups",
			Ess: level.At(0.5)},
		"not Config.Spectral": {Adversary: "groups",
			Spectral: "extremile:2"},
		"Config.Spectral: \"mean\" is not a spectrum: write one of superquantile:α, extremile:r, esrm:ρ": {Spectral: "mean"},
		"Config.Spectral: r of extremile is 0.5; it must be at least 1": {
			Spectral: "extremile:0.5"},
		"Config.Wasserstein is 0; it must be finite and > 0": {Wasserstein: level.At(
			0)},
		"Config.Nu and Config.Wasserstein each set the robustness": {Nu: level.At(1),
			Wasserstein: level.At(1)},
		"Config.Radius and Config.Spectral each set the robustness": {Radius: level.At(1),
			Spectral: "esrm:1"},
	} {
		l.Penalty = "kl"
		if err := l.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, not %q", l, err, want)
		}
	}
	for want, l := range map[string]level.Level{
		"Config.Penalty tv needs Config.Radius (the proportion of the weight that moves between rows) instead of " +
			"Config.Nu": {Nu: level.At(1)},
		"instead of Config.Nu and Config.Ess": {Nu: level.At(1), Ess: level.At(0.5)},
		"instead of Config.Ess":               {Ess: level.At(0.5)},
		"Config.Penalty tv is only for adversaries over rows: leave out Config.Adversary groups": {Radius: level.At(0.1),
			Adversary: "groups"},
		"Config.Radius is 1.5; with Config.Penalty": {Radius: level.At(1.5)},
	} {
		l.Penalty = "tv"
		if err := l.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, not %q", l, err, want)
		}
	}
	if err := (level.Level{Penalty: "tv", Radius: level.At(1)}).Validate(); err != nil {
		t.Errorf("all of the weight may move: %v", err)
	}
	if err := (level.Level{Penalty: "js", Nu: level.At(-1)}).Validate(); err == nil ||
		!strings.Contains(err.Error(), "Penalty is \"js\"") || !strings.Contains(err.Error(), "Nu is -1") {
		t.Errorf("not everything that is wrong at once: %v", err)
	}
	one := level.Rows{N: 3, Group: []int32{0, 0, -1}, Labels: []string{"a", "b"}}
	for want, err := range map[string]error{
		"it must be at least 0.334":           errorOf(level.Level{Protect: level.At(0.1)}.Dual(level.Rows{N: 3})),
		"need groups: name the group columns": errorOf(level.Level{Average: "balanced"}.Dual(level.Rows{N: 3})),
		"the number of such groups is 1":      errorOf(level.Level{Adversary: "groups", Nu: level.At(1)}.Dual(one)),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

func errorOf(_ dro.Dual, err error) error { return err }

func ExampleLevel() {
	l := level.Level{Protect: level.At(0.05), Penalty: "kl"}
	if err := l.Validate(); err != nil {
		log.Fatal(err)
	}
	dual, err := l.Dual(level.Rows{N: 100})
	if err != nil {
		log.Fatal(err)
	}
	loss := make([]float64, 100)
	for j := range loss {
		loss[j] = float64(j + 1)
	}
	risk, _ := dual.BestResponseTo(make([]float64, 100), loss)
	fmt.Println(l)
	fmt.Printf("%.4g\n", risk) // the mean of 96 to 100
	// Output:
	// CVaR, which protects every subgroup of at least 5 % of the rows
	// 98
}

// The ends of every range are valid if they belong to it, and the adjacent numbers outside it are errors.
func TestLevels_EndsOfRanges(t *testing.T) {
	inf := math.Inf(1)
	up := func(v float64) float64 { return math.Nextafter(v, inf) }
	down := func(v float64) float64 { return math.Nextafter(v, -inf) }
	for name, c := range map[string]struct {
		of          func(v *float64) level.Level
		valid, none []float64
	}{
		"nu": {func(v *float64) level.Level { return level.Level{Nu: v} }, []float64{0, math.MaxFloat64},
			[]float64{down(0), inf, -inf}},
		"ess": {func(v *float64) level.Level { return level.Level{Ess: v} }, []float64{up(0), 1}, []float64{0, up(1)}},
		"protect": {func(v *float64) level.Level { return level.Level{Protect: v} }, []float64{up(0), 1},
			[]float64{0, up(1)}},
		"radius": {func(v *float64) level.Level { return level.Level{Radius: v} }, []float64{up(0), 1e300},
			[]float64{0, inf}},
		"adjust": {func(v *float64) level.Level { return level.Level{Adversary: "groups", Nu: level.At(0), Adjust: *v} },
			[]float64{0, 1e9}, []float64{down(0), inf}},
	} {
		for k, list := range [][]float64{c.valid, append(c.none, math.NaN())} {
			for _, v := range list {
				l := c.of(&v)
				l.Penalty = "kl"
				if err := l.Validate(); (err == nil) != (k == 0) {
					t.Errorf("%s of %v: %v", name, v, err)
				}
			}
		}
	}
	rows := level.Rows{N: 3}
	for v, ok := range map[float64]bool{1.0 / 3: true, down(1.0 / 3): true, 0.333: false, 1: true} {
		if _, err := (level.Level{Penalty: "kl", Protect: &v}).Dual(rows); (err == nil) != ok {
			t.Errorf("protect %v of three rows: %v", v, err)
		}
	}
}

// Balanced weights give every group the same total; within a group they are proportional to the weights of the rows.
func TestBalanced_ByHand(t *testing.T) {
	r := level.Rows{N: 5, Group: []int32{2, 0, 0, -1, 2}, Labels: []string{"a", "none", "c"},
		Weights: []float64{1, 2, 6, 5, 3}}
	w, err := level.Balanced(r)
	if err != nil || !slices.Equal(w, []float64{0.125, 0.125, 0.375, 0, 0.375}) {
		t.Errorf("%v, %v", w, err)
	}
	r.Weights[4] = 0 // a group whose rows but one have no weight
	if w, err = level.Balanced(r); err != nil || !slices.Equal(w, []float64{0.5, 0.125, 0.375, 0, 0}) {
		t.Errorf("%v, %v", w, err)
	}
	r.Weights[0] = 0
	if w, err = level.Balanced(r); err == nil {
		t.Errorf("one group has weight: %v", w)
	}
}

// Every level has a description, and no two levels have the same.
func TestLevels_InWords(t *testing.T) {
	at := level.At
	for want, l := range map[string]level.Level{
		"ERM":                {Average: "plain"},
		"group-balanced ERM": {Average: "balanced"},
		"group DRO":          {Adversary: "groups", Nu: at(0)},
		"group DRO over groups, adjusted by 0.5/√n": {Adversary: "groups", Nu: at(0), Adjust: 0.5},
		"χ² group DRO, ν = 3":                       {Adversary: "groups", Penalty: "chi2", Nu: at(3)},
		"group DRO, ν = 3":                          {Adversary: "groups", Nu: at(3)},
		"KL over rows, ν = 0.125":                   {Nu: at(0.125)},
		"KL over rows, ν = 0":                       {Nu: at(0)},
		"χ² over rows, ν = 2":                       {Penalty: "chi2", Nu: at(2)},
		"KL ball of perplexity 10 %":                {Ess: at(0.1)},
		"CVaR, which protects every subgroup of at least 5 % of the rows": {Protect: at(0.05)},
		"χ² ball over rows, ρ = 0.5":                                      {Penalty: "chi2", Radius: at(0.5)},
		"total variation ball over rows, ρ = 0.05":                        {Penalty: "tv", Radius: at(0.05)},
		"Wasserstein ball of radius 0.05":                                 {Wasserstein: at(0.05)},
		"spectral risk extremile:2":                                       {Spectral: "extremile:2"},
		"KL ball over groups, ρ = 0.5":                                    {Adversary: "groups", Radius: at(0.5)},
		"chosen on the data":                                              {},
	} {
		if got := l.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Rows whose weights or groups are not one each are refused.
// TestAdviseMilder_LowersTheRisk checks that the advised change, here by a tenth, lowers the minimum of the risk.
func TestAdviseMilder_LowersTheRisk(t *testing.T) {
	for _, c := range []struct {
		want      string
		at, after level.Level
	}{
		{"a larger --protect", level.Level{Protect: level.At(0.3)}, level.Level{Protect: level.At(0.33)}},
		{"a larger --nu", level.Level{Nu: level.At(0.3)}, level.Level{Nu: level.At(0.33)}},
		{"a smaller --radius", level.Level{Radius: level.At(0.3)}, level.Level{Radius: level.At(0.27)}},
		{"a larger --ess", level.Level{Ess: level.At(0.3)}, level.Level{Ess: level.At(0.33)}},
		{"a larger parameter of --spectral", level.Level{Spectral: "superquantile:0.3"},
			level.Level{Spectral: "superquantile:0.33"}},
		{"a smaller parameter of --spectral", level.Level{Spectral: "extremile:3"}, level.Level{Spectral: "extremile:2.7"}},
		{"a smaller parameter of --spectral", level.Level{Spectral: "esrm:3"}, level.Level{Spectral: "esrm:2.7"}},
	} {
		if got := c.at.AdviseMilder(); got != c.want {
			t.Errorf("%v: %q, not %q", c.at, got, c.want)
		}
		at, _ := solve(t, c.at)
		after, _ := solve(t, c.after)
		if !(after.Certificate.Upper < at.Certificate.Lower) {
			t.Errorf("%v: risk %v, and %v after the advised change", c.at, at.Risk, after.Risk)
		}
	}
	for _, l := range []level.Level{{}, {Average: "plain"}, {Own: &level.Own{Name: "mine"}}} {
		if got := l.AdviseMilder(); got != "" {
			t.Errorf("%v: %q", l, got)
		}
	}
}

func TestDual_RefusesRowsOfOtherLengths(t *testing.T) {
	groups := level.Level{Penalty: "kl", Adversary: "groups", Nu: level.At(1)}
	for name, r := range map[string]level.Rows{
		"fewer weights": {N: 3, Weights: []float64{1, 1}, Group: []int32{0, 1, 0}, Labels: []string{"a", "b"}},
		"more weights":  {N: 3, Weights: []float64{1, 1, 1, 1}, Group: []int32{0, 1, 0}, Labels: []string{"a", "b"}},
		"fewer groups":  {N: 3, Group: []int32{0, 1}, Labels: []string{"a", "b"}},
		"more groups":   {N: 3, Group: []int32{0, 1, 0, 1}, Labels: []string{"a", "b"}},
		"no rows":       {N: -1},
	} {
		for _, l := range []level.Level{groups, {Penalty: "kl", Nu: level.At(1)}} {
			if _, err := l.Dual(r); err == nil || !strings.Contains(err.Error(), "slices Weights and Group") {
				t.Errorf("%s, %v: %v", name, l, err)
			}
		}
	}
	if _, err := groups.Dual(level.Rows{N: 3, Group: []int32{0, 1, 0}, Labels: []string{"a", "b"}}); err != nil {
		t.Error(err)
	}
}

// The smallest value of Protect that the error names is accepted, for any number of rows.
func TestLevel_SmallestProtectIsAccepted(t *testing.T) {
	for n := 1; n < 3000; n += 7 {
		rows := level.Rows{N: n}
		_, err := level.Level{Protect: level.At(0.5 / float64(n))}.Dual(rows)
		if err == nil {
			t.Fatalf("%d rows: half a row is accepted", n)
		}
		_, text, _ := strings.Cut(err.Error(), "at least ")
		least, bad := strconv.ParseFloat(text, 64)
		if _, err := (level.Level{Protect: &least}).Dual(rows); bad != nil || err != nil || least > 1.01/float64(n) {
			t.Errorf("%d rows: %q is not the smallest value: %v", n, text, err)
		}
	}
}
