package npy

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/table"
)

// A held is a source in memory.
type held struct{ *bytes.Reader }

func (h held) Name() string               { return "t.npz" }
func (h held) Content() []byte            { return nil }
func (h held) Afford(int64, string) error { return nil }
func (h held) CheckUnchanged() error      { return nil }
func (h held) Size() int64                { return h.Reader.Size() }

// archiveOf returns an archive of arrays: texts as they are, and numbers of one dimension.
func archiveOf(t *testing.T, arrays map[string]any) held {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, v := range arrays {
		w, err := z.Create(name + ".npy")
		if err != nil {
			t.Fatal(err)
		}
		descr, shape := "", "()"
		switch v := v.(type) {
		case []int32:
			descr, shape = "<i4", fmt.Sprintf("(%d,)", len(v))
		case []int64:
			descr, shape = "<i8", fmt.Sprintf("(%d,)", len(v))
		case []float64:
			descr, shape = "<f8", fmt.Sprintf("(%d,)", len(v))
		case []byte:
			descr = fmt.Sprintf("|S%d", len(v))
		}
		head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape)
		w.Write([]byte("\x93NUMPY\x01\x00\x76\x00" + head + strings.Repeat(" ", 117-len(head)) + "\n"))
		binary.Write(w, binary.LittleEndian, v)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return held{bytes.NewReader(b.Bytes())}
}

// A sparse matrix of scipy is one column of sparse vectors, the same from every format; entries at one place are added.
func TestReadArchive_SparseMatrix(t *testing.T) {
	shape, value := []int64{3, 5}, []float64{1, 2, 4, 8}
	archives := map[string]map[string]any{
		"csr": {"format": []byte("csr"), "shape": shape, "data": value, "indices": []int32{4, 1, 0, 0},
			"indptr": []int32{0, 2, 2, 4}},
		"csc": {"format": []byte("csc"), "shape": shape, "data": []float64{4, 8, 2, 1}, "indices": []int32{2, 2, 0, 0},
			"indptr": []int32{0, 2, 3, 3, 3, 4}},
		"coo": {"format": []byte("coo"), "shape": shape, "data": []float64{8, 2, 4, 1}, "row": []int64{2, 0, 2, 0},
			"col": []int64{0, 1, 0, 4}},
	}
	for format, arrays := range archives {
		got, err := ReadArchive(t.Context(), archiveOf(t, arrays))
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		s := got.Columns[0].Sparse
		text := ""
		for i := range s.Rows() {
			index, value := s.Reader().Row(i)
			text += fmt.Sprint(index, value, ";")
		}
		if want := "[1 4] [2 1];[] [];[0] [12];"; text != want || s.Width != 5 || got.Rows != 3 ||
			got.Columns[0].Kind != table.Vector {
			t.Errorf("%s: %d rows of width %d: %s, not %s", format, got.Rows, s.Width, text, want)
		}
	}
}

// Whatever scipy may store (indices of 64 bits, explicit zeros, rows without entries, no order) is read in each format;
// an explicit zero is an entry.
func TestReadArchive_ContractOfSparseFormats(t *testing.T) {
	type entry struct {
		row, column int
		value       float64
	}
	for _, c := range []struct {
		name    string
		shape   []int64
		entries []entry // in the order in which they are stored, up to their row or column
		want    string
	}{
		{"in order", []int64{2, 3}, []entry{{0, 0, 1}, {0, 2, 2}, {1, 1, 3}}, "[0 2] [1 2];[1] [3];"},
		{"no order", []int64{2, 3}, []entry{{1, 1, 3}, {0, 2, 2}, {0, 0, 1}}, "[0 2] [1 2];[1] [3];"},
		{"duplicates", []int64{2, 3}, []entry{{0, 2, 1}, {1, 1, 3}, {0, 2, 4}, {0, 2, 0.5}}, "[2] [5.5];[1] [3];"},
		{"duplicates that cancel", []int64{1, 3}, []entry{{0, 2, 1}, {0, 1, 7}, {0, 2, -1}}, "[1 2] [7 0];"},
		{"explicit zeros", []int64{2, 3}, []entry{{0, 0, 0}, {0, 1, 5}, {1, 2, 0}}, "[0 1] [0 5];[2] [0];"},
		{"rows without entries", []int64{4, 2}, []entry{{1, 1, 3}}, "[] [];[1] [3];[] [];[] [];"},
		{"no entries", []int64{2, 3}, nil, "[] [];[] [];"},
		{"no columns", []int64{2, 0}, nil, "[] [];[] [];"},
	} {
		for _, wide := range []bool{false, true} {
			ints := func(v []int) any {
				a, b := make([]int32, len(v)), make([]int64, len(v))
				for i, x := range v {
					a[i], b[i] = int32(x), int64(x)
				}
				if wide {
					return b
				}
				return a
			}
			// compressed returns the arrays of csr, or of csc for the transposed shape
			compressed := func(lines int, at, other func(entry) int) (index, pointers any, value []float64) {
				var of []int
				starts := []int{0}
				value = []float64{}
				for line := range lines {
					for _, e := range c.entries {
						if at(e) == line {
							of, value = append(of, other(e)), append(value, e.value)
						}
					}
					starts = append(starts, len(of))
				}
				return ints(of), ints(starts), value
			}
			row, column := func(e entry) int { return e.row }, func(e entry) int { return e.column }
			archives := map[string]map[string]any{}
			index, pointers, value := compressed(int(c.shape[0]), row, column)
			archives["csr"] = map[string]any{"data": value, "indices": index, "indptr": pointers}
			index, pointers, value = compressed(int(c.shape[1]), column, row)
			archives["csc"] = map[string]any{"data": value, "indices": index, "indptr": pointers}
			var rows, columns []int
			value = []float64{}
			for _, e := range c.entries {
				rows, columns, value = append(rows, e.row), append(columns, e.column), append(value, e.value)
			}
			archives["coo"] = map[string]any{"data": value, "row": ints(rows), "col": ints(columns)}
			for format, arrays := range archives {
				arrays["format"], arrays["shape"] = []byte(format), c.shape
				name := fmt.Sprintf("%s, %s, indices of 64 bits: %v", c.name, format, wide)
				got, err := ReadArchive(t.Context(), archiveOf(t, arrays))
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				s, text := got.Columns[0].Sparse, ""
				for i := range s.Rows() {
					index, value := s.Reader().Row(i)
					text += fmt.Sprint(index, value, ";")
				}
				if text != c.want || s.Width != int(c.shape[1]) || got.Rows != int(c.shape[0]) {
					t.Errorf("%s: %d rows of width %d: %s, not %s", name, got.Rows, s.Width, text, c.want)
				}
			}
		}
	}
}

