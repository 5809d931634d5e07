package data

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/internal/datatest"
)

// sameFrame says how the frame of a damaged file differs from that of the good
// one in values that can be used, or "".
func sameFrame(a, b *Frame) string {
	if a.Rows != b.Rows || len(a.Columns) != len(b.Columns) {
		return fmt.Sprintf("%d × %d against %d × %d", a.Rows, len(a.Columns), b.Rows, len(b.Columns))
	}
	for i, c := range a.Columns {
		d := b.Columns[i]
		if c.Name == d.Name && c.Kind == Other {
			continue // a required column now said to be a list: any use of it is refused by name
		}
		if c.Name != d.Name || c.Kind != d.Kind {
			return fmt.Sprintf("column %d is %q (%v) against %q (%v)", i, c.Name, c.Kind, d.Name, d.Kind)
		}
		for r := 0; r < a.Rows; r++ {
			if c.Kind == Vector {
				index, value := c.Sparse.Reader().Row(r)
				other, values := d.Sparse.Reader().Row(r)
				if !slices.Equal(index, other) || !slices.Equal(value, values) {
					return fmt.Sprintf("column %q, row %d: %v %v against %v %v", c.Name, r+1, index, value, other, values)
				}
				continue
			}
			if c.IsNull(r) != d.IsNull(r) || c.Text(r) != d.Text(r) {
				return fmt.Sprintf("column %q, row %d: %q (null %v) against %q (null %v)", c.Name, r+1, c.Text(r), c.IsNull(r),
					d.Text(r), d.IsNull(r))
			}
		}
	}
	return ""
}

// readBounded reads a file in memory and checks what must hold for any bytes:
// no panic, an error that names the file, little memory, an end.
func readBounded(t *testing.T, name string, b []byte, what string) (*Frame, error) {
	t.Helper()
	const allowance, multiple = 4 << 20, 400
	before := allocated()
	f, err := ReadBytes(context.Background(), name, b)
	if limit := allowance + multiple*uint64(len(b)); allocated()-before > limit {
		if got := allocatedExactly(func() { ReadBytes(context.Background(), name, b) }); got > limit {
			t.Errorf("%s: %d bytes allocated for a file of %d", what, got, len(b))
		}
	}
	if err == nil {
		return f, nil
	}
	if !strings.HasPrefix(err.Error(), name+": ") {
		t.Errorf("%s: the error does not name the file: %v", what, err)
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Errorf("%s: not an *Error: %v", what, err)
	}
	return nil, err
}

