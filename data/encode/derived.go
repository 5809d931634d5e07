package encode

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/data/internal/numeral"
)

// Derived columns are functions of a number or products of several columns. Their values are computed while they
// are read, so they are encoded like any numbers.

// missingFeatureFault returns an error about a column that a transformation needs but that is missing or is not a
// feature.
func missingFeatureFault(f *data.Frame, name, what string) error {
	if _, err := f.Lookup(name); err != nil {
		return err
	}
	return f.Fault(name, fix.Advice{}, "the column cannot have %s, since it is not a feature", what)
}

// A derivation collects derived columns before they are placed among the features.
type derivation struct {
	*fitting
	place map[string][]*data.Column // columns that replace a feature, indexed by its name
	added []*data.Column            // derived columns, which follow all features
}

// applyTransforms adds the columns of the Transforms of the Spec.
func (t *fitting) applyTransforms() error {
	t.opener = newTermOpener(t.block)
	if t.e.Spec.Transforms.isEmpty() {
		return nil
	}
	m := &derivation{fitting: t, place: map[string][]*data.Column{}}
	for _, step := range []func() error{m.addFunctions, m.addSplines, m.addInteractions} {
		if err := step(); err != nil {
			return err
		}
	}
	var features []*data.Column
	for _, c := range t.features {
		if derived := m.place[c.Name]; derived != nil {
			features = append(features, derived...)
		} else {
			features = append(features, c)
		}
	}
	t.features = append(features, m.added...)
	return nil
}

// addFunctions adds squares, and replaces columns by their logarithms.
func (m *derivation) addFunctions() error {
	s := m.e.Spec.Transforms
	for _, name := range s.Log {
		if c, err := m.deriveFunction("log", name); err != nil {
			return err
		} else if c != nil {
			m.place[name] = append(m.place[name], c)
		}
	}
	for _, name := range s.Square {
		if c, err := m.deriveFunction("square", name); err != nil {
			return err
		} else if c != nil {
			m.added = append(m.added, c)
		}
	}
	return nil
}

// deriveFunction returns a column with a function of a numeric feature, or nil if no numeric feature has that
// name.
func (m *derivation) deriveFunction(how, name string) (*data.Column, error) {
	what := map[string]string{"log": "a logarithm", "square": "a square"}[how]
	o, err := m.numericOperand(m.findFeature(name, what), what)
	if o == nil || err != nil {
		return nil, err
	}
	o.Function.Name = how
	return m.addTerm(Term{Name: how + "(" + name + ")", Of: []Operand{*o}})
}

// addSplines replaces columns by their spline bases.
func (m *derivation) addSplines() error {
	s := m.e.Spec.Transforms
	for _, c := range slices.Clone(m.features) {
		knots, ok := s.Spline[c.Name]
		if !ok {
			continue
		}
		o, err := m.numericOperand(c, "a spline")
		if err != nil {
			return err
		}
		if o == nil {
			continue
		}
		basis, err := m.splineBasis(c, knots)
		if err != nil {
			if err = m.problems.Add(err); err != nil {
				return err
			}
			continue
		}
		for k, f := range basis {
			o.Function = f
			derived, err := m.addTerm(Term{Name: fmt.Sprintf("spline(%s).%d", c.Name, k+1), Of: []Operand{*o}})
			if err != nil {
				return err
			}
			m.place[c.Name] = append(m.place[c.Name], derived)
		}
	}
	for name := range s.Spline {
		m.findFeature(name, "a spline")
	}
	return nil
}

// addInteractions adds the products of pairs of features. A category contributes one indicator for each level.
func (m *derivation) addInteractions() error {
	for _, pair := range m.e.Spec.Transforms.Interact {
		var sides [2][]Operand
		for k, name := range pair {
			var err error
			if sides[k], err = m.interactionOperands(name); err != nil {
				return err
			}
		}
		if constant, err := m.noteConstantFactor(pair); err != nil {
			return err
		} else if constant {
			continue
		}
		if len(sides[0]) > 0 && len(sides[1]) > 0 && sides[0][0].Kind != data.Numeric && sides[1][0].Kind != data.Numeric {
			if err := m.addCategoryProduct(pair, sides); err != nil {
				return err
			}
			continue
		}
		for _, a := range sides[0] {
			for _, b := range sides[1] {
				c, err := m.addTerm(newTerm(a, b))
				if err != nil {
					return err
				}
				m.added = append(m.added, c)
			}
		}
	}
	return nil
}

