package tiles

import "math"

// A Moment sums up some values of a column. Moments are taken of stripes of the
// table, which are fixed rows whatever the file and the number of threads, and
// then joined in the order of the rows, so that the bits of mean and deviation
// depend on the values and their rows alone.
type Moment struct {
	n      int
	lo, hi float64
	off    float64 // mean − lo, which has digits left where the mean itself has none
	q      float64 // Σ ((v − mean)/(hi − lo))²: the scaling keeps squares from overflow
}

// MomentOf takes the moment of values that are all finite. Both passes find
// them in the cache.
func MomentOf(v []float64) Moment {
	m := Moment{n: len(v)}
	if m.n == 0 {
		return m
	}
	m.lo, m.hi = extremes(v)
	if m.lo == m.hi {
		return m
	}
	var s [4]float64
	k := len(v) &^ 3
	for i := 0; i < k; i += 4 {
		w := v[i : i+4 : i+4]
		s[0] += w[0] - m.lo
		s[1] += w[1] - m.lo
		s[2] += w[2] - m.lo
		s[3] += w[3] - m.lo
	}
	for _, x := range v[k:] {
		s[0] += x - m.lo
	}
	n := float64(m.n)
	off := (s[0] + s[1] + s[2] + s[3]) / n
	spread := m.hi - m.lo
	var squares, rest [4]float64
	for i := 0; i < k; i += 4 {
		w := v[i : i+4 : i+4]
		a, b, c, d := (w[0]-m.lo-off)/spread, (w[1]-m.lo-off)/spread, (w[2]-m.lo-off)/spread, (w[3]-m.lo-off)/spread
		squares[0] += a * a
		squares[1] += b * b
		squares[2] += c * c
		squares[3] += d * d
		rest[0] += a
		rest[1] += b
		rest[2] += c
		rest[3] += d
	}
	for _, x := range v[k:] {
		z := (x - m.lo - off) / spread
		squares[0] += z * z
		rest[0] += z
	}
	left := rest[0] + rest[1] + rest[2] + rest[3]
	m.off = off + left/n*spread                             // what rounding left
	m.q = squares[0] + squares[1] + squares[2] + squares[3] // a quarter at least, beside which left²/n is nothing
	return m
}

func extremes(v []float64) (lo, hi float64) {
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

// Finite says that no value is NaN or infinite.
func Finite(v []float64) bool {
	s := 0.0
	for _, x := range v {
		s += x - x
	}
	return s == 0
}

// MomentOfEqual is the moment of n times the same value.
func MomentOfEqual(v float64, n int) Moment { return Moment{n: n, lo: v, hi: v} }

// momentNumbers is the length of a Moment as numbers.
const momentNumbers = 5

// AppendMoments writes moments as numbers.
func AppendMoments(v []float64, parts []Moment) []float64 {
	for _, m := range parts {
		v = append(v, float64(m.n), m.lo, m.hi, m.off, m.q)
	}
	return v
}

// MomentsOf reads them.
func MomentsOf(v []float64) []Moment {
	parts := make([]Moment, 0, len(v)/momentNumbers)
	for ; len(v) > 0; v = v[momentNumbers:] {
		parts = append(parts, Moment{int(v[0]), v[1], v[2], v[3], v[4]})
	}
	return parts
}

// JoinMoments gives count, mean and population standard deviation of the values of all
// parts, by the rule of Chan, Golub and LeVeque.
func JoinMoments(parts []Moment) (n int, mean, sd float64, constant bool) {
	var all Moment
	for _, p := range parts {
		switch {
		case p.n == 0:
			continue
		case all.n == 0:
			all = p
		default:
			all.lo, all.hi = min(all.lo, p.lo), max(all.hi, p.hi)
		}
		n += p.n
	}
	if n == 0 || all.lo == all.hi {
		return n, all.lo, 0, true
	}
	spread := all.hi - all.lo
	if all.n == n { // one part alone
		return n, all.lo + all.off, spread * math.Sqrt(all.q/float64(n)), false
	}
	off := 0.0 // mean − lo
	for _, p := range parts {
		if p.n > 0 {
			off += float64(p.n) / float64(n) * (p.lo - all.lo + p.off)
		}
	}
	squares, rest := 0.0, 0.0
	for _, p := range parts {
		if p.n == 0 {
			continue
		}
		narrow, z := (p.hi-p.lo)/spread, (p.lo-all.lo+p.off-off)/spread
		squares += p.q*narrow*narrow + float64(p.n)*z*z
		rest += float64(p.n) * z
	}
	rest /= float64(n)
	return n, all.lo + (off + rest*spread), spread * math.Sqrt(squares/float64(n)), false
}

// MeanDeviation gives mean and population standard deviation of values.
func MeanDeviation(v []float64) (mean, sd float64, constant bool) {
	var parts []Moment
	for len(v) > 0 {
		k := min(StripeRows, len(v))
		parts = append(parts, MomentOf(v[:k]))
		v = v[k:]
	}
	_, mean, sd, constant = JoinMoments(parts)
	return mean, sd, constant
}
