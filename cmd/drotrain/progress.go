package main

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/report"
)

const (
	barWidth     = 16
	barSteps     = 1000
	barInterval  = 100 * time.Millisecond // between two frames
	lineInterval = 5 * time.Second        // between two plain lines
)

// A progress shows the check points of a training: a bar on a terminal, a line
// now and then elsewhere, nothing when quiet. Its observe is what the library
// calls; nothing here is used from two goroutines at a time.
type progress struct {
	w        io.Writer
	terminal bool
	now      func() time.Time

	bar     *progressbar.ProgressBar
	phase   string
	last    train.Progress
	shown   time.Time
	pending bool // last has not been shown
	first   float64
	done    int // steps of the bar, never back
}

// newProgress returns a display on w, or one that shows nothing if quiet.
func newProgress(a *app, quiet bool) *progress {
	if quiet {
		return nil
	}
	return &progress{w: a.stderr, terminal: a.terminal, now: a.now}
}

// observe takes one check point.
func (p *progress) observe(s train.Progress) {
	if s.Phase != p.phase {
		p.finish()
		p.start(s)
	}
	p.last, p.pending = s, true
	every := lineInterval
	if p.terminal {
		every = barInterval
	}
	if p.now().Sub(p.shown) >= every {
		p.show()
	}
}

func (p *progress) start(s train.Progress) {
	p.phase, p.first, p.done = s.Phase, math.Inf(1), 0
	p.shown = p.now()
	if !p.terminal {
		return
	}
	p.shown = time.Time{} // the first frame at once
	p.bar = progressbar.NewOptions(barSteps,
		progressbar.OptionSetWriter(p.w),
		progressbar.OptionSetWidth(barWidth),
		progressbar.OptionSetTheme(progressbar.Theme{
			Saucer: "█", SaucerPadding: "░", BarStart: "", BarEnd: "",
		}),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionShowDescriptionAtLineEnd(),
	)
}

func (p *progress) show() {
	p.shown, p.pending = p.now(), false
	s := p.last
	if p.terminal {
		p.first, p.done = p.advance(s)
		p.bar.Describe(phaseName(s.Phase) + ": " + describeProgress(s))
		_ = p.bar.Set(p.done)
		return
	}
	fmt.Fprintf(p.w, "drotrain: %s: %s\n", phaseName(s.Phase), describeProgress(s))
}

// finish ends the display of a phase, and leaves its last check point.
func (p *progress) finish() {
	if p == nil || p.phase == "" {
		return
	}
	if p.pending {
		p.show()
	}
	if p.terminal {
		fmt.Fprintln(p.w)
	}
	p.phase = ""
}

// advance says how far the gap has come from its first value to the one asked
// for, on a logarithmic scale, or the passes to their limit if that is nearer.
func (p *progress) advance(s train.Progress) (first float64, done int) {
	first = p.first
	if math.IsInf(first, 1) && s.RelativeGap > 0 {
		first = math.Min(s.RelativeGap, 1)
	}
	share := 0.0
	if s.MaxPasses > 0 {
		share = s.Passes / s.MaxPasses
	}
	if s.RelativeGap <= s.Target {
		share = 1
	} else if first > s.Target && s.Target > 0 && s.RelativeGap < first {
		share = math.Max(share, math.Log(first/s.RelativeGap)/math.Log(first/s.Target))
	}
	return first, max(p.done, int(barSteps*math.Min(1, share)))
}

func phaseName(phase string) string {
	switch phase {
	case "erm":
		return report.Baseline
	case "group-weighted erm":
		return report.Balanced
	}
	return phase
}

// describeProgress is the text beside the bar, and the plain line.
func describeProgress(s train.Progress) string {
	gap := "no bound yet"
	if !math.IsInf(s.RelativeGap, 0) && !math.IsNaN(s.RelativeGap) {
		gap = fmt.Sprintf("gap %.1e", s.RelativeGap)
	}
	return fmt.Sprintf("%s of %.0e, %.0f passes, %s", gap, s.Target, s.Passes, shortDuration(s.Elapsed))
}

// shortDuration is a duration in three digits or so: 0.21 s, 12 s, 3 min 5 s.
func shortDuration(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 10:
		return fmt.Sprintf("%.2g s", s)
	case s < 60:
		return fmt.Sprintf("%.0f s", s)
	default:
		return fmt.Sprintf("%d min %d s", int(s)/60, int(s)%60)
	}
}
