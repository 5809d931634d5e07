package data

import (
	"fmt"
	"strings"
)

// An Operand is a factor of a column that is made of others: a function of a number, or
// the indicator of a level of a category.
type Operand struct {
	Column   string   `json:"column"`
	Kind     Kind     `json:"kind"`              // of the column, as it is taken
	Function Function `json:"function,omitzero"` // of a number
	Fill     *float64 `json:"fill,omitempty"`    // of a number, for nulls; nil: a null makes a null
	Center   float64  `json:"center,omitempty"`  // of a number: subtracted from the function
	Level    string   `json:"level,omitempty"`   // of a category
}

// A Product is a column to make, encoded as the product of its operands divided by Scale.
type Product struct {
	Name  string    `json:"name"`
	Of    []Operand `json:"of"` // the level of a group column, and a feature
	Scale float64   `json:"scale"`
}

// Transforms are the columns to make, by the names of the columns of the table.
type Transforms struct {
	Log      []string       `json:"log,omitempty"`      // its logarithm, in its place
	Square   []string       `json:"square,omitempty"`   // its square, in addition
	Spline   map[string]int `json:"spline,omitempty"`   // a natural cubic spline of that number of knots, at quantiles, in its place
	Interact [][2]string    `json:"interact,omitempty"` // the product of two columns, in addition
}

// Empty reports whether no column is to be made.
func (t *Transforms) Empty() bool {
	return len(t.Log)+len(t.Square)+len(t.Spline)+len(t.Interact) == 0
}

// Label returns what the operand is called in the name of a column that is made.
func (o *Operand) Label() string {
	if o.Kind == Numeric {
		return o.Column
	}
	return o.Column + "=" + o.Level
}

// Validate reports what cannot be, whatever the table.
func (t *Transforms) Validate() error {
	seen := map[string]bool{}
	for _, name := range t.Log {
		if seen[name] {
			return fmt.Errorf("column %q is named twice under log", name)
		}
		seen[name] = true
	}
	for name, knots := range t.Spline {
		if knots < 3 || knots > 20 {
			return fmt.Errorf("a spline of %q with %d knots: there must be 3 to 20", name, knots)
		}
		if seen[name] {
			return fmt.Errorf("column %q is under log and under spline, which both take its place", name)
		}
	}
	squares := map[string]bool{}
	for _, name := range t.Square {
		if squares[name] {
			return fmt.Errorf("column %q is named twice under square", name)
		}
		squares[name] = true
	}
	pairs := map[string]bool{}
	for _, p := range t.Interact {
		key := strings.Join([]string{min(p[0], p[1]), max(p[0], p[1])}, "\x00")
		if p[0] == p[1] || pairs[key] {
			return fmt.Errorf("the interaction %s:%s: two different columns, once", p[0], p[1])
		}
		pairs[key] = true
	}
	return nil
}
