package eval

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/drotrain/drotrain/data"
)

func TestWilsonKnown(t *testing.T) {
	// Wilson for 8 of 10 at 95 %: 0.4902, 0.9433 (Newcombe 1998 gives the formula).
	lo, hi := Wilson(8, 10, 0.95)
	if math.Abs(lo-0.4901625) > 1e-6 || math.Abs(hi-0.9433178) > 1e-6 {
		t.Error(lo, hi)
	}
	if lo, hi := Wilson(0, 0, 0.95); lo != 0 || hi != 1 {
		t.Error(lo, hi)
	}
	if lo, _ := Wilson(0, 5, 0.95); lo != 0 {
		t.Error(lo)
	}
	if _, hi := Wilson(5, 5, 0.95); hi != 1 {
		t.Error(hi)
	}
}

// DeLong's variance against all pairs, written out.
func TestDeLongAgainstPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	n := 40
	target, score := make([]float64, n), make([]float64, n)
	for i := range n {
		target[i] = []float64{-1, 1, -1}[i%3]
		score[i] = math.Round(4*r.Float64()+target[i]) / 8
	}
	psi := func(p, q float64) float64 {
		switch {
		case p > q:
			return 1
		case p == q:
			return 0.5
		}
		return 0
	}
	var v10, v01 []float64
	for i := range n {
		s, m := 0.0, 0.0
		for j := range n {
			if target[i] != target[j] {
				m++
				if target[i] > 0 {
					s += psi(score[i], score[j])
				} else {
					s += psi(score[j], score[i])
				}
			}
		}
		if target[i] > 0 {
			v10 = append(v10, s/m)
		} else {
			v01 = append(v01, s/m)
		}
	}
	variance := func(x []float64) float64 {
		m, q := mean(x), 0.0
		for _, v := range x {
			q += (v - m) * (v - m)
		}
		return q / float64(len(x)-1) / float64(len(x))
	}
	order := argsort(n, func(i int) float64 { return score[i] })
	comp := make([]float64, n)
	delongComponents(target, score, order, comp)
	got := delongVariance(comp, func(i int) bool { return target[order[i]] > 0 })
	if want := variance(v10) + variance(v01); math.Abs(got-want) > closedForm {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := auc(target, score, nil, order), mean(v10); math.Abs(got-want) > closedForm {
		t.Errorf("AUC %v, want %v", got, want)
	}
}

// two is a synthetic input: n rows in g groups, two models, the second better
// by shift on the losses of group 0.
func two(n, g int, shift float64, seed uint64) Input {
	r := rand.New(rand.NewPCG(seed, 9))
	in := Input{Task: Regression, LossName: "squared", Target: make([]float64, n), TargetName: "y", Resamples: 200, Seed: 5, MinGroupSize: 2, Split: "hold-out"}
	a, b := Model{Name: "ERM"}, Model{Name: "robust"}
	grp := data.Grouping{Name: "g"}
	for k := range g {
		grp.Labels = append(grp.Labels, fmt.Sprintf("g%05d", k))
	}
	for i := range n {
		in.Target[i] = 4 * r.NormFloat64() // so that the models beat a constant
		k := i % g
		grp.Index = append(grp.Index, int32(k))
		for m, model := range []*Model{&a, &b} {
			e := r.NormFloat64() * (1 + float64(k%5)/4)
			if m == 1 {
				e = (a.Score[i] - in.Target[i]) * (1 - shift)
			}
			model.Score = append(model.Score, in.Target[i]+e)
			model.Loss = append(model.Loss, e*e/2)
		}
	}
	in.Models, in.Groups = []Model{a, b}, []data.Grouping{grp}
	return in
}

// The same seed gives the same bits for any number of goroutines.
func TestBootstrapIsDeterministic(t *testing.T) {
	in := two(3000, 7, 0.1, 1)
	var first *Evaluation
	for _, w := range []int{1, 2, 3, 8} {
		in.Workers = w
		e, err := Evaluate(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = e
		} else if !reflect.DeepEqual(e, first) {
			t.Fatalf("%d goroutines change the result", w)
		}
	}
	in.Seed++
	if e, _ := Evaluate(context.Background(), in); reflect.DeepEqual(e.Models[0].Intervals, first.Models[0].Intervals) {
		t.Error("the seed changes nothing")
	}
}

