package ipc

import (
	"bytes"
	"fmt"

	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
)

// Numbers that the format assigns to the field types that the reader distinguishes.
const (
	typeNull      = 1
	typeInt       = 2
	typeFloat     = 3
	typeText      = 5
	typeBool      = 6
	typeDecimal   = 7
	typeDate      = 8
	typeTime      = 9
	typeTimestamp = 10
	typeInterval  = 11
	typeList      = 12
	typeStruct    = 13
	typeUnion     = 14
	typeFixed     = 15 // bytes
	typeFixedList = 16
	typeDuration  = 18
	typeLargeText = 20
	typeLargeList = 21
	typeView      = 23 // views of bytes
	typeTextView  = 24
)

// layouts describes the types, indexed by their numbers: name, bits per row in the second buffer, number of buffers
// (without the variadic buffers of views), and number of children, −1 for any number.
var layouts = [...]struct {
	label                 string
	bits, buffers, fields int
}{{}, {"null", 0, 0, 0}, {"int", 0, 2, 0}, {"float", 0, 2, 0}, {"binary", 32, 3, 0}, {"string", 32, 3, 0},
	{"bool", 1, 2, 0}, {"decimal", 0, 2, 0},
	{"date", 0, 2, 0}, {intake.TimeOfDay, 0, 2, 0}, {"timestamp", 0, 2, 0}, {"interval", 0, 2, 0}, {"list", 32, 2, 1},
	{"struct", 0, 1, -1},
	{"union", 0, 1, -1}, {"fixed_size_binary", 0, 2, 0}, {"fixed_size_list", 0, 1, 1}, {"map", 32, 2, 1},
	{intake.Duration, 0, 2, 0},
	{"large_binary", 64, 3, 0}, {"string", 64, 3, 0}, {"large_list", 64, 2, 1}, {"run_end_encoded", 0, 0, 2},
	{"binary_view", 128, 2, 0},
	{"string", 128, 2, 0}, {"list_view", 32, 3, 1}, {"large_list_view", 64, 3, 1}}

// A field is a column of the schema or a child of one.
type field struct {
	Name    string
	Type    int
	Bits    int           // size of a fixed-width value, or of the offset of a list or a text
	Element table.Element // element type of a number
	// exact type of 64-bit integers, decimals, dates and times; without a form for others
	Exact      table.ExactType
	Scale      int32   // scale of a decimal
	Divisor    float64 // number of units in a day or a second, for dates and times; 0 for others
	Size       int     // number of values in a fixed-size list
	Dense      bool    // whether a union is dense
	Children   []*field
	Dictionary int64         // number of the dictionary that holds the values; −1 if there is none
	Index      table.Element // element type of the indices into the dictionary

	Kind    table.Kind // kind of column as which the values can be used
	Label   string     // name of the type
	Integer bool
	Clock   bool
}

// A schema holds the fields of a table and its metadata.
type schema struct {
	Fields   []*field
	Metadata []string
}

// readSchema reads a schema. It panics with an error if a length is invalid.
func readSchema(t fbTable) *schema {
	if t.int16(0, 0) != 0 {
		panic(&table.Error{Msg: "big-endian Arrow data are not supported",
			Hint: "write the file again in little-endian byte order"})
	}
	s := &schema{Metadata: readMetadata(t, 2)}
	left := len(t.b) / 4 // upper bound on the number of fields
	at, n := t.vector(1, 4)
	for i := range n {
		s.Fields = append(s.Fields, readField(t.table(at+4*i), 0, &left))
	}
	return s
}

// readMetadata returns the metadata as a list of alternating keys and values.
func readMetadata(t fbTable, slot int) (all []string) {
	at, n := t.vector(slot, 4)
	for i := range n {
		pair := t.table(at + 4*i)
		all = append(all, pair.text(0), pair.text(1))
	}
	return all
}

// maxDepth is the maximum nesting depth of fields.
const maxDepth = 32

