package train_test

import (
	"context"
	"log"
	"log/slog"
	"os"
	"time"

	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

// Log the progress of a training run and its result to a structured log.
func ExampleConfig_LogTo() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: withoutNumbers}))
	cfg := train.DefaultConfig()
	cfg.Data, cfg.Target = "builtin:hmda", "deny"
	cfg.Ess, cfg.NoBaseline = level.At(0.8), true
	cfg.LogTo(logger, 10*time.Second)
	model, err := train.Fit(context.Background(), cfg)
	if err != nil {
		log.Fatal(err)
	}
	logger.Info("trained", "model", model.Summary(""))
	// Output:
	// level=INFO msg=training phase=robust
	// level=INFO msg=training phase=robust
	// level=INFO msg=trained model.status=certified model.level="KL ball of perplexity 80 %" model.solver=newton model.rows=1904 model.columns=14
}

// withoutNumbers omits attributes that depend on the machine.
func withoutNumbers(_ []string, a slog.Attr) slog.Attr {
	if k := a.Value.Kind(); k == slog.KindTime || k == slog.KindDuration || k == slog.KindFloat64 {
		return slog.Attr{}
	}
	return a
}
