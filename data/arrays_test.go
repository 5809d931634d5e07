package data

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/internal/datatest"
)

// Arrays separated by commas are columns of one table, under the names that are given or those of the
// files; whole numbers keep all their digits.
func TestOpen_ArraysSideBySide(t *testing.T) {
	x := datatest.WriteArray(t, "X.npy", "<f4", "(3, 2)", []float32{1, 2, 3, 4, 5, 6})
	y := datatest.WriteArray(t, "y.npy", "<i8", "(3,)", []int64{0, 1<<60 + 1, -7})
	short := datatest.WriteArray(t, "z.npy", "<i8", "(2,)", []int64{0, 1})
	for _, c := range []struct {
		name, path string
		columns    []string
		wrong      string
	}{
		{"names of the files", x + "," + y, []string{"x[0]", "x[1]", "y"}, ""},
		{"given names", "e=" + x + ",label=" + y, []string{"e[0]", "e[1]", "label"}, ""},
		{"one with a name", "label=" + y, []string{"label"}, ""},
		{"other rows", x + "," + short, nil, "the array has 2 rows, but " + x + " has 3"},
		{"one name twice", x + "," + x, nil, "name one of the arrays"},
		{"absent", x + ",nowhere.npy", nil, "nowhere.npy"},
	} {
		f, err := Open(t.Context(), c.path)
		if c.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil || !slices.Equal(f.Names(), c.columns) || f.Rows != 3 {
			t.Errorf("%s: %v, %v", c.name, f, err)
			continue
		}
		last := c.columns[len(c.columns)-1]
		exact, err := exactRows(t.Context(), f, []string{last})
		if err != nil || exact[0].Text(1) != "1152921504606846977" {
			t.Errorf("%s: %v", c.name, err)
		}
		f.Close()
	}
}

// Arrays side by side are read as the contract says of their columns by the names that they are given.
func TestOpen_ArraysByContract(t *testing.T) {
	y := datatest.WriteArray(t, "y.npy", "<i8", "(3,)", []int64{0, 1, 0})
	site := datatest.WriteArray(t, "new.npy", "<U2", "(3,)", [][2]int32{{'a', ' '}, {'b', 0}, {' ', 'a'}})
	age := datatest.WriteArray(t, "years.npy", "<i8", "(3,)", []int64{30, 999, 50})
	how := Reading{Columns: []ColumnForm{{Name: "site", Kind: Categorical, Type: "string", Text: true}}}
	how.Text.Missing = []string{"age=999", "other=1"}
	f := openFrame(t, y+",site="+site+",age="+age, how)
	defer f.Close()
	sites, err := f.Column(t.Context(), "site")
	if err != nil || sites.Text(0) != "a" || sites.Text(2) != "a" {
		t.Errorf("sites %q and %q, %v", sites.Text(0), sites.Text(2), err)
	}
	ages, err := f.Column(t.Context(), "age")
	if err != nil || !ages.IsNull(1) || ages.Nulls() != 1 {
		t.Errorf("ages %+v, %v", ages, err)
	}
	if missing, _ := f.UnusedTexts(); !slices.Equal(missing, []string{"other=1"}) {
		t.Errorf("unused %q", missing)
	}
	guessed := openFrame(t, "a="+y+",b="+age)
	defer guessed.Close()
	if forms := guessed.Reading().Columns; len(forms) != 2 || forms[1].Name != "b" || forms[1].Kind != Numeric {
		t.Errorf("forms %+v", forms)
	}
}

// writeSparse writes a matrix of 3 × 2 as scipy.sparse.save_npz does, and returns the name of the file.
func writeSparse(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "s.npz")
	datatest.WriteArchive(t, path, map[string]string{
		"format.npy":  datatest.WriteArray(t, "format.npy", "|S3", "()", []byte("csr")),
		"shape.npy":   datatest.WriteArray(t, "shape.npy", "<i8", "(2,)", []int64{3, 2}),
		"data.npy":    datatest.WriteArray(t, "data.npy", "<f8", "(2,)", []float64{5, 7}),
		"indices.npy": datatest.WriteArray(t, "indices.npy", "<i4", "(2,)", []int32{1, 0}),
		"indptr.npy":  datatest.WriteArray(t, "indptr.npy", "<i4", "(4,)", []int32{0, 1, 1, 2}),
	})
	return path
}

// A sparse matrix can be renamed, alone and beside other arrays. A dense vector must not have its name, because their
// entries would have the same names.
func TestOpen_SparseArrays(t *testing.T) {
	s, x := writeSparse(t), datatest.WriteArray(t, "X.npy", "<f4", "(3, 2)", []float32{1, 2, 3, 4, 5, 6})
	for path, want := range map[string]string{s: "x", "z=" + s: "z", "z=" + s + "," + x: "z x[0] x[1]",
		s + ",z=" + x: "x z[0] z[1]", s + "," + x: `column "x": the array of ` + s + " has the same name",
		x + "," + s: `column "x": the array of ` + x + " has the same name"} {
		f, err := Open(t.Context(), path)
		got := ""
		if err == nil {
			got = strings.Join(f.Names(), " ")
			f.Close()
		}
		if got != want && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %q, %v; want %q", path, got, err, want)
		}
	}
}

// An archive of arrays needs no name: it is read from a pipe.
func TestOpenReader_Archive(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "a.npz")
	datatest.WriteArchive(t, archive, map[string]string{
		"y.npy": datatest.WriteArray(t, "y.npy", "<f8", "(2,)", []float64{1, 2}),
		"x.npy": datatest.WriteArray(t, "x.npy", "<f4", "(2, 2)", []float32{1, 2, 3, 4}),
	})
	f, err := OpenReader(t.Context(), "-", bytes.NewReader(datatest.ReadFile(t, archive)), Reading{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if names := slices.Sorted(slices.Values(f.Names())); f.Rows != 2 ||
		!slices.Equal(names, []string{"x[0]", "x[1]", "y"}) {
		t.Errorf("%d rows of %q", f.Rows, names)
	}
}
