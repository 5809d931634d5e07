package data

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// writeArray writes a .npy file of little-endian numbers and returns its path.
func writeArray(t testing.TB, name, descr, shape string, values any) string {
	t.Helper()
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape)
	head += strings.Repeat(" ", 117-len(head)) + "\n"
	var b bytes.Buffer
	b.WriteString("\x93NUMPY\x01\x00\x76\x00" + head)
	if err := binary.Write(&b, binary.LittleEndian, values); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Arrays separated by commas are columns of one table, under the names that are given or those of the
// files; whole numbers keep all their digits.
func TestOpen_ArraysSideBySide(t *testing.T) {
	x := writeArray(t, "X.npy", "<f4", "(3, 2)", []float32{1, 2, 3, 4, 5, 6})
	y := writeArray(t, "y.npy", "<i8", "(3,)", []int64{0, 1<<60 + 1, -7})
	short := writeArray(t, "z.npy", "<i8", "(2,)", []int64{0, 1})
	for _, c := range []struct {
		name, path string
		columns    []string
		wrong      string
	}{
		{"names of the files", x + "," + y, []string{"x[0]", "x[1]", "y"}, ""},
		{"given names", "e=" + x + ",label=" + y, []string{"e[0]", "e[1]", "label"}, ""},
		{"one with a name", "label=" + y, []string{"label"}, ""},
		{"other rows", x + "," + short, nil, "the array has 2 rows, and " + x + " has 3"},
		{"one name twice", x + "," + x, nil, "name one of them"},
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

// NaN in a vector is a null: without a fill, an error with its entry and row.
func TestFit_VectorWithNaN(t *testing.T) {
	x := writeArray(t, "X.npy", "<f4", "(4, 2)", []float32{1, 2, 3, 4, 5, float32(math.NaN()), 7, 9})
	y := writeArray(t, "y.npy", "<i8", "(4,)", []int64{0, 1, 0, 1})
	f := openFrame(t, x+","+y)
	defer f.Close()
	_, err := Fit(t.Context(), f, nil, nil, Spec{Target: "y"}, Sink{Storage: AutoStorage})
	if err == nil || !strings.Contains(err.Error(), `column "x[1]", row 3: the value is null, as in 1 of 4 rows`) {
		t.Errorf("%v", err)
	}
}

// The profile of wide rows is made of some of them, so that it takes less memory than the rows, and
// passes the rows that it was made from.
func TestMakeProfile_WideRows(t *testing.T) {
	const rows, columns = 6000, 1000
	rng := rand.New(rand.NewPCG(3, 1))
	entries, labels := make([]float32, rows*columns), make([]int64, rows)
	for i := range entries {
		entries[i] = float32(rng.NormFloat64())
	}
	for i := range labels {
		labels[i] = int64(i % 2)
	}
	x := writeArray(t, "X.npy", "<f4", fmt.Sprintf("(%d, %d)", rows, columns), entries)
	y := writeArray(t, "y.npy", "<i8", fmt.Sprintf("(%d,)", rows), labels)
	f := openFrame(t, x+","+y)
	defer f.Close()
	fitted := fitRows(t, f, nil, nil, Spec{Target: "y"}, Sink{Storage: AutoStorage})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fitted.Encoder.MakeProfile(fitted.Train, fitted.TrainReport, fitted.Storage)
	runtime.ReadMemStats(&after)
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(8*profiledValues+4<<20); fitted.Encoder.Profile.Rows != 4000 || got > most {
		t.Errorf("a profile of %d rows takes %d bytes, more than %d", fitted.Encoder.Profile.Rows, got, most)
	}
	r, err := fitted.Encoder.EncodeBlocks(t.Context(), f, nil, 2000, false, func(Block) error { return nil })
	if err != nil || r.Drifted() != "" {
		t.Errorf("the rows of training: %v %s", err, r.Drifted())
	}
}

// An archive of arrays needs no name: it is read from a pipe.
func TestOpenReader_Archive(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, path := range map[string]string{"y.npy": writeArray(t, "y.npy", "<f8", "(2,)", []float64{1, 2}), "x.npy": writeArray(t, "x.npy", "<f4", "(2, 2)", []float32{1, 2, 3, 4})} {
		array := readFile(t, path)
		to, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		to.Write(array)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := OpenReader(t.Context(), "-", &b, Reading{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if names := slices.Sorted(slices.Values(f.Names())); f.Rows != 2 || !slices.Equal(names, []string{"x[0]", "x[1]", "y"}) {
		t.Errorf("%d rows of %q", f.Rows, names)
	}
}
