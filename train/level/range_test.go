package level_test

import (
	"strings"
	"testing"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/train/level"
)

func TestRange_ContainsStrongerLevels(t *testing.T) {
	r := &level.Range{Protect: level.At(0.2), Shift: level.At(0.3), Rows: 10, Of: 20, Balls: []level.BallRange{
		{Penalty: dro.KullbackLeibler, Ess: 0.5, Radius: 0.6931, Nu: 1e-3},
		{Penalty: dro.PearsonChi2, Ess: 0.25, Radius: 1.5}}}
	for name, c := range map[string]struct {
		l    level.Level
		want bool
	}{
		"protect below":       {level.Level{Protect: level.At(0.1)}, true},
		"protect above":       {level.Level{Protect: level.At(0.21)}, false},
		"kl":                  {level.Level{Ess: level.At(0.4), Penalty: dro.KullbackLeibler}, true},
		"kl without a name":   {level.Level{Ess: level.At(0.4)}, true},
		"kl, weaker":          {level.Level{Ess: level.At(0.6), Penalty: dro.KullbackLeibler}, false},
		"chi2":                {level.Level{Ess: level.At(0.4), Penalty: dro.PearsonChi2}, false},
		"chi2 by radius":      {level.Level{Radius: level.At(2), Penalty: dro.PearsonChi2}, true},
		"penalty":             {level.Level{Nu: level.At(1e-4), Penalty: dro.KullbackLeibler}, true},
		"penalty, weaker":     {level.Level{Nu: level.At(1e-2), Penalty: dro.KullbackLeibler}, false},
		"penalty, unknown":    {level.Level{Nu: level.At(1e-9), Penalty: dro.PearsonChi2}, false},
		"total variation":     {level.Level{Radius: level.At(0.4), Penalty: dro.TotalVariation}, true},
		"shift, weaker":       {level.Level{Radius: level.At(0.2), Penalty: dro.TotalVariation}, false},
		"groups":              {level.Level{Radius: level.At(2), Penalty: dro.PearsonChi2, Adversary: "groups"}, false},
		"ERM":                 {level.Level{Average: "plain", Penalty: dro.KullbackLeibler}, false},
		"no level, to choose": {level.Level{Penalty: dro.KullbackLeibler}, false},
	} {
		if got := r.Contains(c.l); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	var none *level.Range
	if none.Contains(level.Level{Protect: level.At(0.1)}) || none.String() != "" || (&level.Range{}).String() != "" {
		t.Error("an unknown or empty range contains levels")
	}
	for _, part := range []string{"for --protect up to 0.2, ",
		"--penalty kl with --ess up to 0.5 or --radius from 0.693, ", "--penalty chi2 with --ess up to 0.25 or --radius from 1.5 ",
		"and --penalty tv with --radius from 0.3 ", "10 of 20 rows"} {
		if !strings.Contains(r.String(), part) {
			t.Errorf("no %q in %q", part, r)
		}
	}
}

// The text of a range states the number of rows if it was computed from a sample.
func TestRange_NamesItsSample(t *testing.T) {
	share := 0.1
	all, some := &level.Range{Protect: &share, Rows: 10, Of: 10}, &level.Range{Protect: &share, Rows: 10, Of: 20}
	if strings.Contains(all.String(), "computed") || !strings.Contains(some.String(), "(computed from 10 of 20 rows)") {
		t.Errorf("%q, and of a sample %q", all, some)
	}
}
