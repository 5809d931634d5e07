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
	TEXT(name, NOSPLIT, fmt.Sprintf("func(dst *float64, X *%s, d int, u, v *float64, n int)", float))
	Doc(fmt.Sprintf("%s adds Σ u[i]v[i]·X[i] over the n > 0 rows of d > 0 columns to dst.", name))
	Pragma("noescape")

	w := weighting{size: size}
	w.u, w.v = ptr("u"), ptr("v")
	Comment("Locals: the quarter of the rows that is left, the rows after the quarters, bytes of a row")
	w.groups, w.rest, w.rowBytes = AllocLocal(8), AllocLocal(8), AllocLocal(8)
	n, stream := ptr("n"), GP64()
	MOVQ(n, stream)
	ANDQ(Imm(3), n)
	MOVQ(n, w.rest)
	SHRQ(Imm(2), stream)
	MOVQ(stream, w.groups)
	w.q8, w.q24 = GP64(), GP64()
	MOVQ(stream, w.q8)
	SHLQ(Imm(3), w.q8)
	LEAQ(atIdx(w.q8, w.q8, 2, 0), w.q24)
	d, rb := ptr("d"), GP64()
	MOVQ(d, rb)
	SHLQ(Imm(uint64(map[int]int{8: 3, 4: 2}[size])), rb)
	MOVQ(rb, w.rowBytes)
	IMULQ(rb, stream)
	Comment("ahead: bytes of the rows, of which so many again are asked for early; 0 for many")
	w.ahead = GP64()
	none := GP64()
	XORQ(none, none)
	MOVQ(stream, w.ahead)
	SHLQ(Imm(2), w.ahead)
	CMPQ(w.ahead, Imm(aheadLimit))
	CMOVQGT(none, w.ahead)
	w.R = [4]reg.GPVirtual{ptr("X"), GP64(), GP64(), GP64()}
	for r := 1; r < 4; r++ {
		LEAQ(atIdx(w.R[r-1], stream, 1, 0), w.R[r])
	}
	for b := 1; b <= smallBlocks; b++ {
		CMPQ(d, Imm(uint64(4*b)))
		JLE(LabelRef(fmt.Sprintf("small%d", b)))
	}
	w.large()
	for b := 1; b <= smallBlocks; b++ {
		w.small(b)
	}
}

// weighting holds the registers of a function with weights.
type weighting struct {
	size                   int
	u, v, q8, q24          reg.GPVirtual
	R                      [4]reg.GPVirtual
	ahead                  reg.GPVirtual
	groups, rest, rowBytes Mem
}

// vectors returns the weight vectors.
func (w *weighting) vectors() []reg.GPVirtual { return []reg.GPVirtual{w.u, w.v} }

