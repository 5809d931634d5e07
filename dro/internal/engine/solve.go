package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/drotrain/drotrain/dro/saddle"
)

var (
	errNotFinite = errors.New("dro: the objective is not finite at the starting point")
	errNoWeights = errors.New("dro: the adversary's weights are not finite at the best point")
)

// Settings holds Options together with a function that the engine cannot import and a setting for tests.
type Settings struct {
	saddle.Options

	// CertifyConstant certifies the best constant prediction if it is optimal. It is called with quick set
	// before the first evaluation, and without quick after a method has stalled. It may be nil.
	CertifyConstant func(r *Run, quick bool)

	// PrefixRows is the minimum number of rows of a prefix on which a solve starts; 0 means 10 000.
	PrefixRows int
}

// DefaultSettings returns settings with a relative gap of 1e-6 and at most 10 000 passes.
func DefaultSettings() Settings {
	return Settings{Options: saddle.Options{RelativeGap: 1e-6, MaxPasses: 10000, CheckEvery: 2}, PrefixRows: 10_000}
}

// setDefaults replaces settings that are 0 by those of DefaultSettings.
func (s *Settings) setDefaults() {
	d := DefaultSettings()
	s.RelativeGap = cmp.Or(s.RelativeGap, d.RelativeGap)
	s.MaxPasses = cmp.Or(s.MaxPasses, d.MaxPasses)
	s.CheckEvery = cmp.Or(s.CheckEvery, d.CheckEvery)
	s.PrefixRows = cmp.Or(s.PrefixRows, d.PrefixRows)
}

// Validate returns an error about the first setting that is out of range for d parameters.
func (s *Settings) Validate(d int) error {
	if s.X0 != nil && len(s.X0) != d {
		return fmt.Errorf("dro: the starting point has %d entries, but the problem has %d parameters", len(s.X0), d)
	}
	for i, v := range s.X0 {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("dro: entry %d of the starting point is %v; it must be finite", i, v)
		}
	}
	if !(s.RelativeGap > 0) {
		return fmt.Errorf("dro: the target for the relative gap is %v; it must be > 0", s.RelativeGap)
	}
	if !(s.MaxPasses > 0) {
		return fmt.Errorf("dro: the maximum number of passes is %v; it must be > 0", s.MaxPasses)
	}
	if !(s.CheckEvery > 0) {
		return fmt.Errorf("dro: the number of passes between checks is %v; it must be > 0", s.CheckEvery)
	}
	return nil
}

// StartingPoint returns the starting point of a solve of p with valid settings, or an error if it is not in X.
func (s *Settings) StartingPoint(p *saddle.Problem) ([]float64, error) {
	_, d, _ := p.Oracle.Dims()
	x := make([]float64, d)
	if s.X0 != nil {
		copy(x, s.X0)
		return x, validatePoint(p, x)
	}
	if o, ok := p.Primal.(saddle.Started); ok {
		o.StartingPoint(x)
	}
	return x, nil
}

// A Run is the part of a solve in progress that all methods share.
type Run struct {
	Ctx      context.Context // context of the solve, for inner solves
	Problem  *saddle.Problem
	Settings Settings
	Cert     *Certifier
	Start    []float64

	Evaluated bool      // the method has moved the start and evaluated it
	Source    *rand.PCG // source of every random choice

	Drawn func() []float64 // returns the point of a method's random return rule; nil if the method has none
}

// view is a Run with the methods of saddle.Run.
type view struct{ *Run }

// View returns the run in the form in which methods use it.
func (r *Run) View() saddle.Run { return view{r} }

// RunOf returns the run for which View returned r, or an error if r is from another module.
func RunOf(r saddle.Run) (*Run, error) {
	v, ok := r.(view)
	if !ok {
		return nil, fmt.Errorf("dro: %T is not a run of dro.Solve", r)
	}
	return v.Run, nil
}

