package data

import (
	"encoding/binary"
	"math/bits"

	"github.com/pierrec/lz4/v4"
)

// unfoldLZ4Frame unfolds one LZ4 frame to exactly size bytes and checks the
// sums it carries. (The frame reader of the lz4 module, at the version Arrow
// asks for, takes block sums over the wrong bytes and refuses Polars' files.)
func unfoldLZ4Frame(b []byte, size int) []byte {
	bad := func(what string) { panic(errDamaged("lz4 data: %s", what)) }
	le := binary.LittleEndian
	if len(b) < 7 || le.Uint32(b) != 0x184D2204 {
		bad("no frame")
	}
	flags := b[4]
	if flags>>6 != 1 {
		bad("unknown version")
	}
	linked := flags&0x20 == 0
	head := 6
	if flags&0x08 != 0 {
		if len(b) < head+8+1 || le.Uint64(b[head:]) != uint64(size) {
			bad("a buffer has another size than it says")
		}
		head += 8
	}
	if flags&0x01 != 0 {
		bad("it needs a dictionary")
	}
	if byte(xxh32(b[4:head])>>8) != b[head] {
		bad("the checksum of the header does not match")
	}
	b = b[head+1:]
	out := make([]byte, size)
	n := 0
	for {
		if len(b) < 4 {
			bad("it ends early")
		}
		word := le.Uint32(b)
		b = b[4:]
		if word == 0 {
			break
		}
		length := int(word &^ (1 << 31))
		sum := 0
		if flags&0x10 != 0 {
			sum = 4
		}
		if length+sum > len(b) {
			bad("it ends early")
		}
		block := b[:length]
		if sum > 0 && xxh32(block) != le.Uint32(b[length:]) {
			bad("the checksum of a block does not match")
		}
		b = b[length+sum:]
		if word>>31 == 1 {
			if length > size-n {
				bad("a buffer has another size than it says")
			}
			n += copy(out[n:], block)
			continue
		}
		var dict []byte
		if linked {
			dict = out[max(0, n-64<<10):n]
		}
		k, err := lz4.UncompressBlockWithDict(block, out[n:], dict)
		if err != nil {
			bad(err.Error())
		}
		n += k
	}
	if n != size {
		bad("a buffer has another size than it says")
	}
	if flags&0x04 != 0 {
		if len(b) < 4 {
			bad("it ends early")
		}
		if xxh32(out) != le.Uint32(b) {
			bad("the checksum does not match")
		}
	}
	return out
}

// xxh32 is the 32-bit xxHash with seed 0.
func xxh32(b []byte) uint32 {
	const p1, p2, p3, p4, p5 uint32 = 2654435761, 2246822519, 3266489917, 668265263, 374761393
	le := binary.LittleEndian
	n := uint32(len(b))
	h := p5
	if len(b) >= 16 {
		v := [4]uint32{p1, p2, 0, 0}
		v[0] += p2
		v[3] -= p1
		for ; len(b) >= 16; b = b[16:] {
			for i := range v {
				v[i] = bits.RotateLeft32(v[i]+le.Uint32(b[4*i:])*p2, 13) * p1
			}
		}
		h = bits.RotateLeft32(v[0], 1) + bits.RotateLeft32(v[1], 7) + bits.RotateLeft32(v[2], 12) + bits.RotateLeft32(v[3], 18)
	}
	h += n
	for ; len(b) >= 4; b = b[4:] {
		h = bits.RotateLeft32(h+le.Uint32(b)*p3, 17) * p4
	}
	for _, c := range b {
		h = bits.RotateLeft32(h+uint32(c)*p5, 11) * p1
	}
	h = (h ^ h>>15) * p2
	h = (h ^ h>>13) * p3
	return h ^ h>>16
}
