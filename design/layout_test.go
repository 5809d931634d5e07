package design

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// A layout opens the matrix that it is of, and one that no matrix has is refused.
func TestLayoutsAreChecked(t *testing.T) {
	const d = 3
	for _, format := range []DiskFormat{Disk64, Disk32, DiskSparse} {
		n := diskRows(d) + 5
		disk, m := onDisk(t, Place{}, format, n, d)
		layout := func() DiskLayout {
			l := disk.Layout()
			l.At, l.Size, l.Sum, l.Largest = slices.Clone(l.At), slices.Clone(l.Size), slices.Clone(l.Sum), slices.Clone(l.Largest)
			return l
		}
		again, err := OpenDisk(Place{}, disk.File(), layout())
		if err != nil {
			t.Fatal(err)
		}
		a, b := make([]float64, d), make([]float64, d)
		for _, i := range []int{0, diskRows(d) - 1, diskRows(d), n - 1} {
			again.RowTo(a, i)
			if m.RowTo(b, i); !slices.Equal(a, b) {
				t.Errorf("format %d: row %d is %v, not %v", format, i, a, b)
			}
		}
		for what, change := range map[string]func(l *DiskLayout){
			"no rows":            func(l *DiskLayout) { l.N = 0 },
			"no columns":         func(l *DiskLayout) { l.D, l.Largest = 0, nil },
			"another format":     func(l *DiskLayout) { l.Format = DiskSparse + 1 },
			"no format":          func(l *DiskLayout) { l.Format = Disk64 - 1 },
			"too few largest":    func(l *DiskLayout) { l.Largest = l.Largest[1:] },
			"a block less":       func(l *DiskLayout) { l.N = diskRows(d) },
			"a block more":       func(l *DiskLayout) { l.N = 2*diskRows(d) + 1 },
			"a place too few":    func(l *DiskLayout) { l.At = l.At[1:] },
			"a size too few":     func(l *DiskLayout) { l.Size = l.Size[1:] },
			"a sum too few":      func(l *DiskLayout) { l.Sum = l.Sum[1:] },
			"before the file":    func(l *DiskLayout) { l.At[1] = -8 },
			"an empty block":     func(l *DiskLayout) { l.Size[0] = 0 },
			"a part of a number": func(l *DiskLayout) { l.Size[0] += 4 },
		} {
			l := layout()
			if change(&l); what == "an empty block" && format != DiskSparse {
				continue
			}
			if _, err := OpenDisk(Place{}, disk.File(), l); err == nil {
				t.Errorf("format %d: %s", format, what)
			}
		}
		for _, more := range []int64{8, -8} {
			l := layout()
			if l.Size[1] += more; format != DiskSparse {
				if _, err := OpenDisk(Place{}, disk.File(), l); err == nil {
					t.Errorf("format %d: a block of %d bytes more", format, more)
				}
			}
		}
	}
}

// The smallest matrix has a layout, too: of one number.
func TestLayoutOfOneNumber(t *testing.T) {
	for _, format := range diskFormats {
		disk, want := onDisk(t, Place{}, format, 1, 1)
		again, err := OpenDisk(Place{Memory: 80}, disk.File(), disk.Layout())
		if err != nil {
			t.Fatal(err)
		}
		if l := disk.Layout(); l.At[0] != 0 || again.MostSelected() != int(80/l.Bytes) {
			t.Errorf("format %d: %+v, of which %d rows may be selected", format, l, again.MostSelected())
		}
		l := disk.Layout()
		l.Bytes = 0
		if unknown, err := OpenDisk(Place{Memory: 80}, disk.File(), l); err != nil || unknown.MostSelected() != 80 {
			t.Errorf("format %d: %v", format, err)
		}
		a, b := make([]float64, 1), make([]float64, 1)
		again.RowTo(a, 0)
		if want.RowTo(b, 0); a[0] != b[0] {
			t.Errorf("format %d: %v, not %v", format, a, b)
		}
	}
}

// The first number that is none is named by its row and column, whatever finite ones are
// beside it.
func TestFirstNumberThatIsNone(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		x := []float64{1, math.MaxFloat64, -math.MaxFloat64, 4, bad, bad}
		if _, err := NewDense(3, 2, x); err == nil || !strings.Contains(err.Error(), "row 2, column 0") {
			t.Errorf("%v: %v", bad, err)
		}
		if _, err := NewDense(2, 2, x[:4]); err != nil {
			t.Error(err)
		}
	}
}
