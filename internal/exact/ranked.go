package exact

import "fmt"

// largestWeight returns g(m): the largest total weight of samples whose reference weight is a proportion m of the
// total.
func (a *Adversary) largestWeight(m Real) Real {
	one, p := New(1), New(a.Param)
	if m.Sign() <= 0 {
		return zero()
	}
	if !IsLess(m, one) {
		return one
	}
	switch a.Ranks {
	case "tv":
		return clampTo(one, Add(p, m))
	case "superquantile":
		return clampTo(one, Div(m, p))
	case "extremile":
		return Sub(one, Exp(Mul(p, Log(Sub(one, m)))))
	case "esrm":
		return Div(Sub(one, Exp(Mul(New(-1), Mul(p, m)))), Sub(one, Exp(Mul(New(-1), p))))
	}
	panic(fmt.Sprintf("exact: no spectrum %q", a.Ranks))
}

// respondByRank works like Respond for weights that depend on the ranks of the losses. If ν = 0, the k largest
// losses together have the weight g of their reference weight, for every k. If ν > 0, the response is an isotonic
// regression of the losses.
func (a *Adversary) respondByRank(f []Real) Risk {
	w, nu := a.referenceWeights(len(f)), New(a.Nu)
	type block struct {
		samples      []int
		above        Real // Σ w of the preceding blocks
		weight, loss Real // Σ w and Σ w f
		mass, level  Real
	}
	var blocks []block // blocks in order of decreasing loss
	above := zero()
	for _, j := range orderByLoss(f, w) {
		b := block{samples: []int{j}, above: above, weight: w[j], loss: Mul(w[j], f[j])}
		for {
			b.mass = Sub(a.largestWeight(Add(b.above, b.weight)), a.largestWeight(b.above))
			b.level = Sub(Div(b.loss, b.weight), Mul(nu, Sub(Div(b.mass, b.weight), New(1))))
			k := len(blocks) - 1
			if k < 0 || IsLess(b.level, blocks[k].level) {
				break
			}
			before := blocks[k]
			b.samples, b.above = append(before.samples, b.samples...), before.above
			b.weight, b.loss = Add(b.weight, before.weight), Add(b.loss, before.loss)
			blocks = blocks[:k]
		}
		above = Add(b.above, b.weight)
		blocks = append(blocks, b)
	}
	r := Risk{zero(), zeros(len(f)), zeros(len(f))}
	for _, b := range blocks {
		mean := Div(b.loss, b.weight)
		for _, j := range b.samples {
			r.Weight[j] = Div(Mul(w[j], b.mass), b.weight)
			// otherwise f equals the mean, and a rounding error divided by ν would matter
			if a.Nu > 0 && len(b.samples) > 1 {
				r.Weight[j] = Add(r.Weight[j], Div(Mul(w[j], Sub(f[j], mean)), nu))
			}
		}
	}
	r.Value = Sub(inner(r.Weight, f), a.Psi(r.Weight))
	return r
}
