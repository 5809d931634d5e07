package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestWilson_KnownValues(t *testing.T) {
	// Newcombe 1998: 81 of 263 at 95 %.
	lo, hi := wilsonInterval(81, 263, 0.95)
	if !(math.Abs(lo-0.2553) <= 5e-5) || !(math.Abs(hi-0.3662) <= 5e-5) {
		t.Error(lo, hi)
	}
	// Of one hit the lower end is that of a Poisson count, −log(0.95)/n (Brown, Cai and DasGupta 2001).
	if lo, hi := wilsonInterval(1, 100, 0.95); !(math.Abs(lo+math.Log(0.95)/100) <= 1e-9) ||
		!(math.Abs(hi-0.0545) <= 5e-5) {
		t.Error(lo, hi)
	}
	if lo, hi := wilsonInterval(99, 100, 0.95); !(math.Abs(hi-1-math.Log(0.95)/100) <= 1e-9) ||
		!(math.Abs(lo-0.9455) <= 5e-5) {
		t.Error(lo, hi)
	}
	if lo, hi := wilsonInterval(0, 0, 0.95); lo != 0 || hi != 1 {
		t.Error(lo, hi)
	}
	if lo, _ := wilsonInterval(0, 5, 0.95); lo != 0 {
		t.Error(lo)
	}
	if _, hi := wilsonInterval(5, 5, 0.95); hi != 1 {
		t.Error(hi)
	}
}

// DeLong's variance against all pairs, written out.
func TestDeLong_EqualsAllPairs(t *testing.T) {
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
		m, q := meanOf(x), 0.0
		for _, v := range x {
			q += (v - m) * (v - m)
		}
		return q / float64(len(x)-1) / float64(len(x))
	}
	order := argsort(nil, n, func(i int) float64 { return score[i] })
	ties := newTiedScores(nil, target, score, nil, order)
	in := &measuredRows{Task: Binary, Target: target, Models: []Model{{Score: score}}}
	strata, err := newStrata(t.Context(), in, nil)
	if err != nil {
		t.Fatal(err)
	}
	l := aucError(in, strata.All, quantity{nil, 0, -1}, 0.95)
	if want := variance(v10) + variance(v01); !(math.Abs(l.variance-want) <= closedForm) {
		t.Errorf("%v, want %v", l.variance, want)
	}
	if got, want := ties.AUC(), meanOf(v10); !(math.Abs(got-want) <= closedForm) {
		t.Errorf("AUC %v, want %v", got, want)
	}
}

func Example_wilsonInterval() {
	lo, hi := wilsonInterval(45, 50, 0.95)
	fmt.Printf("%.3f to %.3f\n", lo, hi)
	// Output: 0.786 to 0.957
}

// The interval between order statistics covers the median as often as it says, by the
// binomial error distribution, for every number of rows that has one; too few rows have none.
func TestMedian_IntervalHasTheExactCoverage(t *testing.T) {
	for n := 1; n <= 60; n++ {
		target, score, order := make([]float64, n), make([]float64, n), make([]int32, n)
		for i := range n {
			score[i], order[i] = float64(i+1), int32(i) // the k-th smallest error is k
		}
		for _, confidence := range []float64{0.8, 0.95} {
			in := &measuredRows{Task: Regression, Target: target, Models: []Model{{Score: score}}}
			low, high, ok := medianEnds(in, &stratum{Rows: order, Size: [][]int32{order}}, 0, confidence)
			if fewest := map[float64]int{0.8: 4, 0.95: 6}[confidence]; ok != (n >= fewest) {
				t.Errorf("%d rows at %v: %v to %v", n, confidence, low, high)
			}
			if !ok {
				continue
			}
			lo, hi := int(low), int(high)
			covered := 0.0 // P(lo ≤ number of errors below the median < hi)
			for k := lo; k < hi; k++ {
				lg := func(v int) float64 { l, _ := math.Lgamma(float64(v + 1)); return l }
				covered += math.Exp(lg(n) - lg(k) - lg(n-k) - float64(n)*math.Ln2)
			}
			if lo+hi != n+1 || covered < confidence-0.002 {
				t.Errorf("%d rows at %v: ranks %d and %d cover %.3g", n, confidence, lo, hi, covered)
			}
		}
	}
}

// closedForm is the tolerance of numbers with a closed form.
const closedForm = 1e-12

