package design

import (
	"testing"

	"github.com/drotrain/drotrain/internal/paged"
)

// A matrix in a room is that matrix and has the room, and copies of one row in sixteen at most; without one it is itself.
func TestIn(t *testing.T) {
	m, err := NewDense(160, 2, make([]float64, 320))
	if err != nil {
		t.Fatal(err)
	}
	if got := In(nil, m); got != Matrix(m) {
		t.Errorf("%T without a room", got)
	}
	room := paged.Virtual()
	got, ok := In(room, m).(interface {
		Room() *paged.Room
		MostSelected() int
	})
	if !ok || got.Room() != room || got.MostSelected() != 10 {
		t.Errorf("%T in a room", got)
	}
}
