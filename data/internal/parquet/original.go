package parquet

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"

	"github.com/apache/arrow/go/v15/parquet/metadata"
)

// Parquet has no type for durations: pandas, polars and pyarrow store integers, and what
// they were in the Arrow schema that they leave beside the columns, a FlatBuffer.

// durations returns the units a second of the columns that were durations, by name.
func durations(meta *metadata.FileMetaData) map[string]float64 {
	text := meta.KeyValueMetadata().FindValue("ARROW:schema")
	if text == nil {
		return nil
	}
	b, err := base64.StdEncoding.DecodeString(*text)
	if err != nil || !bytes.HasPrefix(b, []byte{0xff, 0xff, 0xff, 0xff}) {
		return nil
	}
	return flat(b[min(8, len(b)):]).durations() // behind the mark of a message and its length
}

func (f flat) durations() map[string]float64 {
	out := make(map[string]float64)
	left := len(f)                            // of names: a field may be there many times
	schema := f.table(f.field(f.table(0), 2)) // of the message, its header
	fields := f.table(f.field(schema, 1))
	for i := range min(f.u32(fields), len(f)/4) {
		field := f.table(fields + 4 + 4*i)
		name := f.table(f.field(field, 0))
		kind := f.field(field, 2)
		n := f.u32(name)
		if field < 0 || name < 0 || kind < 0 || int(f[kind]) != flatDuration || n > len(f)-name-4 {
			continue
		}
		if left -= n; left < 0 {
			return nil
		}
		unit := 1 // milliseconds
		if u := f.field(f.table(f.field(field, 3)), 0); u >= 0 && u+2 <= len(f) {
			unit = int(binary.LittleEndian.Uint16(f[u:]))
		}
		if unit < 4 {
			out[string(f[name+4:name+4+n])] = [...]float64{1, 1e3, 1e6, 1e9}[unit]
		}
	}
	return out
}

// flatDuration is the number of Duration in the union of Arrow's types.
const flatDuration = 18

// A flat is a FlatBuffer of unknown origin. Positions are −1 where there is nothing, or
// nothing within its bytes.
type flat []byte

// u32 returns the number at a position, 0 if there is none.
func (f flat) u32(at int) int {
	if at < 0 || at > len(f)-4 {
		return 0
	}
	return int(binary.LittleEndian.Uint32(f[at:]))
}

// table follows the offset at a position, to a table, a vector or a text.
func (f flat) table(at int) int {
	off := f.u32(at)
	if at < 0 || off == 0 || off > len(f)-4-at {
		return -1
	}
	return at + off
}

// field returns where a table has the field of a slot.
func (f flat) field(table, slot int) int {
	if table < 0 {
		return -1
	}
	v := table - int(int32(f.u32(table)))
	if v < 0 || v > len(f)-2 {
		return -1
	}
	e := 4 + 2*slot
	if size := int(binary.LittleEndian.Uint16(f[v:])); e+2 > size || e+2 > len(f)-v {
		return -1
	}
	off := int(binary.LittleEndian.Uint16(f[v+e:]))
	if off == 0 || table+off >= len(f) {
		return -1
	}
	return table + off
}
