package eval

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/data/facts"
	"github.com/drotrain/drotrain/eval/internal/interval"
)

// Intervals without resampling are those of their formulas: DeLong's on the logit scale,
// and Wilson's of two proportions together, which takes neither class for the other.
func TestIntervals_Formulas(t *testing.T) {
	target, score := []float64{1, 1, 1, -1, -1, -1, -1}, []float64{0.9, 0.4, 0.6, 0.5, 0.2, 0.3, 0.1}
	threshold := 0.45
	rows := func() *measuredRows {
		in := Input{Task: Binary, Target: target, Threshold: &threshold, Models: []Model{{Score: score}}}
		return in.newMeasuredRows()
	}
	in := rows()
	strata := func() *interval.Stratum {
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
		low, high := wilson90(want[0], want[1])
		if got := iv[key]; float64(got.Low) != low || float64(got.High) != high {
			t.Errorf("%s: %+v, want that of %v", key, got, want)
		}
	}
	of := func(hits, n int) (t interval.Trials) {
		for i := range n {
			t.Add(1, i < hits)
		}
		return t
	}
	rl, rh := wilson90(2, 3)
	ml, mh := wilson90(1, 4)
	at, down, up := (2.0/3+3.0/4)/2, math.Hypot(2.0/3-rl, mh-0.25), math.Hypot(rh-2.0/3, 0.25-ml)
	if got := iv["balanced_accuracy"]; !(math.Abs(2*(at-float64(got.Low))-down) <= 1e-12) ||
		!(math.Abs(2*(float64(got.High)-at)-up) <= 1e-12) {
		t.Errorf("balanced accuracy: %+v, want %v − %v/2, + %v/2", got, at, down, up)
	}
	balanced := func(at float64, positives, negatives interval.Trials) *Interval {
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
		target = y
		in = rows()
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
		input := Input{Task: Binary, Target: target, Models: []Model{{Score: score}}}
		in := input.newMeasuredRows()
		s, err := newStrata(t.Context(), in, nil)
		if err != nil {
			t.Fatal(err)
		}
		iv := map[string]Interval{}
		addExactIntervals(in, 0, s.All, Values{Of: map[string]Num{"auc": Num(auc)}}, 0.9, iv)
		low, high := wilson90(int(2*auc), 2)
		if got, ok := iv["auc"]; !ok || float64(got.Low) != low || float64(got.High) != high {
			t.Errorf("an AUC of %v: %+v, not [%v, %v]", auc, got, low, high)
		}
		for i := range score {
			score[i] = 1 - score[i]
		}
	}
}

// wilson90 returns the ends of Wilson's interval at 90 %.
func wilson90(hits, n int) (low, high float64) {
	iv := interval.Wilson(float64(hits), float64(n), interval.NormalQuantile(0.9))
	return iv.Low, iv.High
}

