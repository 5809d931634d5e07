package sampling_test

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/sampling"
)

// A draw takes as many as asked for, all of a score above θ, and of every stretch of
// the others as many as their probabilities add up to.
func TestDraw(t *testing.T) {
	rng := drotest.RngOf(101)
	for trial := range 60 {
		n := 1 + rng.IntN(20_000)
		count := 1 + rng.IntN(n)
		score := make([]float64, n)
		for j := range score {
			score[j] = math.Exp(float64(trial%6) * rng.NormFloat64())
			if trial%3 == 1 && rng.IntN(4) > 0 {
				score[j] = 0
			}
		}
		score[rng.IntN(n)] += 1
		positive, total := 0, 0.0
		for _, v := range score {
			total += v
			if v > 0 {
				positive++
			}
		}
		d := sampling.NewSystematic(sampling.All(n), score, count)
		if !(d.Theta > 0) || math.IsInf(d.Theta, 1) {
			t.Fatalf("θ = %v of %d scores, count %d", d.Theta, n, count)
		}
		expected, running, got, passed := 0.0, 0.5, 0, 0.5
		at, p := -1, 0.0
		next := func() { at, p = d.Next(score, at+1, n, &passed) }
		next()
		for j, v := range score {
			want := min(1, v/d.Theta)
			expected += want
			running += want
			taken := j == at
			if taken {
				if !(math.Abs(p-want) <= 1e-12) {
					t.Fatalf("sample %d has probability %v, want %v", j, p, want)
				}
				got++
				next()
			}
			if v > d.Theta*(1+1e-9) && !taken {
				t.Fatalf("sample %d of score %v > θ = %v was left out", j, v, d.Theta)
			}
			if v == 0 && taken {
				t.Fatalf("sample %d of score 0 was taken", j)
			}
			if behind := running - float64(got); behind < -1e-6 || behind >= 1+1e-6 {
				t.Fatalf("%d taken of the first %d samples, where %v were expected", got, j+1, running-0.5)
			}
		}
		low := 0.8 * float64(min(count, positive))
		if expected > float64(count)*(1+1e-9) || (expected < low && float64(positive) > float64(count)) {
			t.Errorf("trial %d: %v samples expected of %d (%d of them with a score), %d asked for", trial, expected, n, positive, count)
		}
	}
}
