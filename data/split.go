package data

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// SplitInto divides the rows 0..n−1, where n = len(buffer), into training rows and hold-out rows: the rows are
// shuffled by a PCG generator of the given seed, and the first round(n·fraction) are held out. Both lists are
// ascending and together contain every row once. The fraction must be in [0, 1); with 0 all rows are for training. A
// positive fraction holds out at least one row and leaves at least one for training, so it requires two rows.
//
// From 2²⁴ rows on, unless one of the sets would be expected to have fewer than 1000 rows, a hash of the row number and
// the seed decides whether a row is held out, with the probability fraction. Ranks that see different rows then agree
// without a list of all rows.
//
// The content of buffer is overwritten; the two results are parts of it.
func SplitInto(buffer []int, fraction float64, seed uint64) (train, holdout []int, err error) {
	n := len(buffer)
	if err := checkFraction(fraction); err != nil {
		return nil, nil, err
	}
	if n < 2 && fraction > 0 {
		return nil, nil, fmt.Errorf("holding out rows requires at least 2 rows, not %d", n)
	}
	if fraction == 0 {
		for i := range buffer {
			buffer[i] = i
		}
		return buffer, nil, nil
	}
	var held func(row int) bool
	k := 0
	if isDrawnByRow(n, fraction) {
		held = func(r int) bool { return isHeldOut(r, fraction, seed) }
		for r := range n {
			if held(r) {
				k++
			}
		}
	} else {
		for i := range buffer {
			buffer[i] = i
		}
		rand.New(rand.NewPCG(seed, splitStream)).Shuffle(n, func(i, j int) { buffer[i], buffer[j] = buffer[j], buffer[i] })
		k = min(max(int(math.Round(float64(n)*fraction)), 1), n-1)
		out := make([]bool, n)
		for _, r := range buffer[:k] {
			out[r] = true
		}
		held = func(r int) bool { return out[r] }
	}
	holdout, train = buffer[:0:k], buffer[k:k] // filled by a counting sort
	for r := range n {
		if held(r) {
			holdout = append(holdout, r)
		} else {
			train = append(train, r)
		}
	}
	return train, holdout, nil
}

// checkFraction returns an error unless the hold-out fraction is in [0, 1).
func checkFraction(fraction float64) error {
	if fraction >= 0 && fraction < 1 {
		return nil
	}
	return fmt.Errorf("the hold-out fraction is %v; it must be at least 0 and below 1", fraction)
}

// manyRows is the number of rows from which each row is drawn separately instead of by shuffling.
var manyRows = 1 << 24

// isDrawnByRow reports whether each row is drawn separately: there are many rows, and both sets are expected to have
// at least 1000.
func isDrawnByRow(n int, fraction float64) bool {
	const some = 1000
	return n >= manyRows && float64(n)*min(fraction, 1-fraction) >= some
}

// isHeldOut reports whether a row is held out if each row is drawn separately. It compares a hash of the row number
// and the seed with the fraction.
func isHeldOut(row int, fraction float64, seed uint64) bool {
	return float64(hash64(uint64(row)+hash64(seed^splitStream))>>11) < fraction*(1<<53)
}

// hash64 returns output number x of the generator SplitMix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom
// Number Generators, OOPSLA 2014).
func hash64(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// splitStream distinguishes the random stream of the split from other uses of the seed.
const splitStream = 0x73706c6974 // "split"
