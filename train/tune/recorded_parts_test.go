package tune

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/internal/goldentest"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/level"
)

// TestRecordedGrounds compares with testdata/grounds.txt what a choice rests on, and is not seen in
// most choices: what speaks for and against hidden subgroups, whether there are any or not,
// searches in a metric on tables that are not wide, and a race on few rows.
func TestRecordedGrounds(t *testing.T) {
	var out strings.Builder
	for turn, c := range []recordedTable{
		{"hidden", 200, 3, 0, losses.Squared{}, true, true}, {"two hidden", 370, 3, 0, losses.Squared{}, true, false},
		{"opposite", 370, 3, 0, losses.Huber{Delta: 1}, false, true}, {"product", 200, 3, 0, losses.Squared{}, true, false},
		{"hidden", 400, 2, 0, losses.Logistic{}, true, false}, {"product", 300, 3, 0, losses.Logistic{}, false, true},
	} {
		recordSubgroups(t, &out, c, uint64(turn))
	}
	for turn, c := range []recordedTable{
		{"slope", 300, 5, 3, losses.Squared{}, true, false},
		{"slope", 300, 4, 2, losses.Logistic{}, true, true},
		{"noise", 200, 4, 2, losses.Huber{Delta: 0.7}, false, false},
		{"hidden", 300, 4, 0, losses.Squared{}, true, false},
		{"heavy", 200, 4, 2, losses.Squared{}, true, false},
	} {
		for _, brief := range []bool{false, true} {
			recordSearches(t, &out, c, uint64(turn), brief)
		}
	}
	recordShortened(t, &out)
	for turn, c := range []recordedTable{{"slope", 150, 3, 3, losses.Squared{}, true, false}, {"hidden", 200, 3, 0, losses.Logistic{}, false, true}} {
		recordMargins(t, &out, c, uint64(turn))
	}
	goldentest.Record(t, "testdata/grounds.txt", recordedHead, out.String(), 0.05)
}

// recordSubgroups writes what speaks for one and for two hidden subgroups, and what a curve and noise
// along a direction say, asked or not.
func recordSubgroups(t *testing.T, out *strings.Builder, c recordedTable, seed uint64) {
	t.Helper()
	a := c.table(seed)
	fmt.Fprintf(out, "\n# subgroups: %s, %d × %d, %s, intercept %v, weights %v\n", c.kind, c.n, c.d, c.loss.Name(), c.free, c.weight)
	const folds = 3
	fold, err := a.Folds(folds, seed)
	if err != nil {
		t.Fatal(err)
	}
	seen, err := a.Look(t.Context(), folds, seed)
	fmt.Fprintf(out, "seen: %s %v\n", goldentest.Values(seen), err)
	if l := a.Laws(2); l != nil {
		fmt.Fprintf(out, "%v ~%s\n", l.Names(), bitsOf(l))
	}
	parts := a.parts(fold, folds)
	for _, k := range []int{2, 3} {
		s, l, err := a.hold(t.Context(), k, parts, fold)
		if err != nil || s == nil {
			fmt.Fprintf(out, "%d laws: none, %v\n", k, err)
			continue
		}
		fmt.Fprintf(out, "%d laws: %s ~%s\n", k, goldentest.Values(s), bitsOf([]any{l.held, l.membership}))
		by, apart := make([]float64, a.N), make([][][]float64, folds)
		for i, p := range parts {
			if ok, err := a.find(p, k, false); !ok || err != nil {
				t.Fatalf("%v, %v", ok, err)
			}
			own := p.rivals[k-2].Laws
			density := a.density(own, p)
			for i, j := range p.outside {
				by[j] = density[i]
			}
			apart[i] = a.apart(own)
		}
		plain, asked := a.overCurve(by, make([][][]float64, folds), fold, folds)
		products, also := a.overCurve(by, apart, fold, folds)
		fmt.Fprintf(out, "over a curve: %s %v, with products %s %v; explained %s\n", goldentest.Values(plain), asked, goldentest.Values(products), also, goldentest.Values(a.explained(by, fold, folds)))
		if k == 3 {
			fmt.Fprintf(out, "over noise along a direction: %s\n", goldentest.Values(a.overFan(by, apart, parts)))
		}
	}
}

