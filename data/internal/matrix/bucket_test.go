package matrix

import (
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// Rows that are added to buckets in any order, in pieces of columns, reach the sink; a bucket is refused of which
// the disk gives back something else.
func TestBuckets_AreReadBack(t *testing.T) {
	const n, numbers, size = 50, 5, 20
	rng := rand.New(rand.NewPCG(7, 1))
	want := make([]float64, n*numbers)
	for i := range want {
		want[i] = rng.NormFloat64()
	}
	rows, err := NewPartition(nil, n, rng.Perm(n), nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &plan{Layout: Layout{Width: numbers, Intercept: -1}, rows: rows}
	for j := range numbers {
		p.numbers = append(p.numbers, &Number{First: j})
	}
	filled := func(buffer int) (*buckets, *dense[float64]) {
		to := &dense[float64]{plan: p}
		b := &buckets{plan: p, to: to, size: size, buffer: buffer}
		for range (n + size - 1) / size {
			f, err := os.CreateTemp(t.TempDir(), "bucket")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() })
			b.sets[0] = append(b.sets[0], &bucket{file: f, buf: make([]float64, 0, buffer)})
		}
		for _, of := range [][2]int{{0, 2}, {2, 5}} {
			tile := &Tile{Rows: n, Lo: of[0]}
			rows.Split(tile)
			columns := make([][]float64, of[1]-of[0])
			for j := range columns {
				columns[j] = make([]float64, n)
				for k, i := range tile.RowsOf[0] {
					columns[j][i] = want[tile.PlaceOf[0][k]*numbers+of[0]+j]
				}
			}
			if err := b.put(tile, columns); err != nil {
				t.Fatal(err)
			}
		}
		to.allocate(0)
		return b, to
	}
	for _, buffer := range []int{7, 11, 1 << 10} {
		b, to := filled(buffer)
		if err := b.write(t.Context(), 0); err != nil || !slices.Equal(to.cells[0], want) {
			t.Errorf("buffers of %d: %v, %v", buffer, err, to.cells[0])
		}
	}
	second := recordHead + size*3 // where the second record begins
	for what, c := range map[string]struct {
		damage func(k *bucket)
		is     error
	}{
		"a place behind the last":         {func(k *bucket) { k.buf[recordHead] = size }, errBucket},
		"a place before the first":        {func(k *bucket) { k.buf[recordHead] = -1 }, errBucket},
		"a column behind the last":        {func(k *bucket) { k.buf[1] = numbers - 1 }, errBucket},
		"more columns than numbers":       {func(k *bucket) { k.buf[second+2] = numbers }, errBucket},
		"more rows than the bucket has":   {func(k *bucket) { k.buf[0] = size + 1 }, errBucket},
		"more numbers than the block has": {func(k *bucket) { k.buf[second+1], k.buf[second+2] = 0, 1e300 }, errBucket},
		"less than was written":           {func(k *bucket) { k.flush(); k.file.Truncate(0) }, errBucket},
		"a file that is not there":        {func(k *bucket) { k.file.Close() }, os.ErrClosed},
	} {
		b, _ := filled(1 << 10)
		c.damage(b.sets[0][0])
		if err := b.write(t.Context(), 0); err == nil || !errors.Is(err, c.is) || !strings.Contains(err.Error(), "cannot be put in order") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
