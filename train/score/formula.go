package score

import (
	"maps"
	"slices"

	"github.com/drotrain/drotrain/data"
)

// A Formula is all that a model computes, in terms of the source columns:
//
//	margin = Constant + Σ_terms + Σ_products,    score = 1/(1 + exp(−margin)) for a
//
// binary target, else Target.Predicted of the margin. What scores elsewhere (Scorer,
// package export) is made from it.
type Formula struct {
	Target   data.Target
	Constant float64   // in the units of the margin
	Terms    []Term    // one a source column, in the order of the encoder
	Products []Product // columns made of functions of numbers and of several columns
}

// A Product is what a column made of others adds to the margin:
// Weight·(Π_factors − Shift)/Scale.
type Product struct {
	Factors              []Factor // at least one
	Weight, Shift, Scale float64
}

// A Factor is a function of a number, after nulls are filled, or the indicator of a
// level of a category.
type Factor struct {
	Term     int           // which of Formula.Terms
	Function data.Function // of a number
	Level    int           // of a category: index of the level; len(Levels) is that of nulls
}

// A Term is what one source column adds to the margin: Weight·(v − Shift)/Scale
// of a number, Weights[k] of the k-th level of a category. A level that training
// did not see adds nothing. A number that only products use has Weight 0.
type Term struct {
	Column string
	Kind   data.Kind // Numeric, Categorical or Bool: how it is taken
	Stored data.Kind // of a category, what the column holds; data.Other if the model does not say

	// Of a number.
	Weight, Shift, Scale float64
	Fill                 *float64 // stands for a null; nil: a null is an error
	Date                 bool     `json:",omitempty"` // the column holds dates: the number is days since 1970-01-01 UTC

	// Of a category.
	Levels  []string
	Weights []float64
	Null    bool    // nulls are a level of their own
	Missing float64 // of nulls; 0 unless Null
}

// Rename lets the levels be the texts of a table, where its reading gave them other
// names: a text has the weight of the name it gets, and not its own.
func (f *Formula) Rename(names map[string]string) {
	if len(names) == 0 {
		return
	}
	texts := slices.Sorted(maps.Keys(names))
	for i := range f.Terms {
		t := &f.Terms[i]
		if t.Kind == data.Numeric || t.Stored == data.Numeric || t.Stored == data.Bool {
			continue
		}
		var levels []string
		var of []int // the level each is
		for k, l := range t.Levels {
			if _, renamed := names[l]; !renamed {
				levels, of = append(levels, l), append(of, k)
			}
		}
		for _, text := range texts {
			if k := slices.Index(t.Levels, names[text]); k >= 0 {
				levels, of = append(levels, text), append(of, k)
			}
		}
		f.relevel(i, levels, of)
	}
}

// relevel gives a category other levels; of says which of the old ones each is.
func (f *Formula) relevel(term int, levels []string, of []int) {
	t := &f.Terms[term]
	old := len(t.Levels)
	weights := make([]float64, len(of))
	for i, k := range of {
		weights[i] = t.Weights[k]
	}
	t.Levels, t.Weights = levels, weights
	products := f.Products
	f.Products = nil
	for _, p := range products {
		at := slices.IndexFunc(p.Factors, func(x Factor) bool { return x.Term == term })
		if at < 0 {
			f.Products = append(f.Products, p)
			continue
		}
		// One product for each of the new levels; of all but one the shift is given back.
		f.Constant -= p.Weight * p.Shift / p.Scale
		for i := range append(of, old) {
			if i < len(of) && of[i] != p.Factors[at].Level || i == len(of) && p.Factors[at].Level != old {
				continue
			}
			q := p
			q.Factors = slices.Clone(p.Factors)
			q.Factors[at].Level = i
			f.Constant += p.Weight * p.Shift / p.Scale
			f.Products = append(f.Products, q)
		}
	}
}
