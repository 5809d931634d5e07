package intake

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/data/internal/numeral"
)

// The text of a float of 16 or 32 bits is the shortest that reads back as it.
func TestFormatTyped_ShortestOfItsType(t *testing.T) {
	tenth, third := float32(0.1), float32(1)/3
	for _, c := range []struct {
		v    float64
		typ  string
		want string
	}{
		{float64(tenth), "float32", "0.1"}, {float64(tenth), "float64", "0.10000000149011612"}, {0.1, "float32", "0.1"},
		{float64(third), "float32", "0.33333334"}, {math.SmallestNonzeroFloat32, "float32", "1e-45"},
		{16777217, "float32", "16777217"}, {numeral.HalfToFloat(0x2e66), "float16", "0.1"}, {-1.5, "float16", "-1.5"},
		{float64(float32(3.4e38)), "float32", "3.4e+38"}, {numeral.HalfToFloat(1), "float16", "6e-08"}, {2, "float16", "2"},
	} {
		if got := numeral.FormatTyped(c.v, c.typ); got != c.want {
			t.Errorf("%v as %s: %q, want %q", c.v, c.typ, got, c.want)
		}
	}
}

// Every float16 is its own nearest float16, has a text that reads back as it, and rounding between neighbours is to
// the nearer one, at the middle to the even one.
func TestFloatToHalf_EveryValue(t *testing.T) {
	for i := range 1 << 16 {
		bits := uint16(i)
		v := numeral.HalfToFloat(bits)
		if math.IsNaN(v) {
			if !math.IsNaN(numeral.HalfToFloat(numeral.FloatToHalf(v))) {
				t.Fatalf("%x: NaN becomes %x", bits, numeral.FloatToHalf(v))
			}
			continue
		}
		if got := numeral.FloatToHalf(v); got != bits {
			t.Fatalf("%v: %x, want %x", v, got, bits)
		}
		next := numeral.HalfToFloat(bits + 1)
		if !numeral.IsFinite(v) || !numeral.IsFinite(next) {
			continue
		}
		x, _, ok := numeral.ParseNumber(numeral.FormatTyped(v, "float16"))
		if !ok || numeral.FloatToHalf(x) != bits && v != 0 {
			t.Fatalf("%v: text %q", v, numeral.FormatTyped(v, "float16"))
		}
		if bits&0x7fff == 0x7fff {
			continue
		}
		middle := (v + next) / 2
		even := bits + bits&1
		if numeral.FloatToHalf(middle) != even || numeral.FloatToHalf(math.Nextafter(middle, v)) != bits ||
			numeral.FloatToHalf(math.Nextafter(middle, next)) != bits+1 {
			t.Fatalf("between %v and %v: %x %x %x", v, next, numeral.FloatToHalf(math.Nextafter(middle, v)),
				numeral.FloatToHalf(middle),
				numeral.FloatToHalf(math.Nextafter(middle, next)))
		}
	}
	for v, want := range map[float64]uint16{65519: 0x7bff, 65520: 0x7c00, 1e300: 0x7c00, math.Inf(-1): 0xfc00,
		math.Copysign(0, -1): 0x8000} {
		if got := numeral.FloatToHalf(v); got != want {
			t.Errorf("%v: %x, want %x", v, got, want)
		}
	}
}
