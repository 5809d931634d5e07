package design

import (
	"testing"

	"github.com/drotrain/drotrain/internal/paged"
)

// A matrix in a room is that matrix and has the room; without one it is itself.
func TestIn(t *testing.T) {
	m, err := NewDense(1, 2, []float64{3, 4})
	if err != nil {
		t.Fatal(err)
	}
	if got := In(nil, m); got != Matrix(m) {
		t.Errorf("%T without a room", got)
	}
	room := paged.Virtual()
	got, ok := In(room, m).(interface{ Room() *paged.Room })
	if !ok || got.Room() != room {
		t.Errorf("%T in a room", got)
	}
}
