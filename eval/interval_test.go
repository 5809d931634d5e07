package eval_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
	"github.com/drotrain/drotrain/internal/shard"
)

// The same seed gives the same bits for any number of goroutines.
func TestIntervals_Deterministic(t *testing.T) {
	in := evaltest.Two(3000, 7, 0.1, 1)
	var first *eval.Evaluation
	text := func(e *eval.Evaluation) string {
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, w := range []int{1, 2, 3, 8} {
		release := shard.LimitThreads(w)
		e, err := eval.Evaluate(context.Background(), in)
		release()
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = e
		} else if text(e) != text(first) {
			t.Fatalf("%d goroutines change the result", w)
		}
	}
	in.Seed++
	if e, _ := eval.Evaluate(context.Background(), in); reflect.DeepEqual(e.Models[0].WorstGroup,
		first.Models[0].WorstGroup) {
		t.Error("the seed changes nothing")
	}
}

// Coverage over repeated data: the pointwise interval of one group's risk, and
// the two headline intervals, which are conservative.
func TestIntervals_Cover(t *testing.T) {
	const runs, groups = 100, 5
	point, worst, change, spread := 0, 0, 0, 0
	for s := range runs {
		in := evaltest.Two(500, groups, 0.05, uint64(s)+100)
		e := evaltest.Evaluate(t, in)
		// E e²/2 in group k: (1 + k/4)²/2; the second model scales e by 0.95.
		iv := e.Groupings[0].Groups[1].Models[0].Intervals["risk"]
		if truth := eval.Num(1.25 * 1.25 / 2); iv.Low <= truth && truth <= iv.High {
			point++
		}
		truth := eval.Num(2.0 * 2.0 / 2)
		if iv := e.Models[0].WorstGroup.MaxInterval; iv.Low <= truth && truth <= iv.High {
			worst++
		}
		// Largest minus smallest group: 2 − 1/2.
		if iv := e.Groupings[0].Summary[0].Spread["risk"].Intervals["difference"]; iv.Low <= 1.5 && 1.5 <= iv.High {
			spread++
		}
		d := truth * (0.95*0.95 - 1)
		if iv := e.Compared[0].WorstGroup.Interval; iv.Low <= d && d <= iv.High {
			change++
		}
	}
	t.Logf("pointwise %d, worst group %d, change %d, difference %d of %d", point, worst, change, spread, runs)
	if point < runs*88/100 || worst < runs*90/100 || change < runs*90/100 || spread < runs*90/100 {
		t.Errorf("coverage too low: pointwise %d, worst group %d, change %d, difference %d of %d", point, worst, change,
			spread, runs)
	}
}

// With no difference between the models in truth, the verdict must not claim
// one more often than the level allows.
func TestVerdict_FalseAlarms(t *testing.T) {
	const runs = 80
	claims := 0
	for s := range runs {
		r := rand.New(rand.NewPCG(uint64(s), 77))
		in := evaltest.Two(400, 8, 0, uint64(s)+900)
		for i := range in.Target { // independent errors of the same law
			e := r.NormFloat64() * (1 + float64((i%8)%5)/4)
			in.Models[1].Score[i], in.Models[1].Loss[i] = in.Target[i]+e, e*e/2
		}
		e := evaltest.Evaluate(t, in)
		if o := e.Verdict.Outcome; o == eval.Helped || o == eval.Hurt {
			claims++
		}
	}
	if claims > runs*8/100 {
		t.Errorf("%d claims in %d runs without a difference", claims, runs)
	}
}

