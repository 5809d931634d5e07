package newton

import (
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/memory"
)

// A prefix is an oracle over the first n samples of another. It has the methods of every ability that it could
// pass on, also of those that the other lacks: ask by ability.
type prefix struct {
	saddle.Oracle
	n int

	// The abilities of the other, nil where it lacks one.
	selectable  saddle.Selectable
	conditioned saddle.Conditioned
	changed     saddle.Changed
	curved      saddle.Curved
	products    saddle.Products
	margins     saddle.CurvedMargins
	below       saddle.CurvatureBoundedBelow
	rounded     saddle.Rounded
	spacious    saddle.Spacious
}

func newPrefix(o saddle.Oracle, n int) *prefix {
	p := &prefix{Oracle: o, n: n}
	p.selectable, _ = saddle.Ability[saddle.Selectable](o)
	p.conditioned, _ = saddle.Ability[saddle.Conditioned](o)
	p.changed, _ = saddle.Ability[saddle.Changed](o)
	p.curved, _ = saddle.Ability[saddle.Curved](o)
	p.products, _ = saddle.Ability[saddle.Products](o)
	p.margins, _ = saddle.Ability[saddle.CurvedMargins](o)
	p.below, _ = saddle.Ability[saddle.CurvatureBoundedBelow](o)
	p.rounded, _ = saddle.Ability[saddle.Rounded](o)
	p.spacious, _ = saddle.Ability[saddle.Spacious](o)
	return p
}

// Base returns the oracle that the prefix is of.
func (p *prefix) Base() saddle.Oracle { return p.Oracle }

// Dims implements Oracle.
func (p *prefix) Dims() (n, d, slope int) {
	_, d, slope = p.Oracle.Dims()
	return p.n, d, slope
}

// NonNegative passes the ability on.
func (p *prefix) NonNegative() bool {
	o, ok := saddle.Ability[saddle.NonNegative](p.Oracle)
	return ok && o.NonNegative()
}

// CurvatureTo passes the Curved ability on.
func (p *prefix) CurvatureTo(curvature, slope []float64, lo, hi int) {
	p.curved.CurvatureTo(curvature, slope, lo, hi)
}

// AddGramTo passes the Curved ability on.
func (p *prefix) AddGramTo(dst, weight []float64, lo, hi int) {
	p.curved.AddGramTo(dst, weight, lo, hi)
}

// MarginsTo passes the Products ability on.
func (p *prefix) MarginsTo(margin, v []float64, lo, hi int) {
	if p.margins != nil {
		p.margins.MarginsTo(margin, v, lo, hi)
		return
	}
	p.products.MarginsTo(margin, v, lo, hi)
}

// CurveTo passes the CurvedMargins ability on.
func (p *prefix) CurveTo(margin, weight, response, slope []float64, lo, hi int) {
	p.margins.CurveTo(margin, weight, response, slope, lo, hi)
}

// ClassOf passes the Classified ability on.
func (p *prefix) ClassOf(j int) int {
	o, _ := saddle.Ability[saddle.Classified](p.Oracle)
	return o.ClassOf(j)
}

// DiagonalTo passes the CurvedMargins ability on.
func (p *prefix) DiagonalTo(dst []float64, c int, weight, response, slope []float64, lo, hi int) {
	p.margins.DiagonalTo(dst, c, weight, response, slope, lo, hi)
}

// GramOf passes the CurvedMargins ability on.
func (p *prefix) GramOf(dst []float64, samples []int, weight []float64) {
	p.margins.GramOf(dst, samples, weight)
}

// SquaresOf passes the CurvedMargins ability on.
func (p *prefix) SquaresOf(dst []float64, samples []int, weight []float64) {
	p.margins.SquaresOf(dst, samples, weight)
}

// CurvatureLowerBoundTo passes the CurvatureBoundedBelow ability on.
func (p *prefix) CurvatureLowerBoundTo(curvature, slope []float64, lo, hi int) (radius, decay float64) {
	return p.below.CurvatureLowerBoundTo(curvature, slope, lo, hi)
}

// NormsTo passes the CurvatureBoundedBelow ability on.
func (p *prefix) NormsTo(dst, scale []float64, lo, hi int) {
	p.below.NormsTo(dst, scale, lo, hi)
}

// Select passes the Selectable ability on.
func (p *prefix) Select(samples []int) saddle.Oracle {
	return p.selectable.Select(samples)
}

// Arena passes the Spacious ability on.
func (p *prefix) Arena() *memory.Arena { return p.spacious.Arena() }

// MostSelected passes the Spacious ability on.
func (p *prefix) MostSelected() int { return p.spacious.MostSelected() }

// Bytes returns the memory of these samples.
func (p *prefix) Bytes() int64 {
	n, d, _ := p.Oracle.Dims()
	if s, ok := saddle.Ability[saddle.Stored](p.Oracle); ok {
		return int64(float64(s.Bytes()) * float64(p.n) / float64(n))
	}
	return 8 * int64(p.n) * int64(d)
}

// Work scales the Worked ability.
func (p *prefix) Work() (pass, gram float64) {
	n, _, _ := p.Oracle.Dims()
	pass, gram = saddle.WorkOf(p.Oracle)
	share := float64(p.n) / float64(n)
	return share * pass, share * gram
}

// AddSquaresTo passes the Products ability on.
func (p *prefix) AddSquaresTo(dst, weight []float64, lo, hi int) {
	p.products.AddSquaresTo(dst, weight, lo, hi)
}

// AddChangeTo passes the Changed ability on.
func (p *prefix) AddChangeTo(dst, weight, slope, oldWeight, oldSlope []float64, lo, hi int) {
	p.changed.AddChangeTo(dst, weight, slope, oldWeight, oldSlope, lo, hi)
}

// ConstantsTo passes the Conditioned ability on; the constants of all samples are
// computed.
func (p *prefix) ConstantsTo(lipschitz, smoothness, x []float64) {
	n, _, _ := p.Oracle.Dims()
	h, m := make([]float64, n), make([]float64, n)
	p.conditioned.ConstantsTo(h, m, x)
	copy(lipschitz, h[:p.n])
	copy(smoothness, m[:p.n])
}

// Rounding passes the Rounded ability on.
func (p *prefix) Rounding() (terms int, largest []float64, smoothness float64) {
	return p.rounded.Rounding()
}
