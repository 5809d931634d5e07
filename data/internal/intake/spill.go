package intake

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"math"
	"os"

	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/limit"
)

// SpillRows returns the number of rows per block of a Spill with the given number of columns.
func SpillRows(columns int) int { return max(256, min(1<<14, 1<<19/max(1, columns))) }

// memoryShare limits the values of a file that is read as a whole to 1/memoryShare of the memory. If the values take
// more, they are stored in a temporary file.
const memoryShare = 4

type heldKey struct{}

// WithValuesHeld returns a context for reading tables whose values must be in memory, so that none are stored in a
// file.
func WithValuesHeld(ctx context.Context) context.Context {
	return context.WithValue(ctx, heldKey{}, true)
}

// MaySpill reports whether values of the given number of bytes may be stored in a file: they need not be in memory,
// and they take at most half of the free space for temporary files.
func MaySpill(ctx context.Context, bytes int64) bool {
	free, err := limit.DiskFree(os.TempDir())
	return ctx.Value(heldKey{}) == nil && err == nil && bytes <= free/2
}

// MustSpill reports whether values of the given size in bytes take too much memory and must therefore be stored in a
// file. held is the size of the values that are already in memory. It returns an error if the values take too much
// memory but must be in memory. use states the purpose.
func MustSpill(ctx context.Context, src Source, bytes, held int64, use string) (bool, error) {
	if !MaySpill(ctx, bytes) {
		return false, src.Afford(max(bytes-held, held/4), use)
	}
	return src.Afford(memoryShare*bytes-held, use) != nil, nil
}

// An Overflow holds the file to which the values of a table move once they take too much memory.
type Overflow struct{ file *Spill }

// Begin returns the Spill to which the values in memory must move, or nil if memory suffices as far as is known. Once
// values have moved, all later ones must. The arguments are those of MustSpill.
func (o *Overflow) Begin(ctx context.Context, src Source, bytes, held int64, use string) (*Spill, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if o.file == nil {
		must, err := MustSpill(ctx, src, bytes, held, use)
		if err != nil || !must {
			return nil, err
		}
		if o.file, err = NewSpill(); err != nil {
			return nil, err
		}
	}
	return o.file, nil
}

// Flush writes buffered values to the file, if there is one.
func (o *Overflow) Flush() error {
	if o.file == nil {
		return nil
	}
	return o.file.Flush()
}

// A Spill stores the values of columns in an unnamed file, one block after another, if they do not fit into memory.
type Spill struct {
	file *os.File
	w    *bufio.Writer
	at   int64
}

// NewSpill returns an empty Spill whose file is in the directory for temporary files.
func NewSpill() (*Spill, error) {
	f, err := limit.NewUnnamedFile(os.TempDir())
	if err != nil {
		return nil, &table.Error{Msg: "the decoded table takes too much memory, and a temporary file for it cannot be " +
			"created",
			Err: err, Hint: "set TMPDIR to a writable directory, or allow more memory"}
	}
	return &Spill{file: f, w: bufio.NewWriterSize(f, 1<<18)}, nil
}

// Put appends the given number of rows of a column in memory, whose codes refer to levels. It returns them as a
// part, which can be read once Flush has been called.
func (s *Spill) Put(c *table.Column, rows int, levels *table.Levels) (table.Part, error) {
	p := &spilled{file: s.file, at: s.at, rows: rows, kind: c.Kind, levels: levels}
	var b [8]byte
	if c.Kind == table.Categorical {
		for _, k := range c.Code[:rows] {
			binary.LittleEndian.PutUint32(b[:], uint32(k))
			_, _ = s.w.Write(b[:4])
		}
	} else {
		for _, v := range c.Number[:rows] {
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
			_, _ = s.w.Write(b[:])
		}
	}
	s.at += int64(rows) * int64(p.width())
	for i := 0; c.Null != nil && i < rows && !p.nulls; i++ {
		p.nulls = c.Null[i]
	}
	if p.nulls {
		for _, is := range c.Null[:rows] {
			mark := byte(0)
			if is {
				mark = 1
			}
			_ = s.w.WriteByte(mark)
		}
		s.at += int64(rows)
	}
	return p, s.convertError(nil)
}

// PutVectors moves the entries of sparse vectors from memory to the file. They can be read once Flush has been
// called.
func (s *Spill) PutVectors(b interface {
	Store(from io.ReaderAt, put func([]byte) (at int64, err error)) error
}) error {
	return b.Store(s.file, s.putBytes)
}

// putBytes appends bytes and returns their offset in the file.
func (s *Spill) putBytes(b []byte) (at int64, err error) {
	at = s.at
	_, err = s.w.Write(b)
	s.at += int64(len(b))
	return at, s.convertError(err)
}

// Flush writes buffered data to the file.
func (s *Spill) Flush() error { return s.convertError(s.w.Flush()) }

// convertError converts an error of writing to one for the user.
func (s *Spill) convertError(err error) error {
	if _, earlier := s.w.Write(nil); err == nil {
		err = earlier
	}
	if err == nil {
		return nil
	}
	return &table.Error{Msg: "the decoded table takes too much memory, and cannot be written to a temporary file",
		Err:  err,
		Hint: "set TMPDIR to a directory with more space, or allow more memory"}
}

// A spilled is a part of a column whose values are a block in the file of a Spill.
type spilled struct {
	file   *os.File
	at     int64
	rows   int
	kind   table.Kind
	levels *table.Levels
	nulls  bool
}

// width returns the number of bytes of a value.
func (p *spilled) width() int {
	if p.kind == table.Categorical {
		return 4
	}
	return 8
}

func (p *spilled) Rows() int           { return p.rows }
func (p *spilled) Nullable() bool      { return p.nulls }
func (p *spilled) Pages() []table.Page { return nil }

// Open implements table.Part. It reads all values of the part, and begins at row.
func (p *spilled) Open(row int, pages *table.Buffers) (table.Values, error) {
	size := p.rows * p.width()
	if p.nulls {
		size += p.rows
	}
	b := pages.Get(size)
	defer pages.Put(b)
	if err := table.ReadFull(p.file, b, p.at); err != nil {
		return nil, err
	}
	c := &table.Column{Kind: p.kind}
	if p.kind == table.Categorical {
		c.Code, c.Level = make([]int32, p.rows), p.levels.Text
		for i := range c.Code {
			c.Code[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
		}
	} else {
		c.Number = make([]float64, p.rows)
		for i := range c.Number {
			c.Number[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
	}
	if p.nulls {
		c.Null = make([]bool, p.rows)
		for i, mark := range b[p.rows*p.width():] {
			c.Null[i] = mark == 1
		}
	}
	return &residentValues{c: c, row: row}, nil
}
