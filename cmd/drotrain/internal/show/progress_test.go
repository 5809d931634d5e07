package show

import (
	"bytes"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train"
)

// newDisplay returns a display on out with a clock that the test moves.
func newDisplay(out *lockedBuffer, terminal bool, clock *time.Time) *Progress {
	line := func(text string) { _, _ = out.Write([]byte(text + "\n")) }
	return NewProgress(out, line, terminal, func() time.Time { return *clock }, false)
}

// observe reports two phases of ten steps each, at the interval every.
func observe(terminal bool, every time.Duration) string {
	var out lockedBuffer
	clock := time.Unix(0, 0)
	p := newDisplay(&out, terminal, &clock)
	for _, phase := range []string{"erm", "robust"} {
		for k := range 10 {
			gap := math.Pow(10, -float64(k))
			if k == 0 {
				gap = math.Inf(1)
			}
			clock = clock.Add(every)
			p.Observe(train.Progress{Phase: phase, Passes: float64(10 * k), MaxPasses: 1e4, Target: 1e-8,
				RelativeGap: gap, Elapsed: time.Duration(k) * every})
		}
	}
	p.Finish()
	return plain2(out.String())
}

// plain2 replaces narrow spaces by spaces.
func plain2(s string) string { return strings.NewReplacer("\u2009", " ", "\u202f", " ").Replace(s) }

