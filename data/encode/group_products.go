package encode

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/drotrain/drotrain/data"
)

// A GroupColumn is a group column that is also a feature, with the encoded columns whose coefficients may
// differ between its groups.
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
		at := slices.IndexFunc(e.Inputs, func(in Input) bool { return in.Name == name && in.Of == nil && in.Kind != data.Numeric })
		if at < 0 {
			continue
		}
		done = append(done, name)
		g := GroupColumn{Input: at}
		for _, in := range e.Inputs {
			if slices.Contains(done, in.Name) || !in.isProfiled() || e.hasInteraction(name, in.Name) {
				continue
			}
			if in.Kind == data.Numeric {
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

// hasInteraction reports whether the product of two columns is already a feature.
func (e *Encoder) hasInteraction(a, b string) bool {
	return slices.ContainsFunc(e.Spec.Transforms.Interact, func(p [2]string) bool { return p == [2]string{a, b} || p == [2]string{b, a} })
}

// GroupProducts returns the products of each level of the group columns with their Columns, divided by the
// square root of ridge. Under a common ridge penalty, the coefficients of groups are then penalised ridge times
// as much as the shared coefficients.
func (e *Encoder) GroupProducts(ridge float64) (out []Product) {
	root := math.Sqrt(ridge)
	for _, g := range e.GroupColumns() {
		in := e.Inputs[g.Input]
		for _, level := range in.Levels {
			group := Operand{Column: in.Name, Kind: in.Kind, Level: level}
			for _, c := range g.Columns {
				feature, name := e.operandOf(c)
				out = append(out, Product{
					Name: group.Label() + ":" + name, Of: []Operand{group, feature}, Scale: root * e.Columns[c].Scale,
				})
			}
		}
	}
	return out
}

// operandOf returns the encoded column c times its scale as an operand, and its name. A number is centred near
// its mean, at a value with few decimals that is part of the name.
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

// A GroupCoefficient identifies the deviation of one group from a shared coefficient: a column of the Spec's
// Products.
type GroupCoefficient struct {
	Input   int    // the group column, of Encoder.Inputs
	Level   string // of the group column
	Column  int    // of Encoder.Columns: the coefficient that all groups share
	Product int    // of Encoder.Columns
}

// GroupCoefficients returns the group coefficients of the Spec's Products, in the order of GroupProducts.
func (e *Encoder) GroupCoefficients() (out []GroupCoefficient) {
	if len(e.Spec.Products) == 0 {
		return nil
	}
	type factors struct {
		group, level, column, of, function string
	}
	index := make(map[string]int)
	for i, c := range e.Columns {
		index[c.Name] = i
	}
	product := make(map[factors]int)
	for _, p := range e.Spec.Products {
		if i, ok := index[p.Name]; ok && len(p.Of) == 2 {
			product[factors{p.Of[0].Column, p.Of[0].Level, p.Of[1].Column, p.Of[1].Level, fmt.Sprint(p.Of[1].Function)}] = i
		}
	}
	for _, g := range e.GroupColumns() {
		in := e.Inputs[g.Input]
		for _, level := range in.Levels {
			for _, c := range g.Columns {
				o, _ := e.operandOf(c)
				if i, ok := product[factors{in.Name, level, o.Column, o.Level, fmt.Sprint(o.Function)}]; ok {
					out = append(out, GroupCoefficient{Input: g.Input, Level: level, Column: c, Product: i})
				}
			}
		}
	}
	return out
}
