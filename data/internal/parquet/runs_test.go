package parquet

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// encodeHybrid encodes numbers of width bits as runs and bit-packed groups of random lengths. The numbers of a run are
// set to its first one.
func encodeHybrid(rng *rand.Rand, v []uint32, width int) (b []byte) {
	for lo := 0; lo < len(v); {
		if rng.IntN(2) == 0 {
			n := min(1+rng.IntN(20), len(v)-lo)
			b = binary.AppendUvarint(b, uint64(n)<<1)
			for k := range (width + 7) / 8 {
				b = append(b, byte(v[lo]>>(8*k)))
			}
			for i := lo; i < lo+n; i++ {
				v[i] = v[lo]
			}
			lo += n
			continue
		}
		groups := 1 + rng.IntN(5)
		b = binary.AppendUvarint(b, uint64(groups)<<1|1)
		packed := make([]byte, groups*width)
		for i := 0; i < 8*groups && lo < len(v); i++ {
			for k := range width {
				packed[(i*width+k)/8] |= byte(v[lo]>>k&1) << ((i*width + k) % 8)
			}
			lo++
		}
		b = append(b, packed...)
	}
	return b
}

func TestHybrid_NumbersOfEveryWidth(t *testing.T) {
	for width := range 33 {
		rng := rand.New(rand.NewPCG(uint64(width), 8))
		want := make([]uint32, 1+rng.IntN(500))
		for i := range want {
			want[i] = uint32(rng.Uint64() & (1<<width - 1))
		}
		h := hybrid{rest: encodeHybrid(rng, want, width), left: len(want), width: width}
		var got []uint32
		for len(got) < len(want) {
			part := make([]uint32, min(1+rng.IntN(40), len(want)-len(got)))
			h.next(part)
			got = append(got, part...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d bits: the numbers differ", width)
		}
	}
}

// A level is counted wherever it lies among the bytes of a group.
func TestCountLevels_OfEveryMaximum(t *testing.T) {
	for most := range 8 {
		rng := rand.New(rand.NewPCG(uint64(most), 9))
		levels, want, width := make([]uint32, 300), 0, 0
		for width = 0; 1<<width <= most; width++ {
		}
		for i := range levels {
			levels[i] = uint32(rng.IntN(most + 1))
		}
		b := encodeHybrid(rng, levels, width)
		for _, v := range levels {
			if int(v) == most {
				want++
			}
		}
		if got := countLevels(b, len(levels), most); got != want {
			t.Errorf("maximum %d: %d levels, want %d", most, got, want)
		}
	}
}
