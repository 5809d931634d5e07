package dro

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// A Method is a way to solve a Problem: FullVector, LBFGS, … Its fields are
// settings; one value may be used for many solves at once.
type Method interface {
	// Name is the method's name on the command line.
	Name() string

	// Needs is what the method asks of a problem; Solve refuses one that lacks any.
	Needs() []Need

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

	// Snapshot is called after every check point with the state of the solve;
	// given back as Resume, with the same problem, method and settings, it
	// continues bit for bit as if nothing had happened. Both may be nil. lbfgs
	// takes no snapshots.
	Snapshot func(state []byte)
	Resume   []byte
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

	// Inconsistent: the lower bound came out above the upper one, beyond the rounding that
	// both allow for. Neither bound is to be trusted.
	Inconsistent
)

func (s Status) String() string {
	names := [...]string{"not solved", "certified", "limit", "stalled", "cancelled", "inconsistent"}
	if s < 0 || int(s) >= len(names) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return names[s]
}

// A Result is the best point found and what is proved about it.
type Result struct {
	X   []float64 // d: the point with the best upper bound
	Y   []float64 // n: the adversary's best response at X
	Tau float64   // threshold τ of Σ y = 1 at X

	// Drawn is the point of the paper's random return rule, x_t̂ with t̂ = k
	// drawn with probability a_k/A_t since the last restart: what the theorems
	// bound in expectation. It is not what the certificate is about. Nil for a
	// method that is not of the template.
	Drawn []float64

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
	ctx      context.Context // of the loop that steps, for solves within a step
	problem  *Problem
	settings Settings
	cert     *certifier
	x0       []float64
	source   *rand.PCG // of every random choice
}

// certified reports that the gap asked for is proved.
func (r *run) certified() bool { return r.cert.best.Relative() <= r.settings.RelativeGap }

func (r *run) logf(format string, args ...any) {
	if r.settings.Logf != nil {
		r.settings.Logf(format, args...)
	}
}

// Solve runs m on p until the relative gap asked for is certified, a limit is
// reached, no progress is possible, or ctx is done. Limits are statuses. A
// cancelled context is an error besides a valid Result; every other error means
// invalid input, or numbers beyond double precision (OverflowError), and a nil Result.
func Solve(ctx context.Context, p *Problem, m Method, s Settings) (*Result, error) {
	l, err := newLoop(p, m, s)
	if err != nil {
		return nil, err
	}
	l.loop(ctx)
	if l.failed != nil {
		return nil, l.failed
	}
	l.finish()
	if l.result.Status == Cancelled {
		return l.result, context.Cause(ctx)
	}
	return l.result, nil
}

// Certify bounds the optimum of p from one point x, length d, and nothing else:
// the upper bound is the objective there, the lower one what the adversary's best
// response at x proves. It takes a pass, half of one or more with an intercept, and
// up to a dozen where the curvature of the losses is known. Errors are those of an unusable problem or point.
func Certify(p *Problem, x []float64) (Certificate, error) {
	if err := p.Validate(); err != nil {
		return Certificate{}, err
	}
	_, d, _ := p.Oracle.Dims()
	s := DefaultSettings()
	if s.X0 = x; x == nil {
		s.X0 = make([]float64, d)
	}
	if err := s.validate(d); err != nil {
		return Certificate{}, err
	}
	r := &run{problem: p, settings: s, cert: newCertifier(p)}
	if err := r.validateFree(); err != nil {
		return Certificate{}, err
	}
	r.cert.evaluate(s.X0)
	r.cert.certify()
	if d <= maxMetric {
		const most = 10 // passes
		count := affordable(r.cert, most)
		certifyCurved(r.cert, count, count, most)
	}
	return r.cert.best, nil
}

// A loop is a solve in progress: certificate, stop, restart, in this order at
// every check point.
type loop struct {
	*run
	name   string
	method stepper
	result *Result
	next   float64       // passes at which the next check is due
	failed error         // what a step said, if it was no status
	began  time.Time     // of this process
	before time.Duration // spent before a resumption
}

