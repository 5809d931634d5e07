package dro

import "gonum.org/v1/gonum/floats"

// A view is an oracle over the first n samples of another, with constants added to
// their losses where there are any. It has the methods of every ability that it could
// pass on, also of those that the other lacks: ask by ability.
type view struct {
	Oracle
	n      int
	offset []float64 // n, or nil
}

// A derived oracle passes the abilities of another on: its own methods count for what
// the other can do.
type derived interface{ base() Oracle }

// ability returns o as a T, if o is one and so is, all the way down, what it is derived
// from. It is how the abilities of an oracle are asked for; none is asserted.
func ability[T any](o Oracle) (t T, ok bool) {
	if v, is := o.(derived); is {
		if _, ok := ability[T](v.base()); !ok {
			return t, false
		}
	}
	t, ok = o.(T)
	return t, ok
}

func (p *view) base() Oracle { return p.Oracle }

func (p *view) Dims() (n, d, slope int) {
	_, d, slope = p.Oracle.Dims()
	return p.n, d, slope
}

// EvalTo adds the constants.
func (p *view) EvalTo(value, slope, x []float64, lo, hi int) {
	p.Oracle.EvalTo(value, slope, x, lo, hi)
	if p.offset != nil {
		floats.Add(value[lo:hi], p.offset[lo:hi])
	}
}

// NonNegative passes the ability on.
func (p *view) NonNegative() bool {
	o, ok := ability[NonNegative](p.Oracle)
	return ok && o.NonNegative() && p.offset == nil
}

// CurvatureTo passes the Curved ability on.
func (p *view) CurvatureTo(curvature, slope []float64, lo, hi int) {
	p.Oracle.(Curved).CurvatureTo(curvature, slope, lo, hi)
}

// AddGramTo passes the Curved ability on.
func (p *view) AddGramTo(dst, weight []float64, lo, hi int) {
	p.Oracle.(Curved).AddGramTo(dst, weight, lo, hi)
}

// MarginsTo passes the row products on.
func (p *view) MarginsTo(margin, v []float64, lo, hi int) {
	p.Oracle.(rowProducts).MarginsTo(margin, v, lo, hi)
}

// CurvatureFloorTo passes the Floored ability on.
func (p *view) CurvatureFloorTo(curvature, slope []float64, lo, hi int) (radius, decay float64) {
	return p.Oracle.(Floored).CurvatureFloorTo(curvature, slope, lo, hi)
}

// NormsTo passes the Floored ability on.
func (p *view) NormsTo(dst, scale []float64, lo, hi int) {
	p.Oracle.(Floored).NormsTo(dst, scale, lo, hi)
}

// Select passes the Selectable ability on.
func (p *view) Select(samples []int) Oracle {
	o := p.Oracle.(Selectable).Select(samples)
	if p.offset == nil {
		return o
	}
	offset := make([]float64, len(samples))
	for k, j := range samples {
		offset[k] = p.offset[j]
	}
	return &view{o, len(samples), offset}
}

// Bytes is the memory of these samples.
func (p *view) Bytes() int64 {
	n, d, _ := p.Oracle.Dims()
	if s, ok := ability[stored](p.Oracle); ok {
		return int64(float64(s.Bytes()) * float64(p.n) / float64(n))
	}
	return 8 * int64(p.n) * int64(d)
}

// Work scales the Worked ability.
func (p *view) Work() (pass, gram float64) {
	n, _, _ := p.Oracle.Dims()
	pass, gram = workOf(p.Oracle)
	share := float64(p.n) / float64(n)
	return share * pass, share * gram
}

// AddSquaresTo passes the Products ability on.
func (p *view) AddSquaresTo(dst, weight []float64, lo, hi int) {
	p.Oracle.(Products).AddSquaresTo(dst, weight, lo, hi)
}

// AddChangeTo passes the Changed ability on.
func (p *view) AddChangeTo(dst, weight, slope, oldWeight, oldSlope []float64, lo, hi int) {
	p.Oracle.(Changed).AddChangeTo(dst, weight, slope, oldWeight, oldSlope, lo, hi)
}

// ConstantsTo passes the Conditioned ability on; the constants of all samples are
// computed.
func (p *view) ConstantsTo(lipschitz, smoothness, x []float64) {
	n, _, _ := p.Oracle.Dims()
	h, m := make([]float64, n), make([]float64, n)
	p.Oracle.(Conditioned).ConstantsTo(h, m, x)
	copy(lipschitz, h[:p.n])
	copy(smoothness, m[:p.n])
}

// CurvatureBound passes the bound on.
func (p *view) CurvatureBound() float64 { return p.Oracle.(curvatureBounded).CurvatureBound() }

// Rounding passes the Rounded ability on, but for the constants.
func (p *view) Rounding() (terms int, largest []float64, smoothness float64) {
	if p.offset != nil {
		return 0, nil, 0
	}
	return p.Oracle.(Rounded).Rounding()
}