// The risk of losses that are not below 0, with or without a loss of 0, is at least 0.
func TestMeasuredRows_LossAtLeast0(t *testing.T) {
	for least, want := range map[float64]bool{0: true, 1e-300: true, -1e-300: false, 2: true} {
		in := Input{Task: Regression, Models: make([]Model, 1)}
		for i := range 10 {
			in.Target = append(in.Target, float64(i))
			in.Models[0].Score = append(in.Models[0].Score, float64(i%3))
			in.Models[0].Loss = append(in.Models[0].Loss, least+float64(i))
		}
		if got := in.newMeasuredRows().LossAtLeast0[0]; got != want {
			t.Errorf("losses from %v on: at least 0 is %v", least, got)
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
					q.positives.Add(1, r.Float64() < c.recall)
				} else {
					q.negatives.Add(1, r.Float64() < c.mistaken)
				}
			}
			at := matthews(q.positives.Hits, q.negatives.Hits, q.positives.All, q.negatives.All)
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

// The interval of a proportion of 0 or 1 is not a point, for several classes and for quantiles as for two classes, with
// and without weights; nor is a criterion on the difference between groups.
func TestIntervals_ExtremeProportions(t *testing.T) {
	const n = 40
	for _, weighted := range []bool{false, true} {
		var weight []float64
		if weighted {
			rng := rand.New(rand.NewPCG(4, 1))
			for range n {
				weight = append(weight, 0.5+rng.Float64())
			}
		}
		group := facts.Grouping{Name: "g", Labels: []string{"a", "b"}, Index: make([]int32, n)}
		evaluate := func(in Input) *Evaluation {
			in.Weight, in.Resamples, in.Groups = weight, 100, []facts.Grouping{group}
			e, err := Evaluate(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		classes := Input{Task: Multiclass, Classes: []string{"u", "v", "w"}, LossName: "logistic", LossUnit: "nats",
			Models: []Model{{Name: "m"}}}
		numbers := Input{Task: Regression, LossName: "quantile:0.9", Models: []Model{{Name: "m"}}}
		two := Input{Task: Binary, LossName: "logistic", LossUnit: "nats", Models: []Model{{Name: "m"}}}
		for i := range n {
			group.Index[i] = int32(i % 2)
			score := 0.5 + 0.3*math.Sin(float64(i))
			classes.Target = append(classes.Target, float64(i%3))
			m := &classes.Models[0]
			m.Score, m.Loss = append(m.Score, score), append(m.Loss, -math.Log(score))
			m.Class, m.Place = append(m.Class, int32(i+1)%3), append(m.Place, 2) // always wrong
			numbers.Target = append(numbers.Target, score)
			numbers.Models[0].Score = append(numbers.Models[0].Score, score+0.1) // always above
			numbers.Models[0].Loss = append(numbers.Models[0].Loss, 0.1+score)
			two.Target = append(two.Target, float64(i/2%2)*2-1)
			p := 0.2 + 0.1*math.Sin(float64(i)) // nobody is selected
			two.Models[0].Score = append(two.Models[0].Score, p)
			two.Models[0].Loss = append(two.Models[0].Loss, -math.Log(p))
		}
		accuracy := evaluate(classes).Models[0].Intervals["accuracy"]
		if accuracy.Low != 0 || !(accuracy.High > 0.05 && accuracy.High < 0.2) {
			t.Errorf("weighted: %v: accuracy 0: %+v", weighted, accuracy)
		}
		coverage := evaluate(numbers).Models[0].Intervals["coverage"]
		if coverage.High != 1 || !(coverage.Low > 0.8 && coverage.Low < 0.95) {
			t.Errorf("weighted: %v: coverage 1: %+v", weighted, coverage)
		}
		for _, gap := range evaluate(two).Gaps {
			if gap.Measure == SelectionRate && (gap.Interval == nil || !(gap.Interval.High > 0.1)) {
				t.Errorf("weighted: %v: difference of selection rates of 0: %+v", weighted, gap.Interval)
			}
		}
	}
}

// The interval of R² excludes 0 where the model is measurably better than a constant, also for skewed targets.
func TestIntervals_ExplainedAgreesWithTheConstant(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 3))
	agree, gains := 0, 0
	for range 60 {
		in := Input{Task: Regression, LossName: "squared", Resamples: 100, Models: []Model{{Name: "m"}}}
		mean := 0.0
		const n = 400
		for range n {
			x := 0.5 * rng.NormFloat64()
			y := math.Exp(x + rng.NormFloat64())
			mean += y / n
			in.Target, in.Models[0].Score = append(in.Target, y), append(in.Models[0].Score, math.Exp(x+0.5))
		}
		for i, y := range in.Target {
			e := in.Models[0].Score[i] - y
			in.Models[0].Loss = append(in.Models[0].Loss, e*e/2)
			in.Constant = append(in.Constant, (mean-y)*(mean-y)/2)
		}
		e, err := Evaluate(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		gain, explained := e.Models[0].OverConstant.Interval, e.Models[0].Intervals["r2"]
		if gain.High < 0 {
			gains++
		}
		if (gain.High < 0) == (explained.Low > 0) {
			agree++
		}
	}
	if gains < 20 || agree < 59 { // a rare sample has an interval by influences
		t.Errorf("%d of 60 agree, with %d gains", agree, gains)
	}
}

// A single model without groups of a loss other than the squared one is not reported by its RMSE alone.
func TestEvaluate_RecognisesSquaredErrors(t *testing.T) {
	for name, c := range map[string]struct {
		loss string
		of   func(e, y float64) float64
		want bool
	}{
		"squared": {"squared", func(e, _ float64) float64 { return e * e / 7 }, true},
		"Huber":   {"huber(δ=1)", func(e, _ float64) float64 { return min(e*e/2, math.Abs(e)-0.5) }, false},
		"log":     {"squared", func(e, y float64) float64 { return e * e / (1 + y*y) }, false},
	} {
		rng := rand.New(rand.NewPCG(8, 3))
		in := Input{Task: Regression, LossName: c.loss, LossUnit: "u", Models: []Model{{Name: "m"}}}
		for range 50 {
			y, e := rng.NormFloat64(), 3*rng.NormFloat64()
			in.Target = append(in.Target, y)
			in.Models[0].Score, in.Models[0].Loss = append(in.Models[0].Score, y+e), append(in.Models[0].Loss, c.of(e, y))
		}
		e, err := Evaluate(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		converted := (&Report{Evaluation: e}).InTargetUnits().Evaluation.Loss == RootMeanSquare
		if converted != c.want {
			t.Errorf("%s: converted to target units: %v", name, converted)
		}
	}
}
