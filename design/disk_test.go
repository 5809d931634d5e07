package design

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/drotrain/drotrain/internal/shard"
)

var diskFormats = []DiskFormat{Disk64, Disk32, DiskSparse}

// onDisk writes rows, blocks in any order, and returns them with the same in memory.
func onDisk(t *testing.T, p Place, format DiskFormat, n, d int) (*Disk, Matrix) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	x := make([]float64, n*d)
	for i := range x {
		if x[i] = rng.NormFloat64(); format == DiskSparse && rng.IntN(4) > 0 {
			x[i] = 0
		}
	}
	p.Dir = t.TempDir()
	w, err := NewDiskWriter(p, n, d, format)
	if err != nil {
		t.Fatal(err)
	}
	blocks := (n + w.BlockRows() - 1) / w.BlockRows()
	for _, b := range rng.Perm(blocks) {
		if err := w.Write(b, x[b*w.BlockRows()*d:min((b+1)*w.BlockRows(), n)*d]); err != nil {
			t.Fatal(err)
		}
	}
	disk := w.Matrix()
	t.Cleanup(func() { disk.Close() })
	if files, _ := os.ReadDir(p.Dir); len(files) > 0 {
		t.Errorf("%s has a name", files[0].Name())
	}
	var m Matrix
	switch format {
	case Disk32:
		narrow := make([]float32, len(x))
		for i, v := range x {
			narrow[i] = float32(v)
		}
		m, err = NewDense32(n, d, narrow)
	case DiskSparse:
		start, column, value := []int{0}, []int32{}, []float64{}
		for i := range n {
			for j, v := range x[i*d : (i+1)*d] {
				if v != 0 {
					column, value = append(column, int32(j)), append(value, v)
				}
			}
			start = append(start, len(value))
		}
		m, err = NewSparse(n, d, start, column, value)
	default:
		m, err = NewDense(n, d, x)
	}
	if err != nil {
		t.Fatal(err)
	}
	return disk, m
}

// Every operation on a range is that of the rows in memory, exactly where rows are
// independent, and to rounding where they are summed: of all rows, and of some that stay on
// disk.
func TestDiskIsTheMatrix(t *testing.T) {
	for _, format := range diskFormats {
		for _, d := range []int{1, 7, 700} {
			n := 5*diskRows(d) + 3
			if d == 1 {
				n = diskRows(d) + 5
			}
			disk, m := onDisk(t, Place{}, format, n, d) // no memory: every block is evicted
			all := onRows{t, disk, m, fmt.Sprintf("format %d, d = %d", format, d)}
			all.alike(n, d, format)
			var some []int
			for i := range n {
				if i%5 != 2 && i/diskRows(d) != 2 { // a block has none
					some = append(some, i)
				}
			}
			if d == 7 {
				onRows{t, disk.Subset(some), m.Select(some), all.name + ", some"}.alike(len(some), d, format)
			}
			if !slices.Equal(disk.Largest(), m.Largest()) || disk.Terms() != m.Terms() {
				t.Errorf("format %d, d = %d: largest entries or terms differ", format, d)
			}
			pass, gram := disk.Work()
			if a, b := m.Work(); a != pass || b != gram {
				t.Errorf("format %d, d = %d: work %v, %v, in memory %v, %v", format, d, pass, gram, a, b)
			}
			if disk.Err() != nil || disk.Read() < disk.Bytes() {
				t.Errorf("format %d: %v, %d of %d bytes read", format, disk.Err(), disk.Read(), disk.Bytes())
			}
		}
	}
}

// onRows are rows on disk, and what they are to be, in memory.
type onRows struct {
	t         *testing.T
	got, want Matrix
	name      string
}

