package kernel

import (
	"fmt"
	"syscall"
	"testing"
	"unsafe"
)

// guarded returns n zero entries between pages that must not be touched, against
// the later one when atEnd is set, else against the one before.
func guarded[T float32 | float64](t *testing.T, n int, atEnd bool) []T {
	t.Helper()
	var entry T
	page, bytes := syscall.Getpagesize(), n*int(unsafe.Sizeof(entry))
	inner := (bytes + page - 1) / page * page
	m, err := syscall.Mmap(-1, 0, inner+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(m) })
	for _, guard := range [][]byte{m[:page], m[page+inner:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Skip(err)
		}
	}
	if n == 0 {
		return nil
	}
	start := page
	if atEnd {
		start += inner - bytes
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&m[start])), n)
}

// No kernel reads or writes outside its slices: a fault ends the test.
func TestKernels_StayInsideTheirSlices(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, atEnd := range []bool{true, false} {
			for _, d := range columns {
				for _, n := range []int{1, 3, 4, 6, 19} {
					t.Run(fmt.Sprintf("d=%d,n=%d,%v", d, n, atEnd), func(t *testing.T) {
						v := func(n int) []float64 { return guarded[float64](t, n, atEnd) }
						X, x, u, w, p, q := v(n*d), v(d), v(n), v(n), v(n), v(n)
						X32, m, g := guarded[float32](t, n*d, atEnd), v(n), v(d*d)
						for i := range u {
							u[i], w[i], p[i] = 1, 2, 3
						}
						MarginsTo(m, X, d, x, 0, n)
						Margins32To(m, X32, d, x, 0, n)
						AddRowsTo(x, X, d, u, w, 0, n)
						AddRows32To(x, X32, d, u, w, 0, n)
						ManyMarginsTo([][]float64{m, m}, X, d, [][]float64{x, x}, 0, n)
						ManyAddRowsTo([][]float64{x, x}, X, d, [][]float64{u, w}, [][]float64{w, p}, 0, n)
						if d < 40 {
							AddGramTo(g, X, d, u, 0, n)
							AddGram32To(g, X32, d, u, 0, n)
						}
						ExpTo(m, x[:min(n, d)], 0, 1)
						LogisticTo(m, p, m, u)
						PositivePartTo(m, q, 0, 1)
						ExcessOver(q, 0)
						Max(q)
						Sum(q)
						Dot(q, w)
					})
				}
			}
		}
	})
}
