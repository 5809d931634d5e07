package parquet

import (
	"encoding/binary"

	"github.com/drotrain/drotrain/data/table"
)

// This file contains a small reader of Thrift's compact protocol for Parquet's footers and page headers. It never
// allocates more than a fixed multiple of the bytes that it reads, since a list must contain at least one byte for
// each element.

// A thriftValue is a value of any type.
type thriftValue struct {
	kind   byte
	num    int64         // value of a bool or an integer
	bytes  []byte        // value of a string; aliases the input
	list   []thriftValue // elements of lists and sets; maps as key, value, key, value, …
	fields []thriftField // structs
}

// A thriftField is a field of a struct, with its number.
type thriftField struct {
	id    int16
	value thriftValue
}

// Numbers that the protocol assigns to types, and the maximum depth of nested values.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftString = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
	thriftDepth  = 32
)

// fieldByID returns the field with the given number, or nil.
func (v *thriftValue) fieldByID(id int16) *thriftValue {
	if v == nil {
		return nil
	}
	for i := range v.fields {
		if v.fields[i].id == id {
			return &v.fields[i].value
		}
	}
	return nil
}

// int returns the value of an integer field, or −1 if it is absent.
func (v *thriftValue) int(id int16) int64 { return v.intOr(id, -1) }

// intOr works like int, but returns def if the field is absent.
func (v *thriftValue) intOr(id int16, def int64) int64 {
	f := v.fieldByID(id)
	if f == nil {
		return def
	}
	if f.kind < thriftByte || f.kind > thriftI64 {
		panic(table.Damaged("a field of the metadata is not a number"))
	}
	return f.num
}

// A thriftReader reads values from b, beginning at i. Its methods panic with an error if b is invalid.
type thriftReader struct {
	b []byte
	i int
}

// parseThrift parses a struct and returns it with its size in bytes. It panics with an error if b is invalid.
func parseThrift(b []byte) (v thriftValue, n int) {
	r := &thriftReader{b: b}
	v = r.value(thriftStruct, 0)
	return v, r.i
}

func (r *thriftReader) fail() { panic(table.Damaged("the metadata cannot be read")) }

// readBytes reads the next n bytes.
func (r *thriftReader) readBytes(n int) []byte {
	if n > len(r.b)-r.i {
		r.fail()
	}
	r.i += n
	return r.b[r.i-n : r.i : r.i]
}

func (r *thriftReader) byte() byte { return r.readBytes(1)[0] }

func (r *thriftReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b[r.i:])
	if n <= 0 {
		r.fail()
	}
	r.i += n
	return v
}

func (r *thriftReader) varint() int64 {
	u := r.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

// readCount reads a number of elements and checks that the remaining bytes suffice for elements of at least the given
// size.
func (r *thriftReader) readCount(each int) int {
	n := r.uvarint()
	if n > uint64(len(r.b)-r.i)/uint64(each) {
		r.fail()
	}
	return int(n)
}

// value reads a value of the given kind.
func (r *thriftReader) value(kind byte, depth int) thriftValue {
	if depth > thriftDepth {
		r.fail()
	}
	v := thriftValue{kind: kind}
	switch kind {
	case thriftTrue, thriftFalse: // for a list element; the type of a field states its value
		v.num = int64(r.byte() & 1)
	case thriftByte:
		v.num = int64(int8(r.byte()))
	case thriftI16, thriftI32, thriftI64:
		v.num = r.varint()
		if kind == thriftI16 && int64(int16(v.num)) != v.num || kind == thriftI32 && int64(int32(v.num)) != v.num {
			r.fail()
		}
	case thriftDouble:
		r.readBytes(8)
	case thriftString:
		v.bytes = r.readBytes(r.readCount(1))
	case thriftList, thriftSet:
		head := r.byte()
		n := int(head >> 4)
		if n == 15 {
			n = r.readCount(1)
		} else if n > len(r.b)-r.i {
			r.fail()
		}
		v.list = make([]thriftValue, 0, n)
		for k := 0; k < n; k++ {
			v.list = append(v.list, r.value(head&15, depth+1))
		}
	case thriftMap:
		n := r.readCount(2)
		if n == 0 {
			break
		}
		kinds := r.byte()
		for k := 0; k < n; k++ {
			v.list = append(v.list, r.value(kinds>>4, depth+1), r.value(kinds&15, depth+1))
		}
	case thriftStruct:
		id := int16(0)
		for {
			head := r.byte()
			if head == 0 {
				return v
			}
			if delta := head >> 4; delta != 0 {
				id += int16(delta)
			} else {
				n := r.varint()
				if int64(int16(n)) != n {
					r.fail()
				}
				id = int16(n)
			}
			f := thriftField{id: id}
			switch head & 15 {
			case thriftTrue, thriftFalse:
				f.value = thriftValue{kind: thriftTrue, num: int64(head&15) & 1}
			default:
				f.value = r.value(head&15, depth+1)
			}
			if v.fieldByID(id) != nil {
				r.fail()
			}
			v.fields = append(v.fields, f)
		}
	default:
		r.fail()
	}
	return v
}
