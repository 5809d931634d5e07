// Package codec decompresses parts of Parquet and Arrow IPC files, with a bound on the decompressed size. Packages
// data/internal/parquet and data/internal/ipc import it.
package codec

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/drotrain/drotrain/data/table"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// A Codec is a compression method: its number in Parquet, or LZ4Frame.
type Codec int64

const (
	None     Codec = 0
	Snappy   Codec = 1
	Gzip     Codec = 2
	Brotli   Codec = 4
	Zstd     Codec = 6
	LZ4Raw   Codec = 7
	LZ4Frame Codec = -1 // LZ4 frames as in Arrow IPC
)

var codecs = map[Codec]struct {
	name  string
	ratio int // upper bound on the number of output bytes per input byte; 0 if the codec is not supported
}{
	None: {"uncompressed", 1}, Snappy: {"snappy", 64}, Gzip: {"gzip", 1100}, 3: {"lzo", 0}, Brotli: {"brotli", 1 << 17},
	5: {"lz4 (Hadoop framing)", 0}, Zstd: {"zstd", 1 << 17}, LZ4Raw: {"lz4_raw", 256}, LZ4Frame: {"lz4", 256},
}

// MaxRatio returns an upper bound on the number of output bytes per input byte.
func (c Codec) MaxRatio() int { return codecs[c].ratio }

// Check returns an error if the codec is not supported.
func (c Codec) Check() error {
	known, ok := codecs[c]
	switch {
	case !ok:
		return table.Damaged("the compression method %d is unknown", c)
	case known.ratio == 0:
		return &table.Error{Msg: "the compression method " + known.name + " is not supported",
			Hint: "write the file again with zstd, snappy, gzip, brotli, lz4_raw or none"}
	}
	return nil
}

var zstdDecoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderConcurrency(0))
	if err != nil {
		panic(err)
	}
	return d
})

// zstdBlock is the maximum size in bytes of a decompressed zstd block.
const zstdBlock = 128 << 10

// Decompress decompresses src to exactly size bytes, in the memory of dst if that is large enough. It panics with
// an error if src is damaged or if its decompressed size differs from size.
func Decompress(dst []byte, codec Codec, src []byte, size int) []byte {
	if size == 0 && len(src) == 0 {
		return nil
	}
	out, err := decompress(dst, codec, src, size)
	if err == nil && len(out) != size {
		err = errSize
	}
	if err != nil {
		panic(table.Damaged("%s data: %v", codecs[codec].name, err))
	}
	return out
}

// errSize is the error of data that decompress to an unexpected size.
var errSize = errors.New("their size differs from the size that the file states")

// decompress works like Decompress without checking the size.
func decompress(dst []byte, codec Codec, src []byte, size int) ([]byte, error) {
	switch codec {
	case None:
		return src, nil
	case Snappy:
		if n, err := snappy.DecodedLen(src); err != nil || n != size {
			return nil, errSize
		}
		return snappy.Decode(slices.Grow(dst[:0], size)[:size], src)
	case Zstd:
		var h zstd.Header
		if err := h.Decode(src); err != nil {
			return nil, err
		}
		capacity := size
		if h.HasFCS && h.FrameContentSize != uint64(size) {
			return nil, errSize
		} else if !h.HasFCS { // allocate only as bytes are decompressed, since the stated size may be wrong
			capacity = min(size, 1<<16+8*len(src))
		}
		if capacity = max(capacity, min(size, cap(dst))); cap(dst) < capacity {
			dst = make([]byte, 0, capacity)
		}
		out, err := zstdDecoder().DecodeAll(src, dst[:0:capacity])
		// a block may have exceeded the allocated memory
		for err != nil && capacity < size && len(out)+zstdBlock > capacity {
			capacity = min(size, 4*capacity)
			out, err = zstdDecoder().DecodeAll(src, make([]byte, 0, capacity))
		}
		return out, err
	case LZ4Raw:
		out := slices.Grow(dst[:0], size)[:size]
		n, err := lz4.UncompressBlock(src, out)
		return out[:max(0, n)], err
	case Gzip:
		z, err := gzip.NewReader(bytes.NewReader(src))
		if err != nil {
			return nil, err
		}
		return readExactly(dst, z, size)
	case LZ4Frame:
		return readExactly(dst, lz4.NewReader(bytes.NewReader(src)), size)
	case Brotli:
		return readExactly(dst, brotli.NewReader(bytes.NewReader(src)), size)
	}
	panic(codec.Check())
}

// readExactly reads size bytes and then checks that r ends, which makes gzip verify its checksum.
func readExactly(dst []byte, r io.Reader, size int) ([]byte, error) {
	out := bytes.NewBuffer(dst[:0]) // grows with the bytes read, regardless of size
	if n, err := io.CopyN(out, r, int64(size)); err == io.EOF {
		return nil, fmt.Errorf("the data decompress to %d bytes instead of %d", n, size)
	} else if err != nil {
		return nil, err
	}
	if n, err := io.Copy(io.Discard, io.LimitReader(r, 1)); err != nil || n > 0 {
		return nil, cmp.Or(err, errSize)
	}
	return out.Bytes(), nil
}

const (
	// HeaderBytes is the number of bytes that WindowOf needs.
	HeaderBytes = zstd.HeaderMaxSize

	// mostWindow is the maximum size in bytes of the window of data that a reader decompresses in pieces.
	mostWindow = 8 << 20
)

// WindowOf returns the number of bytes that a reader of compressed data holds in memory, given the first bytes of the
// data. It returns math.MaxInt if the data must be decompressed as a whole.
func WindowOf(codec Codec, head []byte) int {
	switch codec {
	case LZ4Frame:
		if len(head) > 5 {
			block := 1 << (8 + 2*(head[5]>>4&7)) // 64 KB to 4 MB
			return 2*block + 64<<10              // compressed and decompressed, after the bytes to which it may refer
		}
	case Zstd:
		var h zstd.Header
		if err := h.Decode(head); err == nil && !h.SingleSegment && !h.Skippable && h.WindowSize <= mostWindow {
			return int(h.WindowSize) + 4*zstdBlock
		}
	}
	return math.MaxInt
}

// NewReader returns a reader of exactly size bytes that src decompresses to. WindowOf must have returned a number of
// bytes. Its errors say that the data are damaged.
func NewReader(codec Codec, src io.Reader, size int) io.Reader {
	r := &exactReader{codec: codec, size: size, left: size}
	if codec == LZ4Frame {
		r.from = lz4.NewReader(src)
		return r
	}
	d, err := zstd.NewReader(src, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(mostWindow))
	if err != nil {
		panic(err)
	}
	r.from = d
	return r
}

// An exactReader reads size bytes from a reader that must then end.
type exactReader struct {
	codec      Codec
	from       io.Reader
	size, left int
}

// Read implements io.Reader. It returns an error if the data end early or go on after the last byte, or if the codec
// reports one, such as a wrong checksum.
func (r *exactReader) Read(p []byte) (n int, err error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n, err = r.from.Read(p[:min(len(p), r.left)])
	if r.left -= n; r.left == 0 && (err == nil || err == io.EOF) { // checksums follow the last byte
		var more int64
		if more, err = io.Copy(io.Discard, io.LimitReader(r.from, 1)); more > 0 {
			err = errSize
		}
	} else if err == io.EOF {
		err = fmt.Errorf("the data decompress to %d bytes instead of %d", r.size-r.left, r.size)
	}
	if err != nil { // even if it concerns what follows the last byte: the caller would ignore an error beside all bytes
		return 0, table.Damaged("%s data: %v", codecs[r.codec].name, err)
	}
	return n, nil
}
