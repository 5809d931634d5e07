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
