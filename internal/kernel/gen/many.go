package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// many writes the tile of which products of rows with several vectors consist: it uses twelve registers for sums,
// and three loads and four broadcasts for every twelve products.
func many() {
	TEXT("manyAVX2", NOSPLIT, "func(a *float64, step, next int, b *float64, row, n int, c *float64, stride int)")
	Doc("manyAVX2 adds Σ_i a[i·step + r·next]·b[i·row + j] over n > 0 terms to c[r·stride + j], r < 4",
		"and j < 12.")
	Pragma("noescape")
	a, step, next, b, row, n, c, stride := ptr("a"), ptr("step"), ptr("next"), ptr("b"), ptr("row"), ptr("n"), ptr(
		"c"), ptr("stride")
	for _, r := range []reg.Register{step, next, row} {
		SHLQ(Imm(3), r)
	}
	SHLQ(Imm(3), stride)
	last := GP64()
	LEAQ(atIdx(next, next, 2, 0), last)
	var acc [4][3]reg.VecVirtual
	for r := range acc {
		for j := range acc[r] {
			acc[r][j] = zero()
		}
	}
	Label("term")
	var y [3]reg.VecVirtual
	for j := range y {
		y[j] = YMM()
		VMOVUPD(at(b, 32*j), y[j])
	}
	for r, m := range []Mem{at(a, 0), atIdx(a, next, 1, 0), atIdx(a, next, 2, 0), atIdx(a, last, 1, 0)} {
		v := YMM()
		VBROADCASTSD(m, v)
		for j := range y {
			VFMADD231PD(y[j], v, acc[r][j])
		}
	}
	Comment("The next columns of the row: rows far apart are not foreseen by the hardware")
	PREFETCHT0(at(b, 128))
	PREFETCHT0(at(b, 191))
	ADDQ(step, a)
	ADDQ(row, b)
	DECQ(n)
	JNZ(LabelRef("term"))
	for r := range acc {
		for j, sum := range acc[r] {
			VADDPD(at(c, 32*j), sum, sum)
			VMOVUPD(sum, at(c, 32*j))
		}
		ADDQ(stride, c)
	}
	VZEROUPPER()
	RET()
}
