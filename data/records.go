package data

import (
	"cmp"
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
	columns := make([]*columnBuilder, len(names))
	for i, name := range names {
		columns[i] = &columnBuilder{c: Column{Name: name}}
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

// FromRows makes a table of the result of a query. It reads rows to their end and closes
// them. Columns of decimals that the driver returns as text are read as numbers; other values
// are taken as by [FromRecords].
func FromRows(rows *sql.Rows) (*Frame, error) {
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	columns := make([]*columnBuilder, len(types))
	values := make([]any, len(types))
	targets := make([]any, len(types))
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.Name()
		targets[i] = &values[i]
	}
	names, renamed := table.MakeUnique(names)
	for i, t := range types {
		database := strings.ToUpper(t.DatabaseTypeName())
		columns[i] = &columnBuilder{c: Column{Name: names[i]}, decimal: strings.Contains(database, "DECIMAL") || strings.Contains(database, "NUMERIC")}
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

// ColumnOf returns a column of values, which may be numbers, strings, bools or pointers to them. A nil pointer
// is a null.
func ColumnOf[T any](name string, values []T) (Column, error) {
	b := &columnBuilder{c: Column{Name: name}}
	if err := b.begin(reflect.TypeFor[T](), len(values)); err != nil {
		return Column{}, fmt.Errorf("column %q: %w", name, err)
	}
	v := reflect.ValueOf(values)
	for i := range values {
		b.addValue(v.Index(i))
	}
	return b.c, nil
}

// FromStructs makes a table of the exported fields of structs, or of pointers to
// structs, that are numbers, strings, bools, times, values of database/sql's Null types or
// pointers to them, as in [FromRecords]: nil is a null. A column has the name of its field, or
// of the field's tag `drotrain:"name"`, which the scorers read too; the name "-" leaves a field
// out. Embedded structs give their fields.
func FromStructs[T any](rows []T) (*Frame, error) {
	t := reflect.TypeFor[T]()
	pointer := t.Kind() == reflect.Pointer
	if pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("rows of type %s are no structs", reflect.TypeFor[T]())
	}
	var builders []*columnBuilder
	var at [][]int
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("drotrain"), ",")
		embedded := f.Anonymous && !takesAny(f.Type) && (f.Type.Kind() == reflect.Struct || f.Type.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Struct)
		if !f.IsExported() || embedded || name == "-" {
			continue
		}
		b := &columnBuilder{c: Column{Name: cmp.Or(name, f.Name)}}
		if !takesAny(f.Type) { // the type decides, without a value
			if err := b.begin(f.Type, len(rows)); err != nil {
				return nil, fmt.Errorf("field %s: column %q: %w", f.Name, b.c.Name, err)
			}
		}
		builders, at = append(builders, b), append(at, f.Index)
	}
	v := reflect.ValueOf(rows)
	for i := range rows {
		row := v.Index(i)
		if pointer {
			if row.IsNil() {
				return nil, fmt.Errorf("row %d is nil", i+1)
			}
			row = row.Elem()
		}
		for k, b := range builders {
			var value any
			if field, err := row.FieldByIndexErr(at[k]); err == nil { // else within an embedded pointer that is nil
				if value = field.Interface(); field.CanAddr() {
					value = field.Addr().Interface() // methods of pointers, too
				}
			}
			if err := b.add(value); err != nil {
				return nil, err
			}
		}
	}
	return frameOfColumns(builders)
}

func frameOfColumns(builders []*columnBuilder) (*Frame, error) {
	out := make([]Column, len(builders))
	for i, b := range builders {
		if b.kind == reflect.Invalid { // nulls alone, of no known kind
			b.c.Kind, b.c.Type = Categorical, "null"
			b.addNulls(b.nulls)
		}
		out[i] = b.c
	}
	return NewFrame(out...)
}

// A columnBuilder builds a column from Go values. Their type, or the first value, decides its kind.
type columnBuilder struct {
	c       Column
	decimal bool         // texts are numbers
	kind    reflect.Kind // of the values: Float64 of any number, String or Bool; Invalid while it is not decided
	date    bool
	nulls   int // before the kind was decided
	levels  map[string]int32
}

