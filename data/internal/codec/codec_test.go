package codec

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/drotrain/drotrain/data/table"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// through gives what a writer makes of b.
func through(t *testing.T, b []byte, open func(w io.Writer) io.WriteCloser) []byte {
	t.Helper()
	var out bytes.Buffer
	w := open(&out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// compressed is b in every codec; of zstd with its size in the frame and without.
func compressed(t *testing.T, b []byte) map[string][]byte {
	t.Helper()
	stream := func(w io.Writer) io.WriteCloser {
		z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<16))
		if err != nil {
			t.Fatal(err)
		}
		return z
	}
	known := stream(nil).(*zstd.Encoder).EncodeAll(b, nil)
	var unknown bytes.Buffer // flushed: the header is written before the size is known
	z := stream(&unknown).(*zstd.Encoder)
	for _, part := range [][]byte{b[:len(b)/2], b[len(b)/2:]} {
		if _, err := z.Write(part); err != nil {
			t.Fatal(err)
		}
		if err := z.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	var with, without zstd.Header
	// of few bytes nothing is said
	if err := errors.Join(with.Decode(known), without.Decode(unknown.Bytes())); err != nil ||
		with.HasFCS != (len(b) >= 256) || without.HasFCS {
		t.Fatalf("frames with their size: %v, %v; %v", with.HasFCS, without.HasFCS, err)
	}
	block := make([]byte, lz4.CompressBlockBound(len(b)))
	n, err := lz4.CompressBlock(b, block, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{
		"none": b, "snappy": snappy.Encode(nil, b), "zstd": known, "zstd without its size": unknown.Bytes(),
		"gzip":   through(t, b, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }),
		"brotli": through(t, b, func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) }),
		"lz4":    through(t, b, func(w io.Writer) io.WriteCloser { return lz4.NewWriter(w) }),
	}
	if n > 0 { // else it cannot be compressed
		out["lz4_raw"] = block[:n]
	}
	return out
}

var byName = map[string]Codec{"none": None, "snappy": Snappy, "zstd": Zstd, "zstd without its size": Zstd, "gzip": Gzip,
	"brotli": Brotli, "lz4": LZ4Frame, "lz4_raw": LZ4Raw}

// try is Decompress, or the error that it panics with.
func try(dst []byte, c Codec, src []byte, size int) (out []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = r.(error)
		}
	}()
	return Decompress(dst, c, src, size), nil
}

// What was compressed comes out as it was, into the room that there is or into more; another
// size, what is cut and what goes on are refused; and no codec does better than is said.
func TestDecompress_WhatWasCompressed(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	for _, size := range []int{1, 7, 5000, 150_000, 1_500_000} {
		for _, zeros := range []bool{true, false} {
			if !zeros && size > 1_000_000 {
				continue
			}
			b := make([]byte, size)
			for i := 0; !zeros && i < size; i++ {
				b[i] = byte(rng.IntN(4))
			}
			for name, src := range compressed(t, b) {
				c := byName[name]
				if size > len(src)*c.MaxRatio()+64 {
					t.Errorf("%s: %d bytes out of %d", name, size, len(src))
				}
				for _, room := range []int{0, size / 2, size, 2 * size} {
					got, err := try(make([]byte, 0, room), c, src, size)
					if err != nil || !bytes.Equal(got, b) {
						t.Errorf("%s: %d bytes in room for %d: %d bytes, %v", name, size, room, len(got), err)
					}
				}
				for what, v := range map[string]struct {
					src  []byte
					size int
				}{"one byte more": {src, size + 1}, "one byte less": {src, size - 1}, "a cut": {src[:len(src)-1], size}} {
					if len(v.src) == 0 && v.size == 0 {
						continue
					}
					var damaged *table.Error
					if got, err := try(nil, c, v.src, v.size); err == nil || !errors.As(err, &damaged) {
						t.Errorf("%s of %d: %s is read as %d bytes, %v", name, size, what, len(got), err)
					}
				}
			}
		}
	}
	for name, c := range byName {
		if got, err := try(nil, c, nil, 0); err != nil || len(got) != 0 {
			t.Errorf("%s: nothing is %d bytes, %v", name, len(got), err)
		}
	}
}

// A size is not believed before there are bytes to show for it.
func TestDecompress_FalseSizes(t *testing.T) {
	const claimed = 1 << 30
	for name, src := range compressed(t, bytes.Repeat([]byte("abcd"), 100)) {
		if strings.HasPrefix(name, "lz4_raw") { // whose pages are held to MaxRatio before
			continue
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := try(nil, byName[name], src, claimed)
		runtime.ReadMemStats(&after)
		if made := after.TotalAlloc - before.TotalAlloc; err == nil || made > claimed/8 {
			t.Errorf("%s: %d bytes were made, %v", name, made, err)
		}
	}
	sized := binary.AppendUvarint(nil, claimed) // a text of snappy that ends there
	if _, err := try(nil, Snappy, sized, 5); err == nil {
		t.Error("snappy: another size")
	}
}