func TestProgress_LinesWithoutTerminal(t *testing.T) {
	for name, c := range map[string]struct {
		every time.Duration
		want  string
	}{
		"short phases leave no line": {time.Second / 4, ""},
		"one line after five seconds, and the last state": {time.Second, `ERM: gap 1.0e-05 of 1e-08, 50 passes, 5 s
ERM: gap 1.0e-09 of 1e-08, 90 passes, 10 s
robust: gap 1.0e-05 of 1e-08, 50 passes, 5 s
robust: gap 1.0e-09 of 1e-08, 90 passes, 9 s
`},
	} {
		if got := observe(false, c.every); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
	if n := strings.Count(observe(false, 20*time.Second), "\n"); n > 10 {
		t.Errorf("%d lines in 6 minutes of two phases", n)
	}
}

func TestProgress_FramesOnATerminal(t *testing.T) {
	got := observe(true, time.Second)
	frames := strings.FieldsFunc(got, func(r rune) bool { return r == '\r' })
	if len(frames) < 20 {
		t.Fatalf("%d frames in %q", len(frames), got)
	}
	for _, want := range []string{"█", "░", "ERM: no bound yet, 0 passes",
		"robust: gap 1.0e-05 of 1e-08, 50 passes, 5 s"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	if n := strings.Count(got, "\n"); n != 2 {
		t.Errorf("%d lines stay, want one for each phase: %q", n, got)
	}
	const last = "100% ██████████  robust: gap 1.0e-09 of 1e-08, 90 passes, 9 s"
	if end := strings.TrimSpace(frames[len(frames)-1]); end != last {
		t.Errorf("the bar ends as %q, want %q", end, last)
	}
}

func TestProgress_Quiet(t *testing.T) {
	p := NewProgress(nil, nil, true, time.Now, true)
	p.Begin("a")
	p.Observe(train.Progress{})
	p.ObserveEvaluation(eval.Progress{})
	p.Finish() // does not write, which would panic
}

// The bar of a training run shows the decrease of the gap in digits, from the first gap, or 1, to the target, and
// never decreases.
func TestProgress_ShareOfATraining(t *testing.T) {
	for _, gaps := range [][]float64{{math.Inf(1), 0.5, 1e-3, 0.2, 1e-5, math.NaN(), 1e-9}, {1e-2, 1e-3, 1e-5}} {
		var out lockedBuffer
		clock := time.Unix(0, 0)
		p := newDisplay(&out, true, &clock)
		best, start := 0.0, math.NaN()
		for _, gap := range gaps {
			p.Observe(train.Progress{Phase: "robust", RelativeGap: gap, Target: 1e-6})
			if gap > 0 && math.IsNaN(start) {
				start = math.Min(gap, 1)
			}
			if !math.IsNaN(gap) {
				best = math.Max(best, math.Min(1, math.Log(start/gap)/math.Log(start/1e-6)))
			}
			if !(math.Abs(p.proportion-best) < 1e-9) {
				t.Errorf("%v, gap %g: %g, want %g", gaps, gap, p.proportion, best)
			}
		}
		p.Finish()
	}
}

func TestProgress_Reading(t *testing.T) {
	var out lockedBuffer
	clock := time.Unix(0, 0)
	p := newDisplay(&out, true, &clock)
	p.Begin(Reading)
	for k := range 5 {
		clock = clock.Add(time.Second)
		p.observeReading(data.Progress{Read: int64(k) * 300e6, Size: 600e6})
	}
	clock = clock.Add(time.Second)
	p.observeReading(data.Progress{Read: 1201e6, Size: 600e6})
	p.Begin(Encoding)
	clock = clock.Add(3 * time.Second)
	p.observeReading(data.Progress{Read: 600e6, Size: 600e6, Rows: 250_000, Of: 1_000_000})
	p.Finish()
	got := plain2(out.String())
	for _, want := range []string{"reading: 300 MB of 600 MB, 2 s, about 2 s left",
		"reading: 300 MB of 600 MB, pass 2, 4 s\r", "reading: 600 MB of 600 MB, pass 2, 5 s",
		"reading: 1 MB of 600 MB, pass 3, 6 s", "encoding: 250 000 of 1 000 000 rows, 3 s, about 9 s left"} {
		if !strings.Contains(got, strings.TrimSpace(want)) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	if strings.Contains(got, "min") {
		t.Errorf("minutes left of a few seconds: %q", got)
	}
}

func TestProgress_TimeLeft(t *testing.T) {
	now := time.Unix(100, 0)
	p := &Progress{now: func() time.Time { return now }}
	p.counted, p.phase = true, "fold"
	for _, c := range []struct {
		took  time.Duration
		share float64
		want  string
	}{
		{time.Second / 2, 0.5, "fold"}, {time.Second, 0.5, "fold: 1 s"}, {10 * time.Second, 0, "fold: 10 s"},
		{10 * time.Second, math.NaN(), "fold: 10 s"}, {10 * time.Second, 0.01, "fold: 10 s"},
		{10 * time.Second, 0.5, "fold: 10 s, about 10 s left"}, {10 * time.Second, 0.25, "fold: 10 s, about 30 s left"},
		{10 * time.Second, 1, "fold: 10 s"}, {2 * time.Second, 0.7, "fold: 2 s"},
	} {
		p.begun, p.proportion = now.Add(-c.took), c.share
		if got := p.describe(80); got != c.want {
			t.Errorf("%v, %v done: %q, want %q", c.took, c.share, got, c.want)
		}
	}
}

// If a line is too narrow, the count and the elapsed time are omitted before the estimate of the remaining time.
func TestProgress_ForecastFits(t *testing.T) {
	now := time.Unix(1000, 0)
	p := &Progress{now: func() time.Time { return now }}
	p.phase, p.text, p.counted, p.proportion, p.begun = "intervals", "12 of 48", true, 0.25, now.Add(-100*time.Second)
	for width, want := range map[int]string{80: "intervals: 12 of 48, 1 min 40 s, about 5 min 0 s left",
		52: "intervals: 12 of 48, about 5 min 0 s left", 36: "intervals: about 5 min 0 s left", 24: "intervals: 1 min 40 s",
		5: "inter", 0: ""} {
		if got := p.describe(width); got != want {
			t.Errorf("%d: %q, want %q", width, got, want)
		}
	}
}

// A phase in which all parts are finished does not stay at 100 %: the remaining steps are shown as a separate phase.
func TestProgress_EndsWhenAllPartsAreFinished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out lockedBuffer
		p := NewProgress(&out, nil, true, time.Now, false)
		p.ObserveEvaluation(eval.Progress{Phase: "choosing", Done: 20, Total: 20})
		time.Sleep(30 * time.Second)
		p.Finish()
		synctest.Wait()
		if n := strings.Count(out.String(), "100%"); n > 2 {
			t.Errorf("%d frames at 100 %%", n)
		}
		if !strings.Contains(out.String(), "last steps of choosing: 28 s") {
			t.Error(out.String())
		}
	})
}

