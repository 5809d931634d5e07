package dro_test

import (
	"strings"
	"testing"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/losses"
)

// A snapshot with a wrong bit, or that is cut or goes on, is refused: what it counts and where
// it points is not to be trusted.
func TestDamagedSnapshots(t *testing.T) {
	p := &dro.Problem{Oracle: drotest.NewSample(drotest.RngOf(301), 60, 3, true).Oracle(t, losses.Logistic{}), Dual: dro.KL{Nu: 0.1}, Primal: dro.L2{Mu: 1e-4}}
	s := dro.DefaultSettings()
	s.RelativeGap, s.MaxPasses, s.Seed = 1e-13, 40, 5
	var whole []byte
	s.Snapshot = func(state []byte) { whole = state }
	if _, err := dro.Solve(t.Context(), p, dro.Newton{}, s); err != nil || whole == nil {
		t.Fatalf("%v, a snapshot of %d bytes", err, len(whole))
	}
	s.Snapshot = nil
	refused := func(state []byte, why string) {
		t.Helper()
		s.Resume = state
		if res, err := dro.Solve(t.Context(), p, dro.Newton{}, s); err == nil || res != nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%d bytes of %d: %v, want %q", len(state), len(whole), err, why)
		}
	}
	named := []string{"version", "method", "kind of losses", "number of samples", "number of parameters", "ν", "μ", "seed"}
	head := 8 * len(named) // which names the difference
	for at := range whole {
		other := append([]byte(nil), whole...)
		if other[at] ^= 1 << (at % 8); at < head {
			refused(other, "its "+named[at/8])
		} else {
			refused(other, "damaged")
		}
	}
	for _, n := range []int{0, 1, 8, head, len(whole) / 2, len(whole) - 8, len(whole) - 1} {
		refused(whole[:n], "it is ")
	}
	refused(append(whole[:len(whole):len(whole)], 0), "damaged")
}
