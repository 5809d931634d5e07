package table

import (
	"fmt"
	"strings"
)

// A ColumnForm describes how the values of a column were read. A reader to which a ColumnForm is passed reads the
// column of that name in another table in the same way, without inferring its type.
type ColumnForm struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	Type string `json:"type"` // like Column.Type

	// Text reports whether the values were texts in CSV or JSON Lines. Blanks at their ends were removed, and
	// texts that are empty or mark missing values are nulls.
	Text bool `json:"text,omitempty"`

	Clock bool   `json:"clock,omitempty"` // values are dates or times, as days since 1970-01-01 UTC
	Order string `json:"order,omitempty"` // order of day, month and year in text
	Zone  string `json:"zone,omitempty"`  // time zone of times; see Column.Zone

	Marks *NumberMarks `json:"marks,omitempty"` // marks of numbers stored as text

	Unquoted bool `json:"unquoted,omitempty"` // texts are unquoted values of JSON Lines: numbers and bools

	// The following fields are derived from the levels in training and are not stored.
	Blanks bool  `json:"-"` // levels have blanks at their ends, which are kept
	Empty  Empty `json:"-"` // meaning of an empty field in a text file
}

// An Empty is the meaning of an empty field in a text column.
type Empty uint8

const (
	EmptyNull    Empty = iota // an empty text is a null
	EmptyText                 // the text "", which is a level in training
	EmptyUnknown              // an error, since training had both meanings
)

// NumberMarks describes the separators and other marks in the numbers of a text column, so that numbers with
// different marks are not misread.
type NumberMarks struct {
	Fractions Fractions `json:"fractions"`
	Dotted    string    `json:"dotted,omitempty"` // the first number with three digits after the decimal separator
	// first number of more than three digits without any separator
	Long      string `json:"long,omitempty"`
	Always    string `json:"always,omitempty"`    // the stripped characters that occur at every number
	Sometimes string `json:"sometimes,omitempty"` // the stripped characters that occur at some numbers only
}

// Fractions describes the fractional parts of the numbers of a column.
type Fractions string

// The kinds of fractions.
const (
	NoFractions Fractions = "none"
	// all have three digits, so that the decimal separator may stand between thousands
	DottedFractions Fractions = "dotted"
	// no number consists of one to three digits and a fraction of exactly three
	OtherFractions Fractions = "other"
	// some numbers consist of one to three digits and a fraction of exactly three, and some have another fraction
	MixedFractions Fractions = "mixed"
)

// fractions returns the kind of fractions that the numbers had as text: NoFractions for integers, and "" if the
// form does not state it.
func (f *ColumnForm) fractions() Fractions {
	switch {
	case f.Kind != Numeric || f.Clock:
		return ""
	case f.Marks != nil:
		return f.Marks.Fractions
	// from a file with typed columns, or an earlier version
	case strings.HasPrefix(f.Type, "int") || strings.HasPrefix(f.Type, "uint"):
		return NoFractions
	}
	return ""
}

// Contradicts returns why numbers with these marks should probably be parsed differently from those of form f, with one
// of the numbers as an example. Without such a reason it returns empty texts.
func (m *NumberMarks) Contradicts(f *ColumnForm) (why, example string) {
	switch was := f.fractions(); {
	case m.Fractions == DottedFractions && was == NoFractions:
		return "has three digits after the decimal separator, but the training table had whole numbers only", m.Dotted
	case m.Fractions == DottedFractions && was == OtherFractions:
		return "has three digits after the decimal separator, like all fractions of this file and unlike any fraction of " +
				"the training table",
			m.Dotted
	case was == DottedFractions && f.Marks.HasOnlyDotted() && m.Long != "" && m.Fractions != OtherFractions &&
		m.Fractions != MixedFractions:
		return fmt.Sprintf("has no decimal or thousands separator, but the training table had numbers such as %q",
			f.Marks.Dotted), m.Long
	}
	return "", ""
}

// HasOnlyDotted reports whether all fractions have three digits, so that the decimal separator may stand between
// thousands.
func (m *NumberMarks) HasOnlyDotted() bool { return m.Fractions == DottedFractions && m.Long == "" }
