package encode

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/drotrain/drotrain/data"
)

// A GroupTerm is a group column that is also a feature, or a crossing of several such columns, with the encoded
// columns whose coefficients may differ between the groups.
type GroupTerm struct {
	Inputs  []int // indices into Encoder.Inputs, in the order of Spec.Groups
	Columns []int // indices in Encoder.Columns, ascending
}

// GroupTerms returns all crossings of order group columns; order 1 yields the single columns. Only group columns that
// are categorical features are crossed. The Columns of a term are encoded columns of other features, each of which is a
// single column or a function of one. So that no crossing is counted twice, a group column is among the Columns of a
// term only if all group columns of the term precede it in Spec.Groups.
func (e *Encoder) GroupTerms(order int) (out []GroupTerm) {
	if order < 1 {
		return nil
	}
	var groups []int
	for _, name := range e.Spec.Groups {
		at := slices.IndexFunc(e.Inputs, func(in Input) bool {
			return in.Name == name && in.Of == nil &&
				in.Kind != data.Numeric
		})
		if at >= 0 {
			groups = append(groups, at)
		}
	}
	forSubsets(len(groups), order, func(chosen []int) {
		t := GroupTerm{}
		for _, k := range chosen {
			t.Inputs = append(t.Inputs, groups[k])
		}
		done := groups[:chosen[len(chosen)-1]+1]
		for i, in := range e.Inputs {
			if !in.isProfiled() || slices.Contains(done, i) ||
				order == 1 && e.hasInteraction(e.Inputs[t.Inputs[0]].Name, in.Name) {
				continue
			}
			if in.Kind == data.Numeric {
				t.Columns = append(t.Columns, in.First)
				continue
			}
			for k := range in.Levels { // nulls and rare levels have the shared coefficients
				if c := in.Column(k); c >= 0 {
					t.Columns = append(t.Columns, c)
				}
			}
		}
		if len(t.Columns) > 0 {
			out = append(out, t)
		}
	})
	return out
}

// forSubsets calls do for each ascending subset of k > 0 of the numbers 0 to n−1, in lexicographic order.
func forSubsets(n, k int, do func(chosen []int)) {
	chosen := make([]int, 0, k)
	var extend func(from int)
	extend = func(from int) {
		if len(chosen) == k {
			do(chosen)
			return
		}
		for i := from; i < n; i++ {
			chosen = append(chosen, i)
			extend(i + 1)
			chosen = chosen[:len(chosen)-1]
		}
	}
	extend(0)
}

// hasInteraction reports whether the product of two columns is already a feature.
func (e *Encoder) hasInteraction(a, b string) bool {
	return slices.ContainsFunc(e.Spec.Transforms.Interact,
		func(p [2]string) bool { return p == [2]string{a, b} || p == [2]string{b, a} })
}

// GroupProducts returns the products of the Columns of a term with the indicators of cells, divided by the square
// root of ridge. A cell is given by the index of its level in every input. With a common ridge penalty, the
// coefficients of groups are then penalised ridge times as much as the shared coefficients. GroupProducts panics if
// GroupTerms did not return the term, or if a cell has an invalid level.
func (e *Encoder) GroupProducts(t GroupTerm, cells [][]int32, ridge float64) (out []Term) {
	root := math.Sqrt(ridge)
	for _, cell := range cells {
		var of []Operand
		name := ""
		for k, i := range t.Inputs {
			in := e.Inputs[i]
			o := Operand{Column: in.Name, Kind: in.Kind, Level: in.Levels[cell[k]]}
			of = append(of, o)
			name += o.label() + ":"
		}
		for _, c := range t.Columns {
			feature, label := e.operandOf(c)
			out = append(out, Term{Name: name + label, Of: append(slices.Clone(of), feature),
				Scale: root * e.Columns[c].Scale})
		}
	}
	return out
}

// operandOf returns encoded column c, multiplied by its scale, as an operand, and the operand's name. A number is
// centred at a value near its mean that has few decimals and is part of the name.
func (e *Encoder) operandOf(c int) (o Operand, name string) {
	col := e.Columns[c]
	in := e.Inputs[slices.IndexFunc(e.Inputs, func(in Input) bool { return in.Name == col.Source })]
	if in.Kind != data.Numeric {
		return Operand{Column: in.Name, Kind: in.Kind, Level: col.Level}, col.Name
	}
	o = Operand{Column: in.Name, Kind: data.Numeric}
	if in.Of != nil {
		o = in.Of[0]
	} else if e.Spec.Impute == "mean" || e.Spec.Impute == "median" {
		o.Fill = &in.Fill
	}
	decimals := max(0, int(math.Ceil(-math.Log10(col.Scale/50))))
	text := strconv.FormatFloat(math.Abs(col.Shift), 'f', decimals, 64)
	centre, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || centre == 0:
		return o, col.Name
	case col.Shift < 0:
		o.Center = -centre
		return o, fmt.Sprintf("(%s + %s)", col.Name, text)
	}
	o.Center = centre
	return o, fmt.Sprintf("(%s - %s)", col.Name, text)
}

// A GroupCoefficient identifies the deviation of the coefficient of one group, or of one cell of crossed groups,
// from the coefficients of the larger groups that contain it. It belongs to a column of Spec.Products.
type GroupCoefficient struct {
	Inputs  []int    // indices of the group columns in Encoder.Inputs
	Levels  []string // levels of the group columns
	Column  int      // index into Encoder.Columns of the coefficient that all groups share
	Product int      // index in Encoder.Columns
}

// GroupCoefficients returns the group coefficients of Spec.Products, in their order.
func (e *Encoder) GroupCoefficients() (out []GroupCoefficient) {
	if len(e.Spec.Products) == 0 {
		return nil
	}
	encoded, input, feature := make(map[string]int), make(map[string]int), make(map[string]int)
	key := func(o Operand) string { return fmt.Sprintf("%q %q %v", o.Column, o.Level, o.Function) }
	for i, c := range e.Columns {
		encoded[c.Name] = i
	}
	for i := range e.Inputs {
		in := &e.Inputs[i]
		if in.Of == nil {
			input[in.Name] = i
		}
		if !in.isProfiled() {
			continue
		}
		for c := in.First; c < in.First+in.Width(); c++ {
			o, _ := e.operandOf(c)
			feature[key(o)] = c
		}
	}
	for _, p := range e.Spec.Products {
		last := len(p.Of) - 1
		column, known := feature[key(p.Of[last])]
		product, kept := encoded[p.Name]
		if !known || !kept {
			continue
		}
		g := GroupCoefficient{Column: column, Product: product}
		for _, o := range p.Of[:last] {
			g.Inputs, g.Levels = append(g.Inputs, input[o.Column]), append(g.Levels, o.Level)
		}
		out = append(out, g)
	}
	return out
}
