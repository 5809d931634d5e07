package dro

import (
	"fmt"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/newton"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/saddle"
)

// pointPasses limits the passes spent on a lower bound from the curvature. With the passes of the point itself this
// gives the maximum of twelve that Certify and Path.Add document.
const pointPasses = 10

// Certify bounds the optimum of p from a single point x, of length d. The upper bound is the objective at x; the
// lower bound follows from the adversary's best response at x. Certify takes one pass, and at least half a pass
// more if there is an intercept. If the curvature of the losses is known, it takes up to twelve passes. It returns
// an error for an invalid problem or point.
func Certify(p *Problem, x []float64) (Certificate, error) {
	of, err := toInternalParts(p)
	if err != nil {
		return Certificate{}, err
	}
	c, err := certifierAt(of, x)
	if err != nil {
		return Certificate{}, err
	}
	defer c.Free()
	return c.Best, nil
}

// certifierAt returns a certifier that has evaluated and certified x. The caller must free it.
func certifierAt(p *saddle.Problem, x []float64) (c *engine.Certifier, err error) {
	if err := engine.Validate(p); err != nil {
		return nil, err
	}
	_, d, _ := p.Oracle.Dims()
	s := engine.DefaultSettings()
	s.X0 = x
	if err := s.Validate(d); err != nil {
		return nil, err
	}
	if x, err = s.StartingPoint(p); err != nil {
		return nil, err
	}
	r := &engine.Run{Problem: p, Settings: s, Cert: engine.NewCertifier(p)}
	defer func() {
		if err != nil {
			r.Cert.Free()
		}
	}()
	if err := r.ValidateFree(); err != nil {
		return nil, err
	}
	r.Cert.Evaluate(x)
	if err := r.Cert.CheckPromises(); err != nil {
		return nil, err
	}
	r.Cert.CertifyUpper()
	r.Cert.Certify()
	if d <= newton.MaxColumns {
		count := newton.SamplesFor(r.Cert, pointPasses)
		newton.CertifyByCurvature(r.Cert, count, count, pointPasses)
	}
	return r.Cert, nil
}

// Evaluate returns the robust risk R(f(x)) of p at x, of length d, and the penalty coefficient ν of the best
// response: the modulus of the dual or, for a Ball over samples, the smallest ν ≥ Nu at which the best response to
// the penalty ν·D is in the ball.
// Evaluate takes half a pass. If the rows of the oracle are on several ranks, it is a collective call.
func Evaluate(p *Problem, x []float64) (risk, nu float64, err error) {
	of, err := toInternalParts(p)
	if err == nil {
		err = engine.Validate(of)
	}
	if err != nil {
		return 0, 0, err
	}
	if _, d, _ := of.Oracle.Dims(); len(x) != d {
		return 0, 0, fmt.Errorf("dro: the point has %d entries, but the problem has %d parameters", len(x), d)
	}
	e := engine.NewEvaluator(of)
	defer e.Free()
	e.Eval(x)
	risk, _ = of.Dual.BestResponseTo(e.Vector(e.N), e.Value)
	if ball, ok := of.Dual.(side.Simplex); ok {
		return risk, ball.MultiplierAt(e.Value), nil
	}
	return risk, of.Dual.Modulus(), nil
}
