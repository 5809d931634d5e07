package exact

import (
	"fmt"
	"slices"
)

// A Problem is a robust linear model: min over x of R(ℓ(z_jᵀx; t_j)) + (μ/2)‖x‖², where R is the risk of the
// adversary. Its numbers are exact.
type Problem struct {
	N, D         int
	Rows, Target []float64 // N·D entries by rows; N targets

	Loss  string  // logistic, squared, huber, poisson or quantile
	Delta float64 // threshold of the Huber loss
	Level float64 // level of the quantile loss, in (0, 1)
	Width float64 // width of the quantile loss, > 0

	Adversary
	// group of each sample, counted from 0, negative for none. The adversary weights groups, within which Share
	// applies; nil means that it weights samples.
	Group []int
	Other []int     // further groups, which may overlap with those in Group; may be nil
	Share []float64 // share of each sample in its group, not all 0 in any group; nil means equal shares
	// number added to the mean of each group, with the groups of Other after the others; may be nil
	Adjust []float64

	Mu        float64 // μ ≥ 0
	Norm      float64 // ≥ 0: Norm·‖x‖₂ is added
	Intercept bool    // the last coordinate is not penalised
}

// An Adversary is the worst case over weights y near reference weights w, measured by a divergence D: KL, Σ y
// log(y/w), or half of Pearson's χ², ½ Σ (y − w)²/w.
type Adversary struct {
	Penalty string    // "kl" or "chi2"
	Nu      float64   // ν ≥ 0, the penalty coefficient of D
	Radius  float64   // upper bound of D; 0 means none
	Alpha   float64   // weights are at most w/α; 0 means no cap; not in combination with Radius
	Weights []float64 // reference weights w, with any positive sum; nil means equal weights
	// spectrum of weights by rank: tv, superquantile, extremile or esrm; empty for none; only in combination
	// with Nu, for chi2
	Ranks string
	Param float64 // parameter of the spectrum
	// upper bound of each weight, if > 0; weights are then chosen separately and may have any sum, see
	// respondSeparably. 0 means that weights sum to one.
	Cap float64
}

// A Sample holds the loss of a sample with its first two derivatives with respect to the margin.
type Sample struct{ Value, Slope, Curvature Real }

// Eval returns the samples at x.
func (p *Problem) Eval(x []Real) []Sample {
	out := make([]Sample, p.N)
	for j := range out {
		m := zero()
		for i := range p.D {
			m.Add(m, Mul(New(p.Rows[j*p.D+i]), x[i]))
		}
		out[j] = p.loss(m, New(p.Target[j]))
	}
	return out
}

// loss returns the loss for margin m and target t, with its first two derivatives.
func (p *Problem) loss(m, t Real) Sample {
	one := New(1)
	r := Sub(m, t)
	switch p.Loss {
	case "logistic":
		s := Mul(t, m)
		e := Exp(Mul(New(-1), zero().Abs(s)))
		// q is the probability of the class that does not have the sign of m
		value, q := log1p(e), Div(e, Add(one, e))
		if s.Sign() < 0 {
			value, q = Sub(value, s), Sub(one, q)
		}
		return Sample{value, Mul(New(-1), Mul(t, q)), Mul(q, Sub(one, q))}
	case "squared":
		return Sample{timesPowerOf2(Mul(r, r), -1), r, one}
	case "huber":
		delta := New(p.Delta)
		if size := zero().Abs(r); IsLess(delta, size) {
			value := Mul(delta, Sub(size, timesPowerOf2(delta, -1)))
			return Sample{value, Mul(delta, New(float64(r.Sign()))), zero()}
		}
		return Sample{timesPowerOf2(Mul(r, r), -1), r, one}
	}
	switch p.Loss {
	case "poisson": // e^m − tm + t log t − t
		mean := Exp(m)
		value := Sub(mean, Mul(t, m))
		if t.Sign() > 0 {
			value = Add(value, Sub(Mul(t, Log(t)), t))
		}
		return Sample{value, Sub(mean, t), mean}
	case "quantile":
		h := New(p.Width)
		slope, curvature := Div(r, h), Div(one, h)
		for _, end := range []Real{New(-p.Level), Sub(one, New(p.Level))} {
			// the slope is beyond this end
			if d := Sub(slope, end); d.Sign() != 0 && d.Sign() == end.Sign() {
				slope, curvature = end, zero()
			}
		}
		return Sample{Mul(slope, Sub(r, timesPowerOf2(Mul(slope, h), -1))), slope, curvature}
	}
	panic(fmt.Sprintf("exact: no loss %q", p.Loss))
}

// Respond returns the risk at losses f.
func (p *Problem) Respond(f []Real) Risk {
	if p.Group == nil {
		return p.Adversary.Respond(f)
	}
	mean, mass := make([]Real, 0), make([]Real, 0)
	share := func(j int) Real {
		if p.Share == nil {
			return New(1)
		}
		return New(p.Share[j])
	}
	second := 1 + slices.Max(p.Group) // the index of the first group of Other
	each := func(then func(j, g int)) {
		for j, g := range p.Group {
			if g >= 0 {
				then(j, g)
			}
		}
		for j, g := range p.Other {
			if g >= 0 {
				then(j, second+g)
			}
		}
	}
	each(func(j, g int) {
		for g >= len(mean) {
			mean, mass = append(mean, zero()), append(mass, zero())
		}
		mean[g].Add(mean[g], Mul(share(j), f[j]))
		mass[g].Add(mass[g], share(j))
	})
	for g := range mean {
		if mean[g] = Div(mean[g], mass[g]); p.Adjust != nil {
			mean[g] = Add(mean[g], New(p.Adjust[g]))
		}
	}
	of := p.Adversary.Respond(mean)
	r := Risk{of.Value, zeros(len(f)), zeros(len(f))}
	each(func(j, g int) { r.Weight[j].Add(r.Weight[j], Div(Mul(of.Weight[g], share(j)), mass[g])) })
	return r
}

// Objective returns P(x).
func (p *Problem) Objective(x []Real) Real {
	samples := p.Eval(x)
	f := make([]Real, p.N)
	for j, s := range samples {
		f[j] = s.Value
	}
	return Add(p.Respond(f).Value, p.Phi(x))
}

// Phi returns (μ/2)‖x‖² + Norm·‖x‖, without the intercept.
func (p *Problem) Phi(x []Real) Real {
	if p.Intercept {
		x = x[:p.D-1]
	}
	square := inner(x, x)
	phi := Mul(timesPowerOf2(New(p.Mu), -1), square)
	if p.Norm == 0 {
		return phi
	}
	return Add(phi, Mul(New(p.Norm), zero().Sqrt(square)))
}

func inner(a, b []Real) Real {
	s := zero()
	for i := range a {
		s.Add(s, Mul(a[i], b[i]))
	}
	return s
}
