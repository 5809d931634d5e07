package matrix

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"unsafe"

	"github.com/drotrain/drotrain/data/internal/table"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/memory"
)

// buckets sorts rows on disk in two passes. Rows come in the order of the table and may have any place in the
// matrix, so each is first appended to the bucket of its place; then one bucket after the other is sorted in
// memory and written. A bucket holds the encoded numbers of its rows.
type buckets struct {
	plan
	where   DiskStorage
	storage Storage
	size    int // rows of a bucket, but for the last of a set
	sets    [2]bucketSet
}

// A bucketSet holds the buckets of a set of rows and the matrix built from them.
type bucketSet struct {
	bucket []*bucket
	matrix *design.Mapped // nil without rows
}

// A bucket is a file of records. Each has a head, with the place of the row in the bucket, the first column and
// the number of columns, followed by the numbers of these columns.
type bucket struct {
	mu   sync.Mutex
	file *os.File
	buf  []float64 // to be written
	size int64     // bytes written
}

// bucketRows divides the rows of a bucket, and blockRows are encoded at a time.
const (
	bucketRows = 1 << 14
	blockRows  = 1 << 10
)

// bucketBuffers is the size of the write buffers of all buckets together.
const bucketBuffers = 16 << 20

// Bits of a head.
const (
	headPlace = 28
	headFirst = 18 // and as many for the number of columns
)

// begin creates the buckets.
func (p *buckets) begin(func([]*Number, tileUse) error) error {
	if len(p.numbers) >= 1<<headFirst {
		return fmt.Errorf("%d numeric columns are more than can be put in order on disk", len(p.numbers))
	}
	row := 8 * int64(max(1, len(p.numbers)))
	p.size = int(max(1, min(1<<headPlace, p.where.Bucket/row)/bucketRows)) * bucketRows
	all := 0
	for s := range p.sets {
		p.sets[s].bucket = make([]*bucket, (p.rows.Set(s).Len()+p.size-1)/p.size)
		all += len(p.sets[s].bucket)
	}
	buffer := max(SweepColumns+1, min(1<<17, bucketBuffers/8/max(1, all)))
	for _, set := range p.sets {
		for i := range set.bucket {
			f, err := memory.NewUnnamedFile(p.where.Dir)
			if err != nil {
				return err
			}
			set.bucket[i] = &bucket{file: f, buf: make([]float64, 0, buffer)}
		}
	}
	return nil
}

// close closes the remaining buckets and, unless keep is set, the matrices.
func (p *buckets) close(keep bool) {
	for _, set := range p.sets {
		if set.matrix != nil && !keep {
			set.matrix.Free()
		}
		for _, k := range set.bucket {
			if k != nil {
				k.file.Close()
			}
		}
	}
}

func (p *buckets) matrix(s int) (design.Matrix, error) { return p.sets[s].matrix, nil }

// put appends columns of a tile to the buckets of its rows.
func (p *buckets) put(t *Tile, columns [][]float64) error {
	for s := range p.sets {
		if err := p.add(s, t, columns); err != nil {
			return fmt.Errorf("the rows cannot be put in order in %s: %w", p.where.Dir, table.Cause(err))
		}
	}
	return nil
}

// add appends the rows of a set to its buckets.
func (p *buckets) add(s int, t *Tile, columns [][]float64) error {
	// The rows of every bucket, one bucket after the other.
	bucket, rows, places := p.sets[s].bucket, t.RowsOf[s], t.PlaceOf[s]
	t.Ends, t.ByBucket = Resize(t.Ends, len(bucket)+1), Resize(t.ByBucket, len(rows))
	clear(t.Ends)
	for _, at := range places {
		t.Ends[at/p.size+1]++
	}
	for i := range bucket {
		t.Ends[i+1] += t.Ends[i]
	}
	for k, at := range places {
		i := at / p.size
		t.ByBucket[t.Ends[i]] = int32(k)
		t.Ends[i]++ // at last where the next one begins
	}
	head := uint64(t.Lo)<<headPlace | uint64(len(columns))<<(headPlace+headFirst)
	from := 0
	for i, to := range t.Ends[:len(bucket)] {
		if to > from {
			if err := bucket[i].add(head, columns, rows, places, t.ByBucket[from:to], i*p.size); err != nil {
				return err
			}
		}
		from = to
	}
	return nil
}

