package theory

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/primaldual"
)

// tiny is a lab of the smallest size that still shows the effects.
func tiny(steps, seeds int) *lab {
	return &lab{ctx: context.Background(), quick: true, seed: 3, seeds: seeds, steps: steps, progress: func(string) {}}
}

// The inequality of a proposition holds under its schedule, and is seen to be violated
// under one whose constants are wrong: by every method, without and with curvature.
func TestInequality_FailsWithWrongConstants(t *testing.T) {
	l := tiny(150, 4)
	for _, in := range []*instance{l.instanceOf(0, 0, false, 0), l.instanceOf(0, modulus, true, 0)} {
		for m := fullVector; m < theoryMethods; m++ {
			right, err := l.measureRatio(in, m, misstatement{}, l.seeds, l.steps)
			if err != nil || right.violated || !(right.most < 1) || !(right.most > 0) {
				t.Errorf("%v: %+v, %v", m, right.most, err)
			}
			wrong, err := l.measureRatio(in, m, misstatement{constants: 1 << 14}, l.seeds, l.steps)
			if err != nil || !wrong.violated {
				t.Errorf("%v with wrong constants: %v, %v", m, wrong.most, err)
			}
		}
	}
	false1, err := l.measureRatio(l.instanceOf(0, 0, false, 0), fullVector, misstatement{modulus: 1}, 1, l.steps)
	if err != nil || !false1.violated {
		t.Errorf("with a modulus that is not there: %v, %v", false1.most, err)
	}
}

