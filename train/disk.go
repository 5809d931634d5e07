package train

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/limit"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/memory"
)

// A diskStorage stores the training rows, and vectors with one entry for each row, on disk.
type diskStorage design.DiskStorage

// Memory in bytes for each row, in addition to its features.
const (
	rowBytes      = 90  // number, index and target of the row, and vectors of the solver
	mappedBytes   = 120 // maximum address space of the vectors on disk that exist at the same time
	placeBytes    = 22  // while the rows are sorted
	measuredBytes = 300 // while a hold-out row is evaluated

	heapShare = 0.7 // maximum proportion of the memory for data that cannot be moved to disk
)

// A MemoryError reports that a training run needs more memory or disk than is available.
type MemoryError struct{ Msg, Advice string }

func (e *MemoryError) Error() string { return e.Msg }

// Hint returns advice to the user.
func (e *MemoryError) Hint() string { return e.Advice }

// Unwrap returns data.ErrMemory.
func (e *MemoryError) Unwrap() error { return data.ErrMemory }

// countColumns returns a lower bound on the number of encoded columns, which counts one for each feature, and the
// number of categories among them.
func (c Config) countColumns(f *data.Frame) (columns, categories int) {
	listed := c.Features
	if len(listed) == 0 {
		if listed = append(c.nonFeatures(), c.Target); !c.GroupFeatures {
			listed = append(listed, c.Groups...)
		}
	}
	isListed := map[string]bool{}
	for _, name := range listed {
		isListed[name] = true
	}
	for _, col := range f.Columns {
		if isListed[col.Name] == (len(c.Features) > 0) {
			columns++
			if col.Kind != data.Numeric {
				categories++
			}
		}
	}
	if c.Intercept {
		columns++
	}
	return columns, categories
}

// cellBytes returns the size in bytes of an encoded number.
func (c Config) cellBytes() int64 {
	if c.Storage == string(design.Float32Storage) {
		return 4
	}
	return 8
}

// programBytes is the memory that the program needs beside the rows, whatever their number.
const programBytes = limit.LeastOnDisk / 2

// entryBytes is the size in bytes of an entry of a sparse vector or matrix.
const entryBytes = 12

// A memoryDemand holds the memory in bytes that the rows of a table take.
type memoryDemand struct {
	columns int   // number of columns of the matrix
	matrix  int64 // bytes of the matrix of the training rows
	memory  int64 // total if the rows are stored in memory
	heap    int64 // part that must stay in memory if the rows are stored on disk
	choice  int64 // part of memory and of heap for choosing the level or group coefficients
	table   int64 // part of heap for the columns that are in memory already
	places  int64 // maximum number of indices at which sparse vectors have entries
	disk    int64 // bytes on disk if the rows are stored there

	choosesLevel, choosesDesign bool // what takes choice: the level, coefficients by group, or both
}

// exceeds reports whether the part that must stay in memory is too large for a process that may use the given number of
// bytes.
func (d *memoryDemand) exceeds(may int64) bool {
	return float64(d.heap-d.choice) > heapShare*float64(may) || d.heap > limit.ResidentLimit(may)
}

// refusal returns the error that the given number of rows need more memory or disk than is available.
func (d *memoryDemand) refusal(rows int, hint, format string, args ...any) *MemoryError {
	return &MemoryError{fmt.Sprintf("%d rows × %d %s: ", rows, d.columns, printable.Noun(d.columns, "column", "columns")) +
		fmt.Sprintf(format, args...), hint}
}

// checkHeap returns an error if the part that must stay in memory is too large for a process that may use the given
// number of bytes, by the limit called binding.
func (d *memoryDemand) checkHeap(rows int, may int64, binding string) error {
	if !d.exceeds(may) {
		return nil
	}
	parts := []string{"targets, groups and categories need " + formatBytes(d.heap-d.choice-d.table-programBytes),
		"the program " + formatBytes(programBytes)}
	advice := []string{"allow more memory"}
	var chosen []string
	if d.choosesLevel {
		chosen, advice = append(chosen, "the robustness"), append(advice, "set the robustness (as with Config.Nu)")
	}
	if d.choosesDesign {
		chosen = append(chosen, "coefficients by group")
		advice = append(advice, "share coefficients between groups (Config.GroupCoefficients)")
	}
	if len(chosen) > 0 {
		parts = append(parts, "the choice of "+printable.JoinWords(chosen, "and")+" "+formatBytes(d.choice))
	}
	if d.table > 0 {
		parts = append(parts, "the columns in memory "+formatBytes(d.table))
		advice = append(advice, "store the table as Parquet, whose columns are read in parts")
	}
	return d.refusal(rows, strings.Join(advice, ", ")+", or use fewer rows",
		"%s of memory (%s) is not enough, because only numeric features are stored on disk: %s", formatBytes(may),
		binding, printable.JoinWords(parts, "and"))
}

