package export

import (
	"math"

	"github.com/drotrain/drotrain/train/score"
)

// product adds the contribution of a product to the margins.
func (g *graph) product(i int) string {
	f := g.formulas[0]
	p := &f.Products[i]
	v := ""
	for k := range p.Factors {
		x := &p.Factors[k]
		factor := g.factor(x, f.Terms[x.Term], g.columns[x.Term])
		if v == "" {
			v = factor
		} else {
			v = g.op("Mul", v, factor)
		}
	}
	v = g.op("Sub", v, g.scalar(p.Shift))
	v = g.op("Div", v, g.scalar(p.Scale))
	return g.op("Mul", v, g.each(func(f *score.Formula) float64 { return f.Products[i].Weight }))
}

func (g *graph) factor(x *score.Factor, t score.Term, c *onnxColumn) string {
	if t.Kind == score.Numeric {
		return g.function(&x.Function, c.value)
	}
	weights, missing := make([]float64, len(t.Levels)), 0.0
	if x.Level < len(weights) {
		weights[x.Level] = 1
	} else {
		missing = 1
	}
	return g.lookup(c, func(*score.Formula) ([]float64, float64) { return weights, missing }, g.formulas[:1])
}

// scalar adds a number for every row.
func (g *graph) scalar(v float64) string { return g.doubles([]int64{1, 1}, v) }

// function adds f applied to a value; it is NaN outside the domain of f.
func (g *graph) function(f *score.Function, v string) string {
	switch f.Name {
	case "log":
		return g.op("Where", g.op("Greater", v, g.scalar(0)), g.op("Log", v), g.scalar(math.NaN()))
	case "log1p": // log(1+v) keeps the digits of a small v by the rounding of 1+v
		one := g.scalar(1)
		u := g.op("Add", v, one)
		log := g.op("Mul", g.op("Log", u), g.op("Div", v, g.op("Sub", u, one)))
		return g.op("Where", g.op("Greater", v, g.scalar(-1)), g.op("Where", g.op("Equal", u, one), v, log), g.scalar(math.NaN()))
	case "square":
		return g.op("Mul", v, v)
	case "piecewise":
		return g.piecewise(f, v)
	}
	return v
}

// piecewise adds a piecewise cubic polynomial: it counts the knots below the value and selects the coefficients
// of that piece.
func (g *graph) piecewise(f *score.Function, v string) string {
	k := int64(len(f.Knots))
	reached := g.op("GreaterOrEqual", v, g.doubles([]int64{1, k}, f.Knots...))
	ones := make([]float64, k)
	for i := range ones {
		ones[i] = 1
	}
	at := g.op("MatMul", g.node("Cast", "", []string{reached}, intAttribute("to", doubleType)), g.doubles([]int64{k, 1}, ones...))
	at = g.node("Cast", "", []string{at}, intAttribute("to", integerType))
	pieces := [][4]float64{{f.Below[0], f.Below[1]}}
	pieces = append(append(pieces, f.Pieces...), [4]float64{f.Above[0], f.Above[1]})
	table := func(of func(i int) float64) string {
		values := make([]float64, len(pieces))
		for i := range values {
			values[i] = of(i)
		}
		return g.op("Gather", g.doubles([]int64{int64(len(values))}, values...), at)
	}
	u := g.op("Sub", v, table(func(i int) float64 { return f.Knots[max(i-1, 0)] }))
	sum := table(func(i int) float64 { return pieces[i][3] })
	for c := 2; c >= 0; c-- {
		sum = g.op("Add", table(func(i int) float64 { return pieces[i][c] }), g.op("Mul", u, sum))
	}
	return sum
}
