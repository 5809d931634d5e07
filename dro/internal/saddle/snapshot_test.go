package saddle

import (
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
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

// A snapshot takes the memory of its numbers, once.
func TestSnapshotsGrowOnce(t *testing.T) {
	v := make([]float64, 1<<16)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := &State{}
	s.Floats(v, v)
	runtime.ReadMemStats(&after)
	if made := after.TotalAlloc - before.TotalAlloc; made > 6*8*uint64(len(v)) { // two thirds of it, but for the race detector's
		t.Errorf("%d bytes for %d", made, len(s.buf))
	}
}

// The column of an intercept is 1 to nine digits of what its sum is made of, of one sample as of
// many.
func TestInterceptsAreOne(t *testing.T) {
	for off, fine := range map[float64]bool{0: true, 0.7e-9: true, -0.7e-9: true, 1.3e-9: false, -1.3e-9: false, 1: false} {
		p := &Problem{Oracle: column{1 + off}, Dual: none{}, Primal: intercept{}}
		r := &Run{Problem: p, Cert: NewCertifier(p)}
		if err := r.ValidateFree(); (err == nil) != fine {
			t.Errorf("a column of 1 + %v: %v", off, err)
		}
	}
}

// A column is one sample of one parameter, of a loss that is its product with it.
type column struct{ entry float64 }

func (column) Dims() (n, d, slope int) { return 1, 1, 1 }

func (c column) EvalTo(value, slope, x []float64, _, _ int) { value[0], slope[0] = c.entry*x[0], 1 }

func (c column) AddGradTo(dst, weight, slope []float64, _, _ int) {
	dst[0] += weight[0] * slope[0] * c.entry
}

type none struct{ Dual }

func (none) Modulus() float64 { return 1 }

type intercept struct{ Primal }

func (intercept) Modulus() float64 { return 0 }
func (intercept) FreeLast() bool   { return true }
