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

// Completed returns v with the entries of all ranks.
func Completed[T int | int32 | float64](rows *Rows, v []T) []T {
	if v == nil {
		return nil
	}
	all, ends := make([]float64, len(v)), make([]int, rows.Comm().Size())
	for rank := range ends {
		_, ends[rank] = rows.Bounds(len(v), rank)
		if rank > 0 {
			ends[rank] = max(ends[rank], ends[rank-1])
		}
	}
	lo, hi := rows.Here(len(v))
	for j, x := range v[lo:hi] {
		all[lo+j] = float64(x)
	}
	rows.Comm().Gather(all, ends)
	return as[T](all)
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
