package score

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strconv"
)

// entries holds the entries of a sparse vector at indices that have a weight. An index is given by its rank among the
// indices with a weight; ranks ascend.
type entries struct {
	rank  []int
	value []float64
}

// vectorCell returns the cell of a sparse vector, which is a map[int]float64 from index to entry, a map[string]any from
// the index as text (as JSON objects are decoded), or a []float64 with an entry for every index from 0 on. Entries
// at indices without a weight are omitted, which is noted in the cell.
func (t *scoredTerm) vectorCell(value any) (cell, error) {
	var places []int
	at := map[int]float64{}
	switch v := value.(type) {
	case map[int]float64:
		at = v
	case []float64:
		for place, x := range v {
			if x != 0 {
				at[place] = x
			}
		}
	case map[string]any:
		for name, x := range v {
			place, err := strconv.Atoi(name)
			if err != nil {
				return cell{}, t.newError("%q is not an index of an entry: an index is a whole number ≥ 0", name)
			}
			number, ok := x.(float64)
			if of, is := x.(json.Number); is {
				number, err = of.Float64()
				ok = err == nil
			}
			if !ok {
				return cell{}, t.newError("the entry at index %d is %v, which is not a number", place, x)
			}
			at[place] = number
		}
	default:
		return cell{}, t.newError(
			"the value is %v, but the training table had sparse vectors: pass a map[int]float64 from index to entry, or a "+
				"[]float64 whose first entry has index 0",
			value)
	}
	for place := range at {
		places = append(places, place)
	}
	sort.Ints(places) // sums are always taken in the same order
	c := cell{entries: &entries{}}
	for _, place := range places {
		x := at[place]
		k, known := slices.BinarySearch(t.Places, place)
		switch {
		case place < 0:
			return cell{}, t.newError("the index %d is negative: indices begin at 0", place)
		case !finite(x):
			return cell{}, t.newError("the entry at index %d is %v; entries must be finite numbers", place, x)
		case known:
			c.entries.rank, c.entries.value = append(c.entries.rank, k), append(c.entries.value, x)
		case x != 0:
			c.note = Unseen
		}
	}
	return c, nil
}

// sumOf returns the contribution of the entries of a vector to the margin.
func (t *scoredTerm) sumOf(e *entries) (sum float64) {
	for i, k := range e.rank {
		sum += t.Weights[k] * e.value[i]
	}
	return sum
}

// validatePlaces returns an error if the term of a vector is invalid.
func (t *Term) validatePlaces() error {
	if len(t.Places) != len(t.Weights) {
		return fmt.Errorf("the vector term has %d indices, but %d weights", len(t.Places), len(t.Weights))
	}
	for k, p := range t.Places {
		if p < 0 || k > 0 && p <= t.Places[k-1] {
			return fmt.Errorf("the indices must be ≥ 0 and strictly ascending, but Places[%d] is %d", k, p)
		}
		if !finite(t.Weights[k]) {
			return fmt.Errorf("the weight of index %d is %v; it must be finite", p, t.Weights[k])
		}
	}
	return nil
}

// expandVectors adds the parts that a model file omits because the arrays of vectors determine them: the codings of
// entries and, for dense vectors, an input for each entry. It moves the ranges of the profile to e.ranges.
func (e *encoder) expandVectors() error {
	inputs, stored := e.Inputs, e.Columns
	e.Inputs, e.Columns = nil, nil
	place := make([]int, len(inputs)) // first input, for each input of the file
	for i, in := range inputs {
		place[i] = len(e.Inputs)
		if in.Kind != Vector {
			e.Inputs = append(e.Inputs, in)
			continue
		}
		n, width := in.First-len(e.Columns), len(in.Index)
		fits := func(list []float64) bool { return list == nil || len(list) == width }
		if n < 0 || n > len(stored) || !fits(in.Scales) || !fits(in.Shifts) || !fits(in.Fills) {
			return fmt.Errorf("score: the model is damaged: the vector column %q cannot begin at the encoded column %d "+
				"with %d indices, %d shifts and %d scales", in.Name, in.First, width, len(in.Shifts), len(in.Scales))
		}
		e.Columns, stored = append(e.Columns, stored[:n]...), stored[n:]
		if in.Shifts == nil {
			e.Inputs = append(e.Inputs, in)
		}
		for k, at := range in.Index {
			c := coding{Kind: "numeric", Scale: 1}
			if in.Scales != nil {
				c.Scale = in.Scales[k]
			}
			if in.Shifts != nil {
				c.Shift = in.Shifts[k]
				entry := input{Name: fmt.Sprintf("%s[%d]", in.Name, at), Kind: Numeric, First: in.First + k, Vector: in.Name}
				if in.Fills != nil {
					entry.Fill = in.Fills[k]
				}
				e.Inputs = append(e.Inputs, entry)
			}
			e.Columns = append(e.Columns, c)
		}
	}
	e.Columns = append(e.Columns, stored...)
	if e.Profile == nil {
		return nil
	}
	profile := e.Profile
	e.narrow = profile.Float32
	e.Profile = nil // the profile refers to the inputs of the file
	for _, p := range profile.Inputs {
		if p.Input < 0 || p.Input >= len(place) {
			return fmt.Errorf("score: the model is damaged: the profile of the training rows refers to input %d, which "+
				"does not exist", p.Input)
		}
		all := p.Entries
		if all == nil {
			all = []inputRange{{0, p.Low, p.High}}
		}
		for _, of := range all {
			if of.Input += place[p.Input]; of.Input < place[p.Input] || of.Input >= len(e.Inputs) {
				return fmt.Errorf("score: the model is damaged: the profile of the training rows refers to input %d, which "+
					"does not exist", of.Input)
			}
			e.ranges = append(e.ranges, of)
		}
	}
	return nil
}
