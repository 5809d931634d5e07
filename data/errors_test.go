package data

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/drotrain/drotrain/data/internal/datatest"
	"github.com/drotrain/drotrain/data/table"
)

// Programs tell errors apart by their classes, and find the place in the fields.
func TestError_Classes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.parquet")
	if err := WriteTable(path, []Column{{Name: "x", Type: "double", Kind: Numeric, Number: []float64{1, 2, 3}}},
		false); err != nil {
		t.Fatal(err)
	}
	f := openFrame(t, path)
	_, absent := f.Column(t.Context(), "y")
	whole := datatest.ReadFile(t, path)
	_, damaged := ReadBytes(t.Context(), "b.parquet", append([]byte("PAR1\xff\xff\xff"), whole[7:len(whole)-9]...))
	if err := os.WriteFile(path, append(whole, 0), 0o600); err != nil {
		t.Fatal(err)
	}
	_, changed := f.Column(t.Context(), "x")
	for class, err := range map[error]error{ErrNoColumn: absent, ErrDamaged: damaged, ErrChanged: changed,
		ErrMemory: table.Afford(1<<62, "to hold everything")} {
		var e *Error
		if !errors.Is(err, class) || !errors.As(err, &e) || e.Msg == "" {
			t.Errorf("%v: got %v", class, err)
		}
		for _, other := range []error{ErrNoColumn, ErrDamaged, ErrChanged, ErrMemory} {
			if other != class && errors.Is(err, other) {
				t.Errorf("%v is %v too", err, other)
			}
		}
	}
}
