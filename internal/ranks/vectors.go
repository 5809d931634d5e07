package ranks

// A vector of one entry a row is as long as the rows of all ranks, and each has the entries of
// its own rows. What follows are collective calls, exact for float64 and for whole numbers
// below 2⁵³; nil is of nil.

// At returns the entries of v at some rows, with whatever rank these are.
func At[T int | int32 | float64](rows *Rows, v []T, at []int) []T {
	if v == nil {
		return nil
	}
	lo, hi := rows.Here(len(v))
	all := make([]float64, len(at))
	for k, j := range at {
		if j >= lo && j < hi {
			all[k] = float64(v[j])
		}
	}
	rows.Comm().Sum(all) // each has one term that is not zero
	return as[T](all)
}

// travelling is how many entries are on their way to rank 0 at a time.
const travelling = 1 << 20

// First gives rank 0 the entries of all ranks, some of each at a time; the others have nil.
func First[T int | int32 | float64](rows *Rows, v []T) (all []T) {
	if v == nil {
		return nil
	}
	c := rows.Comm()
	size, rank := c.Size(), c.Rank()
	if rank == 0 {
		all = make([]T, len(v))
	}
	longest := 0
	for r := range size {
		lo, hi := rows.Bounds(len(v), r)
		longest = max(longest, hi-lo)
	}
	step := max(1, min(longest, travelling/size))
	part, ends := make([]float64, step*size), make([]int, size)
	for from := 0; from < longest; from += step {
		span := func(r int) (lo, hi int) {
			first, end := rows.Bounds(len(v), r)
			return min(first+from, end), min(first+from+step, end)
		}
		total := 0
		for r := range ends {
			lo, hi := span(r)
			total += hi - lo
			ends[r] = total
		}
		lo, hi := span(rank)
		for k, x := range v[lo:hi] {
			part[ends[rank]-(hi-lo)+k] = float64(x)
		}
		c.Gather(part[:total], ends)
		if rank > 0 {
			continue
		}
		for r, end := range ends {
			lo, hi := span(r)
			for k, x := range part[end-(hi-lo) : end] {
				all[lo+k] = T(x)
			}
		}
	}
	return all
}

func as[T int | int32 | float64](all []float64) []T {
	if of, ok := any(all).([]T); ok {
		return of
	}
	out := make([]T, len(all))
	for k, x := range all {
		out[k] = T(x)
	}
	return out
}
