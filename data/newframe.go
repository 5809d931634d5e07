package data

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
)

// NewFrame makes a table of columns in memory, of one length and with different
// names: those of [ColumnOf], or [Column]s filled by hand.
func NewFrame(columns ...Column) (*Frame, error) {
	f := &Frame{Sources: []Source{{Path: "memory"}}, inMemory: true}
	seen := map[string]bool{}
	for i := range columns {
		c := columns[i]
		fail := func(format string, args ...any) (*Frame, error) {
			return nil, &Error{Path: "memory", Column: c.Name, Msg: fmt.Sprintf(format, args...)}
		}
		switch {
		case c.Name == "":
			return fail("column %d has no name", i+1)
		case seen[c.Name]:
			return fail("two columns have this name")
		case i > 0 && c.Len() != f.Rows:
			return fail("it has %d rows, the others %d", c.Len(), f.Rows)
		case c.Null != nil && len(c.Null) != c.Len():
			return fail("it has %d rows, but %d marks of nulls", c.Len(), len(c.Null))
		case c.Kind == Other:
			return fail("it has no values")
		}
		for r, k := range c.Code {
			if !c.IsNull(r) && (k < 0 || int(k) >= len(c.Level)) {
				return fail("row %d has the code %d, but there are %d levels", r+1, k, len(c.Level))
			}
		}
		seen[c.Name], f.Rows = true, c.Len()
		f.Columns = append(f.Columns, &c)
	}
	f.Sources[0].Rows = f.Rows
	return f, nil
}

// sumOf returns the SHA-256 of the names, kinds and values of columns in memory.
func sumOf(columns []*Column) string {
	h := sha256.New()
	b := make([]byte, 0, 1<<16)
	put := func(v uint64) {
		if b = binary.LittleEndian.AppendUint64(b, v); len(b) == cap(b) {
			h.Write(b)
			b = b[:0]
		}
	}
	text := func(s string) {
		put(uint64(len(s)))
		h.Write(b)
		b = b[:0]
		io.WriteString(h, s)
	}
	put(uint64(len(columns)))
	for _, c := range columns {
		text(c.Name)
		put(uint64(c.Kind))
		put(uint64(c.Len()))
		put(uint64(len(c.Level)))
		for _, l := range c.Level {
			text(l)
		}
		for i := range c.Len() {
			switch {
			case c.IsNull(i):
				put(math.MaxUint64) // no code, and not the bits of a number that NaN would have
			case c.Kind == Categorical:
				put(uint64(c.Code[i]))
			default:
				put(math.Float64bits(c.Number[i]))
			}
		}
	}
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

// ColumnOf makes a column of values: numbers of any type, strings or bools, or
// pointers to them, of which nil is a null.
func ColumnOf[T any](name string, values []T) (Column, error) {
	b, err := newColumnBuilder(name, reflect.TypeFor[T](), len(values))
	if err != nil {
		return Column{}, err
	}
	v := reflect.ValueOf(values)
	for i := range values {
		b.add(v.Index(i))
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
	var builders []*cells
	var at [][]int
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("drotrain"), ",")
		embedded := f.Anonymous && !takesAny(f.Type) && (f.Type.Kind() == reflect.Struct || f.Type.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Struct)
		if !f.IsExported() || embedded || name == "-" {
			continue
		}
		c := &cells{name: cmp.Or(name, f.Name)}
		if !takesAny(f.Type) { // the type decides, without a value
			var err error
			if c.builder, err = newColumnBuilder(c.name, f.Type, len(rows)); err != nil {
				return nil, fmt.Errorf("field %s: %w", f.Name, err)
			}
			c.kind = kindOf(c.builder.kind)
		}
		builders, at = append(builders, c), append(at, f.Index)
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
	return frameOfCells(builders)
}

// A columnBuilder takes values of one type.
type columnBuilder struct {
	c      Column
	kind   reflect.Kind // of the values, behind the pointers
	levels map[string]int32
}

// newColumnBuilder returns a builder of a column of n values of a type.
func newColumnBuilder(name string, t reflect.Type, n int) (*columnBuilder, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	b := &columnBuilder{c: Column{Name: name, Type: t.Kind().String()}, kind: t.Kind()}
	switch k := t.Kind(); {
	case k == reflect.String:
		b.c.Kind, b.levels, b.c.Code = Categorical, map[string]int32{}, make([]int32, 0, n)
	case k == reflect.Bool:
		b.c.Kind, b.c.Number = Bool, make([]float64, 0, n)
	case k >= reflect.Int && k <= reflect.Uint64:
		b.c.Kind, b.c.Integer, b.c.Number = Numeric, true, make([]float64, 0, n)
	case k == reflect.Float32 || k == reflect.Float64:
		b.c.Kind, b.c.Number = Numeric, make([]float64, 0, n)
	default:
		return nil, fmt.Errorf("column %q: values of type %s are neither numbers nor text nor bools", name, t)
	}
	return b, nil
}

// addNull adds a null.
func (b *columnBuilder) addNull() {
	if b.levels != nil {
		b.c.Code = append(b.c.Code, -1)
	} else {
		b.c.Number = append(b.c.Number, 0)
	}
	for len(b.c.Null) < b.c.Len()-1 {
		b.c.Null = append(b.c.Null, false)
	}
	b.c.Null = append(b.c.Null, true)
}

// add adds a value, or a null for a nil pointer.
func (b *columnBuilder) add(v reflect.Value) {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			b.addNull()
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

// addNumber adds a number; NaN stays what it is, and training refuses it by its row.
func (b *columnBuilder) addNumber(x float64, inexact bool) {
	b.c.Number = append(b.c.Number, x)
	if inexact && b.c.InexactRow == 0 {
		b.c.InexactRow = len(b.c.Number)
	}
}