// begin sets the kind of the column by the type of its values and allocates space for n of them.
func (b *columnBuilder) begin(t reflect.Type, n int) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	b.c.Type, b.kind = t.Kind().String(), kindOf(t.Kind())
	switch k := t.Kind(); {
	case k == reflect.String:
		b.c.Kind, b.levels, b.c.Code = Categorical, map[string]int32{}, make([]int32, 0, n)
	case k == reflect.Bool:
		b.c.Kind, b.c.Number = Bool, make([]float64, 0, n)
	case k >= reflect.Int && k <= reflect.Uint64, k == reflect.Float32, k == reflect.Float64:
		b.c.Kind, b.c.Integer, b.c.Number = Numeric, k <= reflect.Uint64, make([]float64, 0, n)
	default:
		return fmt.Errorf("values of type %s are neither numbers nor text nor bools", t)
	}
	b.addNulls(b.nulls)
	return nil
}

// addNulls appends n nulls.
func (b *columnBuilder) addNulls(n int) {
	for range n {
		if b.c.Kind == Categorical {
			b.c.Code = append(b.c.Code, -1)
		} else {
			b.c.Number = append(b.c.Number, 0)
		}
		for len(b.c.Null) < b.c.Len()-1 {
			b.c.Null = append(b.c.Null, false)
		}
		b.c.Null = append(b.c.Null, true)
	}
}

// add appends a value. The error names the column and the row.
func (b *columnBuilder) add(value any) error {
	failed := func(format string, args ...any) error {
		return &Error{Path: "memory", Column: b.c.Name, Row: max(b.nulls, b.c.Len()) + 1, Msg: fmt.Sprintf(format, args...)}
	}
	v, err := plainValue(value)
	if err == nil && b.decimal {
		v, err = parseDecimal(v)
	}
	switch {
	case err != nil:
		return failed("%v", err)
	case v == nil && b.kind == reflect.Invalid:
		b.nulls++
		return nil
	case v == nil:
		b.addNulls(1)
		return nil
	}
	t, date := v.(time.Time)
	if date {
		v = daysOf(t)
	}
	n := reflect.ValueOf(v)
	if b.kind == reflect.Invalid {
		if err := b.begin(n.Type(), b.nulls+1); err != nil {
			return failed("%v", err)
		}
		if b.date = date; date {
			b.c.Type, b.c.Clock = "timestamp", true
		}
	}
	if kind := kindOf(n.Kind()); date != b.date || kind != b.kind {
		return failed("the value %v is %s, and values before it are %s", value, kindWords(kind, date), kindWords(b.kind, b.date))
	}
	if n.CanFloat() && !date {
		if b.c.Integer && n.Float() != math.Trunc(n.Float()) { // whole numbers so far
			b.c.Integer = false
		}
		if n.Kind() == reflect.Float64 {
			b.c.Type = "float64"
		}
	}
	b.addValue(n)
	return nil
}

// addValue appends a value of the kind of the column, or a null for a nil pointer.
func (b *columnBuilder) addValue(v reflect.Value) {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			b.addNulls(1)
			return
		}
		v = v.Elem()
	}
	switch {
	case b.levels != nil:
		text := v.String()
		k, known := b.levels[text]
		if !known {
			k = int32(len(b.c.Level))
			b.levels[text], b.c.Level = k, append(b.c.Level, text)
		}
		b.c.Code = append(b.c.Code, k)
	case v.CanInt():
		x := float64(v.Int())
		b.addNumber(x, x == 1<<63 || int64(x) != v.Int())
	case v.CanUint():
		x := float64(v.Uint())
		b.addNumber(x, x == 1<<64 || uint64(x) != v.Uint())
	case b.kind == reflect.Bool:
		x := 0.0
		if v.Bool() {
			x = 1
		}
		b.addNumber(x, false)
	default:
		b.addNumber(v.Float(), false)
	}
	if b.c.Null != nil {
		b.c.Null = append(b.c.Null, false)
	}
}

// addNumber appends a number. NaN is kept; training reports its row.
func (b *columnBuilder) addNumber(x float64, inexact bool) {
	b.c.Number = append(b.c.Number, x)
	if inexact && b.c.InexactRow == 0 {
		b.c.InexactRow = len(b.c.Number)
	}
}

// kindOf returns reflect.Float64 for every kind of number, reflect.String or reflect.Bool.
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

// plainValue returns a time, number, string or bool for a value of database/sql or json, and nil for a null.
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

// parseDecimal returns the number written in a text.
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

// takesAny reports whether values of a type must be converted by plainValue.
func takesAny(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return slices.Contains([]reflect.Type{timeType, numberType}, t) || t.Implements(valuerType) || reflect.PointerTo(t).Implements(valuerType)
}
