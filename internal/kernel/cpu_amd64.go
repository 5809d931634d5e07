//go:build !purego

package kernel

import "golang.org/x/sys/cpu"

// avx2 reports whether the processor and the system have AVX2 and FMA.
var avx2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA
