package theory

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/dro"
)

// A problemCase is a case of the theorems for an instance.
type problemCase struct {
	name    string
	in      *instance
	theorem float64 // exponent of the number of iterations in 1/ε, or in ln 1/ε if μ, ν > 0
}

const (
	closely = 4   // number of rows of a block in the experiments on one partition
	modulus = 0.1 // where there is one
)

// cases returns the four cases of the theorems, for L = 0 and L > 0, on equal rows. Positive moduli are linear and
// curved, respectively.
func (l *lab) cases(linear, curved float64) (out []problemCase) {
	for _, smooth := range []bool{false, true} {
		size := linear
		if smooth {
			size = curved
		}
		for _, c := range []struct {
			mu, nu, linear, curved float64
		}{{size, size, 1, 1}, {size, 0, 0.5, 0.5}, {0, size, 0.5, 1}, {0, 0, 1, 1}} {
			p := problemCase{theorem: c.linear}
			sign := func(v float64) string {
				if v > 0 {
					return "> 0"
				}
				return "= 0"
			}
			p.name = fmt.Sprintf("μ %s, ν %s, L = 0", sign(c.mu), sign(c.nu))
			p.in = l.instanceOf(c.mu, c.nu, smooth, 0)
			if smooth {
				p.name, p.theorem = fmt.Sprintf("μ %s, ν %s, L > 0", sign(c.mu), sign(c.nu)), c.curved
			}
			out = append(out, p)
		}
	}
	return out
}

// A sideRatio is the maximum ratio of the left-hand side of an inequality to the right-hand side, averaged over seeds.
type sideRatio struct {
	most     float64 // maximum of the means over the evaluated iterations
	violated bool    // a mean exceeds 1 by four standard errors
	at       []float64
	by       []float64 // the largest mean at each element of at
}

// measureRatio measures the inequality of m under a schedule, at comparators from other runs: those that violate it
// most in these. For a deterministic method they are from the same run.
func (l *lab) measureRatio(in *instance, m theoryMethod, wrong misstatement, seeds, steps int) (sideRatio, error) {
	fixed := m == fullVector
	at := checkpoints(steps)
	var against []comparator
	method := m.method(closely, false)
	pilot := in.ledger(m, closely)
	_, err := in.run(l.ctx, method, wrong, l.seed+1000, func(it dro.Iterate) bool {
		pilot.follow(it)
		if it.K == at[len(at)/3] || it.K == at[2*len(at)/3] || it.K == steps {
			against = append(against, pilot.worst())
		}
		return it.K >= steps || !pilot.finite || pilot.a > 1e100
	})
	if err == errDiverged || err == nil && !pilot.finite {
		return sideRatio{most: math.Inf(1), violated: true}, nil
	}
	if err != nil {
		return sideRatio{}, err
	}
	against = append(against, pilot.worst())
	if fixed {
		seeds = 1
	}
	sum := make([][][]float64, len(at)) // one ratio for each seed, by iteration and comparator
	for k := range sum {
		sum[k] = make([][]float64, len(against)+1)
	}
	diverged := false
	for s := range seeds {
		book := in.ledger(m, closely)
		next := 0
		_, err := in.run(l.ctx, method, wrong, l.seed+uint64(s), func(it dro.Iterate) bool {
			book.follow(it)
			if !book.finite {
				diverged = true
				return true
			}
			if it.K < at[next] {
				return false
			}
			points := against
			if fixed {
				points = append(points[:len(points):len(points)], book.worst())
			}
			resolved := false
			for c, p := range points {
				if left, right, rounding := book.sides(p); math.IsNaN(left) {
					diverged = true
				} else if rounding < 1e-3*right {
					sum[next][c] = append(sum[next][c], left/right)
					resolved = true
				}
			}
			next++
			return next == len(at) || !resolved
		})
		if err == errDiverged {
			diverged = true
		} else if err != nil {
			return sideRatio{}, err
		}
	}
	out := sideRatio{most: math.Inf(-1)}
	if diverged {
		return sideRatio{most: math.Inf(1), violated: true}, nil
	}
	for k, row := range sum {
		largest := math.Inf(-1)
		for _, v := range row {
			if len(v) < seeds { // not resolved in double precision in some run
				continue
			}
			mean, se := meanAndError(v)
			largest = max(largest, mean)
			out.violated = out.violated || math.IsInf(mean, 1) || mean-4*se > 1+1e-6
		}
		if !math.IsInf(largest, -1) {
			out.at, out.by = append(out.at, float64(at[k])), append(out.by, largest)
			out.most = max(out.most, largest)
		}
	}
	return out, nil
}

