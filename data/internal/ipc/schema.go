package ipc

import (
	"fmt"

	"github.com/drotrain/drotrain/data/internal/table"
)

// Numbers of the format: the types of fields.
const (
	typeNull = 1 + iota
	typeInt
	typeFloat
	typeBinary
	typeText
	typeBool
	typeDecimal
	typeDate
	typeTime
	typeTimestamp
	typeInterval
	typeList
	typeStruct
	typeUnion
	typeFixedBinary
	typeFixedList
	typeMap
	typeDuration
	typeLargeBinary
	typeLargeText
	typeLargeList
	typeRunEnds
	typeBinaryView
	typeTextView
	typeListView
	typeLargeListView
)

// A field is a column of the schema, or one within it.
type field struct {
	Name       string
	Type       int
	Bits       int           // of a value of fixed width; of the offset of a list or a text
	Element    table.Element // of a number
	Scale      int32         // of a decimal
	Divisor    float64       // of dates and times: the units of a day or of a second; else 0
	Size       int           // of a fixed-size list: its values
	Dense      bool          // of a union
	Children   []*field
	Dictionary int64         // number of the dictionary that the values are in; −1 for none
	Index      table.Element // of the indices into it

	Kind    table.Kind // what can be done with the values
	Label   string     // what the type is called
	Integer bool
	Clock   bool
}

// A schema is the fields of a table, and what its writer says of them.
type schema struct {
	Fields   []*field
	Metadata []string
}

// readSchema reads a schema. It panics with an error where a length is wrong.
func readSchema(t fbTable) *schema {
	if t.short(0, 0) != 0 {
		panic(&table.Error{Msg: "Arrow data of big-endian machines are not supported", Hint: "write the file again with the bytes of a number in little-endian order"})
	}
	s := &schema{Metadata: readMetadata(t, 2)}
	left := len(t.b) / 4 // no more fields than that can be there
	at, n := t.vector(1, 4)
	for i := range n {
		s.Fields = append(s.Fields, readField(t.table(at+4*i), 0, &left))
	}
	return s
}

// readMetadata returns keys and values, one after the other.
func readMetadata(t fbTable, slot int) (all []string) {
	at, n := t.vector(slot, 4)
	for i := range n {
		pair := t.table(at + 4*i)
		all = append(all, pair.text(0), pair.text(1))
	}
	return all
}

// mostDepth is how deep fields may nest.
const mostDepth = 32

