package ipc

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/drotrain/drotrain/data/internal/table"
)

// An arrowBuilder copies Arrow arrays into a column.
type arrowBuilder struct {
	out    *table.Column
	levels *table.Levels
	vector *table.VectorBuilder // of lists of floats; else nil
}

// newArrowBuilder returns a builder of the column of a field.
func newArrowBuilder(field arrow.Field, rows int, exact, dates bool) *arrowBuilder {
	if !utf8.ValidString(field.Name) {
		panic(table.Damaged("a column name is not UTF-8 text: %q", field.Name))
	}
	b := &arrowBuilder{out: &table.Column{Name: field.Name}, levels: table.NewLevels()}
	b.out.Kind, b.out.Type, b.out.Integer = arrowKind(field.Type)
	if size := floatBytes(field.Type); size > 0 {
		b.vector = table.NewVectorBuilder(rows, size)
	}
	switch field.Type.ID() {
	case arrow.DATE32, arrow.DATE64, arrow.TIMESTAMP:
		if b.out.Clock = true; dates {
			b.out.Kind = table.Numeric
		}
	}
	switch b.out.Kind {
	case table.Numeric, table.Bool:
		b.out.Number = make([]float64, rows)
		of := field.Type
		if d, ok := of.(*arrow.DictionaryType); ok {
			of = d.ValueType
		}
		if exact && (of.ID() == arrow.INT64 || of.ID() == arrow.UINT64) {
			b.out.Type, b.out.Int = of.Name(), make([]int64, rows)
		}
	case table.Categorical:
		b.out.Code = make([]int32, rows)
	}
	return b
}

// arrowKind returns what an Arrow type is called, and what can be done with its values.
func arrowKind(t arrow.DataType) (kind table.Kind, name string, integer bool) {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		kind, name, integer = arrowKind(t.ValueType)
		return kind, "dictionary of " + name, integer
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		return table.Categorical, "string", false
	case *arrow.NullType:
		return table.Categorical, "null", false
	case *arrow.BooleanType:
		return table.Bool, "bool", false
	case *arrow.Decimal128Type:
		return table.Numeric, fmt.Sprintf("decimal(%d, %d)", t.Precision, t.Scale), t.Scale == 0
	case *arrow.Decimal256Type:
		return table.Numeric, fmt.Sprintf("decimal(%d, %d)", t.Precision, t.Scale), t.Scale == 0
	case *arrow.DurationType:
		return table.Numeric, table.Duration, false
	case *arrow.Time32Type, *arrow.Time64Type:
		return table.Numeric, table.TimeOfDay, false
	case *arrow.Float16Type:
		return table.Numeric, "float16", false
	case *arrow.Float32Type:
		return table.Numeric, "float32", false
	case *arrow.Float64Type:
		return table.Numeric, "float64", false
	}
	if arrow.IsInteger(t.ID()) {
		return table.Numeric, t.Name(), true
	}
	name = t.String()
	if len(name) > 80 || strings.Contains(name, "<") {
		name = t.Name()
	}
	return table.Other, name, false
}

// add copies an array to the rows from start on and counts its nulls.
func (b *arrowBuilder) add(a arrow.Array, start int) (nulls int, err error) {
	err = table.GuardAs("the lengths and values of a batch", func() error { nulls, err = b.copy(a, start); return err })
	return nulls, err
}

// copy works like add without a guard.
func (b *arrowBuilder) copy(a arrow.Array, start int) (nulls int, err error) {
	out := b.out
	if b.vector != nil && !b.vector.Failed() {
		return 0, b.addLists(a)
	}
	if out.Kind == table.Other {
		return 0, nil
	}
	if f, ok := a.(*array.Float64); ok && len(f.NullBitmapBytes()) == 0 {
		copy(out.Number[start:], f.Float64Values())
		return 0, nil
	}
	for i := 0; i < a.Len(); i++ {
		if a.DataType().ID() != arrow.NULL && !a.IsNull(i) {
			continue
		}
		b.null(start + i)
		nulls++
	}
	if a.DataType().ID() == arrow.NULL {
		return nulls, nil
	}
	if d, ok := a.(*array.Dictionary); ok {
		return nulls, b.addDictionary(d, start)
	}
	put, err := b.putter(a)
	if err != nil {
		return 0, err
	}
	for i := 0; i < a.Len(); i++ {
		if !a.IsNull(i) {
			put(start+i, i)
		}
	}
	return nulls, nil
}

func (b *arrowBuilder) null(row int) {
	if b.out.Null == nil {
		b.out.Null = make([]bool, max(len(b.out.Number), len(b.out.Code)))
	}
	b.out.Null[row] = true
	if b.out.Kind == table.Categorical {
		b.out.Code[row] = -1
	}
}

func (b *arrowBuilder) code(text string) int32 {
	if k, ok := b.levels.Find(text); ok {
		return k
	}
	if !utf8.ValidString(text) {
		panic(table.Damaged("a text value is not UTF-8: %.40q", text))
	}
	return b.levels.Code(strings.Clone(text))
}

// addDictionary looks values up; a null may be in the indices or in the values.
func (b *arrowBuilder) addDictionary(d *array.Dictionary, start int) error {
	values := d.Dictionary()
	put, err := b.putter(values)
	if err != nil {
		return err
	}
	if put != nil && b.out.Kind == table.Categorical {
		put = b.remembering(values.Len(), put)
	}
	for i := 0; i < d.Len(); i++ {
		if d.IsNull(i) {
			continue
		}
		k := d.GetValueIndex(i)
		switch {
		case k < 0 || k >= values.Len():
			return table.Damaged("an index of a dictionary is out of range")
		case values.DataType().ID() == arrow.NULL || values.IsNull(k):
			b.null(start + i)
		default:
			put(start+i, k)
		}
	}
	return nil
}

