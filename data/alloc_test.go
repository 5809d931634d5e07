//go:build !race

package data

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"
)

// The race detector takes memory of its own, which this test would measure.

// A table of categories goes into sparse storage without a dense matrix.
func TestFit_SparseAllocations(t *testing.T) {
	const n, columns, levels = 50_000, 10, 100
	rng := rand.New(rand.NewPCG(8, 9))
	names := make([]string, levels)
	for i := range names {
		names[i] = fmt.Sprintf("level %d", i)
	}
	cols := []Column{{Name: "y", Kind: Numeric, Number: make([]float64, n)}}
	for i := range cols[0].Number {
		cols[0].Number[i] = rng.NormFloat64()
	}
	for j := range columns {
		c := Column{Name: fmt.Sprintf("c%d", j), Kind: Categorical, Level: names, Code: make([]int32, n)}
		for i := range c.Code {
			c.Code[i] = rng.Int32N(levels)
		}
		cols = append(cols, c)
	}
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := WriteTable(path, cols, false); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f := openFrame(t, path)
	fitted, err := Fit(context.Background(), f, nil, nil, Spec{Target: "y", Intercept: true}, AutoStorage)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if fitted.Storage != Sparse || fitted.Train.D != columns*levels+1 {
		t.Fatalf("storage %s, %d columns", fitted.Storage, fitted.Train.D)
	}
	matrix := uint64(fitted.Train.X.Bytes())
	// Besides: codes of 4 bytes a cell while a column is read, which is twice, of 1 byte until
	// the rows are made.
	if got, limit := after.TotalAlloc-before.TotalAlloc, matrix+9*columns*n+40*n+8<<20; got > limit {
		t.Errorf("%d bytes allocated for a matrix of %d; at most %d", got, matrix, limit)
	}
}
