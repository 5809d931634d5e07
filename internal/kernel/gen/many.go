package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// many writes the tile that products of rows with several vectors are made of: twelve
// registers of sums, three loads and four broadcasts for every twelve products. The sums of
// single precision are added to double ones.
func many(size int) {
	name, of, wide := "manyAVX2", "float64", 12
	if size == 4 {
		name, of, wide = "many32AVX2", "float32", 24
	}
	TEXT(name, NOSPLIT, fmt.Sprintf("func(a *%s, step, next int, b *%[1]s, row, n int, c *float64, stride int)", of))
	Doc(fmt.Sprintf("%s adds Σ_i a[i·step + r·next]·b[i·row + j] over n > 0 terms to c[r·stride + j], r < 4", name),
		fmt.Sprintf("and j < %d.", wide))
	Pragma("noescape")
	a, step, next, b, row, n, c, stride := ptr("a"), ptr("step"), ptr("next"), ptr("b"), ptr("row"), ptr("n"), ptr("c"), ptr("stride")
	for _, r := range []reg.Register{step, next, row} {
		SHLQ(Imm(uint64(size/4+1)), r)
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
		if size == 4 {
			VBROADCASTSS(m, v)
		} else {
			VBROADCASTSD(m, v)
		}
		for j := range y {
			if size == 4 {
				VFMADD231PS(y[j], v, acc[r][j])
			} else {
				VFMADD231PD(y[j], v, acc[r][j])
			}
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
			if size == 8 {
				VADDPD(at(c, 32*j), sum, sum)
				VMOVUPD(sum, at(c, 32*j))
				continue
			}
			addSingles(sum, c, 64*j)
		}
		ADDQ(stride, c)
	}
	VZEROUPPER()
	RET()
}

// manyNarrow writes the tile of margins of few vectors in single precision: eight rows by eight
// of them, with the bits of the wide one.
func manyNarrow() {
	TEXT("manyNarrow32AVX2", NOSPLIT, "func(a *float32, next int, b *float32, row, n int, c *float64, stride int)")
	Doc("manyNarrow32AVX2 adds Σ_i a[i + r·next]·b[i·row + j] over n > 0 terms to c[r·stride + j], r < 8",
		"and j < 8.")
	Pragma("noescape")
	a, next, b, row, n, c, stride := ptr("a"), ptr("next"), ptr("b"), ptr("row"), ptr("n"), ptr("c"), ptr("stride")
	SHLQ(Imm(2), next)
	SHLQ(Imm(2), row)
	SHLQ(Imm(3), stride)
	thrice, half := GP64(), GP64()
	LEAQ(atIdx(next, next, 2, 0), thrice)
	LEAQ(atIdx(a, next, 4, 0), half)
	var acc [8]reg.VecVirtual
	for r := range acc {
		acc[r] = zero()
	}
	Label("term")
	y := YMM()
	VMOVUPS(at(b, 0), y)
	for r, from := range []reg.Register{a, a, a, a, half, half, half, half} {
		v := YMM()
		VBROADCASTSS([]Mem{at(from, 0), atIdx(from, next, 1, 0), atIdx(from, next, 2, 0), atIdx(from, thrice, 1, 0)}[r%4], v)
		VFMADD231PS(y, v, acc[r])
	}
	ADDQ(Imm(4), a)
	ADDQ(Imm(4), half)
	ADDQ(row, b)
	DECQ(n)
	JNZ(LabelRef("term"))
	for _, sum := range acc {
		addSingles(sum, c, 0)
		ADDQ(stride, c)
	}
	VZEROUPPER()
	RET()
}

// addSingles adds eight sums of single precision to double ones.
func addSingles(sum reg.VecVirtual, c reg.Register, from int) {
	half, double := XMM(), YMM()
	VEXTRACTF128(Imm(1), sum, half)
	VCVTPS2PD(sum.AsX(), double)
	VADDPD(at(c, from), double, double)
	VMOVUPD(double, at(c, from))
	VCVTPS2PD(half, double)
	VADDPD(at(c, from+32), double, double)
	VMOVUPD(double, at(c, from+32))
}
