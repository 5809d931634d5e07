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

	"github.com/drotrain/drotrain/data/internal/tiles"
	"github.com/drotrain/drotrain/data/schema"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/paged"
)

// Outside says that rows are to lie on disk: where, and in how much memory they may be put in
// order.
type Outside struct {
	design.Place
	Pile int64 // bytes
}

// Piles put rows in order on disk, in two passes. Rows come in the order of the table,
// and their place in the matrix is anywhere; so each is first added to the pile of its
// place, then one pile after the other is put in order in memory, encoded and written.
// What is in a pile is the numbers of its rows as they are in the table.
type Piles struct {
	where   Outside
	numbers int // of a row
	rows    int // of a pile, but for the last of a set
	sets    [2]pileSet
	Taken   bool // the matrices are somebody's
}

// A pileSet is the piles of the rows of a set, and the matrix that they become.
type pileSet struct {
	n      int // rows
	pile   []*pile
	matrix *design.Disk // nil without rows
}

// A pile is a file of records: a head, then numbers of neighbouring columns of a row. The
// head is the row's place in the pile, the first of the columns, and how many there are.
type pile struct {
	mu   sync.Mutex
	file *os.File
	buf  []float64 // to be written
	size int64     // bytes written
}

// pileGrain divides the rows of a pile: blocks of a design.Disk are never in two.
const pileGrain = 1 << 14

// pileBuffers is the memory for what is to be written to piles, all together.
const pileBuffers = 16 << 20

// Bits of a head.
const (
	headPlace = 28
	headFirst = 18 // and as many for the number of columns
)

// NewPiles are for the rows of both sets, of so many numbers. They are to be closed, after an
// error too.
func NewPiles(where Outside, d *tiles.Partition, numbers int) (*Piles, error) {
	p := &Piles{where: where, numbers: numbers}
	if numbers >= 1<<headFirst {
		return nil, fmt.Errorf("%d numeric columns are more than can be put in order on disk", numbers)
	}
	row := 8 * int64(max(1, numbers))
	p.rows = int(max(1, min(1<<headPlace, where.Pile/row)/pileGrain)) * pileGrain
	all := 0
	for s := range p.sets {
		n := d.Set(s).Len()
		p.sets[s] = pileSet{n: n, pile: make([]*pile, (n+p.rows-1)/p.rows)}
		all += len(p.sets[s].pile)
	}
	buffer := max(tiles.SweepColumns+1, min(1<<17, pileBuffers/8/all))
	for _, set := range p.sets {
		for i := range set.pile {
			f, err := paged.Unnamed(where.Dir)
			if err != nil {
				return p, err
			}
			set.pile[i] = &pile{file: f, buf: make([]float64, 0, buffer)}
		}
	}
	return p, nil
}

// Close gives up the piles that are left, and the matrices if nobody has taken them.
func (p *Piles) Close() {
	for _, set := range p.sets {
		if set.matrix != nil && !p.Taken {
			set.matrix.Close()
		}
		for _, k := range set.pile {
			if k != nil {
				k.file.Close()
			}
		}
	}
}

// Put adds columns of a tile, whose rows are split. It is safe for concurrent use on
// different tiles.
func (p *Piles) Put(t *tiles.Tile, columns [][]float64) error {
	for s := range p.sets {
		if err := p.put(s, t, columns); err != nil {
			return fmt.Errorf("the rows cannot be put in order in %s: %w", p.where.Dir, table.Cause(err))
		}
	}
	return nil
}

// put adds the rows of a set.
func (p *Piles) put(s int, t *tiles.Tile, columns [][]float64) error {
	// The rows of every pile, one pile after the other.
	pile, rows, places := p.sets[s].pile, t.RowsOf[s], t.PlaceOf[s]
	t.Ends, t.ByPile = tiles.Resized(t.Ends, len(pile)+1), tiles.Resized(t.ByPile, len(rows))
	clear(t.Ends)
	for _, at := range places {
		t.Ends[at/p.rows+1]++
	}
	for i := range pile {
		t.Ends[i+1] += t.Ends[i]
	}
	for k, at := range places {
		i := at / p.rows
		t.ByPile[t.Ends[i]] = int32(k)
		t.Ends[i]++ // at last where the next one begins
	}
	head := uint64(t.Lo)<<headPlace | uint64(len(columns))<<(headPlace+headFirst)
	from := 0
	for i, to := range t.Ends[:len(pile)] {
		if to > from {
			if err := pile[i].add(head, columns, rows, places, t.ByPile[from:to], i*p.rows); err != nil {
				return err
			}
		}
		from = to
	}
	return nil
}

