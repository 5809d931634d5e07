package train

import (
	"slices"
	"testing"

	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
)

func TestConfigOfFold_KeepsWhatWasChosen(t *testing.T) {
	mu := 0.5
	m := &Model{Config: DefaultConfig(), TrainRows: 100}
	m.Config.Level, m.Config.Mu, m.Config.Evaluate = level.Level{Penalty: "kl", Nu: level.At(1)}, &mu, EvaluateCrossfit
	for name, s := range map[string]*tune.Selection{"level given": nil, "level chosen": {}} {
		m.Result.Selection = s
		got := m.configOfFold()
		if got.Nu == nil || *got.Nu != 1 || *got.Mu != mu || got.Evaluate != "" || got.GroupCoefficients != "no" {
			t.Errorf("%s: level %v, μ %v, group coefficients %s", name, got.Level, *got.Mu, got.GroupCoefficients)
		}
	}
	m.Result.Design = &GroupDesign{Ridges: []float64{5}}
	if got := m.configOfFold(); got.design == nil || !slices.Equal(got.design.Ridges, []float64{5}) {
		t.Errorf("design %+v", got.design)
	}
}

func TestUntrainedGroups_AreThoseOfOneFold(t *testing.T) {
	r := level.Rows{N: 6, Group: []int32{0, 0, 1, 1, 2, -1},
		Labels: []string{"two folds", "one fold", "one row", "no row"}}
	if got := findUntrainedGroups(r, []int{0, 1, 1, 1, 0, 2}); !slices.Equal(got, []string{"one fold", "one row"}) {
		t.Errorf("%q", got)
	}
}