// A damaged sparse matrix is an error that says what is wrong.
func TestReadArchive_DamagedSparseMatrix(t *testing.T) {
	for want, change := range map[string]func(map[string]any){
		`lacks the array "indptr"`:                                 func(a map[string]any) { delete(a, "indptr") },
		"need a text as format":                                    func(a map[string]any) { a["format"] = []float64{1, 2} },
		`has the format "dia"`:                                     func(a map[string]any) { a["format"] = []byte("dia") },
		"the column index 5, counted from 0, but the matrix has 5": func(a map[string]any) { a["indices"] = []int32{5, 1, 0, 0} },
		"the column index -1":                                      func(a map[string]any) { a["indices"] = []int32{4, -1, 0, 0} },
		"into 3 rows or columns":                                   func(a map[string]any) { a["indptr"] = []int32{0, 3, 2, 4} },
		"divide the 4 entries":                                     func(a map[string]any) { a["indptr"] = []int32{0, 2, 2, 3} },
		"the 4 entries into 3 rows":                                func(a map[string]any) { a["indptr"] = []int32{1, 2, 2, 4} },
		"3 values, but 4 indices":                                  func(a map[string]any) { a["data"] = []float64{1, 2, 3} },
		"4 values, but 3 indices":                                  func(a map[string]any) { a["indices"] = []int32{4, 1, 0} },
		"has the shape (3, 1099511627776)":                         func(a map[string]any) { a["shape"] = []int64{3, 1 << 40} },
		"has the shape (3,)":                                       func(a map[string]any) { a["shape"] = []int64{3} },
		"the array has 0 dimensions":                               func(a map[string]any) { a["indices"] = []byte("12") },
	} {
		arrays := map[string]any{"format": []byte("csr"), "shape": []int64{3, 5}, "data": []float64{1, 2, 4, 8},
			"indices": []int32{4, 1, 0, 0}, "indptr": []int32{0, 2, 2, 4}}
		change(arrays)
		if _, err := ReadArchive(t.Context(), archiveOf(t, arrays)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// A tight is a source whose process has little memory.
type tight struct{ held }

func (tight) Afford(bytes int64, use string) error {
	if bytes < 20<<20 {
		return nil
	}
	return &table.Error{Class: table.ErrMemory, Msg: "no memory " + use}
}

// Entries of which memory holds only a part are sorted in several passes, with the same result.
func TestReadArchive_SortsInPasses(t *testing.T) {
	const rows, width, perColumn = 3000, 500, 1300
	var value []float64
	var row, column, pointers []int32
	pointers = append(pointers, 0)
	for c := range width {
		for k := range perColumn {
			row, column = append(row, int32((7*c+2*k)%rows)), append(column, int32(c))
			value = append(value, float64(c*perColumn+k))
		}
		pointers = append(pointers, int32(len(row)))
	}
	shape := []int64{rows, width}
	for format, arrays := range map[string]map[string]any{
		"csc": {"format": []byte("csc"), "shape": shape, "data": value, "indices": row, "indptr": pointers},
		"coo": {"format": []byte("coo"), "shape": shape, "data": value, "row": row, "col": column},
	} {
		in := archiveOf(t, arrays)
		want, err := ReadArchive(t.Context(), in)
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		got, err := ReadArchive(t.Context(), tight{in})
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		if n := got.Columns[0].Sparse.HeldEntries(); n == len(value) {
			t.Errorf("%s: all entries are in memory", format)
		}
		a, b := got.Columns[0].Sparse.Reader(), want.Columns[0].Sparse.Reader()
		entries := 0
		for i := range rows {
			index, v := a.Row(i)
			wantIndex, wantV := b.Row(i)
			if !slices.Equal(index, wantIndex) || !slices.Equal(v, wantV) {
				t.Fatalf("%s: row %d is %v %v, not %v %v", format, i, index, v, wantIndex, wantV)
			}
			entries += len(index)
		}
		if entries != len(value) {
			t.Errorf("%s: %d entries, want %d", format, entries, len(value))
		}
	}
}
