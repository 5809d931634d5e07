package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
)

// By default, a row that cannot be scored is an error that names --invalid null, with which the other rows are scored.
func TestPredict_InvalidRows(t *testing.T) {
	t.Chdir(t.TempDir())
	table := "x,y\n" + strings.Repeat("1.5,1\n0.5,0\n2,1\n0.2,0\n1,1\n1.1,0\n", 10)
	for name, text := range map[string]string{"t.csv": table, "new.csv": "x\n1\n\"\"\n2\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code, _, stderr := try(t.Context(), "train", "--data", "t.csv", "--target", "y", "--out", "m", "--report", "none",
		"--quiet"); code != exit.OK {
		t.Fatal(stderr)
	}
	predict := []string{"predict", "--model", "m", "--data", "new.csv", "--out", "-"}
	if code, _, stderr := try(t.Context(), predict...); code == exit.OK || !strings.Contains(stderr, "--invalid null") {
		t.Errorf("exit code %d, and the error does not name the option:\n%s", code, stderr)
	}
	code, stdout, stderr := try(t.Context(), append(predict, "--invalid", "null")...)
	lines := strings.Split(stdout, "\n")
	if code != exit.OK || len(lines) != 5 || !strings.HasPrefix(lines[2], `2,,,"column ""x""`) ||
		strings.HasPrefix(lines[3], "3,,") {
		t.Errorf("exit code %d:\n%s%s", code, stdout, stderr)
	}
	if !strings.Contains(stderr, "1 of 3 rows could not be scored") {
		t.Errorf("no warning of the rows that were not scored:\n%s", stderr)
	}
}

// NaN in a NumPy array is a missing value: with --invalid null, only the other rows are scored.
func TestPredict_InvalidRowsOfArrays(t *testing.T) {
	t.Chdir(t.TempDir())
	array := func(name string, columns int, values ...float64) {
		shape := fmt.Sprintf("(%d, %d)", len(values)/columns, columns)
		if columns == 1 {
			shape = fmt.Sprintf("(%d,)", len(values))
		}
		header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': %s, }", shape)
		header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
		b := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
		b = append(b, header...)
		for _, v := range values {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var x, y []float64
	for k := range 60 {
		x, y = append(x, math.Sin(float64(k)), math.Cos(float64(k*k))), append(y, float64(k*k/5%2))
	}
	array("x.npy", 2, x...)
	array("y.npy", 1, y...)
	array("new.npy", 2, x[0], x[1], math.NaN(), 0.5, 1, math.Inf(1), x[2], x[3])
	if code, _, stderr := try(t.Context(), "train", "--data", "x.npy,y.npy", "--target", "y", "--loss", "logistic",
		"--out", "m", "--report", "none", "--quiet"); code != exit.OK {
		t.Fatal(stderr)
	}
	predict := func(file string, options ...string) (int, []string) {
		code, stdout, _ := try(t.Context(), append([]string{"predict", "--model", "m", "--data", file, "--out", "-"},
			options...)...)
		return code, strings.Split(strings.TrimSpace(stdout), "\n")
	}
	if code, _ := predict("x=new.npy"); code == exit.OK {
		t.Error("an array with NaN is scored")
	}
	_, all := predict("x.npy")
	code, lines := predict("x=new.npy", "--invalid", "null")
	if code != exit.OK || len(lines) != 5 {
		t.Fatalf("exit code %d: %q", code, lines)
	}
	if !strings.HasPrefix(lines[1], all[1]+",") || !strings.HasPrefix(lines[4], "4"+strings.TrimPrefix(all[2], "2")+",") {
		t.Errorf("scored rows: %q, of all rows: %q", lines, all[:3])
	}
	for k, why := range map[int]string{2: "null", 3: "+Inf"} {
		if !strings.HasPrefix(lines[k], fmt.Sprintf("%d,,,", k)) || !strings.Contains(lines[k], why) {
			t.Errorf("row %d: %q", k, lines[k])
		}
	}
}

// Files of arrays may be named as target and groups, beside a dense array and beside the archive of a sparse matrix.
func TestTrain_ArrayFilesAsTargetAndGroups(t *testing.T) {
	t.Chdir(t.TempDir())
	const rows = 90
	var labels, groups, values []float64
	var indices, pointers []int32
	for k := range rows {
		labels, groups = append(labels, float64(k*k/5%2)), append(groups, float64(k%3))
		indices, pointers = append(indices, int32(k%7)), append(pointers, int32(k))
		values = append(values, math.Sin(float64(k)))
	}
	array := func(kind string, shape string, v any) []byte {
		head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", kind, shape)
		b := []byte("\x93NUMPY\x01\x00\x76\x00" + head + strings.Repeat(" ", 117-len(head)) + "\n")
		b, err := binary.Append(b, binary.LittleEndian, v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for name, b := range map[string][]byte{"format": array("|S3", "()", []byte("csr")),
		"shape": array("<i8", "(2,)", []int64{rows, 7}), "data": array("<f8", "(90,)", values),
		"indices": array("<i4", "(90,)", indices), "indptr": array("<i4", "(91,)", append(pointers, rows))} {
		if to, err := w.Create(name + ".npy"); err != nil {
			t.Fatal(err)
		} else if _, err := to.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"X.npz": archive.Bytes(), "X.npy": array("<f8", "(90, 1)", values),
		"y.npy": array("<f8", "(90,)", labels), "g.npy": array("<f8", "(90,)", groups)} {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, data := range []string{"X.npz", "X.npy"} {
		if code, _, stderr := try(t.Context(), "train", "--data", data, "--target", "y.npy", "--groups", "g.npy", "--average",
			"plain", "--out", data+".m", "--report", "none", "--quiet"); code != exit.OK {
			t.Errorf("%s: %s", data, stderr)
		}
		if code, out, stderr := try(t.Context(), "inspect", data, "--target", "y.npy"); code != exit.OK ||
			!strings.Contains(out, "y") {
			t.Errorf("inspect %s: %s", data, stderr)
		}
	}
}
