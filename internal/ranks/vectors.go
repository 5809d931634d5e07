package ranks

// A vector with one entry for each row is as long as the number of rows of all ranks, but each rank only has the
// entries of its own rows. The functions below are collective calls; a nil vector yields nil.

// GatherAt returns, for each vector, its entries at the given rows.
func GatherAt[T number](rows *Rows, at []int, of ...[]T) [][]T {
	var all []float64
	for _, v := range of {
		if v == nil {
			continue
		}
		lo, hi := rows.LocalRange(len(v))
		for _, j := range at {
			x := 0.0
			if j >= lo && j < hi {
				x = float64(v[j])
			}
			all = append(all, x)
		}
	}
	rows.Comm().Sum(all) // each sum has one term that is not zero
	values, out := convertTo[T](all), make([][]T, len(of))
	for i, v := range of {
		if v != nil {
			out[i], values = values[:len(at):len(at)], values[len(at):]
		}
	}
	return out
}

// travelling is the maximum number of entries sent to rank 0 at a time.
const travelling = 1 << 20

// GatherToRoot returns the entries of all ranks on rank 0, and nil on the other ranks.
func GatherToRoot[T number](rows *Rows, v []T) (all []T) {
	if v == nil {
		return nil
	}
	c := rows.Comm()
	if c.Rank() == 0 {
		all = make([]T, len(v))
	}
	lo, hi := rows.LocalRange(len(v))
	GatherRanksToRoot(c, all, v[lo:hi], RankEnds(c, hi-lo))
	return all
}

// GatherRanksToRoot stores the parts of all ranks (own on this one) in all on rank 0, where the part of rank r ends
// at ends[r]. Parts are sent in pieces; on other ranks all is not used.
func GatherRanksToRoot[T number](c Comm, all, own []T, ends []int) {
	size, rank := c.Size(), c.Rank()
	first, longest := make([]int, size), 0
	for r := range first {
		if r > 0 {
			first[r] = ends[r-1]
		}
		longest = max(longest, ends[r]-first[r])
	}
	step := max(1, min(longest, travelling/size))
	part, to := make([]float64, step*size), make([]int, size)
	for from := 0; from < longest; from += step {
		span := func(r int) (lo, hi int) {
			return min(first[r]+from, ends[r]), min(first[r]+from+step, ends[r])
		}
		total := 0
		for r := range to {
			lo, hi := span(r)
			total += hi - lo
			to[r] = total
		}
		lo, hi := span(rank)
		for k, x := range own[lo-first[rank] : hi-first[rank]] {
			part[to[rank]-(hi-lo)+k] = float64(x)
		}
		c.Gather(part[:total], to)
		if rank > 0 {
			continue
		}
		for r, end := range to {
			lo, hi := span(r)
			for k, x := range part[end-(hi-lo) : end] {
				all[lo+k] = T(x)
			}
		}
	}
}

func convertTo[T number](all []float64) []T {
	if of, ok := any(all).([]T); ok {
		return of
	}
	out := make([]T, len(all))
	for k, x := range all {
		out[k] = T(x)
	}
	return out
}
