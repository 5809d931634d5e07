package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// logTerms are the coefficients L1 to L7 of FreeBSD's and Go's log: with
// s = f/(2+f), log(1+f) = f − (f²/2 − s·(f²/2 + R)), R = L1·s² + L2·s⁴ + …, within
// 2^-58 for √2/2 ≤ 1+f ≤ √2.
var logTerms = [8]float64{0,
	6.666666666666735130e-01,
	3.999999999940941908e-01,
	2.857142874366239149e-01,
	2.222219843214978396e-01,
	1.818357216161805012e-01,
	1.531383769920937332e-01,
	1.479819860511658591e-01,
}

// log1p returns log(1 + e), lane by lane, for 0 ≤ e ≤ 1.
func log1p(e reg.VecVirtual) reg.VecVirtual {
	Comment("log1p: above √2 − 1, log 2 + log(1 + f) with f = (e − 1)/2; else f = e")
	big, f, t := YMM(), YMM(), YMM()
	VMOVUPD(c4(-1), f)
	VADDPD(f, e, f)
	VMULPD(c4(0.5), f, f)
	VCMPPD(Imm(gtOQ), c4(0.41421356237309505), e, big)
	VBLENDVPD(big, f, e, f)

	s, z, w := YMM(), YMM(), YMM()
	VADDPD(c4(2), f, t)
	VDIVPD(t, f, s)
	VMULPD(s, s, z)
	VMULPD(z, z, w)
	even, odd := YMM(), YMM()
	VMOVUPD(c4(logTerms[6]), even)
	VFMADD213PD(c4(logTerms[4]), w, even)
	VFMADD213PD(c4(logTerms[2]), w, even)
	VMULPD(w, even, even)
	VMOVUPD(c4(logTerms[7]), odd)
	VFMADD213PD(c4(logTerms[5]), w, odd)
	VFMADD213PD(c4(logTerms[3]), w, odd)
	VFMADD213PD(c4(logTerms[1]), w, odd)
	VFMADD213PD(even, z, odd)

	half, low, high := YMM(), YMM(), YMM()
	VMULPD(c4(0.5), f, half)
	VMULPD(f, half, half)
	VADDPD(half, odd, odd)
	VANDPD(c4(ln2Low), big, low)
	VANDPD(c4(ln2High), big, high)
	VFMADD213PD(low, s, odd)
	VSUBPD(odd, half, half)
	VSUBPD(f, half, half)
	VSUBPD(half, high, high)
	return high
}

// Predicates of VCMPPD: ordered, quiet.
const (
	gtOQ  = 0x1e
	unord = 0x03
)

const signBit = 1 << 63

func logistic() {
	TEXT("logisticAVX2", NOSPLIT, "func(value, slope, margin, target *float64, n int)")
	Doc("logisticAVX2 stores log(1 + exp(−t·m)) in value and −t/(1 + exp(t·m)) in slope for n > 0 entries.")
	Pragma("noescape")
	value, slope, margin, target, n := ptr("value"), ptr("slope"), ptr("margin"), ptr("target"), ptr("n")
	blocks(n, func(c, mask reg.Register) {
		t, z, a := YMM(), YMM(), YMM()
		load(target, c, mask, t)
		load(margin, c, mask, z)
		Comment("t: −target; z = −t·m; e = exp(−|z|)")
		VXORPD(c4bits(signBit), t, t)
		VMULPD(t, z, z)
		VORPD(c4bits(signBit), z, a)
		e := exp(a, false)
		v, positive := YMM(), zero()
		VMAXPD(z, positive, v)
		VCMPPD(Imm(gtOQ), positive, z, positive)

		Comment("slope: −t/(1 + e) for z > 0, −t·e/(1 + e) else")
		one, q, below := YMM(), YMM(), YMM()
		VMOVUPD(c4(1), one)
		VADDPD(one, e, below)
		VBLENDVPD(positive, one, e, q)
		VDIVPD(below, q, q)
		VMULPD(t, q, q)
		store(q, slope, c, mask)

		VADDPD(log1p(e), v, v)
		store(v, value, c, mask)
	})
	VZEROUPPER()
	RET()
}
