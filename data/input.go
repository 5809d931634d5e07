package data

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/drotrain/drotrain/data/internal/table"
	"github.com/drotrain/drotrain/internal/memory"
)

// An input is a file that is read in pieces while its frame is in use. Reading fails if the file was truncated,
// changed or replaced in the meantime.
type input struct {
	io.ReaderAt
	name   string
	size   int64
	format *format
	held   []byte      // the whole content, of an input in memory
	was    fs.FileInfo // of a file with a name, before it was opened
	sum    chan digest // its SHA-256, once; nil if it is not wanted
	quit   chan struct{}

	watch *table.Watch
}

type digest struct {
	sum string
	err error
}

// openInput opens a file. A pipe is first read to its end into an unnamed file; cancelling ctx ends the wait
// for its writer.
func openInput(ctx context.Context, path string) (*input, error) {
	cannot := func(err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &Error{Path: path, Msg: "cannot read", Err: table.Cause(err)}
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, cannot(err)
	}
	if info.Mode()&fs.ModeNamedPipe != 0 {
		f, err := openPipe(ctx, path)
		if err != nil {
			return nil, cannot(err)
		}
		defer f.Close()
		return spoolReader(ctx, path, f, spooledInMemory)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, cannot(err)
	}
	return &input{ReaderAt: f, name: path, size: info.Size(), was: info}, nil
}

// spooledInMemory is the size in bytes from which a stream is stored in a file.
const spooledInMemory = 64 << 20

// spoolReader reads r to its end. An Arrow stream is kept in memory, as is any stream shorter than inMemory
// bytes if eight times that memory is available. Longer streams are stored in an unnamed file, which disappears
// when it is closed or the process ends.
func spoolReader(ctx context.Context, name string, r io.Reader, inMemory int64) (*input, error) {
	fail := func(err error) (*input, error) {
		var known *Error
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.As(err, &known):
			return nil, table.InFile(name, err)
		}
		return nil, &Error{Path: name, Msg: "cannot read", Err: err}
	}
	r = cancellableReader(ctx, r)
	head := make([]byte, len(streamMark))
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return fail(err)
	}
	if bytes.Equal(head[:n], streamMark) {
		b, err := readAll(r, head)
		if err != nil {
			return fail(err)
		}
		return bytesInput(name, b), nil
	}
	r = io.MultiReader(bytes.NewReader(head[:n]), r)
	var begin []byte
	if available, _ := memory.Available(); available/8 >= inMemory {
		if begin, err = io.ReadAll(io.LimitReader(r, inMemory)); err != nil {
			return fail(err)
		}
		if int64(len(begin)) < inMemory {
			return bytesInput(name, begin), nil
		}
	}
	f, err := memory.NewUnnamedFile(os.TempDir())
	if err != nil {
		return fail(err)
	}
	size, err := io.Copy(f, io.MultiReader(bytes.NewReader(begin), r))
	if err != nil {
		f.Close()
		return fail(err)
	}
	return &input{ReaderAt: f, name: name, size: size}, nil
}

// streamMark is the marker at the start of every message of an Arrow IPC stream.
var streamMark = []byte{0xff, 0xff, 0xff, 0xff}

// readAll appends the content of r to b. It returns an error if memory does not suffice.
func readAll(r io.Reader, b []byte) ([]byte, error) {
	for {
		if len(b) == cap(b) {
			more := max(len(b), 1<<20)
			if err := table.Afford(int64(len(b)+more), "to hold the stream"); err != nil {
				return nil, err
			}
			b = slices.Grow(b, more)
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		} else if err != nil {
			return nil, err
		}
	}
}

