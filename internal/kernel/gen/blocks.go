package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// fourRows returns the first rows k = 0 of the four ranges of rows k + r·apart, and the bytes of a row of d columns.
// It stores the bytes of one and three times as many float64 numbers as two ranges are apart in q8 and q24.
func fourRows(d reg.Register, size int, q8, q24 reg.GPVirtual) (R [4]reg.GPVirtual, rb reg.GPVirtual) {
	MOVQ(ptr("apart"), q8)
	rb = GP64()
	MOVQ(d, rb)
	SHLQ(Imm(log2(size)), rb)
	stream := GP64()
	MOVQ(q8, stream)
	IMULQ(rb, stream)
	SHLQ(Imm(3), q8)
	LEAQ(atIdx(q8, q8, 2, 0), q24)
	R = [4]reg.GPVirtual{ptr("X"), GP64(), GP64(), GP64()}
	for r := 1; r < 4; r++ {
		LEAQ(atIdx(R[r-1], stream, 1, 0), R[r])
	}
	return R, rb
}

// log2 returns the number of bits by which an index of entries of that many bytes is shifted.
func log2(size int) uint64 { return map[int]uint64{8: 3, 4: 2}[size] }

// columnBlocks are the blocks of four columns of a short row. The code for most blocks is written once, for count
// blocks; rows of fewer blocks enter it later. So the last block is always the same, the masked one.
type columnBlocks struct {
	count int
	last  reg.GPVirtual // number of blocks before the last one of a row
}

// newBlocks counts the blocks of a row of d columns, at most count.
func newBlocks(d reg.Register, count int) columnBlocks {
	b := columnBlocks{count, GP64()}
	LEAQ(at(d, -1), b.last)
	SHRQ(Imm(2), b.last)
	return b
}

// moveBack moves the pointers to entries of the given size back by the blocks that a row lacks.
func (b columnBlocks) moveBack(size int, pointers ...reg.GPVirtual) {
	missing := GP64()
	LEAQ(at(b.last, 1-b.count), missing)
	SHLQ(Imm(2+log2(size)), missing)
	for _, p := range pointers {
		ADDQ(missing, p)
	}
}

// label is the place of block j of code called name.
func (b columnBlocks) label(name string, j int) string { return fmt.Sprintf("%s%d", name, j) }

// enter jumps to the first block of a row, of at least least blocks, in the code called name. Its block 0 must follow.
func (b columnBlocks) enter(name string, least int) {
	var among func(low, high int)
	among = func(low, high int) {
		if low == high {
			if low < b.count {
				JMP(LabelRef(b.label(name, b.count-low)))
			}
			return
		}
		middle := (low + high) / 2
		CMPQ(b.last, Imm(uint64(middle)))
		if low == middle {
			JL(LabelRef(b.label(name, b.count-low)))
		} else {
			more := fmt.Sprintf("%s_more_than_%d", name, middle)
			JGE(LabelRef(more))
			among(low, middle)
			Label(more)
		}
		among(middle+1, high)
	}
	among(least, b.count)
}

// tail returns the mask for the last block, else nil.
func (b columnBlocks) tail(j int, mask reg.Register) reg.Register {
	if j == b.count-1 {
		return mask
	}
	return nil
}

// columnEnds stores in end the bytes of the columns of a row before the last, masked, one to four, and in full those of
// them that are in pairs of blocks.
func columnEnds(d reg.Register, size int, end, full Op) {
	Comment("The columns before the last block, and those in pairs of blocks")
	c := GP64()
	LEAQ(at(d, -1), c)
	ANDQ(I8(-4), c)
	SHLQ(Imm(log2(size)), c)
	MOVQ(c, end)
	ANDQ(I8(-8*int8(size)), c)
	MOVQ(c, full)
}