func newLoop(p *Problem, m Method, s Settings) (*loop, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := unmet(m, p); err != nil {
		return nil, err
	}
	_, d, _ := p.Oracle.Dims()
	if err := s.validate(d); err != nil {
		return nil, err
	}
	r := &run{ctx: context.Background(), problem: p, settings: s, cert: newCertifier(p), x0: make([]float64, d),
		source: rand.NewPCG(s.Seed, 0x64726f)}
	if err := r.validateFree(); err != nil {
		return nil, err
	}
	if s.X0 != nil {
		copy(r.x0, s.X0)
		if set, ok := p.Primal.(bounded); ok {
			if err := set.contains(r.x0); err != nil {
				return nil, fmt.Errorf("dro: %w", err)
			}
		}
	} else if o, ok := p.Primal.(Started); ok {
		o.StartingPoint(r.x0)
	}
	l := &loop{run: r, name: m.Name(), result: &Result{}, began: time.Now()}
	var err error
	if l.method, err = m.start(r); err != nil {
		return nil, err
	}
	if s.Resume != nil {
		return l, l.resume()
	}
	if late, ok := l.method.(interface{ startsLate() bool }); !ok || !late.startsLate() {
		if math.IsInf(r.cert.evaluate(r.x0), 1) {
			return nil, errors.New("dro: the objective is not finite at the starting point")
		}
		r.cert.certify()
	}
	l.next = r.cert.passes
	l.record()
	return l, nil
}

// loop steps until there is a status: certified, cancelled, or at a limit.
func (l *loop) loop(ctx context.Context) {
	l.ctx, l.cert.ctx = ctx, ctx
	for l.result.Status == NotSolved {
		switch {
		case !l.cert.best.Consistent():
			l.result.Status = Inconsistent
			l.logf("the lower bound %v is above the upper bound %v: neither holds", l.cert.best.Lower, l.cert.best.Upper)
		case l.certified():
			l.result.Status = Certified
		case ctx.Err() != nil:
			l.result.Status = Cancelled
		case l.cert.passes >= l.settings.MaxPasses:
			l.result.Status = Limit
		default:
			l.step()
		}
	}
}

// step performs one iteration, and a check when one is due: when the method says
// so if it has an opinion, else by the passes.
func (l *loop) step() {
	err := l.method.step()
	l.result.Iterations++
	due := l.cert.passes >= l.next
	if w, ok := l.current().(interface{ wantsCheck() bool }); ok {
		due = w.wantsCheck()
	}
	if err != nil || due || l.cert.passes >= l.settings.MaxPasses {
		l.method.check()
		l.record()
		l.next = l.cert.passes + max(l.settings.CheckEvery, l.cert.passes/10)
		l.snapshot()
	}
	if err != nil && l.cert.best.Consistent() && l.cert.best.Relative() > l.settings.RelativeGap {
		l.result.Status = Stalled
		if err != errStalled {
			l.failed = err
		}
	}
}

// A delegating stepper lets another one work.
type delegating interface{ current() stepper }

// current returns the stepper at work.
func (l *loop) current() stepper {
	if d, ok := l.method.(delegating); ok {
		return d.current()
	}
	return l.method
}

// record appends what is known to the trace and tells the observer.
func (l *loop) record() {
	c := Check{Certificate: l.cert.best, Passes: l.cert.passes, Elapsed: l.elapsed()}
	l.result.Trace = append(l.result.Trace, c)
	if l.settings.Observe != nil {
		l.settings.Observe(c)
	}
}

func (l *loop) elapsed() time.Duration { return l.before + time.Since(l.began) }

// finish fills in the result: the best point and the weights there.
func (l *loop) finish() {
	c, res := l.cert, l.result
	if math.IsInf(c.bestObjective, 1) { // ended before the first evaluation
		c.evaluate(l.x0)
		c.certify()
	}
	if last := len(res.Trace) - 1; last < 0 || res.Trace[last].Certificate != c.best {
		l.record() // certified within a step
	}
	res.X, res.Objective, res.Risk, res.Tau = c.bestX, c.bestObjective, c.bestRisk, c.bestTau
	res.Certificate, res.Passes = c.best, c.passes
	if !slices.Equal(c.x, res.X) {
		c.eval(res.X) // not counted: for the caller
		c.p.Dual.BestResponseTo(c.y, c.value)
	}
	res.Y = c.y
	if w, ok := l.method.(interface{ drawn() []float64 }); ok {
		res.Drawn = w.drawn()
	}
	res.Elapsed = l.elapsed()
}
