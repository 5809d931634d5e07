package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// smallBlocks is the maximum number of blocks of four columns for which the vector that is multiplied by every row
// stays in registers. With 4 instead of 8, rows of 17 to 32 columns would take 1.04 to 1.1 times as long from memory,
// and 1.2 to 3.8 times as long from the cache.
const smallBlocks = 8

// margins writes the dot products of rows with x, for four distant rows at a time.
func margins(size int) {
	float := map[int]string{8: "float64", 4: "float32"}[size]
	name := fmt.Sprintf("margins%dAVX2", size*8)
	TEXT(name, NOSPLIT, fmt.Sprintf("func(dst *float64, X *%s, d int, x *float64, n, apart int)", float))
	Doc(fmt.Sprintf("%s stores X[i]·x in dst[i] for the rows i = k + r·apart of d > 0 columns, k < n and r < 4.", name))
	Pragma("noescape")

	D, d, x, n := ptr("dst"), ptr("d"), ptr("x"), ptr("n")
	q8, q24 := GP64(), GP64()
	R, rb := fourRows(d, size, q8, q24)
	dst := [4]Mem{at(D, 0), atIdx(D, q8, 1, 0), atIdx(D, q8, 2, 0), atIdx(D, q24, 1, 0)}
	mask := tailMask(d, size)
	xMask := mask64Of(mask, size)
	CMPQ(d, Imm(4*smallBlocks))
	JG(LabelRef("large"))

	// next moves on to the next rows, and to label name if there are any.
	next := func(name string, sums [4]reg.VecVirtual) {
		storeFour(sums, dst)
		for _, p := range R {
			ADDQ(rb, p)
		}
		ADDQ(Imm(8), D)
		DECQ(n)
		JNZ(LabelRef(name))
		VZEROUPPER()
		RET()
	}
	Comment("Up to eight blocks, of which x stays in registers")
	row, xs := newBlocks(d, smallBlocks), vectors(smallBlocks)
	row.moveBack(8, x)
	row.moveBack(size, R[:]...)
	row.enter("x", 1)
	for j := range xs {
		Label(row.label("x", j))
		if row.tail(j, mask) == nil {
			VMOVUPD(at(x, 32*j), xs[j])
		} else {
			VMASKMOVPD(at(x, 32*j), xMask, xs[j])
		}
	}
	Label("small")
	sums := four()
	row.enter("block", 1)
	for j := range xs {
		Label(row.label("block", j))
		for r, p := range R {
			fmaRow(at(p, 4*size*j), size, row.tail(j, mask), xs[j], sums[r])
		}
	}
	next("small", sums)

	Label("large")
	end, full := GP64(), GP64()
	columnEnds(d, size, end, full)
	xScale := uint8(8 / size)
	Label("rows")
	Comment("Sums of the even and odd blocks")
	a, b, c := four(), four(), GP64()
	XORQ(c, c)
	add := func(sums [4]reg.VecVirtual, offset reg.Register, block int, tail reg.Register) {
		y := YMM()
		if tail == nil {
			VMOVUPD(atIdx(x, offset, xScale, 32*block), y)
		} else {
			VMASKMOVPD(atIdx(x, offset, xScale, 0), xMask, y)
		}
		for r, p := range R {
			fmaRow(atIdx(p, offset, 1, 4*size*block), size, tail, y, sums[r])
		}
	}
	Label("columns")
	add(a, c, 0, nil)
	add(b, c, 1, nil)
	ADDQ(Imm(uint64(8*size)), c)
	CMPQ(c, full)
	JL(LabelRef("columns"))
	CMPQ(c, end)
	JGE(LabelRef("tail"))
	add(a, c, 0, nil)
	Label("tail")
	add(b, end, 0, mask)
	for r := range a {
		VADDPD(b[r], a[r], a[r])
	}
	next("rows", a)
}

// storeFour stores the sums of the lanes of four registers, each added as (0+1) + (2+3).
func storeFour(acc [4]reg.VecVirtual, dst [4]Mem) {
	low, high, cross := YMM(), YMM(), YMM()
	VHADDPD(acc[1], acc[0], low)
	VHADDPD(acc[3], acc[2], high)
	VPERM2F128(Imm(0x21), high, low, cross)
	VBLENDPD(Imm(0x0c), high, low, low)
	VADDPD(cross, low, low)
	VMOVLPD(low.AsX(), dst[0])
	VMOVHPD(low.AsX(), dst[1])
	x := XMM()
	VEXTRACTF128(Imm(1), low, x)
	VMOVLPD(x, dst[2])
	VMOVHPD(x, dst[3])
}