// Without reports, a terminal shows a frame at least every 1.5 seconds, and any other stream a line after five seconds
// and then every minute.
func TestProgress_NeverSilent(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			w := &silences{last: time.Now()}
			p := NewProgress(w, func(text string) { _, _ = w.Write([]byte(text)) }, terminal, time.Now, false)
			p.Begin("robust")
			time.Sleep(300 * time.Millisecond)
			p.Observe(train.Progress{Phase: "robust", RelativeGap: 0.1, Target: 1e-6})
			time.Sleep(5 * time.Minute)
			p.Finish()
			synctest.Wait()
			if most := map[bool]time.Duration{true: tickInterval * 3 / 2,
				false: lineInterval + tickInterval}[terminal]; w.longest > most || w.writes < 5 || !terminal && w.writes > 7 {
				t.Errorf("terminal %v: silent for %v, %d writes", terminal, w.longest, w.writes)
			}
		})
	}
}

// silences is a writer that measures the longest time between two writes.
type silences struct {
	last    time.Time
	longest time.Duration
	writes  int
}

func (s *silences) Write(p []byte) (int, error) {
	s.longest = max(s.longest, time.Since(s.last))
	s.last = time.Now()
	s.writes++
	return len(p), nil
}

type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

// A frame fits a terminal of any width and covers the previous frame.
func TestProgress_FramesFitTheTerminal(t *testing.T) {
	for _, columns := range []int{25, 26, 40, 79, Width} {
		var out lockedBuffer
		clock := time.Unix(0, 0)
		p := newDisplay(&out, true, &clock)
		p.columns = func() int { return columns }
		p.Begin(strings.Repeat("a long phase ", 9))
		for k := range 9 {
			clock = clock.Add(time.Second)
			phase := strings.Repeat("of a long name ", 9)
			if k > 4 {
				phase = "short"
			}
			p.ObserveEvaluation(eval.Progress{Phase: phase, Done: k, Total: 9})
		}
		p.Finish()
		screen := []rune(strings.Repeat(" ", Width+1))
		for _, frame := range strings.FieldsFunc(strings.TrimRight(out.String(), "\n"),
			func(r rune) bool { return r == '\r' || r == '\n' }) {
			if n := utf8.RuneCountInString(frame); n >= columns {
				t.Errorf("a frame of %d columns on %d", n, columns)
			}
		}
		lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
		for frame := range strings.SplitSeq(lines[len(lines)-1], "\r") {
			copy(screen, []rune(frame))
		}
		if got := string(bytes.TrimSpace([]byte(string(screen)))); strings.Contains(got, "name") {
			t.Errorf("%d columns: the last frame has remains: %q", columns, got)
		}
	}
}

func TestProgress_IntervalBetweenLines(t *testing.T) {
	var out lockedBuffer
	clock := time.Unix(0, 0)
	p := newDisplay(&out, false, &clock)
	p.Interval = 2 * time.Second
	for range 9 {
		p.Observe(train.Progress{Phase: "robust", Passes: 1, Target: 1e-8, RelativeGap: 1})
		clock = clock.Add(time.Second)
	}
	if n := strings.Count(out.String(), "\n"); n != 4 {
		t.Errorf("%d lines in 9 seconds, not one every 2:\n%s", n, out.String())
	}
	p.Finish()
}

// A bound of losses ≥ 0 that every point has is not shown as a gap.
func TestProgress_TrivialBound(t *testing.T) {
	for gap, want := range map[float64]string{1: "no bound yet, 3 passes", math.NaN(): "no bound yet, 3 passes",
		0.5: "gap 5.0e-01 of 1e-06, 3 passes"} {
		if got := describeProgress(train.Progress{RelativeGap: gap, Target: 1e-6, Passes: 3}); got != want {
			t.Errorf("a gap of %v: %q, want %q", gap, got, want)
		}
	}
}
