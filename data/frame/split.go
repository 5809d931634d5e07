package frame

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Split deals the rows 0..n-1 into training rows and hold-out rows: the rows
// are shuffled by a PCG generator of the given seed and the first
// round(n·fraction) are held out. Both lists are sorted and together hold every
// row once. The fraction must lie in [0, 1); with 0 all rows are for training.
// A positive fraction holds out at least one row and leaves at least one; that
// takes two rows.
func Split(n int, fraction float64, seed uint64) (train, holdout []int, err error) {
	if n < 0 {
		return nil, nil, fmt.Errorf("cannot split %d rows", n)
	}
	return SplitInto(make([]int, n), fraction, seed)
}

// SplitInto is Split of as many rows as the slice is long, whose parts the lists become.
func SplitInto(rows []int, fraction float64, seed uint64) (train, holdout []int, err error) {
	n := len(rows)
	if !(fraction >= 0 && fraction < 1) {
		return nil, nil, fmt.Errorf("hold-out fraction %v: must be at least 0 and below 1", fraction)
	}
	for i := range rows {
		rows[i] = i
	}
	if fraction == 0 {
		return rows, nil, nil
	}
	if n < 2 {
		return nil, nil, fmt.Errorf("cannot hold out part of %d row(s): at least 2 are needed", n)
	}
	rng := rand.New(rand.NewPCG(seed, splitStream))
	rng.Shuffle(n, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	k := min(max(int(math.Round(float64(n)*fraction)), 1), n-1)
	held := make([]bool, n)
	for _, r := range rows[:k] {
		held[r] = true
	}
	holdout, train = rows[:0:k], rows[k:k] // the rows again, sorted by counting
	for r, h := range held {
		if h {
			holdout = append(holdout, r)
		} else {
			train = append(train, r)
		}
	}
	return train, holdout, nil
}

// splitStream keeps the split apart from other uses of the same seed.
const splitStream = 0x73706c6974 // "split"