func (c onRows) alike(n, d int, format DiskFormat) {
	c.t.Helper()
	rng := rand.New(rand.NewPCG(2, 3))
	draw := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return v
	}
	u, v, p, q, x := draw(n), draw(n), draw(n), draw(n), draw(d)
	for _, r := range [][2]int{{0, n}, {1, n - 1}, {n / 3, n / 2}, {n - 1, n}, {5, 5}} {
		lo, hi := r[0], r[1]
		for name, op := range map[string]func(m Matrix, dst []float64){
			"margins": func(m Matrix, dst []float64) { m.MarginsTo(dst[:n], x, lo, hi) },
			"norms":   func(m Matrix, dst []float64) { m.NormsTo(dst[:n], x, lo, hi) },
			"row":     func(m Matrix, dst []float64) { m.RowTo(dst[:d], lo%n) },
			"rows":    func(m Matrix, dst []float64) { m.AddRowsTo(dst[:d], u, v, lo, hi) },
			"change":  func(m Matrix, dst []float64) { m.AddChangeTo(dst[:d], u, v, p, q, lo, hi) },
			"squares": func(m Matrix, dst []float64) { m.AddSquaresTo(dst[:d], u, lo, hi) },
			"gram": func(m Matrix, dst []float64) {
				if d < 100 {
					m.AddGramTo(dst[:d*d], u, lo, hi)
				}
			},
		} {
			got, want := make([]float64, max(n, d*min(d, 100))), make([]float64, max(n, d*min(d, 100)))
			op(c.got, got)
			op(c.want, want)
			for i := range want {
				if tol := 1e-12 * math.Sqrt(float64(n)) * (1 + math.Abs(want[i])); !(math.Abs(got[i]-want[i]) <= tol) || (name == "margins" || name == "row") && format != DiskSparse && !(math.Abs(got[i]-want[i]) <= 1e-15*float64(d)) {
					c.t.Fatalf("%s, %s of [%d, %d): entry %d is %v, want %v", c.name, name, lo, hi, i, got[i], want[i])
				}
			}
		}
	}
	rows := []int{n - 1, 0, n / 2, n / 2, 3}
	got, want := c.got.Select(rows), c.want.Select(rows)
	if n, d := got.Dims(); n != len(rows) || d != len(x) {
		c.t.Fatalf("%s: a selection of %d × %d", c.name, n, d)
	}
	a, b := make([]float64, d), make([]float64, d)
	for k := range rows {
		got.RowTo(a, k)
		want.RowTo(b, k)
		if !slices.Equal(a, b) {
			c.t.Fatalf("%s: row %d of a selection differs", c.name, k)
		}
	}
}

// Threads that read at once see their rows, and no more buffers are made than the memory
// allows and the threads need; what fits is read once.
func TestDiskHoldsBlocks(t *testing.T) {
	const d = 7
	n := 24*diskRows(d) + 1
	for _, memory := range []int64{0, 4 << 20, 1 << 30} {
		disk, m := onDisk(t, Place{Memory: memory}, Disk64, n, d)
		x := make([]float64, d)
		x[3] = 1
		want := make([]float64, n)
		m.MarginsTo(want, x, 0, n)
		for range 3 {
			got := make([]float64, n)
			shard.RunCount(n, 17, func(_, lo, hi int) { disk.MarginsTo(got, x, lo, hi) })
			if !slices.Equal(got, want) {
				t.Fatal("margins differ")
			}
		}
		if disk.made > disk.most+2*17 {
			t.Errorf("memory %d: %d buffers, at most %d", memory, disk.made, disk.most)
		}
		for _, k := range disk.held {
			<-k.ready
		}
		if r := disk.Read(); memory == 1<<30 && r != disk.Bytes() {
			t.Errorf("%d bytes read of %d", r, disk.Bytes())
		}
	}
}

// A file that is cut short, or changed, is told once, never silent.
func TestDiskDamage(t *testing.T) {
	for name, damage := range map[string]func(f *os.File) error{
		"cut short": func(f *os.File) error { return f.Truncate(diskBlockBytes + 5) },
		"changed":   func(f *os.File) error { _, err := f.WriteAt([]byte{1, 2, 3}, 2*diskBlockBytes); return err },
		"closed":    func(f *os.File) error { return f.Close() },
	} {
		var mu sync.Mutex
		var told []error
		disk, _ := onDisk(t, Place{Failed: func(err error) { mu.Lock(); told = append(told, err); mu.Unlock() }}, Disk64, 8*diskRows(7), 7)
		moved := disk.movedBy(make([]float64, 7), disk.largest).(*Disk) // of the same file: it tells through the other
		lost := map[string][]int{"cut short": {1, 2, 3, 4, 5, 6, 7}, "changed": {2}, "closed": {0, 1, 2, 3, 4, 5, 6, 7}}[name]
		if err := damage(disk.file.f); err != nil {
			t.Fatal(err)
		}
		dst := make([]float64, 8*diskRows(7))
		for _, m := range []*Disk{moved, disk} {
			m.MarginsTo(dst, []float64{1, 1, 1, 1, 1, 1, 1}, 0, len(dst))
			idle(m)
			for j, v := range dst {
				if (v == 0) != slices.Contains(lost, j/diskRows(7)) {
					t.Fatalf("%s: row %d has the margin %v", name, j, v)
				}
			}
			if len(told) != 1 || disk.Err() != told[0] || moved.Err() != told[0] || name != "closed" && !strings.Contains(told[0].Error(), name) {
				t.Errorf("%s: told %v", name, told)
			}
		}
		if moved.Read() != disk.Read() || disk.Read() < 2*disk.Bytes() {
			t.Errorf("%s: %d and %d bytes were read", name, moved.Read(), disk.Read())
		}
	}
}

