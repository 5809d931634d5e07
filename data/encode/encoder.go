package encode

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/internal/printable"
)

// An Encoder encodes frames as design matrices, with levels, means and scales fitted on training rows. It holds
// only data: encoding it as JSON and decoding the result yields the same bits.
type Encoder struct {
	Spec    Spec     `json:"spec"`
	Inputs  []Input  `json:"inputs"`  // source columns in use, in the order of their encoded columns
	Columns []Coding `json:"columns"` // the D encoded columns, of which the intercept is the last
	Target  Target   `json:"target"`
	Groups  []Factor `json:"groups,omitempty"`
	Dates   []string `json:"dates,omitempty"` // features that hold dates, used as days since 1970-01-01 UTC

	Profile *Profile `json:"profile,omitempty"` // profile of the training values, or nil

	// Notes are messages for the user about columns that were dropped, the choice of the positive class, and
	// the like.
	Notes []string `json:"notes,omitempty"`

	constant, filled []string // columns that share one note, each with the text about it
}

// addColumnNotes adds one note for all constant columns and one for all filled columns.
func (e *Encoder) addColumnNotes() {
	if n := len(e.constant); n > 0 {
		e.addNote("%d %s left out because %s constant in the training rows: %s", n, printable.Noun(n, "column", "columns"),
			printable.Noun(n, "it is", "they are"), printable.List(e.constant, mostListed))
	}
	if n := len(e.filled); n > 0 {
		e.addNote("nulls filled with the %s of the training rows in %d %s: %s", e.Spec.Impute, n,
			printable.Noun(n, "column", "columns"), printable.List(e.filled, mostListed))
	}
	e.constant, e.filled = nil, nil
}

// mostListed is the largest number of columns that a note lists.
const mostListed = 8

// addNote adds a message for the user.
func (e *Encoder) addNote(format string, args ...any) {
	e.Notes = append(e.Notes, fmt.Sprintf(format, args...))
}

// D returns the number of encoded columns, the intercept included.
func (e *Encoder) D() int { return len(e.Columns) }

// Uses reports whether a column of the table is the target, a feature or a group column.
func (e *Encoder) Uses(column string) bool {
	for _, in := range e.Inputs {
		if in.Name == column || slices.ContainsFunc(in.Of, func(o Operand) bool { return o.Column == column }) {
			return true
		}
	}
	return column == e.Target.Name || slices.Contains(e.Spec.Groups, column)
}

// Intercept returns the index of the column of ones, or -1 if there is none.
func (e *Encoder) Intercept() int {
	if d := len(e.Columns); d > 0 && e.Columns[d-1].Kind == "intercept" {
		return d - 1
	}
	return -1
}

// Names returns the names of the encoded columns.
func (e *Encoder) Names() []string {
	names := make([]string, len(e.Columns))
	for i, c := range e.Columns {
		names[i] = c.Name
	}
	return names
}

// VectorOfColumns returns, for each encoded column, the name of the column of vectors of which it is an entry, or "".
func (e *Encoder) VectorOfColumns() []string {
	names := make([]string, len(e.Columns))
	for i := range e.Inputs {
		in := &e.Inputs[i]
		name := in.Vector
		if in.isVector() {
			name = in.Name
		}
		for k := range in.Width() {
			names[in.First+k] = name
		}
	}
	return names
}

// SparseEntries reports, for each encoded column, whether it is an entry of a column of sparse vectors.
func (e *Encoder) SparseEntries() []bool {
	out := make([]bool, len(e.Columns))
	for i := range e.Inputs {
		if in := &e.Inputs[i]; in.isVector() {
			for k := range in.Width() {
				out[in.First+k] = true
			}
		}
	}
	return out
}

// sparseVectorOf returns the name of the sparse vector of f whose entries have names like that of c, such as x[3], or
// "" if there is none.
func sparseVectorOf(f *data.Frame, c *data.Column) string {
	vector, rest, found := strings.Cut(c.Name, "[")
	place, err := strconv.ParseInt(strings.TrimSuffix(rest, "]"), 10, 32)
	if !found || c.Vector != "" || err != nil || place < 0 || c.Name != entryName(vector, int32(place)) {
		return ""
	}
	if of, err := f.Lookup(vector); err != nil || of.Kind != data.Vector {
		return ""
	}
	return vector
}