// addCategoryProduct adds the product of two categories: the pairs of levels that occur in the training rows.
// It records a problem if there are more pairs than a category may have levels.
func (m *derivation) addCategoryProduct(pair [2]string, sides [2][]Operand) error {
	limit := cmp.Or(m.e.Spec.MaxLevels, DefaultMaxLevels)
	occurs, err := m.occurringPairs(pair, sides, limit)
	if err != nil {
		return err
	}
	if len(occurs) > limit {
		m.problems.Add(m.f.Fault(pair[0], fix.Offer(fix.MergeRareLevels, fix.RaiseMaxLevels),
			"the product with %q has too many pairs of levels: a product may have at most %d columns", pair[1], limit))
		return nil
	}
	var pairs []Term
	for _, a := range sides[0] {
		for _, b := range sides[1] {
			if occurs[[2]string{a.Level, b.Level}] {
				pairs = append(pairs, newTerm(a, b))
			}
		}
	}
	if len(pairs) > 0 {
		place := &data.Column{Name: pair[0] + ":" + pair[1], Kind: data.Categorical}
		m.terms[place] = pairs
		m.added = append(m.added, place)
	}
	return nil
}

// occurringPairs returns the pairs of levels of two categories that occur in the training rows, considering only
// levels with operands. It may stop once it has found more than most pairs. It is a collective call.
func (m *derivation) occurringPairs(pair [2]string, sides [2][]Operand, most int) (map[[2]string]bool, error) {
	var read [2]func(row int) string
	var column [2]*data.Column
	has := [2]map[string]bool{{}, {}}
	for k, operands := range sides {
		c, err := m.findFeature(pair[k], "an interaction").Load(m.ctx)
		if err != nil {
			return nil, err
		}
		column[k], read[k] = c, labelReader(c, operands[0].Kind)
		for _, o := range operands {
			has[k][o.Level] = true
		}
	}
	var own [][2]string
	occurs, seen := map[[2]string]bool{}, map[[2]float64]bool{}
	for _, r := range m.partition.Set(0).All() {
		if column[0].IsNull(r) || column[1].IsNull(r) {
			continue
		}
		if at := [2]float64{valueKey(column[0], r), valueKey(column[1], r)}; !seen[at] {
			seen[at] = true
			if l := [2]string{read[0](r), read[1](r)}; has[0][l[0]] && has[1][l[1]] && !occurs[l] {
				own, occurs[l] = append(own, l), true
			}
			if len(own) > most {
				break
			}
		}
	}
	all, err := fromRanks(m.comm, own)
	for _, pairs := range all {
		for _, l := range pairs {
			occurs[l] = true
		}
	}
	return occurs, err
}

// noteConstantFactor adds a note if a factor of a product is constant in the training rows, and reports whether one
// is.
func (m *derivation) noteConstantFactor(pair [2]string) (is bool, err error) {
	for _, name := range pair {
		i := slices.IndexFunc(m.features, func(c *data.Column) bool { return c.Name == name && c.Kind != data.Vector })
		if i < 0 || is {
			continue
		}
		c, err := m.features[i].Load(m.ctx)
		if err != nil {
			return false, err
		}
		var texts []string
		for _, r := range m.partition.Set(0).All() {
			if c.IsNull(r) && m.e.Spec.isNumeric(c) { // filled with the constant
				continue
			}
			if text := c.Text(r); !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
			if len(texts) > 1 {
				break
			}
		}
		all, err := fromRanks(m.comm, texts)
		if err != nil {
			return false, err
		}
		if is = len(slices.Compact(slices.Sorted(slices.Values(slices.Concat(all...))))) < 2; is {
			m.e.addNote("the product of %q and %q is left out, since %q is constant in the training rows", pair[0], pair[1],
				name)
		}
	}
	return is, nil
}

