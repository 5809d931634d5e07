package saddle

import (
	"errors"
	"testing"

	"github.com/drotrain/drotrain/internal/paged"
)

// Vectors of a room are given back once, but for those that are kept: what lies in their place
// later is another's.
func TestVectorsAreGivenBackOnce(t *testing.T) {
	room := paged.Virtual()
	defer room.Close()
	n := int(room.Least) // numbers: large enough to be mapped
	s := &space{room: room}
	kept := s.Vector(n)
	s.Vector(n)
	s.keep(kept)
	if s.Free(); room.Slices() != 1 {
		t.Errorf("%d vectors are left, of which one is kept", room.Slices())
	}
	others := [][]float64{paged.Make[float64](room, n), paged.Make[float64](room, n)}
	if s.Free(); room.Slices() != 3 {
		t.Errorf("%d vectors are left of the one kept and %d of others", room.Slices(), len(others))
	}
}

// roomy is an oracle whose vectors lie in a room.
type roomy struct {
	sized
	room *paged.Room
}

func (o roomy) Room() *paged.Room { return o.room }
func (o roomy) MostSelected() int { return o.n }

// unable is a method that cannot start.
type unable struct{ Method }

func (unable) Name() string                { return "unable" }
func (unable) Needs() []Need               { return nil }
func (unable) Start(*Run) (Stepper, error) { return nil, errors.New("not today") }

// A solve that does not start leaves nothing of its vectors.
func TestASolveThatDoesNotStartGivesItsVectorsBack(t *testing.T) {
	room := paged.Virtual()
	defer room.Close()
	p := &Problem{roomy{sized{n: int(room.Least), d: 1, s: 1}, room}, priced{}, ridged{}}
	if _, err := NewLoop(p, unable{}, DefaultSettings()); err == nil || room.Slices() != 0 {
		t.Errorf("%v, and %d vectors are left", err, room.Slices())
	}
}
