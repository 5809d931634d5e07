package saddle

import (
	"errors"
	"fmt"
	"strings"
)

// A Need is a condition that a method imposes on a problem.
type Need struct {
	What string // description that follows "METHOD needs"

	Holds func(p *Problem) bool
}

// IsMet reports whether p meets the need.
func (n Need) IsMet(p *Problem) bool { return n.Holds(p) }

// Unmet returns the needs of m that p does not meet.
func Unmet(m Method, p *Problem) []Need {
	var out []Need
	for _, n := range m.Needs() {
		if !n.IsMet(p) {
			out = append(out, n)
		}
	}
	return out
}

// Supports reports whether p meets all needs of m.
func Supports(m Method, p *Problem) bool { return RefusalError(m, p) == nil }

// RefusalError returns an error that names all needs of m that p does not meet.
func RefusalError(m Method, p *Problem) error {
	var what []string
	for _, n := range Unmet(m, p) {
		what = append(what, n.What)
	}
	if _, ok := shardDual(p); !ok {
		what = append(what, fmt.Sprintf("an adversary on the simplex for rows distributed over MPI ranks, which %T is not",
			p.Dual))
	}
	if what == nil {
		return nil
	}
	return errors.New("dro: " + m.Name() + " needs " + strings.Join(what, "; and "))
}

var (
	NeedGradient = Need{"ν > 0, given weights or a ball that is small enough, for without a penalty the objective is " +
		"a maximum, which has no gradient", IsDifferentiable}
	NeedMirror = Need{"a dual with a proximal step (ProxTo)", func(p *Problem) bool {
		_, ok := MirrorOf(p.Dual)
		return ok
	}}
	NeedBlocks = Need{"a dual that is separable, or the simplex with a separable penalty (BlockStepTo)",
		func(p *Problem) bool {
			_, ok := SeparatedOf(p.Dual, 1)
			return ok || Has[Separable](p.Dual)
		}}
	NeedLocalRows = Need{"rows that are not distributed over MPI ranks (newton and lbfgs can have these)",
		func(p *Problem) bool { return RowsOf(p.Oracle) == nil }}
	NeedConstants = Need{"an oracle that states its Lipschitz constants (ConstantsTo)",
		func(p *Problem) bool { return Has[Conditioned](p.Oracle) }}
	NeedNorm   = Need{"a dual that states its norm (NormScale)", func(p *Problem) bool { return Has[Normed](p.Dual) }}
	NeedSmooth = Need{"a regulariser with a gradient (AddGradTo)",
		func(p *Problem) bool { return Has[Smooth](p.Primal) }}
	NeedLinearModel = Need{"the oracle of a linear model (losses.Linear)",
		func(p *Problem) bool { return Has[LinearModel](p.Oracle) }}
	NeedClassModel = Need{"the oracle of a model of several classes (losses.Softmax)",
		func(p *Problem) bool { return Has[ClassModel](p.Oracle) }}
	NeedResponse = Need{"a dual that says how its weights move with the losses (the adversaries on the simplex)",
		func(p *Problem) bool { return Has[Adversary](p.Dual) }}
	NeedRidge = Need{"the L2 regulariser", func(p *Problem) bool {
		_, d, _ := p.Oracle.Dims()
		return RidgeOf(p.Primal, d) != nil
	}}
	NeedPolyhedral = Need{"ν = 0 and a dual that is a polyhedron of weights on samples or on groups of them", isPolyhedral}
	NeedSmoothable = Need{"ν = 0 and a dual that can be penalised (the adversaries on the simplex)",
		func(p *Problem) bool { return p.Dual.Modulus() == 0 && Has[Adversary](p.Dual) }}
)

// isPolyhedral reports whether the dual is a polyhedron without a penalty.
func isPolyhedral(p *Problem) bool {
	a, ok := p.Dual.(Adversary)
	return ok && a.Polyhedral()
}

// Or returns a need that is met if either is.
func (n Need) Or(other Need) Need {
	return Need{n.What + ", or " + other.What, func(p *Problem) bool { return n.IsMet(p) || other.IsMet(p) }}
}
