package matrix

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/limit"
)

// buckets sorts the rows of a set on disk. Rows arrive in the order of the table, but may have any index in a
// matrix that does not fit into memory. Each row is therefore first written to the bucket that covers its index.
// Then the buckets are read one after another; the rows of each become a matrix in memory, which is copied to its
// place on disk.
type buckets struct {
	*plan
	where   design.DiskStorage
	rows    []int
	size    int // number of rows of every bucket except the last
	buffer  int // size of a block of a bucket, in numbers of 8 bytes
	bucket  []*bucket
	entries atomic.Int64 // number of entries of a sparse matrix
}

// A bucket is a file of blocks of equal size. A block is a sequence of records, padded with endOfBlock. A record
// consists of the number of rows, the first column and the number of columns, then the indices of the rows, and
// then their values, column after column.
type bucket struct {
	mu     sync.Mutex
	file   *os.File
	buf    []float64 // the block to be written next
	blocks int       // number of blocks that were written
}

const (
	bucketRows    = 1 << 14  // minimum number of rows of a bucket
	bucketBuffers = 16 << 20 // total size in bytes of the buffers of all buckets
	recordHead    = 3        // number of words that precede the indices of the rows
	endOfBlock    = -1       // stands in place of a number of rows; not 0, since a damaged disk may return zeros
)

// writeToDisk writes the matrices of the sets to disk.
func (p *plan) writeToDisk(ctx context.Context, name string, where design.DiskStorage, to [2]sink) error {
	rowBytes, columns := 8*max(1, p.Width), min(SweepColumns, len(p.numbers))
	if p.storage == design.SparseStorage {
		rowBytes, columns = 12*(len(p.sources)+1), len(p.numbers)
		for _, o := range p.sources {
			if o.Vector != nil {
				rowBytes += 12 * o.Vector.Sparse.Entries() / max(1, p.rows.Rows)
			}
		}
	}
	size := max(bucketRows, int(where.Bucket)/rowBytes)
	all := (len(p.rows.Sets[0])+len(p.rows.Sets[1]))/size + 2
	buffer := max(recordHead+1+columns, min(1<<17, bucketBuffers/8/all)) // at least one row must fit
	var sets [2]*buckets
	for s := range sets {
		b, err := p.newBuckets(where, p.rows.Sets[s], size, buffer)
		defer b.close()
		if err != nil {
			return err
		}
		sets[s] = b
	}
	if err := p.encodePieces(ctx, p.numbers, func(s int, part piece) error { return sets[s].put(part) }); err != nil {
		return err
	}
	for s, b := range sets {
		to[s].reset(b.rows)
		to[s].allocate(int(b.entries.Load()))
		if err := where.Arena.Err(); err != nil {
			return err
		}
		if err := b.write(ctx, name, to[s]); err != nil {
			return err
		}
	}
	return nil
}

// newBuckets returns empty buckets for the given rows. They must be closed, even after an error.
func (p *plan) newBuckets(where design.DiskStorage, rows []int, size, buffer int) (*buckets, error) {
	b := &buckets{plan: p, where: where, rows: rows, size: size, buffer: buffer}
	for range (len(rows) + size - 1) / size {
		f, err := limit.NewUnnamedFile(where.Dir)
		if err != nil {
			return b, err
		}
		b.bucket = append(b.bucket, &bucket{file: f, buf: make([]float64, 0, buffer)})
	}
	return b, nil
}

// close closes the files, which deletes them.
func (b *buckets) close() {
	for _, k := range b.bucket {
		k.file.Close()
	}
}

// addDirectory adds the name of the directory to an error.
func (b *buckets) addDirectory(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the rows cannot be sorted in %s: %w", b.where.Dir, table.Cause(err))
}