// guarantees tests the inequality of every proposition at every checkpoint, and that wrong schedules violate it.
func (l *lab) guarantees() (Experiment, error) {
	l.progress("the inequalities of the propositions")
	const most = 1 << 16
	e := Experiment{Name: "guarantees", Title: "The inequalities of the propositions",
		Text: fmt.Sprintf(`Propositions 1 to 5 bound Σ a_k E Gap(x_k, ȳ_k) and the distances of the last iterates from any comparator (u, v) by the distances
of the first iterates, after any number of steps. The first column of numbers is the left-hand side of this inequality divided by
the right-hand side with the stated constants C_X and C_Y. It is the largest mean over seeds, after up to %d steps, at the
comparators that violate the inequality most in other runs. (The full vector update is not random; the comparators are then those of
the same run, and no other comparator is worse.) A ratio that exceeds 1 by four standard errors contradicts the proposition.

In the other columns, the schedules are wrong on purpose. The constants G and L are divided by 4, 16, 64, … until a violation is
found, or a strong convexity is assumed that does not exist.

All problems have N = 4 blocks. For L = 0, they are least absolute deviations over the simplex and a matrix game of 16 × 8. For
L > 0, they have logistic losses minus a constant and weights 0 ≤ y ≤ 1/n, and x is in the simplex for μ = 0.`, l.steps),
		Columns: []string{"left ÷ right", "factor by which constants are understated", "left ÷ right with it", "left ÷ right with a false modulus"}}
	cases := l.cases(modulus, modulus/100)
	e.Results = make([]Result, len(cases)*int(theoryMethods))
	err := l.each(len(e.Results), func(k int) error {
		c, m := cases[k/int(theoryMethods)], theoryMethod(k%int(theoryMethods))
		r := Result{Case: c.name, Method: m.String()}
		right, err := l.measureRatio(c.in, m, misstatement{}, l.seeds, l.steps)
		if err != nil {
			return fmt.Errorf("%s, %v: %w", c.name, m, err)
		}
		by, wrong := 4.0, sideRatio{}
		for ; by <= most; by *= 4 {
			if wrong, err = l.measureRatio(c.in, m, misstatement{constants: by}, l.seeds/2, l.steps); err != nil {
				return err
			}
			if wrong.violated {
				break
			}
		}
		falseModulus := math.NaN()
		if c.in.mu == 0 || c.in.nu == 0 {
			s, err := l.measureRatio(c.in, m, misstatement{modulus: 1}, l.seeds/2, l.steps)
			if err != nil {
				return err
			}
			falseModulus = s.most
		}
		r.Values = []Number{Number(right.most), Number(by), Number(wrong.most), Number(falseModulus)}
		switch {
		case right.violated:
			r.Verdict = Fails
		case !wrong.violated:
			r.Verdict = Empty
			r.Values[1], r.Values[2] = Number(math.NaN()), Number(math.NaN())
		default:
			r.Verdict = Holds
		}
		e.Results[k] = r
		return nil
	})
	return e, err
}

// growth fits the growth of the guaranteed number of iterations as ε decreases. It only uses A_t, which follows
// from the conditions of the propositions, and not the gap of a run.
func (l *lab) growth() (Experiment, error) {
	l.progress("the growth of A_t")
	const tolerance = 0.1
	far := 100_000
	if l.quick {
		far = 20_000
	}
	e := Experiment{Name: "growth", Title: "Guaranteed iterations as ε falls",
		Text: fmt.Sprintf(`After t steps, the guarantee is a constant divided by A_t, so the number of iterations to ε is the number after which A_t is a
constant divided by ε. The table compares the exponent of A_t in 1/ε (in ln 1/ε for μ, ν > 0) with the exponent in the theorems. The
exponent of the schedules is fitted over the last decade and a half of %.0e steps. A difference of more than %v fails.`, float64(far), tolerance),
		Columns: []string{"exponent", "theorem"}}
	cases := l.cases(10, 10) // well conditioned, so that the last decade and a half is representative of small ε
	e.Results = make([]Result, len(cases)*int(theoryMethods))
	err := l.each(len(e.Results), func(k int) error {
		c, m := cases[k/int(theoryMethods)], theoryMethod(k%int(theoryMethods))
		t, logA, err := l.total(c.in, m, misstatement{}, far)
		if err != nil {
			return err
		}
		got := exponentOfGrowth(t, logA, c.in.mu > 0 && c.in.nu > 0)
		r := Result{Case: c.name, Method: m.String(), Values: []Number{Number(got), Number(c.theorem)}, Verdict: Holds}
		if !(math.Abs(got-c.theorem) <= tolerance) {
			r.Verdict = Fails
		}
		e.Results[k] = r
		return nil
	})
	return e, err
}

// total returns ln A_t at points that are evenly spaced in ln t.
func (l *lab) total(in *instance, m theoryMethod, wrong misstatement, far int) (t, logA []float64, err error) {
	next, shift, before := 1, 0.0, 0.0
	_, err = in.run(l.ctx, m.method(closely, false), wrong, l.seed, func(it dro.Iterate) bool {
		if it.Total < before { // weights are rescaled before they overflow
			shift += math.Log(before / it.Total)
		}
		before = it.Total
		if it.K >= next {
			next = it.K + 1 + it.K/20
			t, logA = append(t, float64(it.K)), append(logA, shift+math.Log(it.Total))
		}
		return it.K >= far
	})
	return t, logA, err
}

// exponentOfGrowth returns the exponent of t in A_t, or in ln A_t, over the last decade and a half.
func exponentOfGrowth(t, logA []float64, linear bool) float64 {
	var x, y []float64
	from := 0
	for k, v := range t {
		if v < t[len(t)-1]/32 {
			continue
		}
		a := logA[k]
		if linear {
			if len(x) == 0 && from == 0 {
				from = k
				continue
			}
			a, v = math.Log(logA[k]-logA[from]), v-t[from]
		}
		x, y = append(x, a), append(y, math.Log(v))
	}
	return slope(x, y)
}