// recordSearches writes a choice by searches in a metric, or the first round of one.
func recordSearches(t *testing.T, out *strings.Builder, c recordedTable, seed uint64, brief bool) {
	t.Helper()
	fmt.Fprintf(out, "\n# searches: %s, %d × %d, %d groups, %s, intercept %v, weights %v, brief %v\n", c.kind, c.n, c.d, c.groups, c.loss.Name(), c.free, c.weight, brief)
	a := c.table(seed)
	o := DefaultOptions()
	o.Levels, o.Folds, o.Seed, o.Ridge = 2, 3, seed, true
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s, of, err := searching(t.Context(), a, o)
	must(err)
	fmt.Fprintf(out, "the metric's inverse %s, %s passes\n", goldentest.Values(s.metric.inverse), goldentest.Values(s.metric.passes))
	if brief {
		all := len(s.Candidates)
		r := &race{table: a, fold: s.out.fold, count: s.Folds, of: of, laws: s.hidden, alive: slices.Repeat([]bool{true}, all), from: make([][]float64, s.Folds*all), metric: s.metric, partition: s.partition, tell: func() {}}
		m := s.among(s.table.sample(a.N*2/3, 1), r)
		losses, err := r.run(t.Context())
		must(err)
		s.measure(m, losses)
		s.leaveBehind(r.alive, s.budget)
		fmt.Fprintf(out, "in the race: %v ~%s\n", r.alive, bitsOf(r.from))
		s.Passes = r.passes
		r.alive[2], r.brief = false, false
		if losses, err = r.run(t.Context()); err != nil || losses[2] != nil {
			t.Fatalf("%v, %d", err, len(losses[2]))
		}
		s.measure(m, losses)
	} else {
		r, err := s.run(t.Context(), of)
		must(err)
		fmt.Fprintf(out, "~%s\n", bitsOf(r.from))
	}
	s.choose(o.Rule, s.budget)
	recordSelection(out, s.Selection)
}

// recordShortened writes the lengths of steps after which a risk is no number, or too large.
func recordShortened(t *testing.T, out *strings.Builder) {
	t.Helper()
	a := recordedTable{"slope", 40, 3, 0, losses.Squared{}, true, false}.table(1)
	m := a.metricAt(make([]float64, 3))
	for _, risk := range []float64{math.Inf(1), 1.001, 1.5, 100} {
		s := &search{level: plainAverage, primal: a.Primal, goal: searchGap, most: searchEvaluations, f: math.Inf(1), x: make([]float64, 3), tried: make([]float64, 3), gradient: make([]float64, 3), next: []float64{1, -2, 3}, step: make([]float64, 3)}
		fmt.Fprintf(out, "\n# a risk of 1, and then of %v: over %v", risk, s.move(1, m))
		for over := false; !over; {
			over = s.move(risk, m)
			fmt.Fprintf(out, ", %.6g", s.length)
		}
		out.WriteString("\n")
	}
}

// recordMargins writes what models without a fold say of its rows.
func recordMargins(t *testing.T, out *strings.Builder, c recordedTable, seed uint64) {
	t.Helper()
	a := c.table(seed)
	fmt.Fprintf(out, "\n# margins: %s, %d × %d, %d groups, %s\n", c.kind, c.n, c.d, c.groups, c.loss.Name())
	for _, l := range []level.Level{plainAverage, {Penalty: "kl", Nu: level.At(0.5)}, {Penalty: "kl", Adversary: "groups", Prior: "shares", Nu: level.At(0.1)}, {Penalty: "kl", Latent: level.At(0.4)}} {
		var told []int
		margin, err := a.Margins(t.Context(), l, 3, seed, nil, func(done, total int) { told = append(told, done, total) })
		if err != nil {
			fmt.Fprintf(out, "%v: %v\n", l, err)
			continue
		}
		fmt.Fprintf(out, "%v: %v %s ~%s\n", l, told, goldentest.Values(margin[:10]), bitsOf(margin))
	}
}

// bitsOf is the sum of all bits of a value.
func bitsOf(v any) string {
	_, bits, _ := strings.Cut(goldentest.Values(v), "~")
	return bits
}
