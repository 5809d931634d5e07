package train

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"time"
)

// LogTo sets Observe and Logf to tell l how a training comes along: at Info the first
// check point of every phase, then one an interval, and the one that certifies; at
// Debug the decisions of the solver. Summary and Progress are slog.LogValuers, for a
// program that logs them itself.
func (c *Config) LogTo(l *slog.Logger, interval time.Duration) {
	var phase string
	var next time.Duration
	c.Observe = func(p Progress) {
		if p.Phase == phase && p.Elapsed < next && !(p.RelativeGap <= p.Target) {
			return
		}
		phase, next = p.Phase, p.Elapsed+interval
		l.LogAttrs(context.Background(), slog.LevelInfo, "training", p.LogValue().Group()...)
	}
	c.Logf = func(format string, args ...any) {
		if l.Enabled(context.Background(), slog.LevelDebug) {
			l.Debug(fmt.Sprintf(format, args...))
		}
	}
}

// LogValue gives phase, passes, elapsed and what is known of upper, lower and gap.
func (p Progress) LogValue() slog.Value {
	a := []slog.Attr{slog.String("phase", p.Phase), slog.Float64("passes", p.Passes), slog.Duration("elapsed", p.Elapsed)}
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
