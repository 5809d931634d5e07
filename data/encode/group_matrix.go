package encode

import (
	"context"
	"fmt"
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/memory"
)

// The products that represent group coefficients are not encoded. A design matrix with groups holds the other
// columns and, for every row, a cell: the combination of the row's groups, which determines the products that are
// not 0 in the row.

// AddProducts adds products of GroupProducts to the encoder and to the columns of the datasets, without reading the
// table again. It returns an error if there are other terms, or if the encoder already has products. It panics
// unless f was returned by Fit or EncodeTo.
func (f *Fitted) AddProducts(terms []Term) error {
	if len(f.Encoder.Spec.Products) > 0 {
		return fmt.Errorf("the encoder already has %d products", len(f.Encoder.Spec.Products))
	}
	e := f.Encoder.withProducts(terms)
	if _, coefficients := e.withoutProducts(); coefficients == nil && len(terms) > 0 {
		return errNoGroupProducts
	}
	if n := len(e.Columns); n > f.Train.N && len(f.Encoder.Columns) <= f.Train.N {
		e.addNote("there are %s encoded columns, but only %s training rows", printable.Count(n), printable.Count(f.Train.N))
	}
	return f.addProducts(e)
}

// errNoGroupProducts reports a product that does not combine a group column and a feature.
var errNoGroupProducts = fmt.Errorf("a product does not combine a group column and a feature")

// withProducts returns a copy of the encoder with products inserted before the intercept.
func (e *Encoder) withProducts(terms []Term) *Encoder {
	out, at := *e, len(e.Columns)
	if e.Intercept() >= 0 {
		at--
	}
	out.Spec.Products = terms
	out.Inputs, out.Columns = slices.Clone(e.Inputs), slices.Clone(e.Columns[:at])
	for _, t := range terms {
		out.Inputs = append(out.Inputs, Input{Name: t.Name, Kind: data.Numeric, First: len(out.Columns), Of: t.Of})
		out.Columns = append(out.Columns, Coding{Name: t.Name, Source: t.Name, Kind: "numeric", Scale: t.Scale})
	}
	out.Columns = append(out.Columns, e.Columns[at:]...)
	return &out
}

// withoutProducts returns the encoder of the columns other than the products, and the group coefficients that the
// products represent. It returns e itself and nil if e has no products, or has products other than those of groups
// and features.
func (e *Encoder) withoutProducts() (*Encoder, []GroupCoefficient) {
	k := len(e.Spec.Products)
	if k == 0 || k > len(e.Inputs) || slices.ContainsFunc(e.Spec.Products, func(t Term) bool { return len(t.Of) < 2 }) {
		return e, nil
	}
	of := e.GroupCoefficients()
	if len(of) != k {
		return e, nil
	}
	first, inputs := of[0].Product, len(e.Inputs)-k
	for i, g := range of {
		if g.Product != first+i || e.Inputs[inputs+i].First != first+i || g.Column >= first ||
			e.Columns[g.Product].Scale == 0 ||
			e.Columns[g.Product].Shift != 0 {
			return e, nil
		}
		for n, at := range g.Inputs {
			in := &e.Inputs[at]
			if at >= inputs || in.Kind == data.Numeric || in.Name != e.Spec.Products[i].Of[n].Column ||
				!slices.Contains(in.Levels, g.Levels[n]) {
				return e, nil
			}
		}
	}
	base := *e
	base.Spec.Products = nil
	base.Inputs = e.Inputs[:inputs:inputs]
	base.Columns = slices.Concat(e.Columns[:first], e.Columns[first+k:])
	return &base, of
}

