package rowfile

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A vector is read as it was written, whatever its length; one of nothing is none. What was
// written before an error, or after the work was given up, is no whole file.
func TestVectorsAsTheyWereWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w := NewWriter(t.Context(), file)
	var at []Vector
	want := [][]int32{nil, {7}, {1, -2}, {3, 4, 5, 6, 7}}
	for _, v := range want {
		at = append(at, WriteVector(w, v))
	}
	if err := w.Finish(&Content{Facts: map[string]string{"a": "b"}, Filtered: 9}); err != nil {
		t.Fatal(err)
	}
	for k, v := range want {
		got, err := ReadVector[int32](file, nil, at[k])
		if err != nil || !slices.Equal(got, v) || (got == nil) != (v == nil) {
			t.Errorf("%v was written, and %v read: %v", v, got, err)
		}
	}
	c, err := Read(file)
	if err != nil || c.Facts["a"] != "b" || c.Filtered != 9 {
		t.Errorf("%+v, %v", c, err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	late := NewWriter(ctx, file)
	WriteVector(late, []int{1})
	if err := late.Finish(&Content{}); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	if now, err := os.ReadFile(path); err != nil || len(now) != len(whole) {
		t.Errorf("%d bytes are written after it was given up", len(now)-len(whole))
	}
	for at := 0; at < len(whole); at += 5 {
		b := slices.Clone(whole)
		b[at] ^= 1
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(file); (err == nil) != (at < 4*8) { // the vectors have sums of their own
			t.Fatalf("byte %d of %d is another: %v", at, len(whole), err)
		}
	}
	for name, change := range map[string]func(at, size *uint64, mark []byte){
		"as it is":               func(at, size *uint64, mark []byte) {},
		"another mark":           func(at, size *uint64, mark []byte) { mark[len(mark)-1]++ },
		"a content before":       func(at, size *uint64, mark []byte) { *at-- },
		"a longer content":       func(at, size *uint64, mark []byte) { *size++ },
		"from before the file":   func(at, size *uint64, mark []byte) { *size += *at + 1; *at = math.MaxUint64 },
		"of more than there are": func(at, size *uint64, mark []byte) { *size += 1 << 63; *at += 1 << 63 },
	} {
		b := slices.Clone(whole)
		end := b[len(b)-len(mark)-sha256.Size-16:]
		at, size := binary.LittleEndian.Uint64(end), binary.LittleEndian.Uint64(end[8:])
		change(&at, &size, b[len(b)-len(mark):])
		binary.LittleEndian.PutUint64(end, at)
		binary.LittleEndian.PutUint64(end[8:], size)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(file); (err == nil) != (name == "as it is") || err != nil && !strings.Contains(err.Error(), "damaged") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := errors.Join(file.Truncate(0), NewWriter(t.Context(), file).Finish(&Content{Filtered: 3})); err != nil {
		t.Fatal(err)
	}
	if c, err := Read(file); err != nil || c.Filtered != 3 {
		t.Errorf("without a vector: %+v, %v", c, err)
	}
	file.Close()
	if _, err := Read(file); err == nil {
		t.Error("a closed file is read")
	}
	if _, err := ReadVector[int32](file, nil, at[1]); err == nil {
		t.Error("a vector of a closed file is read")
	}
	if err := NewWriter(t.Context(), file).Finish(&Content{}); err == nil {
		t.Error("a closed file is written")
	}
}
