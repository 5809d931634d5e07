package train

import (
	"runtime"
	"slices"
	"testing"
)

// The number of threads changes neither the model nor the limits of the process.
func TestConfig_Threads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	var first *Model
	for _, threads := range []int{0, 1, 3} {
		cfg := keepingRows()
		cfg.Data, cfg.Target, cfg.Groups, cfg.Threads = "builtin:hmda", "deny", []string{"afam"}, threads
		m := fit(t, cfg)
		if first == nil {
			first = m
		}
		if !slices.Equal(m.Coefficients, first.Coefficients) || m.Result.Level != first.Result.Level {
			t.Errorf("another model with %d threads", threads)
		}
		if got := runtime.GOMAXPROCS(0); got != 4 {
			t.Fatalf("GOMAXPROCS is %d after %d threads", got, threads)
		}
	}
	cfg := keepingRows()
	cfg.Data, cfg.Target, cfg.Threads = "builtin:hmda", "deny", -1
	if _, err := Fit(t.Context(), cfg); err == nil {
		t.Error("no error for -1 threads")
	}
}
