package show

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/report"
)

const (
	barWidth      = 10
	barSteps      = 1000
	frameInterval = 100 * time.Millisecond // time between two frames on a terminal
	lineInterval  = time.Minute            // time between two lines if stderr is not a terminal
	tickInterval  = time.Second            // time between two updates if there are no reports
	longPhase     = 5 * time.Second        // minimum duration of a phase that leaves a line
	minProportion = 0.05                   // minimum finished proportion of a phase for estimating the remaining time
)

// A Progress shows the progress of a run: a bar on a terminal; otherwise a line for every phase that takes longer
// than five seconds, and one every minute afterwards. It shows nothing if the run is quiet. Libraries call Observe
// and ObserveEvaluation. A nil *Progress shows nothing.
type Progress struct {
	w        io.Writer         // receives frames; only used on a terminal
	line     func(text string) // writes one line if stderr is not a terminal
	terminal bool
	columns  func() int // width of the terminal
	now      func() time.Time

	// time between two lines; 0 means five seconds before the first and a minute afterwards
	Interval time.Duration

	mu   sync.Mutex
	stop chan struct{} // ends the updates of the phase
	phaseState
}

// A phaseState holds the state of a phase.
type phaseState struct {
	phase string
	begun time.Time
	text  string // text of the newest report
	// finished proportion of the phase, or of its pass over the table; the proportion of a training run never decreases
	proportion float64
	counted    bool      // whether the proportion increases evenly
	first      float64   // first gap of a training; 0 if there is none yet
	news       time.Time // time of the newest report
	shown      time.Time // time of the last output
	written    int       // number of frames or lines written
	pending    bool      // the latest report has not been shown
}

// NewProgress returns a display that draws on w if it is a terminal and calls line otherwise. It shows nothing
// if quiet is set.
func NewProgress(w io.Writer, line func(text string), terminal bool, now func() time.Time, quiet bool) *Progress {
	if quiet {
		return nil
	}
	return &Progress{w: w, line: line, terminal: terminal, columns: func() int { return columnsOf(w) }, now: now}
}

// columnsOf returns the number of columns of the terminal to which w writes, but at most Width.
func columnsOf(w io.Writer) int {
	if f, ok := w.(interface{ Fd() uintptr }); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return min(n, Width)
		}
	}
	return Width
}

// update calls change to update the state, unless p is nil.
func (p *Progress) update(change func()) {
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		change()
	}
}

// Observe shows the progress of a training run.
func (p *Progress) Observe(s train.Progress) {
	p.update(func() {
		p.enterPhase(s.Phase)
		if s.Total > 0 {
			p.count(s.Done, s.Total)
			return
		}
		if p.first == 0 && s.RelativeGap > 0 {
			p.first = math.Min(s.RelativeGap, 1)
		}
		p.report(describeProgress(s), math.Max(p.proportion, s.Share(p.first)), false)
	})
}

// ObserveEvaluation shows the progress of an evaluation.
func (p *Progress) ObserveEvaluation(s eval.Progress) {
	p.update(func() {
		p.enterPhase(s.Phase)
		p.count(s.Done, s.Total)
	})
}

// Watch returns a context that reports the reading and encoding of a table to p.
func (p *Progress) Watch(ctx context.Context) context.Context {
	if p == nil {
		return ctx
	}
	return data.WithProgress(ctx, func(s data.Progress) { p.update(func() { p.observeReading(s) }) })
}

// Phases that Watch shows.
const (
	Reading  = "reading"
	Encoding = "encoding"
)

