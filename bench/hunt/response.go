package hunt

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/dro"
)

// response holds the weights of a result against what Result promises of them: that they lie
// in Y, and are a best response at its point within the gap, up to rounding.
func (t *Tally) response(c *Case, name string, p *dro.Problem, res *dro.Result) {
	n, _, width := p.Oracle.Dims()
	f, slope := make([]float64, n), make([]float64, n*width)
	p.Oracle.EvalTo(f, slope, res.X, 0, n)
	linear, size := 0.0, math.Abs(res.Risk)
	for j, y := range res.Y {
		if y == 0 {
			continue
		}
		linear += y * f[j]
		size += math.Abs(y * f[j])
		if c.own == nil || !c.own.onWord { // what a margin may be off by, where it cancels: more than the solve's own
			off := math.Abs(c.Target[j])
			for i, x := range res.X {
				off += math.Abs(c.Rows[j*c.D+i] * x)
			}
			off *= float64(c.D+8) * 0x1p-52
			size += 1e8 * y * off * (math.Abs(slope[j]) + off)
		}
	}
	psi := p.Dual.Value(res.Y)
	slack := 1e-8 * (size + math.Abs(psi) + p.Dual.Modulus() + math.Abs(res.Certificate.Upper-res.Objective)*1e9)
	short := res.Risk - (linear - psi)
	if _, groups := p.Dual.(*dro.Groups); groups { // whose penalty is a bound where they overlap
		short = min(short, 0)
	}
	if short < -slack || short > max(0, res.Certificate.Gap())+slack {
		t.find("response", c, name+": "+res.Status.String()+fmt.Sprintf(": risk %.17g, of the weights %.17g − %.17g, within [%.17g, %.17g]", res.Risk, linear, psi, res.Certificate.Lower, res.Certificate.Upper))
	}
	most := math.Inf(1)
	switch c.Kind {
	case "separate":
		most = c.Cap
	case "capped":
		most = 1 / (c.Alpha * float64(c.N))
	case "protected":
		if c.Weights == nil {
			most = 1 / (c.Alpha * float64(c.N))
		}
	}
	if c.own == nil {
		for j, y := range res.Y {
			none := c.Kind != "groups" && c.Weights != nil && c.Weights[j] == 0
			if y > most*(1+1e-9) || none && y > 0 {
				t.find("response", c, name+fmt.Sprintf(": weight %d is %.17g, above %.17g, without a reference %v", j, y, most, none))
				break
			}
		}
		if g, ok := p.Dual.(*dro.Groups); ok && c.Other == nil {
			t.overGroups(c, name, g, res.Y)
		}
		b, ok := p.Dual.(dro.Ball)
		if !ok || math.IsInf(b.Radius, 1) {
			return
		}
		// Weights are losses less a threshold over the price: as exact as that leaves them. Of
		// references that underflow D is +Inf.
		top := 0.0
		for _, v := range f {
			top = max(top, math.Abs(v))
		}
		off := 1e-9 + float64(n+64)*0x1p-50*top/b.Price(f)
		if d := b.Of(res.Y); d > b.Radius*(1+off)+1e-12 && !math.IsInf(d, 1) {
			t.find("response", c, name+fmt.Sprintf(": weights at %.17g, in a ball of %.17g, exact to %.3g", d, b.Radius, off))
		}
	}
}

// overGroups holds weights over samples that are grouped one way against Y: within a group
// they are as given, and over groups in the ball.
func (t *Tally) overGroups(c *Case, name string, g *dro.Groups, y []float64) {
	q, mass := make([]float64, g.Count()), g.Shares()
	for j, v := range y {
		if k := c.Group[j]; k >= 0 {
			q[k] += v
		}
	}
	for j, v := range y {
		share, k := 1.0, c.Group[j]
		if c.Share != nil {
			share = c.Share[j]
		}
		want := 0.0
		if k >= 0 {
			want = q[k] * (share / mass[k])
		}
		if math.Abs(v-want) > 1e-9*want+1e-300 {
			t.find("response", c, name+fmt.Sprintf(": weight %d is %.17g, within its group %.17g", j, v, want))
			return
		}
	}
	if d := g.Near.Of(q); d > g.Near.Radius*(1+1e-6)+1e-12 && !math.IsInf(d, 1) {
		t.find("response", c, name+fmt.Sprintf(": weights over groups at %.17g, in a ball of %.17g", d, g.Near.Radius))
	}
}