// Problem implements saddle.Run.
func (v view) Problem() *saddle.Problem { return v.Run.Problem }

// Start implements saddle.Run.
func (v view) Start() []float64 { return v.Run.Start }

// Evaluate implements saddle.Run.
func (v view) Evaluate(x []float64) float64 { return v.Cert.Evaluate(x) }

// Response implements saddle.Run.
func (v view) Response() (y, gradient []float64) { return v.Cert.Y, v.Cert.G }

// Certify implements saddle.Run.
func (v view) Certify() { v.Cert.Certify() }

// CertifyWith implements saddle.Run.
func (v view) CertifyWith(y []float64) { v.Cert.CertifyWith(y) }

// Best implements saddle.Run.
func (v view) Best() saddle.Certificate { return v.Cert.Best }

// Certified reports whether the required gap is proved.
func (r *Run) Certified() bool { return r.Cert.Best.IsWithin(r.Settings.RelativeGap) }

// Logf passes a message to the Logf of the settings, if it is set.
func (r *Run) Logf(format string, args ...any) {
	if r.Settings.Logf != nil {
		r.Settings.Logf(format, args...)
	}
}

// Solve runs m on p until the required relative gap is certified, a limit is reached, no progress is possible, or
// ctx has ended. Reaching a limit is a status, not an error. If ctx is cancelled, Solve returns its error together
// with a valid Result, whose numbers are finite except for a bound that is unknown. For every other error, the
// Result is nil; such errors report invalid input or numbers beyond double precision (OverflowError).
func Solve(ctx context.Context, p *saddle.Problem, m saddle.Method, s Settings) (*saddle.Result, error) {
	s.setDefaults()
	l, err := NewLoop(ctx, p, m, s)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	var done func()
	l.Ctx, done = l.Cert.Rows.Context(ctx)
	defer done()
	l.Iterate()
	if l.Failed != nil {
		return nil, l.Failed
	}
	l.Finish()
	if err := l.checkResult(); err != nil { // also if the solve was cancelled
		return nil, err
	}
	if err := l.Cert.CheckPromises(); err != nil {
		return nil, err
	}
	l.Cert.exclude(l.Result.Weights)
	if l.Result.Status == saddle.Cancelled {
		return l.Result, context.Cause(l.Ctx)
	}
	return l.Result, nil
}

// A Loop is a solve in progress. It tests the stopping criteria after every step of the method. At every check, at
// which a method may restart, it records the certificate.
type Loop struct {
	*Run
	name        string
	Method      saddle.Stepper
	Result      *saddle.Result
	next        float64 // passes at which the next check is due
	last        error   // error returned by the last step
	stride      float64 // number of passes of the last step
	idle        int     // number of successive steps that took no pass
	checkPasses float64 // passes of the last check, or at the start
	Failed      error   // error that ended the solve without a status
	began       time.Time
}

// NewLoop starts m on p at a first point, which it evaluates and certifies. Close ends the solve.
func NewLoop(ctx context.Context, p *saddle.Problem, m saddle.Method, s Settings) (l *Loop, err error) {
	if err := Validate(p); err != nil {
		return nil, err
	}
	if err := RefusalError(m, p); err != nil {
		return nil, err
	}
	_, d, _ := p.Oracle.Dims()
	if err := s.Validate(d); err != nil {
		return nil, err
	}
	p, _ = shardDual(p)
	r := &Run{Ctx: ctx, Problem: p, Settings: s, Cert: NewCertifier(p),
		Source: rand.NewPCG(s.Seed, 0x64726f)}
	defer func() {
		if err != nil {
			r.Cert.Free()
		}
	}()
	if r.Start, err = s.StartingPoint(p); err != nil {
		return nil, err
	}
	l = &Loop{Run: r, name: m.Name(), Result: &saddle.Result{}, began: time.Now()}
	if err := l.start(m); err != nil {
		return nil, err
	}
	return l, nil
}

