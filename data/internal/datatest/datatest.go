// Package datatest has what tests of data share. Only tests import it. Start reading at
// WantError.
package datatest

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/parquet/compress"

	"github.com/drotrain/drotrain/data/internal/parquet"
	"github.com/drotrain/drotrain/data/internal/table"
)

// WantError checks that an error is there and holds every one of the parts.
func WantError(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", parts)
		return
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q lacks %q", err, p)
		}
	}
}

// Normals returns d columns of n numbers, rounded to the given step, or not for 0.
func Normals(n, d int, step float64) []table.Column {
	rng := rand.New(rand.NewPCG(1, 1))
	cols := make([]table.Column, d)
	for j := range cols {
		cols[j] = table.Column{Name: fmt.Sprintf("x%d", j), Kind: table.Numeric, Number: make([]float64, n)}
		for i := range cols[j].Number {
			v := rng.NormFloat64()
			if step > 0 {
				v = math.Round(v/step) * step
			}
			cols[j].Number[i] = v
		}
	}
	return cols
}

// Parquet writes columns to a file of that name in a folder of the test.
func Parquet(b testing.TB, name string, cols []table.Column, codec compress.Compression, dictionary bool) string {
	path := filepath.Join(b.TempDir(), name+".parquet")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	if err := parquet.WriteAs(w, cols, cols[0].Len(), codec, dictionary); err != nil {
		b.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}