// estimateDemand returns a lower bound on the memory that the rows of a table take.
func (c Config) estimateDemand(f *data.Frame) (d memoryDemand) {
	columns, categories := c.countColumns(f)
	n, cell := int64(f.Rows), c.cellBytes()
	trained := int64(float64(n) * (1 - c.Holdout))
	d.columns, d.matrix = columns, trained*int64(columns)*cell
	// a fold has its own copies of rows
	if d.memory = n*int64(columns)*cell + n*rowBytes; c.Evaluate == EvaluateCrossfit {
		d.memory += d.memory - d.memory/crossfitFolds
	}
	d.heap = n*int64(9+categories+4*len(c.Groups)) + programBytes
	if c.Filter != "" || c.Rows != nil {
		d.heap += 16 * n
	}
	if !c.Level.IsSet() {
		d.choice = c.Choice.tuneOptions().MemoryBytes(int(trained), columns)
		d.choosesLevel = true
	}
	if c.GroupFeatures && len(c.Groups) > 0 && c.GroupCoefficients != "" && c.GroupCoefficients != groupCoefficientsNo {
		d.choice = max(d.choice, designChoiceBytes(trained, int64(columns))) // one choice follows the other
		d.choosesDesign = true
	}
	for _, col := range f.Columns {
		d.table += int64(8*len(col.Number) + 8*len(col.Int) + 4*len(col.Code) + len(col.Null))
		if col.Kind == data.Vector {
			entries := entryBytes * int64(col.Sparse.Entries())
			d.places += int64(min(col.Sparse.Width, col.Sparse.Entries()))
			d.table += entryBytes*int64(col.Sparse.HeldEntries()) + 4*n // the starts of the rows stay in memory
			d.memory += entries
			d.matrix += entries * trained / max(1, n)
		}
	}
	d.memory += d.choice
	d.memory += limit.PlaceBytes * d.places
	d.heap += d.choice + d.table
	// Buckets exist while the matrices are written; vectors exist afterwards.
	buckets := n*8*int64(columns-categories+1) + n*placeBytes
	d.disk = n*int64(columns)*cell + d.matrix/4
	if c.Evaluate == EvaluateCrossfit { // a fold needs a copy
		d.disk += d.matrix
	}
	d.disk += max(buckets, 2*n*rowBytes+(n-trained)*measuredBytes)
	return d
}

// newDiskStorage decides where the rows are stored. It returns nil if they are stored in memory, because they fit
// there or because Config.Cache is empty. full states that the memory has proved insufficient. If disk or memory do not
// suffice, it returns a *MemoryError.
func (c Config) newDiskStorage(f *data.Frame, full bool) (*diskStorage, error) {
	budget := limit.NewBudget(c.Memory)
	if !full && c.Cache != "" && !budget.Fits(c.estimateDemand(f).memory) {
		debug.FreeOSMemory() // garbage of reading the table counts as used
		budget = limit.NewBudget(c.Memory)
	}
	return c.newDiskStorageWithin(budget, f, full)
}

// newDiskStorageWithin works like newDiskStorage, given the memory that the process may use.
func (c Config) newDiskStorageWithin(budget limit.Budget, f *data.Frame, full bool) (*diskStorage, error) {
	if c.Cache == "" {
		return nil, nil
	}
	full = full || c.OnDisk
	d := c.estimateDemand(f)
	if !full && budget.Fits(d.memory) {
		return nil, nil
	}
	may, binding := budget.Total, budget.Limit
	if d.exceeds(may) { // vectors that a smaller limit would have left on disk
		if err := f.StoreVectors(); err != nil {
			return nil, err
		}
		debug.FreeOSMemory()
		d = c.estimateDemand(f)
	}
	// Files on disk are memory-mapped and therefore take address space.
	taken := int64(f.Rows)*mappedBytes + d.matrix + d.matrix/4
	left := limit.AddressSpaceLimit()
	if left < math.MaxInt64 {
		if left = max(0, left-taken); left+budget.Used < may {
			may, binding = left+budget.Used, limit.Ulimit+", minus the address space of rows and vectors on disk"
		}
	}
	refuse := func(hint, format string, args ...any) (*diskStorage, error) {
		return nil, d.refusal(f.Rows, hint, format, args...)
	}
	if may < limit.LeastOnDisk {
		return refuse("allow more memory", "%s of memory (%s) is not enough: storing the rows on disk needs at least %s",
			formatBytes(may), binding, formatBytes(limit.LeastOnDisk))
	}
	if more := d.heap - d.table; left < more { // the heap cannot grow into address space that mapped files occupy
		return refuse("raise this limit, or limit memory with a control group or with Config.Memory instead",
			"%s leaves %s of address space besides the rows and vectors on disk, but at least %s is needed", limit.Ulimit,
			formatBytes(left), formatBytes(more))
	}
	if err := d.checkHeap(f.Rows, may, binding); err != nil {
		return nil, err
	}
	dir := limit.NearestExistingDir(c.Cache)
	free, err := limit.DiskFree(dir)
	if err != nil {
		return nil, fmt.Errorf("the rows cannot be stored in %s: %w", dir, err)
	}
	if free < d.disk {
		return refuse("name a directory on another disk with Config.Cache, allow more memory, or set Config.Storage to "+
			"float32",
			"about %s of disk space are needed in %s, where %s are free; the matrix needs %s of memory, but only %s (%s) "+
				"are allowed",
			formatBytes(d.disk), dir, formatBytes(free), formatBytes(d.matrix), formatBytes(may), binding)
	}
	why := fmt.Sprintf("because the memory limit is %s (%s)", formatBytes(may), binding)
	if c.OnDisk {
		why = "as requested"
	}
	c.reportStorage(fmt.Sprintf("the matrix needs %s and is stored in %s, %s", formatBytes(d.matrix), dir, why))
	arena, err := memory.NewArena(dir, limit.ResidentLimit(may))
	if err != nil {
		return nil, err
	}
	return &diskStorage{Dir: dir, Arena: arena, Memory: may / 6, Bucket: may / 6}, nil
}