// allocated is how many bytes the process has allocated. It stops nothing, but counts what
// lies in the caches of processors when these are emptied: as much as 8 MB at once.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// allocatedExactly is how many bytes f allocates.
func allocatedExactly(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// ownParquet is a file of our writer: zstd with checksums.
func ownParquet(t testing.TB) []byte {
	path := filepath.Join(t.TempDir(), "own.parquet")
	rng := rand.New(rand.NewPCG(3, 5))
	const n = 500
	x := Column{Name: "x", Kind: Numeric, Number: make([]float64, n)}
	k := Column{Name: "k", Kind: Numeric, Type: "int32", Number: make([]float64, n), Null: make([]bool, n)}
	s := Column{Name: "s", Kind: Categorical, Level: []string{"a", "b", "c"}, Code: make([]int32, n)}
	b := Column{Name: "b", Kind: Bool, Number: make([]float64, n)}
	for i := 0; i < n; i++ {
		x.Number[i] = rng.NormFloat64()
		k.Null[i] = rng.IntN(10) == 0
		if !k.Null[i] {
			k.Number[i] = float64(rng.IntN(1000) - 500)
		}
		s.Code[i] = int32(rng.IntN(3))
		b.Number[i] = float64(rng.IntN(2))
	}
	if err := WriteTable(path, []Column{x, k, s, b}, false); err != nil {
		t.Fatal(err)
	}
	out := datatest.ReadFile(t, path)
	return out
}

// sparseText is a file of LIBSVM.
func sparseText() []byte {
	var b strings.Builder
	rng := rand.New(rand.NewPCG(8, 2))
	for i := range 200 {
		fmt.Fprintf(&b, "%d qid:%d", i%2, i/10)
		for at := 1 + rng.IntN(9); at < 300; at += 1 + rng.IntN(60) {
			fmt.Fprintf(&b, " %d:%.3f", at, rng.NormFloat64())
		}
		b.WriteString("\n")
	}
	return []byte(b.String())
}

func testdataFile(t testing.TB, name string) []byte {
	b := datatest.ReadFile(t, filepath.Join("testdata", name))
	return b
}

// A truncated file is an error, wherever it is cut.
func TestTruncation_IsAnErrorEverywhere(t *testing.T) {
	files := []string{"pyarrow_zstd.parquet", "pyarrow_snappy.parquet", "polars_zstd.parquet", "duckdb_snappy_v1.parquet",
		"pyarrow.arrow", "pyarrow_lz4.feather", "polars_zstd.arrow", "pyarrow.arrows", "pyarrow_zstd.arrows", "polars.arrows",
		"pyarrow.csv.gz"}
	for _, name := range files {
		whole := testdataFile(t, name)
		step := len(whole)/60 + 1
		for cut := 0; cut < len(whole); cut += step {
			if f, _ := readBounded(t, name, whole[:cut], fmt.Sprintf("%s cut to %d", name, cut)); f != nil {
				t.Errorf("%s cut to %d of %d bytes reads as %d rows", name, cut, len(whole), f.Rows)
			}
		}
		for cut := len(whole) - 12; cut < len(whole); cut++ {
			if f, _ := readBounded(t, name, whole[:cut], fmt.Sprintf("%s cut to %d", name, cut)); f != nil {
				t.Errorf("%s cut to %d of %d bytes reads as %d rows", name, cut, len(whole), f.Rows)
			}
		}
	}
}

// mutate damages a byte or a short stretch in [from, to).
func mutate(rng *rand.Rand, b []byte, from, to int) (out []byte, what string) {
	out = append([]byte(nil), b...)
	at := from + rng.IntN(to-from)
	switch kind := rng.IntN(5); kind {
	case 0:
		bit := rng.IntN(8)
		out[at] ^= 1 << bit
		what = fmt.Sprintf("bit %d of byte %d flipped", bit, at)
	case 1:
		out[at] = byte(rng.IntN(256))
		what = fmt.Sprintf("byte %d set to %d", at, out[at])
	case 2:
		out[at] = 0xff
		what = fmt.Sprintf("byte %d set to 255", at)
	case 3:
		n := min(to-at, 1+rng.IntN(16))
		clear(out[at : at+n])
		what = fmt.Sprintf("%d bytes from %d cleared", n, at)
	default:
		n := min(to-at, 1+rng.IntN(8))
		for i := range out[at : at+n] {
			out[at+i] = byte(rng.IntN(256))
		}
		what = fmt.Sprintf("%d bytes from %d replaced", n, at)
	}
	return out, what
}

// Damage never panics, hangs or takes much memory, and where a checksum or
// redundant structure covers it, it is an error or leaves the table as it was.
func TestDamage_IsAnErrorOrHarmless(t *testing.T) {
	own := ownParquet(t)
	body := func(b []byte) (int, int) { return 4, len(b) - 8 - parquetFooterSize(t, b) }
	footer := func(b []byte) (int, int) { return len(b) - 8 - parquetFooterSize(t, b), len(b) }
	all := func(b []byte) (int, int) { return 0, len(b) }
	for _, c := range []struct {
		name    string
		bytes   []byte
		part    string
		where   func([]byte) (int, int)
		covered bool // by checksums or structure
	}{
		{"own.parquet", own, "data", body, true},
		{"own.parquet", own, "footer", footer, true},
		{"pyarrow_none_crc.parquet", nil, "data", body, true},
		{"pyarrow_gzip_v1.parquet", nil, "data", body, true},
		{"pyarrow_zstd.parquet", nil, "data", body, false},
		{"pyarrow_snappy.parquet", nil, "data", body, false},
		{"pyarrow_snappy.parquet", nil, "footer", footer, false},
		{"pyarrow_brotli.parquet", nil, "data", body, false},
		{"pyarrow_lz4raw.parquet", nil, "data", body, false},
		{"pyarrow_delta_v1.parquet", nil, "data", body, false},
		{"pyarrow_delta_v2.parquet", nil, "data", body, false},
		{"polars_zstd.parquet", nil, "all", all, false},
		{"duckdb_snappy_v2.parquet", nil, "all", all, false},
		{"pyarrow.arrow", nil, "all", all, false},
		{"pyarrow_zstd.feather", nil, "all", all, false},
		{"pyarrow_lz4.feather", nil, "all", all, false},
		{"polars_zstd.arrow", nil, "all", all, false},
		{"pyarrow.arrows", nil, "all", all, false},
		{"pyarrow_zstd.arrows", nil, "all", all, false},
		{"pyarrow_dictionaries.arrows", nil, "all", all, false},
		{"pyarrow.csv", nil, "all", all, false},
		{"pyarrow.csv.gz", nil, "data", func(b []byte) (int, int) { return 10, len(b) }, true},
		{"t.svm", sparseText(), "all", all, false},
		{"t.svm.gz", packedText(t, sparseText()), "data", func(b []byte) (int, int) { return 10, len(b) }, true},
	} {
		t.Run(c.name+"/"+c.part, func(t *testing.T) {
			b := c.bytes
			if b == nil {
				b = testdataFile(t, c.name)
			}
			good := readBytes(t, c.name, b)
			from, to := c.where(b)
			rng := rand.New(rand.NewPCG(20, uint64(len(b))))
			refused, other := 0, 0
			rounds := *damageRounds
			switch c.name {
			case "own.parquet", "pyarrow_none_crc.parquet", "pyarrow_snappy.parquet", "pyarrow.arrow", "pyarrow.arrows",
				"pyarrow_zstd.feather":
			default:
				rounds /= 4 // other codecs and writers
			}
			for i := 0; i < rounds; i++ {
				bad, what := mutate(rng, b, from, to)
				f, _ := readBounded(t, c.name, bad, what)
				if f == nil {
					refused++
					continue
				}
				if d := sameFrame(f, good); d != "" {
					if other++; c.covered {
						t.Errorf("%s: another table, no error: %s", what, d)
					}
				}
			}
			t.Logf("%d damaged files: %d refused, %d as before, %d another table", rounds, refused, rounds-refused-other, other)
			if refused == 0 && !strings.HasSuffix(c.name, ".csv") {
				t.Error("no damage was found at all")
			}
		})
	}
}

var damageRounds = flag.Int("damage", 300,
	"mutations of a file in TestDamage_IsAnErrorOrHarmless (a quarter of it for some)")

// parquetFooterSize is what the last bytes of a Parquet file say.
func parquetFooterSize(t testing.TB, b []byte) int {
	n := int(binary.LittleEndian.Uint32(b[len(b)-8:]))
	if n <= 0 || n > len(b)-12 {
		t.Fatalf("a footer of %d bytes", n)
	}
	return n
}
