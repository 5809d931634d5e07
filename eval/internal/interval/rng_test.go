package interval

import (
	"math"
	"reflect"
	"testing"
)

// frozen numbers of the generator: a change would silently change reports.
func TestRNG_StreamIsFrozen(t *testing.T) {
	r := NewRNG(1, 2, 3)
	got := []uint32{r.IntBelow(1000), r.IntBelow(1000), r.IntBelow(1000), r.IntBelow(1 << 31)}
	if want := []uint32{726, 840, 689, 2122495490}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Of 2³² numbers drawn, 2³² mod n are drawn again: where that is a quarter of them, every
// value is still as frequent as any other.
func TestBelowMedian_Repetitions(t *testing.T) {
	const n, draws = 3 << 30, 30_000
	r := NewRNG(11)
	var by [3]float64 // remainder by three, which tells numbers drawn apart
	for range draws {
		by[r.IntBelow(n)%3]++
	}
	for k, c := range by {
		if !(math.Abs(c-draws/3) <= 5*math.Sqrt(draws/3)) {
			t.Errorf("remainder %d: %v of %d", k, c, draws)
		}
	}
}
