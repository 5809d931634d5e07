package matrix

import (
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/design"
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
	filled := func(buffer int) *buckets {
		b, err := p.newBuckets(design.DiskStorage{Dir: t.TempDir()}, rows.Sets[0], size, buffer)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.close)
		for _, of := range [][2]int{{0, 2}, {2, 5}} {
			tile := &Tile{Rows: n}
			rows.Split(tile)
			part := piece{tile.PlaceOf[0], tile.RowsOf[0], make([][]float64, of[1]-of[0]), of[0]}
			for j := range part.columns {
				part.columns[j] = make([]float64, n)
				for k, i := range part.rows {
					part.columns[j][i] = want[part.places[k]*numbers+of[0]+j]
				}
			}
			if err := b.put(part); err != nil {
				t.Fatal(err)
			}
		}
		return b
	}
	write := func(b *buckets) ([]float64, error) {
		to := &dense[float64]{plan: p}
		to.reset(b.rows)
		to.allocate(0)
		err := b.write(t.Context(), "t.csv", to)
		return to.cells, err
	}
	for _, buffer := range []int{recordHead + 4, 11, 1 << 10} {
		if got, err := write(filled(buffer)); err != nil || !slices.Equal(got, want) {
			t.Errorf("buffers of %d: %v, %v", buffer, err, got)
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
		b := filled(1 << 10)
		c.damage(b.bucket[0])
		if _, err := write(b); !errors.Is(err, c.is) || !strings.Contains(err.Error(), "cannot be sorted") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