// observeReading shows the progress of reading or encoding a table. Text is read more than once; each reading is
// shown as a separate pass.
func (p *Progress) observeReading(s data.Progress) {
	switch {
	case p.phase == Reading && s.Size > 0:
		pass := max(0, s.Read-1) / s.Size
		read := s.Read - pass*s.Size
		text := fmt.Sprintf("%s of %s", bytesText(read), bytesText(s.Size))
		if pass > 0 {
			text += fmt.Sprintf(", pass %d", pass+1)
		}
		p.report(text, float64(read)/float64(s.Size), pass == 0)
	case p.phase == Encoding && s.Of > 0:
		p.report(fmt.Sprintf("%s of %s", Thousands(s.Rows), Plural(s.Of, "row", "rows")), float64(s.Rows)/float64(s.Of), true)
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

// count reports the number of finished parts of the phase.
func (p *Progress) count(done, total int) {
	p.report(fmt.Sprintf("%s of %s", Thousands(done), Thousands(total)), float64(done)/float64(max(1, total)), true)
}

// report sets the finished proportion of the phase and its description.
func (p *Progress) report(text string, proportion float64, counted bool) {
	p.text, p.proportion, p.counted, p.pending, p.news = text, proportion, counted, true, p.now()
	p.showIfDue()
}

// timeTexts returns the elapsed time of the phase and, once enough of it is finished, an estimate of the remaining
// time. A text is "" if it is not available.
func (p *Progress) timeTexts() (elapsed, remaining string) {
	took := p.now().Sub(p.begun)
	if took < tickInterval {
		return "", ""
	}
	elapsed = formatDuration(took)
	if !p.counted || !(p.proportion >= minProportion) || took < 2*tickInterval {
		return elapsed, ""
	}
	if left := time.Duration(float64(took) * (1 - p.proportion) / p.proportion); left >= time.Second {
		remaining = "about " + formatDuration(left) + " left"
	}
	return elapsed, remaining
}

// describe returns the state of the phase in at most width characters. Parts that do not fit are omitted; the
// estimate of the remaining time is omitted last.
func (p *Progress) describe(width int) string {
	name := printable.EscapeLine(phaseName(p.phase))
	elapsed, remaining := p.timeTexts()
	text := ""
	for _, parts := range [][]string{{p.text, elapsed, remaining}, {p.text, remaining}, {remaining}, {elapsed}} {
		parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
		text = strings.TrimSuffix(name+": "+strings.Join(parts, ", "), ": ")
		if parts != nil && utf8.RuneCountInString(text) <= width {
			return text
		}
	}
	return string([]rune(text)[:min(utf8.RuneCountInString(text), max(0, width))])
}

// Begin starts a phase that shows only its elapsed time. A short phase prints nothing.
func (p *Progress) Begin(phase string) {
	p.update(func() {
		p.enterPhase(phase)
		p.text, p.proportion, p.pending = "", 0, false
	})
}

// enterPhase ends the previous phase and starts the given one, unless they are the same.
func (p *Progress) enterPhase(phase string) {
	if phase == p.phase {
		return
	}
	p.leavePhase()
	p.phaseState = phaseState{phase: phase, begun: p.now()}
	if !p.terminal {
		p.shown = p.begun
	}
	p.stop = make(chan struct{})
	go p.tick(p.stop)
}

// tick redraws the elapsed time as long as there are no reports.
func (p *Progress) tick(stop chan struct{}) {
	t := time.NewTicker(tickInterval)
	defer t.Stop()
	for {
		select {
		case <-stop:
			return
		case <-t.C:
		}
		p.update(func() {
			if p.stop == stop && p.counted && p.proportion >= 1 && p.now().Sub(p.news) >= tickInterval {
				p.enterPhase("last steps of " + phaseName(p.phase)) // the last steps are not counted
				return
			}
			if p.stop == stop && (!p.terminal || p.now().Sub(p.shown) >= tickInterval/2) {
				p.showIfDue()
			}
		})
	}
}

// showIfDue shows the state if enough time has passed since it was last shown.
func (p *Progress) showIfDue() {
	every := lineInterval
	switch {
	case p.terminal:
		every = frameInterval
	case p.Interval > 0:
		every = p.Interval
	case p.written == 0:
		every = longPhase
	}
	if p.now().Sub(p.shown) >= every {
		p.show()
	}
}

// show draws a frame or prints a line with the state of the phase.
func (p *Progress) show() {
	p.shown, p.pending = p.now(), false
	p.written++
	if p.terminal {
		p.draw()
	} else {
		p.line(p.describe(math.MaxInt))
	}
}

// draw draws the bar over the previous frame, with a text that fits the width of the terminal.
func (p *Progress) draw() {
	columns := p.columns()
	width := max(1, min(barWidth, columns-10))
	proportion := math.Max(0, math.Min(p.proportion, 1))
	// a new bar for each frame, since a bar that was full cannot be reused
	bar := progressbar.NewOptions(barSteps,
		progressbar.OptionSetWriter(io.Discard),
		progressbar.OptionSetWidth(width),
		progressbar.OptionSetTheme(progressbar.Theme{Saucer: "█", SaucerPadding: "░"}),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetElapsedTime(false),
	)
	_ = bar.RenderBlank() // Set does not draw proportions below 1 %
	_ = bar.Set(int(barSteps * proportion))
	rest := max(0, columns-width-10)
	fmt.Fprintf(p.w, "%s  %-*s", strings.TrimRight(bar.String(), " "), rest, p.describe(rest))
}

// Finish ends the display and leaves the last state of the phase.
func (p *Progress) Finish() {
	p.update(func() {
		p.leavePhase()
		p.phase = ""
	})
}

// leavePhase ends the phase. The last state of a long phase remains on the screen.
func (p *Progress) leavePhase() {
	if p.phase == "" {
		return
	}
	long := p.now().Sub(p.begun) >= longPhase
	if long && p.pending {
		p.show()
	}
	close(p.stop)
	p.stop = nil
	switch {
	case !p.terminal || p.written == 0:
	case long:
		fmt.Fprintln(p.w)
	default:
		fmt.Fprintf(p.w, "\r%*s\r", p.columns()-1, "")
	}
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

// describeProgress returns the text that is shown beside the bar, and in the line that is printed if there is no
// terminal.
func describeProgress(s train.Progress) string {
	gap := fmt.Sprintf("gap %.1e of %.0e", s.RelativeGap, s.Target)
	if !(s.RelativeGap < 1) { // the lower bound is at most that of losses ≥ 0
		gap = "no bound yet"
	}
	passes := math.Round(s.Passes)
	return fmt.Sprintf("%s, %.0f %s", gap, passes, printable.Noun(passes, "pass", "passes"))
}

// formatDuration formats a duration with about three digits: 0.21 s, 12 s, 3 min 5 s.
func formatDuration(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 10:
		return fmt.Sprintf("%.2g s", s)
	case s < 60:
		return fmt.Sprintf("%.0f s", s)
	default:
		return fmt.Sprintf("%d min %d s", int(s)/60, int(s)%60)
	}
}