// load computes the weights of the next rows, one of each stream, and jumps to label zero if all of them are ±0.
func (w *weighting) load(rows int, zero string) []reg.VecVirtual {
	place := func(p reg.Register, r int) Mem {
		return [4]Mem{at(p, 0), atIdx(p, w.q8, 1, 0), atIdx(p, w.q8, 2, 0), atIdx(p, w.q24, 1, 0)}[r]
	}
	ws := make([]reg.VecVirtual, rows)
	for r := range ws {
		ws[r] = YMM()
		x := ws[r].AsX()
		VMOVSD(place(w.u, r), x)
		VMULSD(place(w.v, r), x, x)
		VBROADCASTSD(x, ws[r])
	}
	for _, p := range w.vectors() {
		ADDQ(Imm(8), p)
	}
	Comment("Twice the bits of all of them: without the sign")
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

// skipQuarters moves the pointers to the weights past the rows that were processed four at a time.
func (w *weighting) skipQuarters() {
	for _, p := range w.vectors() {
		ADDQ(w.q24, p)
	}
}

// small writes the loop for d in (4(b−1), 4b], in which dst stays in registers, with as many copies as are needed
// to hide the latency of the sums.
func (w *weighting) small(b int) {
	Label(fmt.Sprintf("small%d", b))
	copies := map[int]int{1: 4, 2: 4, 3: 2, 4: 2, 5: 2, 6: 1, 7: 1, 8: 1}[b]
	mask := tailMask(ptr("d"), w.size, true)
	acc := make([][]reg.VecVirtual, copies)
	for k := range acc {
		for range b {
			acc[k] = append(acc[k], zero())
		}
	}
	row := func(r, weight reg.Register, k int) {
		for j := range b {
			var tail reg.Register
			if j == b-1 {
				tail = mask
			}
			fmaRow(at(r, 4*w.size*j), w.size, tail, weight, acc[k][j], false)
		}
	}
	four, rest := fmt.Sprintf("small%d_four", b), fmt.Sprintf("small%d_rest", b)
	rb := GP64()
	MOVQ(w.rowBytes, rb)

	CMPQ(w.groups, Imm(0))
	JE(LabelRef(rest))
	Label(four)
	ws := w.load(4, four+"_next")
	for r := range 4 {
		row(w.R[r], ws[r], r%copies)
	}
	Label(four + "_next")
	for r := range 4 {
		ADDQ(rb, w.R[r])
	}
	DECQ(w.groups)
	JNZ(LabelRef(four))

	Label(rest)
	w.skipQuarters()
	CMPQ(w.rest, Imm(0))
	JE(LabelRef(rest + "_done"))
	Label(rest + "_row")
	row(w.R[3], w.load(1, rest+"_next")[0], 0)
	Label(rest + "_next")
	ADDQ(rb, w.R[3])
	DECQ(w.rest)
	JNZ(LabelRef(rest + "_row"))

	Label(rest + "_done")
	dst := ptr("dst")
	mask64 := tailMask(ptr("d"), 8, true)
	for j := range b {
		for step := 1; step < copies; step *= 2 {
			for k := 0; k+step < copies; k += 2 * step {
				VADDPD(acc[k+step][j], acc[k][j], acc[k][j])
			}
		}
		t := YMM()
		if j < b-1 {
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
	mask, mask64 := tailMask(ptr("d"), w.size, true), tailMask(ptr("d"), 8, true)

	// body adds the rows, multiplied by their weights, to dst, and advances to the next rows.
	body := func(name string, rows []reg.GPVirtual, ws []reg.VecVirtual) {
		Comment("left: columns before the last, masked, one to four")
		dst, left := ptr("dst"), ptr("d")
		DECQ(left)
		block := func(j int) {
			t := YMM()
			VMOVUPD(at(dst, 32*j), t)
			for r, p := range rows {
				fmaRow(at(p, 4*w.size*j), w.size, nil, ws[r], t, false)
			}
			VMOVUPD(t, at(dst, 32*j))
		}
		advance := func(columns int) {
			ADDQ(Imm(uint64(8*columns)), dst)
			for _, p := range rows {
				ADDQ(Imm(uint64(w.size*columns)), p)
			}
		}
		SUBQ(Imm(8), left)
		Label(name + "_columns")
		block(0)
		block(1)
		for _, p := range rows {
			PREFETCHT0(atIdx(p, w.ahead, 1, 0))
		}
		advance(8)
		SUBQ(Imm(8), left)
		JGE(LabelRef(name + "_columns"))
		ADDQ(Imm(4), left)
		JL(LabelRef(name + "_tail"))
		block(0)
		advance(4)
		SUBQ(Imm(4), left)
		Label(name + "_tail")
		t := YMM()
		VMASKMOVPD(at(dst, 0), mask64, t)
		for r, p := range rows {
			fmaRow(at(p, 0), w.size, mask, ws[r], t, false)
		}
		VMASKMOVPD(t, mask64, at(dst, 0))
		Comment("left is −4 to −1: the columns of the tail, less five")
		for _, p := range rows {
			LEAQ(atIdx(p, left, uint8(w.size), 5*w.size), p)
		}
	}

	CMPQ(w.groups, Imm(0))
	JE(LabelRef("rest"))
	Label("four")
	body("four", w.R[:], w.load(4, "four_zero"))
	DECQ(w.groups)
	JNZ(LabelRef("four"))
	JMP(LabelRef("rest"))
	Label("four_zero")
	for r := range 4 {
		ADDQ(w.rowBytes, w.R[r])
	}
	DECQ(w.groups)
	JNZ(LabelRef("four"))

	Label("rest")
	w.skipQuarters()
	Label("rest_row")
	CMPQ(w.rest, Imm(0))
	JE(LabelRef("done"))
	DECQ(w.rest)
	body("rest", w.R[3:], w.load(1, "rest_zero"))
	JMP(LabelRef("rest_row"))
	Label("rest_zero")
	ADDQ(w.rowBytes, w.R[3])
	JMP(LabelRef("rest_row"))
	Label("done")
	VZEROUPPER()
	RET()
}
