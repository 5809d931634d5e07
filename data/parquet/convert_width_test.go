package parquet

import (
	"errors"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"

	"github.com/drotrain/drotrain/data/table"
)

// An integer beyond the width of its type is damage; the least and the greatest are values.
func TestIntConverter_BeyondItsWidth(t *testing.T) {
	for _, c := range []struct {
		bits        int
		signed      bool
		least, most int32
	}{{8, true, -128, 127}, {8, false, 0, 255}, {16, true, -32768, 32767}, {16, false, 0, 65535}} {
		of := intConverter(c.bits, c.signed, parquet.Types.Int32)
		read := func(v int32) (x float64, err error) {
			err = table.Guard(func() error { x = of.i32(v); return nil })
			return x, err
		}
		for _, v := range []int32{c.least, c.most} {
			if x, err := read(v); err != nil || x != float64(v) {
				t.Errorf("%s: %d is read as %v, %v", of.name, v, x, err)
			}
		}
		for _, v := range []int32{c.least - 1, c.most + 1} {
			if x, err := read(v); !errors.Is(err, table.ErrDamaged) {
				t.Errorf("%s: %d is read as %v, %v", of.name, v, x, err)
			}
		}
	}
}
