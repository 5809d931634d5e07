package show

import (
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
	barWidth     = 16
	barSteps     = 1000
	barInterval  = 100 * time.Millisecond  // between two frames
	lineInterval = 1900 * time.Millisecond // between two plain lines
	tickInterval = time.Second             // between two looks where nothing is heard of
	longPhase    = 2 * time.Second         // a phase worth telling when and how long it is
)

// A Progress shows where a run has come to: a bar on a terminal; elsewhere a line a
// phase that is no matter of moments, and one whenever two seconds have passed in
// silence; nothing when quiet. Its Observe and Measuring are what the
// libraries call. A nil *progress shows nothing.
type Progress struct {
	w        io.Writer
	terminal bool
	columns  func() int // of the terminal
	now      func() time.Time

	mu      sync.Mutex
	bar     *progressbar.ProgressBar
	phase   string
	begun   time.Time
	last    train.Progress // of a training
	text    string         // of any other phase
	share   float64        // of it that is done
	shown   time.Time      // when something was last written
	pending bool           // last or text has not been shown
	first   float64
	done    int           // steps of the bar, never back
	stop    chan struct{} // ends the ticking
}

// NewProgress returns a display on w, or one that shows nothing if quiet.
func NewProgress(w io.Writer, terminal bool, now func() time.Time, quiet bool) *Progress {
	if quiet {
		return nil
	}
	return &Progress{w: w, terminal: terminal, columns: func() int { return columnsOf(w) }, now: now}
}

// columnsOf is how wide the terminal is that w writes to, Width at most: a frame that is
// wider would fill line after line.
func columnsOf(w io.Writer) int {
	if f, ok := w.(interface{ Fd() uintptr }); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return min(n, Width)
		}
	}
	return Width
}

// Observe takes one check point of a training.
func (p *Progress) Observe(s train.Progress) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.enter(s.Phase)
	if s.Total > 0 {
		p.step(s.Done, s.Total)
		return
	}
	p.last, p.text, p.pending = s, "", true
	p.showIfDue()
}

// Measuring takes one step of an evaluation.
func (p *Progress) Measuring(s eval.Progress) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.enter(s.Phase)
	p.step(s.Done, s.Total)
}

// Watch is a context under which the reading and encoding of a table are shown, in the
// phases of these names.
func (p *Progress) Watch(ctx context.Context) context.Context {
	if p == nil {
		return ctx
	}
	return data.WithProgress(ctx, p.reading)
}

const (
	Reading  = "reading"
	Encoding = "encoding"
)

// reading takes what was read or encoded of a table.
func (p *Progress) reading(s data.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.phase == Reading && s.Size > 0:
		read := s.Read
		for read > s.Size { // text is read again for its values
			read -= s.Size
		}
		p.stepAs(fmt.Sprintf("%s of %s", bytesText(read), bytesText(s.Size)), float64(read)/float64(s.Size))
	case p.phase == Encoding && s.Of > 0:
		text := fmt.Sprintf("%s of %s", Thousands(s.Rows), Plural(s.Of, "row", "rows"))
		if s.Size > 0 {
			text += fmt.Sprintf(", %s read", bytesText(min(s.Read, s.Size)))
		}
		p.stepAs(text, float64(s.Rows)/float64(s.Of))
	}
}

// bytesText is a size as people say it.
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

// step takes how many parts of the phase are done.
func (p *Progress) step(done, total int) {
	p.stepAs(fmt.Sprintf("%s of %s", Thousands(done), Thousands(total)), float64(done)/float64(max(1, total)))
}

// stepAs takes what of the phase is done, in words and as a share.
func (p *Progress) stepAs(text string, share float64) {
	p.text, p.share, p.pending = text, share, true
	p.done = max(p.done, int(barSteps*share))
	p.showIfDue()
}

// ofTime is how long the phase has taken, and how long it may take yet.
func (p *Progress) ofTime() string {
	took := p.now().Sub(p.begun)
	if took < longPhase || !(p.share > 0) {
		return ""
	}
	text := ", " + shortDuration(took)
	if left := time.Duration(float64(took) * (1 - p.share) / p.share); left >= time.Second {
		text += ", about " + shortDuration(left) + " left"
	}
	return text
}

