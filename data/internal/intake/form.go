package intake

import (
	"cmp"
	"strings"

	"github.com/drotrain/drotrain/data/table"
)

// NewColumnForm returns the form in which a column was read.
func NewColumnForm(c *table.Column) table.ColumnForm {
	return table.ColumnForm{Name: c.Name, Kind: c.Kind, Type: c.Type, Text: c.FromText, Clock: c.Clock, Order: c.Order,
		Zone: c.Zone, Marks: c.Marks, Unquoted: c.Unquoted}
}

// VariousOffsets is the zone of a column of times with different offsets from UTC.
const VariousOffsets = "various"

// UTC is the zone of times in UTC.
const UTC = "UTC"

// JoinMarks returns the marks of a column that consists of two parts with the marks a and b; nil stands for a part
// without numbers in text.
func JoinMarks(a, b *table.NumberMarks) *table.NumberMarks {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	m := *a
	m.Dotted, m.Long, m.Always, m.Sometimes = cmp.Or(a.Dotted, b.Dotted), cmp.Or(a.Long, b.Long), "", ""
	switch {
	case a.Fractions == b.Fractions:
	case a.Fractions == table.NoFractions:
		m.Fractions = b.Fractions
	case b.Fractions != table.NoFractions:
		m.Fractions = table.MixedFractions
	}
	for _, sign := range a.Always + a.Sometimes + b.Always + b.Sometimes {
		switch {
		case strings.ContainsRune(m.Always+m.Sometimes, sign):
		case strings.ContainsRune(a.Always, sign) && strings.ContainsRune(b.Always, sign):
			m.Always += string(sign)
		default:
			m.Sometimes += string(sign)
		}
	}
	return &m
}
