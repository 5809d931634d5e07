package ipc

import (
	"encoding/binary"

	"github.com/drotrain/drotrain/data/table"
)

// A fbTable is a table of a FlatBuffer; the zero value has no fields. Its methods check every offset and length
// against the available bytes, and panic with an error if one is invalid.
type fbTable struct {
	b  []byte
	at int // offset of the table
}

// fbFail panics with an error about invalid metadata.
func fbFail() { panic(table.Damaged("the metadata cannot be read")) }

// fbRoot returns the root table of a FlatBuffer.
func fbRoot(b []byte) fbTable {
	if len(b) < 8 {
		fbFail()
	}
	return fbTable{b, 0}.table(0)
}

// require panics with an error unless size bytes follow a position.
func (t fbTable) require(at, size int) {
	if at < 0 || size < 0 || at > len(t.b)-size {
		fbFail()
	}
}

func (t fbTable) u16(at int) int { t.require(at, 2); return int(binary.LittleEndian.Uint16(t.b[at:])) }
func (t fbTable) i32(at int) int {
	t.require(at, 4)
	return int(int32(binary.LittleEndian.Uint32(t.b[at:])))
}
func (t fbTable) i64(at int) int64 {
	t.require(at, 8)
	return int64(binary.LittleEndian.Uint64(t.b[at:]))
}

// table returns the table at the offset stored at a position.
func (t fbTable) table(at int) fbTable {
	to := fbTable{t.b, at + int(uint32(t.i32(at)))}
	v := to.vtable()
	to.require(v, to.u16(v))
	if to.u16(v) < 4 {
		fbFail()
	}
	return to
}

// vtable returns the position of the list of the table's fields.
func (t fbTable) vtable() int { return t.at - t.i32(t.at) }

// field returns the position of a field, or −1 if it is absent.
func (t fbTable) field(slot int) int {
	if t.b == nil {
		return -1
	}
	v, o := t.vtable(), 4+2*slot
	if o+2 > t.u16(v) || t.u16(v+o) == 0 {
		return -1
	}
	at := t.at + t.u16(v+o)
	t.require(at, 1)
	return at
}

// int8, int16, int32 and int64 return the integer of a field, or 0 or def if the field is absent.
func (t fbTable) int8(slot int) int {
	at := t.field(slot)
	if at < 0 {
		return 0
	}
	return int(int8(t.b[at]))
}

func (t fbTable) int16(slot, def int) int {
	at := t.field(slot)
	if at < 0 {
		return def
	}
	return int(int16(t.u16(at)))
}

func (t fbTable) int32(slot, def int) int {
	at := t.field(slot)
	if at < 0 {
		return def
	}
	return t.i32(at)
}

func (t fbTable) int64(slot int) int64 {
	at := t.field(slot)
	if at < 0 {
		return 0
	}
	return t.i64(at)
}

// child returns the table of a field.
func (t fbTable) child(slot int) (fbTable, bool) {
	at := t.field(slot)
	if at < 0 {
		return fbTable{}, false
	}
	return t.table(at), true
}

// vector returns the position of the first element of a vector and the number of its elements, each of size
// bytes.
func (t fbTable) vector(slot, size int) (at, n int) {
	f := t.field(slot)
	if f < 0 {
		return 0, 0
	}
	at = f + int(uint32(t.i32(f)))
	count := uint32(t.i32(at))
	if uint64(count)*uint64(size) > uint64(len(t.b)-at-4) {
		fbFail()
	}
	return at + 4, int(count)
}

// text returns the text of a field, or "" if the field is absent.
func (t fbTable) text(slot int) string {
	at, n := t.vector(slot, 1)
	return string(t.b[at : at+n])
}
