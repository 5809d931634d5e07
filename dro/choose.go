package dro

import "fmt"

// Choose returns the method that is likely to certify p in the least time, and why,
// in words. Where the objective has a Hessian that is Newton's method: with the
// Hessian formed where that costs little beside the passes over the data, else by
// conjugate gradients; and on growing prefixes of the samples where there are many of
// them, which supposes that they are in random order.
func Choose(p *Problem) (m Method, why string) {
	const most = 15 // passes that a Hessian may cost
	n, d, _ := p.Oracle.Dims()
	growing := Growing{}
	switch {
	case supports(Smoothing{}, p) && !differentiable(p):
		return Smoothing{}, "nu is 0, so that the objective is a maximum, without a gradient: penalties that fall to nothing"
	case !differentiable(p):
		return FullVector{}, "nu is 0, so that the objective is a maximum, without a gradient"
	case !supports(growing, p) && !supports(LBFGS{}, p):
		return FullVector{}, "the regulariser has no gradient that is known: proximal steps"
	case !supports(growing, p):
		return LBFGS{}, "the objective has gradients, and no Hessian that is known"
	}
	pass, gram := workOf(p.Oracle)
	grows, rows := growsWell(n, d), n
	if grows {
		rows = lastSample(p.Oracle, n)
	}
	passes := (gram*float64(rows)/float64(n) + factorWork(d)) / pass
	m = Newton{}
	if why = fmt.Sprintf("a Hessian of %d columns, over %d rows, costs %.2g passes", d, rows, passes); supports(NewtonCG{}, p) && (d > maxMetric || passes > most) {
		m = NewtonCG{}
		growing.Finish = m
		why += ": conjugate gradients instead"
	}
	if _, may := p.Dual.(smooth); may && p.Dual.Modulus() == 0 && d <= maxMetric {
		defer func() { m = Guarded{m} }()
	}
	if grows {
		return growing, fmt.Sprintf("%s on growing prefixes of the %d rows; %s", m.Name(), n, why)
	}
	return m, why
}

// factorWork is the work of a Cholesky factor, in the unit of Worked.
func factorWork(d int) float64 { return 0.1 * float64(d) * float64(d) * float64(d) / 3 }

// growsWell reports whether there are samples enough for a first stage to say something
// about the last.
func growsWell(n, d int) bool { return n >= 10_000 && n >= 150*d }

// Worked is the ability of an Oracle to estimate what it costs to touch all samples
// once, for losses or for a gradient (pass), and to sum their Gram matrix (gram), in
// one unit.
type Worked interface{ Work() (pass, gram float64) }

// workOf returns the work of an oracle: that of a dense matrix where it does not tell.
func workOf(o Oracle) (pass, gram float64) {
	if w, ok := ability[Worked](o); ok {
		return w.Work()
	}
	n, d, _ := o.Dims()
	pass = float64(n) * float64(d)
	return pass, 0.1 * pass * float64(d) / 2
}
