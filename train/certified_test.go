package train_test

import (
	"errors"
	"testing"

	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

// A program learns why a model is not certified by the class of an error.
func TestUncertified(t *testing.T) {
	cfg := builtin(t, "hmda")
	cfg.Nu, cfg.NoBaseline = level.At(0.1), true
	if err := fit(t, cfg).Result.Uncertified(); err != nil {
		t.Errorf("a certified model: %v", err)
	}
	cfg.MaxPasses, cfg.Solver = 2, "lbfgs"
	err := fit(t, cfg).Result.Uncertified()
	var e *train.UncertifiedError
	if !errors.Is(err, train.ErrLimit) || errors.Is(err, train.ErrInconsistent) || !errors.As(err, &e) || e.Status != "limit" {
		t.Errorf("after two passes: %v", err)
	}
	for status, want := range map[string]error{
		"inconsistent": train.ErrInconsistent, "stalled": train.ErrStalled, "uncertified": train.ErrNoBound, "cancelled": train.ErrCancelled,
	} {
		s := train.Summary{Status: status}
		if err := s.Uncertified(); !errors.Is(err, want) {
			t.Errorf("%s: %v", status, err)
		}
	}
}
