package eval_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
)

func FuzzParseGate(f *testing.F) {
	for _, s := range []string{"worst_group.risk > 0.6", "robust.group[a>b].accuracy <= .5", "cvar[0.1] >= 2", "change.cvar[0.1].low<1", "since.worst_group.rmse.low > 0.1", "since.group[g00001].risk<0", "unseen[x] > 0", "verdict == hurt", `verdict in ("hurt", mixed)`, "[", "> 1", "a[.]>1"} {
		f.Add(s)
	}
	in := evaltest.Two(20, 2, 0, 1)
	e, err := eval.Evaluate(context.Background(), in)
	if err != nil {
		f.Fatal(err)
	}
	e.Reference = eval.NewReference(e)
	f.Fuzz(func(t *testing.T, s string) {
		g, err := eval.ParseGate(s)
		if err != nil {
			return
		}
		if r, err := g.Check(e); err == nil && r.Message == "" {
			t.Error("no message")
		}
	})
}

func TestGates(t *testing.T) {
	e, err := eval.Evaluate(context.Background(), evaltest.Two(400, 4, 0.5, 1))
	if err != nil {
		t.Fatal(err)
	}
	risk := float64(e.Models[1].Overall.Of["risk"])
	for s, failed := range map[string]bool{
		fmt.Sprintf("overall.risk > %v", risk-1e-9):    true,
		fmt.Sprintf("overall.risk > %v", risk+1e-9):    false,
		fmt.Sprintf("robust.overall.risk >= %v", risk): true,
		"ERM.group[g00001].n < 100":                    false,
		"ERM.group[g00001].n <= 100":                   true,
		"ratio.risk < 0":                               false,
		"change.worst_group.risk.high > 0":             false,
		"change.overall.risk.low < 0":                  true,
		"change.overall.r2.high < 0":                   false,
		"cvar[0.1] > 1e9":                              false,
		"worst_group.risk.high < 0":                    false,
		"overall.rmse.high < 0":                        false,
		"difference.risk.high > 0":                     true,
		"group[g00001].mae.low < 0":                    false,
		"overall.risk > 0 && ERM.group[g00001].n > 99": true,
		"overall.risk < 0 || !(cvar[0.1] > 1e9)":       true,
		"overall.risk < 0 or ERM.group[g00001].n < 9":  false,
	} {
		g, err := eval.ParseGate(s)
		if err != nil {
			t.Errorf("%s: %v", s, err)
			continue
		}
		if r, err := g.Check(e); err != nil || r.Failed != failed {
			t.Errorf("%s: %+v %v", s, r, err)
		}
	}
	for _, s := range []string{"", "risk", "risk = 1", "a..b > 1", "overall.risk > x", "overall.risk > NaN", "group[a > 1"} {
		if _, err := eval.ParseGate(s); err == nil {
			t.Errorf("%q accepted", s)
		}
	}
	for _, s := range []string{"overall.nope > 1", "nope > 1", "group[zz].risk > 1", "overall.risk.x > 1", "ERM > 1", "change > 1"} {
		g, err := eval.ParseGate(s)
		if err != nil {
			t.Errorf("%q: %v", s, err)
			continue
		}
		if _, err := g.Check(e); err == nil {
			t.Errorf("%q found something", s)
		}
	}
}
