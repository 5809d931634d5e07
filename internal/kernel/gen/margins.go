package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// smallBlocks is the maximum number of blocks of four columns for which the vector that is multiplied by every row
// stays in registers. With 4 instead of 8, the assembly would be a third shorter, but rows of 17 to 32 columns
// would take 1.04 to 1.1 times as long from memory, and 1.2 to 3.8 times as long from the cache.
const smallBlocks = 8

// margins writes the dot products of rows with x, for four distant rows at a time.
func margins(size int) {
	float := map[int]string{8: "float64", 4: "float32"}[size]
	TEXT(fmt.Sprintf("margins%dAVX2", size*8), NOSPLIT,
		fmt.Sprintf("func(dst *float64, X *%s, d int, x *float64, n int)", float))
	Doc(fmt.Sprintf("margins%dAVX2 stores X[i]·x in dst[i] for the n > 0 rows of d > 0 columns.", size*8))
	Pragma("noescape")

	D, R0, d, x, n := ptr("dst"), ptr("X"), ptr("d"), ptr("x"), ptr("n")
	Comment("rb: bytes of a row; q8: bytes of a quarter of dst; rows R0 to R3")
	rb, q, q8, q24 := GP64(), GP64(), GP64(), GP64()
	MOVQ(d, rb)
	SHLQ(Imm(uint64(map[int]int{8: 3, 4: 2}[size])), rb)
	MOVQ(n, q)
	SHRQ(Imm(2), q)
	MOVQ(q, q8)
	SHLQ(Imm(3), q8)
	LEAQ(atIdx(q8, q8, 2, 0), q24)
	ANDQ(Imm(3), n)
	R := [4]reg.GPVirtual{R0, GP64(), GP64(), GP64()}
	stream := GP64()
	MOVQ(q, stream)
	IMULQ(rb, stream)
	for r := 1; r < 4; r++ {
		LEAQ(atIdx(R[r-1], stream, 1, 0), R[r])
	}
	for b := 1; b <= smallBlocks; b++ {
		CMPQ(d, Imm(uint64(4*b)))
		JLE(LabelRef(fmt.Sprintf("small%d", b)))
	}
	dst := [4]Mem{at(D, 0), atIdx(D, q8, 1, 0), atIdx(D, q8, 2, 0), atIdx(D, q24, 1, 0)}

	large(size, d, x, n, q, q24, rb, D, R, dst)
	for b := 1; b <= smallBlocks; b++ {
		small(b, size, d, x, n, q, q24, rb, D, R, dst)
	}
}

// small writes the loop for d in (4(b−1), 4b], in which x stays in b registers.
func small(b, size int, d, x, n, q, q24, rb, D reg.GPVirtual, R [4]reg.GPVirtual, dst [4]Mem) {
	Label(fmt.Sprintf("small%d", b))
	mask := tailMask(d, size, true)
	xs := make([]reg.VecVirtual, b)
	for j := range xs {
		xs[j] = YMM()
		if j < b-1 {
			VMOVUPD(at(x, 32*j), xs[j])
		} else {
			VMASKMOVPD(at(x, 32*j), tailMask(d, 8, true), xs[j])
		}
	}
	row := func(r reg.Register, acc reg.Register, j int) {
		var tail reg.Register
		if j == b-1 {
			tail = mask
		}
		fmaRow(at(r, 4*size*j), size, tail, xs[j], acc, j == 0)
	}
	four, rest, done := fmt.Sprintf("small%d_four", b), fmt.Sprintf("small%d_rest", b), fmt.Sprintf("small%d_done", b)

	TESTQ(q, q)
	JZ(LabelRef(rest))
	Label(four)
	var acc [4]reg.VecVirtual
	for r := range acc {
		acc[r] = YMM()
	}
	for j := range b {
		for r := range 4 {
			row(R[r], acc[r], j)
		}
	}
	for r := range 4 {
		ADDQ(rb, R[r])
	}
	storeFour(acc, dst)
	ADDQ(Imm(8), D)
	DECQ(q)
	JNZ(LabelRef(four))

	Comment("The last n%4 rows, one by one")
	Label(rest)
	ADDQ(q24, D)
	TESTQ(n, n)
	JZ(LabelRef(done))
	Label(rest + "_row")
	a := YMM()
	for j := range b {
		row(R[3], a, j)
	}
	ADDQ(rb, R[3])
	VMOVSD(sumLanes(a).AsX(), at(D, 0))
	ADDQ(Imm(8), D)
	DECQ(n)
	JNZ(LabelRef(rest + "_row"))
	Label(done)
	VZEROUPPER()
	RET()
}

