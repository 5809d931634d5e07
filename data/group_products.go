package data

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// A GroupColumn is a group column that is a feature, with the encoded columns whose
// coefficients may differ between its levels.
type GroupColumn struct {
	Input   int   // of Encoder.Inputs
	Columns []int // of Encoder.Columns, ascending
}

// GroupColumns returns the group columns that are features taken as categories. Their
// Columns are those of all other features that are one column or a function of one; a pair
// of group columns counts once, with the one named first under Groups.
func (e *Encoder) GroupColumns() (out []GroupColumn) {
	var done []string
	for _, name := range e.Spec.Groups {
		at := slices.IndexFunc(e.Inputs, func(in Input) bool { return in.Name == name && in.Of == nil && in.Kind != Numeric })
		if at < 0 {
			continue
		}
		done = append(done, name)
		g := GroupColumn{Input: at}
		for _, in := range e.Inputs {
			if slices.Contains(done, in.Name) || len(in.Of) > 1 || e.interacted(name, in.Name) {
				continue
			}
			if in.Kind == Numeric {
				g.Columns = append(g.Columns, in.First)
				continue
			}
			for k := range in.Levels { // nulls and rare levels have the shared coefficients
				if c := in.Column(k); c >= 0 {
					g.Columns = append(g.Columns, c)
				}
			}
		}
		if len(g.Columns) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// interacted reports whether the product of two columns is a feature already.
func (e *Encoder) interacted(a, b string) bool {
	return slices.ContainsFunc(e.Spec.Transforms.Interact, func(p [2]string) bool { return p == [2]string{a, b} || p == [2]string{b, a} })
}

// GroupProducts returns the products of every level of the group columns and their
// Columns, encoded as the product of the encoded columns divided by the square root of
// ridge: under a common ridge penalty the coefficients of groups are penalised by ridge
// times as much as the coefficients that all groups share.
func (e *Encoder) GroupProducts(ridge float64) (out []Product) {
	root := math.Sqrt(ridge)
	for _, g := range e.GroupColumns() {
		in := e.Inputs[g.Input]
		for _, level := range in.Levels {
			group := Operand{Column: in.Name, Kind: in.Kind, Level: level}
			for _, c := range g.Columns {
				feature, name := e.operand(c)
				out = append(out, Product{
					Name: group.Label() + ":" + name, Of: []Operand{group, feature}, Scale: root * e.Columns[c].Scale,
				})
			}
		}
	}
	return out
}

// operand returns the encoded column c times its Scale as a factor of a product, and its
// name. A number is centred near its mean, at a decimal that the name says exactly.
func (e *Encoder) operand(c int) (o Operand, name string) {
	col := e.Columns[c]
	in := e.Inputs[slices.IndexFunc(e.Inputs, func(in Input) bool { return in.Name == col.Source })]
	if in.Kind != Numeric {
		return Operand{Column: in.Name, Kind: in.Kind, Level: col.Level}, col.Name
	}
	o = Operand{Column: in.Name, Kind: Numeric}
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
