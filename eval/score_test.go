package eval_test

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/losses"
)

func TestLosses_OfScores(t *testing.T) {
	const e = 36.04365338911715 // 52 log 2
	for _, c := range []struct {
		loss string
		task eval.Task
		y, p float64
		want float64
	}{
		{"logistic", eval.Binary, 1, 0.25, math.Log(4)},
		{"logistic", eval.Binary, -1, 0.25, -math.Log(0.75)},
		{"logistic", eval.Binary, 1, 0, e},
		{"logistic", eval.Binary, -1, 1, e},
		{"squared", eval.Binary, -1, 0.5, 0.125}, // (0 − ½)²/2
		{"squared", eval.Binary, 1, 0.5, 0.125},
		{"squared", eval.Regression, -1, 0.5, 1.125}, // 1.5²/2
		{"huber", eval.Regression, 3, 3.5, 0.125},    // |r| ≤ δ
		{"huber", eval.Regression, 3, 8, 8},          // δ(|r| − δ/2) = 2·4
	} {
		loss, err := losses.Parse(c.loss, 2)
		if err != nil {
			t.Fatal(err)
		}
		got, err := eval.LossOfScores(loss, c.task, []float64{c.y}, []float64{c.p})
		if err != nil || !(math.Abs(got[0]-c.want) <= 1e-12*c.want) {
			t.Errorf("%s of %s %v, score %v: %v %v, want %v", c.loss, c.task, c.y, c.p, got, err, c.want)
		}
	}
	huber, _ := losses.Parse("huber", 1)
	logistic, _ := losses.Parse("logistic", 1)
	for _, c := range []struct {
		loss losses.Loss
		task eval.Task
		p    []float64
	}{{huber, eval.Binary, []float64{0.5}}, {logistic, eval.Regression, []float64{0.5}}, {huber, eval.Regression, nil}} {
		if _, err := eval.LossOfScores(c.loss, c.task, []float64{1}, c.p); err == nil {
			t.Errorf("%s loss of a %s task with %d scores: accepted", c.loss.Name(), c.task, len(c.p))
		}
	}
}
