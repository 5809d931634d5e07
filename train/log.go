package train

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

// LogTo logs the progress of training runs with this configuration to l. At level Info it logs the first check of every
// phase, at most one check per interval after it, and the check that certifies the gap. At level Debug it also logs the
// decisions of the solver. LogTo replaces Logf; Observe is still called. Summary and Progress implement slog.LogValuer
// for programs that log them themselves.
func (c *Config) LogTo(l *slog.Logger, interval time.Duration) {
	c.newLog = func() func(Progress) { return logEvery(l, interval) }
	c.Logf = func(format string, args ...any) {
		if l.Enabled(context.Background(), slog.LevelDebug) {
			l.Debug(fmt.Sprintf(format, args...))
		}
	}
}

// logEvery returns an observer that logs the checks of one training run to l, as LogTo describes.
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

// addLogObserver returns the configuration with an Observe that also logs, if LogTo was called.
func (c Config) addLogObserver() Config {
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

// LogValue returns the phase, the passes, the elapsed time, the bounds that are known and, in phases that solve
// many models, the number of models solved.
func (p Progress) LogValue() slog.Value {
	phase, elapsed := slog.String("phase", p.Phase), slog.Duration("elapsed", p.Elapsed)
	if p.Total > 0 {
		return slog.GroupValue(phase, slog.Int("done", p.Done), slog.Int("total", p.Total), elapsed)
	}
	a := []slog.Attr{phase, slog.Float64("passes", p.Passes), elapsed}
	return slog.GroupValue(appendBounds(a, finiteOrNil(p.Upper), finiteOrNil(p.Lower), finiteOrNil(p.RelativeGap))...)
}

// LogValue returns the status, the level, the solver, the size of the problem, the objective with the bounds that are
// known, the passes, the seconds and the worst group, if there is one.
func (s Summary) LogValue() slog.Value {
	a := []slog.Attr{
		slog.String("status", s.Status), slog.String("level", s.Level), slog.String("solver", s.Solver),
		slog.Int("rows", s.N), slog.Int("columns", s.D),
		slog.Float64("objective", s.Objective), slog.Float64("passes", s.Passes), slog.Float64("seconds", s.Seconds),
	}
	a = appendBounds(a, s.Certificate.Upper, s.Certificate.Lower, s.Certificate.RelativeGap)
	if w := s.WorstGroup; w != nil {
		a = append(a, slog.Group("worst_group", "name", w.Name, "rows", w.Count, "risk", w.Risk))
	}
	return slog.GroupValue(a...)
}

// appendBounds appends those of the bounds and the gap that are known.
func appendBounds(a []slog.Attr, upper, lower, gap *float64) []slog.Attr {
	for i, v := range []*float64{upper, lower, gap} {
		if v != nil {
			a = append(a, slog.Float64([]string{"upper", "lower", "gap"}[i], *v))
		}
	}
	return a
}
