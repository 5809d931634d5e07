package rowfile

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"unsafe"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/paged"
)

// A Writer adds to the end of a file until something fails.
type Writer struct {
	ctx  context.Context
	file *os.File
	err  error
}

// NewWriter adds to a file.
func NewWriter(ctx context.Context, file *os.File) *Writer { return &Writer{ctx: ctx, file: file} }

// Copy adds the rows of a dataset, and says where they are.
func (w *Writer) Copy(d *data.Dataset) Set {
	layout, err := design.CopyTo(w.file, d.X)
	w.err = errors.Join(w.err, err)
	return w.Set(d, layout)
}

// Set adds what a dataset has beside its rows, which lie in the file.
func (w *Writer) Set(d *data.Dataset, rows design.DiskLayout) Set {
	s := Set{Rows: rows, Names: d.Names, Intercept: d.Intercept, Target: WriteVector(w, d.Target), Number: WriteVector(w, d.Rows)}
	for _, g := range d.Groups {
		s.Groups = append(s.Groups, Grouping{g.Name, g.Labels, WriteVector(w, g.Index)})
	}
	return s
}

// Finish adds the content, which makes the file a whole one, and says what failed since the
// writer was made.
func (w *Writer) Finish(c *Content) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(c); err != nil {
		return err
	}
	sum := sha256.Sum256(b.Bytes())
	size := uint64(b.Len())
	at := w.write(b.Bytes())
	end := binary.LittleEndian.AppendUint64(nil, uint64(at))
	end = append(binary.LittleEndian.AppendUint64(end, size), sum[:]...)
	w.write(append(end, mark...))
	return w.err
}

// write adds bytes and says where they begin.
func (w *Writer) write(b []byte) int64 {
	at, err := w.file.Seek(0, io.SeekEnd)
	if w.err = errors.Join(w.err, err, w.ctx.Err()); w.err == nil {
		_, w.err = w.file.Write(b)
	}
	return at
}

// WriteVector adds a slice.
func WriteVector[T int | int32 | float64](w *Writer, v []T) Vector {
	raw := rawOf(v)
	return Vector{At: w.write(raw), N: len(v), Sum: crc32.Checksum(raw, castagnoli)}
}

// ReadVector reads what WriteVector has added, into a room; nil is memory. Of nothing it is nil.
func ReadVector[T int | int32 | float64](file *os.File, room *paged.Room, at Vector) ([]T, error) {
	if at.N == 0 {
		return nil, nil
	}
	v := paged.Make[T](room, at.N)
	raw := rawOf(v)
	if _, err := file.ReadAt(raw, at.At); err != nil {
		return nil, err
	}
	if crc32.Checksum(raw, castagnoli) != at.Sum {
		return nil, errors.New("it is damaged: a checksum is another")
	}
	return v, nil
}

// rawOf is the memory of a slice.
func rawOf[T int | int32 | float64](v []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(zero)))
}