func (k *pile) add(head uint64, columns [][]float64, rows []int32, places []int, which []int32, first int) error {
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

func (k *pile) flush() error {
	n, err := k.file.WriteAt(bytesOf(k.buf), k.size)
	k.size += int64(n)
	k.buf = k.buf[:0]
	return err
}

// Finish writes the matrices of the rows, encoded. The piles are gone afterwards, one after
// the other.
func (p *Piles) Finish(ctx context.Context, l Layout, d *tiles.Partition, storage schema.Storage, sources []Source) (*Builder, error) {
	for _, o := range sources {
		if o.Number != nil {
			o.Number.narrow = storage == schema.Float32
		}
	}
	raw := make([]float64, min(p.rows, max(p.sets[0].n, p.sets[1].n))*p.numbers)
	for s := range p.sets {
		if err := p.finish(ctx, s, raw, l, d, storage, sources); err != nil {
			return nil, err
		}
	}
	return &Builder{Storage: storage, piles: p}, nil
}

// finish writes the matrix of a set. Rows held out are read once, in their order, and none of
// their blocks is kept in memory.
func (p *Piles) finish(ctx context.Context, s int, raw []float64, l Layout, d *tiles.Partition, storage schema.Storage, sources []Source) error {
	set, place := &p.sets[s], p.where.Place
	if set.n == 0 {
		return nil
	}
	if s == 1 {
		place.Memory = 0
	}
	w, err := design.NewDiskWriter(place, set.n, l.Width, DiskFormat(storage))
	if err != nil {
		return err
	}
	defer func() {
		if set.matrix == nil {
			w.Close()
		}
	}()
	blocks := sync.Pool{New: func() any { x := make([]float64, w.BlockRows()*l.Width); return &x }}
	for i, k := range set.pile {
		first := i * p.rows
		n := min(p.rows, set.n-first)
		if err := p.order(raw, k, n); err != nil {
			return fmt.Errorf("the rows cannot be put in order in %s: %w", p.where.Dir, table.Cause(err))
		}
		k.file.Close()
		err := table.Parallel(ctx, (n+w.BlockRows()-1)/w.BlockRows(), func(b int) error {
			x := blocks.Get().(*[]float64)
			defer blocks.Put(x)
			lo := b * w.BlockRows()
			hi := min(lo+w.BlockRows(), n)
			p.encode(*x, raw[lo*p.numbers:], s, first+lo, first+hi, l, d, sources)
			return w.Write(first/w.BlockRows()+b, *x)
		})
		if err != nil {
			return err
		}
	}
	set.matrix = w.Matrix()
	return nil
}

// DiskFormat is how rows of a storage lie on disk.
func DiskFormat(storage schema.Storage) design.DiskFormat {
	switch storage {
	case schema.Float32:
		return design.Disk32
	case schema.Sparse:
		return design.DiskSparse
	}
	return design.Disk64
}

// order stores the rows of a pile in their order.
func (p *Piles) order(raw []float64, k *pile, n int) error {
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
			if place >= n || first+count > p.numbers {
				return errPile
			}
			copy(raw[place*p.numbers+first:], part[1:1+count])
			part = part[1+count:]
		}
		have = copy(buf, part)
	}
	if have > 0 {
		return errPile
	}
	return nil
}

var errPile = errors.New("what was read is not what was written: the disk is damaged")

// encode stores the rows [lo, hi) of the matrix of a set in x, from their numbers as they are
// in the table.
func (p *Piles) encode(x, raw []float64, s, lo, hi int, l Layout, d *tiles.Partition, sources []Source) {
	width := l.Width
	clear(x[:(hi-lo)*width])
	for _, o := range sources {
		if q := o.Number; q != nil {
			fill, shift, scale := q.In.Fill, q.Coding.Shift, q.Coding.Scale
			for i := range hi - lo {
				v := raw[i*p.numbers+q.Nth]
				if v != v {
					v = fill
				}
				z := (v - shift) / scale
				if q.beyond(z) {
					q.far(s, d.Sets[s][lo+i], v)
					z = 0 // told by the encoder, which fails
				}
				x[i*width+q.In.First] = z
			}
			continue
		}
		k := o.Category
		for i := range hi - lo {
			if c := k.at(d.Sets[s][lo+i]); c >= 2 {
				x[i*width+k.First+c-2] = 1
			}
		}
	}
	if at := l.Intercept; at >= 0 {
		for i := range hi - lo {
			x[i*width+at] = 1
		}
	}
}

func bytesOf(v []float64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 8*len(v))
}
