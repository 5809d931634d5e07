package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func positivePart() {
	// excess stores v − shift in x and counts the lanes in which it is positive.
	excess := func(x, shift, count reg.VecVirtual, mask reg.Register) {
		above := YMM()
		VCMPPD(Imm(gtOQ), shift, x, above)
		keep(mask, above)
		VPSUBQ(above, count, count)
		VSUBPD(shift, x, x)
	}
	// finish returns the sum and the sum of the lanes of count.
	finish := func(sum, count reg.VecVirtual) {
		s, c := sumLanes(sum), XMM()
		VEXTRACTI128(Imm(1), count, c)
		VPADDQ(c, count.AsX(), c)
		low, high := GP64(), GP64()
		VMOVQ(c, low)
		VPEXTRQ(Imm(1), c, high)
		ADDQ(high, low)
		Store(low, ReturnIndex(1))
		result(s)
	}

	TEXT("positivePartAVX2", NOSPLIT, "func(dst, src *float64, shift, scale float64, n int) (sum float64, count int)")
	Doc("positivePartAVX2 stores max(0, (src[i] − shift)/scale) in dst[i] for n > 0 entries; it returns",
		"their sum and the number of entries above shift.")
	Pragma("noescape")
	dst, src, n := ptr("dst"), ptr("src"), ptr("n")
	shift, scale, sum, count, none := broadcast("shift"), broadcast("scale"), zero(), zero(), zero()
	blocks(n, func(c reg.Register, vectors int, mask reg.Register) {
		for i := range vectors {
			x := YMM()
			load(src, c, i, mask, x)
			excess(x, shift, count, mask)
			VDIVPD(scale, x, x)
			VMAXPD(x, none, x)
			store(x, dst, c, i, mask)
			keep(mask, x)
			VADDPD(x, sum, sum)
		}
	})
	finish(sum, count)

	TEXT("excessAVX2", NOSPLIT, "func(src *float64, shift float64, n int) (sum float64, count int)")
	Doc("excessAVX2 returns Σ max(0, src[i] − shift) over n > 0 entries and the number of entries above shift.")
	Pragma("noescape")
	src, n = ptr("src"), ptr("n")
	shift, none = broadcast("shift"), zero()
	acc, counts := four(), four()
	reduce(n, func(k int, c, mask reg.Register) {
		x := YMM()
		load(src, c, 0, mask, x)
		excess(x, shift, counts[k], mask)
		VMAXPD(x, none, x)
		keep(mask, x)
		VADDPD(x, acc[k], acc[k])
	})
	VPADDQ(counts[1], counts[0], counts[0])
	VPADDQ(counts[3], counts[2], counts[2])
	VPADDQ(counts[2], counts[0], counts[0])
	VADDPD(acc[1], acc[0], acc[0])
	VADDPD(acc[3], acc[2], acc[2])
	VADDPD(acc[2], acc[0], acc[0])
	finish(acc[0], counts[0])
}
