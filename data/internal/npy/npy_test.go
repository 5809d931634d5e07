package npy

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/table"
)

// A file is an array in memory.
type file struct{ *bytes.Reader }

func (file) Name() string               { return "dir/y.npy" }
func (f file) Size() int64              { return f.Reader.Size() }
func (file) Afford(int64, string) error { return nil }

// array returns a .npy file of these entries.
func array(descr, fortran, shape string, body []byte) file {
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, fortran, shape)
	head += strings.Repeat(" ", 117-len(head)) + "\n"
	b := append([]byte(Magic+"\x01\x00"), 118, 0)
	return file{bytes.NewReader(append(append(b, head...), body...))}
}

func bytesOf(order binary.ByteOrder, v any) []byte {
	var b bytes.Buffer
	if err := binary.Write(&b, order, v); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func TestRead_Arrays(t *testing.T) {
	half := []uint16{0x3c00, 0xc000, 0x0001} // 1, −2, the least
	for _, c := range []struct {
		name string
		in   file
		want [][]float64 // by column
	}{
		{"float32", array("<f4", "False", "(2, 3)", bytesOf(binary.LittleEndian, []float32{1, 2, 3, 4, 5, 6})),
			[][]float64{{1, 4}, {2, 5}, {3, 6}}},
		{"Fortran, big-endian", array(">f8", "True", "(2, 3)", bytesOf(binary.BigEndian, []float64{1, 2, 3, 4, 5, 6})),
			[][]float64{{1, 2}, {3, 4}, {5, 6}}},
		{"float16", array("<f2", "False", "(3,)", bytesOf(binary.LittleEndian, half)),
			[][]float64{{1, -2, math.Ldexp(1, -24)}}},
		{"int8", array("|i1", "False", "(3,)", []byte{255, 0, 127}), [][]float64{{-1, 0, 127}}},
		{"uint16, big-endian", array(">u2", "False", "(2,)", []byte{1, 0, 255, 255}), [][]float64{{256, 65535}}},
		{"int64", array("<i8", "False", "(2,)", bytesOf(binary.LittleEndian, []int64{-5, 1 << 40})),
			[][]float64{{-5, 1 << 40}}},
		{"bool", array("|b1", "False", "(2,)", []byte{0, 1}), [][]float64{{0, 1}}},
	} {
		got, err := Read(c.in)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if len(got.Columns) != len(c.want) || got.Rows != len(c.want[0]) {
			t.Errorf("%s: %d columns of %d rows", c.name, len(got.Columns), got.Rows)
			continue
		}
		for k, want := range c.want {
			col, err := got.Columns[k].Load(context.Background())
			if err != nil || !slices.Equal(col.Number, want) {
				t.Errorf("%s: column %s has %v, %v", c.name, got.Columns[k].Name, col, err)
			}
		}
	}
	texts, err := Read(array("<U2", "False", "(2,)", bytesOf(binary.LittleEndian, []uint32{'a', 0, 'é', 'b'})))
	if err != nil || !slices.Equal(texts.Columns[0].Level, []string{"a", "éb"}) || texts.Columns[0].Name != "y" {
		t.Errorf("%+v, %v", texts, err)
	}
}

// A changed byte of an array is an error, whether the archive is compressed or not.
func TestReadArchive_WrongChecksum(t *testing.T) {
	for name, method := range map[string]uint16{"stored": zip.Store, "compressed": zip.Deflate} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		w, err := z.CreateHeader(&zip.FileHeader{Name: "x.npy", Method: method})
		if err != nil {
			t.Fatal(err)
		}
		x := array("<f8", "False", "(64,)", bytesOf(binary.LittleEndian, make([]float64, 64)))
		if _, err := io.Copy(w, x); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadArchive(t.Context(), file{bytes.NewReader(b.Bytes())}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		at, err := r.File[0].DataOffset()
		if err != nil {
			t.Fatal(err)
		}
		b.Bytes()[at+int64(r.File[0].CompressedSize64)-3] ^= 1 // in the last number or the end of the stream
		if _, err := ReadArchive(t.Context(), file{bytes.NewReader(b.Bytes())}); !errors.Is(err, table.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRead_Refused(t *testing.T) {
	for want, in := range map[string]file{
		"Python objects":                      array("|O", "False", "(2,)", make([]byte, 16)),
		"type \"c8\"":                         array("<c8", "False", "(2,)", make([]byte, 16)),
		"3 dimensions":                        array("<f4", "False", "(1, 2, 2)", make([]byte, 16)),
		"needs 16 bytes":                      array("<f4", "False", "(2, 2)", make([]byte, 15)),
		"not a valid header of a NumPy array": array("<f4", "False", "(2, 2), 'x': 1", make([]byte, 16)),
		"vectors have 0":                      array("<f4", "False", "(2, 0)", nil),
		"vectors have 10000000":               array("<f8", "False", "(100000000000, 10000000)", make([]byte, 16)),
	} {
		if _, err := Read(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
}
