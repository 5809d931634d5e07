package train

import (
	"testing"

	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
)

// A fold of a cross-fitted evaluation chooses what the training chose, the level and μ, and
// keeps what was given.
func TestUnchosen(t *testing.T) {
	mu := 0.5
	for name, c := range map[string]struct {
		selection *tune.Selection
		mu        float64
		level, at bool // are kept
	}{
		"given":           {nil, mu, true, true},
		"μ = 1/n":         {nil, 0.01, true, false},
		"a chosen level":  {&tune.Selection{}, mu, false, true},
		"chosen, with μ":  {&tune.Selection{Ridges: []tune.Ridge{{}}}, mu, false, false},
		"μ chosen as 1/n": {&tune.Selection{Ridges: []tune.Ridge{{}}}, 0.01, false, false},
	} {
		m := &Model{Config: DefaultConfig(), TrainRows: 100}
		m.Config.Level, m.Config.Mu, m.Config.Evaluate = level.Level{Penalty: "kl", Nu: level.At(1)}, &c.mu, EvaluateCrossfit
		m.Result.Selection = c.selection
		got := m.configBeforeChoice()
		if got.Level.IsSet() != c.level || (got.Mu != nil) != c.at || got.Evaluate != "" {
			t.Errorf("%s: level %v, μ %v", name, got.Level, got.Mu)
		}
	}
}
