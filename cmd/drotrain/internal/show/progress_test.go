package show

import (
	"bytes"
	"fmt"
	"math"
	"slices"
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

// watch shows two phases of ten check points, a second apart.
func watch(terminal, quiet bool) string {
	var out bytes.Buffer
	clock := time.Unix(0, 0)
	p := NewProgress(&out, terminal, func() time.Time { return clock }, quiet)
	for _, phase := range []string{"erm", "robust"} {
		for k := range 10 {
			gap := math.Pow(10, -float64(k))
			if k == 0 {
				gap = math.Inf(1)
			}
			clock = clock.Add(time.Second)
			s := train.Progress{Phase: phase, Passes: float64(10 * k), MaxPasses: 1e4, Target: 1e-8,
				RelativeGap: gap, Elapsed: time.Duration(k) * time.Second}
			if p != nil {
				p.Observe(s)
			}
		}
	}
	p.Finish()
	return out.String()
}

func TestProgressLines(t *testing.T) {
	want := ""
	for _, phase := range []string{"ERM", "robust"} { // never two seconds in silence
		for _, k := range []int{2, 4, 6, 8, 9} {
			want += fmt.Sprintf("drotrain: %s: gap 1.0e-%02d of 1e-08, %d0 passes, %d s\n", phase, k, k, k)
		}
	}
	if got := watch(false, false); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestProgressBar(t *testing.T) {
	got := watch(true, false)
	frames := strings.FieldsFunc(got, func(r rune) bool { return r == '\r' })
	if len(frames) < 20 {
		t.Fatalf("%d frames in %q", len(frames), got)
	}
	for _, f := range frames {
		if n := len([]rune(f)); n > 80 {
			t.Errorf("frame of %d columns: %q", n, f)
		}
	}
	for _, want := range []string{"█", "░", "ERM: no bound yet, 0 passes", "robust: gap 1.0e-05 of 1e-08, 50 passes, 5 s"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	// Each phase leaves one line, the finished bar.
	if n := strings.Count(got, "\n"); n != 2 {
		t.Errorf("%d lines are left behind, want 2: %q", n, got)
	}
	const last = "100% ████████████████  robust: gap 1.0e-09 of 1e-08, 90 passes, 9 s"
	if end := strings.TrimSpace(frames[len(frames)-1]); end != last {
		t.Errorf("the bar ends as %q, want %q", end, last)
	}
}

func TestProgressQuiet(t *testing.T) {
	if got := watch(true, true) + watch(false, true); got != "" {
		t.Errorf("got %q", got)
	}
}

// The bar never goes back, whatever the gap does.
func TestProgressMonotone(t *testing.T) {
	p := &Progress{first: math.Inf(1)}
	for _, gap := range []float64{math.Inf(1), 0.5, 1e-3, 0.2, 1e-5, math.NaN(), 1e-9} {
		before := p.done
		p.first, p.done = p.advance(train.Progress{RelativeGap: gap, Target: 1e-6, Passes: 1, MaxPasses: 100})
		if p.done < before || p.done > barSteps {
			t.Errorf("gap %g: from %d to %d", gap, before, p.done)
		}
	}
	if p.done != barSteps {
		t.Errorf("ends at %d of %d", p.done, barSteps)
	}
}

// The bar is the share of the digits between the first known gap, or 1, and the target.
func TestProgressIsInDigits(t *testing.T) {
	for _, gaps := range [][]float64{{math.Inf(1), 1e-2, 1e-3, 1e-5}, {1e-2, 1e-3, 1e-5}} {
		p := &Progress{first: math.Inf(1)}
		start := math.Min(1, gaps[0])
		for _, gap := range gaps {
			p.first, p.done = p.advance(train.Progress{RelativeGap: gap, Target: 1e-6})
			want := int(barSteps * math.Max(0, math.Log(start/gap)/math.Log(start/1e-6)))
			if d := p.done - want; d < -1 || d > 1 {
				t.Errorf("from %g, gap %g: %d of %d, want %d", start, gap, p.done, barSteps, want)
			}
		}
	}
}

// The steps of an evaluation are told under the name of their phase, not of the one before.
func TestProgressOfMeasuring(t *testing.T) {
	var out bytes.Buffer
	clock := time.Unix(0, 0)
	p := NewProgress(&out, false, func() time.Time { return clock }, false)
	p.Begin("robust")
	clock = clock.Add(time.Second)
	for k := range 3 {
		p.Measuring(eval.Progress{Phase: "resampling", Done: k + 1, Total: 3})
		clock = clock.Add(2 * time.Second)
	}
	p.Finish()
	const want = "drotrain: resampling: 2 of 3, 2 s, about 1 s left\ndrotrain: resampling: 3 of 3, 4 s\n"
	if got := out.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// Reading and encoding are told in bytes and rows, with what is left where it is long.
func TestProgressOfReading(t *testing.T) {
	var out bytes.Buffer
	clock := time.Unix(0, 0)
	p := NewProgress(&out, false, func() time.Time { return clock }, false)
	p.Begin(Reading)
	for k := range 5 {
		clock = clock.Add(time.Second)
		p.reading(data.Progress{Read: int64(k) * 300e6, Size: 600e6}) // once more for the values
	}
	p.Begin(Encoding)
	clock = clock.Add(3 * time.Second)
	p.reading(data.Progress{Read: 600e6, Size: 600e6, Rows: 250_000, Of: 1_000_000})
	p.Finish()
	const want = `drotrain: reading: 300 MB of 600 MB, 2 s, about 2 s left
drotrain: reading: 300 MB of 600 MB, 4 s, about 4 s left
drotrain: reading: 600 MB of 600 MB, 5 s
drotrain: encoding: 250 000 of 1 000 000 rows, 600 MB read, 3 s, about 9 s left
`
	if got := strings.ReplaceAll(out.String(), "\u2009", " "); strings.ReplaceAll(got, "\u202f", " ") != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// Where nothing is heard of, the time is told.
func TestProgressTicks(t *testing.T) {
	var out lockedBuffer
	p := NewProgress(&out, false, time.Now, false)
	p.Begin("drawing")
	for until := time.Now().Add(time.Minute); !strings.Contains(out.String(), "drotrain: drawing: "); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("silent: %q", out.String())
		}
	}
	p.Finish()
}

// A phase that is not heard of says how long it has been at work: no line is written twice.
func TestProgressMovesWithTime(t *testing.T) {
	for name, hear := range map[string]func(p *Progress){
		"parts":    func(p *Progress) { p.Observe(train.Progress{Phase: "pairs", Done: 1, Total: 1}) },
		"training": func(p *Progress) { p.Observe(train.Progress{Phase: "erm", RelativeGap: 0.1, Target: 1e-6}) },
		"unknown":  func(p *Progress) { p.Begin("drawing") },
	} {
		var out lockedBuffer
		clock := time.Unix(0, 0)
		p := NewProgress(&out, false, func() time.Time { return clock }, false)
		hear(p)
		for range 4 {
			p.mu.Lock()
			clock = clock.Add(lineInterval + tickInterval)
			p.showIfAfter(lineInterval)
			p.mu.Unlock()
		}
		p.Finish()
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		slices.Sort(lines)
		if n := len(slices.Compact(lines)); n < 4 {
			t.Errorf("%s: %d different lines:\n%s", name, n, out.String())
		}
	}
}

// Whatever is heard between two ticks, and however little, no two seconds pass without a line,
// nor one and a half without a frame: a busy machine has a share of them.
func TestProgressIsNeverSilent(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		for heard := 50 * time.Millisecond; heard < tickInterval; heard += 50 * time.Millisecond {
			synctest.Test(t, func(t *testing.T) {
				w := &silences{last: time.Now()}
				p := NewProgress(w, terminal, time.Now, false)
				p.Begin("robust")
				time.Sleep(heard)
				p.Observe(train.Progress{Phase: "robust", RelativeGap: 0.1, Target: 1e-6})
				time.Sleep(20 * time.Second)
				p.Finish()
				synctest.Wait()
				if w.longest > map[bool]time.Duration{true: tickInterval * 3 / 2, false: lineInterval}[terminal] {
					t.Errorf("terminal %v: heard of after %v, silent for %v", terminal, heard, w.longest)
				}
			})
		}
	}
}

// silences is a writer that knows the longest time between two writes.
type silences struct {
	last    time.Time
	longest time.Duration
}

func (s *silences) Write(p []byte) (int, error) {
	s.longest = max(s.longest, time.Since(s.last))
	s.last = time.Now()
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

// A choice says which of how many models are solved, and is never silent for two seconds
// though its models take that long.
func TestProgressOfAChoice(t *testing.T) {
	var out bytes.Buffer
	clock := time.Unix(0, 0)
	p := NewProgress(&out, false, func() time.Time { return clock }, false)
	for k := range 9 {
		clock = clock.Add(2 * time.Second)
		p.Observe(train.Progress{Phase: "choosing", Done: k, Total: 93})
	}
	p.Finish()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) < 6 || !strings.HasPrefix(lines[0], "drotrain: choosing: ") || !strings.Contains(out.String(), "8 of 93") {
		t.Errorf("%d lines:\n%s", len(lines), out.String())
	}
}

// A phase that has ended is ended once.
func TestProgressEndsOnce(t *testing.T) {
	var out bytes.Buffer
	clock := time.Unix(0, 0)
	p := NewProgress(&out, false, func() time.Time { return clock }, false)
	p.Observe(train.Progress{Phase: "choosing", Done: 0, Total: 9})
	clock = clock.Add(3 * time.Second)
	p.Observe(train.Progress{Phase: "choosing", Done: 1, Total: 9})
	clock = clock.Add(time.Millisecond)
	p.Observe(train.Progress{Phase: "choosing", Done: 2, Total: 9}) // too soon to be shown
	p.Finish()
	was := out.String()
	clock = clock.Add(3 * time.Second)
	if p.Finish(); was == "" || out.String() != was {
		t.Errorf("%q, ended again %q", was, out.String())
	}
}

// A frame fits the terminal, however narrow, down to the bar alone: one that is wider would
// fill a line each.
func TestFramesFitTheTerminal(t *testing.T) {
	for _, wide := range []int{25, 26, 40, 79, Width} {
		var out bytes.Buffer
		clock := time.Unix(0, 0)
		p := NewProgress(&out, true, func() time.Time { clock = clock.Add(time.Second); return clock }, false)
		p.columns = func() int { return wide }
		p.Begin(strings.Repeat("a long phase ", 9))
		for k := range 9 {
			p.Measuring(eval.Progress{Phase: strings.Repeat("of a long name ", 9), Done: k, Total: 9})
		}
		p.Finish()
		widest := 0
		for _, frame := range strings.FieldsFunc(out.String(), func(r rune) bool { return r == '\r' || r == '\n' }) {
			widest = max(widest, utf8.RuneCountInString(frame))
		}
		if widest > wide || widest < wide-3 {
			t.Errorf("a frame of %d columns on %d", widest, wide)
		}
	}
}

// What is left of a phase is told once some of it is done, and more than a second is left.
func TestTimeThatIsLeft(t *testing.T) {
	now := time.Unix(100, 0)
	p := NewProgress(&bytes.Buffer{}, true, func() time.Time { return now }, false)
	for _, c := range []struct {
		took  time.Duration
		share float64
		want  string
	}{
		{time.Second, 0.5, ""}, {longPhase, 0, ""}, {10 * time.Second, 0, ""}, {10 * time.Second, math.NaN(), ""},
		{10 * time.Second, 0.5, ", 10 s, about 10 s left"}, {10 * time.Second, 0.25, ", 10 s, about 30 s left"},
		{10 * time.Second, 1, ", 10 s"}, {longPhase, 2.0 / 3, ", 2 s, about 1 s left"}, {longPhase, 0.7, ", 2 s"},
	} {
		p.begun, p.share = now.Add(-c.took), c.share
		if got := p.ofTime(); got != c.want {
			t.Errorf("%v, %v done: %q, want %q", c.took, c.share, got, c.want)
		}
	}
}
