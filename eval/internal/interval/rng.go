package interval

import "math/rand/v2"

// RNG is the SplitMix64 generator. Its period is 2⁶⁴, it passes BigCrush, and a number takes only a few
// instructions.
type RNG uint64

func mixBits(z uint64) uint64 {
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// NewRNG returns a generator whose stream is determined by seed and part.
func NewRNG(seed uint64, part ...uint64) RNG {
	for _, p := range part {
		seed = mixBits(seed+0x9e3779b97f4a7c15) ^ mixBits(p*0x9e3779b97f4a7c15+0xd1b54a32d192ed03)
	}
	return RNG(mixBits(seed))
}

// Uint64 implements rand.Source.
func (r *RNG) Uint64() uint64 {
	*r += 0x9e3779b97f4a7c15
	return mixBits(uint64(*r))
}

// IntBelow returns a uniformly distributed integer in [0, n), without bias, by Lemire's method.
func (r *RNG) IntBelow(n uint32) uint32 {
	for {
		x := r.Uint64()
		m := uint64(uint32(x)) * uint64(n)
		if low := uint32(m); low >= n || low >= -n%n {
			return uint32(m >> 32)
		}
	}
}

// FillNormals fills z with independent standard normal numbers.
func (r *RNG) FillNormals(z []float64) {
	g := rand.New(r)
	for i := range z {
		z[i] = g.NormFloat64()
	}
}
