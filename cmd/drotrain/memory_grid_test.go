//go:build linux && !race

package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/drotrain/drotrain/data"
)

// The tables of the memory grid have so many rows and features: 30 MB as float64.
const gridRows, gridFeatures = 400_000, 9

// gridValue returns the value of a feature in a row.
func gridValue(row, feature int) float64 { return float64((row*(2*feature+3) + row/7) % (feature + 5)) }

// gridTarget returns the target of a row.
func gridTarget(row int) float64 { return float64((row*7 + row/3) % 5 / 3) }

// A gridTable is a table in one format.
type gridTable struct {
	format, data, target string
	commands             int // the first so many are run: fewer where another format is read in the same way
}

// writeGridTables writes a table in every format to the working directory.
func writeGridTables(t *testing.T) []gridTable {
	t.Helper()
	put := func(name string, b []byte) {
		t.Helper()
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var columns []data.Column
	for j := range gridFeatures {
		columns = append(columns, data.Column{Name: fmt.Sprintf("x%d", j), Kind: data.Numeric,
			Number: make([]float64, gridRows)})
	}
	columns = append(columns, data.Column{Name: "y", Kind: data.Numeric, Number: make([]float64, gridRows)})
	var lines, svm bytes.Buffer
	var matrix []float64
	for i := range gridRows {
		fmt.Fprintf(&svm, "%v", gridTarget(i))
		lines.WriteString("{")
		for j := range gridFeatures {
			v := gridValue(i, j)
			columns[j].Number[i] = v
			matrix = append(matrix, v)
			fmt.Fprintf(&lines, `"x%d":%v,`, j, v)
			fmt.Fprintf(&svm, " %d:%v", j+1, v)
		}
		columns[gridFeatures].Number[i] = gridTarget(i)
		fmt.Fprintf(&lines, "\"y\":%v}\n", gridTarget(i))
		svm.WriteString("\n")
	}
	if err := os.Mkdir("dir", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"t.csv", "t.tsv", "t.parquet", "t.arrows", "dir/a.parquet", "dir/b.parquet"} {
		if err := data.WriteTable(name, columns, false); err != nil {
			t.Fatal(err)
		}
	}
	put("t.jsonl", lines.Bytes())
	put("t.svm", svm.Bytes())
	text, err := os.ReadFile("t.csv")
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	put("t.csv.gz", packed.Bytes())
	writeCompressedArrow(t, "z.arrow", columns)
	put("X.npy", npyOf(matrix, fmt.Sprintf("(%d, %d)", gridRows, gridFeatures)))
	put("y.npy", npyOf(columns[gridFeatures].Number, fmt.Sprintf("(%d,)", gridRows)))
	return []gridTable{
		{"parquet", "t.parquet", "y", 6}, {"csv", "t.csv", "y", 6}, {"arrow", "t.arrows", "y", 6},
		{"npy", "X.npy,y.npy", "y", 6}, {"svm", "t.svm", "label", 6},
		{"compressed arrow", "z.arrow", "y", 3}, {"directory", "dir", "y", 3}, {"csv.gz", "t.csv.gz", "y", 3},
		{"tsv", "t.tsv", "y", 3}, {"jsonl", "t.jsonl", "y", 1},
	}
}

// npyOf returns a NumPy file.
func npyOf[T float32 | float64](v []T, shape string) []byte {
	head := fmt.Sprintf("{'descr': '<f%d', 'fortran_order': False, 'shape': %s, }", unsafe.Sizeof(*new(T)), shape)
	b := []byte("\x93NUMPY\x01\x00\x76\x00" + head + strings.Repeat(" ", 117-len(head)) + "\n")
	b, _ = binary.Append(b, binary.LittleEndian, v)
	return b
}

// writeCompressedArrow writes an Arrow file whose buffers are compressed.
func writeCompressedArrow(t *testing.T, path string, columns []data.Column) {
	t.Helper()
	var fields []arrow.Field
	var arrays []arrow.Array
	for _, c := range columns {
		fields = append(fields, arrow.Field{Name: c.Name, Type: arrow.PrimitiveTypes.Float64})
		b := array.NewFloat64Builder(memory.DefaultAllocator)
		b.AppendValues(c.Number, nil)
		arrays = append(arrays, b.NewArray())
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	schema := arrow.NewSchema(fields, nil)
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(schema), ipc.WithZstd())
	if err != nil {
		t.Fatal(err)
	}
	const batch = 1 << 16
	all := array.NewRecord(schema, arrays, gridRows)
	for lo := int64(0); lo < gridRows; lo += batch {
		if err := w.Write(all.NewSlice(lo, min(lo+batch, gridRows))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// Every command, with every format and memory limit, succeeds, stores rows on disk or reports that the memory is
// insufficient. It is never killed or ended by the runtime, never exceeds its limit, and does not fail after it has
// announced that rows are stored on disk. A third of the combinations run by default, and all with DROTRAIN_LONG=1.
func TestMemory_EveryCommandFormatAndLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	t.Chdir(t.TempDir())
	tables := writeGridTables(t)
	commands := [][]string{
		{"inspect", "DATA"},
		{"predict", "--model", "MODEL", "--data", "DATA", "--out", "OUT/p.parquet"},
		{"train", "--data", "DATA", "--target", "TARGET", "--average", "plain", "--mu", "1e-4", "--out", "OUT", "--resamples",
			"0"},
		{"inspect", "DATA", "--target", "TARGET"},
		{"tune", "--data", "DATA", "--target", "TARGET", "--out", "OUT", "--folds", "2", "--holdout", "0.95"},
		{"eval", "--model", "MODEL", "--data", "DATA", "--resamples", "0"},
	}
	limits := []gridLimit{{option: "--memory=64MB", bytes: 64 << 20}, {option: "--memory=200MB", bytes: 200 << 20},
		{shell: "ulimit -v 2500000; "}}
	models := map[string]string{} // by target and kind of features
	at := 0
	for i, of := range tables {
		key := of.target + strings.Repeat(" of vectors", strings.Count(of.data, ","))
		if models[key] == "" {
			models[key] = filepath.Join(t.TempDir(), modelFile)
			train := exec.Command("drotrain", "train", "--data", of.data, "--target", of.target, "--average", "plain", "--mu",
				"1e-4", "--out", filepath.Dir(models[key]), "--report", "none", "--quiet")
			if out, err := train.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v: %s", of.format, err, out)
			}
		}
		for k, args := range commands[:of.commands] {
			l := limits[at%len(limits)]
			at++
			if os.Getenv("DROTRAIN_LONG") == "" && (k+2*i)%3 != 0 {
				continue // every command, format and limit is among the others
			}
			t.Run(args[0]+" "+of.format+" "+l.option+l.shell, func(t *testing.T) {
				t.Parallel()
				fill := strings.NewReplacer("DATA", of.data, "TARGET", of.target, "MODEL", models[key], "OUT", t.TempDir())
				var own []string
				for _, a := range args {
					own = append(own, fill.Replace(a))
				}
				if code := l.check(t, own); args[0] == "predict" && code != 0 {
					t.Error("predict does not read the table block by block")
				}
			})
		}
		at++ // another limit for the next format
	}
}

// A gridLimit is a limit of memory.
type gridLimit struct {
	shell  string // sets it
	option string // names it
	bytes  int64  // of heap and mapped files; 0 where the limit is one of addresses
}

// check runs a command under the limit and returns its exit code.
func (l gridLimit) check(t *testing.T, args []string) (code int) {
	if l.option != "" {
		args = append(args, l.option)
	}
	run := exec.Command("sh", append([]string{"-c", l.shell + `exec drotrain "$@"`, "sh"}, args...)...)
	var told bytes.Buffer
	run.Stderr = &told
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	peaks := make(chan int64)
	go func() { peaks <- peakOf(run.Process.Pid, done) }()
	_ = run.Wait()
	close(done)
	peak := <-peaks
	said := told.String()
	code = run.ProcessState.ExitCode()
	switch {
	case code != 0 && code != 1:
		t.Errorf("exit code %d: neither done nor refused: %s", code, said)
	case code == 1 && !strings.Contains(said, " of memory") && !strings.Contains(said, " of address space"):
		t.Errorf("another error than that of memory: %s", said)
	case code == 1 && strings.Contains(said, "kept in"):
		t.Errorf("refused although the rows are kept on disk: %s", said)
	}
	const program = 64 << 20 // what the process has beside its heap
	if l.bytes > 0 && peak > l.bytes+l.bytes/4+program {
		t.Errorf("it took %d MB: %s", peak>>20, said)
	}
	t.Logf("exit code %d, %d MB, %v CPU: %s", code, peak>>20, run.ProcessState.UserTime(), said)
	return code
}

// peakOf returns the largest resident memory of a process in bytes until done is closed. The maximum that the system
// reports for a finished process is not used, because it includes the memory of this test, which started the process.
func peakOf(pid int, done chan struct{}) (peak int64) {
	for {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		for line := range strings.Lines(string(status)) {
			var kb int64
			if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kb); n == 1 {
				peak = max(peak, kb<<10)
			}
		}
		select {
		case <-done:
			return peak
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// Training on wide vectors takes at most twice the memory of their file, since the rows that are examined are not held
// beside the matrix, nor their distinct values beside them.
func TestTrain_MemoryOfWideVectors(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes a file of 160 MB")
	}
	t.Chdir(t.TempDir())
	const rows, width = 2000, 20_000
	x, y := make([]float32, rows*width), make([]float64, rows)
	for k := range x {
		x[k] = float32(math.Sin(float64(k) * 1.7))
	}
	for i := range y {
		y[i] = float64(i * 7 / 3 % 2)
	}
	for name, b := range map[string][]byte{"X.npy": npyOf(x, fmt.Sprintf("(%d, %d)", rows, width)),
		"y.npy": npyOf(y, fmt.Sprintf("(%d,)", rows))} {
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := exec.Command("drotrain", "train", "--data", "X.npy,y.npy", "--target", "y", "--average", "plain", "--mu", "100",
		"--report", "none", "--out", "m", "--quiet")
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	done, peaks := make(chan struct{}), make(chan int64)
	go func() { peaks <- peakOf(run.Process.Pid, done) }()
	err := run.Wait()
	close(done)
	if peak := <-peaks; err != nil || peak > 2*4*rows*width {
		t.Errorf("%v; it took %d MB for a file of %d MB", err, peak>>20, 4*rows*width>>20)
	}
}
