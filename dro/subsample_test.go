package dro

import (
	"context"
	"math"
	"testing"

	"github.com/drotrain/drotrain/losses"
	"gonum.org/v1/gonum/mat"
)

// A draw takes as many as asked for, all of a score above θ, and of every stretch of
// the others as many as their probabilities add up to.
func TestDraw(t *testing.T) {
	rng := rngOf(101)
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
		d := newDraw(whole(n), score, count)
		if !(d.theta > 0) || math.IsInf(d.theta, 1) {
			t.Fatalf("θ = %v of %d scores, count %d", d.theta, n, count)
		}
		expected, running, got, passed := 0.0, 0.5, 0, 0.5
		at, p := -1, 0.0
		next := func() { at, p = d.next(score, at+1, n, &passed) }
		next()
		for j, v := range score {
			want := min(1, v/d.theta)
			expected += want
			running += want
			taken := j == at
			if taken {
				if math.Abs(p-want) > 1e-12 {
					t.Fatalf("sample %d has probability %v, want %v", j, p, want)
				}
				got++
				next()
			}
			if v > d.theta*(1+1e-9) && !taken {
				t.Fatalf("sample %d of score %v > θ = %v was left out", j, v, d.theta)
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

// The Hessian of a sample is close to that of all, in the geometry of the latter, and
// nearer by about the root of the number of samples it takes; it is positive definite, and costs their share of a
// pass.
func TestThinnedHessian(t *testing.T) {
	rng := rngOf(102)
	const n, d = 30_000, 6
	plain, uneven := newSample(rng, n, d, false), newSample(rng, n, d, false)
	for j := range n { // some rows are longer, which their weights do not tell
		if rng.IntN(500) == 0 {
			for i := range d {
				uneven.design[j*d+i] *= 4
			}
		}
	}
	for _, c := range []struct {
		sample
		counts []int
	}{{plain, []int{600, 9600}}, {uneven, []int{2400, 9600}}} {
		thinned(t, c.sample, c.counts)
	}
}

func thinned(t *testing.T, s sample, counts []int) {
	rng := rngOf(106)
	n, d := s.n, s.d
	sum, squares := 0.0, 0.0 // of ‖z‖²: rows of unequal length make estimates vary
	for j := range n {
		z := s.design[j*d : (j+1)*d]
		length := dot(z, z)
		sum += length
		squares += length * length
	}
	kurtosis := float64(n) * squares / (sum * sum)
	for _, l := range []losses.Loss{losses.Logistic{}, losses.Squared{}, losses.Huber{Delta: 0.5}} {
		for _, dual := range []Dual{KL{1}, KL{0.2}, ChiSquare{1}, ChiSquare{0.1}, Uniform{}} {
			p := &Problem{s.oracle(t, l), dual, L2{Mu: 1e-4}}
			c := newCertifier(p)
			c.evaluate(normals(rng, d, 0.3))
			full := newMetric(p, false, c.evaluator)
			full.update(c.y, c.slope)
			var root mat.Cholesky
			if !root.Factorize(full.h) {
				t.Fatal("the Hessian is not positive definite")
			}
			before := math.Inf(1)
			for _, count := range counts {
				part := newMetric(p, false, c.evaluator)
				part.sample = count
				passes := c.passes
				part.update(c.y, c.slope)
				kept := 0
				for _, w := range part.weight[:n] {
					if w > 0 {
						kept++
					}
				}
				if used := c.passes - passes; used > 1.1*float64(count)/float64(n) || used < float64(kept)/float64(n)-1e-12 {
					t.Errorf("%v, %#v: %d samples cost %v passes", l.Name(), dual, count, used)
				}
				var factor mat.Cholesky
				if !factor.Factorize(part.h) {
					t.Fatalf("%v, %#v: the Hessian of %d samples is not positive definite", l.Name(), dual, count)
				}
				// The largest relative error along some directions.
				worst := 0.0
				for range 200 {
					v := mat.NewVecDense(d, normals(rng, d, 1))
					worst = max(worst, math.Abs(mat.Inner(v, part.h, v)/mat.Inner(v, full.h, v)-1))
				}
				law := math.Sqrt(kurtosis * float64(d) / float64(count))
				if worst > 7*law || worst > law && worst > 2*law*before { // far below the law all that counts is certain
					t.Errorf("%v, %#v: error %.3g of %d samples, at most %.3g and %.3g expected", l.Name(), dual, worst, count, 7*law, 2*law*before)
				}
				before = worst / law
			}
		}
	}
}

// Samples that are all taken for certain leave the sum as it is.
func TestThinningByEnoughIsExact(t *testing.T) {
	s := newSample(rngOf(103), 3000, 4, true)
	p := &Problem{s.oracle(t, losses.Logistic{}), ChiSquare{0.5}, L2{Mu: 1e-3, Intercept: true}}
	c := newCertifier(p)
	c.evaluate(make([]float64, 4))
	full, part := newSecond(p, c.evaluator), newSecond(p, c.evaluator)
	for _, w := range []*second{&full, &part} {
		w.weight, w.response = make([]float64, 3000), make([]float64, 3000)
		w.total = w.weigh(c.y, c.slope, 0, 3000)
	}
	part.thin(c.slope, whole(3000), 3000*3000)
	for j, w := range full.weight {
		if math.Abs(part.weight[j]-w) > 1e-14 {
			t.Fatalf("weight %d is %v, was %v", j, part.weight[j], w)
		}
	}
	if math.Abs(part.total-full.total) > 1e-14*full.total {
		t.Errorf("the responses add up to %v, did to %v", part.total, full.total)
	}
}

// Newton's method on Hessians of samples reaches what it reaches on full ones.
func TestNewtonOnSamples(t *testing.T) {
	s := newSample(rngOf(104), 20_000, 5, true)
	for _, dual := range []Dual{KL{1}, ChiSquare{0.2}, Uniform{}} {
		p := &Problem{s.oracle(t, losses.Logistic{}), dual, L2{Mu: 1e-4, Intercept: true}}
		exact := solve(t, p, Newton{}, asking(1e-10, 200))
		got := solve(t, p, Newton{Sample: 500}, asking(1e-10, 200))
		if got.Status != Certified {
			t.Errorf("%#v: %v after %v passes", dual, got.Status, got.Passes)
		}
		if math.Abs(got.Objective-exact.Objective) > 1e-9*exact.Objective {
			t.Errorf("%#v: objective %v, %v with full Hessians", dual, got.Objective, exact.Objective)
		}
	}
	p := &Problem{s.oracle(t, losses.Logistic{}), KL{1}, L2{Mu: 1e-4}}
	if _, err := Solve(context.Background(), p, Newton{Sample: -1}, DefaultSettings()); err == nil {
		t.Error("a negative number of samples was accepted")
	}
}
