package eval_test

import (
	"context"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
)

func FuzzParseGate(f *testing.F) {
	for _, s := range []string{"worst_group.risk > 0.6", "robust.group[a>b].accuracy <= .5", "cvar[0.1] >= 2",
		"change.cvar[0.1].low<1", "since.worst_group.rmse.low > 0.1", "since.group[g00001].risk<0", "unseen[x] > 0",
		"verdict == hurt", `verdict in ("hurt", mixed)`, "[", "> 1", "a[.]>1"} {
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