// start checks the parts of the problem at a few points, starts m, and evaluates and certifies the first point.
func (l *Loop) start(m saddle.Method) (err error) {
	c := l.Cert
	c.KeepsDual = l.Settings.KeepDual
	c.Budget, c.RelativeGap = l.Settings.MaxPasses, l.Settings.RelativeGap
	if err := l.ValidateFree(); err != nil {
		return err
	}
	if err := l.ValidateForeign(); err != nil {
		return err
	}
	if certify := l.Settings.CertifyConstant; certify != nil {
		certify(l.Run, true)
	}
	if l.Method, err = m.Start(l.View()); err != nil {
		return err
	}
	if !l.Certified() {
		if !l.Evaluated {
			c.Evaluate(l.Start)
		}
		if c.responses.err != nil {
			return c.responses.err
		} else if math.IsInf(c.Objective, 1) {
			return errNotFinite
		}
		if l.Method.IsCheckDue(true) {
			c.Certify()
		} else { // the method rarely checks, so a bound is computed only if it could end the solve
			l.CertifyWhenClose()
		}
	}
	l.checkPasses = c.Passes // a check may take the same number of passes again
	l.next = c.Passes
	l.recordCheck()
	return l.checkPenaltyScale()
}

// maxPenalty is the maximum ν for a simplex, relative to the largest loss at the start of a solve.
const maxPenalty = 1e12

// checkPenaltyScale returns an error if ν is so large relative to the losses that the best response differs from the
// reference weights only by rounding. It does nothing if a starting point was given, since all losses are small
// close to a perfect fit.
func (l *Loop) checkPenaltyScale() error {
	c, nu := l.Cert, l.Problem.Dual.Modulus()
	if l.Settings.X0 != nil || !c.touched || nu == 0 || RegionOf(l.Problem.Dual) == Elsewhere {
		return nil
	}
	top := c.largestLoss()
	if !(top > 0) || nu <= maxPenalty*top {
		return nil
	}
	return fmt.Errorf("dro: ν = %.3g is more than 10¹² times the largest loss at the starting point, %.3g, so the "+
		"weights differ from the reference weights only by rounding: use a smaller ν, or fixed weights", nu, top)
}

// Close releases the vectors with one entry for each sample that the solve used, including the weights of its
// result.
func (l *Loop) Close() { l.Cert.Free() }

// Iterate performs steps until the solve has a status other than NotSolved, or a step fails.
func (l *Loop) Iterate() {
	l.Cert.Ctx = l.Ctx
	for {
		if l.Failed = l.Cert.responses.err; l.Failed != nil {
			return
		}
		l.Result.Status = l.Settings.StatusAt(l.Cert.Best, l.Cert.Passes, l.last != nil, l.Ctx.Err() != nil)
		switch l.Result.Status {
		case saddle.NotSolved:
			l.step()
			continue
		case saddle.Inconsistent:
			l.Logf("the lower bound %v is above the upper bound %v, so neither can be trusted", l.Cert.Best.Lower,
				l.Cert.Best.Upper)
		case saddle.Stalled:
			if l.last != saddle.ErrStalled {
				l.Failed = l.last
			} else if certify := l.Settings.CertifyConstant; certify != nil {
				if certify(l.Run, false); l.Certified() {
					l.Result.Status = saddle.Certified
				}
			}
		}
		return
	}
}

