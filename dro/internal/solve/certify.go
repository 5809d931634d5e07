package solve

import (
	"github.com/drotrain/drotrain/dro/internal/newton"
	"github.com/drotrain/drotrain/dro/internal/saddle"
)

// pointPasses is the largest cost, in passes, of a lower bound from the curvature, as documented at Certify and
// Path.Add.
const pointPasses = 10

// Certify bounds the optimum of p from one point x, length d, and nothing else:
// the upper bound is the objective there, the lower one what the adversary's best
// response at x proves. It takes a pass, half of one or more with an intercept, and
// up to a dozen where the curvature of the losses is known. Errors are those of an unusable problem or point.
func Certify(p *saddle.Problem, x []float64) (saddle.Certificate, error) {
	c, err := certifierAt(p, x)
	if err != nil {
		return saddle.Certificate{}, err
	}
	defer c.Free()
	return c.Best, nil
}

// certifierAt returns a certifier that has evaluated and certified x. The caller frees it.
func certifierAt(p *saddle.Problem, x []float64) (c *saddle.Certifier, err error) {
	if err := saddle.Validate(p); err != nil {
		return nil, err
	}
	_, d, _ := p.Oracle.Dims()
	s := saddle.DefaultSettings()
	s.X0 = x
	if err := s.Validate(d); err != nil {
		return nil, err
	}
	if x, err = s.StartingPoint(p); err != nil {
		return nil, err
	}
	r := &saddle.Run{Problem: p, Settings: s, Cert: saddle.NewCertifier(p)}
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