// add appends records of rows, whose places are counted from first.
func (k *bucket) add(head uint64, columns [][]float64, rows []int32, places []int, which []int32, first int) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, r := range which {
		if len(k.buf)+len(columns)+1 > cap(k.buf) {
			if err := k.flush(); err != nil {
				return err
			}
		}
		k.buf = append(k.buf, math.Float64frombits(head|uint64(places[r]-first)))
		for _, c := range columns {
			k.buf = append(k.buf, c[rows[r]])
		}
	}
	return nil
}

func (k *bucket) flush() error {
	n, err := k.file.WriteAt(bytesOf(k.buf), k.size)
	k.size += int64(n)
	k.buf = k.buf[:0]
	return err
}

// finish writes the matrices and removes each bucket after use.
func (p *buckets) finish(ctx context.Context) error {
	cells := make([]float64, min(p.size, max(p.rows.Set(0).Len(), p.rows.Set(1).Len()))*len(p.numbers))
	for s := range p.sets {
		if err := p.write(ctx, s, cells); err != nil {
			return err
		}
	}
	return nil
}

// write builds the mapped matrix of a set.
func (p *buckets) write(ctx context.Context, s int, cells []float64) error {
	rows := p.rows.Set(s).Len()
	if rows == 0 {
		return nil
	}
	var m design.Matrix
	var free func()
	var err error
	switch p.storage {
	case Float32:
		m, free, err = fillDense(ctx, p, s, cells, func(x []float32) (design.Matrix, error) { return design.NewDense32(rows, p.Width, x) })
	case Sparse:
		m, free, err = p.fillSparse(ctx, s, cells)
	default:
		m, free, err = fillDense(ctx, p, s, cells, func(x []float64) (design.Matrix, error) { return design.NewDense(rows, p.Width, x) })
	}
	if err == nil {
		err = p.where.Arena.Err()
	}
	if err != nil {
		if free != nil {
			free()
		}
		return err
	}
	p.sets[s].matrix = design.NewMapped(m, p.where.Arena, p.where.Memory, free)
	return nil
}

