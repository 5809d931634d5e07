package engine

import (
	"errors"
	"testing"

	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/memory"
)

// Vectors of an arena are given back once, but for those that are kept: what lies in their place
// later is another's.
func TestSpace_FreesVectorsOnce(t *testing.T) {
	arena := memory.NewVirtual()
	defer arena.Close()
	n := int(arena.MinSize) // numbers: large enough to be mapped
	s := &space{arena: arena}
	kept := s.Vector(n)
	s.Vector(n)
	s.exclude(kept)
	if s.Free(); arena.Slices() != 1 {
		t.Errorf("%d vectors are left, of which one is kept", arena.Slices())
	}
	others := [][]float64{memory.Make[float64](arena, n), memory.Make[float64](arena, n)}
	if s.Free(); arena.Slices() != 3 {
		t.Errorf("%d vectors are left of the one kept and %d of others", arena.Slices(), len(others))
	}
}

// roomy is an oracle whose vectors lie in an arena.
type limited struct {
	sized
	arena *memory.Arena
}

func (o limited) Arena() *memory.Arena { return o.arena }
func (o limited) MaxSelected() int     { return o.n }

// unable is a method that cannot start.
type unable struct{ saddle.Method }

func (unable) Name() string                             { return "unable" }
func (unable) Needs() []saddle.Need                     { return nil }
func (unable) Start(saddle.Run) (saddle.Stepper, error) { return nil, errors.New("not today") }

// A solve that does not start leaves nothing of its vectors.
func TestSpace_FreesVectorsIfStartFails(t *testing.T) {
	arena := memory.NewVirtual()
	defer arena.Close()
	p := &saddle.Problem{Oracle: limited{sized{n: int(arena.MinSize), d: 1, s: 1}, arena}, Dual: priced{},
		Primal: ridged{}}
	if _, err := NewLoop(t.Context(), p, unable{}, DefaultSettings()); err == nil || arena.Slices() != 0 {
		t.Errorf("%v, and %d vectors are left", err, arena.Slices())
	}
}