// Iterates that are not the method's violate its inequality: x and y that never move, and
// steps without extrapolation.
func TestInequality_OtherIterates(t *testing.T) {
	l := tiny(4000, 1)
	in := l.instanceOf(0, 0, false, 0)
	still, plain := in.ledger(fullVector, in.n), in.ledger(fullVector, in.n)
	x, y := make([]float64, in.d), append([]float64(nil), plain.y0...)
	u := make([]float64, in.d)
	in.primal.(dro.Entropy).StartingPoint(x)
	value, slope, g := make([]float64, in.n), make([]float64, in.n), make([]float64, in.d)
	_, err := in.run(l.ctx, fullVector.method(in.n, false), misstatement{constants: 3}, 1, func(it dro.Iterate) bool {
		one := it
		one.X, one.Y = still.x0, still.y0
		still.follow(one)
		in.oracle.EvalTo(value, slope, x, 0, in.n)
		clear(g)
		in.oracle.AddGradTo(g, y, slope, 0, in.n)
		in.primal.(dro.Entropy).CoordsTo(u, x)
		in.primal.ProxTo(x, g, u, it.Weight, it.Mu0/2)
		next := make([]float64, in.n) // the step in y from the old losses
		in.dual.(primaldual.Box).BlockStepTo(make([]float64, in.n), next, value, y, 2*it.Weight/it.Nu0, 0, in.n)
		y = next
		one.X, one.Y = x, y
		plain.follow(one)
		return it.K >= l.steps
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, book := range map[string]*ledger{"still": still, "plain": plain} {
		if left, right, _ := book.sides(book.worst()); !(left > right) {
			t.Errorf("%s: %v against %v", name, left, right)
		}
	}
}

// ȳ is y on the block that moved, and elsewhere what that block would have been: the
// ledger's block updates are the method's.
func TestBlockUpdates_AgainstMethods(t *testing.T) {
	for _, in := range []*instance{newGame(powerScales(8, 1), 4, 0.1, 0.1, 3),
		newTraining(powerScales(8, 0), 4, 0.1, 1, false, 3)} {
		for _, m := range []theoryMethod{separableHistorical, separableReplacement} {
			book := in.ledger(m, 2)
			before := append([]float64(nil), book.y0...)
			seen := 0
			_, err := in.run(context.Background(), m.method(2, false), misstatement{}, 1, func(it dro.Iterate) bool {
				book.follow(it)
				for j, v := range it.Y {
					if v == before[j] {
						continue
					}
					if seen++; !(math.Abs(v-book.bar[j]) <= 1e-14) {
						t.Fatalf("%v, step %d: weight %d is %v, ȳ has %v", m, it.K, j, v, book.bar[j])
					}
				}
				copy(before, it.Y)
				return it.K >= 60
			})
			if err != nil || seen < 30 {
				t.Errorf("%v: %d weights, %v", m, seen, err)
			}
		}
	}
}

// No comparator has a larger difference of the sides, without the last distances, than
// worst's; and the gap of the averages is that of the sums.
func TestComparator_IsTheWorst(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	for _, in := range []*instance{newGame(powerScales(6, 1), 3, 0.1, 0.2, 1), newGame(powerScales(6, 0), 3, 0, 0, 1)} {
		book := in.ledger(stochasticHistorical, 2)
		m := stochasticHistorical.method(2, false)
		_, err := in.run(context.Background(), m, misstatement{}, 1, func(it dro.Iterate) bool {
			book.follow(it)
			return it.K >= 40
		})
		if err != nil {
			t.Fatal(err)
		}
		book.k = 40
		excess := func(c comparator) float64 { // without the last distances
			left, right, _ := book.sides(c)
			end, endDual := book.divergences(c.u, book.x, c.v, book.last)
			return left - (book.a*in.mu+book.mu0)*end/4 - (book.a*in.nu+book.nu0)*endDual/4 - right
		}
		worst := excess(book.worst())
		for range 300 {
			c := comparator{make([]float64, in.d), make([]float64, in.n)}
			sum := 0.0
			for i := range c.u {
				c.u[i] = rng.ExpFloat64()
				sum += c.u[i]
			}
			for i := range c.u {
				c.u[i] /= sum
			}
			for j := range c.v {
				c.v[j] = 2*rng.Float64() - 1
			}
			if v := excess(c); v > worst+1e-12*math.Abs(worst) {
				t.Fatalf("a comparator with %v, above %v", v, worst)
			}
		}
		if in.mu > 0 {
			continue
		}
		x, y := make([]float64, in.d), make([]float64, in.n)
		for j := range y {
			y[j] = book.y[j] / book.a
		}
		_, err = in.run(context.Background(), m, misstatement{}, 1, func(it dro.Iterate) bool {
			for i, v := range it.X {
				x[i] += it.Weight * v / book.a
			}
			return it.K >= 40
		})
		if err != nil {
			t.Fatal(err)
		}
		if upper, lower := in.gauge().bounds(x, y); !(math.Abs(upper-lower-book.gap()) <= 1e-10) {
			t.Errorf("gap %v of the averages, %v of the sums", upper-lower, book.gap())
		}
	}
}

// The constants of the right side are those of the propositions, by their definition.
func TestRightSide_HasTheConstantsOfThePropositions(t *testing.T) {
	in := newGame(powerScales(8, 0), 4, 0.3, 0, 1)
	book := in.ledger(stochasticHistorical, 2)
	var A []float64
	A = append(A, 0)
	m := stochasticHistorical.method(2, false)
	_, err := in.run(context.Background(), m, misstatement{}, 1, func(it dro.Iterate) bool {
		book.follow(it)
		A = append(A, it.Total)
		return it.K >= 30
	})
	if err != nil {
		t.Fatal(err)
	}
	cx, cy := book.mu0, book.nu0
	for l := range 30 {
		cx += 1. / 8 * (A[l]*0.3 + book.mu0) * math.Pow(0.75, float64(l)) // w = 1/(2N), N = 4
		cy += 1. / 4 * book.nu0 * math.Pow(0.75, float64(l))
	}
	if !(math.Abs(book.cx-cx/2) <= 1e-12*cx) || !(math.Abs(book.cy-cy/2) <= 1e-12*cy) {
		t.Errorf("C_X = %v, C_Y = %v, want %v, %v", book.cx, book.cy, cx/2, cy/2)
	}
}

// A report states its counts and rows.
func TestReport_StatesCountsAndRows(t *testing.T) {
	r := &Report{Seeds: 3, Experiments: []Experiment{{Name: "guarantees", Title: "Inequalities", Text: "text",
		Columns: []string{"share", "flagged"},
		Results: []Result{{Case: "μ = 0", Method: fullVector.String(), Values: []Number{0.5, Number(math.NaN())},
			Verdict: Empty, Why: "nothing was"}}}}}
	var text bytes.Buffer
	r.WriteText(&text)
	for _, want := range []string{"Of 1 claims 0 hold, 0 fail, 1 could not",
		"| μ = 0 | full (Alg. 2) | 0.5 | – | cannot fail: nothing was |"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}

func TestExponent_IsTheSlopeOfTheLogarithms(t *testing.T) {
	// y = 3x² on a logarithmic scale has exponent 2; points that are not finite do
	// not count.
	if e := exponent([]float64{1, 2, 4, 8}, []float64{3, 12, math.NaN(), 192}); !(math.Abs(e-2) <= 1e-12) {
		t.Errorf("exponent %v, want 2", e)
	}
	if e := slope([]float64{1}, []float64{1}); !math.IsNaN(e) {
		t.Errorf("slope %v through one point", e)
	}
}