// What cannot be a matrix, or cannot be written, is refused.
func TestDiskWriterRefuses(t *testing.T) {
	p := Place{Dir: t.TempDir()}
	if _, err := NewDiskWriter(p, 0, 3, Disk64); err == nil {
		t.Error("no error of no rows")
	}
	w, err := NewDiskWriter(p, 4, 2, Disk32)
	if err != nil {
		t.Fatal(err)
	}
	err = w.Write(0, []float64{1, 2, 3, 4, 5, 1e39, 7, 8})
	if err == nil || err.Error() != fmt.Sprintf("design: row 2, column 1 is %v", math.Inf(1)) {
		t.Error(err)
	}
	w.Close()
	if err := w.Write(0, make([]float64, 8)); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	if _, err := NewDiskWriter(Place{Dir: p.Dir + "/none"}, 4, 2, Disk64); err == nil || !strings.Contains(err.Error(), "none") {
		t.Error(err)
	}
}

// Blocks are as many rows as fill a mebibyte, a power of two and no fewer than sixteen; and
// what is known of a matrix's size is what its numbers take, of some of its rows their share.
func TestSizesOnDisk(t *testing.T) {
	for _, d := range []int{1, 7, 8, 9, 100, 1 << 12, 1 << 13, 1<<13 + 1, 1 << 20} {
		rows := diskRows(d)
		if rows&(rows-1) != 0 || rows < 16 || rows > 1<<14 || rows > 16 && 8*rows*d > 1<<20 || rows < 1<<14 && 16*rows*d <= 1<<20 {
			t.Errorf("%d rows of %d columns in a block", rows, d)
		}
	}
	const n, d = 300, 4
	disk, memory := onDisk(t, Place{Memory: 1000 * 8 * d}, Disk64, n, d)
	if got := memory.Bytes(); got != 8*n*d {
		t.Errorf("%d bytes of %d × %d in memory", got, n, d)
	}
	some := &subset{disk: disk, rows: []int{1, 5, 9}}
	pass, gram := disk.Work()
	a, b := some.Work()
	if part := 3.0 / n; a != pass*part || b != gram*part || some.Bytes() != 3*(disk.Bytes()/n) {
		t.Errorf("work %v and %v, %d bytes of 3 rows; of all %v and %v, %d", a, b, some.Bytes(), pass, gram, disk.Bytes())
	}
	if most := disk.MostSelected(); most != 1000 {
		t.Errorf("%d rows of %d bytes may be selected", most, disk.Bytes()/n)
	}
	sparse, whole := onDisk(t, Place{}, DiskSparse, n, d)
	entries := len(whole.(*Sparse).csr.Value)
	if want := 8 * (n + 1 + entries + (entries+1)/2); sparse.Bytes() != int64(want) {
		t.Errorf("%d bytes of %d sparse rows with %d entries, not %d", sparse.Bytes(), n, entries, want)
	}
	if moved, by := Centred(memory, d); moved != nil || by != nil {
		t.Errorf("columns that are to be kept are moved by %v", by)
	}
}

// Rows that are selected in any order are copied block by block: a block is read once for
// every thread that has rows of it, not for every row.
func TestSelectReadsByBlocks(t *testing.T) {
	const d = 64
	n := 16 * diskRows(d)
	disk, m := onDisk(t, Place{}, Disk64, n, d)
	rows := rand.New(rand.NewPCG(14, 1)).Perm(n)[:1500]
	got, want := disk.Select(rows), m.Select(rows)
	a, b := make([]float64, d), make([]float64, d)
	for k := range rows {
		got.RowTo(a, k)
		if want.RowTo(b, k); !slices.Equal(a, b) {
			t.Fatalf("row %d is %v, not %v", k, a, b)
		}
	}
	disk.mu.Lock()
	held := make([]*block, 0, len(disk.held))
	for _, k := range disk.held {
		held = append(held, k)
	}
	disk.mu.Unlock()
	for _, k := range held {
		<-k.ready
	}
	if r := disk.Read(); r > 3*disk.Bytes() {
		t.Errorf("%d bytes read of %d", r, disk.Bytes())
	}
	some := disk.Subset([]int{3, 4, diskRows(d)})
	some.MarginsTo(make([]float64, 3), make([]float64, d), 0, 3)
	idle(disk)
	if disk.Forget(); len(disk.held) != 0 || disk.made != 0 {
		t.Errorf("%d blocks are held, though nobody is at them", len(disk.held))
	}
}