// addProducts replaces the encoder by e, which has additional products, and the matrices by matrices with the columns
// of these products.
func (f *Fitted) addProducts(e *Encoder) error {
	_, coefficients := e.withoutProducts()
	for _, d := range []*Dataset{f.Train, f.Holdout} {
		if d == nil || coefficients == nil {
			continue
		}
		cells := newCellFinder(e, coefficients, f.codes)
		cell := memory.Make[int32](f.arena, d.N)
		for k, r := range d.Rows {
			cell[k] = cells.findCell(r)
		}
		x, err := design.NewGrouped(d.X, design.Grouping{Before: coefficients[0].Product, Products: len(coefficients),
			Cell:  cell,
			Cells: cells.products})
		if err != nil {
			return err
		}
		d.X, d.D, d.Names, d.Intercept = x, len(e.Columns), e.Names(), e.Intercept()
	}
	f.Encoder = e
	return nil
}

// A cellFinder numbers the occurring combinations of levels of group columns, in the order in which they are found.
type cellFinder struct {
	coefficients []GroupCoefficient
	levels       [][]int            // for each coefficient, the levels of its inputs
	all          []design.Product   // by coefficient
	inputs       []int              // indices in Encoder.Inputs of the inputs that have levels
	level        []levelOf          // for each of inputs
	pairs        []pairIndex        // for each of inputs, the pairs of the combination of the inputs before it and its level
	at           []int              // for each of inputs, its level in the current row
	products     [][]design.Product // by cell
}

// A levelOf gives the level of an input in a row. It is −1 for nulls and for rare and unseen levels.
type levelOf struct {
	codes *matrix.Codes
	of    []int // by code
}

// newCellFinder returns a finder of the combinations of levels on which the coefficients depend; codes holds the codes
// of the rows for each input by its index in Encoder.Inputs.
func newCellFinder(e *Encoder, coefficients []GroupCoefficient, codes map[int]*matrix.Codes) *cellFinder {
	x := &cellFinder{coefficients: coefficients}
	for _, g := range coefficients {
		var levels []int
		for n, i := range g.Inputs {
			in := &e.Inputs[i]
			if !slices.Contains(x.inputs, i) {
				x.inputs, x.level = append(x.inputs, i), append(x.level, newLevelOf(in, codes[i]))
				x.pairs = append(x.pairs, pairIndex{second: len(in.Levels) + 1})
			}
			levels = append(levels, slices.Index(in.Levels, g.Levels[n]))
		}
		x.levels = append(x.levels, levels)
		last := e.Spec.Products[len(x.all)].Of
		shared, product := e.Columns[g.Column], e.Columns[g.Product]
		x.all = append(x.all, design.Product{Column: g.Column,
			Center: (last[len(last)-1].Center - shared.Shift) / shared.Scale,
			Scale:  shared.Scale / product.Scale, At: len(x.all)})
	}
	x.at = make([]int, len(x.inputs))
	return x
}

// newLevelOf returns the levels of an input whose values have the given codes.
func newLevelOf(in *Input, codes *matrix.Codes) levelOf {
	l := levelOf{codes: codes, of: make([]int, in.Width()+2)}
	for c := range l.of {
		l.of[c] = -1
	}
	for k := range in.Levels {
		l.of[matrixCode(k, in.skippedLabel())] = k
	}
	return l
}

// findCell returns the number of the cell of a row of the table.
func (x *cellFinder) findCell(row int) int32 {
	cell, isNew := int32(0), false
	for k, l := range x.level {
		x.at[k] = l.of[l.codes.Get(row)]
		cell, isNew = x.pairs[k].numberOf(cell, int32(x.at[k]+1))
	}
	if !isNew {
		return cell
	}
	var products []design.Product
	for i, g := range x.coefficients {
		has := true
		for n, in := range g.Inputs {
			has = has && x.at[slices.Index(x.inputs, in)] == x.levels[i][n]
		}
		if has {
			products = append(products, x.all[i])
		}
	}
	x.products = append(x.products, products)
	return cell
}

// encodeGrouped works like encodeSets for an encoder with products of groups and features; base is the encoder without
// them.
func (e *Encoder) encodeGrouped(
	ctx context.Context, f *data.Frame, d *matrix.Partition, to Sink, withTarget bool, base *Encoder,
) (*Fitted, error) {
	out, err := base.encodeSets(ctx, f, d, to, withTarget)
	if err != nil {
		return nil, err
	}
	return out, out.addProducts(e)
}
