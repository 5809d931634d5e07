package data

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/drotrain/drotrain/data/internal/table"
)

// FromRecords makes a table of records, one per row. The columns are the keys of all records
// in alphabetical order; a key that a record lacks is a null. Values may be numbers of any
// type, json.Number, strings, bools, time.Time (days since 1970-01-01 UTC), the Null types of
// database/sql, pointers to them, and nil, which is a null. The values of a column must be of
// one kind; an error names the column and the row.
func FromRecords(records []map[string]any) (*Frame, error) {
	index := map[string]int{}
	for _, r := range records {
		for name := range r {
			index[name] = 0
		}
	}
	names := make([]string, 0, len(index))
	for name := range index {
		names = append(names, name)
	}
	sort.Strings(names)
	columns := make([]*cells, len(names))
	for i, name := range names {
		columns[i] = &cells{name: name}
	}
	for _, r := range records {
		for i, name := range names {
			if err := columns[i].add(r[name]); err != nil {
				return nil, err
			}
		}
	}
	return frameOfCells(columns)
}

// FromRows makes a table of the result of a query. It reads rows to their end and closes
// them. Columns of decimals that the driver returns as text are read as numbers; other values
// are taken as by [FromRecords].
func FromRows(rows *sql.Rows) (*Frame, error) {
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	columns := make([]*cells, len(types))
	values := make([]any, len(types))
	targets := make([]any, len(types))
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.Name()
		targets[i] = &values[i]
	}
	names, renamed := table.Distinct(names)
	for i, t := range types {
		database := strings.ToUpper(t.DatabaseTypeName())
		columns[i] = &cells{name: names[i], decimal: strings.Contains(database, "DECIMAL") || strings.Contains(database, "NUMERIC")}
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		for i, v := range values {
			if err := columns[i].add(v); err != nil {
				return nil, err
			}
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	f, err := frameOfCells(columns)
	if err != nil {
		return nil, err
	}
	f.Notes = append(f.Notes, renamed...)
	return f, nil
}

func frameOfCells(columns []*cells) (*Frame, error) {
	out := make([]Column, len(columns))
	for i, c := range columns {
		out[i] = c.column()
	}
	return NewFrame(out...)
}

// cells collects the values of a column whose kind its first value decides.
type cells struct {
	name    string
	decimal bool // texts are numbers
	kind    reflect.Kind
	date    bool
	builder *columnBuilder
	nulls   int // before the first value
}

// add appends a value, or returns an error that names the column and the row.
func (c *cells) add(value any) error {
	v, err := plainValue(value)
	if err == nil && c.decimal {
		v, err = parseDecimal(v)
	}
	if err != nil {
		return c.failed("%v", err)
	}
	if v == nil {
		if c.builder == nil {
			c.nulls++
		} else {
			c.builder.addNull()
		}
		return nil
	}
	kind, date := kindOf(reflect.TypeOf(v).Kind()), false
	if t, ok := v.(time.Time); ok {
		kind, date, v = reflect.Float64, true, daysOf(t)
	}
	if c.builder == nil {
		b, err := newColumnBuilder(c.name, reflect.TypeOf(v), c.nulls+1)
		if err != nil {
			return c.failed("%v", strings.TrimPrefix(err.Error(), fmt.Sprintf("column %q: ", c.name)))
		}
		c.builder, c.kind, c.date = b, kind, date
		if date {
			b.c.Type, b.c.Clock = "timestamp", true
		}
		for range c.nulls {
			b.addNull()
		}
	}
	if date != c.date || kind != c.kind {
		return c.failed("the value %v is %s, and values before it are %s", value, kindWords(kind, date), kindWords(c.kind, c.date))
	}
	n := reflect.ValueOf(v)
	if n.CanFloat() && !date {
		if c.builder.c.Integer && n.Float() != math.Trunc(n.Float()) { // whole numbers so far
			c.builder.c.Integer = false
		}
		if n.Kind() == reflect.Float64 {
			c.builder.c.Type = "float64"
		}
	}
	c.builder.add(n)
	return nil
}

func (c *cells) failed(format string, args ...any) error {
	row := c.nulls + 1
	if c.builder != nil {
		row = c.builder.c.Len() + 1
	}
	return &Error{Path: "memory", Column: c.name, Row: row, Msg: fmt.Sprintf(format, args...)}
}

// column returns the column; one of nulls alone has no known kind.
func (c *cells) column() Column {
	if c.builder != nil {
		return c.builder.c
	}
	out := Column{Name: c.name, Type: "null", Kind: Categorical, Code: make([]int32, c.nulls), Null: make([]bool, c.nulls)}
	for i := range out.Code {
		out.Code[i], out.Null[i] = -1, true
	}
	return out
}

// kindOf returns Float64 for every kind of number, String or Bool.
func kindOf(k reflect.Kind) reflect.Kind {
	if k == reflect.String || k == reflect.Bool {
		return k
	}
	return reflect.Float64
}

func kindWords(k reflect.Kind, date bool) string {
	switch {
	case date:
		return "a time"
	case k == reflect.String:
		return "text"
	case k == reflect.Bool:
		return "a bool"
	}
	return "a number"
}

var (
	timeType   = reflect.TypeFor[time.Time]()
	numberType = reflect.TypeFor[json.Number]()
	valuerType = reflect.TypeFor[driver.Valuer]()
)

// plainValue returns what a value stands for: nil for a null, a time, a number, a string or a
// bool.
func plainValue(value any) (any, error) {
	for range 8 { // pointers and Valuers may be nested
		switch v := value.(type) {
		case nil, time.Time:
			return v, nil
		case json.Number:
			if i, err := v.Int64(); err == nil {
				return i, nil
			}
			x, err := v.Float64()
			if err != nil {
				return nil, fmt.Errorf("the number %q is not one, or is beyond float64", v)
			}
			return x, nil
		case []byte:
			return string(v), nil
		case driver.Valuer:
			if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer && p.IsNil() {
				return nil, nil
			}
			plain, err := v.Value()
			if err != nil {
				return nil, err
			}
			value = plain
			continue
		}
		p := reflect.ValueOf(value)
		if p.Kind() != reflect.Pointer {
			return value, nil
		}
		if p.IsNil() {
			return nil, nil
		}
		value = p.Elem().Interface()
	}
	return nil, fmt.Errorf("values of type %T are neither numbers nor text nor bools", value)
}

// parseDecimal returns the number that a text stands for.
func parseDecimal(v any) (any, error) {
	text, ok := v.(string)
	if !ok {
		return v, nil
	}
	x, _, ok := table.ParseNumber(strings.TrimSpace(text))
	if !ok {
		return nil, fmt.Errorf("%q is not a number", text)
	}
	return x, nil
}

// daysOf returns the days from 1970-01-01 UTC to t.
func daysOf(t time.Time) float64 {
	return float64(t.Unix())/86400 + float64(t.Nanosecond())/86400e9
}

// takesAny reports whether values of a type need the rules of [FromRecords].
func takesAny(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return slices.Contains([]reflect.Type{timeType, numberType}, t) || t.Implements(valuerType) || reflect.PointerTo(t).Implements(valuerType)
}