// A sum over rows without weight reads none of their blocks, of all rows and of some.
func TestNoWeightNoReading(t *testing.T) {
	const d = 7
	rows := diskRows(d)
	var some []int
	for i := 0; i < 4*rows; i += 2 {
		some = append(some, i)
	}
	for name, of := range map[string]func(*Disk) Matrix{"all": func(m *Disk) Matrix { return m }, "some": func(m *Disk) Matrix { return m.Subset(some) }} {
		disk, _ := onDisk(t, Place{}, Disk64, 4*rows, d)
		m := of(disk)
		n, _ := m.Dims()
		before := disk.Read()
		m.AddGramTo(make([]float64, d*d), make([]float64, n), 0, n)
		m.AddSquaresTo(make([]float64, d), make([]float64, n), 0, n)
		if r := disk.Read() - before; r != 0 {
			t.Errorf("%s: %d bytes read for nothing", name, r)
		}
		w := make([]float64, n)
		w[n-1] = 1 // in the last block, which has no next
		m.AddSquaresTo(make([]float64, d), w, 0, n)
		if r := disk.Read() - before; r != disk.Bytes()/4 {
			t.Errorf("%s: %d bytes read for one block of four of %d", name, r, disk.Bytes())
		}
	}
}

// idle waits until no block is being read, and returns the bytes read so far.
func idle(m *Disk) int64 {
	m.mu.Lock()
	held := slices.Collect(maps.Values(m.held))
	m.mu.Unlock()
	for _, k := range held {
		<-k.ready
	}
	for busy := true; busy; {
		runtime.Gosched()
		m.mu.Lock()
		busy = false
		for _, k := range m.held {
			busy = busy || k.users > 0
		}
		m.mu.Unlock()
	}
	return m.Read()
}

// The block that waits longest gives way: one that is asked for between all others is read
// once, where every other block is read again; and the first blocks stay however many are
// asked for after them. No buffer is made for a block that can take another's.
func TestLastUsedBlocksStay(t *testing.T) {
	const d, blocks = 64, 40
	rows := diskRows(d)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	disk, _ := onDisk(t, Place{Memory: 16 * diskBlockBytes}, Disk64, blocks*rows, d)
	if disk.most != 16 || disk.pinned != 4 {
		t.Fatalf("%d buffers, %d blocks that stay", disk.most, disk.pinned)
	}
	row := make([]float64, d)
	ask := func(b int) (read bool) {
		before := idle(disk)
		disk.RowTo(row, b*rows)
		after := idle(disk)
		_, held := disk.held[b]
		if !held {
			t.Fatalf("block %d was asked for and is gone", b)
		}
		return after > before
	}
	const hot = 8
	for b := range disk.pinned {
		ask(b)
	}
	ask(hot)
	for b := hot + 2; b < blocks; b++ { // each reads the next ahead
		ask(b)
		if ask(hot) {
			t.Fatalf("block %d, the last but one, is read again after %d", hot, b)
		}
	}
	for b := range disk.pinned {
		if ask(b) {
			t.Errorf("block %d, one of the first, is read again", b)
		}
	}
	if !ask(hot + 4) {
		t.Errorf("block %d is still there, %d blocks later", hot+4, blocks-hot-4)
	}
	if disk.made != disk.most || len(disk.held) != disk.most {
		t.Errorf("%d buffers and %d blocks, room for %d", disk.made, len(disk.held), disk.most)
	}
}

