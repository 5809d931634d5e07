// Command gen writes the AVX2 and FMA assembly of package kernel. It is a separate module, so that the product does
// not depend on avo.
package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("!purego")
	maskTables()
	for _, size := range []int{8, 4} {
		margins(size)
		addRows(size)
	}
	gram()
	many()
	exponential()
	logistic()
	reductions()
	positivePart()
	Generate()
}

// mask64 and mask32 consist of four ones and four zeros: four entries loaded from offset 4−r select r lanes.
var mask64, mask32 Mem

func maskTables() {
	mask64 = GLOBL("mask64", RODATA|NOPTR)
	for i := range 8 {
		DATA(8*i, U64(uint64(math.MaxUint64)*bit(i < 4)))
	}
	mask32 = GLOBL("mask32", RODATA|NOPTR)
	for i := range 8 {
		DATA(4*i, U32(uint32(math.MaxUint32)*uint32(bit(i < 4))))
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// constants maps the bits of the float64 numbers that the code uses to memory with four copies of each, scalars to
// memory with one.
var constants, scalars = map[uint64]Mem{}, map[uint64]Mem{}

// c4 returns the memory operand with four copies of v.
func c4(v float64) Mem { return c4bits(math.Float64bits(v)) }

func c4bits(v uint64) Mem {
	m, ok := constants[v]
	if !ok {
		m = GLOBL(fmt.Sprintf("c%016x", v), RODATA|NOPTR)
		for i := range 4 {
			DATA(8*i, U64(v))
		}
		constants[v] = m
	}
	return m
}

// c1 returns the memory operand with one copy of v.
func c1(v uint64) Mem {
	if m, ok := constants[v]; ok {
		return m
	}
	m, ok := scalars[v]
	if !ok {
		m = GLOBL(fmt.Sprintf("s%016x", v), RODATA|NOPTR)
		DATA(0, U64(v))
		scalars[v] = m
	}
	return m
}

// at returns the memory operand disp bytes after base.
func at(base reg.Register, disp int) Mem { return Mem{Base: base, Disp: disp} }

// atIdx returns the memory operand disp bytes after base + scale·index.
func atIdx(base, index reg.Register, scale uint8, disp int) Mem {
	return Mem{Base: base, Index: index, Scale: scale, Disp: disp}
}

// ptr loads the parameter called name.
func ptr(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// broadcast loads the float64 parameter called name into all lanes.
func broadcast(name string) reg.VecVirtual {
	b, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	y := YMM()
	VBROADCASTSD(b.Addr, y)
	return y
}

// zero returns a cleared register.
func zero() reg.VecVirtual {
	y := YMM()
	VXORPD(y, y, y)
	return y
}

// tailMask loads the mask of the lowest n%4 lanes for n%4 > 0, or of all four lanes for n%4 = 0. size is the size in
// bytes of an entry.
func tailMask(n reg.Register, size int) reg.VecVirtual {
	r := GP64()
	MOVQ(n, r)
	DECQ(r)
	ANDQ(Imm(3), r)
	INCQ(r)
	NEGQ(r)
	table := GP64()
	if size == 8 {
		LEAQ(mask64, table)
		m := YMM()
		VMOVUPD(atIdx(table, r, 8, 32), m)
		return m
	}
	LEAQ(mask32, table)
	m := XMM()
	VMOVUPS(atIdx(table, r, 4, 16), m)
	return m
}

// headMask loads the mask of the lowest min(left, 4) lanes, left > 0, for float64 numbers.
func headMask(left reg.Register) reg.VecVirtual {
	r, most, table, m := GP64(), GP64(), GP64(), YMM()
	MOVQ(left, r)
	MOVQ(U32(4), most)
	CMPQ(r, most)
	CMOVQGT(most, r)
	NEGQ(r)
	LEAQ(mask64, table)
	VMOVUPD(atIdx(table, r, 8, 32), m)
	return m
}

// mask64Of returns the mask of float64 numbers for a mask of entries of the given size.
func mask64Of(mask reg.VecVirtual, size int) reg.VecVirtual {
	if size == 8 {
		return mask
	}
	y := YMM()
	VPMOVSXDQ(mask, y)
	return y
}

// fmaRow adds x times four entries at m, of the given size, to acc; tail is their mask, or nil.
func fmaRow(m Mem, size int, tail, x, acc reg.Register) {
	var src Op = m
	if size == 4 || tail != nil {
		t := YMM()
		loadRow(m, size, tail, t)
		src = t
	}
	VFMADD231PD(src, x, acc)
}

// loadRow loads four entries of the given size at m as doubles into y.
func loadRow(m Mem, size int, tail reg.Register, y reg.VecVirtual) {
	switch {
	case size == 8 && tail == nil:
		VMOVUPD(m, y)
	case size == 8:
		VMASKMOVPD(m, tail, y)
	case tail == nil:
		VCVTPS2PD(m, y)
	default:
		VMASKMOVPS(m, tail, y.AsX())
		VCVTPS2PD(y.AsX(), y)
	}
}

// sumLanes adds the four lanes of y, as (0+1) + (2+3), into the lowest lane of the result.
func sumLanes(y reg.VecVirtual) reg.VecVirtual {
	h, x := YMM(), XMM()
	VHADDPD(y, y, h)
	VEXTRACTF128(Imm(1), h, x)
	VADDSD(x, h.AsX(), x)
	return x
}