// readField reads a field and its children; left holds the number of further fields that are allowed.
func readField(t fbTable, depth int, left *int) *field {
	if *left--; depth > maxDepth || *left < 0 {
		fbFail()
	}
	f := &field{Name: t.text(0), Type: t.int8(2), Dictionary: -1}
	at, n := t.vector(5, 4)
	for i := range n {
		f.Children = append(f.Children, readField(t.table(at+4*i), depth+1, left))
	}
	readMetadata(t, 6)
	of, _ := t.child(3)
	f.setType(of)
	if dictionary, ok := t.child(4); ok {
		f.Dictionary = dictionary.int64(0)
		f.Index = table.Element{Size: 4, Signed: true}
		if index, ok := dictionary.child(1); ok {
			f.Index = integerOf(index)
		}
		f.Label, f.Clock = "dictionary of "+f.Label, false
	}
	return f
}

// integerOf returns the element type of an integer type.
func integerOf(t fbTable) table.Element {
	if b := t.int8(1); b != 0 && b != 1 {
		panic(table.Damaged("a bool in the schema has the value %d", b))
	}
	e := table.Element{Size: t.int32(0, 0) / 8, Signed: t.int8(1) == 1}
	if e.Size != 1 && e.Size != 2 && e.Size != 4 && e.Size != 8 {
		panic(table.Damaged("the schema has %d-bit integers, but Arrow has only 8, 16, 32 and 64 bits", t.int32(0, 0)))
	}
	return e
}

// setType sets the element type from the details of the Arrow type.
func (f *field) setType(t fbTable) {
	if f.Type < 1 || f.Type >= len(layouts) {
		panic(table.Damaged("a field has the unknown type %d", f.Type))
	}
	l := layouts[f.Type]
	if f.Label, f.Bits = l.label, l.bits; l.fields >= 0 && len(f.Children) != l.fields {
		panic(table.Damaged("a field of type %s has %d children instead of %d", l.label, len(f.Children), l.fields))
	}
	// one returns the k-th of the alternatives of, which describe a type.
	one := func(k int, of ...int) int {
		if k < 0 || k >= len(of) {
			panic(table.Damaged("a field of type %s has the unknown kind %d", l.label, k))
		}
		return of[k]
	}
	switch f.Type {
	case typeNull, typeText, typeLargeText, typeTextView:
		f.Kind = table.Categorical
	case typeBool:
		f.Kind = table.Bool
	case typeInt:
		f.Element, f.Integer = integerOf(t), true
		f.Label = f.Element.String()
		if f.Element.Size == 8 {
			f.Exact = f.Element.Exact()
		}
	case typeFloat:
		f.Element = table.Element{Size: one(t.int16(0, 0), 2, 4, 8), Float: true}
		f.Label = f.Element.String()
	case typeDecimal:
		if f.Bits = t.int32(2, 128); f.Bits != 32 && f.Bits != 64 && f.Bits != 128 && f.Bits != 256 {
			panic(table.Damaged("the schema has %d-bit decimals, but Arrow has only 32, 64, 128 and 256 bits", f.Bits))
		}
		f.Scale = int32(t.int32(1, 0))
		if f.Scale > 1000 || f.Scale < -1000 {
			panic(table.Damaged("decimals of scale %d are not valid", f.Scale))
		}
		f.Kind, f.Label, f.Integer = table.Numeric, fmt.Sprintf("decimal(%d, %d)", t.int32(0, 0), f.Scale), f.Scale == 0
		f.Exact = table.ExactType{Form: table.DecimalForm, Bits: max(f.Bits, 128), Precision: int32(t.int32(0, 0)),
			Scale: f.Scale}
	case typeDate:
		f.Clock, f.Element = true, table.Element{Size: one(t.int16(0, 1), 4, 8), Signed: true}
		f.Label, f.Divisor = fmt.Sprintf("date%d", 8*f.Element.Size), float64(one(t.int16(0, 1), 1, table.MsPerDay))
		f.Exact = table.ExactType{Form: table.DateForm, Bits: 8 * f.Element.Size}
	case typeTimestamp, typeTime, typeDuration:
		unit := t.int16(0, map[int]int{typeTime: 1, typeDuration: 1}[f.Type])
		f.Divisor, f.Element = float64(one(unit, 1, 1e3, 1e6, 1e9)), table.Element{Size: 8, Signed: true}
		f.Exact = table.ExactType{Form: table.DurationForm, Bits: 64, PerSecond: int64(f.Divisor)}
		switch f.Type {
		case typeTime:
			f.Exact.Form, f.Exact.Bits = table.TimeForm, t.int32(1, 32)
			if f.Element.Size = t.int32(1, 32) / 8; f.Element.Size != 4 && f.Element.Size != 8 {
				panic(table.Damaged("the schema has %d-bit times, but Arrow has only 32 and 64 bits", t.int32(1, 32)))
			}
		case typeTimestamp:
			f.Exact.Form, f.Exact.Zone = table.TimestampForm, t.text(1)
			f.Clock, f.Divisor = true, 86400*f.Divisor
			name := []string{"s", "ms", "us", "ns"}[unit]
			if zone := t.text(1); zone != "" {
				name += ", tz=" + zone
			}
			if name = "timestamp[" + name + "]"; len(name) <= 80 {
				f.Label = name
			}
		}
	case typeInterval:
		f.Bits = one(t.int16(0, 0), 32, 64, 128)
		f.Label = map[int]string{32: "month_interval", 64: "day_time_interval", 128: "month_day_nano_interval"}[f.Bits]
	case typeFixed:
		if f.Size = t.int32(0, 0); f.Size < 0 || f.Size > 1<<24 {
			panic(table.Damaged("values of %d bytes are not valid", f.Size))
		}
		f.Label, f.Bits = fmt.Sprintf("fixed_size_binary[%d]", f.Size), 8*f.Size
	case typeFixedList:
		if f.Size = t.int32(0, 0); f.Size < 0 {
			panic(table.Damaged("lists of %d values are not valid", f.Size))
		}
	case typeUnion:
		f.Dense = t.int16(0, 0) == 1
		t.vector(1, 4)
		if f.Label = "sparse_union"; f.Dense {
			f.Label = "dense_union"
		}
	}
	if f.Element.Size > 0 {
		f.Kind, f.Bits = table.Numeric, 8*f.Element.Size
	}
}

