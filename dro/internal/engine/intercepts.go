package engine

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/shard"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// certifyIntercepts records the lower bound that follows from the weights of w if the K intercepts b of classes are
// unpenalised. The penalised coordinates are those of the last point evaluated; F = ⟨y, f⟩ + φ is minimised over b,
// and the cut is computed at the resulting point x̃. The remaining derivative g_b is of the order of rounding
// errors, but b is unbounded. At the minimum of F, F ≤ U = F(x̃). With Y_t the weight and z̄_t the mean row of the
// samples of class t, and f_j ≥ m_jc − m_jt for t = t_j, it follows that
//
//	b_c − b_t ≤ U/Y_t + ‖w_c − w_t‖‖z̄_t‖ ≤ U/Y_t + 2√(U/μ)‖z̄_t‖   for all c and t,
//
// so that the range of b is bounded by some B; and since the derivatives sum to 0 over classes, ⟨g_b, b − b̃⟩ ≥
// −½‖g_b‖₁(B + range of b̃) (bounds.md).
func (c *Certifier) certifyIntercepts(w weighting) {
	o, classified := c.Problem.Oracle.(ClassModel)
	signed, _ := c.Problem.Oracle.(saddle.NonNegative)
	if !classified || signed == nil || !signed.NonNegative() || c.ridge == nil {
		return
	}
	if c.shifted == nil {
		c.shifted = &Evaluator{Problem: c.Problem, N: c.N, D: c.D, Rows: c.Rows, Value: c.Vector(c.N),
			Slope: c.Vector(len(c.Slope)), space: c.space, Partials: c.Partials, Budget: math.Inf(1)}
	}
	y, scratch := w.y, c.Vector(len(c.Slope))
	defer c.Release(scratch)
	at := c.minimiseIntercepts(o, y, scratch)
	sums := c.classSums(o, y, scratch)
	c.dropEmptyClasses(y, sums[c.D-c.intercepts:])
	p := c.Prove(y, w.groups, 0)
	t := c.cutAt(c.shifted, y, p.Off, at)
	phi := c.Problem.Primal.Value(at)
	above := (1+1e-6)*(t.value+phi+t.rounding) + Underflow
	width := c.interceptRange(sums, above) + rangeOf(at[c.D-c.intercepts:])
	left := 0.0 // derivatives for classes without weight are 0
	for i := c.D - c.intercepts; i < c.D; i++ {
		left += math.Abs(t.g[i]) + t.err[i]
	}
	copy(c.bound, t.g)
	copy(c.Err, t.err)
	rounding := t.rounding + (1+1e-9)*left*width/2
	if !math.IsInf(rounding, 1) && !math.IsNaN(rounding) {
		c.KeepLower(y, t.value-p.penaltyBound(c.Rounding.sums), c.FenchelYoung(c.X, c.bound, c.Err), rounding)
	}
}

// HasClassIntercepts reports whether the intercepts of several classes are unpenalised.
func (c *Certifier) HasClassIntercepts() bool { return c.intercepts > 0 }

// rangeOf returns the difference between the largest and the smallest entry of v.
func rangeOf(v []float64) float64 { return slices.Max(v) - slices.Min(v) }

// minimiseIntercepts returns the last point evaluated with intercepts that minimise ⟨y, f⟩. It uses Newton's method,
// with half a pass for each point tried. The shifted evaluator holds the losses and slopes at the result. scratch has
// length n·K.
func (c *Certifier) minimiseIntercepts(o ClassModel, y, scratch []float64) []float64 {
	const maxSteps = 30
	k := c.intercepts
	at := slices.Clone(c.X)
	b := at[c.D-k:]
	evaluate := func() (value float64, g []float64) {
		c.Spend(0.5)
		c.shifted.evaluate(at)
		g = c.sumByClass(y, c.shifted.Slope)
		return c.weightedLoss(y, c.shifted.Value), g
	}
	value, g := evaluate()
	for range maxSteps {
		before, size := slices.Clone(b), floats.Norm(g, 1)
		if size <= 4*UnitRoundoff*math.Sqrt(float64(c.N)) {
			break
		}
		step := c.interceptStep(o, y, scratch, g)
		if step == nil {
			break
		}
		t, moved := 1.0, false
		for ; t > 1e-3; t /= 4 {
			floats.AddScaledTo(b, before, -t, step)
			now, next := evaluate()
			if now <= value+1e-12*math.Abs(value) && (now < value || floats.Norm(next, 1) < 0.9*size) {
				moved, value, g = floats.Norm(next, 1) < 0.9*size || now < value-1e-12*math.Abs(value), now, next
				break
			}
		}
		if !moved {
			copy(b, before)
			evaluate()
			break
		}
	}
	return at
}

// sumByClass returns Σ_j y_j v_jc for every class c; v has K numbers for each sample.
func (c *Certifier) sumByClass(y, v []float64) []float64 {
	k := c.intercepts
	part := c.Rows.Partials(c.Rows.Shards(c.N), k)
	part.Clear()
	c.Rows.Run(c.N, func(s, lo, hi int) {
		sums := part.Shard(s)
		for j := lo; j < hi; j++ {
			if w := y[j]; w != 0 {
				floats.AddScaled(sums, w, v[j*k:(j+1)*k])
			}
		}
	})
	out := make([]float64, k)
	c.Rows.SumTo(out, part)
	return out
}

