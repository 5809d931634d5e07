package parquet

import (
	"encoding/binary"
	"math/bits"

	"github.com/drotrain/drotrain/data/table"
)

// walkRuns reads n numbers of width bits each in Parquet's hybrid encoding of runs and bit-packed groups. It calls
// run with the number and length of every run, and group with the bytes and length of every group. It panics with
// an error if b is invalid.
func walkRuns(b []byte, n, width int, run func(v uint32, count int), group func(b []byte, count int)) {
	for n > 0 {
		head, used := binary.Uvarint(b)
		if used <= 0 {
			panic(table.Damaged("a page ends before its last value"))
		}
		b = b[used:]
		count := head >> 1
		if head&1 == 0 {
			size := (width + 7) / 8
			if count == 0 || len(b) < size {
				panic(table.Damaged("a run in a page cannot be read"))
			}
			if count > uint64(n) {
				panic(table.Damaged("a run in a page is longer than the page"))
			}
			v := uint32(0)
			for i, c := range b[:size] {
				v |= uint32(c) << (8 * i)
			}
			run(v, int(count))
			n, b = n-int(count), b[size:]
			continue
		}
		if count == 0 || count > uint64(n+7)/8+64 {
			panic(table.Damaged("a bit-packed group in a page cannot be read"))
		}
		values := min(int(count)*8, n)
		if len(b) < (values*width+7)/8 {
			panic(table.Damaged("a page ends before its last value"))
		}
		group(b, values)
		n, b = n-values, b[min(int(count)*width, len(b)):] // some writers omit the padding of the last group
	}
}

// countLevels returns how many of the n levels in b are equal to most, the maximum level (at most 3). If most is 0,
// b holds no levels, and countLevels returns n. It panics with an error if b is invalid.
func countLevels(b []byte, n, most int) (equal int) {
	if most == 0 {
		return n
	}
	add := func(level, count int) {
		if level > most {
			panic(table.Damaged("a repetition or definition level in a page is too large"))
		}
		if level == most {
			equal += count
		}
	}
	width := bits.Len(uint(most))
	walkRuns(b, n, width, func(v uint32, count int) { add(int(v), count) }, func(b []byte, count int) {
		if width > 1 {
			for i := range count {
				add(int(b[i*width/8]>>(i*width%8)&(1<<width-1)), 1)
			}
			return
		}
		for _, v := range b[:count/8] {
			equal += bits.OnesCount8(v)
		}
		if rest := count % 8; rest > 0 {
			equal += bits.OnesCount8(b[count/8] << (8 - rest))
		}
	})
	return equal
}

// checkDelta checks that b holds n numbers in delta-binary-packed encoding, and returns their size in bytes.
// Without this check, Arrow's decoder would allocate memory for as many numbers as the header states.
func checkDelta(b []byte, n int) int {
	at := 0
	uvarint := func() uint64 {
		v, used := binary.Uvarint(b[at:])
		if used <= 0 {
			panic(table.Damaged("delta-encoded values cannot be read"))
		}
		at += used
		return v
	}
	block, minis, total := uvarint(), uvarint(), uvarint()
	uvarint() // skip the first value
	if block == 0 || block > 1<<20 || block%128 != 0 || minis == 0 || block%minis != 0 || (block/minis)%32 != 0 {
		panic(table.Damaged("delta-encoded values have a bad header"))
	}
	if total != uint64(n) {
		panic(table.Damaged("there are %d delta-encoded values instead of %d", total, n))
	}
	per := int(block / minis)
	for left := n - 1; left > 0; {
		uvarint() // skip the least delta
		if len(b)-at < int(minis) {
			panic(table.Damaged("delta-encoded values end early"))
		}
		widths := b[at : at+int(minis)]
		at += int(minis)
		for _, w := range widths {
			if left <= 0 {
				break
			}
			size := per / 8 * int(w)
			if w > 64 || len(b)-at < size {
				panic(table.Damaged("delta-encoded values end early"))
			}
			at += size
			left -= per
		}
	}
	return at
}
