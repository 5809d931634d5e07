package dro

import (
	"fmt"
	"strings"

	"github.com/drotrain/drotrain/dro/internal/hessian"
	"github.com/drotrain/drotrain/dro/internal/newton"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/internal/tuning"
)

var formedPasses = tuning.New("dro: cost of a Hessian, above which conjugate gradients take its place", "passes", 15, 4, 60)

// Choose returns the method that is likely to certify p in the least time, and why,
// in words. Where the objective has a Hessian that is Newton's method: with the
// Hessian formed where that costs little beside the passes over the data, else by
// conjugate gradients; and on growing prefixes of the samples where there are many of
// them, which supposes that they are in random order. Where a Hessian costs several steps of
// L-BFGS these come first, while they do well. It returns nil where no method of this package
// solves p, and why says what p lacks.
func Choose(p *Problem) (m Method, why string) {
	p = prepared(p)
	n, d, _ := p.Oracle.Dims()
	growing := Growing{}
	switch {
	case saddle.Supports(Minimax{}, p):
		m, why = newton.Guarded{Method: Minimax{}}, "nu is 0, so that the objective is the largest of many smooth pieces: quadratic problems of those that matter"
		if newton.GrowsWell(n, d) {
			m = Growing{Finish: m}
			why += fmt.Sprintf(", on growing prefixes of the %d rows", n)
		}
		return m, why
	case saddle.Supports(Smoothing{}, p) && !saddle.Differentiable(p):
		return Smoothing{}, "nu is 0, so that the objective is a maximum, without a gradient: penalties that fall to nothing"
	case !saddle.Differentiable(p):
		return proximal(p, "nu is 0, so that the objective is a maximum, without a gradient")
	case !saddle.Supports(growing, p) && !saddle.Supports(LBFGS{}, p):
		return proximal(p, "the regulariser has no gradient that is known: proximal steps")
	case !saddle.Supports(growing, p):
		return LBFGS{}, "the objective has gradients, and no Hessian that is known"
	}
	pass, gram := saddle.WorkOf(p.Oracle)
	grows, rows := newton.GrowsWell(n, d), n
	if grows {
		rows = newton.LastSample(p.Oracle, n)
	}
	passes := (gram*float64(rows)/float64(n) + newton.FactorWork(d)) / pass
	m = Newton{}
	if why = fmt.Sprintf("a Hessian of %d columns, over %d rows, costs %.2g passes", d, rows, passes); saddle.Supports(NewtonCG{}, p) && (d > hessian.MaxColumns || passes > formedPasses.Value) {
		m = NewtonCG{}
		growing.Finish = m
		why += ": conjugate gradients instead"
	}
	defer func() { m = newton.Guarded{Method: m} }()
	if grows {
		return growing, fmt.Sprintf("%s on growing prefixes of the %d rows; %s", m.Name(), n, why)
	}
	return m, why
}

// proximal returns the method of proximal steps for p: of all weights together where its dual
// has such a step, else of block after block, else none.
func proximal(p *Problem, because string) (m Method, why string) {
	switch {
	case saddle.Supports(primaldual.FullVector{}, p):
		return primaldual.FullVector{}, because
	case saddle.Supports(primaldual.SeparableBlock{}, p):
		return primaldual.SeparableBlock{}, because
	}
	return nil, "no method solves this problem: " + because + "; " + strings.TrimPrefix(saddle.Refusal(primaldual.FullVector{}, p).Error(), "dro: ")
}

// OnPrefixes returns m as the last stage of Growing where m can start with the Hessian of the
// stage before, as the methods of the paper can; else m. Where the samples are too few for prefixes of them to
// say much, one half of them comes first, and that only where the adversary rests on few at the start.
func OnPrefixes(p *Problem, m Method) Method {
	p = prepared(p)
	n, d, _ := p.Oracle.Dims()
	if heir, ok := saddle.Ability[saddle.Inheriting](m); ok && heir.TakesOver() && saddle.Supports(Newton{}, p) {
		return Growing{Finish: m, OnFew: !newton.GrowsWell(n, d)}
	}
	return m
}
