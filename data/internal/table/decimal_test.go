package table

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"
)

// A decimal is the nearest float64, whatever its size: rounded once, as strconv does.
func TestDecimal_Nearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(95, 1))
	for trial := range 20_000 {
		v, scale := rng.Int64()>>rng.IntN(40), int32(rng.IntN(26))
		switch trial % 4 {
		case 0:
			v = 1<<53 + rng.Int64N(1<<53) // as many digits as are not exact any more
		case 1:
			v = -v
		}
		want, err := strconv.ParseFloat(fmt.Sprintf("%de-%d", v, scale), 64)
		if err != nil {
			t.Fatal(err)
		}
		if got := Decimal(v, scale); got != want {
			t.Fatalf("%d·10^−%d is %v, want %v", v, scale, got, want)
		}
		b := make([]byte, 8)
		for i := range b {
			b[i] = byte(v >> (56 - 8*i))
		}
		got, exact := BigDecimal(b, scale)
		if got != want || exact != ExactInt64(v) {
			t.Fatalf("%d·10^−%d from bytes is %v, %v", v, scale, got, exact)
		}
		wide := append([]byte{byte(v >> 63), byte(v >> 63)}, b...)
		if got, _ := BigDecimal(wide, scale); got != want {
			t.Fatalf("%d·10^−%d from ten bytes is %v, want %v", v, scale, got, want)
		}
	}
	if got, exact := BigDecimal(new(big.Int).Lsh(big.NewInt(1), 100).Bytes(), 0); got != math.Ldexp(1, 100) || !exact {
		t.Errorf("2¹⁰⁰ is %v, exact %v", got, exact)
	}
	if got := Decimal(5, -3); got != 5000 {
		t.Errorf("5·10³ is %v", got)
	}
}

// Numbers in two's complement, their first byte the highest, are those that are meant.
func TestTwosComplement(t *testing.T) {
	for want := int64(-300); want <= 300; want++ {
		for size := 2; size <= 20; size++ {
			b := make([]byte, size)
			for k := range b {
				b[k] = byte(want >> min(63, 8*(size-1-k)))
			}
			if got := twosComplement(b); got.Cmp(big.NewInt(want)) != 0 {
				t.Fatalf("%x: %v, not %d", b, got, want)
			}
		}
	}
	if got := twosComplement(nil); got.Sign() != 0 {
		t.Errorf("of no bytes: %v", got)
	}
	if got := twosComplement([]byte{0x80}); got.Cmp(big.NewInt(-128)) != 0 {
		t.Errorf("80: %v", got)
	}
}