// interceptStep returns H⁻¹g on the intercepts of sum 0, where H = Σ_j y_j (diag p_j − p_j p_jᵀ) is the second
// derivative of ⟨y, f⟩ in the intercepts at the shifted point. It returns nil if H is singular. The diagonal
// entries are computed as sums of p(1 − p), which avoids cancellation.
func (c *Certifier) interceptStep(o ClassModel, y, scratch, g []float64) []float64 {
	k := c.intercepts
	each := func(f func(slope float64, own bool) float64) {
		c.Rows.Run(c.N, func(_, lo, hi int) {
			for j := lo; j < hi; j++ {
				class := o.ClassOf(j)
				for i, v := range c.shifted.Slope[j*k : (j+1)*k] {
					scratch[j*k+i] = f(v, i == class)
				}
			}
		})
	}
	each(func(v float64, _ bool) float64 { return math.Abs(v) * (1 - math.Abs(v)) })
	diagonal := c.sumByClass(y, scratch)
	each(func(v float64, own bool) float64 {
		if own {
			return 1 + v
		}
		return v
	})
	const pieces = 8
	gram := make([][]float64, pieces)
	shard.RunCount(c.N, pieces, func(s, lo, hi int) {
		gram[s] = make([]float64, k*k)
		kernel.AddGramTo(gram[s], scratch, k, y, lo, hi)
	})
	trace := floats.Sum(diagonal)
	h := mat.NewSymDense(k, nil)
	for i := range k { // add 1 in the direction that does not change any loss
		h.SetSym(i, i, (diagonal[i]+trace/float64(k))*(1+1e-12))
		for l := i + 1; l < k; l++ {
			sum := 0.0
			for _, part := range gram {
				if part != nil {
					sum += part[i*k+l]
				}
			}
			h.SetSym(i, l, trace/float64(k)-sum)
		}
	}
	var chol mat.Cholesky
	if !(trace > 0) || !chol.Factorize(h) {
		return nil
	}
	step := mat.NewVecDense(k, slices.Clone(g))
	if err := chol.SolveVecTo(step, step); err != nil {
		if _, ill := err.(mat.Condition); !ill {
			return nil
		}
	}
	return step.RawVector().Data
}

// classSums returns Σ_{j: t_j = t} y_j z_j, with one column for each class t. scratch has length n·K.
func (c *Certifier) classSums(o ClassModel, y, scratch []float64) []float64 {
	clear(scratch)
	c.Rows.Run(c.N, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			scratch[j*c.intercepts+o.ClassOf(j)] = 1
		}
	})
	sums := make([]float64, c.D)
	c.GradFromSlopesTo(sums, y, scratch)
	return sums
}

// dropEmptyClasses replaces the losses and slopes at the shifted point by those without the classes that have no
// weight, whose intercepts tend to −∞. The new losses are lower bounds, because log Σ_c exp m_c decreases if terms
// are omitted.
func (c *Certifier) dropEmptyClasses(y, mass []float64) {
	k := c.intercepts
	if slices.Min(mass) > 0 {
		return
	}
	e := c.shifted
	c.Rows.Run(c.N, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			if y[j] == 0 {
				continue
			}
			slope, out := e.Slope[j*k:(j+1)*k], 0.0
			for t, v := range slope {
				if !(mass[t] > 0) {
					out += v
					slope[t] = 0
				}
			}
			if rest := 1 - out; rest > 0.5 && out > 0 {
				e.Value[j] = max(0, e.Value[j]*(1-16*UnitRoundoff)+math.Log1p(-out)*(1+16*UnitRoundoff))
				others := 0.0
				class := -1
				for t, v := range slope {
					if v < 0 {
						class = t
						continue
					}
					slope[t] = v / rest
					others += slope[t]
				}
				if class >= 0 {
					slope[class] = -others
				}
			} else if out > 0 {
				e.Value[j] = 0 // slope 0 and a lower bound of the loss
				clear(slope)
			}
		}
	})
}

// interceptRange bounds the range of the intercepts of the classes with weight, at points with ⟨y, f⟩ + φ ≤ above,
// given the sums of the rows of every class.
func (c *Certifier) interceptRange(sums []float64, above float64) float64 {
	k := c.intercepts
	mu := math.Inf(1)
	for _, v := range c.ridge[:c.D-k] {
		mu = min(mu, v)
	}
	most := 0.0
	for t := range k {
		mass, square := sums[c.D-k+t], 0.0
		if !(mass > 0) {
			continue
		}
		for i := t; i < c.D-k; i += k {
			square += sums[i] * sums[i]
		}
		bound := above / mass
		if square > 0 {
			bound += 2 * math.Sqrt(above/mu) * math.Sqrt(square) / mass
		}
		most = max(most, bound)
	}
	return (1 + 1e-6) * most
}
