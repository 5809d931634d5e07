package train

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drotrain/drotrain/train/level"
)

// The log contains the decisions of the solver at level Debug, the first check of every phase, the check that
// certifies the gap, and the worst group of the model.
func TestLogTo_Levels(t *testing.T) {
	for _, at := range []slog.Level{slog.LevelInfo, slog.LevelDebug} {
		var b bytes.Buffer
		l := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: at}))
		cfg := keepingRows()
		cfg.Target, cfg.Groups, cfg.Nu, cfg.Solver = "y", []string{"g"}, level.At(1), "lbfgs"
		cfg.LogTo(l, time.Hour)
		m := fitFrame(t, wide(t, 300), cfg)
		cfg.Logf("growing: %d rows", 120)
		l.Info("trained", "model", m.Summary(""))
		if lines := strings.Count(b.String(), "phase=robust"); lines != 2 || !strings.Contains(b.String(),
			`model.worst_group.name=`) || strings.Contains(b.String(),
			`level=DEBUG msg="growing: 120 rows"`) != (at == slog.LevelDebug) {
			t.Errorf("%v: %d lines of the robust training\n%s", at, lines, b.String())
		}
	}
	// One more an interval.
	var b bytes.Buffer
	observe := logEvery(slog.New(slog.NewTextHandler(&b, nil)), time.Minute)
	for _, seconds := range []time.Duration{0, 30, 59, 60, 61, 119, 121, 122} {
		observe(Progress{Phase: "robust", Elapsed: seconds * time.Second, RelativeGap: 1, Target: 1e-6})
	}
	if n := strings.Count(b.String(), "\n"); n != 3 {
		t.Errorf("%d lines in two minutes:\n%s", n, b.String())
	}
}

// While a level is chosen, one line per interval states the number of models. Concurrent training runs with one
// configuration have separate logs (go test -race).
func TestLogTo_ChoosingAndConcurrentTrainings(t *testing.T) {
	frame := wide(t, 300)
	var b bytes.Buffer
	cfg := keepingRows()
	cfg.Target, cfg.Groups = "y", []string{"g"}
	cfg.LogTo(slog.New(slog.NewTextHandler(&b, nil)), time.Hour)
	observed := atomic.Int64{}
	cfg.Observe = func(Progress) { observed.Add(1) }
	const trainings = 3
	var wg sync.WaitGroup
	for range trainings {
		wg.Go(func() {
			if _, err := FitFrame(t.Context(), frame, cfg); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := strings.Count(b.String(), "phase=choosing done="); n < trainings || n > 2*trainings ||
		observed.Load() < 10*trainings {
		t.Errorf("%d lines of %d choices, %d calls of Observe:\n%s", n, trainings, observed.Load(), b.String())
	}
	if strings.Contains(b.String(), "phase=choosing passes") {
		t.Errorf("passes of a choice:\n%s", b.String())
	}
}
