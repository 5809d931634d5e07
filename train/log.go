package train

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"time"
)

// LogTo makes every training with this configuration log its progress to l: at Info the
// first check point of every phase, then one an interval, and the one that certifies; at Debug
// the decisions of the solver, by Logf. Observe is also called. Summary and Progress are
// slog.LogValuers, for a program that logs them itself.
func (c *Config) LogTo(l *slog.Logger, interval time.Duration) {
	c.newLog = func() func(Progress) { return logEvery(l, interval) }
	c.Logf = func(format string, args ...any) {
		if l.Enabled(context.Background(), slog.LevelDebug) {
			l.Debug(fmt.Sprintf(format, args...))
		}
	}
}

// logEvery returns an observer of one training that logs to l.
func logEvery(l *slog.Logger, interval time.Duration) func(Progress) {
	var phase string
	var next time.Duration
	return func(p Progress) {
		certified := p.Total == 0 && p.RelativeGap <= p.Target
		if p.Phase == phase && p.Elapsed < next && !certified {
			return
		}
		phase, next = p.Phase, p.Elapsed+interval
		l.LogAttrs(context.Background(), slog.LevelInfo, "training", p.LogValue().Group()...)
	}
}

// withLogObserver returns the configuration of one training: Observe also logs if LogTo was called.
func (c Config) withLogObserver() Config {
	if c.newLog == nil {
		return c
	}
	log, observe := c.newLog(), c.Observe
	c.newLog = nil
	c.Observe = func(p Progress) {
		log(p)
		if observe != nil {
			observe(p)
		}
	}
	return c
}

// LogValue gives phase, passes, elapsed and what is known of upper, lower and gap; of a phase
// that solves many models how many are done.
func (p Progress) LogValue() slog.Value {
	a := []slog.Attr{slog.String("phase", p.Phase), slog.Float64("passes", p.Passes), slog.Duration("elapsed", p.Elapsed)}
	if p.Total > 0 {
		return slog.GroupValue(slog.String("phase", p.Phase), slog.Int("done", p.Done), slog.Int("total", p.Total), slog.Duration("elapsed", p.Elapsed))
	}
	return slog.GroupValue(appendFinite(a, "upper", p.Upper, "lower", p.Lower, "gap", p.RelativeGap)...)
}

// LogValue gives the status, the objective with its bounds, the work and the worst group.
func (s Summary) LogValue() slog.Value {
	a := []slog.Attr{
		slog.String("status", s.Status), slog.String("level", s.Level), slog.String("solver", s.Solver),
		slog.Int("rows", s.N), slog.Int("columns", s.D),
		slog.Float64("objective", s.Objective), slog.Float64("passes", s.Passes), slog.Float64("seconds", s.Seconds),
	}
	for _, b := range []struct {
		name  string
		value *float64
	}{{"upper", s.Certificate.Upper}, {"lower", s.Certificate.Lower}, {"gap", s.Certificate.RelativeGap}} {
		if b.value != nil {
			a = append(a, slog.Float64(b.name, *b.value))
		}
	}
	if w := s.WorstGroup; w != nil {
		a = append(a, slog.Group("worst_group", "name", w.Name, "rows", w.Count, "risk", w.Risk))
	}
	return slog.GroupValue(a...)
}

// appendFinite appends pairs of a name and a float64, but for those that JSON cannot hold.
func appendFinite(a []slog.Attr, pairs ...any) []slog.Attr {
	for i := 0; i < len(pairs); i += 2 {
		if v := pairs[i+1].(float64); !math.IsInf(v, 0) && !math.IsNaN(v) {
			a = append(a, slog.Float64(pairs[i].(string), v))
		}
	}
	return a
}
