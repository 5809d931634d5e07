// Package gather exchanges values of any type between ranks. It is a separate package so that programs that do not
// use it need not link package gob.
package gather

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"math"

	"github.com/drotrain/drotrain/internal/ranks"
)

// Values returns one value for each rank, as package gob transmits it: pointers to zero values become nil.
func Values[T any](c ranks.Comm, own T) ([]T, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(own); err != nil {
		return nil, err
	}
	packed, ends := ranks.GatherAll(c, pack(b.Bytes()))
	values := make([]T, c.Size())
	from := 0
	for r, end := range ends {
		if err := gob.NewDecoder(bytes.NewReader(unpack(packed[from:end]))).Decode(&values[r]); err != nil {
			return nil, err
		}
		from = end
	}
	return values, nil
}

// pack stores bytes, preceded by their number, in the bits of float64 numbers.
func pack(b []byte) []float64 {
	v := make([]float64, 1+(len(b)+7)/8)
	v[0] = float64(len(b))
	var eight [8]byte
	for k := range v[1:] {
		clear(eight[:])
		copy(eight[:], b[8*k:])
		v[1+k] = math.Float64frombits(binary.LittleEndian.Uint64(eight[:]))
	}
	return v
}

func unpack(v []float64) []byte {
	b := make([]byte, 0, 8*len(v))
	for _, x := range v[1:] {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b[:int(v[0])]
}