// put distributes the rows of a piece among the buckets.
func (b *buckets) put(p piece) error {
	which := make([][]int, len(b.bucket)) // indices of the rows of the piece, for each bucket
	entries, from := 0, b.newRowReader()
	for k, place := range p.places {
		i := place / b.size
		which[i] = append(which[i], k)
		if b.storage == design.SparseStorage {
			from.eachEntry(p.columns, p.rows[k], b.rows[place], func(int, float64) { entries++ })
		}
	}
	b.entries.Add(int64(entries))
	for i, rows := range which {
		if err := b.bucket[i].add(p, rows); err != nil {
			return b.addDirectory(err)
		}
	}
	return nil
}

// add appends records of some rows of a piece, given by their indices.
func (k *bucket) add(p piece, which []int) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(which) > 0 {
		n := min(len(which), (cap(k.buf)-len(k.buf)-recordHead)/(len(p.columns)+1))
		if n <= 0 {
			if err := k.flush(); err != nil {
				return err
			}
			continue
		}
		k.buf = append(k.buf, float64(n), float64(p.lo), float64(len(p.columns)))
		for _, r := range which[:n] {
			k.buf = append(k.buf, float64(p.places[r]))
		}
		for _, c := range p.columns {
			for _, r := range which[:n] {
				k.buf = append(k.buf, c[p.rows[r]])
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

// write copies the rows of the buckets to a sink, and closes each bucket after its rows have been copied.
func (b *buckets) write(ctx context.Context, name string, to sink) error {
	part := []sink{b.newSink(nil)}
	for i, k := range b.bucket {
		if err := k.flush(); err != nil {
			return b.addDirectory(err)
		}
		k.buf = nil
		lo, hi := i*b.size, min((i+1)*b.size, len(b.rows))
		err := b.buildMatrices(ctx, name, part, [][]int{b.rows[lo:hi]}, func(_ []*Number, use usePiece) error {
			return b.readPieces(ctx, k, lo, hi, use)
		})
		if err != nil {
			return err
		}
		k.file.Close()
		to.copyFrom(part[0], lo)
		b.where.Arena.Yield()
	}
	return nil
}

// readPieces calls use with the pieces of bucket k, which covers the matrix rows [firstRow, endRow). The indices of
// rows in a piece are relative to firstRow.
func (b *buckets) readPieces(ctx context.Context, k *bucket, firstRow, endRow int, use usePiece) error {
	blocks := sync.Pool{New: func() any { x := make([]float64, b.buffer); return &x }}
	return table.Parallel(ctx, k.blocks, func(at int) error {
		block := blocks.Get().(*[]float64)
		defer blocks.Put(block)
		if err := table.ReadFull(k.file, bytesOf(*block), int64(at)*int64(8*b.buffer)); err != nil {
			return b.addDirectory(err)
		}
		return b.addDirectory(b.readBlock(*block, firstRow, endRow, use))
	})
}

// readBlock calls use with the pieces in a block of records, whose rows are in [lo, hi). It returns errBucket if
// the block was not written by a bucket.
func (b *buckets) readBlock(block []float64, lo, hi int, use usePiece) error {
	var p piece
	for len(block) > recordHead && block[0] != endOfBlock {
		n, width := int(block[0]), int(block[2])
		p.lo, block = int(block[1]), block[recordHead:]
		if n < 1 || n > hi-lo || p.lo < 0 || width < 0 || p.lo > len(b.numbers)-width || len(block) < n*(width+1) {
			return errBucket
		}
		p.rows, p.places, p.columns = p.rows[:0], p.places[:0], p.columns[:0]
		for i, place := range block[:n] {
			if !(place >= float64(lo) && place < float64(hi)) {
				return errBucket
			}
			p.rows, p.places = append(p.rows, int32(i)), append(p.places, int(place)-lo)
		}
		for j := range width {
			p.columns = append(p.columns, block[(j+1)*n:(j+2)*n])
		}
		if err := use(0, p); err != nil {
			return err
		}
		block = block[n*(width+1):]
	}
	return nil
}

var errBucket = errors.New("data read back from disk differ from what was written: the disk is damaged")

func bytesOf(v []float64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 8*len(v))
}
