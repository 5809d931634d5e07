package side

import (
	"cmp"
	"math"
	"slices"
)

// A selection is a quantile being selected: the samples that may have it, and what is known of the
// others.
type selection struct {
	*reference
	f      []float64
	kept   [][]int32 // by shard: the candidates; nil: all samples
	above  float64   // the weight of the losses above the candidates
	target float64   // the weight that is asked for, less the rounding of sums
}

// quantile returns the largest τ such that losses of at least τ have this share of the weight, or
// NaN where no sample has weight; and the shares of the losses above τ and equal to τ. It narrows the
// candidates to the losses between two of a sample of them, until they are few or equal: about one
// reading of the losses, whatever the number of threads or ranks.
func (r *reference) quantile(f []float64, share float64) (tau, above, ties float64) {
	const rounding = 1e-12                  // of a share
	few := min(1<<12, max(1<<8, len(f)/16)) // candidates that are sorted
	s := &selection{reference: r, f: f, target: share * r.total * (1 - rounding)}
	shards := r.rows.Shards(len(f))
	for narrow := true; ; {
		lo, hi, ok := s.bracket(max(4, few/shards), narrow)
		if !ok {
			return math.NaN(), s.above / r.total, 0
		}
		p := s.partition(lo, hi)
		switch {
		case s.above+p.above >= s.target:
			p = s.partition(math.Nextafter(hi, math.Inf(1)), math.Inf(1))
		case s.above+p.above+p.within < s.target && !math.IsInf(lo, -1):
			if below := s.partition(math.Inf(-1), math.Nextafter(lo, math.Inf(-1))); below.count > 0 {
				p = below
			}
		}
		s.above += p.above
		if p.least == p.most {
			return p.least, s.above / r.total, p.within / r.total
		}
		narrow = p.count <= p.before/2
		s.kept = p.kept
		if p.largest <= max(4, few/shards) {
			return s.sorted(p.largest)
		}
	}
}

// bracket returns two losses that the quantile is likely to lie between, by a sample of at most
// count candidates of every shard: the same loss twice unless narrow. It reports false where no
// candidate has weight.
func (s *selection) bracket(count int, narrow bool) (lo, hi float64, ok bool) {
	sample := s.gather(count, false)
	if len(sample) == 0 {
		return 0, 0, false
	}
	slices.SortFunc(sample, func(a, b [2]float64) int { return cmp.Compare(b[0], a[0]) })
	mass, squares := 0.0, 0.0
	for _, v := range sample {
		mass += v[1]
		squares += v[1] * v[1]
	}
	spread := 0.0
	if narrow {
		const deviations = 4
		p := min(1, max(0, (s.target-s.above)/mass))
		spread = deviations*math.Sqrt(p*(1-p)*squares) + squares/mass
	}
	at := func(target float64) float64 { // the loss at which the sample has this weight
		sum := 0.0
		for _, v := range sample {
			if sum += v[1]; sum >= target {
				return v[0]
			}
		}
		return sample[len(sample)-1][0]
	}
	lo, hi = at(s.target-s.above+spread), at(s.target-s.above-spread)
	if narrow && s.target-s.above-spread <= 0 {
		hi = math.Inf(1)
	}
	if narrow && s.target-s.above+spread >= mass {
		lo = math.Inf(-1)
	}
	return lo, hi, true
}

// A part is what partition found.
type part struct {
	above, within  float64 // weights of the candidates above and within the bracket
	least, most    float64 // losses within
	count, largest int     // candidates within, of all shards and of the largest shard
	before         int     // candidates before
	kept           [][]int32
}

// partition keeps the candidates with a loss in [lo, hi] and a weight.
func (s *selection) partition(lo, hi float64) (p part) {
	const numbers = 6
	shards := s.rows.Shards(len(s.f))
	sums := make([][numbers]float64, shards)
	p.kept = make([][]int32, shards)
	s.rows.Run(len(s.f), func(k, first, end int) {
		var above, within float64
		least, most := math.Inf(1), math.Inf(-1)
		kept, before := []int32(nil), end-first
		add := func(j int, v float64) {
			if w := s.at(j); w > 0 {
				within += w
				least, most = min(least, v), max(most, v)
				kept = append(kept, int32(j))
			}
		}
		switch {
		case s.kept != nil:
			before = len(s.kept[k])
			for _, j := range s.kept[k] {
				if v := s.f[j]; v > hi {
					above += s.at(int(j))
				} else if v >= lo {
					add(int(j), v)
				}
			}
		case s.w == nil:
			count := 0
			for j, v := range s.f[first:end] {
				if v > hi {
					count++
				} else if v >= lo {
					add(first+j, v)
				}
			}
			above = float64(count)
		default:
			for j, v := range s.f[first:end] {
				if v > hi {
					above += s.w[first+j]
				} else if v >= lo {
					add(first+j, v)
				}
			}
		}
		p.kept[k] = kept
		sums[k] = [numbers]float64{above, within, least, most, float64(len(kept)), float64(before)}
	})
	s.rows.ShareEach(numbers, func(k int) []float64 { return sums[k][:] })
	p.least, p.most = math.Inf(1), math.Inf(-1)
	for _, v := range sums {
		p.above += v[0]
		p.within += v[1]
		p.least, p.most = min(p.least, v[2]), max(p.most, v[3])
		p.count += int(v[4])
		p.largest = max(p.largest, int(v[4]))
		p.before += int(v[5])
	}
	return p
}

// gather returns the losses and weights of up to count candidates of every shard, evenly spread;
// where not every one is taken, each with the weight of those that it stands for.
func (s *selection) gather(count int, all bool) (out [][2]float64) {
	shards := s.rows.Shards(len(s.f))
	width := 1 + 2*count
	flat := make([]float64, shards*width)
	s.rows.Run(len(s.f), func(k, first, end int) {
		own, n := flat[k*width:(k+1)*width], end-first
		if s.kept != nil {
			n = len(s.kept[k])
		}
		take := min(n, count)
		for i := range take {
			j := first + i*n/take
			if s.kept != nil {
				j = int(s.kept[k][i*n/take])
			}
			if w, v := s.at(j), s.f[j]; w > 0 && v == v {
				at := 1 + 2*int(own[0])
				own[at], own[at+1] = v, w*float64(n)/float64(take)
				own[0]++
			}
		}
		if own[0] > 0 || all {
			return
		}
		for i := range n { // no weight in the sample: take the first there is
			j := first + i
			if s.kept != nil {
				j = int(s.kept[k][i])
			}
			if w, v := s.at(j), s.f[j]; w > 0 && v == v {
				own[0], own[1], own[2] = 1, v, w
				return
			}
		}
	})
	s.rows.ShareEach(width, func(k int) []float64 { return flat[k*width : (k+1)*width] })
	for ; len(flat) > 0; flat = flat[width:] {
		for i := range int(flat[0]) {
			out = append(out, [2]float64{flat[1+2*i], flat[2+2*i]})
		}
	}
	return out
}

// sorted returns the quantile from the candidates, at most count in every shard.
func (s *selection) sorted(count int) (tau, above, ties float64) {
	all := s.gather(count, true)
	slices.SortFunc(all, func(a, b [2]float64) int { return cmp.Compare(b[0], a[0]) })
	above = s.above
	for k := 0; k < len(all); {
		tau, ties = all[k][0], 0
		for ; k < len(all) && all[k][0] == tau; k++ {
			ties += all[k][1]
		}
		if above+ties >= s.target || k == len(all) {
			break
		}
		above += ties
	}
	return tau, above / s.total, ties / s.total
}
