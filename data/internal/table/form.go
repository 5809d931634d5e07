package table

// A ColumnForm describes how the values of a column were read. The same column of another table is read in the same way: a
// reader that knows the ColumnForm does not guess.
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

// NewColumnForm returns how a column was read.
func NewColumnForm(c *Column) ColumnForm {
	return ColumnForm{Name: c.Name, Kind: c.Kind, Type: c.Type, Text: c.FromText, Clock: c.Clock, Order: c.Order, Zone: c.Zone}
}

// VariousOffsets is the zone of a column of times whose offsets from UTC differ.
const VariousOffsets = "various"

// UTC is the zone of times in UTC.
const UTC = "UTC"

// IsPadded reports whether a text begins with a zero before another digit, as codes do and numbers do not.
func IsPadded(s string) bool { return len(s) > 1 && s[0] == '0' && s[1] >= '0' && s[1] <= '9' }