// features returns the feature columns of f and sets e.Dates, or returns errors about columns that cannot be features.
func (e *Encoder) features(f *data.Frame) ([]*data.Column, error) {
	s := e.Spec
	out := make([]*data.Column, 0, len(f.Columns))
	var problems data.Problems
	if len(s.Features) > 0 {
		whole := make(map[string]string) // for every chosen column, the name by which it was chosen
		for _, name := range s.Features {
			chosen := f.PartsOf(name)
			if c, err := f.Lookup(name); err == nil {
				chosen = []*data.Column{c}
			} else if len(chosen) == 0 {
				if err = problems.Add(err); err != nil {
					return nil, err
				}
				continue
			}
			for _, c := range chosen {
				of := cmp.Or(c.Of, c.Vector)
				switch other, twice := whole[c.Name]; {
				case slices.Contains(s.Drop, c.Name): // an entry of a vector, for instance
				case of != "" && slices.Contains(s.Drop, of):
					problems = append(problems, f.Fault(c.Name, fix.Advise("name it in only one of them"),
						"the column is a feature, but %q, to which it belongs, is to be dropped", of))
				case twice:
					problems = append(problems, f.Fault(c.Name, fix.Advise("name only one of them"),
						"the features %q and %q both contain this column", other, name))
				default:
					out, whole[c.Name] = append(out, c), name
				}
			}
		}
	} else {
		skip := map[string]bool{s.Target: true, s.Weight: true, s.Exposure: true}
		for _, name := range s.Drop {
			skip[name] = true
		}
		for _, name := range s.Groups {
			skip[name] = skip[name] || !s.GroupFeatures
		}
		for _, c := range f.Columns {
			if skip[c.Name] || c.Of != "" && skip[c.Of] || c.Vector != "" && skip[c.Vector] {
				continue
			}
			if c.Index {
				e.addNote("column %q is left out, since the file declares it to be the row index; to use the column, name it "+
					"as a feature",
					c.Name)
				continue
			}
			if _, err := f.Lookup(c.Name); err != nil { // a name that occurs twice
				skip[c.Name] = true
				if err = problems.Add(err); err != nil {
					return nil, err
				}
				continue
			}
			out = append(out, c)
		}
	}
	usable := out[:0]
	for _, c := range out {
		if c.Kind != data.Other {
			usable = append(usable, c)
		} else {
			advice := fix.Advise("store the parts that you need in numeric columns", fix.DropColumn)
			switch {
			case c.Clock:
				advice = fix.Offer(fix.SayDates, fix.DropColumn)
			case c.UnexpectedRow > 0: // lists of floats
				advice.Hint = "store lists of the same length without nulls, which may hold NaN for missing numbers"
			case strings.Contains(c.Type, "list") || c.Type == "map":
				advice.Hint = "store the parts that you need in numeric columns or as a vector (lists of floats of the same " +
					"length, or of structs of an integer index and a numeric value)"
			}
			problems = append(problems, f.FaultAt(c.Name, c.UnexpectedRow-1, advice, "a column of type %s cannot be a feature",
				c.Type))
		}
	}
	for _, c := range usable {
		if vector := sparseVectorOf(f, c); vector != "" {
			problems = append(problems, f.Fault(c.Name, fix.Advise("rename the column", fix.DropColumn),
				"the entries of the sparse vector %q have names of this form", vector))
		}
	}
	e.Dates = nil
	for _, c := range usable {
		if c.Kind == data.Vector && slices.Contains(s.Categorical, c.Name) {
			problems = append(problems, vectorFault(f, c.Name, "a category"))
		}
		if c.Clock && s.isNumeric(c) {
			e.Dates = append(e.Dates, c.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Reference)) {
		at := slices.IndexFunc(usable, func(c *data.Column) bool { return c.Name == name })
		switch {
		case at < 0:
			problems.Add(missingFeatureFault(f, name, "a reference level"))
		case usable[at].Kind == data.Vector:
			problems.Add(vectorFault(f, name, "a reference level"))
		case s.isNumeric(usable[at]):
			problems = append(problems, f.Fault(name, fix.Advice{},
				"only a category can have a reference level, but this column is used as a numeric feature"))
		}
	}
	return usable, problems.Err()
}
