package eval

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/eval/internal/interval"
	"github.com/drotrain/drotrain/internal/compensated"
)

// naive computes every measure from its definition, row against row.
func naive(task Task, target, score, loss, weight []float64, threshold float64, rows []int32) map[string]float64 {
	mean := func(of func(i int32) float64, when func(i int32) bool) float64 {
		var a, n float64
		for _, i := range rows {
			if when == nil || when(i) {
				a += weight[i] * of(i)
				n += weight[i]
			}
		}
		return a / n
	}
	pos := func(i int32) bool { return target[i] > 0 }
	neg := func(i int32) bool { return target[i] < 0 }
	yes := func(i int32) bool { return score[i] >= threshold }
	is := func(f func(int32) bool) func(int32) float64 {
		return func(i int32) float64 {
			if f(i) {
				return 1
			}
			return 0
		}
	}
	out := map[string]float64{"risk": mean(func(i int32) float64 { return loss[i] }, nil)}
	if task == Regression {
		err := func(i int32) float64 { return score[i] - target[i] }
		m := mean(func(i int32) float64 { return target[i] }, nil)
		mse := mean(func(i int32) float64 { return err(i) * err(i) }, nil)
		out["rmse"], out["bias"] = math.Sqrt(mse), mean(err, nil)
		out["mae"] = mean(func(i int32) float64 { return math.Abs(err(i)) }, nil)
		out["r2"] = 1 - mse/mean(func(i int32) float64 { return (target[i] - m) * (target[i] - m) }, nil)
		predicted := mean(func(i int32) float64 { return score[i] }, nil)
		out["total_ratio"] = predicted / m
		if slices.ContainsFunc(rows, func(i int32) bool { return target[i] < 0 }) || !(m > 0) {
			out["total_ratio"] = math.NaN()
		}
		out["coverage"] = mean(is(func(i int32) bool { return target[i] <= score[i] }), nil)
		return out
	}
	out["accuracy"] = mean(is(func(i int32) bool { return yes(i) == pos(i) }), nil)
	out["tpr"], out["fpr"], out["ppv"] = mean(is(yes), pos), mean(is(yes), neg), mean(is(pos), yes)
	out["balanced_accuracy"] = (out["tpr"] + 1 - out["fpr"]) / 2
	out["selection_rate"], out["prevalence"] = mean(is(yes), nil), mean(is(pos), nil)
	out["brier"] = mean(func(i int32) float64 { return math.Pow(score[i]-is(pos)(i), 2) }, nil)
	if p := out["prevalence"]; p == 0 || p == 1 { // the constant prediction makes no error
		out["brier_skill"] = math.NaN()
	} else {
		constant := mean(func(i int32) float64 { return math.Pow(p-is(pos)(i), 2) }, nil)
		out["brier_skill"] = 1 - out["brier"]/constant
	}
	s, q := out["selection_rate"], out["prevalence"]
	out["mcc"] = mean(func(i int32) float64 { return (is(yes)(i) - s) * (is(pos)(i) - q) },
		nil) / math.Sqrt(s*(1-s)*q*(1-q))
	out["calibration_gap"] = mean(func(i int32) float64 { return score[i] - is(pos)(i) }, nil)
	out["log_loss"] = mean(func(i int32) float64 {
		p := score[i]
		if !pos(i) {
			p = 1 - p
		}
		return -math.Log(max(p, 0x1p-52))
	}, nil)
	var wins, pairs, ece, all float64
	for _, i := range rows {
		all += weight[i]
		for _, j := range rows {
			if pos(i) && neg(j) {
				pairs += weight[i] * weight[j]
				if score[i] > score[j] {
					wins += weight[i] * weight[j]
				} else if score[i] == score[j] {
					wins += weight[i] * weight[j] / 2
				}
			}
		}
	}
	out["auc"] = wins / pairs
	for k := range 10 {
		sum := 0.0
		for _, i := range rows {
			if score[i] >= float64(k)/10 && (score[i] < float64(k+1)/10 || k == 9) {
				sum += weight[i] * (score[i] - is(pos)(i))
			}
		}
		ece += math.Abs(sum)
	}
	out["ece"] = ece / all
	out["auprc"] = mean(func(i int32) float64 { // the precision at its own score, for every positive
		return mean(is(pos), func(j int32) bool { return score[j] >= score[i] })
	}, pos)
	return out
}