// large writes the loop for longer rows: eight columns at a time, with two sums for each row.
func large(size int, d, x, n, q, q24, rb, D reg.GPVirtual, R [4]reg.GPVirtual, dst [4]Mem) {
	xScale := uint8(8 / size)
	mask := tailMask(d, size, true)
	xMask := tailMask(d, 8, true)
	Comment("end: bytes of the columns before the last, masked, one to four; full: those in pairs of blocks")
	end, full := GP64(), GP64()
	LEAQ(at(d, -1), end)
	ANDQ(I8(-4), end)
	MOVQ(end, full)
	ANDQ(I8(-8), full)
	SHLQ(Imm(uint64(map[int]int{8: 3, 4: 2}[size])), end)
	SHLQ(Imm(uint64(map[int]int{8: 3, 4: 2}[size])), full)

	// body adds the products of the rows with x to a and b, for even and odd blocks. The order in which the sum
	// of a row is added does not depend on the number of rows.
	body := func(name string, rows []reg.GPVirtual) (a []reg.VecVirtual) {
		var b []reg.VecVirtual
		for range rows {
			a, b = append(a, zero()), append(b, zero())
		}
		c := GP64()
		XORQ(c, c)
		Label(name + "_columns")
		x0, x1 := YMM(), YMM()
		VMOVUPD(atIdx(x, c, xScale, 0), x0)
		VMOVUPD(atIdx(x, c, xScale, 32), x1)
		for r, p := range rows {
			fmaRow(atIdx(p, c, 1, 0), size, nil, x0, a[r], false)
		}
		for r, p := range rows {
			fmaRow(atIdx(p, c, 1, 4*size), size, nil, x1, b[r], false)
		}
		ADDQ(Imm(uint64(8*size)), c)
		CMPQ(c, full)
		JL(LabelRef(name + "_columns"))
		CMPQ(c, end)
		JGE(LabelRef(name + "_tail"))
		VMOVUPD(atIdx(x, c, xScale, 0), x0)
		for r, p := range rows {
			fmaRow(atIdx(p, c, 1, 0), size, nil, x0, a[r], false)
		}
		Label(name + "_tail")
		VMASKMOVPD(atIdx(x, end, xScale, 0), xMask, x0)
		for r, p := range rows {
			fmaRow(atIdx(p, end, 1, 0), size, mask, x0, b[r], false)
		}
		for r := range rows {
			VADDPD(b[r], a[r], a[r])
			ADDQ(rb, rows[r])
		}
		return a
	}

	TESTQ(q, q)
	JZ(LabelRef("rest"))
	Label("four")
	storeFour([4]reg.VecVirtual(body("four", R[:])), dst)
	ADDQ(Imm(8), D)
	DECQ(q)
	JNZ(LabelRef("four"))

	Comment("The last n%4 rows, one by one")
	Label("rest")
	ADDQ(q24, D)
	TESTQ(n, n)
	JZ(LabelRef("done"))
	Label("rest_row")
	VMOVSD(sumLanes(body("rest", R[3:])[0]).AsX(), at(D, 0))
	ADDQ(Imm(8), D)
	DECQ(n)
	JNZ(LabelRef("rest_row"))
	Label("done")
	VZEROUPPER()
	RET()
}

// storeFour stores the sums of the lanes of four registers, each added as (0+1) + (2+3).
func storeFour(acc [4]reg.VecVirtual, dst [4]Mem) {
	low, high := YMM(), YMM()
	VHADDPD(acc[1], acc[0], low)
	VHADDPD(acc[3], acc[2], high)
	cross := YMM()
	VPERM2F128(Imm(0x21), high, low, cross)
	VBLENDPD(Imm(0x0c), high, low, low)
	VADDPD(cross, low, low)
	VMOVLPD(low.AsX(), dst[0])
	VMOVHPD(low.AsX(), dst[1])
	x := XMM()
	VEXTRACTF128(Imm(1), low, x)
	VMOVLPD(x, dst[2])
	VMOVHPD(x, dst[3])
}
