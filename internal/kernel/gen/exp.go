package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// expTerms are c0 to c9 of exp(r) ≈ 1 + r + r²·(c0 + c1·r + …), within 2e-17 for
// |r| ≤ ln2/2: the interpolation at the Chebyshev points.
var expTerms = [10]float64{
	0x1.0000000000001p-1, 0x1.5555555555556p-3,
	0x1.5555555553d5ep-5, 0x1.11111111109b2p-7,
	0x1.6c16c1788dc33p-10, 0x1.a01a01a7c54aep-13,
	0x1.a019b905bafb1p-16, 0x1.71de0da9d06acp-19,
	0x1.28918e390a71ep-22, 0x1.af38b4925be09p-26,
}

const (
	ln2High = 6.93147180369123816490e-01 // 33 bits
	ln2Low  = 1.90821492927058770002e-10
	log2e   = 1.44269504088896338700
	shifter = 3 << 51 // added to a small number, leaves its nearest integer in the low bits
)

// exp returns e^x, lane by lane; x is overwritten. Without high x must be at most
// 0. x = n·ln2 + r; 2^n is applied in two halves, so that neither overflows
// and subnormal results are rounded once.
func exp(x reg.VecVirtual, high bool) reg.VecVirtual {
	bound := YMM()
	Comment("exp: bounds beyond which the result is 0 or +Inf; NaN passes")
	VMOVUPD(c4(-760), bound)
	VMAXPD(x, bound, x)
	if high {
		VMOVUPD(c4(720), bound)
		VMINPD(x, bound, x)
	}
	shift, bits, n := YMM(), YMM(), YMM()
	VMOVUPD(c4(shifter), shift)
	VMOVUPD(c4(log2e), bits)
	VFMADD213PD(shift, x, bits)
	VSUBPD(shift, bits, n)
	VFNMADD231PD(c4(ln2High), n, x)
	VFNMADD231PD(c4(ln2Low), n, x)

	Comment("Estrin's scheme")
	r2, r4, r8 := YMM(), YMM(), YMM()
	VMULPD(x, x, r2)
	VMULPD(r2, r2, r4)
	VMULPD(r4, r4, r8)
	var p [5]reg.VecVirtual
	for i := range p {
		p[i] = YMM()
		VMOVUPD(c4(expTerms[2*i+1]), p[i])
		VFMADD213PD(c4(expTerms[2*i]), x, p[i])
	}
	VFMADD231PD(p[1], r2, p[0])
	VFMADD231PD(p[3], r2, p[2])
	VFMADD231PD(p[2], r4, p[0])
	VFMADD231PD(p[4], r8, p[0])
	VFMADD213PD(x, r2, p[0])
	VADDPD(c4(1), p[0], p[0])

	Comment("2^(n/2) and 2^(n − n/2); what is above the exponent is shifted out")
	half := YMM()
	VPSRAD(Imm(1), bits, half)
	VPSUBD(half, bits, bits)
	for _, h := range []reg.VecVirtual{half, bits} {
		VPADDD(c4bits(1023), h, h)
		VPSLLQ(Imm(52), h, h)
		VMULPD(h, p[0], p[0])
	}
	return p[0]
}

// blocks runs body over the n entries, four at a time with the offset c (in
// entries) and no mask, and over the rest with one. A body that takes registers
// to the next round must not need others than its own.
func blocks(n reg.GPVirtual, body func(c reg.Register, mask reg.Register)) {
	full, c := GP64(), GP64()
	MOVQ(n, full)
	ANDQ(I8(-4), full)
	XORQ(c, c)
	CMPQ(c, full)
	JGE(LabelRef("rest"))
	Label("four")
	body(c, nil)
	ADDQ(Imm(4), c)
	CMPQ(c, full)
	JL(LabelRef("four"))
	Label("rest")
	CMPQ(c, n)
	JGE(LabelRef("done"))
	body(c, tailMask(n, 8, false))
	Label("done")
}

// load and store four entries of v behind entry c, those of the mask.
func load(v, c, mask reg.Register, y reg.VecVirtual) {
	if mask == nil {
		VMOVUPD(atIdx(v, c, 8, 0), y)
	} else {
		VMASKMOVPD(atIdx(v, c, 8, 0), mask, y)
	}
}

func store(y reg.VecVirtual, v, c, mask reg.Register) {
	if mask == nil {
		VMOVUPD(y, atIdx(v, c, 8, 0))
	} else {
		VMASKMOVPD(y, mask, atIdx(v, c, 8, 0))
	}
}

// keep clears the lanes of y outside the mask.
func keep(mask reg.Register, y reg.VecVirtual) {
	if mask != nil {
		VANDPD(mask, y, y)
	}
}

func exponential() {
	TEXT("expAVX2", NOSPLIT, "func(dst, src *float64, shift, scale float64, n int) (sum float64)")
	Doc("expAVX2 stores exp((src[i] − shift)/scale) in dst[i] for n > 0 entries and returns their sum.")
	Pragma("noescape")
	dst, src, n := ptr("dst"), ptr("src"), ptr("n")
	shift, scale, sum := broadcast("shift"), broadcast("scale"), zero()
	blocks(n, func(c, mask reg.Register) {
		x := YMM()
		load(src, c, mask, x)
		VSUBPD(shift, x, x)
		VDIVPD(scale, x, x)
		e := exp(x, true)
		store(e, dst, c, mask)
		keep(mask, e)
		VADDPD(e, sum, sum)
	})
	result(sumLanes(sum))
}

// result returns the lowest lane of x.
func result(x reg.VecVirtual) {
	VZEROUPPER()
	Store(x.AsX(), ReturnIndex(0))
	RET()
}