// Every measure of every group is what its definition says, with ties and weights.
func TestMeasures_AgainstDefinitions(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 1))
	for trial := range 60 {
		n := 12 + rng.IntN(60)
		in := Input{Task: []Task{Binary, Regression}[trial%2], Target: make([]float64, n),
			Threshold: &[]float64{0.5, 0.3}[trial/2%2]}
		score, loss, weight := make([]float64, n), make([]float64, n), make([]float64, n)
		of := encode.Grouping{Labels: []string{"a", "empty", "b", "c"}, Index: make([]int32, n)}
		for i := range n {
			of.Index[i] = []int32{0, 2, 3}[rng.IntN(3)]
			weight[i], loss[i] = 1, rng.ExpFloat64()
			if trial%3 > 0 {
				weight[i] = 0.1 + rng.ExpFloat64()
			}
			if in.Task == Binary {
				in.Target[i], score[i] = math.Copysign(1, rng.NormFloat64()), float64(rng.IntN(33))/32 // ties, and both ends
			} else {
				in.Target[i] = math.Round(4*rng.NormFloat64()) / 4
				score[i] = in.Target[i] + math.Round(4*rng.NormFloat64())/4
			}
		}
		if trial%3 > 0 {
			in.Weight = weight
		}
		in.Models = []Model{{Name: "m", Score: score, Loss: loss}}
		rows := in.newMeasuredRows()
		strata, err := newStrata(context.Background(), rows, []encode.Grouping{of})
		if err != nil {
			t.Fatal(err)
		}
		for k, s := range append([]interval.Stratum{*strata.All}, strata.Groups[0]...) {
			got := measureStratum(rows, 0, &s)
			want := naive(in.Task, in.Target, score, loss, weight, *in.Threshold, s.Rows)
			if in.Task == Regression {
				want["median_ae"] = naiveMedian(in.Target, score, rows.Weight, s.Rows)
			}
			for _, m := range in.Task.Measures() {
				v, ok := got.Get(m.Key)
				w, known := want[m.Key]
				if !known {
					t.Fatalf("no definition of %s", m.Key)
				}
				if m.Key == "r2" && (len(s.Rows) < 2 || math.IsInf(w, 0)) {
					w = math.NaN()
				}
				if ok == math.IsNaN(w) || ok && !(math.Abs(v-w) <= 1e-12*(1+math.Abs(w))) {
					t.Errorf("trial %d, %s of stratum %d (%d rows): %v, want %v (%s)", trial, m.Key, k, len(s.Rows), v, w,
						got.Why[m.Key])
				}
				if !ok && got.Why[m.Key] == "" {
					t.Errorf("no reason why there is no %s", m.Key)
				}
				if lo, hi := m.Bounds(); ok && (v < lo || v > hi) {
					t.Errorf("%s is %v, not in [%v, %v]", m.Key, v, lo, hi)
				}
			}
		}
	}
}

// naiveMedian is the middle of |error|, or of the two middle ones; with weights the least
// error with half of the weight up to it, or its mean with the next.
func naiveMedian(target, score, weight []float64, rows []int32) float64 {
	type one struct{ e, w float64 }
	var list []one
	total := 0.0
	for _, i := range rows {
		w := 1.0
		if weight != nil {
			w = weight[i]
		}
		list = append(list, one{math.Abs(score[i] - target[i]), w})
		total += w
	}
	slices.SortFunc(list, func(a, b one) int {
		if a.e < b.e {
			return -1
		} else if a.e > b.e {
			return 1
		}
		return 0
	})
	below := 0.0
	for k, o := range list {
		below += o.w
		if math.Abs(below-total/2) < 1e-12*total && k+1 < len(list) {
			return (o.e + list[k+1].e) / 2
		}
		if below > total/2 {
			return o.e
		}
	}
	return math.NaN()
}

