package saddle

import (
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
