package ranks

import "github.com/drotrain/drotrain/internal/shard"

// Vectors of many entries are added along a tree of fixed shape over the shards: pairs of adjacent shards, pairs of
// pairs, and so on. A rank therefore only sends the sums of the largest subtrees of which it has all shards: one
// subtree if the number of ranks is a power of two, and a few otherwise.

// A subtree is the range of shards [first, first+size), where size is a power of two that divides first.
type subtree struct{ first, size int }

// subtrees returns the largest subtrees that together are the shards [first, end).
func subtrees(first, end int) (out []subtree) {
	for first < end {
		size := 1
		for first%(2*size) == 0 && first+2*size <= end {
			size *= 2
		}
		out = append(out, subtree{first, size})
		first += size
	}
	return out
}

// addSubtree stores the sum over subtree t in dst. The recursion stops at subtrees whose sums known returns.
func addSubtree(dst []float64, t subtree, count int, known func(t subtree) []float64) {
	if v := known(t); v != nil {
		copy(dst, v)
		return
	}
	half := t.size / 2
	addSubtree(dst, subtree{t.first, half}, count, known)
	if t.first+half >= count {
		return
	}
	right := make([]float64, len(dst))
	addSubtree(right, subtree{t.first + half, half}, count, known)
	for i, v := range right {
		dst[i] += v
	}
}

// SumTo stores the sum of the vectors of all shards in dst.
func (r *Rows) SumTo(dst []float64, p *shard.Partials) {
	if r == nil {
		p.SumTo(dst)
		return
	}
	r.reduceShards(dst, p, func(dst, v []float64) { copy(dst, v) }, p.Width())
}

// SumTriangleTo works like SumTo for the upper triangles of row-major d×d matrices.
func (r *Rows) SumTriangleTo(dst []float64, d int, p *shard.Partials) {
	if r == nil {
		p.SumTo(dst)
		return
	}
	packed := make([]float64, d*(d+1)/2)
	r.reduceShards(packed, p, func(dst, v []float64) {
		for i := range d {
			dst = dst[copy(dst, v[i*d+i:(i+1)*d]):]
		}
	}, len(packed))
	for i := range d {
		packed = packed[copy(dst[i*d+i:(i+1)*d], packed):]
	}
}

// reduceShards stores the sum over all shards of width entries in dst; take extracts these entries from the vector
// of a shard.
func (r *Rows) reduceShards(dst []float64, p *shard.Partials, take func(dst, v []float64), width int) {
	at, ends := map[subtree]int{}, make([]int, r.comm.Size())
	total := 0
	for rank := range ends {
		for _, t := range subtrees(r.shardsOf(rank)) {
			at[t] = total
			total += width
		}
		ends[rank] = total
	}
	all := make([]float64, total)
	own := make([]float64, p.Width())
	for _, t := range subtrees(r.shardsOf(r.comm.Rank())) {
		addSubtree(own, t, r.count, func(t subtree) []float64 {
			if t.size == 1 {
				return p.Shard(t.first)
			}
			return nil
		})
		take(all[at[t]:at[t]+width], own)
	}
	r.gather(all, ends)
	size := 1
	for size < r.count {
		size *= 2
	}
	addSubtree(dst, subtree{0, size}, r.count, func(t subtree) []float64 {
		if k, ok := at[t]; ok {
			return all[k : k+width]
		}
		return nil
	})
}