// bufferCount returns the number of buffers that a batch lists for the field, excluding those of its children and
// variadic buffers.
func (f *field) bufferCount() int {
	switch {
	case f.Dictionary >= 0:
		return 2 // validity bitmap and indices
	case f.Dense:
		return 2
	}
	return layouts[f.Type].buffers
}

// children returns the child fields whose nodes and buffers follow those of the field in a batch.
func (f *field) children() []*field {
	if f.Dictionary >= 0 {
		return nil
	}
	return f.Children
}

// rowBits returns the minimum number of bits per row in the second buffer, or 0.
func (f *field) rowBits() int64 {
	if f.Dictionary >= 0 {
		return int64(8 * f.Index.Size)
	}
	return int64(f.Bits)
}

// floatElement returns the float type of a list's elements. For other fields the Size of the result is 0.
func (f *field) floatElement() table.Element {
	if f.Dictionary >= 0 || f.Type != typeList && f.Type != typeLargeList && f.Type != typeFixedList ||
		f.Children[0].Dictionary >= 0 || f.Children[0].Type != typeFloat {
		return table.Element{}
	}
	return f.Children[0].Element
}

// isSparse reports whether the field is a list of entries of a sparse vector: structs of an integer index and a number
// value.
func (f *field) isSparse() bool {
	if f.Dictionary >= 0 || f.Type != typeList && f.Type != typeLargeList {
		return false
	}
	s := f.Children[0]
	if s.Dictionary >= 0 || s.Type != typeStruct || len(s.Children) != 2 {
		return false
	}
	index, value := s.Children[0], s.Children[1]
	return index.Name == "index" && value.Name == "value" && index.Dictionary < 0 && value.Dictionary < 0 &&
		index.Type == typeInt && (value.Type == typeInt || value.Type == typeFloat)
}

// ReadExactTypes returns the names of the exact types in an encoded schema, indexed by field name. Writers store
// such a schema in Parquet files.
func ReadExactTypes(stream []byte) (types map[string]string, err error) {
	err = intake.GuardAs("the fields of the schema", func() error {
		m := cutMessage(bytes.NewReader(stream), 0, int64(len(stream)))
		if m == nil {
			return table.Damaged("the file does not start with a schema")
		}
		types = map[string]string{}
		for _, f := range m.schema().Fields {
			if f.Exact.Form != 0 && f.Dictionary < 0 {
				types[f.Name] = f.Exact.String()
			}
		}
		return nil
	})
	return types, err
}