// frozen numbers of the generator: a change would silently change reports.
func TestRNGStreamIsFrozen(t *testing.T) {
	r := newRNG(1, 2, 3)
	got := []uint32{r.below(1000), r.below(1000), r.below(1000), r.below(1 << 31)}
	if want := []uint32{726, 840, 689, 2122495490}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// below is uniform: every value of a small range within 5 standard errors.
func TestRNGBelowIsUniform(t *testing.T) {
	const k, n = 7, 70000
	var c [k]float64
	r := newRNG(9)
	for range n {
		c[r.below(k)]++
	}
	for v, x := range c {
		if math.Abs(x-n/k) > 5*math.Sqrt(n/k) {
			t.Errorf("%d drawn %v times of %d", v, x, n)
		}
	}
}

// Coverage over repeated data: the pointwise interval of one group's risk, and
// the two headline intervals, which are conservative.
func TestCoverage(t *testing.T) {
	const runs, groups = 100, 5
	point, worst, change, spread := 0, 0, 0, 0
	for s := range runs {
		in := two(500, groups, 0.05, uint64(s)+100)
		in.Workers = 1
		e, err := Evaluate(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		// E e²/2 in group k: (1 + k/4)²/2; the second model scales e by 0.95.
		iv := e.Groupings[0].Groups[1].Models[0].Intervals["risk"]
		if truth := Num(1.25 * 1.25 / 2); iv.Low <= truth && truth <= iv.High {
			point++
		}
		truth := Num(2.0 * 2.0 / 2)
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
	// Skewed losses cost the percentile interval some coverage at n = 100.
	if point < runs*85/100 || worst < runs*90/100 || change < runs*90/100 || spread < runs*90/100 {
		t.Errorf("coverage too low: pointwise %d, worst group %d, change %d, difference %d of %d", point, worst, change, spread, runs)
	}
}

// With no difference between the models in truth, the verdict must not claim
// one more often than the level allows.
func TestVerdictDoesNotCryWolf(t *testing.T) {
	const runs = 80
	claims := 0
	for s := range runs {
		r := rand.New(rand.NewPCG(uint64(s), 77))
		in := two(400, 8, 0, uint64(s)+900)
		in.Workers = 1
		for i := range in.Target { // independent errors of the same law
			e := r.NormFloat64() * (1 + float64((i%8)%5)/4)
			in.Models[1].Score[i], in.Models[1].Loss[i] = in.Target[i]+e, e*e/2
		}
		e, err := Evaluate(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		if o := e.Verdict.Outcome; o == Helped || o == Hurt {
			claims++
		}
	}
	if claims > runs*8/100 {
		t.Errorf("%d claims in %d runs without a difference", claims, runs)
	}
}

func TestVerdictFollowsTheInterval(t *testing.T) {
	for _, c := range []struct {
		shift float64
		want  Outcome
	}{{0.5, Helped}, {-0.2, Hurt}} {
		e, err := Evaluate(context.Background(), two(2000, 4, c.shift, 3))
		if err != nil {
			t.Fatal(err)
		}
		if e.Verdict.Outcome != c.want {
			t.Errorf("shift %v: %q, %s", c.shift, e.Verdict.Outcome, e.Verdict.Headline)
		}
	}
	in := two(2000, 4, 0.5, 3)
	in.Resamples = 0
	e, err := Evaluate(context.Background(), in)
	if err != nil || e.Verdict.Outcome != Untested {
		t.Error(e.Verdict, err)
	}
	in.Models = in.Models[:1]
	e, err = Evaluate(context.Background(), in)
	if err != nil || e.Verdict.Outcome != NoBaseline {
		t.Error(e.Verdict, err)
	}
}

func BenchmarkBootstrap(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			in := two(n, 20, 0.1, 1)
			in.Resamples = 1000
			for b.Loop() {
				if _, err := Evaluate(context.Background(), in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func ExampleWilson() {
	lo, hi := Wilson(45, 50, 0.95)
	fmt.Printf("%.3f to %.3f\n", lo, hi)
	// Output: 0.786 to 0.957
}
