package parquet

import "testing"

// A batch is as many values as were asked for, all of them there in a column without nulls.
func TestChunkReader_WholeBatches(t *testing.T) {
	for _, c := range []struct {
		total   int64
		present int
		nulls   bool
		ok      bool
	}{{5, 5, false, true}, {5, 5, true, true}, {5, 4, true, true}, {5, 0, true, true}, {5, 4, false, false}, {5, 6, false, false}, {5, 6, true, false},
		{4, 4, false, false}, {4, 5, false, false}, {4, 4, true, false}, {6, 5, true, false}, {0, 0, true, false}} {
		r := &chunkReader{chunk: &chunk{values: 20}, left: 7, row: 3}
		if c.nulls {
			r.defs = make([]int16, 5)
		}
		err := r.check(5, c.total, c.present, nil)
		if (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
		if want := map[bool]int{true: 8, false: 3}[c.ok]; r.row != want || r.left != 10-want {
			t.Errorf("%+v: at row %d, %d left of the page", c, r.row, r.left)
		}
	}
}

// The last number of a footer, of eight bytes, is read; one byte more is not there.
func TestThrift_LastNumber(t *testing.T) {
	for n := 6; n < 10; n++ {
		r := &thriftReader{b: make([]byte, n)}
		if got := !refused(func() { r.value(thriftDouble, 0) }); got != (n >= 8) {
			t.Errorf("a number of 8 bytes in %d is read: %v", n, got)
		}
	}
}
