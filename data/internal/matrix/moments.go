package matrix

import "math"

// A Moment holds the count, mean and variation of some weighted values of a column. Moments are computed for
// stripes, which are fixed ranges of rows, and joined in the order of the rows, so that results do not depend on
// the file or the number of threads.
type Moment struct {
	N      int
	W      float64 // total weight of the values, or N if they have no weights
	Lo, Hi float64
	Off    float64 // mean − Lo, which keeps digits that the mean itself would lose
	Q      float64 // Σ ((v − mean)/(Hi − Lo))², scaled to prevent overflow
	Nulls  float64 // total weight of the nulls among the rows, if there are weights
}

// MomentOfWeighted returns the moment of finite values v with positive weights w. If w is nil, it returns
// MomentOf(v).
func MomentOfWeighted(v, w []float64) Moment {
	if w == nil {
		return MomentOf(v)
	}
	m := Moment{N: len(v)}
	if m.N == 0 {
		return m
	}
	m.Lo, m.Hi = minMax(v)
	for _, k := range w {
		m.W += k
	}
	if m.Lo == m.Hi || m.W == 0 {
		return m
	}
	for i, x := range v {
		m.Off += w[i] / m.W * (x - m.Lo)
	}
	rest := 0.0
	for i, x := range v {
		z := (x - m.Lo - m.Off) / (m.Hi - m.Lo)
		m.Q += w[i] * z * z
		rest += w[i] / m.W * z
	}
	m.Off += rest * (m.Hi - m.Lo) // add the rounding error
	return m
}

// MomentOf returns the moment of finite values.
func MomentOf(v []float64) Moment {
	m := Moment{N: len(v), W: float64(len(v))}
	if m.N == 0 {
		return m
	}
	m.Lo, m.Hi = minMax(v)
	if m.Lo == m.Hi {
		return m
	}
	n, k, lo := float64(m.N), len(v)&^3, m.Lo
	var s0, s1, s2, s3 float64
	for i := 0; i < k; i += 4 {
		w := v[i : i+4 : i+4]
		s0 += w[0] - lo
		s1 += w[1] - lo
		s2 += w[2] - lo
		s3 += w[3] - lo
	}
	for _, x := range v[k:] {
		s0 += x - lo
	}
	off := (s0 + s1 + s2 + s3) / n
	spread := m.Hi - lo
	var q0, q1, q2, q3, r0, r1, r2, r3 float64 // sums of squares, and their rounding errors
	for i := 0; i < k; i += 4 {
		w := v[i : i+4 : i+4]
		a, b, c, d := (w[0]-lo-off)/spread, (w[1]-lo-off)/spread, (w[2]-lo-off)/spread, (w[3]-lo-off)/spread
		q0, r0 = q0+a*a, r0+a
		q1, r1 = q1+b*b, r1+b
		q2, r2 = q2+c*c, r2+c
		q3, r3 = q3+d*d, r3+d
	}
	for _, x := range v[k:] {
		z := (x - lo - off) / spread
		q0, r0 = q0+z*z, r0+z
	}
	m.Off = off + (r0+r1+r2+r3)/n*spread
	m.Q = q0 + q1 + q2 + q3 // at least 1/4, compared with which the square of the remainder over n is negligible
	return m
}

func minMax(v []float64) (lo, hi float64) {
	lo, hi = v[0], v[0]
	for _, x := range v {
		if x < lo {
			lo = x
		}
		if x > hi {
			hi = x
		}
	}
	return lo, hi
}

// CountNonzero returns the number of values that are not 0, and whether all values are finite.
func CountNonzero(v []float64) (n int, finite bool) {
	var s0, s1 float64
	k := len(v) &^ 1
	for i := 0; i < k; i += 2 {
		a, b := v[i], v[i+1]
		s0 += a - a
		s1 += b - b
		if a != 0 {
			n++
		}
		if b != 0 {
			n++
		}
	}
	for _, a := range v[k:] {
		s0 += a - a
		if a != 0 {
			n++
		}
	}
	return n, s0+s1 == 0
}

// MomentOfEqual returns the moment of n equal values with the given total weight.
func MomentOfEqual(v float64, n int, weight float64) Moment {
	return Moment{N: n, W: weight, Lo: v, Hi: v}
}

// JoinMoments returns the count, mean and population standard deviation of the values of all parts, by the rule of
// Chan, Golub and LeVeque. constant reports whether all values are equal.
func JoinMoments(parts []Moment) (n int, mean, sd float64, constant bool) {
	var all Moment
	total := 0.0
	for _, p := range parts {
		switch {
		case p.N == 0:
			continue
		case all.N == 0:
			all = p
		default:
			all.Lo, all.Hi = min(all.Lo, p.Lo), max(all.Hi, p.Hi)
		}
		n += p.N
		total += p.W
	}
	if n == 0 || all.Lo == all.Hi {
		return n, all.Lo, 0, true
	}
	spread := all.Hi - all.Lo
	if all.N == n { // the part is the only one
		return n, all.Lo + all.Off, spread * math.Sqrt(all.Q/total), false
	}
	off := 0.0 // mean − lo
	for _, p := range parts {
		if p.N > 0 {
			off += p.W / total * (p.Lo - all.Lo + p.Off)
		}
	}
	squares, rest := 0.0, 0.0
	for _, p := range parts {
		if p.N == 0 {
			continue
		}
		narrow, z := (p.Hi-p.Lo)/spread, (p.Lo-all.Lo+p.Off-off)/spread
		squares += p.Q*narrow*narrow + p.W*z*z
		rest += p.W * z
	}
	rest /= total
	return n, all.Lo + (off + rest*spread), spread * math.Sqrt(squares/total), false
}
