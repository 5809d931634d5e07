package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/drotrain/drotrain/dro/saddle"
)

// Unmet returns the needs of m that p does not meet.
func Unmet(m saddle.Method, p *saddle.Problem) []saddle.Need {
	var out []saddle.Need
	for _, n := range m.Needs() {
		if !n.IsMet(p) {
			out = append(out, n)
		}
	}
	return out
}

// Supports reports whether p meets all needs of m.
func Supports(m saddle.Method, p *saddle.Problem) bool { return RefusalError(m, p) == nil }

// RefusalError returns an error that names all needs of m that p does not meet, or nil if it meets all of them.
func RefusalError(m saddle.Method, p *saddle.Problem) error {
	var what []string
	for _, n := range Unmet(m, p) {
		what = append(what, n.What)
	}
	if _, ok := shardDual(p); !ok {
		what = append(what, fmt.Sprintf("an adversary on the simplex, because the rows are distributed over MPI "+
			"ranks; %T is not on the simplex",
			p.Dual))
	}
	if what == nil {
		return nil
	}
	return errors.New("dro: " + m.Name() + " needs " + strings.Join(what, "; and "))
}

// Needs of the methods of this module.
var (
	NeedGradient = saddle.Need{What: "ν > 0, given weights or a small enough ball: otherwise the objective is a " +
		"maximum, which has no gradient", Holds: IsDifferentiable}
	NeedSmooth = saddle.Need{What: "a regulariser with a gradient (AddGradTo)",
		Holds: func(p *saddle.Problem) bool { return Implements[saddle.Smooth](p.Primal) }}
	NeedLinearModel = saddle.Need{What: "the oracle of a linear model (losses.Linear)",
		Holds: func(p *saddle.Problem) bool { return Implements[LinearModel](p.Oracle) }}
	NeedClassModel = saddle.Need{What: "the oracle of a model of several classes (losses.Softmax)",
		Holds: func(p *saddle.Problem) bool { return Implements[ClassModel](p.Oracle) }}
	NeedResponse = saddle.Need{What: "a dual that states how its weights change with the losses (the adversaries on the " +
		"simplex)",
		Holds: func(p *saddle.Problem) bool { return Implements[Curved](p.Dual) }}
	NeedRidge = saddle.Need{What: "the L2 regulariser", Holds: func(p *saddle.Problem) bool {
		_, d, _ := p.Oracle.Dims()
		return RidgeOf(p.Primal, d) != nil
	}}
	NeedPolyhedral = saddle.Need{What: "ν = 0 and a dual that is a polyhedron of weights on samples or on groups of them",
		Holds: func(p *saddle.Problem) bool { return !PiecesOf(p.Dual).IsEmpty() }}
	NeedSmoothable = saddle.Need{What: "ν = 0 and a dual that can be penalised (the adversaries on the simplex)",
		Holds: func(p *saddle.Problem) bool { return p.Dual.Modulus() == 0 && Implements[Smoothable](p.Dual) }}
)
