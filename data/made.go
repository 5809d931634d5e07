package data

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data/internal/tiles"
	"github.com/drotrain/drotrain/data/table"
)

// Columns made of others: functions of a number, and products of several columns. Their
// values are worked out as they are read, so that they are encoded as any number is.

// An Operand is a factor of a column that is made of others: a function of a number, or
// the indicator of a level of a category.
type Operand struct {
	Column   string   `json:"column"`
	Kind     Kind     `json:"kind"`              // of the column, as it is taken
	Function Function `json:"function,omitzero"` // of a number
	Fill     *float64 `json:"fill,omitempty"`    // of a number, for nulls; nil: a null makes a null
	Level    string   `json:"level,omitempty"`   // of a category
}

// Transforms are the columns to make, by the names of the columns of the table.
type Transforms struct {
	Log      []string       `json:"log,omitempty"`      // its logarithm, in its place
	Square   []string       `json:"square,omitempty"`   // its square, besides
	Spline   map[string]int `json:"spline,omitempty"`   // a natural cubic spline of so many knots, at quantiles, in its place
	Interact [][2]string    `json:"interact,omitempty"` // the product of two columns, besides
}

func (t *Transforms) empty() bool {
	return len(t.Log)+len(t.Square)+len(t.Spline)+len(t.Interact) == 0
}

// make puts the columns that are made among the features.
func (t *fitting) make() error {
	s := &t.e.Spec.Transforms
	if s.empty() {
		return nil
	}
	t.made = map[*Column][]Operand{}
	find := func(name, what string) *Column {
		for _, c := range t.features {
			if c.Name == name {
				return c
			}
		}
		t.problems.Add(t.f.Fault(name, -1, table.Advice{}, "%s is asked of it, but it is no feature", what))
		return nil
	}
	number := func(name, what string) (*Operand, error) {
		c := find(name, what)
		if c == nil {
			return nil, nil
		}
		if !t.e.Spec.isNumeric(c) {
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
			if t.e.Spec.isNumeric(c) {
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
			fitted := t.e.Spec.fitCategory(t.f, loaded, t.partition)
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
				c, err := add(a.label()+":"+b.label(), []Operand{a, b})
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

func (o *Operand) label() string {
	if o.Kind == Numeric {
		return o.Column
	}
	return o.Column + "=" + o.Level
}

// fill finds what stands for nulls of a number.
func (t *fitting) fill(o *Operand, c *Column) error {
	how := t.e.Spec.Impute
	if how != "mean" && how != "median" || !c.Nullable() {
		return nil
	}
	c, err := c.Load(t.ctx)
	if err != nil || c.Null == nil {
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
	return naturalSpline(at), nil
}

// naturalSpline is the basis for knots that increase.
func naturalSpline(at []float64) []Function {
	last := len(at) - 1
	span := at[last] - at[0]
	out := []Function{{}}
	for j := range last - 1 {
		f := Function{Name: "piecewise", Knots: at}
		// d_j − d_{K−1} in units of the span: cubes of what is above three knots.
		cubes := map[int]float64{}
		for k, sign := range map[int]float64{j: 1, last - 1: -1} {
			w := sign / (at[last] - at[k]) / (span * span)
			cubes[k] += w
			cubes[last] -= w
		}
		for m := 0; m <= last; m++ {
			var p [4]float64
			for k := 0; k <= m; k++ {
				u, w := at[m]-at[k], cubes[k]
				p[0] += w * u * u * u
				p[1] += w * 3 * u * u
				p[2] += w * 3 * u
				p[3] += w
			}
			if m < last {
				f.Pieces = append(f.Pieces, p)
			} else {
				f.Above = [2]float64{p[0], p[1]}
			}
		}
		out = append(out, f)
	}
	return out
}

// validateMade says what is wrong with the operands of an input that was read.
func (in *Input) validateMade() error {
	if in.Kind != Numeric || len(in.Of) > 2 {
		return fmt.Errorf("it is made of %d columns, but it is no number of one or two", len(in.Of))
	}
	for _, o := range in.Of {
		switch {
		case o.Column == "" || o.Kind == Other || o.Kind > Bool:
			return fmt.Errorf("it is made of the column %q of kind %v", o.Column, o.Kind)
		case o.Fill != nil && (math.IsNaN(*o.Fill) || math.IsInf(*o.Fill, 0)):
			return fmt.Errorf("it fills nulls of %q with %v", o.Column, *o.Fill)
		}
		if err := o.Function.Validate(); err != nil {
			return err
		}
	}
	return nil
}

// validate says what cannot be, whatever the table.
func (t *Transforms) validate() error {
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
