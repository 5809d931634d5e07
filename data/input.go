package data

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/limit"
)

// An input is a file that is read in pieces while its frame is in use. Reading fails if the file was truncated,
// changed or replaced in the meantime.
type input struct {
	io.ReaderAt
	name   string
	size   int64
	format *format
	held   []byte                 // the whole content, if it is in memory
	was    fs.FileInfo            // state of a named file before it was opened
	sum    func() (string, error) // waits for the SHA-256; nil if it is not wanted
	quit   context.CancelFunc     // ends the computation of the input

	watch *intake.Watch
}

// openInput opens a file. A named pipe is first read to its end by spoolReader; if ctx is cancelled, openInput stops
// waiting for a writer.
func openInput(ctx context.Context, path string) (*input, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, readError(ctx, path, err)
	}
	if info.Mode()&fs.ModeNamedPipe != 0 {
		f, err := openPipe(ctx, path)
		if err != nil {
			return nil, readError(ctx, path, err)
		}
		defer f.Close()
		return spoolReader(ctx, path, f, spoolSize)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, readError(ctx, path, err)
	}
	return &input{ReaderAt: f, name: path, size: info.Size(), was: info}, nil
}

// readError returns the error of ctx if it has ended, and otherwise an error that says that the file cannot be
// read.
func readError(ctx context.Context, path string, err error) error {
	var known *Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &known):
		return intake.InFile(path, err)
	}
	return &Error{Path: path, Msg: "cannot read", Err: table.Cause(err)}
}

// spoolSize is the size in bytes from which a stream is stored in a file.
const spoolSize = 64 << 20

// spoolReader reads r to its end. A stream shorter than maxHeld bytes is kept in memory if eight times maxHeld
// is available. Any other stream is stored in an unnamed file, which disappears when it is closed or the process ends.
// If r is a regular file, it is used in place, from its current position on.
func spoolReader(ctx context.Context, name string, r io.Reader, maxHeld int64) (*input, error) {
	if r == nil || ctx == nil {
		return nil, &Error{Path: name, Msg: "cannot read", Err: errors.New("the reader or the context is nil")}
	}
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			at, err := f.Seek(0, io.SeekCurrent)
			if err != nil {
				return nil, readError(ctx, name, err)
			}
			rest := max(0, info.Size()-at)
			return &input{ReaderAt: io.NewSectionReader(f, at, rest), name: name, size: rest}, nil
		}
	}
	r = cancellableReader(ctx, r)
	var begin []byte
	var err error
	if available, _ := limit.Available(); available/8 >= maxHeld {
		if begin, err = io.ReadAll(io.LimitReader(r, maxHeld)); err != nil {
			return nil, readError(ctx, name, err)
		}
		if int64(len(begin)) < maxHeld {
			return bytesInput(name, begin), nil
		}
	}
	f, err := limit.NewUnnamedFile(os.TempDir())
	if err != nil {
		return nil, readError(ctx, name, err)
	}
	size, err := io.Copy(f, io.MultiReader(bytes.NewReader(begin), r))
	if err != nil {
		f.Close()
		return nil, readError(ctx, name, err)
	}
	return &input{ReaderAt: f, name: name, size: size}, nil
}

// cancellableReader returns a reader that reads from r and stops when ctx is cancelled, even while r blocks. A
// panic in r is returned as an error, since it occurs in another goroutine, where the caller could not recover from
// it.
func cancellableReader(ctx context.Context, r io.Reader) io.Reader {
	out, in := io.Pipe()
	go func() {
		defer func() {
			if v := recover(); v != nil {
				in.CloseWithError(fmt.Errorf("the reader panicked: %v", v))
			}
		}()
		_, err := io.Copy(in, r)
		in.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	return out
}

// bytesInput returns an input of the content b in memory.
func bytesInput(name string, b []byte) *input {
	return &input{ReaderAt: bytes.NewReader(b), held: b, name: name, size: int64(len(b))}
}

// ReadAt implements io.ReaderAt and reports progress.
func (in *input) ReadAt(b []byte, at int64) (int, error) {
	return in.watch.ReadAt(in.ReaderAt, b, at)
}

// Content returns the content of an input that is in memory, or nil for a file. The caller must not change it.
func (in *input) Content() []byte { return in.held }

// Name, Size and Afford implement [table.Source].
func (in *input) Name() string { return in.name }
func (in *input) Size() int64  { return in.size }

func (in *input) Afford(bytes int64, use string) error { return table.Afford(bytes, use) }

// read fills b with the bytes at an offset, without reporting progress.
func (in *input) read(b []byte, at int64) error {
	return intake.InFile(in.name, table.ReadFull(&input{ReaderAt: in.ReaderAt}, b, at))
}

// CheckUnchanged returns an error if the file has changed since it was opened; see [Frame.CheckUnchanged]. An input
// that is not a named file never changes.
func (in *input) CheckUnchanged() error {
	if in.was == nil {
		return nil
	}
	changed := &Error{Path: in.name, Class: ErrChanged,
		Msg:  "the file changed while it was being read, so its values cannot be trusted",
		Hint: "run again when no other program is writing to the file"}
	if f, ok := in.ReaderAt.(*os.File); ok {
		if now, err := f.Stat(); err == nil && !isSameFile(now, in.was) {
			return changed
		} else if err != nil && !errors.Is(err, os.ErrClosed) {
			return &Error{Path: in.name, Msg: "cannot read", Err: table.Cause(err)}
		}
	}
	// a removed file can still be read through its open handle, but a replaced file is a different one
	if now, err := os.Stat(in.name); err == nil && !(isSameFile(now, in.was) && os.SameFile(now, in.was)) {
		return changed
	}
	return nil
}

// isSameFile reports whether a and b, two states of a file, have the same size, times and identity.
func isSameFile(a, b fs.FileInfo) bool {
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && !hasChangedSince(b, a)
}

// hash starts computing the SHA-256 in the background.
func (in *input) hash(ctx context.Context) {
	ctx, in.quit = context.WithCancel(ctx)
	in.sum = sync.OnceValues(func() (string, error) {
		h := sha256.New()
		buf := make([]byte, min(in.size, 256<<10))
		for at := int64(0); at < in.size; at += int64(len(buf)) {
			b := buf[:min(int64(len(buf)), in.size-at)]
			if err := cmp.Or(ctx.Err(), in.read(b, at)); err != nil {
				return "", err
			}
			h.Write(b)
		}
		return hex.EncodeToString(h.Sum(nil)), nil
	})
	go in.sum()
}

// close closes the input once its SHA-256 has been computed or its computation has been abandoned.
func (in *input) close() {
	if in.quit != nil {
		in.quit()
	}
	if in.sum != nil {
		in.sum()
	}
	if c, ok := in.ReaderAt.(io.Closer); ok {
		c.Close()
	}
}