// Whatever the weights are, a block is passed over where all of its rows have none, and
// only there; and every row adds what the same row adds in memory.
func TestBlocksWithoutWeightAreNotRead(t *testing.T) {
	const d = 64
	rows := diskRows(d)
	n := 4 * rows
	for _, weight := range []float64{1, -1, 0x1p-1074} {
		disk, m := onDisk(t, Place{}, Disk64, n, d)
		w := make([]float64, n)
		w[3*rows+5] = weight // one row of the last block
		got, want := make([]float64, d*d), make([]float64, d*d)
		disk.AddGramTo(got, w, 0, n)
		m.AddGramTo(want, w, 0, n)
		if !slices.Equal(got, want) {
			t.Errorf("the products of a row of weight %v differ", weight)
		}
		if read := idle(disk); read != diskBlockBytes {
			t.Errorf("%d bytes read for one row of weight %v, a block has %d", read, weight, diskBlockBytes)
		}
		for i := range rows {
			w[rows+i] = weight
		}
		clear(got)
		clear(want)
		disk.AddSquaresTo(got[:d], w, rows, 3*rows)
		m.AddSquaresTo(want[:d], w, rows, 3*rows)
		for j := range d {
			if !(math.Abs(got[j]-want[j]) <= 1e-12*math.Abs(want[j])) {
				t.Errorf("column %d: squares %v of rows of weight %v, not %v", j, got[j], weight, want[j])
			}
		}
	}
}

// The work of rows is the sum of theirs: of sparse ones and of dense ones, and of a few
// columns as of many.
func TestWorkAddsUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 15))
	for _, d := range []int{3, 40, 200} {
		for kind, twice := range map[string]func(n int) Matrix{
			"sparse": func(n int) Matrix {
				start, column, value := []int{0}, []int32{}, []float64{}
				for i := range n {
					for j := 0; j < d; j += 1 + i%3 {
						column, value = append(column, int32(j)), append(value, 1+rng.Float64())
					}
					start = append(start, len(value))
				}
				m, err := NewSparse(n, d, start, column, value)
				if err != nil {
					t.Fatal(err)
				}
				return m
			},
			"dense": func(n int) Matrix {
				m, err := NewDense(n, d, make([]float64, n*d))
				if err != nil {
					t.Fatal(err)
				}
				return m
			},
			"of half the bytes": func(n int) Matrix {
				m, err := NewDense32(n, d, make([]float32, n*d))
				if err != nil {
					t.Fatal(err)
				}
				return m
			},
		} {
			pass, gram := twice(60).Work()
			more, products := twice(180).Work() // the rows of 60, three times
			if !(pass > 0 && gram > 0) || !(math.Abs(more-3*pass) <= 1e-9*more) || !(math.Abs(products-3*gram) <= 1e-9*products) {
				t.Errorf("%s, d = %d: work %v and %v of 60 rows, %v and %v of three times as many", kind, d, pass, gram, more, products)
			}
		}
	}
}

// Blocks that are forgotten are read again, to the same rows.
func TestForgottenBlocksAreReadAgain(t *testing.T) {
	const n, d = 3000, 7
	m, want := onDisk(t, Place{Memory: 1 << 20}, Disk64, n, d)
	x := make([]float64, d)
	for j := range x {
		x[j] = float64(j + 1)
	}
	got, margin := make([]float64, n), make([]float64, n)
	want.MarginsTo(margin, x, 0, n)
	m.MarginsTo(got, x, 0, n)
	m.MarginsTo(got, x, 0, n)
	read := m.Read()
	if len(m.held) == 0 || read > m.Bytes() {
		t.Fatalf("%d blocks are held, %d bytes of %d were read", len(m.held), read, m.Bytes())
	}
	at := m.acquire(0)
	m.Forget()
	if len(m.held) != 1 || m.made != 1 {
		t.Errorf("%d blocks are held, %d made: one is in use", len(m.held), m.made)
	}
	m.release(at)
	if m.Forget(); m.made != 0 {
		t.Errorf("%d buffers of blocks that are forgotten", m.made)
	}
	clear(got)
	m.MarginsTo(got, x, 0, n)
	if !slices.Equal(got, margin) || m.Read() < 2*read {
		t.Errorf("%d bytes were read, %d before; other margins: %v", m.Read(), read, !slices.Equal(got, margin))
	}
}

