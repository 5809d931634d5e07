package saddle

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// everything is what a state may hold.
type everything struct {
	number  float64
	whole   int
	yes, no bool
	fixed   [2][]float64
	list    [][]float64
	draw    *rand.PCG
}

func (e *everything) visit(s *State) {
	s.Float(&e.number)
	s.Integer(&e.whole)
	s.Boolean(&e.yes)
	s.Generator(e.draw)
	s.Boolean(&e.no)
	s.Floats(e.fixed[:]...)
	s.Vectors(&e.list, 2)
}

// What was written is read, to the bit and to the end; what is shorter, or whose generator
// is none, is an error; and nothing grows beyond what it may.
func TestStatesReadBack(t *testing.T) {
	e := &everything{number: math.Copysign(0, -1), whole: -7, yes: true, fixed: [2][]float64{{1, math.Inf(1)}, {3}}, list: [][]float64{{5, 6}, {7, 8}, {9, 10}}, draw: rand.NewPCG(1, 2)}
	e.draw.Uint64()
	s := &State{}
	if e.visit(s); s.Err != nil {
		t.Fatal(s.Err)
	}
	read := func(buf []byte) (*everything, *State) {
		got := &everything{no: true, fixed: [2][]float64{make([]float64, 2), make([]float64, 1)}, draw: rand.NewPCG(3, 4)}
		in := &State{buf: buf, Reading: true}
		got.visit(in)
		return got, in
	}
	got, in := read(s.buf)
	if in.Err != nil || len(in.buf) > 0 || !reflect.DeepEqual(got, e) || !math.Signbit(got.number) {
		t.Errorf("%+v read back as %+v, %d bytes left: %v", e, got, len(in.buf), in.Err)
	}
	for n := range len(s.buf) {
		if _, in := read(s.buf[:n]); in.Err == nil {
			t.Fatalf("%d of %d bytes are no error", n, len(s.buf))
		}
	}
	broken := []byte(strings.Replace(string(s.buf), "pcg:", "pcg?", 1))
	if _, in := read(broken); in.Err == nil {
		t.Error("a generator that is none")
	}
	for _, most := range []int{len(s.buf), len(s.buf) - 1} {
		small := &State{most: most}
		if e.visit(small); (small.Err == nil) != (most == len(s.buf)) {
			t.Errorf("%d bytes where %d are allowed: %v", len(s.buf), most, small.Err)
		}
	}
}
