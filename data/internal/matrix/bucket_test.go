package matrix

import (
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// Records that are added to a bucket in any order, in pieces of columns, are rows in theirs; a
// bucket is refused of which the disk gives back something else.
func TestBuckets_AreReadBack(t *testing.T) {
	const n, numbers = 50, 5
	rng := rand.New(rand.NewPCG(7, 1))
	want := make([]float64, n*numbers)
	for i := range want {
		want[i] = rng.NormFloat64()
	}
	p := &buckets{plan: plan{numbers: make([]*Number, numbers)}}
	filled := func(buffer int) *bucket {
		f, err := os.CreateTemp(t.TempDir(), "bucket")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		k := &bucket{file: f, buf: make([]float64, 0, buffer)}
		rows, places, which := make([]int32, n), rng.Perm(n), make([]int32, n)
		for i := range rows {
			rows[i], which[i] = int32(i), int32(i)
		}
		for _, of := range [][2]int{{0, 2}, {2, 5}} {
			columns := make([][]float64, of[1]-of[0])
			for j := range columns {
				columns[j] = make([]float64, n)
				for i, place := range places {
					columns[j][i] = want[place*numbers+of[0]+j]
				}
			}
			for i := range places {
				places[i] += 1000
			}
			head := uint64(of[0])<<headPlace | uint64(len(columns))<<(headPlace+headFirst)
			if err := k.add(head, columns, rows, places, which, 1000); err != nil {
				t.Fatal(err)
			}
			for i := range places {
				places[i] -= 1000
			}
		}
		return k
	}
	for _, buffer := range []int{4, 7, 1 << 10} {
		raw := make([]float64, n*numbers)
		if err := p.sortBucket(raw, filled(buffer), n); err != nil || !slices.Equal(raw, want) {
			t.Errorf("buffers of %d: %v, %v", buffer, err, raw)
		}
	}
	raw := make([]float64, n*numbers)
	for what, c := range map[string]struct {
		damage func(k *bucket)
		is     error
	}{
		"a place behind the last":   {func(k *bucket) { k.buf[0] = math.Float64frombits(math.Float64bits(k.buf[0])&^(1<<headPlace-1) | n) }, errBucket},
		"a column behind the last":  {func(k *bucket) { k.buf[0] = math.Float64frombits(math.Float64bits(k.buf[0]) + 4<<headPlace) }, errBucket},
		"more numbers than follow":  {func(k *bucket) { k.buf = k.buf[:len(k.buf)-1] }, errBucket},
		"less than was written":     {func(k *bucket) { k.flush(); k.file.Truncate(k.size - 8) }, io.ErrUnexpectedEOF},
		"a file that is not there":  {func(k *bucket) { k.file.Close() }, os.ErrClosed},
		"a head that asks for more": {func(k *bucket) { k.buf = append(k.buf, math.Float64frombits(1<<(headPlace+headFirst+10))) }, errBucket},
	} {
		k := filled(1 << 10)
		c.damage(k)
		if err := p.sortBucket(raw, k, n); !errors.Is(err, c.is) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
