package data

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

var zstdDecoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderConcurrency(0))
	if err != nil {
		panic(err)
	}
	return d
})

// unfold decompresses src to exactly size bytes, in the room of dst if that is
// large enough.
func unfold(dst []byte, codec int64, src []byte, size int) []byte {
	bad := func(what any) []byte { panic(errDamaged("%s data: %v", codecNames[codec], what)) }
	if size == 0 && len(src) == 0 {
		return nil
	}
	switch codec {
	case codecNone:
		if len(src) != size {
			return bad("a page has another size than its header says")
		}
		return src
	case codecSnappy:
		if n, err := snappy.DecodedLen(src); err != nil || n != size {
			return bad("a page has another size than its header says")
		}
		if cap(dst) < size {
			dst = make([]byte, size)
		}
		out, err := snappy.Decode(dst[:size], src)
		if err != nil {
			return bad(err)
		}
		return out
	case codecZstd:
		var h zstd.Header
		if err := h.Decode(src); err != nil {
			return bad(err)
		}
		room := size
		if h.HasFCS && h.FrameContentSize != uint64(size) {
			return bad("a page has another size than its header says")
		} else if !h.HasFCS { // do not believe the size before there are bytes to show for it
			room = min(size, 1<<16+8*len(src))
		}
		if room = max(room, min(size, cap(dst))); cap(dst) < room {
			dst = make([]byte, 0, room)
		}
		out, err := zstdDecoder().DecodeAll(src, dst[:0:room])
		for errors.Is(err, zstd.ErrDecoderSizeExceeded) && room < size {
			room = min(size, 4*room)
			out, err = zstdDecoder().DecodeAll(src, make([]byte, 0, room))
		}
		if err != nil {
			return bad(err)
		}
		if len(out) != size {
			return bad("a page has another size than its header says")
		}
		return out
	case codecLZ4Raw:
		if cap(dst) < size {
			dst = make([]byte, size)
		}
		out := dst[:size]
		n, err := lz4.UncompressBlock(src, out)
		if err != nil {
			return bad(err)
		}
		if n != size {
			return bad("a page has another size than its header says")
		}
		return out
	case codecGzip:
		z, err := gzip.NewReader(bytes.NewReader(src))
		if err != nil {
			return bad(err)
		}
		return readExactly(dst, z, size, bad)
	case codecBrotli:
		return readExactly(dst, brotli.NewReader(bytes.NewReader(src)), size, bad)
	}
	name := codecNames[codec]
	if name == "" {
		panic(errDamaged("compression %d is unknown", codec))
	}
	panic(&Error{Msg: "compression " + name + " is not supported", Hint: "write the file again with zstd, snappy, gzip, brotli, lz4_raw or none"})
}

// readExactly reads size bytes and the end, where gzip checks its sum.
func readExactly(dst []byte, r io.Reader, size int, bad func(any) []byte) []byte {
	out := bytes.NewBuffer(dst[:0]) // grows with what there is, whatever size says
	if n, err := io.CopyN(out, r, int64(size)); err != nil {
		if err == io.EOF {
			err = fmt.Errorf("it unfolds to %d bytes, not %d", n, size)
		}
		return bad(err)
	}
	var more [1]byte
	for {
		switch n, err := r.Read(more[:]); {
		case n > 0:
			return bad("a page has another size than its header says")
		case err == io.EOF:
			return out.Bytes()
		case err != nil:
			return bad(err)
		}
	}
}
