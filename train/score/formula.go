// Package score evaluates a trained model on single rows without the rest of the library. A model is a [Formula] in
// the columns of its table; a [Scorer] applies it to rows, given as values, maps or structs. Package train makes
// the Formula of a model, and package export writes it in other languages.
//
// The best place to start reading is Formula. The package imports only the standard library and internal/transform,
// which imports only the standard library.
//
// Stability: this package is a part of package train and may change with any version before 1.0.
package score

import (
	"fmt"
	"maps"
	"slices"

	"github.com/drotrain/drotrain/internal/transform"
)

// A Kind is the way in which the values of a column are used.
type Kind uint8

// The kinds of columns.
const (
	Other       Kind = iota // the kind is not known
	Numeric                 // a number
	Categorical             // levels of a category
	Bool                    // true or false
	Vector                  // a sparse vector
)

var kindNames = [...]string{"other", "numeric", "categorical", "bool", "vector"}

// String returns the name of the kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", int(k))
}

// MarshalText returns the name of the kind.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText accepts the name of a kind.
func (k *Kind) UnmarshalText(b []byte) error {
	i := slices.Index(kindNames[:], string(b))
	if i < 0 {
		return fmt.Errorf("unknown column kind %q", b)
	}
	*k = Kind(i)
	return nil
}

// A Target specifies how the margin is converted to a prediction.
type Target struct {
	Name     string
	Numeric  bool     // the target is a number, not a class
	Positive string   // the one of two classes whose probability is predicted
	Negative string   // the other class, if there are two
	Classes  []string // the classes, if there are more than two

	// With v = Shift + Scale·margin, the prediction of a number is v if Transform is "", Smear·exp(v) if it is
	// "log", and Smear·exp(v) − 1 if it is "log1p". A Smear of 0 means 1.
	Shift, Scale float64
	Transform    string
	Smear        float64
}

// Predicted returns the prediction of a numeric target, in its own units.
func (t *Target) Predicted(margin float64) float64 {
	return transform.Undo(t.Transform, t.Shift+t.Scale*margin, t.Smear)
}

// Factor returns Smear, or 1 if it is not set.
func (t *Target) Factor() float64 {
	if t.Smear == 0 {
		return 1
	}
	return t.Smear
}

// A Function transforms a number. The zero value returns the number itself.
type Function struct {
	Name string // "" for the number itself, "log", "log1p", "square" or "piecewise"

	// A "piecewise" function is a polynomial between any two adjacent Knots, which ascend and of which there
	// are at least two. Pieces[k] holds the coefficients of 1, u, u² and u³ in u = v − Knots[k] between
	// Knots[k] and Knots[k+1]. Below the first knot the function is Below[0] + Below[1]·(v − Knots[0]); above
	// the last it is Above[0] + Above[1]·(v − last knot).
	Knots  []float64
	Pieces [][4]float64
	Below  [2]float64
	Above  [2]float64
}

// At returns the value of the function at v, or NaN if the function is undefined there, such as the logarithm of 0.
// It panics for a piecewise function that Formula.Validate rejects.
func (f *Function) At(v float64) float64 { return (*transform.Function)(f).At(v) }

// A Formula is a model in terms of the source columns:
//
//	margin = Constant + Σ_terms + Σ_products.
//
// The score is Target.Predicted of the margin for a numeric target, and the probability
// 1/(1 + exp(−margin)) of Target.Positive for two classes.
type Formula struct {
	Target   Target
	Constant float64   // constant in the units of the margin
	Terms    []Term    // one term for each source column
	Products []Product // derived columns: functions of numbers, and products of several columns

	// Classes holds the formulas of the margins for more than two classes, in the order of Target.Classes. All
	// of them have the same columns and levels. The probabilities are the softmax of the margins; Constant,
	// Terms and Products are then not set.
	Classes []*Formula `json:",omitempty"`
}

// A Product is the contribution of a derived column to the margin: Weight·(Π_factors − Shift)/Scale.
type Product struct {
	Factors              []Factor // one or more factors
	Weight, Shift, Scale float64
}

// A Factor is a function of a number with nulls filled, or the indicator of a level of a category.
type Factor struct {
	Term     int      // index in Formula.Terms
	Function Function // function of a number
	Level    int      // index of the level of a category; len(Levels) stands for nulls
}

// A Term is the contribution of a source column to the margin: Weight·(v − Shift)/Scale for a number v, or
// Weights[k] for level k of a category. Levels that training lacked contribute nothing. A number used only in
// products has Weight 0.
type Term struct {
	Column string
	Kind   Kind // Numeric, Categorical, Bool or Vector: how the column is used
	Stored Kind // kind of the values in the column of a category; Other if the model does not record it

	// the vector column of which this is an entry, such as emb for emb[3]; otherwise empty
	Vector string `json:",omitempty"`

	// fields for a number
	Weight, Shift, Scale float64
	Fill                 *float64 // replaces a null; if nil, a null is an error
	// the column holds dates; the number is days since 1970-01-01 UTC
	Date      bool            `json:",omitempty"`
	Low, High *float64        `json:",omitempty"` // smallest and largest training value; nil if unknown
	Renamed   []RenamedNumber `json:",omitempty"` // numbers that are read as different numbers or as nulls

	// fields for a category
	Levels  []string
	Weights []float64
	Null    bool    // whether nulls are a separate level
	Missing float64 // weight of nulls; 0 unless Null

	// Places lists the indices of a sparse vector that have a weight, in ascending order. The term is the sum
	// of Weights[k] times the entry at index Places[k]; all other entries contribute nothing.
	Places []int `json:",omitempty"`
}

// A RenamedNumber is a number that is read as a different number or as a null.
type RenamedNumber struct {
	From float64
	To   *float64 // nil stands for a null
}

// Rename adapts the levels to tables whose texts training renamed: names maps a text of such a table to the text that
// training used. It panics if Validate rejects the formula.
func (f *Formula) Rename(names map[string]string) {
	if len(names) == 0 {
		return
	}
	for _, class := range f.Classes {
		class.Rename(names)
	}
	texts := slices.Sorted(maps.Keys(names))
	for i := range f.Terms {
		t := &f.Terms[i]
		if t.Kind == Numeric || t.Kind == Vector || t.Stored == Numeric || t.Stored == Bool {
			continue
		}
		var levels []string
		var of []int // index of the old level, for each new level
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
		f.mergeLevels(i, levels, of)
	}
}

// mergeLevels replaces the levels of a category; of holds the index of the old level for each new level.
func (f *Formula) mergeLevels(term int, levels []string, of []int) {
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
		// Each new level gets its own product, but the shift must count once.
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
