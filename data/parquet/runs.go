package parquet

import (
	"encoding/binary"
	"math/bits"

	"github.com/drotrain/drotrain/data/table"
)

// countRuns walks Parquet's hybrid of runs and bit-packed groups and checks
// that it holds n values below limit. It returns how many of them are not 0.
func countRuns(b []byte, size, n int, limit uint64) (nonzero int) {
	check := func(v uint64) {
		if v >= limit {
			panic(table.Damaged("an index of a page is out of range"))
		}
	}
	for n > 0 {
		head, used := binary.Uvarint(b)
		if used <= 0 {
			panic(table.Damaged("a page ends before its last value"))
		}
		b = b[used:]
		if head&1 == 0 {
			count := head >> 1
			bytes := (size + 7) / 8
			if count == 0 || len(b) < bytes {
				panic(table.Damaged("a run of a page cannot be read"))
			}
			var v uint64
			for k := 0; k < bytes; k++ {
				v |= uint64(b[k]) << (8 * k)
			}
			b = b[bytes:]
			check(v)
			if count > uint64(n) {
				panic(table.Damaged("a run of a page is longer than the page"))
			}
			if v != 0 {
				nonzero += int(count)
			}
			n -= int(count)
			continue
		}
		groups := head >> 1
		if groups == 0 || groups > uint64(n+7)/8+64 {
			panic(table.Damaged("a group of a page cannot be read"))
		}
		length := int(groups) * size
		count := min(int(groups)*8, n)
		if need := (count*size + 7) / 8; len(b) < need {
			panic(table.Damaged("a page ends before its last value"))
		}
		length = min(length, len(b)) // some writers cut the padding of the last group
		part := b[:length]
		b = b[length:]
		most, some := widest(part, size, count)
		check(most)
		nonzero += some
		n -= count
	}
	return nonzero
}

// widest returns the largest of count bit-packed numbers, and how many are not 0. Numbers
// have 32 bits at most, and part has all of their bits.
func widest(part []byte, size, count int) (most uint64, nonzero int) {
	mask := uint64(1)<<size - 1
	k, at := 0, 0
	if size == 1 { // is there a value: a word at a time
		for ; k+64 <= count && at>>3+8 <= len(part); k, at = k+64, at+64 {
			nonzero += bits.OnesCount64(binary.LittleEndian.Uint64(part[at>>3:]))
		}
		if nonzero > 0 {
			most = 1
		}
	}
	for ; k < count && at>>3+8 <= len(part); k, at = k+1, at+size { // at most 7+32 bits of the 64
		v := binary.LittleEndian.Uint64(part[at>>3:]) >> (at & 7) & mask
		most = max(most, v)
		if v != 0 {
			nonzero++
		}
	}
	for ; k < count; k, at = k+1, at+size {
		var v uint64
		for j, b := range part[at>>3 : min(len(part), at>>3+5)] {
			v |= uint64(b) << (8 * j)
		}
		v = v >> (at & 7) & mask
		most = max(most, v)
		if v != 0 {
			nonzero++
		}
	}
	return most, nonzero
}

// A runReader reads the numbers of runs and bit-packed groups that countRuns has
// walked before.
type runReader struct {
	b     []byte
	bits  int
	left  int    // of the run or group at hand
	group []byte // bit-packed; nil in a run
	at    int    // bit of the group
	value int32  // of the run
}

// read gives the next len(dst) numbers.
func (r *runReader) read(dst []int32) {
	for len(dst) > 0 {
		if r.left == 0 {
			r.begin()
		}
		n := min(r.left, len(dst))
		if r.group == nil {
			for i := range dst[:n] {
				dst[i] = r.value
			}
		} else {
			r.unpack(dst[:n])
		}
		r.left -= n
		dst = dst[n:]
	}
}

// begin takes up the next run or group.
func (r *runReader) begin() {
	head, used := binary.Uvarint(r.b)
	r.b = r.b[used:]
	if head&1 == 0 {
		size := (r.bits + 7) / 8
		var v uint64
		for k, b := range r.b[:size] {
			v |= uint64(b) << (8 * k)
		}
		r.left, r.value, r.group, r.b = int(head>>1), int32(v), nil, r.b[size:]
		return
	}
	size := min(int(head>>1)*r.bits, len(r.b))
	r.left, r.at = int(head>>1)*8, 0
	r.group, r.b = r.b[:size:size], r.b[size:]
	if r.bits == 0 {
		r.group, r.value = nil, 0
	}
}

// unpack reads numbers of a bit-packed group.
func (r *runReader) unpack(dst []int32) {
	mask := uint64(1)<<r.bits - 1
	at := r.at
	i := 0
	for ; i < len(dst) && at>>3+8 <= len(r.group); i++ { // at most 7+32 bits of the 64
		dst[i] = int32(binary.LittleEndian.Uint64(r.group[at>>3:]) >> (at & 7) & mask)
		at += r.bits
	}
	for ; i < len(dst); i++ {
		var v uint64
		for k, b := range r.group[at>>3 : min(len(r.group), at>>3+5)] {
			v |= uint64(b) << (8 * k)
		}
		dst[i] = int32(v >> (at & 7) & mask)
		at += r.bits
	}
	r.at = at
}

// checkDelta walks delta-binary-packed numbers and checks that there are n. It
// returns how many bytes they take.
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
	uvarint() // the first value
	if block == 0 || block > 1<<20 || block%128 != 0 || minis == 0 || block%minis != 0 || (block/minis)%32 != 0 {
		panic(table.Damaged("delta-encoded values have a bad header"))
	}
	if total != uint64(n) {
		panic(table.Damaged("there are %d delta-encoded values, not %d", total, n))
	}
	per := int(block / minis)
	for left := n - 1; left > 0; {
		uvarint() // the least delta
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