func BenchmarkBootstrap(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			in := evaltest.Two(n, 20, 0.1, 1)
			in.Resamples = 1000
			for b.Loop() {
				if _, err := eval.Evaluate(context.Background(), in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// No interval of a mean of losses that are never below 0 goes below it.
func TestIntervals_LossesStayAboveZero(t *testing.T) {
	in := evaltest.Two(60, 3, 0, 5)
	for k := range in.Models {
		for i := range in.Models[k].Loss {
			in.Models[k].Loss[i] = 0
		}
		in.Models[k].Loss[k], in.Models[k].Loss[k+3] = 100, 1
	}
	in.MinGroupSize = 5
	e := evaltest.Evaluate(t, in)
	some := 0
	for _, g := range e.Headline().Groups {
		for k, m := range g.Models {
			if iv := m.Simultaneous; iv != nil && iv.High > 0 {
				if some++; iv.Low < 0 {
					t.Errorf("%s, model %d: [%v, %v]", g.Label, k, iv.Low, iv.High)
				}
			}
		}
	}
	if some == 0 {
		t.Error("no interval")
	}
}

// Models that differ by rounding alone do not change: their intervals are 0 to 0, in whatever
// unit the target is.
func TestIntervals_ChangesOfRounding(t *testing.T) {
	for _, unit := range []float64{1e-9, 1, 1e9} {
		for _, weighted := range []bool{false, true} {
			in := crossed(eval.Regression, 120, weighted, 5)
			for i := range in.Target {
				in.Target[i] *= unit
				s := in.Models[0].Score[i] * unit
				for k, score := range []float64{s, math.Nextafter(s, math.Inf(1))} {
					d := score - in.Target[i]
					in.Models[k].Score[i], in.Models[k].Loss[i] = score, d*d/2
				}
			}
			e := evaltest.Evaluate(t, in)
			c := e.Compared[0]
			for _, d := range []eval.Difference{c.CVaR, c.Spread["average"], c.Spread["weighted_average"]} {
				c.Measures[fmt.Sprint(len(c.Measures))] = d
			}
			for _, g := range c.Groups[:2] {
				c.Measures[g.Label] = eval.Difference{Value: g.Value, Interval: g.Interval}
			}
			for key, d := range c.Measures {
				if !d.Value.Defined() { // there are targets below 0
					continue
				}
				if d.Interval == nil || d.Interval.Low != 0 || d.Interval.High != 0 {
					t.Errorf("unit %v, weights %v: %s changes by %v, %+v", unit, weighted, key, d.Value, d.Interval)
				}
			}
		}
	}
}

// TestIntervals_OfALossThatIsConstantUpToRounding checks that a model whose losses differ by rounding alone does not
// widen the simultaneous intervals.
func TestIntervals_OfALossThatIsConstantUpToRounding(t *testing.T) {
	of := func(rounding float64) *eval.Evaluation {
		in := evaltest.Two(900, 3, 0, 7)
		for i := range in.Models[1].Loss {
			in.Models[1].Loss[i] = math.Ln2 * (1 + float64(i%4)*rounding)
		}
		return evaltest.Evaluate(t, in)
	}
	rounded, exact := of(0x1p-52), of(0)
	for i, h := range rounded.Headline().Groups {
		for k, m := range h.Models {
			got, want := m.Simultaneous, exact.Headline().Groups[i].Models[k].Simultaneous
			if !(math.Abs(float64(got.Low-want.Low)) < 1e-9 && math.Abs(float64(got.High-want.High)) < 1e-9) {
				t.Errorf("%s, model %d: %v to %v, and without rounding %v to %v", h.Label, k, got.Low, got.High, want.Low, want.High)
			}
		}
	}
}

// TestWorstGroup_OfEqualRisks checks that a model whose risks differ between groups by less than the gap of a solution
// has the worst group of the baseline, and that a larger difference decides.
func TestWorstGroup_OfEqualRisks(t *testing.T) {
	for difference, want := range map[float64]string{1e-9: "g00002", 1e-4: "g00000"} {
		in := evaltest.Two(900, 3, 0, 7)
		for i := range in.Models[1].Loss {
			in.Models[1].Loss[i] = math.Ln2
			if in.Groups[0].Index[i] == 0 {
				in.Models[1].Loss[i] *= 1 + difference
			}
		}
		e := evaltest.Evaluate(t, in)
		if e.Models[0].WorstGroup.Label != "g00002" || e.Models[1].WorstGroup.Label != want {
			t.Errorf("difference %v: the worst groups are %s and %s, not g00002 and %s", difference,
				e.Models[0].WorstGroup.Label, e.Models[1].WorstGroup.Label, want)
		}
	}
}
