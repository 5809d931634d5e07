package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// aheadLimit is the maximum size in bytes of a range of rows that is treated as a block of a longer pass. While
// such a range is added from the cache, the next range is prefetched from memory. Short rows are not prefetched,
// since the requests would cost as much as they save.
const aheadLimit = 512 << 10

// addRows writes the sum of rows with weights u·v, for four distant rows at a time.
func addRows(size int) {
	float := map[int]string{8: "float64", 4: "float32"}[size]
	name := fmt.Sprintf("addRows%dAVX2", size*8)
	TEXT(name, NOSPLIT, fmt.Sprintf("func(dst *float64, X *%s, d int, u, v *float64, n, apart int)", float))
	Doc(fmt.Sprintf("%s adds the sum over k < n and r < 4 of u[k + r·n]·v[k + r·n] times row k + r·apart of X to", name),
		"the d > 0 entries of dst; n > 0.")
	Pragma("noescape")

	w := weighting{size: size, u: ptr("u"), v: ptr("v"), q8: GP64(), q24: GP64(), left: AllocLocal(8)}
	d := ptr("d")
	w.R, w.rb = fourRows(d, size, w.q8, w.q24)
	n := ptr("n")
	MOVQ(n, w.left)
	MOVQ(n, w.q8)
	SHLQ(Imm(3), w.q8)
	LEAQ(atIdx(w.q8, w.q8, 2, 0), w.q24)
	w.mask = tailMask(d, size)
	ranges := []struct{ least, most, copies int }{{1, 2, 4}, {3, 5, 2}, {6, smallBlocks, 1}}
	for _, r := range ranges {
		CMPQ(d, Imm(uint64(4*r.most)))
		JLE(LabelRef(fmt.Sprintf("upto%d", r.most)))
	}
	w.large()
	for _, r := range ranges {
		w.small(r.least, r.most, r.copies)
	}
}

// weighting holds the registers of a function with weights.
type weighting struct {
	size          int
	u, v, q8, q24 reg.GPVirtual
	R             [4]reg.GPVirtual
	rb            reg.GPVirtual  // bytes of a row
	mask          reg.VecVirtual // of the last block of a row
	left          Mem            // number of groups of four rows
}

// load computes the weights of the next four rows and jumps to label zero if all of them are ±0.
func (w *weighting) load(zero string) [4]reg.VecVirtual {
	place := func(p reg.Register, r int) Mem {
		return [4]Mem{at(p, 0), atIdx(p, w.q8, 1, 0), atIdx(p, w.q8, 2, 0), atIdx(p, w.q24, 1, 0)}[r]
	}
	var ws [4]reg.VecVirtual
	for r := range ws {
		ws[r] = YMM()
		x := ws[r].AsX()
		VMOVSD(place(w.u, r), x)
		VMULSD(place(w.v, r), x, x)
		VBROADCASTSD(x, ws[r])
	}
	ADDQ(Imm(8), w.u)
	ADDQ(Imm(8), w.v)
	Comment("OR of the bits of the four weights, shifted left by one to drop the signs: 0 if all weights are ±0")
	bits := XMM()
	VMOVAPD(ws[0].AsX(), bits)
	for _, x := range ws[1:] {
		VORPD(x.AsX(), bits, bits)
	}
	VPADDQ(bits, bits, bits)
	VPTEST(bits, bits)
	JZ(LabelRef(zero))
	return ws
}

// small writes the loop for rows of least to most blocks of four columns, in which dst stays in registers, with as
// many copies as are needed to hide the latency of the sums.
func (w *weighting) small(least, most, copies int) {
	name := fmt.Sprintf("upto%d", most)
	Label(name)
	row, dst := newBlocks(ptr("d"), most), ptr("dst")
	row.moveBack(8, dst)
	row.moveBack(w.size, w.R[:]...)
	acc := make([][]reg.VecVirtual, copies)
	for k := range acc {
		for range most {
			acc[k] = append(acc[k], zero())
		}
	}

	Label(name + "_rows")
	ws := w.load(name + "_next")
	row.enter(name+"_block", least)
	for j := range most {
		Label(row.label(name+"_block", j))
		for r, p := range w.R {
			fmaRow(at(p, 4*w.size*j), w.size, row.tail(j, w.mask), ws[r], acc[r%copies][j])
		}
	}
	Label(name + "_next")
	for _, p := range w.R {
		ADDQ(w.rb, p)
	}
	DECQ(w.left)
	JNZ(LabelRef(name + "_rows"))

	mask64 := mask64Of(w.mask, w.size)
	row.enter(name+"_dst", least)
	for j := range most {
		Label(row.label(name+"_dst", j))
		for step := 1; step < copies; step *= 2 {
			for k := 0; k+step < copies; k += 2 * step {
				VADDPD(acc[k+step][j], acc[k][j], acc[k][j])
			}
		}
		t := YMM()
		if row.tail(j, mask64) == nil {
			VADDPD(at(dst, 32*j), acc[0][j], t)
			VMOVUPD(t, at(dst, 32*j))
		} else {
			VMASKMOVPD(at(dst, 32*j), mask64, t)
			VADDPD(acc[0][j], t, t)
			VMASKMOVPD(t, mask64, at(dst, 32*j))
		}
	}
	VZEROUPPER()
	RET()
}

// large writes the loop for longer rows, in which dst is read and written once for every four rows.
func (w *weighting) large() {
	Comment("ahead: bytes of the rows, of which so many again are asked for early; 0 for many")
	ahead, none := GP64(), GP64()
	MOVQ(w.left, ahead)
	IMULQ(w.rb, ahead)
	SHLQ(Imm(2), ahead)
	XORQ(none, none)
	CMPQ(ahead, Imm(aheadLimit))
	CMOVQGT(none, ahead)
	mask64 := mask64Of(w.mask, w.size)
	end, full, c := AllocLocal(8), AllocLocal(8), GP64()
	columnEnds(ptr("d"), w.size, end, full)

	Label("rows")
	ws := w.load("zero")
	dst := ptr("dst")
	XORQ(c, c)
	block := func(j int) {
		place, t := atIdx(dst, c, uint8(8/w.size), 32*j), YMM()
		VMOVUPD(place, t)
		for r, p := range w.R {
			fmaRow(atIdx(p, c, 1, 4*w.size*j), w.size, nil, ws[r], t)
		}
		VMOVUPD(t, place)
	}
	Label("columns")
	block(0)
	block(1)
	early := GP64()
	LEAQ(atIdx(c, ahead, 1, 0), early)
	for _, p := range w.R {
		PREFETCHT0(atIdx(p, early, 1, 0))
	}
	ADDQ(Imm(uint64(8*w.size)), c)
	CMPQ(c, full)
	JL(LabelRef("columns"))
	CMPQ(c, end)
	JGE(LabelRef("tail"))
	block(0)
	MOVQ(end, c)
	Label("tail")
	place, t := atIdx(dst, c, uint8(8/w.size), 0), YMM()
	VMASKMOVPD(place, mask64, t)
	for r, p := range w.R {
		fmaRow(atIdx(p, c, 1, 0), w.size, w.mask, ws[r], t)
	}
	VMASKMOVPD(t, mask64, place)
	Label("zero")
	for _, p := range w.R {
		ADDQ(w.rb, p)
	}
	DECQ(w.left)
	JNZ(LabelRef("rows"))
	VZEROUPPER()
	RET()
}
