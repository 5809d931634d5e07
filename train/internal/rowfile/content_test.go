package rowfile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
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
