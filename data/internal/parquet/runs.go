package parquet

import (
	"encoding/binary"
	"math/bits"

	"github.com/drotrain/drotrain/data/table"
)

// A hybrid reads numbers of width bits each in Parquet's hybrid encoding of runs and bit-packed groups. Its methods
// panic with an error if the bytes are invalid.
type hybrid struct {
	rest  []byte // bytes after the current run or group
	left  int    // numbers after the current run or group
	width int    // at most 32

	count int    // numbers of the current run or group that have not been read
	value uint32 // number of the run
	group []byte // bytes of the group; nil for a run
	at    int    // index of the next number of the group
}

// advance reads the head of the next run or group.
func (h *hybrid) advance() {
	head, used := binary.Uvarint(h.rest)
	if used <= 0 {
		panic(table.Damaged("a page ends before its last value"))
	}
	b, count := h.rest[used:], head>>1
	if head&1 == 0 {
		size := (h.width + 7) / 8
		if count == 0 || len(b) < size {
			panic(table.Damaged("a run in a page cannot be read"))
		}
		if count > uint64(h.left) {
			panic(table.Damaged("a run in a page is longer than the page"))
		}
		h.value, h.group = 0, nil
		for i, c := range b[:size] {
			h.value |= uint32(c) << (8 * i)
		}
		h.count, h.rest = int(count), b[size:]
	} else {
		if count == 0 || count > uint64(h.left+7)/8+64 {
			panic(table.Damaged("a bit-packed group in a page cannot be read"))
		}
		h.count, h.at = min(int(count)*8, h.left), 0
		if len(b) < (h.count*h.width+7)/8 {
			panic(table.Damaged("a page ends before its last value"))
		}
		size := min(int(count)*h.width, len(b)) // some writers omit the padding of the last group
		h.group, h.rest = b[:size:size], b[size:]
	}
	h.left -= h.count
}

// next reads the next len(dst) numbers.
func (h *hybrid) next(dst []uint32) {
	for len(dst) > 0 {
		if h.count == 0 {
			if h.left == 0 {
				panic(table.Damaged("a page ends before its last value"))
			}
			h.advance()
		}
		n := min(len(dst), h.count)
		if h.group == nil {
			for i := range dst[:n] {
				dst[i] = h.value
			}
		} else {
			unpackBits(dst[:n], h.group, h.at, h.width)
		}
		h.at, h.count, dst = h.at+n, h.count-n, dst[n:]
	}
}

// unpackBits reads numbers of width bits each, at most 32, from the number with index at on.
func unpackBits(dst []uint32, b []byte, at, width int) {
	mask := uint64(1)<<width - 1
	bit, i := uint(at*width), 0
	for ; i < len(dst) && bit/8+8 <= uint(len(b)); i++ {
		dst[i] = uint32(binary.LittleEndian.Uint64(b[bit/8:]) >> (bit % 8) & mask)
		bit += uint(width)
	}
	if i == len(dst) {
		return
	}
	var tail [16]byte // the last bytes, which are fewer than 8
	copy(tail[:8], b[bit/8:])
	for bit %= 8; i < len(dst); i++ {
		dst[i] = uint32(binary.LittleEndian.Uint64(tail[bit/8:]) >> (bit % 8) & mask)
		bit += uint(width)
	}
}

// walkRuns reads n numbers of width bits each in Parquet's hybrid encoding. It calls run with the number and length
// of every run, and group with the bytes and length of every group. It panics with an error if b is invalid.
func walkRuns(b []byte, n, width int, run func(v uint32, count int), group func(b []byte, count int)) {
	h := hybrid{rest: b, left: n, width: width}
	for h.left > 0 {
		if h.advance(); h.group == nil {
			run(h.value, h.count)
		} else {
			group(h.group, h.count)
		}
	}
}

// countLevels returns how many of the n levels in b are equal to most, the maximum level. If most is 0,
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
			var levels [64]uint32
			for at := 0; at < count; at += len(levels) {
				n := min(len(levels), count-at)
				unpackBits(levels[:n], b, at, width)
				for _, v := range levels[:n] {
					add(int(v), 1)
				}
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