// step performs one iteration, and a check if one is due: if the method requests it, after an error, and before the
// budget no longer suffices for a check.
func (l *Loop) step() {
	c, before := l.Cert, l.Cert.Passes
	err := l.Method.Step()
	l.Result.Iterations++
	l.stride = c.Passes - before
	if l.idle++; l.stride > 0 {
		l.idle = 0
	}
	if err == nil && l.idle >= maxIdle { // only the context could end such a solve
		err = saddle.ErrStalled
	}
	byPasses := c.Passes >= l.next
	due := err != nil || l.Method.IsCheckDue(byPasses) || c.Passes+l.stride+l.checkPasses >= l.Settings.MaxPasses
	if due {
		before = c.Passes
		l.Method.Check()
		l.checkPasses = c.Passes - before
	}
	if due || byPasses {
		l.recordCheck()
		l.next = c.Passes + max(l.Settings.CheckEvery, c.Passes/10)
		// a check minimises over the intercepts of classes, with at most a third of the passes
		if c.intercepts > 0 {
			l.next = max(l.next, c.Passes+2*l.checkPasses)
		}
		if keep := l.Settings.Keep; keep != nil && !math.IsInf(c.BestObjective, 1) {
			keep(slices.Clone(c.BestX))
		}
	}
	l.last = err
}

// recordCheck appends the best certificate to the trace and calls the observer.
func (l *Loop) recordCheck() {
	l.Cert.CertifyUpper()
	c := saddle.Check{Certificate: l.Cert.Best, Passes: l.Cert.Passes, Elapsed: l.elapsed()}
	l.Result.Trace = append(l.Result.Trace, c)
	if l.Settings.Observe != nil {
		l.Settings.Observe(c)
	}
}

// elapsed returns the time since the solve began.
func (l *Loop) elapsed() time.Duration { return time.Since(l.began) }

// Finish fills in the result: the point with the best upper bound, and the weights there. If a point with a smaller
// objective was evaluated but has no upper bound yet, its bound is computed first.
func (l *Loop) Finish() {
	c, res := l.Cert, l.Result
	if math.IsInf(c.BestObjective, 1) { // the solve ended before the first evaluation
		c.Evaluate(l.Start)
		c.Certify()
	}
	if c.BestObjective < c.upper.objective {
		passes := c.Passes
		c.Multipliers = Multipliers{} // as BestResponseTo below
		c.Evaluate(c.BestX)
		c.Passes = passes + 0.5 // without the half pass that computes the weights
		c.CertifyUpper()
	}
	if res.Status != saddle.Certified { // the last point may not have been checked
		c.Certify()
	}
	if res.Status == saddle.Limit && l.Certified() { // the evaluation above certified the point
		res.Status = saddle.Certified
	}
	if last := len(res.Trace) - 1; last < 0 || res.Trace[last].Certificate != c.Best {
		l.recordCheck() // the point was certified within a step
	}
	res.X, res.Objective, res.Risk, res.Tau = c.upper.x, c.upper.objective, c.upper.risk, c.upper.tau
	res.Certificate, res.Passes = c.Best, c.Passes
	if c.isAnsweredByDual && c.Dual != nil {
		copy(c.Y, c.Dual)
	} else if away := !slices.Equal(c.X, res.X) || !c.whole; away || c.adopted && !c.isAdoptedResponseBest() {
		if away {
			c.evaluate(res.X)
		}
		c.Problem.Dual.BestResponseTo(c.Y, c.Value)
	}
	if res.Weights = c.Y; l.Settings.KeepDual {
		res.Dual = c.Dual
	}
	if l.Drawn != nil {
		res.Drawn = l.Drawn()
	}
	res.Elapsed = l.elapsed()
}

// CertifyWhenClose computes the lower bound at the last point evaluated, which may take half a pass, if the
// gradient indicates that it could end the solve.
func (r *Run) CertifyWhenClose() {
	c := r.Cert
	if c.fenchelYoung() <= r.Settings.RelativeGap*c.Best.Magnitude(c.Objective) {
		c.Certify()
	}
}

// UseDualAsResultWeights makes the weights of the lower bound the weights of the result if the risk has no gradient. A
// method calls it when it starts.
func (r *Run) UseDualAsResultWeights() {
	if !IsDifferentiable(r.Problem) {
		r.Cert.KeepsDual, r.Cert.isAnsweredByDual = true, true
	}
}

// Rng returns the random number generator of the run.
func (r *Run) Rng() *rand.Rand { return rand.New(r.Source) }