// What follows from the four cells says why where there is none.
func TestMeasures_UndefinedSayWhy(t *testing.T) {
	for _, c := range []struct {
		tp, fp, tn, fn float64
		undefined      map[string]string
	}{
		{3, 0, 0, 2, map[string]string{"fpr": "no negative rows", "balanced_accuracy": "no negative rows"}},
		{0, 3, 2, 0, map[string]string{"tpr": "no positive rows", "balanced_accuracy": "no positive rows"}},
		{0, 0, 2, 1, map[string]string{"ppv": "no row is predicted positive"}},
		{1, 1, 1, 1, nil},
	} {
		sums := countSums(c.tp, c.fp, c.tn, c.fn)
		v := sums.measure(Binary)
		for _, key := range []string{"accuracy", "tpr", "fpr", "ppv", "balanced_accuracy", "selection_rate", "prevalence"} {
			if _, ok := v.Get(key); ok != (c.undefined[key] == "") || v.Why[key] != c.undefined[key] {
				t.Errorf("%v: %s is %v, because %q", c, key, v.Of[key], v.Why[key])
			}
		}
	}
	sums := countSums(3, 2, 10, 5)
	v := sums.measure(Binary)
	for key, want := range map[string]float64{"accuracy": 20, "selection_rate": 20, "prevalence": 20, "tpr": 8, "fpr": 12,
		"ppv": 5, "auc": 0} {
		m, _ := Binary.Measure(key)
		if got := m.trials(&v, 20); got != want {
			t.Errorf("%s is of %v rows, want %v", key, got, want)
		}
	}
}

// A reliability curve shares out all rows in about equal parts, equal scores in one.
func TestCalibration_BinsHoldEqualParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(72, 1))
	for trial := range 40 {
		n := 5 + rng.IntN(90)
		in := &measuredRows{Rows: interval.Rows{Target: make([]float64, n)}}
		score := make([]float64, n)
		for i := range n {
			score[i], in.Target[i] = float64(rng.IntN(1+5*(trial%20)))/64, math.Copysign(1, rng.NormFloat64())
		}
		if trial%2 == 0 {
			in.Weight = make([]float64, n)
			for i := range n {
				in.Weight[i] = rng.ExpFloat64()
			}
		}
		order := argsort(nil, n, func(i int) float64 { return score[i] })
		parts := 1 + rng.IntN(10)
		bins := calibrationBinsOf(in, score, order, parts)
		at, distinct := 0, 1
		for i := 1; i < n; i++ {
			if score[order[i]] != score[order[i-1]] {
				distinct++
			}
		}
		if len(bins) > parts || len(bins) < min(parts, distinct)/2 {
			t.Fatalf("%d bins of %d parts, %d scores", len(bins), parts, distinct)
		}
		of := residualBins(in.Target, score, order)
		done := 0
		for _, b := range of {
			rows := order[done : done+b.N]
			var r []float64
			sum := 0.0
			for _, i := range rows {
				r, sum = append(r, in.Target[i]-score[i]), sum+score[i]
			}
			slices.Sort(r)
			for q, v := range map[float64]Num{0.1: b.P10, 0.5: b.Median, 0.9: b.P90} {
				h := q * float64(len(r)-1)
				k := min(int(h), len(r)-1)
				want := r[k] + (h-float64(k))*(r[min(k+1, len(r)-1)]-r[k])
				if !(math.Abs(float64(v)-want) <= 1e-12) {
					t.Errorf("residuals %v: quantile %v is %v, want %v", r, q, v, want)
				}
			}
			if !(math.Abs(float64(b.Predicted)-sum/float64(b.N)) <= 1e-12) {
				t.Errorf("mean prediction %v, want %v", b.Predicted, sum/float64(b.N))
			}
			done += b.N
		}
		if done != n {
			t.Errorf("residuals of %d rows of %d", done, n)
		}
		for k, b := range bins {
			var w, p, y float64
			for _, i := range order[at : at+b.N] {
				v := 1.0
				if in.Weight != nil {
					v = in.Weight[i]
				}
				w, p, y = w+v, p+v*score[i], y+v*(in.Target[i]+1)/2
			}
			if !(math.Abs(float64(b.Predicted)-p/w) <= 1e-12) || !(math.Abs(float64(b.Observed)-y/w) <= 1e-12) {
				t.Errorf("bin %d: %+v, want %v and %v", k, b, p/w, y/w)
			}
			if at += b.N; at < n && score[order[at]] == score[order[at-1]] {
				t.Errorf("bin %d ends within equal scores", k)
			}
			if left := parts - k; b.N < (n-(at-b.N)+left-1)/left {
				t.Errorf("bin %d has %d of %d rows", k, b.N, n)
			}
		}
		if at != n {
			t.Errorf("%d of %d rows in bins", at, n)
		}
	}
}