// Begin starts a phase of which only the time is known. A phase that is over
// within moments leaves no trace.
func (p *Progress) Begin(phase string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.enter(phase)
	p.text, p.pending = "", false
}

// enter ends the phase before, and starts this one if it is another.
func (p *Progress) enter(phase string) {
	if phase == p.phase {
		return
	}
	p.leave()
	p.phase, p.first, p.done, p.text, p.share = phase, math.Inf(1), 0, "", 0
	p.begun, p.bar = p.now(), nil
	switch {
	case p.terminal:
		p.shown = time.Time{} // the first frame at once
	case p.shown.IsZero():
		p.shown = p.begun
	}
	p.stop = make(chan struct{})
	go p.tick(p.stop)
}

// tick redraws with the time that has passed where nothing else is heard: after less than a
// tick, so that a frame between two of them does not make two of one.
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
		if p.stop == stop {
			p.showIfAfter(map[bool]time.Duration{true: tickInterval / 2, false: lineInterval - tickInterval}[p.terminal])
		}
		p.mu.Unlock()
	}
}

func (p *Progress) showIfDue() {
	every := lineInterval
	if p.terminal {
		every = barInterval
	}
	p.showIfAfter(every)
}

func (p *Progress) showIfAfter(silence time.Duration) {
	if p.now().Sub(p.shown) >= silence {
		p.show()
	}
}

func (p *Progress) newBar() *progressbar.ProgressBar {
	return progressbar.NewOptions(barSteps,
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

func (p *Progress) show() {
	p.shown, p.pending = p.now(), false
	text := p.text
	switch {
	case p.last.Phase == p.phase && text == "":
		p.first, p.done = p.advance(p.last)
		text = describeProgress(p.last)
		if took := p.now().Sub(p.begun); took-p.last.Elapsed >= longPhase {
			text += ", at work, " + shortDuration(took)
		}
	case text == "":
		text = shortDuration(p.now().Sub(p.begun))
	default:
		text += p.ofTime()
	}
	if !p.terminal {
		fmt.Fprintf(p.w, "drotrain: %s: %s\n", printable.Line(phaseName(p.phase)), text)
		return
	}
	if p.bar == nil {
		p.bar = p.newBar()
	}
	line := []rune(printable.Line(phaseName(p.phase)) + ": " + text)
	p.bar.Describe(string(line[:min(len(line), max(0, p.columns()-barWidth-9))]))
	_ = p.bar.Set(p.done)
}

// Finish ends the display of a phase, and leaves its last state.
func (p *Progress) Finish() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leave()
	p.phase = ""
}

func (p *Progress) leave() {
	if p.phase == "" {
		return
	}
	training := p.last.Phase == p.phase
	switch quiet := p.now().Sub(p.shown); {
	case training && p.pending, !p.terminal && p.pending && quiet >= lineInterval/2:
		p.show()
	case p.terminal && p.now().Sub(p.begun) >= longPhase && (p.pending || p.text == ""):
		p.show()
	}
	if p.stop != nil {
		close(p.stop)
		p.stop = nil
	}
	if p.terminal && p.bar != nil {
		if training || p.now().Sub(p.begun) >= longPhase {
			fmt.Fprintln(p.w)
		} else {
			_ = p.bar.Clear()
		}
	}
	p.bar, p.last = nil, train.Progress{}
}

// advance says how far the bar is: never back.
func (p *Progress) advance(s train.Progress) (first float64, done int) {
	first = p.first
	if math.IsInf(first, 1) && s.RelativeGap > 0 {
		first = math.Min(s.RelativeGap, 1)
	}
	return first, max(p.done, int(barSteps*s.Share(first)))
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

// describeProgress is the text beside the bar, and the plain line.
func describeProgress(s train.Progress) string {
	gap := fmt.Sprintf("gap %.1e of %.0e", s.RelativeGap, s.Target)
	if math.IsInf(s.RelativeGap, 0) || math.IsNaN(s.RelativeGap) {
		gap = "no bound yet"
	}
	return fmt.Sprintf("%s, %.0f passes, %s", gap, s.Passes, shortDuration(s.Elapsed))
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
