package dro

import "gonum.org/v1/gonum/floats"

// A view is an oracle over the first n samples of another, with constants added to
// their losses where there are any. It has every ability that it could pass on, also
// those that the other lacks: ask by ability.
type view struct {
	Oracle
	n      int
	offset []float64 // n, or nil
}

// ability returns o as a T, if it, or what it is a view of, is one.
func ability[T any](o Oracle) (t T, ok bool) {
	if v, is := o.(*view); is {
		if _, ok := ability[T](v.Oracle); !ok {
			return t, false
		}
	}
	t, ok = o.(T)
	return t, ok
}

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
	o, ok := p.Oracle.(NonNegative)
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

// MarginsTo passes the Products ability on.
func (p *view) MarginsTo(margin, v []float64, lo, hi int) {
	p.Oracle.(Products).MarginsTo(margin, v, lo, hi)
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
	if s, ok := p.Oracle.(interface{ Bytes() int64 }); ok {
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