// readField reads a field and those within it, of which left may be there.
func readField(t fbTable, depth int, left *int) *field {
	if *left--; depth > mostDepth || *left < 0 {
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

// integerOf returns the type of integers.
func integerOf(t fbTable) table.Element {
	if b := t.int8(1); b != 0 && b != 1 {
		panic(table.Damaged("a bool of its schema has the value %d", b))
	}
	e := table.Element{Size: t.int32(0, 0) / 8, Signed: t.int8(1) == 1}
	if e.Size != 1 && e.Size != 2 && e.Size != 4 && e.Size != 8 {
		panic(table.Damaged("integers of %d bits do not exist", t.int32(0, 0)))
	}
	return e
}

var unitNames = [...]string{"s", "ms", "us", "ns"}

// unit returns how many of a unit of time a second has, and what the unit is called.
func unit(t fbTable, def int) (perSecond float64, name string) {
	u := t.short(0, def)
	if u < 0 || u >= len(unitNames) {
		panic(table.Damaged("a unit of time has the number %d", u))
	}
	return [...]float64{1, 1e3, 1e6, 1e9}[u], unitNames[u]
}

// setType settles what the values are, by the details of the type.
func (f *field) setType(t fbTable) {
	number := func(label string, e table.Element) { // of a fixed width
		f.Kind, f.Label, f.Element, f.Bits = table.Numeric, label, e, 8*e.Size
	}
	signed := func(bits int) table.Element { return table.Element{Size: bits / 8, Signed: true} }
	other := func(label string, bits, children int) {
		if f.Label, f.Bits = label, bits; children >= 0 && len(f.Children) != children {
			panic(table.Damaged("a field of type %s has %d fields within it, not %d", label, len(f.Children), children))
		}
	}
	switch f.Type {
	case typeNull:
		f.Kind, f.Label = table.Categorical, "null"
	case typeInt:
		e := integerOf(t)
		number(e.String(), e)
		f.Integer = true
	case typeFloat:
		size := map[int]int{0: 2, 1: 4, 2: 8}[t.short(0, 0)]
		if size == 0 {
			panic(table.Damaged("floats of precision %d do not exist", t.short(0, 0)))
		}
		e := table.Element{Size: size, Float: true}
		number(e.String(), e)
	case typeText:
		f.Kind, f.Label, f.Bits = table.Categorical, "string", 32
	case typeLargeText:
		f.Kind, f.Label, f.Bits = table.Categorical, "string", 64
	case typeTextView:
		f.Kind, f.Label, f.Bits = table.Categorical, "string", 128
	case typeBool:
		f.Kind, f.Label, f.Bits = table.Bool, "bool", 1
	case typeDecimal:
		f.Bits = t.int32(2, 128)
		if f.Bits != 32 && f.Bits != 64 && f.Bits != 128 && f.Bits != 256 {
			panic(table.Damaged("decimals of %d bits do not exist", f.Bits))
		}
		f.Scale = int32(t.int32(1, 0))
		f.Kind, f.Label, f.Integer = table.Numeric, fmt.Sprintf("decimal(%d, %d)", t.int32(0, 0), f.Scale), f.Scale == 0
	case typeDate:
		f.Clock = true
		if t.short(0, 1) == 0 {
			number("date32", signed(32))
			f.Divisor = 1
		} else {
			number("date64", signed(64))
			f.Divisor = 86400e3
		}
	case typeTimestamp:
		perSecond, name := unit(t, 0)
		if zone := t.text(1); zone != "" {
			name += ", tz=" + zone
		}
		if name = "timestamp[" + name + "]"; len(name) > 80 {
			name = "timestamp"
		}
		number(name, signed(64))
		f.Clock, f.Divisor = true, 86400*perSecond
	case typeTime:
		bits := t.int32(1, 32)
		if bits != 32 && bits != 64 {
			panic(table.Damaged("times of %d bits do not exist", bits))
		}
		number(table.TimeOfDay, signed(bits))
		f.Divisor, _ = unit(t, 1)
	case typeDuration:
		number(table.Duration, signed(64))
		f.Divisor, _ = unit(t, 1)
	case typeInterval:
		k := t.short(0, 0)
		if k < 0 || k > 2 {
			panic(table.Damaged("intervals of unit %d do not exist", k))
		}
		other([]string{"month_interval", "day_time_interval", "month_day_nano_interval"}[k], []int{32, 64, 128}[k], 0)
	case typeBinary:
		other("binary", 32, 0)
	case typeLargeBinary:
		other("large_binary", 64, 0)
	case typeBinaryView:
		other("binary_view", 128, 0)
	case typeFixedBinary:
		width := t.int32(0, 0)
		if width < 0 || width > 1<<24 {
			panic(table.Damaged("values of %d bytes", width))
		}
		other(fmt.Sprintf("fixed_size_binary[%d]", width), 8*width, 0)
	case typeList:
		other("list", 32, 1)
	case typeLargeList:
		other("large_list", 64, 1)
	case typeListView:
		other("list_view", 32, 1)
	case typeLargeListView:
		other("large_list_view", 64, 1)
	case typeFixedList:
		if f.Size = t.int32(0, 0); f.Size < 0 {
			panic(table.Damaged("lists of %d values", f.Size))
		}
		other("fixed_size_list", 0, 1)
	case typeMap:
		other("map", 32, 1)
	case typeStruct:
		other("struct", 0, -1)
	case typeRunEnds:
		other("run_end_encoded", 0, 2)
	case typeUnion:
		f.Dense = t.short(0, 0) == 1
		t.vector(1, 4)
		if other("sparse_union", 0, -1); f.Dense {
			f.Label = "dense_union"
		}
	default:
		panic(table.Damaged("a field has the unknown type %d", f.Type))
	}
}

// buffers returns how many buffers a batch lists of the field alone: without those within it, and, of
// views, without those that they point into.
func (f *field) buffers() int {
	if f.Dictionary >= 0 {
		return 2 // of the indices
	}
	switch f.Type {
	case typeNull, typeRunEnds:
		return 0
	case typeStruct, typeFixedList:
		return 1
	case typeUnion:
		if f.Dense {
			return 2
		}
		return 1
	case typeText, typeLargeText, typeBinary, typeLargeBinary, typeListView, typeLargeListView:
		return 3
	}
	return 2
}

// within returns the fields that a batch lists behind the field.
func (f *field) within() []*field {
	if f.Dictionary >= 0 {
		return nil
	}
	return f.Children
}

// rowBits returns how many bits a row takes at least in the second buffer; 0 where it takes none.
func (f *field) rowBits() int64 {
	if f.Dictionary >= 0 {
		return int64(8 * f.Index.Size)
	}
	return int64(f.Bits)
}

// floats returns the type of the floats that a list holds; Size 0 for other fields.
func (f *field) floats() table.Element {
	if f.Dictionary >= 0 || f.Type != typeList && f.Type != typeLargeList && f.Type != typeFixedList || f.Children[0].Dictionary >= 0 || f.Children[0].Type != typeFloat {
		return table.Element{}
	}
	return f.Children[0].Element
}

// ReadDurations returns the units a second of the fields of the schema at the start of a stream that are
// durations, by name: Arrow stores such a schema beside the columns of a Parquet file.
func ReadDurations(stream []byte) (perSecond map[string]float64, err error) {
	err = table.GuardAs("the fields of the schema", func() error {
		m := cutMessage(stream, 0)
		if m == nil {
			return table.Damaged("it does not start with a schema")
		}
		perSecond = map[string]float64{}
		for _, f := range m.schema().Fields {
			if f.Type == typeDuration && f.Dictionary < 0 {
				perSecond[f.Name] = f.Divisor
			}
		}
		return nil
	})
	return perSecond, err
}
