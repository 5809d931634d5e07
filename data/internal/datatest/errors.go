package datatest

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/table"
)

// WantError checks that err is not nil and that its text contains every one of the parts.
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

// ReadFile returns the content of a file.
func ReadFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Marshal returns v as JSON.
func Marshal(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Normals returns d columns of n normally distributed numbers, rounded to multiples of step unless step is 0.
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

// A ReaderFunc is a function that implements io.Reader.
type ReaderFunc func(p []byte) (int, error)

func (f ReaderFunc) Read(p []byte) (int, error) { return f(p) }
