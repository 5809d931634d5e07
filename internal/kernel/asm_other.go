//go:build !amd64 || purego

package kernel

// There is no assembly: the compiler removes the calls below, since avx2 is constant.
const avx2 = false

func margins64AVX2(dst, X *float64, d int, x *float64, n, apart int) { panic("kernel: no AVX2") }
func margins32AVX2(dst *float64, X *float32, d int, x *float64, n, apart int) {
	panic("kernel: no AVX2")
}

func addRows64AVX2(dst, X *float64, d int, u, v *float64, n, apart int) { panic("kernel: no AVX2") }
func addRows32AVX2(dst *float64, X *float32, d int, u, v *float64, n, apart int) {
	panic("kernel: no AVX2")
}

func expAVX2(dst, src *float64, shift, scale float64, n int) (sum float64) { panic("kernel: no AVX2") }
func logisticAVX2(value, slope, margin, target *float64, n int)            { panic("kernel: no AVX2") }

func maxAVX2(v *float64, n int) float64    { panic("kernel: no AVX2") }
func sumAVX2(v *float64, n int) float64    { panic("kernel: no AVX2") }
func dotAVX2(a, b *float64, n int) float64 { panic("kernel: no AVX2") }

func positivePartAVX2(dst, src *float64, shift, scale float64, n int) (sum float64, count int) {
	panic("kernel: no AVX2")
}
func excessAVX2(src *float64, shift float64, n int) (sum float64, count int) {
	panic("kernel: no AVX2")
}

func gramPack64AVX2(a, b, X *float64, d int, offset *int, w *float64, k, capacity int) {
	panic("kernel: no AVX2")
}
func gramPack32AVX2(a, b *float64, X *float32, d int, offset *int, w *float64, k, capacity int) {
	panic("kernel: no AVX2")
}
func gramTile12AVX2(a, b *float64, k, capacity int, c *float64, stride int) { panic("kernel: no AVX2") }
func gramTile8AVX2(a, b *float64, k, capacity int, c *float64, stride int)  { panic("kernel: no AVX2") }
func gramTile4AVX2(a, b *float64, k, capacity int, c *float64, stride int)  { panic("kernel: no AVX2") }
func manyAVX2(a *float64, step, next int, b *float64, row, n int, c *float64, stride int) {
	panic("kernel: no AVX2")
}
