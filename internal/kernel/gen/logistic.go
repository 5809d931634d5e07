package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// logTerms holds the coefficients L1 to L7 of log in FreeBSD and Go: with s = f/(2+f), log(1+f) = f − (f²/2 −
// s·(f²/2 + R)), R = L1·s² + L2·s⁴ + …, within 2^-58 for √2/2 ≤ 1+f ≤ √2.
var logTerms = [8]float64{0,
	6.666666666666735130e-01,
	3.999999999940941908e-01,
	2.857142874366239149e-01,
	2.222219843214978396e-01,
	1.818357216161805012e-01,
	1.531383769920937332e-01,
	1.479819860511658591e-01,
}

// log1p returns log(1 + e), lane by lane, for 0 ≤ e ≤ 1; e is overwritten.
func log1p(e []reg.VecVirtual) []reg.VecVirtual {
	Comment("log1p: above √2 − 1, log 2 + log(1 + f) with f = (1 − e)·(−½); else f = e. The sign of f",
		"tells which, that of e = 1 too")
	f := vectors(len(e))
	one, root := constant(1), constant(math.Sqrt2-1)
	each(e, func(i int) {
		big := YMM()
		VSUBPD(e[i], one, f[i])
		VMULPD(c4(-0.5), f[i], f[i])
		VCMPPD(Imm(gtOQ), root, e[i], big)
		VBLENDVPD(big, f[i], e[i], f[i])
	})
	s, z, p := vectors(len(e)), vectors(len(e)), vectors(len(e))
	each(f, func(i int) { VADDPD(c4(2), f[i], s[i]) })
	each(f, func(i int) { VDIVPD(s[i], f[i], s[i]) })
	each(f, func(i int) { VMULPD(s[i], s[i], z[i]) })
	each(f, func(i int) { VMOVUPD(c4(logTerms[7]), p[i]) })
	for k := 6; k >= 1; k-- {
		each(f, func(i int) { VFMADD213PD(c4(logTerms[k]), z[i], p[i]) })
	}
	each(f, func(i int) { VMULPD(z[i], p[i], p[i]) })
	Comment("log = high − ((half − (s·(half + R) + low)) − f), half = f²/2; high + low = log 2 or 0")
	none := zero()
	each(f, func(i int) {
		half, low := YMM(), YMM()
		VMULPD(c4(0.5), f[i], half)
		VMULPD(f[i], half, half)
		VADDPD(half, p[i], p[i])
		VBLENDVPD(f[i], c4(ln2Low), none, low)
		VFMADD213PD(low, s[i], p[i])
		VSUBPD(p[i], half, half)
		VSUBPD(f[i], half, half)
		VBLENDVPD(f[i], c4(ln2High), none, p[i])
		VSUBPD(half, p[i], p[i])
	})
	return p
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
	blocks(n, func(c reg.Register, count int, mask reg.Register) {
		z := vectors(count)
		none := zero()
		each(z, func(i int) {
			t, v := YMM(), YMM()
			load(target, c, i, mask, t)
			load(margin, c, i, mask, z[i])
			VXORPD(c4bits(signBit), t, t)
			VMULPD(t, z[i], z[i])
			Comment("z = −t·m; value: max(0, z) for now; z: −|z|")
			VMAXPD(z[i], none, v)
			store(v, value, c, i, mask)
			VORPD(c4bits(signBit), z[i], z[i])
		})
		e := exp(z, false)

		Comment("slope: −t/(1 + e) for z > 0, where t and m differ in sign; −t·e/(1 + e) else")
		one := constant(1)
		each(e, func(i int) {
			t, q, below := YMM(), YMM(), YMM()
			load(target, c, i, mask, t)
			load(margin, c, i, mask, q)
			VXORPD(t, q, q)
			VXORPD(c4bits(signBit), t, t)
			VBLENDVPD(q, one, e[i], q)
			VADDPD(one, e[i], below)
			VDIVPD(below, q, q)
			VMULPD(t, q, q)
			store(q, slope, c, i, mask)
		})

		l := log1p(e)
		each(l, func(i int) {
			v := YMM()
			load(value, c, i, mask, v)
			VADDPD(v, l[i], l[i])
			store(l[i], value, c, i, mask)
		})
	})
	VZEROUPPER()
	RET()
}