// The unit of work is an entry in float64: one in float32 is half of it, and a sparse row costs
// what eight do, and two for each of its entries; a pair of columns costs a tenth, and pairs of
// sparse entries one each besides 32 a row.
func TestWorkInItsUnit(t *testing.T) {
	const n, d = 10, 4
	x, narrow := make([]float64, n*d), make([]float32, n*d)
	start, column, value := []int{0}, []int32{}, []float64{}
	for range n {
		column, value = append(column, 1, 3), append(value, 1, 1)
		start = append(start, len(value))
	}
	double, err := NewDense(n, d, x)
	single, err32 := NewDense32(n, d, narrow)
	sparse, errSparse := NewSparse(n, d, start, column, value)
	if err := errors.Join(err, err32, errSparse); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		m          Matrix
		bytes      int64
		pass, gram float64
	}{{double, 320, 40, 10}, {single, 160, 20, 10}, {sparse, 8*11 + 12*20, 120, 350}} {
		pass, gram := c.m.Work()
		if bytes := c.m.Bytes(); pass != c.pass || !(math.Abs(gram-c.gram) <= 1e-12*gram) || bytes != c.bytes {
			t.Errorf("%T: work %v and %v, %d bytes; want %v and %v, %d", c.m, pass, gram, bytes, c.pass, c.gram, c.bytes)
		}
	}
}

// The block after one that is asked for is read with it, once, if there is one and nobody has
// it; and no block is read ahead of rows that were asked for before.
func TestNextBlockIsRead(t *testing.T) {
	const d, blocks = 64, 3
	rows := diskRows(d)
	for name, c := range map[string]struct {
		ask  []int
		read []int64 // blocks, after each
	}{
		"forwards":       {[]int{0, 1, 2, 0}, []int64{2, 3, 3, 3}},
		"from within":    {[]int{1, 1, 0, 1}, []int64{2, 2, 3, 3}},
		"backwards":      {[]int{2, 1, 0, 2}, []int64{1, 2, 3, 3}},
		"the outer ones": {[]int{2, 0, 2, 1}, []int64{1, 3, 3, 3}},
	} {
		disk, _ := onDisk(t, Place{Memory: 1 << 30}, Disk64, blocks*rows, d)
		for k, b := range c.ask {
			disk.RowTo(make([]float64, d), b*rows)
			if read := idle(disk); read != c.read[k]*diskBlockBytes {
				t.Errorf("%s: %d bytes after block %d, of %d each", name, read, b, diskBlockBytes)
			}
		}
	}
}

// Where no block stays for good the first one gives way, too, when it waits longest; and blocks
// take the buffers of those that give way: no memory is made for them.
func TestFirstBlockGivesWay(t *testing.T) {
	const d, blocks = 64, 12
	rows := diskRows(d)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	disk, _ := onDisk(t, Place{}, Disk64, blocks*rows, d)
	if disk.most != 8 || disk.pinned != 0 {
		t.Fatalf("%d buffers, %d blocks that stay", disk.most, disk.pinned)
	}
	row := make([]float64, d)
	ask := func(b int) (read int64) {
		before := idle(disk)
		disk.RowTo(row, b*rows)
		return idle(disk) - before
	}
	for b := blocks - 1; b >= 0; b-- { // backwards nothing is read ahead but what is there
		ask(b)
	}
	for b := range disk.most {
		if ask(b) != 0 {
			t.Errorf("block %d is read again", b)
		}
	}
	for b := blocks - 1; b > blocks-disk.most; b-- {
		ask(b)
		if _, first := disk.held[0]; first || len(disk.held) != disk.most || disk.made != disk.most {
			t.Fatalf("of %d blocks, %d buffers, the one that waited longest is held: %v", len(disk.held), disk.made, first)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for b := blocks - 1; b >= 0; b-- {
		ask(b)
	}
	runtime.ReadMemStats(&after)
	if made := after.TotalAlloc - before.TotalAlloc; made > 4*diskBlockBytes {
		t.Errorf("%d bytes for blocks of %d", made, diskBlockBytes)
	}
}

// With its columns moved, a matrix reads once what there is memory for, and the one whose
// file it is gives up its blocks.
func TestWhatFitsIsReadOnce(t *testing.T) {
	const d, blocks = 64, 6
	n := blocks * diskRows(d)
	place := Place{Memory: 1 << 30}
	disk, _ := onDisk(t, place, Disk64, n, d)
	dst, x := make([]float64, n), make([]float64, d)
	for range 2 {
		disk.MarginsTo(dst, x, 0, n)
		idle(disk)
	}
	before := idle(disk)
	moved := disk.movedBy(x, disk.largest).(*Disk)
	if len(disk.held) > 0 {
		t.Errorf("%d blocks are held beside those of the moved matrix", len(disk.held))
	}
	for range 2 {
		moved.MarginsTo(dst, x, 0, n)
	}
	if read := idle(moved) - before; read != disk.Bytes() {
		t.Errorf("moved: %d bytes read of %d", read, disk.Bytes())
	}
}
