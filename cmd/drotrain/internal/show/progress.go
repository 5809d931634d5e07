package show

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/report"
)

const (
	mostBarWidth  = 10
	barSteps      = 1000
	frameInterval = 100 * time.Millisecond // between two frames on a terminal
	lineInterval  = time.Minute            // between two lines elsewhere
	tickInterval  = time.Second            // between two looks where no report arrives
	longPhase     = 5 * time.Second        // a phase that leaves a line
	leastShare    = 0.05                   // of a phase before the time left is estimated
)

// A Progress shows the progress of a run: a bar on a terminal; otherwise one line for every phase longer than
// five seconds and one per minute afterwards; nothing if quiet. Libraries call Observe and ObserveEvaluation. A
// nil *Progress shows nothing.
type Progress struct {
	w        io.Writer         // of frames; on a terminal alone
	line     func(text string) // writes one line elsewhere
	terminal bool
	columns  func() int // of the terminal
	now      func() time.Time

	Interval time.Duration // between two lines; 0: five seconds before the first, then a minute

	mu      sync.Mutex
	bar     *progressbar.ProgressBar // of the phase, once a frame was drawn on the terminal
	frame   bytes.Buffer             // what the bar writes
	phase   string
	begun   time.Time      // of the phase
	last    train.Progress // the newest report of a training
	text    string         // of any other phase
	share   float64        // done of the phase, or of its pass
	pass    int            // of a phase that reads a table more than once
	since   time.Time      // the beginning of the pass
	shown   time.Time      // when something was last written
	lines   int            // of the phase
	pending bool           // the newest report has not been shown
	first   float64        // the first gap of a training
	done    float64        // share of a training; never falls
	stop    chan struct{}  // ends the ticking
}

// NewProgress returns a display that draws on w if it is a terminal and calls line otherwise. It shows nothing
// if quiet is set.
func NewProgress(w io.Writer, line func(text string), terminal bool, now func() time.Time, quiet bool) *Progress {
	if quiet {
		return nil
	}
	return &Progress{w: w, line: line, terminal: terminal, columns: func() int { return columnsOf(w) }, now: now}
}

// columnsOf returns the number of columns of the terminal behind w, at most Width.
func columnsOf(w io.Writer) int {
	if f, ok := w.(interface{ Fd() uintptr }); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return min(n, Width)
		}
	}
	return Width
}

// Observe shows the progress of a training.
func (p *Progress) Observe(s train.Progress) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.enterPhase(s.Phase)
	if s.Total > 0 {
		p.step(s.Done, s.Total)
		return
	}
	p.last, p.text, p.pending = s, "", true
	if math.IsInf(p.first, 1) && s.RelativeGap > 0 {
		p.first = math.Min(s.RelativeGap, 1)
	}
	p.done = math.Max(p.done, s.Share(p.first))
	p.showIfDue()
}

// ObserveEvaluation shows the progress of an evaluation.
func (p *Progress) ObserveEvaluation(s eval.Progress) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.enterPhase(s.Phase)
	p.step(s.Done, s.Total)
}

// Watch returns a context that reports the reading and encoding of a table to p.
func (p *Progress) Watch(ctx context.Context) context.Context {
	if p == nil {
		return ctx
	}
	return data.WithProgress(ctx, p.observeReading)
}

// Phases that Watch shows.
const (
	Reading  = "reading"
	Encoding = "encoding"
)

// observeReading shows the progress of reading or encoding a table. Text is read more than once; each reading
// is shown as another pass.
func (p *Progress) observeReading(s data.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.phase == Reading && s.Size > 0:
		pass := int(max(0, s.Read-1) / s.Size)
		if pass != p.pass {
			p.pass, p.since = pass, p.now()
		}
		read := s.Read - int64(pass)*s.Size
		text := fmt.Sprintf("%s of %s", bytesText(read), bytesText(s.Size))
		if pass > 0 {
			text += fmt.Sprintf(", pass %d", pass+1)
		}
		p.stepWithText(text, float64(read)/float64(s.Size))
	case p.phase == Encoding && s.Of > 0:
		p.stepWithText(fmt.Sprintf("%s of %s", Thousands(s.Rows), Plural(s.Of, "row", "rows")), float64(s.Rows)/float64(s.Of))
	}
}

// bytesText formats a number of bytes in decimal units.
func bytesText(n int64) string {
	x, unit := float64(n), "B"
	for _, u := range []string{"kB", "MB", "GB", "TB"} {
		if x < 1000 {
			break
		}
		x, unit = x/1000, u
	}
	return fmt.Sprintf("%.3g %s", x, unit)
}

// step sets the number of finished parts of the phase.
func (p *Progress) step(done, total int) {
	p.stepWithText(fmt.Sprintf("%s of %s", Thousands(done), Thousands(total)), float64(done)/float64(max(1, total)))
}

// stepWithText sets the finished proportion of the phase and its description.
func (p *Progress) stepWithText(text string, share float64) {
	p.text, p.share, p.pending = text, share, true
	p.showIfDue()
}

// timeText returns the elapsed time of the phase and, once enough is done, an estimate of the remaining time.
func (p *Progress) timeText() string {
	now := p.now()
	took := now.Sub(p.begun)
	if took < tickInterval {
		return ""
	}
	text := ", " + shortDuration(took)
	if !(p.share >= leastShare) || took < 2*tickInterval {
		return text
	}
	left := time.Duration(float64(now.Sub(p.since)) * (1 - p.share) / p.share)
	if left >= time.Second {
		text += ", about " + shortDuration(left) + " left"
		if p.pass > 0 {
			text += " of this pass"
		}
	}
	return text
}