// checkSize returns an error if a table of at least the given size, which is still being read, can be stored neither in
// memory nor on disk.
func (c Config) checkSize(least data.Size) error {
	return c.checkSizeWithin(limit.NewBudget(c.Memory), least)
}

// checkSizeWithin works like checkSize, given the memory that the process may use.
func (c Config) checkSizeWithin(budget limit.Budget, least data.Size) error {
	if c.Cache == "" {
		return nil
	}
	f := &data.Frame{Rows: least.Rows}
	for _, name := range least.Columns {
		f.Columns = append(f.Columns, &data.Column{Name: name, Kind: data.Numeric})
	}
	d := c.estimateDemand(f)
	if budget.Fits(d.memory + least.Bytes) {
		return nil
	}
	err := d.checkHeap(f.Rows, budget.Total, budget.Limit)
	if err == nil && budget.Total < limit.LeastOnDisk {
		_, err = c.newDiskStorageWithin(budget, f, true)
	}
	var refused *MemoryError
	if !errors.As(err, &refused) {
		return err
	}
	return &data.Error{Class: data.ErrMemory, Msg: "at least " + refused.Msg, Hint: refused.Advice}
}

func (c Config) reportStorage(line string) {
	if c.Announce != nil {
		c.Announce(line)
	}
	if c.Logf != nil {
		c.Logf("%s", line)
	}
}

// formatBytes formats a number of bytes for users.
func formatBytes(n int64) string {
	if n >= 10<<30 {
		return fmt.Sprintf("%d GB", n>>30)
	}
	if n < 1<<20 {
		return printable.Plural(int(n), "byte", "bytes")
	}
	return fmt.Sprintf("%d MB", (n+1<<20-1)>>20)
}

// arena returns the arena for vectors with one entry for each row; nil means the heap.
func (o *diskStorage) arena() *memory.Arena {
	if o == nil {
		return nil
	}
	return o.Arena
}

// freeRows frees encoded rows on disk that are about to be encoded again.
func (o *diskStorage) freeRows(f *encode.Fitted, weight []float64) {
	if o == nil {
		return
	}
	memory.Release(o.Arena, weight)
	for _, d := range []*encode.Dataset{f.Train, f.Holdout} {
		if d == nil {
			continue
		}
		if x, ok := d.X.(*design.Mapped); ok {
			x.Free()
		}
		memory.Release(o.Arena, d.Target)
	}
}

// err returns the first error of reading or writing rows on disk, or nil.
func (o *diskStorage) err() error { return o.arena().Err() }

// A diskError reports that the disk with the rows is full or can no longer be read.
type diskError struct {
	Err    error
	Advice string
}

func (e *diskError) Error() string { return e.Err.Error() }
func (e *diskError) Unwrap() error { return e.Err }

// Hint returns advice to the user.
func (e *diskError) Hint() string { return e.Advice }

// addAdvice returns the error of the disk storage or, if it has none, err. It adds a hint if the disk is full or rows on
// it were lost.
func (o *diskStorage) addAdvice(err error) error {
	lost := o.err()
	err = cmp.Or(lost, err)
	switch {
	case o == nil || err == nil:
		return err
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG):
		return &diskError{err,
			"no files are left behind; free some space in this directory, or name a directory on another disk with " +
				"Config.Cache"}
	case lost != nil:
		return &diskError{err, "name a directory on another disk with Config.Cache, and train again"}
	}
	return err
}

// close frees all rows and vectors.
func (o *diskStorage) close() { o.arena().Close() }

// mapMatrix returns m, whose data are in arena, as a matrix that also allocates further vectors there. If arena is nil,
// it returns m itself.
func mapMatrix(arena *memory.Arena, m design.Matrix) design.Matrix {
	if arena == nil {
		return m
	}
	return design.NewMapped(m, arena, m.Bytes()/16, nil)
}
