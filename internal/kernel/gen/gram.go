package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gram writes the two parts of the weighted Gram matrix: packing rows into panels of four columns, and multiplying
// panels.
func gram() {
	for _, size := range []int{8, 4} {
		gramPack(size)
	}
	for _, wide := range []int{3, 2, 1} {
		gramTile(wide)
	}
}

// packGroup is the number of rows packed at a time, panel by panel. Panels are so far apart that writing each row
// to all panels would cause TLB misses.
const packGroup = 8

func gramPack(size int) {
	name := fmt.Sprintf("gramPack%dAVX2", 8*size)
	TEXT(name, NOSPLIT, fmt.Sprintf("func(a, b *float64, X *%s, d int, offset *int, w *float64, k, capacity int)",
		map[int]string{8: "float64", 4: "float32"}[size]))
	Doc(fmt.Sprintf("%s copies k > 0 rows of d > 0 columns, at the offsets in bytes from X, into", name),
		"panels of capacity rows of four columns: into b as they are, into a times their weight. Columns",
		"past d are zero.")
	Pragma("noescape")
	a, b, X, offset, w := ptr("a"), ptr("b"), ptr("X"), ptr("offset"), ptr("w")
	mask := tailMask(ptr("d"), size)
	panel := ptr("capacity")
	SHLQ(Imm(5), panel)
	left := AllocLocal(8)
	k := ptr("k")
	MOVQ(k, left)

	Label("group")
	Comment("rows: those of the group; column, place: bytes of the columns and of the panels done")
	rows, limit, column, place := GP64(), GP64(), GP64(), GP64()
	MOVQ(left, rows)
	MOVQ(U32(packGroup), limit)
	CMPQ(rows, limit)
	CMOVQGT(limit, rows)
	XORQ(column, column)
	XORQ(place, place)
	panels := ptr("d")
	DECQ(panels)
	SHRQ(Imm(2), panels)
	block := func(name string, tail reg.Register) {
		to, i := GP64(), GP64()
		MOVQ(place, to)
		XORQ(i, i)
		Label(name)
		p, y, z := GP64(), YMM(), YMM()
		MOVQ(atIdx(offset, i, 8, 0), p)
		ADDQ(X, p)
		loadRow(atIdx(p, column, 1, 0), size, tail, y)
		VBROADCASTSD(atIdx(w, i, 8, 0), z)
		VMOVUPD(y, atIdx(b, to, 1, 0))
		VMULPD(y, z, z)
		VMOVUPD(z, atIdx(a, to, 1, 0))
		ADDQ(Imm(32), to)
		INCQ(i)
		CMPQ(i, rows)
		JL(LabelRef(name))
	}
	TESTQ(panels, panels)
	JZ(LabelRef("last"))
	Label("panel")
	block("row", nil)
	ADDQ(Imm(uint64(4*size)), column)
	ADDQ(panel, place)
	DECQ(panels)
	JNZ(LabelRef("panel"))
	Label("last")
	block("last_row", mask)

	ADDQ(U32(32*packGroup), a)
	ADDQ(U32(32*packGroup), b)
	ADDQ(Imm(8*packGroup), offset)
	ADDQ(Imm(8*packGroup), w)
	SUBQ(Imm(packGroup), left)
	JG(LabelRef("group"))
	VZEROUPPER()
	RET()
}

// gramTile generates the function that adds the product of one panel and wide consecutive panels, a number.
func gramTile(wide int) {
	name := fmt.Sprintf("gramTile%dAVX2", 4*wide)
	TEXT(name, NOSPLIT, "func(a, b *float64, k, capacity int, c *float64, stride int)")
	Doc(fmt.Sprintf("%s adds Σ a[i]b[i]ᵀ over the first k > 0 of capacity rows of a panel a and of %d panels", name, wide),
		fmt.Sprintf("b to the 4×%d matrix c, whose rows are stride apart.", 4*wide))
	Pragma("noescape")
	a, b, k := ptr("a"), ptr("b"), ptr("k")
	panel := ptr("capacity")
	SHLQ(Imm(5), panel)
	c, stride := ptr("c"), ptr("stride")
	SHLQ(Imm(3), stride)
	Comment("Ask for c, needed at the end")
	for range 4 {
		PREFETCHT0(at(c, 0))
		PREFETCHT0(at(c, 32*wide-8))
		ADDQ(stride, c)
	}
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
	if wide == 1 { // two sets of sums, to hide their latency
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
	c = ptr("c")
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
