package numeral

import (
	"slices"
	"sort"
)

// SortEntries sorts the entries of a row by index, and reports whether every index occurs only once.
func SortEntries(index []int32, value []float64) (distinct bool) {
	if !slices.IsSorted(index) {
		sort.Sort(&entries{index, value})
	}
	for k := 1; k < len(index); k++ {
		if index[k] == index[k-1] {
			return false
		}
	}
	return true
}

// entries implements sort.Interface for the entries of a row.
type entries struct {
	index []int32
	value []float64
}

func (e *entries) Len() int { return len(e.index) }

func (e *entries) Less(i, j int) bool { return e.index[i] < e.index[j] }

func (e *entries) Swap(i, j int) {
	e.index[i], e.index[j] = e.index[j], e.index[i]
	e.value[i], e.value[j] = e.value[j], e.value[i]
}