// cancellableReader returns a reader of r that stops when ctx is cancelled, even while r blocks.
func cancellableReader(ctx context.Context, r io.Reader) io.Reader {
	if ctx.Done() == nil {
		return r
	}
	type piece struct {
		b   []byte
		err error
	}
	pieces, free := make(chan piece, 2), make(chan []byte, 2) // a send never waits
	free <- make([]byte, 1<<18)
	free <- make([]byte, 1<<18)
	go func() {
		for b := range free {
			n, err := r.Read(b[:cap(b)])
			pieces <- piece{b[:n], err}
			if err != nil {
				return
			}
		}
	}()
	var at piece
	var rest []byte
	return readerFunc(func(p []byte) (int, error) {
		for len(rest) == 0 {
			if at.err != nil {
				return 0, at.err
			}
			if at.b != nil {
				free <- at.b
			}
			select {
			case at = <-pieces:
				rest = at.b
			case <-ctx.Done():
				close(free) // which ends the reading
				at = piece{err: ctx.Err()}
				return 0, at.err
			}
		}
		n := copy(p, rest)
		rest = rest[n:]
		return n, nil
	})
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func bytesInput(name string, b []byte) *input {
	return &input{ReaderAt: bytes.NewReader(b), held: b, name: name, size: int64(len(b))}
}

// ReadAt implements io.ReaderAt and reports progress.
func (in *input) ReadAt(b []byte, at int64) (int, error) {
	return in.watch.ReadAt(in.ReaderAt, b, at)
}

// Content returns the content of an input that is in memory, which must not be changed; nil for a file.
func (in *input) Content() []byte { return in.held }

// Name, Size and Afford implement [table.Source].
func (in *input) Name() string { return in.name }
func (in *input) Size() int64  { return in.size }

func (in *input) Afford(bytes int64, use string) error { return table.Afford(bytes, use) }

// read fills b with the bytes at an offset, without reporting progress.
func (in *input) read(b []byte, at int64) error {
	return table.InFile(in.name, table.ReadFull(&input{ReaderAt: in.ReaderAt}, b, at))
}

// checkUnchanged returns an error if the size, time or identity of the file has changed since it was opened.
func (in *input) checkUnchanged() error {
	if in.was == nil {
		return nil
	}
	changed := &Error{Path: in.name, Class: ErrChanged, Msg: "the file was changed while it was in use, so the values read cannot be trusted",
		Hint: "run again when no program writes to it"}
	if f, ok := in.ReaderAt.(*os.File); ok {
		if now, err := f.Stat(); err == nil && !sameFile(now, in.was) {
			return changed
		} else if err != nil && !errors.Is(err, os.ErrClosed) {
			return &Error{Path: in.name, Msg: "cannot read", Err: table.Cause(err)}
		}
	}
	// One that was removed is still there for us; one in its place is another.
	if now, err := os.Stat(in.name); err == nil && !(sameFile(now, in.was) && os.SameFile(now, in.was)) {
		return changed
	}
	return nil
}

func sameFile(a, b fs.FileInfo) bool {
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && !changedSince(b, a)
}

// hash starts computing the SHA-256 in the background.
func (in *input) hash(ctx context.Context) {
	sum, quit := make(chan digest, 1), make(chan struct{})
	in.sum, in.quit = sum, quit
	go func() {
		h := sha256.New()
		buf := make([]byte, min(in.size, 256<<10))
		for at := int64(0); at < in.size; at += int64(len(buf)) {
			select {
			case <-quit:
				sum <- digest{err: context.Canceled}
				return
			case <-ctx.Done():
				sum <- digest{err: ctx.Err()}
				return
			default:
			}
			b := buf[:min(int64(len(buf)), in.size-at)]
			if err := in.read(b, at); err != nil {
				sum <- digest{err: err}
				return
			}
			h.Write(b)
		}
		sum <- digest{sum: hex.EncodeToString(h.Sum(nil))}
	}()
}

// close closes the input after its SHA-256 has been computed.
func (in *input) close() {
	if in.quit != nil {
		close(in.quit)
		in.quit = nil
		if in.sum != nil {
			d := <-in.sum
			in.sum <- d
		}
	}
	if c, ok := in.ReaderAt.(io.Closer); ok {
		c.Close()
	}
}
