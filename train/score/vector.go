package score

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strconv"
)

// entries holds the entries of a sparse vector at places that have a weight, by their rank among these, ascending.
type entries struct {
	rank  []int
	value []float64
}

// vector returns the cell of a sparse vector: map[int]float64 by place, map[string]any by the place as text, as JSON
// objects are decoded, or []float64 with an entry for every place from 0 on. Places without a weight are left out and
// noted.
func (t *scoredTerm) vector(value any) (cell, error) {
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
				return cell{}, t.newError("%q is not the place of an entry, a whole number from 0 on", name)
			}
			number, ok := x.(float64)
			if of, is := x.(json.Number); is {
				number, err = of.Float64()
				ok = err == nil
			}
			if !ok {
				return cell{}, t.newError("the entry at place %d is %v, not a number", place, x)
			}
			at[place] = number
		}
	default:
		return cell{}, t.newError("the value is %v, but training had sparse vectors: give a map[int]float64 by place, or []float64 from place 0 on", value)
	}
	for place := range at {
		places = append(places, place)
	}
	sort.Ints(places) // one order of summation
	c := cell{entries: &entries{}}
	for _, place := range places {
		x := at[place]
		k, known := slices.BinarySearch(t.Places, place)
		switch {
		case place < 0:
			return cell{}, t.newError("there is no place %d: places begin at 0", place)
		case !finite(x):
			return cell{}, t.newError("the entry at place %d is %v: numbers must be finite", place, x)
		case known:
			c.entries.rank, c.entries.value = append(c.entries.rank, k), append(c.entries.value, x)
		case x != 0:
			c.note = Unseen
		}
	}
	return c, nil
}

// sumOf returns what the entries of a vector add to the margin.
func (t *scoredTerm) sumOf(e *entries) (sum float64) {
	for i, k := range e.rank {
		sum += t.Weights[k] * e.value[i]
	}
	return sum
}

// validatePlaces returns an error if the term of a vector is invalid.
func (t *Term) validatePlaces() error {
	if len(t.Places) != len(t.Weights) {
		return fmt.Errorf("it has %d places and %d weights", len(t.Places), len(t.Weights))
	}
	for k, p := range t.Places {
		if p < 0 || k > 0 && p <= t.Places[k-1] {
			return fmt.Errorf("its places do not ascend from 0 on: place %d is %d", k, p)
		}
		if !finite(t.Weights[k]) {
			return fmt.Errorf("the weight of place %d is %v", p, t.Weights[k])
		}
	}
	return nil
}

// expandVectors adds the codings of the entries of vectors, which a model file does not list, to the encoded columns.
func (e *encoder) expandVectors() error {
	stored := e.Columns
	e.Columns = nil
	for _, in := range e.Inputs {
		if in.Kind != Vector {
			continue
		}
		n := in.First - len(e.Columns)
		if n < 0 || n > len(stored) || in.Scales != nil && len(in.Scales) != len(in.Index) {
			return fmt.Errorf("score: the model is damaged: the vectors %q cannot begin at the encoded column %d with %d places and %d scales", in.Name, in.First, len(in.Index), len(in.Scales))
		}
		e.Columns, stored = append(e.Columns, stored[:n]...), stored[n:]
		for k := range in.Index {
			c := coding{Kind: "numeric", Scale: 1}
			if in.Scales != nil {
				c.Scale = in.Scales[k]
			}
			e.Columns = append(e.Columns, c)
		}
	}
	e.Columns = append(e.Columns, stored...)
	return nil
}
