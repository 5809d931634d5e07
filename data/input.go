package data

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"

	"github.com/drotrain/drotrain/data/table"
)

// An input is a file that is read by pieces while its frame is in use. A file
// that is cut short in the meantime is an error of the piece that is missing.
type input struct {
	io.ReaderAt
	name string
	size int64
	sum  chan digest // its SHA-256, once; nil if it is not wanted
	quit chan struct{}
}

type digest struct {
	sum string
	err error
}

// openInput opens a file. What is not a regular file is read as a whole.
func openInput(path string) (*input, error) {
	cannot := func(err error) error { return &Error{Path: path, Msg: "cannot read", Err: table.Cause(err)} }
	f, err := os.Open(path)
	if err != nil {
		return nil, cannot(err)
	}
	info, err := f.Stat()
	if err == nil && info.Mode().IsRegular() {
		return &input{ReaderAt: f, name: path, size: info.Size()}, nil
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, cannot(err)
	}
	return bytesInput(path, b), nil
}

func bytesInput(name string, b []byte) *input {
	return &input{ReaderAt: bytes.NewReader(b), name: name, size: int64(len(b))}
}

// Name and Size make an input a [table.Source].
func (in *input) Name() string { return in.name }
func (in *input) Size() int64  { return in.size }

// read fills b with the bytes from that place on.
func (in *input) read(b []byte, at int64) error {
	return table.InFile(in.name, table.ReadFull(in, b, at))
}

// all returns the bytes of the whole input.
func (in *input) all() ([]byte, error) {
	b := make([]byte, in.size)
	return b, in.read(b, 0)
}

// hash starts taking the SHA-256.
func (in *input) hash(ctx context.Context) {
	quit := make(chan struct{})
	in.sum, in.quit = make(chan digest, 1), quit
	go func() {
		h := sha256.New()
		buf := make([]byte, min(in.size, 256<<10))
		for at := int64(0); at < in.size; at += int64(len(buf)) {
			select {
			case <-quit:
				in.sum <- digest{err: context.Canceled}
				return
			case <-ctx.Done():
				in.sum <- digest{err: ctx.Err()}
				return
			default:
			}
			b := buf[:min(int64(len(buf)), in.size-at)]
			if err := in.read(b, at); err != nil {
				in.sum <- digest{err: err}
				return
			}
			h.Write(b)
		}
		in.sum <- digest{sum: hex.EncodeToString(h.Sum(nil))}
	}()
}

// close ends the use of the input.
func (in *input) close() {
	if in.quit != nil {
		close(in.quit)
		in.quit = nil
	}
	if c, ok := in.ReaderAt.(io.Closer); ok {
		c.Close()
	}
}
