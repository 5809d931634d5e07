package design

import (
	"slices"
	"sync"

	"github.com/drotrain/drotrain/internal/paged"
	"github.com/drotrain/drotrain/internal/shard"
)

// A Disk is a matrix whose rows lie in a file, in blocks, and are read by pread as they
// are asked for: those of the next block while one is at work. The first blocks stay in
// memory once read, for methods that begin on a prefix of the rows; so do others, the
// last used, as many as there is memory for. A [DiskWriter] makes one.
//
// The methods of a Matrix return no errors. What cannot be read, or is not what was
// written, is zeros; Err says so from then on, and Place.Failed is told once. Results from
// there on are of no use.
type Disk struct {
	blockwise
	n, d    int
	format  DiskFormat
	rows    int      // of a block
	extents []extent // of the blocks
	file    blockFile
	place   Place

	largest    []float64
	terms      int
	bytes      int64
	pass, gram float64

	by   []float64 // taken from the entries of every row; nil: nothing (Centred)
	from *Disk     // whose file it is, and that counts and says what went wrong; nil: its own

	mu     sync.Mutex
	held   map[int]*block
	most   int // buffers
	made   int // of them
	pinned int // blocks from the first that stay
	clock  int
	err    error
	read   int64 // bytes
}

// A block is one that is in memory, or about to be.
type block struct {
	ready chan struct{} // closed when rows can be used
	rows  Matrix
	buf   []float64
	users int  // among them who loads it
	used  int  // when
	asked bool // for its rows, not only ahead of that
}

var _ Matrix = (*Disk)(nil)

// Dims implements Matrix.
func (m *Disk) Dims() (n, d int) { return m.n, m.d }

func (m *Disk) blockEnd(i int) int { return (i/m.rows + 1) * m.rows }

func (m *Disk) each(lo, hi int, do func(rows Matrix, base, lo, hi int)) {
	for lo < hi {
		b := lo / m.rows
		base := b * m.rows
		end := min(hi, base+m.rows)
		k := m.acquire(b)
		do(k.rows, base, lo-base, end-base)
		m.release(k)
		lo = end
	}
}

// acquire returns a block that is in memory until its release, and has the next one read.
func (m *Disk) acquire(b int) *block {
	m.mu.Lock()
	k, ok := m.held[b]
	if !ok {
		k = m.begin(b)
	} else {
		k.users++
	}
	m.clock++
	k.used = m.clock
	var next *block
	if !k.asked && b+1 < len(m.extents) && m.held[b+1] == nil {
		next = m.begin(b + 1)
	}
	k.asked = true
	m.mu.Unlock()
	if next != nil {
		go func() {
			m.load(next, b+1)
			m.release(next)
		}()
	}
	if !ok {
		m.load(k, b)
	}
	<-k.ready
	return k
}

func (m *Disk) release(k *block) {
	m.mu.Lock()
	k.users--
	m.mu.Unlock()
}

// Forget gives up the blocks in memory that nobody is at: they are read again when they are asked
// for.
func (m *Disk) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for b, k := range m.held {
		if k.users == 0 {
			delete(m.held, b)
			m.made--
		}
	}
}

// begin makes room for a block that is to be loaded, whose user the caller is. The lock
// is held.
func (m *Disk) begin(b int) *block {
	k := &block{ready: make(chan struct{}), users: 1, used: m.clock}
	oldest := b // none of those that are there
	if m.made >= m.most {
		for i, h := range m.held {
			if h.users == 0 && i >= m.pinned && (oldest == b || h.used < m.held[oldest].used) {
				oldest = i
			}
		}
	}
	if oldest != b {
		k.buf = m.held[oldest].buf
		delete(m.held, oldest)
	} else {
		m.made++ // the first of its place, or all others are in use
	}
	m.held[b] = k
	return k
}

// load reads a block.
func (m *Disk) load(k *block, b int) {
	defer close(k.ready)
	e := m.extents[b]
	words := int(e.size / 8)
	if cap(k.buf) < words {
		k.buf = make([]float64, m.widest())
	}
	buf := k.buf[:words]
	if err := m.file.read(buf, e); err != nil {
		m.fail(err)
		clear(buf)
	}
	m.count(e.size)
	k.rows = m.format.decode(buf, min(m.rows, m.n-b*m.rows), m.d, m.largest)
	if m.by != nil {
		m.move(k.rows)
	}
}

// count counts bytes that were read.
func (m *Disk) count(bytes int64) {
	if m.from != nil {
		m.from.count(bytes)
		return
	}
	m.mu.Lock()
	m.read += bytes
	m.mu.Unlock()
}

// widest is the size of the largest block, in words.
func (m *Disk) widest() int {
	most := int64(0)
	for _, e := range m.extents {
		most = max(most, e.size)
	}
	return int(most / 8)
}

func (m *Disk) fail(err error) {
	if m.from != nil {
		m.from.fail(err)
		return
	}
	m.mu.Lock()
	first := m.err == nil
	if first {
		m.err = err
	}
	m.mu.Unlock()
	if first && m.place.Failed != nil {
		m.place.Failed(err)
	}
}

// Err is why rows could not be read, if some could not.
func (m *Disk) Err() error {
	if m.from != nil {
		return m.from.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

// Read is the number of bytes that were read so far.
func (m *Disk) Read() int64 {
	if m.from != nil {
		return m.from.Read()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.read
}

// Close gives up the file. The matrix must not be used any more.
func (m *Disk) Close() error { return m.file.f.Close() }

// Room is where vectors of one entry a row may lie.
func (m *Disk) Room() *paged.Room { return m.place.Room }

// MostSelected is the number of rows that Select can be asked for without exceeding the
// memory of the matrix.
func (m *Disk) MostSelected() int {
	return int(m.place.Memory / max(1, m.bytes/int64(m.n)))
}

// RowTo implements Matrix.
func (m *Disk) RowTo(dst []float64, i int) {
	m.each(i, i+1, func(rows Matrix, _, lo, _ int) { rows.RowTo(dst, lo) })
}

// Select implements Matrix: a copy in memory.
func (m *Disk) Select(rows []int) Matrix {
	order := rows
	var at []int // order[k] is rows[at[k]]; nil: they ascend
	if !slices.IsSorted(rows) {
		at = make([]int, len(rows))
		for k := range at {
			at[k] = k
		}
		slices.SortStableFunc(at, func(a, b int) int { return rows[a] - rows[b] })
		order = make([]int, len(rows))
		for k, i := range at {
			order[k] = rows[i]
		}
	}
	place := func(k int) int {
		if at == nil {
			return k
		}
		return at[k]
	}
	out := m.format.collector(len(rows), m.d)
	shard.Run(len(order), func(_, lo, hi int) {
		for lo < hi {
			b := order[lo] / m.rows
			end := lo
			for end < hi && order[end]/m.rows == b {
				end++
			}
			k := m.acquire(b)
			for ; lo < end; lo++ {
				out.take(place(lo), k.rows, order[lo]-b*m.rows)
			}
			m.release(k)
		}
	})
	return out.matrix(m.largest)
}

// Largest implements Matrix.
func (m *Disk) Largest() []float64 { return m.largest }

// Terms implements Matrix.
func (m *Disk) Terms() int { return m.terms }

// Bytes implements Matrix: of the file, not of memory.
func (m *Disk) Bytes() int64 { return m.bytes }

// Work implements Matrix: that of the same rows in memory, so that decisions are the same.
func (m *Disk) Work() (pass, gram float64) { return m.pass, m.gram }
