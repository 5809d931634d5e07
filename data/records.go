package data

import (
	"cmp"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/drotrain/drotrain/data/internal/csv"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/internal/numeral"
)

// FromRecords returns a table with one row for each record. The columns are the keys of all records, in
// alphabetical order; a key that a record lacks yields a null. Values may be numbers of any type, json.Number,
// strings, bools, time.Time (days since 1970-01-01 UTC), the Null types of database/sql, pointers to them, and nil,
// which is a null. The values of a column must be of one kind; an error names the column and the row.
func FromRecords(records []map[string]any) (*Frame, error) {
	keys := map[string]bool{}
	for _, r := range records {
		for name := range r {
			keys[name] = true
		}
	}
	names := slices.Sorted(maps.Keys(keys))
	columns := make([]*columnBuilder, len(names))
	for i, name := range names {
		columns[i] = newColumnBuilder(name, len(records))
	}
	for _, r := range records {
		for i, name := range names {
			if err := columns[i].add(r[name]); err != nil {
				return nil, err
			}
		}
	}
	return frameOfColumns(columns)
}

// FromRows returns a table of the result of a query. It reads rows to their end and closes them. Columns of
// decimals that the driver returns as text are read as numbers; other values are treated as by [FromRecords].
func FromRows(rows *sql.Rows) (*Frame, error) {
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	columns := make([]*columnBuilder, len(types))
	values := make([]any, len(types))
	targets := make([]any, len(types))
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	names, renamed := intake.MakeUnique(names)
	for i, t := range types {
		targets[i] = &values[i]
		database := strings.ToUpper(t.DatabaseTypeName())
		columns[i] = newColumnBuilder(names[i], 0)
		columns[i].decimal = strings.Contains(database, "DECIMAL") || strings.Contains(database, "NUMERIC")
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
	f, err := frameOfColumns(columns)
	if err != nil {
		return nil, err
	}
	f.Notes = append(f.Notes, renamed...)
	return f, nil
}

// ColumnOf returns a column of values of one kind: numbers, strings, bools, times, or any other type that
// [FromStructs] accepts for a field. A nil pointer is a null.
func ColumnOf[T any](name string, values []T) (Column, error) {
	if numbers, ok := any(values).([]float64); ok { // a slice of float64 needs no inspection of every value
		return Column{Name: name, Type: "float64", Kind: Numeric, Number: slices.Clone(numbers)}, nil
	}
	b := newColumnBuilder(name, len(values))
	if err := b.setType(reflect.TypeFor[T]()); err != nil {
		return Column{}, fmt.Errorf("column %q: %w", name, err)
	}
	for _, v := range values {
		if err := b.add(v); err != nil {
			return Column{}, err
		}
	}
	return b.column(), nil
}

// FromStructs returns a table of the exported fields of structs, or of pointers to structs, that are numbers,
// strings, bools, times, values of database/sql's Null types or pointers to them, as in [FromRecords]: nil is a
// null. The name of a column is that of its field, or the one in the field's tag `drotrain:"name"`, which the
// scorers use too; the name "-" omits a field. The fields of embedded structs are columns too.
func FromStructs[T any](rows []T) (*Frame, error) {
	t := indirectType(reflect.TypeFor[T]())
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("rows must be structs, not values of type %s", reflect.TypeFor[T]())
	}
	var builders []*columnBuilder
	var at [][]int
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("drotrain"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		b := newColumnBuilder(cmp.Or(name, f.Name), len(rows))
		if err := b.setType(f.Type); err != nil && f.Anonymous && indirectType(f.Type).Kind() == reflect.Struct {
			continue // its fields become columns
		} else if err != nil {
			return nil, fmt.Errorf("field %s: column %q: %w", f.Name, b.c.Name, err)
		}
		builders, at = append(builders, b), append(at, f.Index)
	}
	v := reflect.ValueOf(rows)
	for i := range rows {
		row := v.Index(i)
		for row.Kind() == reflect.Pointer {
			if row.IsNil() {
				return nil, fmt.Errorf("row %d is nil", i+1)
			}
			row = row.Elem()
		}
		for k, b := range builders {
			var value any
			// an error means that the field is in an embedded pointer that is nil
			if field, err := row.FieldByIndexErr(at[k]); err == nil {
				value = field.Addr().Interface() // the pointer's methods include those of the value
			}
			if err := b.add(value); err != nil {
				return nil, err
			}
		}
	}
	return frameOfColumns(builders)
}

// frameOfColumns returns a table of the built columns.
func frameOfColumns(builders []*columnBuilder) (*Frame, error) {
	out := make([]Column, len(builders))
	for i, b := range builders {
		out[i] = b.column()
	}
	return NewFrame(out...)
}