// Intervals without resampling are those of their formulas: DeLong's on the logit scale,
// and Wilson's of two proportions together, which takes neither class for the other.
func TestIntervals_Formulas(t *testing.T) {
	target, score := []float64{1, 1, 1, -1, -1, -1, -1}, []float64{0.9, 0.4, 0.6, 0.5, 0.2, 0.3, 0.1}
	in := &measuredRows{Task: Binary, Target: target, Threshold: 0.45, Models: []Model{{Score: score}}}
	strata := func() *stratum {
		s, err := newStrata(t.Context(), in, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s.All
	}
	v := Values{Of: map[string]Num{"auc": 11.0 / 12, "balanced_accuracy": Num((2.0/3 + 3.0/4) / 2), "tpr": 1, "fpr": 1,
		"accuracy": 1}}
	iv := map[string]Interval{}
	addExactIntervals(in, 0, strata(), v, 0.9, iv)
	for key, want := range map[string][2]int{"accuracy": {5, 7}, "tpr": {2, 3}, "fpr": {1, 4}} {
		low, high := wilsonInterval(want[0], want[1], 0.9)
		if got := iv[key]; float64(got.Low) != low || float64(got.High) != high {
			t.Errorf("%s: %+v, want that of %v", key, got, want)
		}
	}
	of := func(hits, n float64) trialCounts { return trialCounts{all: n, allSq: n, hits: hits, hitSq: hits} }
	rl, rh := wilsonInterval(2, 3, 0.9)
	ml, mh := wilsonInterval(1, 4, 0.9)
	at, down, up := (2.0/3+3.0/4)/2, math.Hypot(2.0/3-rl, mh-0.25), math.Hypot(rh-2.0/3, 0.25-ml)
	if got := iv["balanced_accuracy"]; !(math.Abs(2*(at-float64(got.Low))-down) <= 1e-12) ||
		!(math.Abs(2*(float64(got.High)-at)-up) <= 1e-12) {
		t.Errorf("balanced accuracy: %+v, want %v − %v/2, + %v/2", got, at, down, up)
	}
	balanced := func(at float64, positives, negatives trialCounts) *Interval {
		return balancedInterval(&countedRows{positives: positives, negatives: negatives}, at, 0.9)
	}
	a, b := balanced(at, of(2, 3), of(1, 4)), balanced(at, of(3, 4), of(1, 3)) // the other class
	if !(math.Abs(float64(a.Low-b.Low)) <= 1e-12) || !(math.Abs(float64(a.High-b.High)) <= 1e-12) {
		t.Errorf("%+v, by the other class %+v", a, b)
	}
	if all := balanced(1, of(3, 3), of(0, 4)); all.High != 1 || !(all.Low < 1) {
		t.Errorf("%+v where all is right", all)
	}
	// One row of a class, or classes that are apart, have no such interval of the AUC.
	for _, y := range [][]float64{{1, -1, -1, -1, -1, -1, -1}, {1, 1, 1, 1, 1, 1, -1}} {
		iv := map[string]Interval{}
		in.Target = y
		addExactIntervals(in, 0, strata(), v, 0.9, iv)
		if got, ok := iv["auc"]; ok {
			t.Errorf("%+v of one row of a class", got)
		}
	}
}

// The AUC of classes that are apart is 1, or 0 with the scores turned round: its interval is
// that of as many trials as the scarcer class has rows, and turns round with it.
func TestIntervals_SeparatedClasses(t *testing.T) {
	target, score := []float64{1, 1, 1, -1, -1}, []float64{0.9, 0.8, 0.7, 0.2, 0.1}
	for _, auc := range []float64{1, 0} {
		in := &measuredRows{Task: Binary, Target: target, Threshold: 0.5, Models: []Model{{Score: score}}}
		s, err := newStrata(t.Context(), in, nil)
		if err != nil {
			t.Fatal(err)
		}
		iv := map[string]Interval{}
		addExactIntervals(in, 0, s.All, Values{Of: map[string]Num{"auc": Num(auc)}}, 0.9, iv)
		low, high := wilsonInterval(int(2*auc), 2, 0.9)
		if got, ok := iv["auc"]; !ok || float64(got.Low) != low || float64(got.High) != high {
			t.Errorf("an AUC of %v: %+v, not [%v, %v]", auc, got, low, high)
		}
		for i := range score {
			score[i] = 1 - score[i]
		}
	}
}

// Losses that are none below 0, 0 among them, have risks that are none below 0.
func TestIntervals_OfLossesStayAboveZero(t *testing.T) {
	for least, want := range map[float64]bool{0: true, 1e-300: true, -1e-300: false, 2: true} {
		rows := &measuredRows{Task: Regression, Models: make([]Model, 1)}
		for i := range 10 {
			rows.Target = append(rows.Target, float64(i))
			rows.Models[0].Score = append(rows.Models[0].Score, float64(i%3))
			rows.Models[0].Loss = append(rows.Models[0].Loss, least+float64(i))
		}
		s, err := newStrata(t.Context(), rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := newIntervalMaker(t.Context(), rows, intervalPlan{}, division{strata: []stratum{*s.All}}, []float64{1}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if r.LossAtLeast0[0] != want {
			t.Errorf("losses from %v on: at least 0 is %v", least, r.LossAtLeast0[0])
		}
	}
}

// The intervals of a Matthews correlation cover the true one about as often as they say, also where no row is predicted
// wrongly.
func TestMatthewsInterval_Covers(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, c := range []struct{ recall, mistaken, positives float64 }{{0.7, 0.2, 0.3}, {0.97, 0.02, 0.3},
		{0.5, 0.5, 0.5}} {
		truth := matthews(c.recall*c.positives, c.mistaken*(1-c.positives), c.positives, 1-c.positives)
		covered, known := 0, 0
		const trials, rows = 1000, 100
		for range trials {
			var q countedRows
			for range rows {
				if r.Float64() < c.positives {
					q.positives.add(1, r.Float64() < c.recall)
				} else {
					q.negatives.add(1, r.Float64() < c.mistaken)
				}
			}
			at := matthews(q.positives.hits, q.negatives.hits, q.positives.all, q.negatives.all)
			iv := matthewsInterval(&q, at, 0.95)
			if iv == nil {
				continue
			}
			if known++; float64(iv.Low) <= truth && truth <= float64(iv.High) {
				covered++
			}
		}
		if known < trials*9/10 || covered < known*93/100 {
			t.Errorf("%+v: covered %d of %d", c, covered, known)
		}
	}
}
