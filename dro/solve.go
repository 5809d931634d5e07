package dro

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// A Method is a way to solve a Problem: FullVector, LBFGS, … Its fields are
// settings; one value may be used for many solves at once.
type Method interface {
	// Name is the method's name on the command line.
	Name() string

	start(r *run) (stepper, error)
}

// A stepper is a method at work on one problem.
type stepper interface {
	// step performs one iteration. It returns errStalled when no further
	// progress is possible.
	step() error

	// check evaluates what the method has to offer at the certifier of its run.
	check()
}

var errStalled = errors.New("no further progress in double precision")

// Settings say where to start and when to stop. Start from DefaultSettings.
type Settings struct {
	X0          []float64 // starting point, length d; nil: zeros, or what a Started primal says
	RelativeGap float64   // stop when certified to this relative gap; > 0
	MaxPasses   float64   // stop after this many passes over the data; > 0
	CheckEvery  float64   // passes between check points, at least; later a tenth of the passes so far
	Seed        uint64    // of every random choice

	Observe func(Check)          // called at every check point; may be nil
	Logf    func(string, ...any) // decisions of the method, one line each; may be nil
}

// DefaultSettings asks for a relative gap of 1e-6 within 10 000 passes.
func DefaultSettings() Settings {
	return Settings{RelativeGap: 1e-6, MaxPasses: 10000, CheckEvery: 2}
}

func (s *Settings) validate(d int) error {
	if s.X0 != nil && len(s.X0) != d {
		return fmt.Errorf("dro: the starting point has %d entries, the problem %d parameters", len(s.X0), d)
	}
	for i, v := range s.X0 {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("dro: entry %d of the starting point is %v", i, v)
		}
	}
	if !(s.RelativeGap > 0) {
		return fmt.Errorf("dro: the relative gap to reach is %v: it must be > 0", s.RelativeGap)
	}
	if !(s.MaxPasses > 0) {
		return fmt.Errorf("dro: at most %v passes: it must be > 0", s.MaxPasses)
	}
	if !(s.CheckEvery > 0) {
		return fmt.Errorf("dro: a check every %v passes: it must be > 0", s.CheckEvery)
	}
	return nil
}

// A Check is what is known at a check point. The bounds are the best so far.
type Check struct {
	Certificate
	Passes  float64
	Elapsed time.Duration
}

// Status says why a solve ended.
type Status int

const (
	NotSolved Status = iota // the zero value: nothing was solved
	Certified               // the relative gap asked for is proved
	Limit                   // the passes allowed were used up
	Stalled                 // the method can make no further progress in double precision
	Cancelled               // the context was cancelled
)

func (s Status) String() string {
	return [...]string{"not solved", "certified", "limit", "stalled", "cancelled"}[s]
}

// A Result is the best point found and what is proved about it.
type Result struct {
	X   []float64 // d: the point with the best upper bound
	Y   []float64 // n: the adversary's best response at X
	Tau float64   // threshold τ of Σ y = 1 at X

	Objective   float64 // P(X) = Risk + φ(X)
	Risk        float64 // R(X), the robust risk
	Certificate Certificate
	Status      Status

	Iterations int
	Passes     float64
	Elapsed    time.Duration
	Trace      []Check // one entry per check point
}

// A run is one solve in progress: what the methods share.
type run struct {
	problem  *Problem
	settings Settings
	cert     *certifier
	x0       []float64
}

func (r *run) logf(format string, args ...any) {
	if r.settings.Logf != nil {
		r.settings.Logf(format, args...)
	}
}

// due reports that a check is due: when the method says so, if it has an opinion.
func due(m stepper, byPasses bool) bool {
	if w, ok := m.(interface{ wantsCheck() bool }); ok {
		return w.wantsCheck()
	}
	return byPasses
}

// Solve runs m on p until the relative gap asked for is certified, a limit is
// reached, no progress is possible, or ctx is done. Limits are statuses. A
// cancelled context is an error besides a valid Result; every other error means
// invalid input, and a nil Result.
func Solve(ctx context.Context, p *Problem, m Method, s Settings) (*Result, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	_, d, _ := p.Oracle.Dims()
	if err := s.validate(d); err != nil {
		return nil, err
	}
	began := time.Now()
	r := &run{problem: p, settings: s, cert: newCertifier(p), x0: make([]float64, d)}
	if s.X0 != nil {
		copy(r.x0, s.X0)
	} else if o, ok := p.Primal.(Started); ok {
		o.StartingPoint(r.x0)
	}
	method, err := m.start(r)
	if err != nil {
		return nil, err
	}
	if math.IsInf(r.cert.evaluate(r.x0), 1) {
		return nil, errors.New("dro: the objective is not finite at the starting point")
	}
	res := &Result{}
	check := func() {
		c := Check{Certificate: r.cert.best, Passes: r.cert.passes, Elapsed: time.Since(began)}
		res.Trace = append(res.Trace, c)
		if s.Observe != nil {
			s.Observe(c)
		}
	}
	r.cert.certify()
	check()
	for next := r.cert.passes; res.Status == NotSolved; {
		switch {
		case r.cert.best.Relative() <= s.RelativeGap:
			res.Status = Certified
			continue
		case ctx.Err() != nil:
			res.Status = Cancelled
			continue
		case r.cert.passes >= s.MaxPasses:
			res.Status = Limit
			continue
		}
		err := method.step()
		res.Iterations++
		if err != nil || due(method, r.cert.passes >= next) || r.cert.passes >= s.MaxPasses {
			method.check()
			check()
			next = r.cert.passes + max(s.CheckEvery, r.cert.passes/10)
		}
		if err != nil && r.cert.best.Relative() > s.RelativeGap {
			res.Status = Stalled
		}
	}
	c := r.cert
	res.X, res.Objective, res.Risk, res.Tau = c.bestX, c.bestObjective, c.bestRisk, c.bestTau
	res.Certificate, res.Passes = c.best, c.passes
	c.eval(res.X) // not counted: the weights of the point returned, for the caller
	c.p.Dual.BestResponseTo(c.y, c.value)
	res.Y = c.y
	res.Elapsed = time.Since(began)
	if res.Status == Cancelled {
		return res, context.Cause(ctx)
	}
	return res, nil
}