// The levels of a CVaR curve rise from 1/n, or a thousandth, to one, with those that
// people quote.
func TestCurves_LevelsAreThoseQuoted(t *testing.T) {
	for _, n := range []int{1, 2, 30, 1000, 100_000} {
		levels := cvarLevels(n)
		if lo := max(1/float64(n), 1e-3); levels[0] != lo || levels[len(levels)-1] != 1 || n > 1 && len(levels) < 40 {
			t.Errorf("n = %d: %v", n, levels)
		}
		for k, a := range levels {
			if k > 0 && !(a > levels[k-1]*(1+1e-9)) {
				t.Errorf("n = %d: level %v after %v", n, a, levels[k-1])
			}
		}
		for _, a := range []float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8,
			0.9, 1} {
			if !slices.Contains(levels, a) && a >= levels[0] {
				t.Errorf("n = %d: no level %v", n, a)
			}
		}
	}
}

// Sums, weights and moments by hand.
func TestMeasures_OfSmallTablesByHand(t *testing.T) {
	weight := interval.Weights{1, 2, 3, 6}
	if got := scaleWeights(nil, weight); !slices.Equal(got, []float64{1. / 3, 2. / 3, 1, 2}) ||
		scaleWeights(nil, nil) != nil {
		t.Errorf("%v", got)
	}
	if got := weight.SumOf([]float64{1, -1, 2, 0.5}); got != 8 {
		t.Errorf("%v", got)
	}
	if a, b := weight.Total([]int32{0, 3}), interval.Weights(nil).Total([]int32{0, 3}); a != 7 || b != 2 {
		t.Errorf("%v and %v", a, b)
	}
	if got := effectiveRows(weight); got != 144.0/50 {
		t.Errorf("%v", got)
	}
	var m meanVariance
	for _, v := range []float64{1, 3, 8} {
		m.Add(v)
	}
	if m.N != 3 || m.Mean != 4 || m.Variance() != 13 {
		t.Errorf("%+v, variance %v", m, m.Variance())
	}
	if one := (meanVariance{N: 1}); one.Variance() != 0 {
		t.Error("the variance of one number")
	}
	var s compensated.Sum
	for _, v := range []float64{1e100, 1, -1e100, 1e-20} {
		s.Add(v)
	}
	if s.Value() != 1 {
		t.Errorf("sum %v", s.Value())
	}
	if meanOf([]float64{1, 2, 6}) != 3 || !math.IsNaN(meanOf(nil)) {
		t.Error("means")
	}
	if !isNotFinite(math.NaN()) || !isNotFinite(math.Inf(-1)) || isNotFinite(0) || Num(math.Inf(1)).Defined() ||
		!Num(0).Defined() {
		t.Error("numbers that are none")
	}
}