// indirectType follows pointer types to the type that they point to, and returns any other type unchanged.
func indirectType(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// A columnBuilder builds a column from Go values. Their type, or the first value, decides its kind.
type columnBuilder struct {
	c       Column
	decimal bool   // whether texts are numbers
	kind    string // kind of the values, as in cell; "" while it is undecided
	values  []float64
	null    []bool
	levels  map[string]int
}

// newColumnBuilder returns a builder of a column with space for n rows.
func newColumnBuilder(name string, n int) *columnBuilder {
	return &columnBuilder{c: Column{Name: name}, values: make([]float64, 0, n), levels: map[string]int{}}
}

// setType sets the kind of the column if the type t determines it, and returns an error if a column cannot hold
// values of type t.
func (b *columnBuilder) setType(t reflect.Type) error {
	if t = indirectType(t); t.Implements(valuerType) || reflect.PointerTo(t).Implements(valuerType) {
		return nil
	}
	zero, err := cellOf(reflect.New(t).Interface())
	if err == nil && t.Kind() == reflect.Interface {
		err = noValueError(t)
	}
	b.setKind(zero)
	return err
}

// setKind sets the kind of the column to the kind of v.
func (b *columnBuilder) setKind(v cell) {
	b.kind, b.c.Type, b.c.Integer = v.kind, v.typ, v.whole
}

// add appends a value. The error names the column and the row.
func (b *columnBuilder) add(value any) error {
	v, err := cellOf(value)
	if err == nil && b.decimal && v.kind == textCell {
		v, err = parseDecimal(v.text)
	}
	if err == nil && v.kind != "" && b.kind != "" && v.kind != b.kind {
		err = fmt.Errorf("the value %v is %s, but an earlier value is %s", value, v.kind, b.kind)
	}
	if err != nil {
		return &Error{Path: "memory", Column: b.c.Name, Row: len(b.null) + 1, Msg: err.Error()}
	}
	switch {
	case v.kind == "":
	case b.kind == "":
		b.setKind(v)
	case v.typ == "float64":
		b.c.Type = v.typ
	}
	if v.kind == numberCell && v.value != math.Trunc(v.value) {
		b.c.Integer = false
	}
	if v.kind == textCell {
		k, known := b.levels[v.text]
		if !known {
			k = len(b.c.Level)
			b.levels[v.text], b.c.Level = k, append(b.c.Level, v.text)
		}
		v.value = float64(k)
	}
	b.values, b.null = append(b.values, v.value), append(b.null, v.kind == "")
	if v.inexact && b.c.InexactRow == 0 {
		b.c.InexactRow = len(b.null)
	}
	return nil
}

// column returns the column of the values added so far.
func (b *columnBuilder) column() Column {
	c := b.c
	if slices.Contains(b.null, true) {
		c.Null = b.null
	}
	switch b.kind {
	case numberCell, timeCell:
		c.Kind, c.Clock, c.Number = Numeric, b.kind == timeCell, b.values
	case boolCell:
		c.Kind, c.Number = Bool, b.values
	default: // a text column, or only nulls
		c.Kind, c.Type, c.Code = Categorical, cmp.Or(c.Type, "null"), make([]int32, len(b.values))
		for i, k := range b.values {
			if c.Code[i] = int32(k); b.null[i] {
				c.Code[i] = -1
			}
		}
	}
	return c
}

// A cell is a value of a column. The zero cell is a null.
type cell struct {
	kind           string // one of the kinds below; "" for a null
	typ            string // Go type; "timestamp" for a time
	value          float64
	whole, inexact bool // the number is an integer; float64 cannot hold it exactly
	text           string
}

// The kinds of cells, as messages name them.
const (
	numberCell = "a number"
	textCell   = "text"
	boolCell   = "a bool"
	timeCell   = "a time"
)

var valuerType = reflect.TypeFor[driver.Valuer]()

// cellOf returns the cell of a time, number, string or bool, of a value of database/sql or json, or of a pointer to
// one of these.
func cellOf(value any) (cell, error) {
	for range 8 { // pointers and Valuers may be nested
		v := reflect.ValueOf(value)
		if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
			return cell{}, nil
		}
		switch x := value.(type) {
		case time.Time:
			return cell{kind: timeCell, typ: "timestamp", value: csv.DaysOf(x)}, nil
		case []byte:
			return cell{kind: textCell, typ: "string", text: string(x)}, nil
		case json.Number:
			if x == "" {
				return cell{}, nil
			}
			if i, err := x.Int64(); err == nil {
				return cellOf(i)
			}
			f, err := x.Float64()
			if err != nil {
				return cell{}, fmt.Errorf("%q is not a number, or exceeds the range of float64", x)
			}
			return cellOf(f)
		case driver.Valuer:
			var err error
			if value, err = x.Value(); err != nil {
				return cell{}, err
			}
			continue
		}
		c := cell{kind: numberCell, typ: v.Kind().String()}
		switch k := v.Kind(); {
		case k == reflect.Pointer:
			value = v.Elem().Interface()
			continue
		case k == reflect.String:
			c.kind, c.text = textCell, v.String()
		case k == reflect.Bool:
			c.kind = boolCell
			if v.Bool() {
				c.value = 1
			}
		case v.CanInt():
			c.value, c.whole = float64(v.Int()), true
			c.inexact = c.value == 1<<63 || int64(c.value) != v.Int()
		case v.CanUint():
			c.value, c.whole = float64(v.Uint()), true
			c.inexact = c.value == 1<<64 || uint64(c.value) != v.Uint()
		case v.CanFloat():
			c.value = v.Float() // NaN is kept; training reports the row
		default:
			return cell{}, noValueError(v.Type())
		}
		return c, nil
	}
	return cell{}, noValueError(reflect.TypeOf(value))
}

// noValueError returns an error for values of type t, which a column cannot hold.
func noValueError(t reflect.Type) error {
	return fmt.Errorf("values of type %s are not supported: use numbers, strings, bools or times", t)
}

// parseDecimal returns the number written in a text.
func parseDecimal(text string) (cell, error) {
	x, _, ok := numeral.ParseNumber(strings.TrimSpace(text))
	if !ok {
		return cell{}, fmt.Errorf("%q is not a number", text)
	}
	return cellOf(x)
}
