package resample

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/eval/internal/measure"
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
		m, q := measure.Mean(x), 0.0
		for _, v := range x {
			q += (v - m) * (v - m)
		}
		return q / float64(len(x)-1) / float64(len(x))
	}
	order := measure.Argsort(n, func(i int) float64 { return score[i] })
	comp := make([]float64, n)
	ties := measure.NewTies(target, score, nil, order)
	DelongComponents(ties, comp)
	got := DelongVariance(comp, func(i int) bool { return target[order[i]] > 0 })
	if want := variance(v10) + variance(v01); math.Abs(got-want) > closedForm {
		t.Errorf("%v, want %v", got, want)
	}
	if one := delongVariance(ties, measure.Mean(v10)); math.Abs(one-got) > closedForm {
		t.Errorf("in one pass %v, want %v", one, got)
	}
	if got, want := ties.AUC(), measure.Mean(v10); math.Abs(got-want) > closedForm {
		t.Errorf("AUC %v, want %v", got, want)
	}
}

func ExampleWilson() {
	lo, hi := Wilson(45, 50, 0.95)
	fmt.Printf("%.3f to %.3f\n", lo, hi)
	// Output: 0.786 to 0.957
}

// The interval between order statistics covers the median as often as it says, by the
// binomial law, for every number of rows that has one; too few rows have none.
func TestMedianInterval(t *testing.T) {
	for n := 1; n <= 60; n++ {
		target, score, order := make([]float64, n), make([]float64, n), make([]int32, n)
		for i := range n {
			score[i], order[i] = float64(i+1), int32(i) // the k-th smallest error is k
		}
		for _, confidence := range []float64{0.8, 0.95} {
			iv := map[string]measure.Interval{}
			addMedianInterval(target, score, order, confidence, iv)
			got, ok := iv["median_ae"]
			if fewest := map[float64]int{0.8: 4, 0.95: 6}[confidence]; ok != (n >= fewest) {
				t.Errorf("%d rows at %v: %v", n, confidence, got)
			}
			if !ok {
				continue
			}
			lo, hi := int(got.Low), int(got.High)
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
