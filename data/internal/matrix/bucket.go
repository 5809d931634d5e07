package matrix

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"unsafe"

	"github.com/drotrain/drotrain/data/internal/table"
	"github.com/drotrain/drotrain/internal/memory"
)

// buckets sorts rows on disk. Rows come in the order of the table and may have any place in a matrix that does
// not fit into memory, so each is first written to the bucket of its place. Then one bucket after the other
// goes to the sink, which thus works on adjacent rows for a while.
type buckets struct {
	*plan
	where  DiskStorage
	to     sink
	size   int          // rows of a bucket, but for the last of a set
	buffer int          // words of a block of a bucket
	sets   [2][]*bucket // by set
}

// A bucket is a file of blocks of the same size. A block is a sequence of records, filled up with endOfBlock. A record
// is the number of rows, the first column and the number of columns, then the places of the rows, then their
// values by column.
type bucket struct {
	mu     sync.Mutex
	file   *os.File
	buf    []float64 // the block to be written next
	blocks int       // that were written
}

const (
	bucketRows    = 1 << 14  // least number of rows of a bucket
	bucketBuffers = 16 << 20 // bytes of the buffers of all buckets together
	recordHead    = 3        // words before the places
	endOfBlock    = -1       // where a number of rows would be; a damaged disk rather gives back zeros
)

// newBuckets returns empty buckets of rows that are meant for a sink.
func newBuckets(p *plan, where DiskStorage, to sink) (*buckets, error) {
	rowBytes, columns := 8*max(1, p.Width), min(SweepColumns, len(p.numbers))
	if p.storage == Sparse {
		rowBytes, columns = 12*(len(p.sources)+1), len(p.numbers)
	}
	b := &buckets{plan: p, where: where, to: to, size: max(bucketRows, int(where.Bucket)/rowBytes)}
	all := 0
	for s := range b.sets {
		b.sets[s] = make([]*bucket, (p.rows.Set(s).Len()+b.size-1)/b.size)
		all += len(b.sets[s])
	}
	b.buffer = max(recordHead+1+columns, min(1<<17, bucketBuffers/8/max(1, all)))
	for _, set := range b.sets {
		for i := range set {
			f, err := memory.NewUnnamedFile(where.Dir)
			if err != nil {
				b.close()
				return nil, err
			}
			set[i] = &bucket{file: f, buf: make([]float64, 0, b.buffer)}
		}
	}
	return b, nil
}

// close closes the files, which removes them.
func (b *buckets) close() {
	for _, set := range b.sets {
		for _, k := range set {
			if k != nil {
				k.file.Close()
			}
		}
	}
}

// inDir adds the directory to an error.
func (b *buckets) inDir(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the rows cannot be put in order in %s: %w", b.where.Dir, table.Cause(err))
}

// put appends columns of a tile to the buckets of its rows.
func (b *buckets) put(t *Tile, columns [][]float64) error {
	for s := range b.sets {
		if err := b.add(s, t, columns); err != nil {
			return b.inDir(err)
		}
	}
	return nil
}

// add appends the rows of a set to its buckets.
func (b *buckets) add(s int, t *Tile, columns [][]float64) error {
	// The rows of every bucket, one bucket after the other.
	set, rows, places := b.sets[s], t.RowsOf[s], t.PlaceOf[s]
	t.Ends, t.ByBucket = Resize(t.Ends, len(set)+1), Resize(t.ByBucket, len(rows))
	clear(t.Ends)
	for _, at := range places {
		t.Ends[at/b.size+1]++
	}
	for i := range set {
		t.Ends[i+1] += t.Ends[i]
	}
	for k, at := range places {
		i := at / b.size
		t.ByBucket[t.Ends[i]] = int32(k)
		t.Ends[i]++ // at last where the next one begins
	}
	from := 0
	for i, to := range t.Ends[:len(set)] {
		if err := set[i].add(t.Lo, columns, rows, places, t.ByBucket[from:to]); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// add appends records of the given rows, with columns from lo on.
func (k *bucket) add(lo int, columns [][]float64, rows []int32, places []int, which []int32) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(which) > 0 {
		n := min(len(which), (cap(k.buf)-len(k.buf)-recordHead)/(len(columns)+1))
		if n <= 0 {
			if err := k.flush(); err != nil {
				return err
			}
			continue
		}
		k.buf = append(k.buf, float64(n), float64(lo), float64(len(columns)))
		for _, r := range which[:n] {
			k.buf = append(k.buf, float64(places[r]))
		}
		for _, c := range columns {
			for _, r := range which[:n] {
				k.buf = append(k.buf, c[rows[r]])
			}
		}
		which = which[n:]
	}
	return nil
}

// flush writes the block.
func (k *bucket) flush() error {
	block := k.buf[:cap(k.buf)]
	for i := len(k.buf); i < len(block); i++ {
		block[i] = endOfBlock
	}
	_, err := k.file.WriteAt(bytesOf(block), int64(k.blocks)*int64(8*len(block)))
	k.blocks++
	k.buf = k.buf[:0]
	return err
}

// write moves the rows of a set to the sink and closes its buckets.
func (b *buckets) write(ctx context.Context, s int) error {
	blocks := sync.Pool{New: func() any { x := make([]float64, b.buffer); return &x }}
	for i, k := range b.sets[s] {
		if err := k.flush(); err != nil {
			return b.inDir(err)
		}
		k.buf = nil
		lo, hi := i*b.size, min((i+1)*b.size, b.rows.Set(s).Len())
		err := table.Parallel(ctx, k.blocks, func(at int) error {
			block := blocks.Get().(*[]float64)
			defer blocks.Put(block)
			if err := table.ReadFull(k.file, bytesOf(*block), int64(at)*int64(8*b.buffer)); err != nil {
				return b.inDir(err)
			}
			defer b.arena.Yield()
			return b.inDir(b.putBlock(s, *block, lo, hi))
		})
		k.file.Close()
		if err == nil {
			err = b.finishRows(ctx, b.to, s, lo, hi)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// putBlock passes the records of a block to the sink. Their places must be in [lo, hi).
func (b *buckets) putBlock(s int, block []float64, lo, hi int) error {
	var t Tile
	var columns [][]float64
	for len(block) > recordHead && block[0] != endOfBlock {
		n, width := int(block[0]), int(block[2])
		t.Lo, block = int(block[1]), block[recordHead:]
		if n < 1 || n > hi-lo || t.Lo < 0 || width < 0 || t.Lo > len(b.numbers)-width || len(block) < n*(width+1) {
			return errBucket
		}
		t.RowsOf[s], t.PlaceOf[s], columns = t.RowsOf[s][:0], t.PlaceOf[s][:0], columns[:0]
		for i, place := range block[:n] {
			if !(place >= float64(lo) && place < float64(hi)) {
				return errBucket
			}
			t.RowsOf[s], t.PlaceOf[s] = append(t.RowsOf[s], int32(i)), append(t.PlaceOf[s], int(place))
		}
		for j := range width {
			columns = append(columns, block[(j+1)*n:(j+2)*n])
		}
		if err := b.to.put(&t, columns); err != nil {
			return err
		}
		block = block[n*(width+1):]
	}
	return nil
}

var errBucket = errors.New("what was read is not what was written: the disk is damaged")

func bytesOf(v []float64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 8*len(v))
}