// Begin starts a phase that shows only its elapsed time. A short phase prints nothing.
func (p *Progress) Begin(phase string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.enterPhase(phase)
	p.text, p.pending = "", false
}

// enterPhase ends the previous phase and starts this one, unless it is the same.
func (p *Progress) enterPhase(phase string) {
	if phase == p.phase {
		return
	}
	p.leavePhase()
	p.phase, p.first, p.done, p.text, p.share, p.pass, p.lines = phase, math.Inf(1), 0, "", 0, 0, 0
	p.begun = p.now()
	p.since, p.shown = p.begun, time.Time{}
	if !p.terminal {
		p.shown = p.begun
	}
	p.stop = make(chan struct{})
	go p.tick(p.stop)
}

// tick redraws the elapsed time while there are no reports.
func (p *Progress) tick(stop chan struct{}) {
	t := time.NewTicker(tickInterval)
	defer t.Stop()
	for {
		select {
		case <-stop:
			return
		case <-t.C:
		}
		p.mu.Lock()
		if p.stop == stop && (!p.terminal || p.now().Sub(p.shown) >= tickInterval/2) {
			p.showIfDue()
		}
		p.mu.Unlock()
	}
}

// showIfDue shows the state if the last one is old enough.
func (p *Progress) showIfDue() {
	every := frameInterval
	if !p.terminal {
		switch every = lineInterval; {
		case p.Interval > 0:
			every = p.Interval
		case p.lines == 0:
			every = longPhase
		}
	}
	if p.now().Sub(p.shown) >= every {
		p.show()
	}
}

// show draws a frame or prints a line with the state of the phase.
func (p *Progress) show() {
	p.shown, p.pending = p.now(), false
	text, share := p.text, p.share
	switch {
	case p.last.Phase == p.phase && text == "":
		text, share = describeProgress(p.last)+p.timeText(), p.done
	case text == "":
		text, share = shortDuration(p.now().Sub(p.begun)), 0
	default:
		text += p.timeText()
	}
	text = printable.EscapeLine(phaseName(p.phase)) + ": " + text
	p.lines++
	if !p.terminal {
		p.line(text)
		return
	}
	p.draw(text, share)
}

// draw draws the bar for a finished proportion in [0, 1], with a text that is cut at the width of the terminal.
func (p *Progress) draw(text string, share float64) {
	columns := p.columns()
	width := max(1, min(mostBarWidth, columns-10))
	if p.bar == nil {
		p.bar = progressbar.NewOptions(barSteps,
			progressbar.OptionSetWriter(&p.frame),
			progressbar.OptionSetWidth(width),
			progressbar.OptionSetTheme(progressbar.Theme{Saucer: "█", SaucerPadding: "░"}),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionShowDescriptionAtLineEnd(),
		)
	}
	steps := min(barSteps, max(0, int(barSteps*share)))
	if p.last.Phase != p.phase {
		steps = min(steps, barSteps-1) // a full bar accepts no further frame; a training's share never falls
	}
	// Set and Describe both draw; the terminal gets the second frame alone.
	line := []rune(text)
	text = string(line[:min(len(line), max(0, columns-width-10))])
	if steps < barSteps {
		_ = p.bar.Set(steps)
		p.frame.Reset()
	}
	p.bar.Describe(text)
	if steps == barSteps && p.bar.State().CurrentNum < barSteps {
		p.frame.Reset()
		_ = p.bar.Set(steps)
	}
	_, _ = p.frame.WriteTo(p.w)
}

// Finish ends the display and leaves the last state of the phase.
func (p *Progress) Finish() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leavePhase()
	p.phase = ""
}

// leavePhase ends the phase. The last state of a long phase stays on the screen.
func (p *Progress) leavePhase() {
	if p.phase == "" {
		return
	}
	long := p.now().Sub(p.begun) >= longPhase
	if long && p.pending {
		p.show()
	}
	if p.stop != nil {
		close(p.stop)
		p.stop = nil
	}
	switch {
	case p.bar != nil && long:
		fmt.Fprintln(p.w)
	case p.bar != nil:
		_ = p.bar.Clear()
		_, _ = p.frame.WriteTo(p.w)
	}
	p.bar, p.last = nil, train.Progress{}
}

func phaseName(phase string) string {
	switch phase {
	case "erm":
		return report.Baseline
	case "group-weighted erm":
		return report.Balanced
	case "tempered erm":
		return report.Rescaled
	}
	return phase
}

// describeProgress returns the text beside the bar and the line printed without a terminal.
func describeProgress(s train.Progress) string {
	gap := fmt.Sprintf("gap %.1e of %.0e", s.RelativeGap, s.Target)
	if math.IsInf(s.RelativeGap, 0) || math.IsNaN(s.RelativeGap) {
		gap = "no bound yet"
	}
	passes := math.Round(s.Passes)
	return fmt.Sprintf("%s, %.0f %s", gap, passes, printable.Noun(passes, "pass", "passes"))
}

// shortDuration formats a duration with about three digits: 0.21 s, 12 s, 3 min 5 s.
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
