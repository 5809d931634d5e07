package intake

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/table"
)

// A Renaming replaces values of a column by others, and knows which values mark missing ones. Texts are compared as
// texts, and the values of a numeric column as numbers: 999 is equal to 999.0.
type Renaming struct {
	names   map[string]string
	missing []string
	numbers map[float64]renamedNumber
	found   map[string]bool // names and missing marks that have occurred
}

// A renamedNumber is the replacement of a number.
type renamedNumber struct {
	key     string // text in the renaming that denotes the number
	to      float64
	missing bool
}

// NewRenaming returns a renaming with the given names and missing marks; parse parses a text as a number.
func NewRenaming(names map[string]string, missing []string, parse func(text string) (v float64, ok bool)) *Renaming {
	r := &Renaming{names: names, missing: missing, found: map[string]bool{}}
	r.ReadAs(parse)
	return r
}

// ReadAs sets the function that converts a text to a number, such as one that converts a date to days.
func (r *Renaming) ReadAs(parse func(text string) (v float64, ok bool)) {
	r.numbers = map[float64]renamedNumber{}
	for _, text := range r.missing {
		if v, ok := parse(text); ok {
			r.numbers[v] = renamedNumber{key: text, missing: true}
		}
	}
	named := map[float64]renamedNumber{}
	for from, text := range r.names {
		v, ok := parse(from)
		to, isNumber := parse(text)
		if isNumber = isNumber || slices.Contains(r.missing, text); ok && isNumber {
			named[v] = renamedNumber{key: from, to: to, missing: slices.Contains(r.missing, text) || r.numbers[to].missing}
		}
	}
	maps.Copy(r.numbers, named)
}

// AppliesTo reports whether values of a column of the given kind may be renamed.
func (r *Renaming) AppliesTo(kind table.Kind) bool {
	for _, text := range append(slices.Collect(maps.Keys(r.names)), r.missing...) {
		_, _, number := numeral.ParseNumber(text)
		_, isBool := numeral.ParseBool(text)
		if kind == table.Categorical || kind == table.Numeric && (number || len(r.numbers) > 0) || kind == table.Bool &&
			isBool {
			return true
		}
	}
	return false
}

// HasOccurred reports whether a text of the renaming has occurred in the column.
func (r *Renaming) HasOccurred(text string) bool { return r.found[text] }

// Rename returns the text that replaces s, or s itself.
func (r *Renaming) Rename(s string) string {
	if len(r.names) == 0 {
		return s
	}
	to, ok := r.names[s]
	if !ok {
		return s
	}
	r.found[s] = true
	return to
}

// IsMissing reports whether s is a text that marks missing values.
func (r *Renaming) IsMissing(s string) bool {
	if len(r.missing) == 0 || !slices.Contains(r.missing, s) {
		return false
	}
	r.found[s] = true
	return true
}

// RenameNumber returns the number that replaces v, and whether v marks a missing value.
func (r *Renaming) RenameNumber(v float64) (to float64, missing bool) {
	if len(r.numbers) == 0 {
		return v, false
	}
	n, ok := r.numbers[v]
	if !ok {
		return v, false
	}
	r.found[n.key] = true
	return n.to, n.missing
}

// Apply returns the column c, which is in memory, with its values renamed, or c itself if no value is renamed. The
// kind of the result is inferred from the new values, as in a text file: a text column in which every value becomes
// a number is Numeric, and a column of numbers or bools in which some value becomes a text is Categorical.
func (r *Renaming) Apply(c *table.Column) *table.Column {
	switch {
	case c.Kind == table.Categorical:
		return r.applyToTexts(c)
	case c.Kind.IsScalar() && r.makesText(c):
		return r.applyToTexts(c.AsTexts())
	case c.Kind == table.Numeric && len(r.numbers) > 0:
		return r.applyToNumbers(c)
	}
	return c
}

// makesText reports whether a number or bool of the column is replaced by a text that is not a number or bool.
func (r *Renaming) makesText(c *table.Column) bool {
	texts := map[string]bool{}
	for from, to := range r.names {
		if _, _, is := numeral.ParseNumber(to); !is && !slices.Contains(r.missing, to) || c.Kind == table.Bool {
			texts[from] = true
		}
	}
	if c.Kind == table.Bool {
		for _, text := range r.missing {
			texts[text] = true
		}
	}
	if len(texts) == 0 {
		return false
	}
	for i := range c.Len() {
		if !c.IsNull(i) && texts[c.Text(i)] {
			return true
		}
	}
	return false
}

// applyToNumbers returns the column with its numbers replaced, or the column itself if none changes.
func (r *Renaming) applyToNumbers(c *table.Column) *table.Column {
	var out *table.Column
	for i, v := range c.Number {
		if c.IsNull(i) {
			continue
		}
		to, missing := r.RenameNumber(v)
		if to == v && !missing {
			continue
		}
		if out == nil {
			same := *c
			out = &same
			out.Number, out.Null = slices.Clone(c.Number), make([]bool, len(c.Number))
			copy(out.Null, c.Null)
		}
		if out.Number[i], out.Null[i] = to, missing; missing {
			out.Number[i] = 0
		}
		out.Integer = out.Integer && to == math.Trunc(to)
	}
	return cmp.Or(out, c)
}

// applyToTexts returns the column with its texts replaced, or the column itself if none changes.
func (r *Renaming) applyToTexts(c *table.Column) *table.Column {
	levels := table.NewLevels()
	to := make([]int32, len(c.Level)) // -1 for missing values
	renamed, missing := false, false
	for k, l := range c.Level {
		name := r.Rename(l)
		if renamed = renamed || name != l; r.IsMissing(name) {
			to[k], missing = -1, true
			continue
		}
		to[k] = levels.Code(name)
	}
	if !renamed && !missing {
		return c
	}
	out := *c
	out.Level, out.Code, out.Null = levels.Text, make([]int32, len(c.Code)), make([]bool, len(c.Code))
	for i, k := range c.Code {
		if out.Code[i] = -1; k >= 0 {
			out.Code[i] = to[k]
		}
		out.Null[i] = out.Code[i] < 0
	}
	if renamed {
		return NumbersOfLevels(&out)
	}
	return &out
}
