package train

import (
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/limit"
	"github.com/drotrain/drotrain/internal/limit/memtest"
	"github.com/drotrain/drotrain/train/level"
)

// If the disk becomes full at any point of a training run, the error names the directory and says what to do, there
// is no model, and no file is left behind.
func TestDisk_FullEndsTheTraining(t *testing.T) {
	cfg, f := onDiskConfig(t, 12_000)
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=16m"); err != nil {
		t.Skipf("no small file system can be mounted (%v): a full disk is not tried here, but by TestFileTooLarge of "+
			"cmd/drotrain", err)
	}
	defer func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) }()
	free := func() int64 {
		var s syscall.Statfs_t
		if err := syscall.Statfs(disk, &s); err != nil {
			t.Fatal(err)
		}
		return int64(s.Bavail) * s.Bsize
	}
	cfg.Cache = filepath.Join(disk, "cache")
	filler := filepath.Join(disk, "filler")
	failed, ended := 0, 0
	for _, left := range []int64{0, 64 << 10, 400 << 10, 8 << 20} {
		cfg.Announce = func(line string) {
			if strings.Contains(line, "matrix") { // what there is was enough a moment ago
				if err := os.WriteFile(filler, make([]byte, free()-left), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		m, err := FitFrame(t.Context(), f, cfg)
		kept, _ := os.ReadDir(cfg.Cache)
		var told *diskError
		var refused *MemoryError // of a step that asks for space on the disk before it takes it
		switch {
		case err == nil:
			ended++
			m.Run.Close()
			if len(kept) > 0 {
				t.Errorf("%d KB left: %v is left", left>>10, kept)
			}
		case !strings.Contains(err.Error(), disk),
			!(errors.As(err, &told) && errors.Is(err, syscall.ENOSPC) && strings.Contains(told.Hint(), "Config.Cache")) &&
				!(errors.As(err, &refused) && strings.Contains(refused.Hint(), "Config.Cache")):
			t.Errorf("%d KB left: %v", left>>10, err)
		default:
			failed++
			if m != nil || len(kept) > 0 || free() < left-(16<<10) {
				t.Errorf("%d KB left: a model, %v is left, or %d KB are free now", left>>10, kept, free()>>10)
			}
		}
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
	}
	if failed < 3 || ended != 1 {
		t.Errorf("%d trainings failed, %d ended", failed, ended)
	}
}

// If the directory of the rows is deleted during a training run, the error names it.
func TestDisk_LostDirectoryEndsTheTraining(t *testing.T) {
	f := wide(t, 12_000)
	cfg := keepingRows()
	cfg.Target, cfg.Nu = "y", level.At(1)
	o := away(t, &cfg, 1<<40)
	m, oracle, err := prepareTrainingOn(t.Context(), f, cfg, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(cfg.Cache); err != nil { // empty: its files have no name
		t.Fatal(err)
	}
	err = m.trainAndCheckDisk(t.Context(), oracle, time.Now())
	if err == nil || m.Coefficients != nil || !strings.Contains(err.Error(), cfg.Cache) ||
		!errors.Is(err, os.ErrNotExist) {
		t.Errorf("deleted: %v", err)
	}
	if err := os.Mkdir(cfg.Cache, 0o700); err != nil {
		t.Fatal(err)
	}
}

// Rows and vectors on disk take address space. If ulimit -v leaves too little for the vectors, or for the heap
// besides them, Fit returns an error.
func TestFit_AddressSpaceCounted(t *testing.T) {
	debug.FreeOSMemory() // what earlier tests left counts as in use
	for _, c := range []struct {
		rows, read int // rows of the table, and those whose values are in memory
		says       string
	}{
		{30_000_000, 10, "ulimit -v, minus the address space of rows and vectors on disk"},
		{20_000_000, 30_000_000, "of address space besides the rows and vectors on disk"},
	} {
		x := &data.Column{Name: "x", Kind: data.Numeric, Number: make([]float64, c.read)}
		for i := range x.Number {
			x.Number[i] = 1 // resident
		}
		f := &data.Frame{Rows: c.rows, Columns: []*data.Column{x, {Name: "y", Kind: data.Numeric}}}
		cfg := keepingRows()
		cfg.Target, cfg.Cache, cfg.OnDisk = "y", t.TempDir(), true
		if limit.Resident() >= limit.LeastOnDisk { // what earlier tests left is enough for rows on disk
			c.says = "of address space besides the rows and vectors on disk"
		}
		restore := memtest.LimitSpace(t, 2<<30)
		o, err := cfg.newDiskStorage(f, false)
		restore()
		o.close()
		if !errors.Is(err, data.ErrMemory) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%d rows: %v", c.rows, err)
		}
	}
}