// putter gives what copies a value of an array, which is no null, to a row.
func (b *arrowBuilder) putter(a arrow.Array) (func(row, i int), error) {
	if a.DataType().ID() == arrow.NULL {
		return nil, nil
	}
	out := b.out
	if out.Kind == table.Categorical {
		text, err := textOf(a)
		if err != nil {
			return nil, err
		}
		return func(row, i int) { out.Code[row] = b.code(text(i)) }, nil
	}
	number, err := numberOf(a)
	if err != nil {
		return nil, err
	}
	digits := b.digits(a)
	return func(row, i int) {
		v, exact := number(i)
		out.Number[row] = v
		if !exact && out.InexactRow == 0 {
			out.InexactRow = row + 1
		}
		if digits != nil {
			out.Int[row] = digits(i)
		}
	}, nil
}

// remembering puts texts of n values, each looked up once.
func (b *arrowBuilder) remembering(n int, put func(row, i int)) func(row, i int) {
	after := make([]int32, n) // the code and one; 0: not met yet
	return func(row, i int) {
		if after[i] == 0 {
			put(row, i)
			after[i] = b.out.Code[row] + 1
		}
		b.out.Code[row] = after[i] - 1
	}
}

// digits gives 64-bit integers as they are, if they are asked for; else nil.
func (b *arrowBuilder) digits(a arrow.Array) func(int) int64 {
	if b.out.Int == nil {
		return nil
	}
	switch a := a.(type) {
	case *array.Int64:
		return a.Value
	case *array.Uint64:
		return func(i int) int64 { return int64(a.Value(i)) }
	}
	panic(table.Damaged("numbers of type %s cannot be read", a.DataType()))
}

func (b *arrowBuilder) finish() {
	if b.out.Kind == table.Categorical {
		b.out.Level = b.levels.Text
	}
}

func textOf(a arrow.Array) (func(int) string, error) {
	switch a := a.(type) {
	case *array.String:
		return a.Value, nil
	case *array.LargeString:
		return a.Value, nil
	case *array.StringView:
		return a.Value, nil
	}
	return nil, table.Damaged("text of type %s cannot be read", a.DataType())
}

type integerArray[T any] interface{ Value(int) T }

func small[T int8 | int16 | int32 | uint8 | uint16 | uint32 | float32 | float64](a integerArray[T]) func(int) (float64, bool) {
	return func(i int) (float64, bool) { return float64(a.Value(i)), true }
}

// numberOf returns what reads a number of an array, and whether a float64 holds it exactly.
func numberOf(a arrow.Array) (func(int) (float64, bool), error) {
	switch a := a.(type) {
	case *array.Int8:
		return small[int8](a), nil
	case *array.Int16:
		return small[int16](a), nil
	case *array.Int32:
		return small[int32](a), nil
	case *array.Uint8:
		return small[uint8](a), nil
	case *array.Uint16:
		return small[uint16](a), nil
	case *array.Uint32:
		return small[uint32](a), nil
	case *array.Float32:
		return small[float32](a), nil
	case *array.Float64:
		return small[float64](a), nil
	case *array.Int64:
		return func(i int) (float64, bool) { v := a.Value(i); return float64(v), table.ExactInt64(v) }, nil
	case *array.Uint64:
		return func(i int) (float64, bool) { v := a.Value(i); return float64(v), table.ExactUint64(int64(v)) }, nil
	case *array.Float16:
		return func(i int) (float64, bool) { return table.Half(a.Value(i).Uint16()), true }, nil // Arrow's Float32 is wrong below 2⁻¹⁴
	case *array.Date32:
		return func(i int) (float64, bool) { return float64(a.Value(i)), true }, nil
	case *array.Date64:
		return func(i int) (float64, bool) { return float64(a.Value(i)) / 86400e3, true }, nil
	case *array.Timestamp:
		perDay := 86400 * perSecond(a.DataType().(*arrow.TimestampType).Unit)
		return func(i int) (float64, bool) { return float64(a.Value(i)) / perDay, true }, nil
	case *array.Duration:
		second := perSecond(a.DataType().(*arrow.DurationType).Unit)
		return func(i int) (float64, bool) { return float64(a.Value(i)) / second, true }, nil
	case *array.Time32:
		second := perSecond(a.DataType().(*arrow.Time32Type).Unit)
		return func(i int) (float64, bool) { return float64(a.Value(i)) / second, true }, nil
	case *array.Time64:
		second := perSecond(a.DataType().(*arrow.Time64Type).Unit)
		return func(i int) (float64, bool) { return float64(a.Value(i)) / second, true }, nil
	case *array.Boolean:
		return func(i int) (float64, bool) {
			if a.Value(i) {
				return 1, true
			}
			return 0, true
		}, nil
	case *array.Decimal128:
		scale := a.DataType().(*arrow.Decimal128Type).Scale
		return func(i int) (float64, bool) { return table.BigScaled(a.Value(i).BigInt(), scale) }, nil
	case *array.Decimal256:
		scale := a.DataType().(*arrow.Decimal256Type).Scale
		return func(i int) (float64, bool) { return table.BigScaled(a.Value(i).BigInt(), scale) }, nil
	}
	return nil, table.Damaged("numbers of type %s cannot be read", a.DataType())
}

// perSecond returns how many of a unit of time a second has.
func perSecond(u arrow.TimeUnit) float64 { return float64(time.Second / u.Multiplier()) }