// interactionOperands returns the operands that represent a feature in an interaction: one for a number, or one for
// each level of a category except the reference level.
func (m *derivation) interactionOperands(name string) (operands []Operand, err error) {
	const what = "an interaction"
	c := m.findFeature(name, what)
	if c == nil {
		return nil, nil
	}
	if m.e.Spec.isNumeric(c) {
		o, err := m.numericOperand(c, what)
		if err != nil {
			return nil, err
		}
		return []Operand{*o}, nil
	}
	known, err := m.scanLevels([]*data.Column{c})
	if err != nil {
		return nil, err
	}
	whole, err := m.f.Lookup(name)
	if err != nil {
		return nil, err
	}
	fitted := newCategory(&m.e.Spec, m.f, whole, known[0], m.total)
	if fitted.err != nil {
		return nil, nil // the column itself has the problem, which is reported elsewhere
	}
	for i, l := range fitted.in.Levels {
		if i != fitted.in.skippedLabel() {
			operands = append(operands, Operand{Column: name, Kind: fitted.kind, Level: l})
		}
	}
	return operands, nil
}

// findFeature returns the feature with the given name. If there is none, it records a problem and returns nil.
func (m *derivation) findFeature(name, what string) *data.Column {
	for _, c := range m.features {
		if c.Name == name && c.Kind == data.Vector {
			m.problems.Add(vectorFault(m.f, name, what))
			return nil
		}
		if c.Name == name {
			return c
		}
	}
	m.problems.Add(missingFeatureFault(m.f, name, what))
	return nil
}

// numericOperand returns a numeric feature as an operand, with the fill for its nulls. It returns nil if c is
// nil or not numeric.
func (m *derivation) numericOperand(c *data.Column, what string) (*Operand, error) {
	if c == nil || c.Kind == data.Vector { // findFeature has reported the reason
		return nil, nil
	}
	if !m.e.Spec.isNumeric(c) {
		m.problems.Add(m.f.Fault(c.Name, fix.Advice{}, "%s needs a numeric feature, but the column is used as a category",
			what))
		return nil, nil
	}
	o := &Operand{Column: c.Name, Kind: data.Numeric}
	return o, m.setFill(o, c)
}

// addTerm returns the derived column of a term.
func (t *fitting) addTerm(of Term) (*data.Column, error) {
	c, err := t.opener.open(t.ctx, of)
	if err == nil {
		t.terms[c] = []Term{of}
	}
	return c, err
}

// setFill sets the fill for nulls of a number, even if training has no nulls, since rows scored later may have
// some.
func (t *fitting) setFill(o *Operand, c *data.Column) error {
	how := t.e.Spec.Impute
	if how != "mean" && how != "median" {
		return nil
	}
	var v float64
	if how == "median" {
		values, err := t.sortedValues(c)
		if err != nil {
			return err
		}
		v = values.median()
	} else {
		known, err := t.scanNumbers([]*data.Column{c}, nil)
		if err != nil {
			return err
		}
		_, v, _, _ = matrix.JoinMoments(known[0].Moments)
		if known[0].Faults.NotFiniteRow >= 0 {
			return nil // the column is rejected for this reason elsewhere
		}
	}
	if numeral.IsFinite(v) {
		o.Fill = &v
	}
	return nil
}

// splineBasis returns the basis of a natural cubic spline of the training values: the identity and one function for
// each knot but the last two (Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, eq. 5.4). The
// knots are quantiles between 5 % and 95 %.
func (t *fitting) splineBasis(c *data.Column, knots int) ([]Function, error) {
	v, err := t.sortedValues(c)
	if err != nil {
		return nil, err
	}
	var at []float64
	for k := range knots {
		if len(v.Value) > 0 {
			at = append(at, v.quantile(0.05+0.9*float64(k)/float64(knots-1)))
		}
	}
	at = slices.Compact(at)
	if len(at) < 3 {
		return nil, t.f.Fault(c.Name, fix.Advise("use more knots, or leave out the spline"),
			"the %d knots, placed at quantiles of the column, fall on only %d distinct values; a spline needs at least 3",
			knots, len(at))
	}
	return naturalSpline(at), nil
}
