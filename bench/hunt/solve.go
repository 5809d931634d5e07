package hunt

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/drotrain/drotrain/dro"
)

// An ended is what came of a solve.
type ended struct {
	res      *dro.Result
	err      error
	panicked string
}

// solve runs one method, and again from one of its snapshots if that is asked for. A solve
// that does not end in spite of its context is left behind.
func (t *Tally) solve(ctx context.Context, s Settings, c *Case, name, storage string, m dro.Method, again bool) (b bounds, ok bool) {
	var work atomic.Int64
	p, end, err := c.problem(storage, &work)
	defer end()
	if err != nil {
		t.find("error", c, name+": "+err.Error())
		return b, false
	}
	settings := dro.DefaultSettings()
	settings.X0, settings.MaxPasses, settings.Seed = c.X0, s.Passes, uint64(c.Number)
	settings.RelativeGap = math.Pow(10, -4-float64(c.Number%8))
	if c.Gap > 0 {
		settings.RelativeGap = c.Gap
	}
	if c.Most > 0 {
		settings.MaxPasses = c.Most
	}
	if c.Every > 0 {
		settings.CheckEvery = c.Every
	}
	var points [][]float64
	if again {
		settings.Keep = func(x []float64) { points = append(points, x) }
	}
	if c.Number%31 == 7 { // cancelled at one of the first checks
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		left := c.Number / 31 % 4
		settings.Observe = func(dro.Check) {
			if left--; left < 0 {
				cancel()
			}
		}
	}
	solve := func(ctx context.Context) (*dro.Result, error) { return dro.Solve(ctx, p, m, settings) }
	if storage == "ranks" {
		solve = func(ctx context.Context) (*dro.Result, error) { return c.onRanks(ctx, 1+c.Number%3, m, settings) }
		settings.Keep = nil
	}
	e, ok := t.run(ctx, s, c, name, solve)
	if !ok {
		return b, false
	}
	t.Statuses[e.res.Status.String()]++
	t.sound(c, name, settings, e.res)
	t.response(c, name, p, e.res)
	b = bounds{name: name, lower: math.Inf(-1), upper: math.Inf(1)}
	for _, check := range e.res.Trace {
		t.Checks++
		b.lower, b.upper = max(b.lower, check.Lower), min(b.upper, check.Upper)
		if math.IsNaN(check.Lower) || math.IsNaN(check.Upper) {
			t.find("violation", c, fmt.Sprintf("%s: bounds [%v, %v]", name, check.Lower, check.Upper))
		}
	}
	b.x, b.y, b.status, b.passes = e.res.X, e.res.Y, e.res.Status, e.res.Passes
	if b.above = e.res.Certificate.Upper; storage != "ranks" { // whose rows have no counter
		b.work = float64(work.Load())
	}
	if len(points) > 0 && e.err == nil {
		settings.Keep, settings.X0 = nil, points[c.Number%len(points)]
		threads := runtime.GOMAXPROCS(1 + c.Number%5)
		r, ok := t.run(ctx, s, c, name+", resumed", solve)
		runtime.GOMAXPROCS(threads)
		if ok && r.err == nil && (r.res.Certificate.Lower > e.res.Certificate.Upper || e.res.Certificate.Lower > r.res.Certificate.Upper) {
			t.find("resumed", c, fmt.Sprintf("%s: %v, %v, resumed after check %d of %d: %v, %v",
				name, e.res.Status, e.res.Certificate, 1+c.Number%len(points), len(points), r.res.Status, r.res.Certificate))
		}
		t.Resumed++
	}
	return b, true
}

// run solves within its time.
func (t *Tally) run(ctx context.Context, s Settings, c *Case, name string, solve func(context.Context) (*dro.Result, error)) (e ended, ok bool) {
	limited, stop := context.WithTimeout(ctx, s.Patience)
	defer stop()
	done := make(chan ended, 1)
	go func() {
		var e ended
		defer func() {
			if r := recover(); r != nil {
				e.panicked = fmt.Sprintf("%v\n%s", r, debug.Stack())
			}
			done <- e
		}()
		e.res, e.err = solve(limited)
	}()
	t.Solves++
	timer := time.NewTimer(2 * s.Patience)
	defer timer.Stop()
	select {
	case <-timer.C:
		t.find("hang", c, name+" does not end")
		return e, false
	case e = <-done:
	}
	switch {
	case e.panicked != "":
		t.find("panic", c, name+": "+e.panicked)
		return e, false
	case e.res == nil: // the objective may be beyond all numbers where the solve starts
		t.Statuses["refused"]++
		return e, false
	case e.err != nil && !errors.Is(e.err, context.DeadlineExceeded) && !errors.Is(e.err, context.Canceled):
		t.find("error", c, name+": "+e.err.Error())
		return e, false
	}
	return e, true
}
