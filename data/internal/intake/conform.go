package intake

import (
	"strings"

	"github.com/drotrain/drotrain/data/table"
)

// ConformText returns a column of texts as if it had been read from a text file: without the blanks at the ends of
// texts, and with nulls in place of empty texts. The values are not loaded.
func ConformText(c *table.Column, rows int) *table.Column {
	parts := c.Parts
	if !c.IsStored() {
		parts = []table.Part{InMemory(rows, c)}
	}
	out := *c
	out.Code, out.Level, out.Null, out.Parts = nil, nil, nil, make([]table.Part, len(parts))
	for i, p := range parts {
		out.Parts[i] = conformed{p}
	}
	return &out
}

// A conformed is a part of a column that ConformText returned.
type conformed struct {
	table.Part
}

func (p conformed) Nullable() bool { return true }

func (p conformed) Open(row int, b *table.Buffers) (table.Values, error) {
	v, err := p.Part.Open(row, b)
	if err != nil {
		return nil, err
	}
	return &conformedValues{Values: v, own: table.NewLevels()}, nil
}

type conformedValues struct {
	table.Values
	own *table.Levels // the levels of the file
	to  []int32       // code in the levels of the reader for each original code; -1 if not looked up
}

func (v *conformedValues) Codes(dst []int32, null []bool, levels *table.Levels) (nulls int, err error) {
	if nulls, err = v.Values.Codes(dst, null, v.own); err != nil {
		return nulls, err
	}
	for _, text := range v.own.Text[len(v.to):] {
		code := int32(-1)
		if text = strings.TrimSpace(text); text != "" {
			code = levels.Code(text)
		}
		v.to = append(v.to, code)
	}
	for i, k := range dst {
		if k < 0 {
			continue
		}
		if dst[i] = v.to[k]; dst[i] < 0 {
			nulls++
			if null != nil {
				null[i] = true
			}
		}
	}
	return nulls, nil
}
