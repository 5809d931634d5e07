package encode

import (
	"math/rand/v2"
	"testing"
)

// Pairs have the same numbers as with a map, near ones as well as far ones.
func TestPairIndex_NumbersInOrderOfAppearance(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for _, codes := range []int{1, 3, 500, 100_000} {
		pairs, want := pairIndex{second: codes}, map[[2]int32]int32{}
		for range 20_000 {
			pair := [2]int32{int32(r.IntN(codes)), int32(r.IntN(codes))}
			expected, known := want[pair]
			if !known {
				expected = int32(len(want))
				want[pair] = expected
			}
			if number, isNew := pairs.numberOf(pair[0], pair[1]); number != expected || isNew == known {
				t.Fatalf("%d codes: pair %v has number %d, new: %t; want %d, %t", codes, pair, number, isNew, expected, !known)
			}
		}
		if len(pairs.near) > maxNearPairs || codes == 100_000 && len(pairs.far) == 0 {
			t.Errorf("%d codes: %d near pairs, %d far ones", codes, len(pairs.near), len(pairs.far))
		}
	}
}
