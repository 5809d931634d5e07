package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// expTerms holds the coefficients c0 to c9 of exp(r) ≈ 1 + r + r²·(c0 + c1·r + …), which is accurate to 2e-17 for
// |r| ≤ ln2/2. They interpolate at the Chebyshev points.
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
	shifter = 3 << 51 // when added to a small number, leaves its nearest integer in the low bits
)

// unrolled is the number of vectors for which exp and log1p are computed at a time, with interleaved steps that
// hide the latency of each step.
const unrolled = 4

// each calls f for the index of every vector in v.
func each(v []reg.VecVirtual, f func(i int)) {
	for i := range v {
		f(i)
	}
}

// vectors returns as many registers.
func vectors(count int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, count)
	for i := range v {
		v[i] = YMM()
	}
	return v
}

// constantBits loads v into all lanes.
func constantBits(v uint64) reg.VecVirtual {
	y := YMM()
	VBROADCASTSD(c1(v), y)
	return y
}

// constant loads v into all lanes.
func constant(v float64) reg.VecVirtual {
	return constantBits(math.Float64bits(v))
}

// exp returns e^x, lane by lane; x is overwritten. Unless high is set, x must be at most 0. With x = n·ln2 + r, the
// factor 2^n is applied in two halves, so that neither overflows and subnormal results are rounded only once.
func exp(x []reg.VecVirtual, high bool) []reg.VecVirtual {
	Comment("exp: bounds beyond which the result is 0 or +Inf; NaN passes")
	bound := constant(-760)
	each(x, func(i int) { VMAXPD(x[i], bound, x[i]) })
	if high {
		bound := constant(720)
		each(x, func(i int) { VMINPD(x[i], bound, x[i]) })
	}
	Comment("n: the nearest integer to x/ln2; x: the rest")
	shift, bits, n := constant(shifter), vectors(len(x)), vectors(len(x))
	each(x, func(i int) { VBROADCASTSD(c1(math.Float64bits(log2e)), bits[i]) })
	each(x, func(i int) { VFMADD213PD(shift, x[i], bits[i]) })
	each(x, func(i int) { VSUBPD(shift, bits[i], n[i]) })
	each(x, func(i int) { VFNMADD231PD(c4(ln2High), n[i], x[i]) })
	each(x, func(i int) { VFNMADD231PD(c4(ln2Low), n[i], x[i]) })

	p := vectors(len(x))
	each(p, func(i int) { VBROADCASTSD(c1(math.Float64bits(expTerms[len(expTerms)-1])), p[i]) })
	for k := len(expTerms) - 2; k >= -2; k-- {
		term := 1.0
		if k >= 0 {
			term = expTerms[k]
		}
		c := constant(term)
		each(p, func(i int) { VFMADD213PD(c, x[i], p[i]) })
	}

	Comment("2^(n/2) and 2^(n − n/2); what is above the exponent is shifted out")
	half := vectors(len(x))
	each(p, func(i int) { VPSRAD(Imm(1), bits[i], half[i]) })
	each(p, func(i int) { VPSUBD(half[i], bits[i], bits[i]) })
	bias := constantBits(1023)
	for _, h := range [][]reg.VecVirtual{half, bits} {
		each(p, func(i int) { VPADDD(bias, h[i], h[i]) })
		each(p, func(i int) { VPSLLQ(Imm(52), h[i], h[i]) })
		each(p, func(i int) { VMULPD(h[i], p[i], p[i]) })
	}
	return p
}

// blocks calls body for the n entries from entry c on: for several vectors of four entries as long as there are
// enough, then for one vector at a time, with the mask of the entries that remain.
func blocks(n reg.GPVirtual, body func(c reg.Register, count int, mask reg.Register)) {
	c, left := GP64(), GP64()
	XORQ(c, c)
	MOVQ(n, left)
	SUBQ(Imm(4*unrolled), left)
	JL(LabelRef("rest"))
	Label("many")
	body(c, unrolled, nil)
	ADDQ(Imm(4*unrolled), c)
	SUBQ(Imm(4*unrolled), left)
	JGE(LabelRef("many"))
	Label("rest")
	ADDQ(Imm(4*unrolled), left)
	JZ(LabelRef("done"))
	Label("four")
	body(c, 1, headMask(left))
	ADDQ(Imm(4), c)
	SUBQ(Imm(4), left)
	JG(LabelRef("four"))
	Label("done")
}

// load and store move the i-th four entries of v from entry c on, or those in the mask.
func load(v, c reg.Register, i int, mask reg.Register, y reg.VecVirtual) {
	if mask == nil {
		VMOVUPD(atIdx(v, c, 8, 32*i), y)
	} else {
		VMASKMOVPD(atIdx(v, c, 8, 32*i), mask, y)
	}
}

func store(y reg.VecVirtual, v, c reg.Register, i int, mask reg.Register) {
	if mask == nil {
		VMOVUPD(y, atIdx(v, c, 8, 32*i))
	} else {
		VMASKMOVPD(y, mask, atIdx(v, c, 8, 32*i))
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
	sum := zero()
	blocks(n, func(c reg.Register, count int, mask reg.Register) {
		x := vectors(count)
		each(x, func(i int) { load(src, c, i, mask, x[i]) })
		shift := broadcast("shift")
		each(x, func(i int) { VSUBPD(shift, x[i], x[i]) })
		scale := broadcast("scale")
		each(x, func(i int) { VDIVPD(scale, x[i], x[i]) })
		e := exp(x, true)
		each(e, func(i int) {
			store(e[i], dst, c, i, mask)
			keep(mask, e[i])
			VADDPD(e[i], sum, sum)
		})
	})
	result(sumLanes(sum))
}

// result returns the lowest lane of x.
func result(x reg.VecVirtual) {
	VZEROUPPER()
	Store(x.AsX(), ReturnIndex(0))
	RET()
}
