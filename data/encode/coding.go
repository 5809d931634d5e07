package encode

import (
	"fmt"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/numeral"
)

// An Input is a source column of one or more features.
type Input struct {
	Name string `json:"name"`
	// Kind is Numeric, Categorical, Bool or Vector: the kind as which the encoder treats the column. It may
	// differ from the stored kind.
	Kind data.Kind `json:"kind"`
	// Stored is the kind of a category's source column: Numeric if its levels are numbers; Other if the model
	// does not record it.
	Stored data.Kind `json:"stored,omitempty"`
	First  int       `json:"first"`            // index of the first encoded column
	Levels []string  `json:"levels,omitempty"` // sorted levels of a category; "false" and "true" for a bool

	Of []Operand `json:"of,omitempty"` // factors of a derived column, which is their product

	// column of vectors of which this is an entry: emb for emb[3]; otherwise empty
	Vector string `json:"vector,omitempty"`

	// indices of a sparse vector that have an encoded column, ascending
	Index  []int32   `json:"index,omitempty"`
	Scales []float64 `json:"scales,omitempty"` // divisor of the entry at each index; nil means 1

	Missing bool `json:"missing"` // nulls of the category are a separate level, after Levels
	// rare levels and levels that training lacked are one level, after the preceding ones
	Other bool `json:"other,omitempty"`
	// level without an encoded column; if it is "" and there are two levels, the first
	Reference string `json:"reference,omitempty"`
	// value for nulls of a numeric column if Impute is mean or median
	Fill float64 `json:"fill"`
}

// A Coding is one encoded column. Its value in a row is (v − Shift)/Scale, where v is the number in the source
// column, or the indicator of a level of the source column (1 or 0), or 1 for the intercept. A coefficient w of the
// encoded column therefore corresponds to w/Scale per unit of the source column and contributes −w·Shift/Scale to
// the intercept.
type Coding struct {
	Name   string  `json:"name"`   // "education", "region=south", "region=(missing)", "(intercept)"
	Source string  `json:"source"` // the source column; "" for the intercept
	Kind   string  `json:"kind"`   // "numeric", "indicator" or "intercept"
	Level  string  `json:"level,omitempty"`
	Shift  float64 `json:"shift"`
	Scale  float64 `json:"scale"`
}

// Validate returns an error if a coding that was read from a file is invalid.
func (c Coding) Validate() error {
	if bad := !numeral.IsFinite(c.Shift); bad || !isPositiveFinite(c.Scale) {
		return fmt.Errorf("the encoded column %q has the shift %v and the scale %v; both must be finite, and the scale "+
			"must be positive", c.Name, c.Shift, c.Scale)
	}
	return nil
}

// MissingLabel is the label of nulls, as a level and as a group.
const MissingLabel = "(missing)"

// otherLabel is the label of the level into which rare levels are merged.
const otherLabel = "(other)"

// levelLabel returns the label of a level or group named text. This is the text itself, or the text in quotes if it
// could be mistaken, with or without quotes, for the label of nulls or of rare levels.
func levelLabel(text string) string {
	switch strings.Trim(text, `"`) {
	case MissingLabel, otherLabel:
		return `"` + text + `"`
	}
	return text
}

// interceptName is the name of the column of ones.
const interceptName = "(intercept)"

// Labels returns the labels of the levels of a category (see [levelLabel]), followed by [MissingLabel] and (other)
// if the category has such levels.
func (in *Input) Labels() []string {
	all := in.Levels
	if slices.ContainsFunc(all, func(l string) bool { return levelLabel(l) != l }) {
		all = make([]string, len(in.Levels))
		for k, l := range in.Levels {
			all[k] = levelLabel(l)
		}
	}
	if in.Missing {
		all = append(all[:len(all):len(all)], MissingLabel)
	}
	if in.Other {
		all = append(all[:len(all):len(all)], otherLabel)
	}
	return all
}

// skippedLabel returns the index of the label without an encoded column, which is the reference level or the first of
// two levels. It returns -1 if every label has a column.
func (in *Input) skippedLabel() int {
	all := in.Labels()
	if in.Reference != "" {
		return slices.Index(all, in.Reference)
	}
	if len(all) == 2 {
		return 0
	}
	return -1
}

// Column returns the index of the encoded column of label k, or -1 if there is none.
func (in *Input) Column(k int) int {
	skipped := in.skippedLabel()
	switch {
	case k == skipped:
		return -1
	case skipped >= 0 && k > skipped:
		k--
	}
	return in.First + k
}

// Width returns the number of encoded columns.
func (in *Input) Width() int {
	n := len(in.Labels())
	switch {
	case in.isVector():
		return len(in.Index)
	case in.Kind == data.Numeric:
		return 1
	case n < 2:
		return 0
	case in.skippedLabel() >= 0:
		return n - 1
	}
	return n
}

// validateOperands returns an error if the operands of an input that was read from a file are invalid.
func (in *Input) validateOperands() error {
	if in.Kind != data.Numeric {
		return fmt.Errorf("\"of\" is set for a column of kind %v: only a numeric column is derived from others", in.Kind)
	}
	numbers := 0
	for _, o := range in.Of {
		if o.Kind == data.Numeric {
			numbers++
		}
	}
	if len(in.Of) > 2 && numbers > 1 {
		return fmt.Errorf("\"of\" lists %d numeric columns among %d columns: a numeric column is derived from one or two "+
			"columns, or from several levels and at most one numeric column", numbers, len(in.Of))
	}
	for _, o := range in.Of {
		switch {
		case o.Column == "" || !o.Kind.IsScalar():
			return fmt.Errorf("\"of\" needs a named column with single values, not %q of kind %v", o.Column, o.Kind)
		case o.Center != 0 && !(o.Kind == data.Numeric && len(in.Of) > 1 && numbers == 1):
			return fmt.Errorf("\"center\" is set for %q, but only the one numeric column of a product with categories can be "+
				"centred", o.Column)
		case !numeral.IsFinite(o.Center):
			return fmt.Errorf("\"center\" of %q is %v; it must be finite", o.Column, o.Center)
		case o.Fill != nil && (!numeral.IsFinite(*o.Fill)):
			return fmt.Errorf("\"fill\" of %q is %v; it must be finite", o.Column, *o.Fill)
		}
		if err := o.Function.Validate(); err != nil {
			return err
		}
	}
	return nil
}
