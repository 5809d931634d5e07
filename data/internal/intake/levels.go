package intake

import (
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/table"
)

// NumbersOfLevels converts a column in memory to a column of numbers if all its texts are numbers without leading
// zeros; otherwise it returns c itself.
func NumbersOfLevels(c *table.Column) *table.Column {
	if c.Kind != table.Categorical || len(c.Level) == 0 {
		return c
	}
	out := *c
	out.Kind, out.Type, out.Integer, out.Code, out.Level = table.Numeric, "int64", true, nil, nil
	value := make([]float64, len(c.Level))
	for k, l := range c.Level {
		v, whole, ok := numeral.ParseNumber(l)
		if !ok || numeral.IsPadded(l) {
			return c
		}
		if value[k] = v; !whole {
			out.Type, out.Integer = "float64", false
		}
	}
	out.Number = make([]float64, len(c.Code))
	for i, k := range c.Code {
		if k >= 0 {
			out.Number[i] = value[k]
		}
	}
	return &out
}

// RelabelLevels returns a column in memory with some of its texts renamed. It returns columns of other kinds
// unchanged.
func RelabelLevels(c *table.Column, names map[string]string) *table.Column {
	if c.Kind != table.Categorical {
		return c
	}
	out, levels := *c, table.NewLevels()
	to := make([]int32, len(c.Level))
	for k, l := range c.Level {
		if name, ok := names[l]; ok {
			l = name
		}
		to[k] = levels.Code(l)
	}
	out.Code = make([]int32, len(c.Code))
	for i, k := range c.Code {
		if out.Code[i] = -1; k >= 0 {
			out.Code[i] = to[k]
		}
	}
	out.Level = levels.Text
	return &out
}
