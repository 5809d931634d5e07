package data

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/drotrain/drotrain/data/internal/datatest"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
)

// failing is a file of which the reading at that number fails, counted from 1; 0 for none.
type failing struct {
	*bytes.Reader
	at, reads atomic.Int64
}

func (f *failing) ReadAt(b []byte, at int64) (int, error) {
	if f.reads.Add(1) == f.at.Load() {
		return 0, syscall.EIO
	}
	return f.Reader.ReadAt(b, at)
}

// uses are what is done with a table that is open.
var uses = map[string]func(ctx context.Context, f *Frame) (any, error){
	"loaded": func(ctx context.Context, f *Frame) (any, error) {
		out, err := table.Load(ctx, f.Columns)
		return columnsOf(out), err
	},
	"described": func(ctx context.Context, f *Frame) (any, error) {
		d, err := f.Describe(ctx)
		return d.Columns, err
	},
	"exact": func(ctx context.Context, f *Frame) (any, error) {
		out, err := exactRows(ctx, f, f.Names())
		return columnsOf(out), err
	},
	"exact in blocks": func(ctx context.Context, f *Frame) (any, error) {
		e, err := f.Exact(ctx, f.Names())
		if err != nil {
			return nil, err
		}
		var all []any
		for _, of := range [][2]int{{0, 7}, {7, f.Rows}} {
			out, err := e.Rows(ctx, of[0], of[1])
			if err != nil {
				return nil, err
			}
			all = append(all, columnsOf(out))
		}
		return all, nil
	},
	"some rows": func(ctx context.Context, f *Frame) (any, error) {
		var all []any
		for _, name := range []string{"textnull", "i64", "f64"} {
			c, err := f.ColumnAt(ctx, nil, name, []int{1, 20, 39})
			if err != nil {
				return nil, err
			}
			all = append(all, columnsOf([]*Column{c}))
		}
		return all, nil
	},
	"filtered": func(ctx context.Context, f *Frame) (any, error) {
		return f.Filter(ctx, `i64 > 3 && textnull is not null`)
	},
	"split by units": func(ctx context.Context, f *Frame) (any, error) {
		train, held, err := f.SplitRows(ctx, Holdout{Group: "textnull", Fraction: 0.3, Filter: "f64 != 0"})
		return [][]int{train, held}, err
	},
	"split by time": func(ctx context.Context, f *Frame) (any, error) {
		train, held, err := f.SplitRows(ctx, Holdout{Time: "i64", Fraction: 0.3, Filter: "i64 is not null"})
		return [][]int{train, held}, err
	},
	"split in part": func(ctx context.Context, f *Frame) (any, error) {
		train, held, err := f.SplitWithin(ctx, Holdout{Fraction: 0.3, Filter: "f64 != 0"}, 8, 31)
		return [][]int{train, held}, err
	},
}

// columnsOf are the values of columns, as text.
func columnsOf(cols []*Column) (all []string) {
	for _, c := range cols {
		if c != nil {
			all = append(all, fmt.Sprintf("%q %v %v %v", c.Name, c.Kind, c.Null, c.Int))
			for i := range c.Len() {
				all = append(all, c.Text(i))
			}
		}
	}
	return all
}

// A reading that fails is an error that names the file and says what the system said, with
// nothing else, whatever the format, whatever is done and whichever of all readings it is; or
// it was that of the sum alone, and is told with it. And so for a context that ends, which is its own error.
func TestFrame_ReadsThatFail(t *testing.T) {
	intake.TraceRecovered = func(value any, stack []byte) { t.Errorf("a panic: %v\n%s", value, stack) }
	defer func() { intake.TraceRecovered = nil }()
	names := []string{"i64", "f64", "textnull"}
	files := map[string][]byte{"own.parquet": twoGroups(t, names)}
	for _, name := range []string{"pyarrow_delta_v2.parquet", "pyarrow.arrow", "pyarrow_zstd.arrows", "pyarrow.csv",
		"pyarrow.csv.gz"} {
		files[name] = testdataFile(t, name)
	}
	for name, b := range files {
		for what, use := range uses {
			if !strings.HasSuffix(name, ".parquet") && !strings.HasPrefix(what, "exact") && what != "described" {
				continue // the values are in memory
			}
			run := func(ctx context.Context, at int64) (got any, reads int64, sum, err error) {
				src := &failing{Reader: bytes.NewReader(b)}
				src.at.Store(at)
				in := &input{ReaderAt: src, name: name, size: int64(len(b))}
				f, err := openTable(ctx, in)
				if err == nil {
					keepOnly(f, names)
					got, err = use(ctx, f)
					sum = f.Fingerprint()
				}
				return got, src.reads.Load(), sum, err
			}
			want, reads, _, err := run(t.Context(), 0)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, what, err)
			}
			for at := int64(1); at <= reads; at++ {
				got, _, sum, err := run(t.Context(), at)
				for _, e := range []error{sum, err} {
					if e != nil && (!errors.Is(e, syscall.EIO) || e.Error() != name+": cannot read: "+syscall.EIO.Error()) &&
						!strings.HasPrefix(e.Error(), name+": column ") {
						t.Errorf("%s, %s, reading %d of %d: %v", name, what, at, reads, e)
					}
				}
				if sum == nil && err == nil || err == nil && !reflect.DeepEqual(got, want) {
					t.Errorf("%s, %s, reading %d of %d: no error, %v", name, what, at, reads, got)
				}
			}
			ctx := datatest.EndingAt(t.Context(), 0)
			if _, _, _, err := run(ctx, 0); err != nil {
				t.Fatal(err)
			}
			for at := range ctx.Looks.Load() {
				if got, _, sum, err := run(datatest.EndingAt(t.Context(), at+1), 0); !errors.Is(err, context.Canceled) &&
					!errors.Is(sum, context.Canceled) {
					t.Errorf("%s, %s, look %d: %v, %v", name, what, at, got, err)
				}
			}
		}
	}
}

// keepOnly leaves the named columns of a table alone.
func keepOnly(f *Frame, names []string) {
	f.Columns = slices.DeleteFunc(f.Columns, func(c *Column) bool { return !slices.Contains(names, c.Name) })
}

// twoGroups is a Parquet file of columns of testdata in two row groups.
func twoGroups(t *testing.T, names []string) []byte {
	t.Helper()
	f := readFrame(t, "testdata/pyarrow.arrow")
	keepOnly(f, names)
	path := filepath.Join(t.TempDir(), "own.parquet")
	if err := WriteBlocks(path, false, func(put func(cols []Column) error) error {
		for _, of := range [][2]int{{0, 17}, {17, f.Rows}} {
			var part []Column
			for _, c := range f.Slice(of[0], of[1]).Columns {
				part = append(part, *c)
			}
			if err := put(part); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	b := datatest.ReadFile(t, path)
	return b
}
