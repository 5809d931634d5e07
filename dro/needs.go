package dro

import (
	"errors"
	"fmt"
	"strings"
)

// A Need is what a method asks of a problem: an ability of one of its parts, or a
// penalty, or a size.
type Need struct {
	What string // in words, naming the ability

	met func(p *Problem) bool
}

// Met reports whether p has what is needed.
func (n Need) Met(p *Problem) bool { return n.met(p) }

// Unmet returns what m needs and p lacks.
func Unmet(m Method, p *Problem) []Need {
	var out []Need
	for _, n := range m.Needs() {
		if !n.Met(p) {
			out = append(out, n)
		}
	}
	return out
}

// supports reports that p has all that m needs.
func supports(m Method, p *Problem) bool { return len(Unmet(m, p)) == 0 }

// unmet names everything that m needs and p lacks, at once.
func unmet(m Method, p *Problem) error {
	var what []string
	for _, n := range Unmet(m, p) {
		what = append(what, n.What)
	}
	if what == nil {
		return nil
	}
	return errors.New("dro: " + m.Name() + " needs " + strings.Join(what, "; and "))
}

var (
	needGradient = Need{"ν > 0, given weights or a ball that is small enough, for without a penalty the objective is a maximum, which has no gradient", differentiable}
	needMirror   = Need{"a dual with a proximal step (the Mirror ability)", func(p *Problem) bool {
		_, ok := p.Dual.(Mirror)
		return ok
	}}
	needBlocks = Need{"a dual that is separable, or the simplex with a separable penalty (the Separable or the Liftable ability)", func(p *Problem) bool {
		_, separable := p.Dual.(Separable)
		_, liftable := p.Dual.(Liftable)
		return separable || liftable
	}}
	needConstants = Need{"an oracle that states its Lipschitz constants (the Conditioned ability)", func(p *Problem) bool {
		_, ok := ability[Conditioned](p.Oracle)
		return ok
	}}
	needNorm = Need{"a dual that states its norm (the Normed ability)", func(p *Problem) bool {
		_, ok := p.Dual.(Normed)
		return ok
	}}
	needSmooth = Need{"a regulariser with a gradient (the Smooth ability)", func(p *Problem) bool {
		_, ok := p.Primal.(Smooth)
		return ok
	}}
	needCurved = Need{"an oracle with scalar slopes and second derivatives (the Curved ability)", func(p *Problem) bool {
		_, ok := ability[Curved](p.Oracle)
		_, _, s := p.Oracle.Dims()
		return ok && s == 1
	}}
	needProducts = Need{"an oracle with products (the Products ability)", func(p *Problem) bool {
		_, ok := ability[Products](p.Oracle)
		return ok
	}}
	needResponse = Need{"a dual that says how its weights move with the losses (the Responsive ability)", func(p *Problem) bool {
		return responsive(p.Dual)
	}}
	needRidge = Need{"the L2 regulariser (the Ridge ability)", func(p *Problem) bool {
		_, d, _ := p.Oracle.Dims()
		return ridgeOf(p.Primal, d) != nil
	}}
	needFewColumns = Need{fmt.Sprintf("at most %d parameters", maxMetric), func(p *Problem) bool {
		_, d, _ := p.Oracle.Dims()
		return d <= maxMetric
	}}
	needSmoothable = Need{"ν = 0 and a dual that can be penalised (the Smoothable ability)", func(p *Problem) bool {
		_, ok := p.Dual.(Smoothable)
		return ok && p.Dual.Modulus() == 0
	}}
)

// hessianNeeds are the needs of every method that uses the Hessian of P.
var hessianNeeds = []Need{needGradient, needCurved, needResponse, needRidge}

// or is met where either is.
func (n Need) or(other Need) Need {
	return Need{n.What + ", or " + other.What, func(p *Problem) bool { return n.Met(p) || other.Met(p) }}
}

// unlessPracticable is needed for the theoretical schedule alone, to which the
// practical one turns where the Hessian of P cannot be formed.
func unlessPracticable(n Need) Need {
	return Need{n.What + ", where the Hessian of the objective is not known", func(p *Problem) bool { return practicable(p) || n.Met(p) }}
}

// scheduleNeeds are the needs of a schedule.
func scheduleNeeds(s Schedule) []Need {
	if s == Theory {
		return []Need{needConstants, needNorm}
	}
	return []Need{unlessPracticable(needConstants), unlessPracticable(needNorm)}
}

// Needs implements Method.
func (m FullVector) Needs() []Need { return append([]Need{needMirror}, scheduleNeeds(m.Schedule)...) }

// Needs implements Method: the sampling of blocks takes the constants with either
// schedule.
func (Stochastic) Needs() []Need { return []Need{needMirror, needConstants, needNorm} }

// Needs implements Method.
func (m SeparableBlock) Needs() []Need {
	constants := needConstants
	if m.Schedule == Practical && !m.ThreeTouches {
		constants = unlessPracticable(constants)
	}
	return []Need{needBlocks, constants}
}

// Needs implements Method.
func (LBFGS) Needs() []Need { return []Need{needGradient, needSmooth} }

// Needs implements Method.
func (Newton) Needs() []Need { return append([]Need{needFewColumns}, hessianNeeds...) }

// Needs implements Method.
func (NewtonCG) Needs() []Need { return append([]Need{needProducts}, hessianNeeds...) }

// Needs implements Method: those of the method that it finishes with.
func (m Growing) Needs() []Need {
	if m.Finish != nil {
		return m.Finish.Needs()
	}
	return append([]Need{needFewColumns.or(needProducts)}, hessianNeeds...)
}

// Needs implements Method.
func (Smoothing) Needs() []Need {
	return []Need{needSmoothable, needCurved, needRidge, needFewColumns}
}

// Needs implements Method.
func (m Guarded) Needs() []Need { return append([]Need{needSmoothable}, m.Method.Needs()...) }
