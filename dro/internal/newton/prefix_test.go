package newton

import (
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/losses"
)

// has reports whether asking an oracle for an ability succeeds, by name.
func has(o saddle.Oracle) map[string]bool {
	out := map[string]bool{}
	_, out["Selectable"] = saddle.Ability[saddle.Selectable](o)
	_, out["NonNegative"] = saddle.Ability[saddle.NonNegative](o)
	_, out["Conditioned"] = saddle.Ability[saddle.Conditioned](o)
	_, out["Curved"] = saddle.Ability[saddle.Curved](o)
	_, out["Products"] = saddle.Ability[saddle.Products](o)
	_, out["CurvatureBoundedBelow"] = saddle.Ability[saddle.CurvatureBoundedBelow](o)
	_, out["Changed"] = saddle.Ability[saddle.Changed](o)
	_, out["Worked"] = saddle.Ability[saddle.Worked](o)
	_, out["Rounded"] = saddle.Ability[saddle.Rounded](o)
	_, out["Spacious"] = saddle.Ability[saddle.Spacious](o)
	_, out["stored"] = saddle.Ability[saddle.Stored](o)
	return out
}

// A prefix has the abilities of what it is a prefix of, however deep, and no others.
func TestPrefixPassesAbilitiesOn(t *testing.T) {
	full := drotest.NewSample(drotest.RngOf(5), 40, 3, false).Oracle(t, losses.Logistic{})
	for _, o := range []saddle.Oracle{full, drotest.Plain{O: full}, drotest.BareOracle{Oracle: full}} {
		want := has(o)
		for name, got := range has(newPrefix(newPrefix(o, 30), 20)) {
			if got != want[name] {
				t.Errorf("%T: %s is %v of a prefix, %v of the oracle", o, name, got, want[name])
			}
		}
	}
}

// The memory of a prefix is its share of what the rows take, or that of as many numbers.
func TestPrefixTakesItsShareOfMemory(t *testing.T) {
	full := drotest.NewSample(drotest.RngOf(5), 40, 3, false).Oracle(t, losses.Logistic{})
	if got := newPrefix(full, 20).Bytes(); got != full.Bytes()/2 {
		t.Errorf("%d bytes of half of the rows, which take %d", got, full.Bytes())
	}
	if got := newPrefix(drotest.BareOracle{Oracle: full}, 20).Bytes(); got != 20*3*8 {
		t.Errorf("%d bytes of 20 × 3 numbers", got)
	}
}
