package encode

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/datatest"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/ranks"
)

// What is done with tables whose values are still in their files.
func usesOfFiles(t *testing.T) map[string]func(ctx context.Context, open func() *data.Frame) error {
	var train, held []int
	for r := range faultyRows {
		if r%4 == 3 {
			held = append(held, r)
		} else {
			train = append(train, r)
		}
	}
	fit := func(s Spec, storage design.Storage) func(ctx context.Context, open func() *data.Frame) error {
		return func(ctx context.Context, open func() *data.Frame) error {
			_, err := Fit(ctx, open(), slices.Clone(train), slices.Clone(held), s, Sink{Storage: storage})
			return err
		}
	}
	plain := Spec{Target: "y", Groups: []string{"group", "flag"}, Impute: "mean", Scale: "standard", ScaleTarget: true,
		Intercept: true}
	raw := Spec{Target: "pair", Groups: []string{"group"}, Impute: "median", Scale: "none"}
	made := Spec{Target: "y", Drop: []string{"last", "c"}, Impute: "mean", Scale: "standard",
		Transforms: Transforms{Log: []string{"a"}, Square: []string{"b"},
			Spline: map[string]int{"k": 4}, Interact: [][2]string{{"region", "a"}, {"flag", "group"}}}}
	drop := Spec{Target: "y", Impute: "drop", Scale: "standard"}
	wrong := plain
	wrong.Drop = []string{"none"}
	dir := t.TempDir()
	uses := map[string]func(ctx context.Context, open func() *data.Frame) error{
		"fit in float64":    fit(plain, design.Float64Storage),
		"fit sparse":        fit(raw, design.SparseStorage),
		"fit by choice":     fit(raw, design.AutoStorage),
		"fit what is made":  fit(made, design.Float64Storage),
		"fit without nulls": fit(drop, design.Float32Storage),
		"fit on disk": func(ctx context.Context, open func() *data.Frame) error {
			_, err := Fit(ctx, open(), slices.Clone(train), slices.Clone(held), plain, Sink{Disk: &design.DiskStorage{Dir: dir}})
			return err
		},
		"fit an encoder": func(ctx context.Context, open func() *data.Frame) error {
			_, err := NewEncoder(ctx, open(), nil, plain)
			return err
		},
		"fit what cannot be": func(ctx context.Context, open func() *data.Frame) error {
			_, err := Fit(ctx, open(), train, held, wrong, Sink{Storage: design.Float64Storage})
			if errors.Is(err, data.ErrNoColumn) {
				return nil
			}
			return err
		},
		"other groups": func(ctx context.Context, open func() *data.Frame) error {
			e, err := (&Encoder{}).WithGroups(ctx, open(), []string{"group", "c"})
			if err == nil {
				_, _, err = e.Groupings(ctx, open(), nil, nil)
			}
			return err
		},
		"fit on ranks": func(ctx context.Context, open func() *data.Frame) error {
			return ranks.Run(2, func(c ranks.Comm) error {
				rows := ranks.NewRows(c, len(train))
				lo := c.Rank() * len(held) / 2
				_, err := Fit(ctx, open(), ownOf(rows, train), held[lo:lo+len(held)/2], plain,
					Sink{Shared: &Shared{rows, len(train)}})
				return err
			})
		},
	}
	whole := tableOf(&datatest.Faulty{})
	for name, s := range map[string]Spec{"made": made, "drop": drop} {
		e := newEncoder(t, whole, nil, s)
		uses["encode "+name] = func(ctx context.Context, open func() *data.Frame) error {
			_, _, err := e.Encode(ctx, open(), nil)
			return err
		}
		uses["encode in blocks, "+name] = func(ctx context.Context, open func() *data.Frame) error {
			_, err := e.EncodeBlocks(ctx, open(), train, 50, true, func(Block) error { return nil })
			return err
		}
	}
	return uses
}

const faultyRows = 60

// tableOf is a table in a file, in parts.
func tableOf(file *datatest.Faulty) *data.Frame {
	return &data.Frame{Rows: faultyRows, Columns: file.Stored(mixedColumns(faultyRows, 4), 40),
		Sources: []data.Source{{Path: "t.parquet", Rows: faultyRows}}}
}

// A reading that fails is what is told, whichever it is of whatever is done, and no reader
// is left open, then or without an error; a context that is over, whenever it is, is told as such.
func TestFit_ReadingsThatFail(t *testing.T) {
	intake.TraceRecovered = func(value any, stack []byte) { t.Errorf("a panic: %v\n%s", value, stack) }
	defer func() { intake.TraceRecovered = nil }()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which closes the files that nobody holds
	for what, use := range usesOfFiles(t) {
		run := func(ctx context.Context, at int64) (file *datatest.Faulty, err error) {
			file = &datatest.Faulty{At: at, Err: syscall.EIO}
			if at%2 == 1 {
				file.Err = &data.Error{Path: "t.parquet", Msg: "it is damaged", Class: data.ErrDamaged, Err: syscall.EIO}
			}
			err = use(ctx, func() *data.Frame { return tableOf(file) })
			if open := file.Open.Load(); open != 0 {
				t.Errorf("%s, reading %d: %d readers are open", what, at, open)
			}
			return file, err
		}
		ctx := datatest.EndingAt(t.Context(), 0)
		file, err := run(ctx, 0)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		files, _ := os.ReadDir("/proc/self/fd") // where there is such a thing
		for at := range file.Readings.Load() {
			if _, err := run(t.Context(), at+1); !errors.Is(err, syscall.EIO) {
				t.Errorf("%s, reading %d of %d: %v", what, at+1, file.Readings.Load(), err)
			}
		}
		for at := range ctx.Looks.Load() {
			if _, err := run(datatest.EndingAt(t.Context(), at+1), 0); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, look %d of %d: %v", what, at+1, ctx.Looks.Load(), err)
			}
		}
		if left, _ := os.ReadDir("/proc/self/fd"); len(left) > len(files) {
			t.Errorf("%s: %d files are open, %d before", what, len(left), len(files))
		}
	}
}
