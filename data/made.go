package data

import (
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/data/internal/tiles"
	"github.com/drotrain/drotrain/data/schema"
	"github.com/drotrain/drotrain/data/table"
)

// Columns made of others: functions of a number, and products of several columns. Their
// values are worked out as they are read, so that they are encoded as any number is.

// noFeature says why what is asked of a column cannot be had: it is no feature, or not there.
func noFeature(f *Frame, name, what string) error {
	if _, err := f.Lookup(name); err != nil {
		return err
	}
	return f.Fault(name, -1, table.Advice{}, "%s is asked of it, but it is no feature", what)
}

// make puts the columns that are made among the features.
func (t *fitting) make() error {
	s := &t.e.Spec.Transforms
	if s.Empty() {
		return nil
	}
	if _, err := t.whole(); err != nil {
		return err
	}
	t.made = map[*Column][]Operand{}
	find := func(name, what string) *Column {
		for _, c := range t.features {
			if c.Name == name {
				return c
			}
		}
		t.problems.Add(noFeature(t.f, name, what))
		return nil
	}
	number := func(name, what string) (*Operand, error) {
		c := find(name, what)
		if c == nil {
			return nil, nil
		}
		if !t.e.Spec.Numeric(c) {
			t.problems.Add(t.f.Fault(name, -1, table.Advice{}, "%s is of numbers, and this column is taken as a category", what))
			return nil, nil
		}
		o := &Operand{Column: name, Kind: Numeric}
		return o, t.fill(o, c)
	}
	var added []*Column
	place := map[string][]*Column{}
	add := func(name string, operands []Operand) (*Column, error) {
		c, err := combined(t.ctx, t.f, name, operands)
		if err == nil {
			t.made[c] = operands
		}
		return c, err
	}
	for _, of := range []struct {
		names []string
		how   string
	}{{s.Log, "log"}, {s.Square, "square"}} {
		for _, name := range of.names {
			o, err := number(name, "a "+of.how)
			if err != nil {
				return err
			}
			if o == nil {
				continue
			}
			o.Function.Name = of.how
			c, err := add(of.how+"("+name+")", []Operand{*o})
			if err != nil {
				return err
			}
			if of.how == "log" {
				place[name] = append(place[name], c)
			} else {
				added = append(added, c)
			}
		}
	}
	for _, c := range slices.Clone(t.features) {
		knots, ok := s.Spline[c.Name]
		if !ok {
			continue
		}
		o, err := number(c.Name, "a spline")
		if err != nil {
			return err
		}
		if o == nil {
			continue
		}
		basis, err := t.spline(c, knots)
		if err != nil {
			if err = t.problems.Add(err); err != nil {
				return err
			}
			continue
		}
		for k, f := range basis {
			o.Function = f
			made, err := add(fmt.Sprintf("spline(%s).%d", c.Name, k+1), []Operand{*o})
			if err != nil {
				return err
			}
			place[c.Name] = append(place[c.Name], made)
		}
	}
	for name := range s.Spline {
		find(name, "a spline")
	}
	for _, pair := range s.Interact {
		var sides [2][]Operand
		for k, name := range pair {
			c := find(name, "an interaction")
			if c == nil {
				continue
			}
			if t.e.Spec.Numeric(c) {
				o, err := number(name, "an interaction")
				if err != nil {
					return err
				}
				sides[k] = []Operand{*o}
				continue
			}
			loaded, err := c.Load(t.ctx)
			if err != nil {
				return err
			}
			fitted := fitCategory(&t.e.Spec, t.f, loaded, t.partition)
			if fitted.err != nil {
				continue // told of the column itself
			}
			for i, l := range fitted.in.Levels {
				if i != fitted.in.Skipped() {
					sides[k] = append(sides[k], Operand{Column: name, Kind: fitted.kind, Level: l})
				}
			}
		}
		for _, a := range sides[0] {
			for _, b := range sides[1] {
				c, err := add(a.Label()+":"+b.Label(), []Operand{a, b})
				if err != nil {
					return err
				}
				added = append(added, c)
			}
		}
	}
	var features []*Column
	for _, c := range t.features {
		if made := place[c.Name]; made != nil {
			features = append(features, made...)
		} else {
			features = append(features, c)
		}
	}
	t.features = append(features, added...)
	return nil
}

// fill finds what stands for nulls of a number, also where training has none: rows that are
// scored later may.
func (t *fitting) fill(o *Operand, c *Column) error {
	how := t.e.Spec.Impute
	if how != "mean" && how != "median" {
		return nil
	}
	c, err := c.Load(t.ctx)
	if err != nil {
		return err
	}
	var v float64
	if how == "median" {
		v, err = medianOf(t.ctx, c, t.partition.Set(0))
	} else {
		var parts []tiles.Moment
		var buf []float64
		stripe := 0
		for _, r := range t.partition.Set(0).All() {
			if r/tiles.StripeRows != stripe {
				parts, buf, stripe = append(parts, tiles.MomentOf(buf)), buf[:0], r/tiles.StripeRows
			}
			if !c.IsNull(r) {
				buf = append(buf, c.Number[r])
			}
		}
		_, v, _, _ = tiles.JoinMoments(append(parts, tiles.MomentOf(buf)))
	}
	if err == nil && v-v == 0 {
		o.Fill = &v
	}
	return err
}

// spline is the basis of a natural cubic spline of the training values: the number
// itself, and one function less than there are knots between; see Hastie, Tibshirani and
// Friedman, The Elements of Statistical Learning, (5.4). The knots are quantiles from
// 5 to 95 %.
func (t *fitting) spline(c *Column, knots int) ([]Function, error) {
	loaded, err := c.Load(t.ctx)
	if err != nil {
		return nil, err
	}
	var v []float64
	for _, r := range t.partition.Set(0).All() {
		if x := loaded.Number[r]; !loaded.IsNull(r) && x-x == 0 {
			v = append(v, x)
		}
	}
	slices.Sort(v)
	var at []float64
	for k := range knots {
		if len(v) > 0 {
			at = append(at, v[int(math.Round((0.05+0.9*float64(k)/float64(knots-1))*float64(len(v)-1)))])
		}
	}
	at = slices.Compact(at)
	if len(at) < 3 {
		return nil, t.f.Fault(c.Name, -1, table.Hint("ask for more knots, or take it as it is"), "%d knots at quantiles of its values are %d different ones; a spline needs three", knots, len(at))
	}
	return schema.NaturalSpline(at), nil
}