// eachBlock sorts one bucket of a set after the other into cells and calls use, concurrently, with blocks of
// rows [lo, hi) of the matrix and their encoded numbers x. Unless again is set, it closes the buckets.
func (p *buckets) eachBlock(ctx context.Context, s int, cells []float64, again bool, use func(x []float64, lo, hi int)) error {
	blocks := sync.Pool{New: func() any { x := make([]float64, blockRows*p.Width); return &x }}
	rows := p.rows.Set(s).Len()
	for i, k := range p.sets[s].bucket {
		first := i * p.size
		n := min(p.size, rows-first)
		if err := p.sortBucket(cells, k, n); err != nil {
			return fmt.Errorf("the rows cannot be put in order in %s: %w", p.where.Dir, table.Cause(err))
		}
		if !again {
			k.file.Close()
		}
		err := table.Parallel(ctx, (n+blockRows-1)/blockRows, func(b int) error {
			x := blocks.Get().(*[]float64)
			defer blocks.Put(x)
			lo := b * blockRows
			hi := min(lo+blockRows, n)
			p.assembleRows(*x, cells[lo*len(p.numbers):], s, first+lo, first+hi)
			use((*x)[:(hi-lo)*p.Width], first+lo, first+hi)
			p.where.Arena.Yield()
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// fillDense builds a dense matrix of a set in a mapped slice, with the given constructor.
func fillDense[T float32 | float64](ctx context.Context, p *buckets, s int, cells []float64, make func(x []T) (design.Matrix, error)) (m design.Matrix, free func(), err error) {
	arena := p.where.Arena
	x := memory.Make[T](arena, p.rows.Set(s).Len()*p.Width)
	free = func() { memory.Release(arena, x) }
	if err := arena.Err(); err != nil {
		return nil, free, err
	}
	err = p.eachBlock(ctx, s, cells, false, func(block []float64, lo, _ int) {
		to := x[lo*p.Width:]
		for i, v := range block {
			to[i] = T(v)
		}
	})
	if err == nil {
		m, err = make(x)
	}
	return m, free, err
}

// fillSparse builds a sparse matrix of a set in mapped slices. It reads the buckets once more, to count
// entries.
func (p *buckets) fillSparse(ctx context.Context, s int, cells []float64) (m design.Matrix, free func(), err error) {
	arena, n, d := p.where.Arena, p.rows.Set(s).Len(), p.Width
	start := memory.Make[int](arena, n+1)
	free = func() { memory.Release(arena, start) }
	err = p.eachBlock(ctx, s, cells, true, func(block []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			for _, v := range block[(i-lo)*d : (i-lo+1)*d] {
				if v != 0 {
					start[i+1]++
				}
			}
		}
	})
	if err != nil {
		return nil, free, err
	}
	for i := range n {
		start[i+1] += start[i]
	}
	column, value := memory.Make[int32](arena, start[n]), memory.Make[float64](arena, start[n])
	free = func() {
		memory.Release(arena, start)
		memory.Release(arena, column)
		memory.Release(arena, value)
	}
	if err := arena.Err(); err != nil {
		return nil, free, err
	}
	err = p.eachBlock(ctx, s, cells, false, func(block []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			at := start[i]
			for k, v := range block[(i-lo)*d : (i-lo+1)*d] {
				if v != 0 {
					column[at], value[at] = int32(k), v
					at++
				}
			}
		}
	})
	if err == nil {
		m, err = design.NewSparse(n, d, start, column, value)
	}
	return m, free, err
}

// sortBucket stores the rows of a bucket in order.
func (p *buckets) sortBucket(cells []float64, k *bucket, n int) error {
	if err := k.flush(); err != nil {
		return err
	}
	in := io.NewSectionReader(k.file, 0, k.size)
	buf := make([]float64, 1<<17)
	have := 0 // words of buf
	for left := k.size / 8; left > 0; {
		more := int(min(left, int64(len(buf)-have)))
		if _, err := io.ReadFull(in, bytesOf(buf[have:have+more])); err != nil {
			return err
		}
		left -= int64(more)
		part := buf[:have+more]
		for len(part) > 0 {
			head := math.Float64bits(part[0])
			place, first := int(head&(1<<headPlace-1)), int(head>>headPlace&(1<<headFirst-1))
			count := int(head >> (headPlace + headFirst))
			if len(part) <= count {
				break
			}
			if place >= n || first+count > len(p.numbers) {
				return errBucket
			}
			copy(cells[place*len(p.numbers)+first:], part[1:1+count])
			part = part[1+count:]
		}
		have = copy(buf, part)
	}
	if have > 0 {
		return errBucket
	}
	return nil
}

var errBucket = errors.New("what was read is not what was written: the disk is damaged")

// assembleRows stores the rows [lo, hi) of the matrix of a set in x. Numbers that cannot be represented are
// recorded as faults.
func (p *buckets) assembleRows(x, cells []float64, s, lo, hi int) {
	clear(x[:(hi-lo)*p.Width])
	j := 0
	for _, o := range p.sources {
		if q := o.Number; q != nil {
			for i := range hi - lo {
				if z := cells[i*len(p.numbers)+j]; !q.overflows(z) {
					x[i*p.Width+q.First] = z
				}
			}
			j++
			continue
		}
		k := o.Category
		for i := range hi - lo {
			if c := k.code(p.rows.Sets[s][lo+i]); c >= 2 {
				x[i*p.Width+k.First+c-2] = 1
			}
		}
	}
	if p.Intercept >= 0 {
		for i := range hi - lo {
			x[i*p.Width+p.Intercept] = 1
		}
	}
}

func bytesOf(v []float64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 8*len(v))
}
