package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// reduce writes the loop of a reduction over n entries: sixteen at a time into four accumulators as long as there
// are enough, then four at a time, with the mask of the entries that remain, into the first accumulator.
func reduce(n reg.GPVirtual, body func(k int, c, mask reg.Register)) {
	c, left := GP64(), GP64()
	XORQ(c, c)
	MOVQ(n, left)
	SUBQ(Imm(16), left)
	JL(LabelRef("rest"))
	Label("sixteen")
	for k := range 4 {
		body(k, c, nil)
		ADDQ(Imm(4), c)
	}
	SUBQ(Imm(16), left)
	JGE(LabelRef("sixteen"))
	Label("rest")
	ADDQ(Imm(16), left)
	JZ(LabelRef("done"))
	Label("four")
	body(0, c, headMask(left))
	ADDQ(Imm(4), c)
	SUBQ(Imm(4), left)
	JG(LabelRef("four"))
	Label("done")
}

// four returns four cleared accumulators.
func four() (acc [4]reg.VecVirtual) {
	for k := range acc {
		acc[k] = zero()
	}
	return acc
}

// sumFour adds the accumulators, and then the lanes of the sum.
func sumFour(acc [4]reg.VecVirtual) reg.VecVirtual {
	VADDPD(acc[1], acc[0], acc[0])
	VADDPD(acc[3], acc[2], acc[2])
	VADDPD(acc[2], acc[0], acc[0])
	return sumLanes(acc[0])
}

func reductions() {
	TEXT("sumAVX2", NOSPLIT, "func(v *float64, n int) float64")
	Doc("sumAVX2 returns the sum of n > 0 entries.")
	Pragma("noescape")
	v, n, acc := ptr("v"), ptr("n"), four()
	reduce(n, func(k int, c, mask reg.Register) {
		if mask == nil {
			VADDPD(atIdx(v, c, 8, 0), acc[k], acc[k])
			return
		}
		t := YMM()
		load(v, c, 0, mask, t)
		VADDPD(t, acc[k], acc[k])
	})
	result(sumFour(acc))

	TEXT("dotAVX2", NOSPLIT, "func(a, b *float64, n int) float64")
	Doc("dotAVX2 returns Σ a[i]·b[i] over n > 0 entries.")
	Pragma("noescape")
	a, b, n := ptr("a"), ptr("b"), ptr("n")
	acc = four()
	reduce(n, func(k int, c, mask reg.Register) {
		t, u := YMM(), YMM()
		load(a, c, 0, mask, t)
		if mask == nil {
			VFMADD231PD(atIdx(b, c, 8, 0), t, acc[k])
			return
		}
		load(b, c, 0, mask, u)
		VFMADD231PD(u, t, acc[k])
	})
	result(sumFour(acc))

	TEXT("maxAVX2", NOSPLIT, "func(v *float64, n int) float64")
	Doc("maxAVX2 returns the largest of n ≥ 4 entries, NaN when there is a NaN.")
	Pragma("noescape")
	v, n = ptr("v"), ptr("n")
	var m [4]reg.VecVirtual
	for k := range m {
		m[k] = YMM()
		VMOVUPD(at(v, 0), m[k])
	}
	nan := zero()
	last := GP64()
	LEAQ(at(n, -4), last)
	reduce(n, func(k int, c, mask reg.Register) {
		if mask != nil {
			Comment("At most the last four entries, some of them again")
			from := GP64()
			MOVQ(c, from)
			CMPQ(from, last)
			CMOVQGT(last, from)
			c = from
		}
		t, u := YMM(), YMM()
		load(v, c, 0, nil, t)
		VCMPPD(Imm(unord), t, t, u)
		VORPD(u, nan, nan)
		VMAXPD(t, m[k], m[k])
	})
	VMAXPD(m[1], m[0], m[0])
	VMAXPD(m[3], m[2], m[2])
	VMAXPD(m[2], m[0], m[0])
	x, y := XMM(), XMM()
	VEXTRACTF128(Imm(1), m[0], x)
	VMAXPD(x, m[0].AsX(), x)
	VPERMILPD(Imm(1), x, y)
	VMAXSD(y, x, x)
	bits := GP32()
	VMOVMSKPD(nan, bits)
	TESTL(bits, bits)
	JZ(LabelRef("ordered"))
	Comment("All ones are a NaN")
	VPCMPEQD(x, x, x)
	Label("ordered")
	result(x)
}
