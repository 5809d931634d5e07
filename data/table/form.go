package table

import (
	"fmt"
	"strings"
)

// A ColumnForm describes how the values of a column were read. The same column of another table is read in the same
// way: a reader that knows the ColumnForm does not guess.
type ColumnForm struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	Type string `json:"type"` // as Column.Type

	// Text reports whether the values were texts of CSV or JSON Lines: without the blanks at their ends, and null where
	// they are empty or mark missing values.
	Text bool `json:"text,omitempty"`

	Clock bool   `json:"clock,omitempty"` // dates or times, as days since 1970-01-01 UTC
	Order string `json:"order,omitempty"` // of day, month and year in text
	Zone  string `json:"zone,omitempty"`  // of times; see Column.Zone

	Marks *NumberMarks `json:"marks,omitempty"` // of numbers in text

	Unquoted bool `json:"unquoted,omitempty"` // texts of JSON Lines without quotes, as numbers and bools have none

	// The following are known from the levels of training, and not stored.
	Blanks bool  `json:"-"` // levels have blanks at their ends, which are kept
	Empty  Empty `json:"-"` // what an empty field of a text file is
}

// An Empty says what an empty field of a text column is.
type Empty uint8

const (
	EmptyNull    Empty = iota // no value
	EmptyText                 // the text "", which training had as a level
	EmptyUnknown              // an error: training had both
)

// NumberMarks says with which marks the numbers of a column of text are written, so that numbers with other marks are
// not read as other values.
type NumberMarks struct {
	Fractions Fractions `json:"fractions"`
	Dotted    string    `json:"dotted,omitempty"`    // the first number with three digits behind the decimal separator
	Long      string    `json:"long,omitempty"`      // the first number of more than three digits without any mark
	Always    string    `json:"always,omitempty"`    // of the characters that are stripped, those at every number
	Sometimes string    `json:"sometimes,omitempty"` // and those at some
}

// Fractions says what fractions the numbers of a column have.
type Fractions string

// The kinds of fractions.
const (
	NoFractions     Fractions = "none"
	DottedFractions Fractions = "dotted" // all have three digits, so that the decimal separator may stand between thousands
	OtherFractions  Fractions = "other"  // none has exactly three digits behind one to three others
	MixedFractions  Fractions = "mixed"
)

// fractions returns the kind of fractions that the numbers had as text: NoFractions for integers, and "" if the form
// does not state it.
func (f *ColumnForm) fractions() Fractions {
	switch {
	case f.Kind != Numeric || f.Clock:
		return ""
	case f.Marks != nil:
		return f.Marks.Fractions
	// of a typed file, or of an earlier version
	case strings.HasPrefix(f.Type, "int") || strings.HasPrefix(f.Type, "uint"):
		return NoFractions
	}
	return ""
}

// Contradicts returns why numbers written with these marks probably mean something else than the numbers of form f, or
// "". example is one of them.
func (m *NumberMarks) Contradicts(f *ColumnForm) (why, example string) {
	switch was := f.fractions(); {
	case m.Fractions == DottedFractions && was == NoFractions:
		return "has three digits after the decimal separator, but the training table had whole numbers only", m.Dotted
	case m.Fractions == DottedFractions && was == OtherFractions:
		return "has three digits after the decimal separator, like all fractions of this file and none of the training table",
			m.Dotted
	case was == DottedFractions && f.Marks.HasOnlyDotted() && m.Long != "" && m.Fractions != OtherFractions &&
		m.Fractions != MixedFractions:
		return fmt.Sprintf("has no decimal or thousands separator, but the training table had numbers such as %q", f.Marks.Dotted), m.Long
	}
	return "", ""
}

// HasOnlyDotted reports whether all fractions have three digits, so that the decimal separator may stand between thousands.
func (m *NumberMarks) HasOnlyDotted() bool { return m.Fractions == DottedFractions && m.Long == "" }
