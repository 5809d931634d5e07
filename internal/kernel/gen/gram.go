package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gram writes the two halves of the weighted Gram matrix: packing of rows into
// panels of four columns, and products of panels.
func gram() {
	for _, size := range []int{8, 4} {
		gramPack(size)
	}
	for _, wide := range []int{3, 2, 1} {
		gramTile(wide)
	}
}

func gramPack(size int) {
	name := fmt.Sprintf("gramPack%dAVX2", 8*size)
	TEXT(name, NOSPLIT, fmt.Sprintf("func(a, b *float64, X *%s, d int, w *float64, n, room int) (read, packed int)",
		map[int]string{8: "float64", 4: "float32"}[size]))
	Doc(fmt.Sprintf("%s copies up to room of the n > 0 rows of d > 0 columns, those of a weight", name),
		"other than zero, into panels of room rows of four columns: into b as they are, into a times their",
		"weight. Columns past d are zero. It returns the rows it went through and those it copied.")
	Pragma("noescape")
	a, b, X, d, w, n, room := ptr("a"), ptr("b"), ptr("X"), ptr("d"), ptr("w"), ptr("n"), ptr("room")
	mask := tailMask(d, size, true)
	Comment("full: bytes of the columns before the last, masked, one to four; panel: bytes of a panel")
	panel := GP64()
	MOVQ(room, panel)
	SHLQ(Imm(5), panel)
	end := GP64()
	LEAQ(at(d, -1), end)
	SHRQ(Imm(2), end)
	DECQ(d)
	ANDQ(Imm(3), d)
	packed := GP64()
	XORQ(packed, packed)

	Label("row")
	x, weight := XMM(), YMM()
	VMOVSD(at(w, 0), x)
	ADDQ(Imm(8), w)
	VBROADCASTSD(x, weight)
	VPADDQ(x, x, x)
	VPTEST(x, x)
	JZ(LabelRef("skip"))
	offset, blocks, y, z := GP64(), GP64(), YMM(), YMM()
	MOVQ(packed, offset)
	SHLQ(Imm(5), offset)
	MOVQ(end, blocks)
	INCQ(packed)
	put := func(tail reg.Register) {
		loadRow(at(X, 0), size, tail, y)
		VMOVUPD(y, atIdx(b, offset, 1, 0))
		VMULPD(y, weight, z)
		VMOVUPD(z, atIdx(a, offset, 1, 0))
	}
	TESTQ(blocks, blocks)
	JZ(LabelRef("tail"))
	Label("block")
	put(nil)
	ADDQ(Imm(uint64(4*size)), X)
	ADDQ(panel, offset)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	Label("tail")
	put(mask)
	LEAQ(atIdx(X, d, uint8(size), size), X)
	DECQ(n)
	JZ(LabelRef("done"))
	CMPQ(packed, room)
	JL(LabelRef("row"))
	JMP(LabelRef("done"))

	Label("skip")
	bytes := GP64()
	LEAQ(atIdx(d, end, 4, 1), bytes)
	LEAQ(atIdx(X, bytes, uint8(size), 0), X)
	DECQ(n)
	JNZ(LabelRef("row"))

	Label("done")
	VZEROUPPER()
	read := ptr("n")
	SUBQ(n, read)
	Store(read, ReturnIndex(0))
	Store(packed, ReturnIndex(1))
	RET()
}

// gramTile writes the product of one panel with wide ones that follow each other.
func gramTile(wide int) {
	name := fmt.Sprintf("gramTile%dAVX2", 4*wide)
	TEXT(name, NOSPLIT, "func(a, b *float64, k, room int, c *float64, stride int)")
	Doc(fmt.Sprintf("%s adds Σ a[i]b[i]ᵀ over the first k > 0 of room rows of a panel a and of %d panels", name, wide),
		fmt.Sprintf("b to the 4×%d matrix c, whose rows are stride apart.", 4*wide))
	Pragma("noescape")
	a, b, k := ptr("a"), ptr("b"), ptr("k")
	panel := ptr("room")
	SHLQ(Imm(5), panel)
	var acc [4][3]reg.VecVirtual
	for r := range 4 {
		for j := range wide {
			acc[r][j] = zero()
		}
	}
	step := func(acc *[4][3]reg.VecVirtual, disp int) {
		var y [3]reg.VecVirtual
		for j := range wide {
			y[j] = YMM()
			VMOVUPD([3]Mem{at(b, disp), atIdx(b, panel, 1, disp), atIdx(b, panel, 2, disp)}[j], y[j])
		}
		for r := range 4 {
			v := YMM()
			VBROADCASTSD(at(a, disp+8*r), v)
			for j := range wide {
				VFMADD231PD(y[j], v, acc[r][j])
			}
		}
	}
	second := acc
	if wide == 1 { // twice the sums, to hide their latency
		for r := range 4 {
			second[r][0] = zero()
		}
	}
	SUBQ(Imm(4), k)
	JL(LabelRef("rest"))
	Label("rows")
	for i := range 4 {
		step([2]*[4][3]reg.VecVirtual{&acc, &second}[i%2], 32*i)
	}
	ADDQ(Imm(128), a)
	ADDQ(Imm(128), b)
	SUBQ(Imm(4), k)
	JGE(LabelRef("rows"))
	Label("rest")
	ADDQ(Imm(4), k)
	JZ(LabelRef("store"))
	Label("row")
	step(&acc, 0)
	ADDQ(Imm(32), a)
	ADDQ(Imm(32), b)
	DECQ(k)
	JNZ(LabelRef("row"))
	Label("store")
	c, stride := ptr("c"), ptr("stride")
	SHLQ(Imm(3), stride)
	for r := range 4 {
		for j := range wide {
			if wide == 1 {
				VADDPD(second[r][j], acc[r][j], acc[r][j])
			}
			VADDPD(at(c, 32*j), acc[r][j], acc[r][j])
			VMOVUPD(acc[r][j], at(c, 32*j))
		}
		ADDQ(stride, c)
	}
	VZEROUPPER()
	RET()
}
