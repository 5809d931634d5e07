package kernel

import "math"

// Max returns the largest entry of v, NaN if any entry is NaN, and −Inf if v is empty.
func Max(v []float64) float64 {
	if avx2 && len(v) >= 4 {
		return maxAVX2(&v[0], len(v))
	}
	return maxPortable(v)
}

// Sum returns the sum of v, added in an order that depends only on the length.
func Sum(v []float64) float64 {
	if avx2 && len(v) != 0 {
		return sumAVX2(&v[0], len(v))
	}
	return sumPortable(v)
}

// Dot returns Σ_i a[i]·b[i], added in an order that depends only on the length.
func Dot(a, b []float64) float64 {
	b = b[:len(a)]
	if avx2 && len(a) != 0 {
		return dotAVX2(&a[0], &b[0], len(a))
	}
	return dotPortable(a, b)
}

func maxPortable(v []float64) float64 {
	m := math.Inf(-1)
	for _, x := range v {
		m = max(m, x)
	}
	return m
}

func sumPortable(v []float64) float64 {
	var s0, s1, s2, s3 float64
	for ; len(v) >= 4; v = v[4:] {
		s0 += v[0]
		s1 += v[1]
		s2 += v[2]
		s3 += v[3]
	}
	s := (s0 + s1) + (s2 + s3)
	for _, x := range v {
		s += x
	}
	return s
}

func dotPortable(a, b []float64) float64 {
	var s0, s1, s2, s3 float64
	for ; len(a) >= 4 && len(b) >= 4; a, b = a[4:], b[4:] {
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
	}
	s := (s0 + s1) + (s2 + s3)
	for i, x := range a {
		s += x * b[i]
	}
	return s
}

// DotAbs returns Σ a[i]·|b[i]|, added in an order that depends only on the length.
func DotAbs(a, b []float64) float64 {
	var s0, s1, s2, s3 float64
	b = b[:len(a)]
	for ; len(a) >= 4 && len(b) >= 4; a, b = a[4:], b[4:] {
		s0 += a[0] * math.Abs(b[0])
		s1 += a[1] * math.Abs(b[1])
		s2 += a[2] * math.Abs(b[2])
		s3 += a[3] * math.Abs(b[3])
	}
	for i, v := range a {
		s0 += v * math.Abs(b[i])
	}
	return (s0 + s1) + (s2 + s3)
}
