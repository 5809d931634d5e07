package dro

import (
	"testing"

	"github.com/drotrain/drotrain/losses"
)

// has reports whether asking an oracle for an ability succeeds, by name.
func has(o Oracle) map[string]bool {
	out := map[string]bool{}
	_, out["Selectable"] = ability[Selectable](o)
	_, out["NonNegative"] = ability[NonNegative](o)
	_, out["Conditioned"] = ability[Conditioned](o)
	_, out["Curved"] = ability[Curved](o)
	_, out["Products"] = ability[Products](o)
	_, out["Floored"] = ability[Floored](o)
	_, out["Changed"] = ability[Changed](o)
	_, out["Worked"] = ability[Worked](o)
	_, out["rowProducts"] = ability[rowProducts](o)
	_, out["curvatureBounded"] = ability[curvatureBounded](o)
	_, out["stored"] = ability[stored](o)
	return out
}

// A prefix has the abilities of what it is a prefix of, however deep, and no others.
func TestPrefixPassesAbilitiesOn(t *testing.T) {
	full := newSample(rngOf(5), 40, 3, false).oracle(t, losses.Logistic{})
	for _, o := range []Oracle{full, plain{full}, bareOracle{full}} {
		want := has(o)
		for name, got := range has(&view{Oracle: &view{Oracle: o, n: 30}, n: 20}) {
			if got != want[name] {
				t.Errorf("%T: %s is %v of a prefix, %v of the oracle", o, name, got, want[name])
			}
		}
	}
}

// Stages by a method that asks for little run on an oracle that can do little: a stage
// that cannot start would end the solve as stalled.
func TestGrowingOnAnOracleOfFewAbilities(t *testing.T) {
	o := newSample(rngOf(6), 400, 3, false).oracle(t, losses.Logistic{})
	p := &Problem{plain{o}, KL{1}, L2{Mu: 0.1}}
	for _, m := range []Method{FullVector{}, Stochastic{Block: 40}, SeparableBlock{Block: 40}, LBFGS{}} {
		res := solve(t, p, Growing{First: 50, Factor: 2, Finish: m}, asking(1e-3, 300))
		if res.Status == Stalled {
			t.Errorf("growing with %s: %v after %v passes", m.Name(), res.Status, res.Passes)
		}
	}
}
