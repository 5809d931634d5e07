package design_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/memory"
	"github.com/drotrain/drotrain/internal/ranks"
)

// Columns far from zero are moved there without rounding, in every storage, and no others:
// not the last, nor one with an entry far from the rest.
func TestCentred(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n, d = 300, 6
	x := make([]float64, n*d)
	for i := range n {
		far := 5e5
		if i == 250 {
			far = 0
		}
		copy(x[i*d:], []float64{rng.NormFloat64(), 1e6 + 100*rng.NormFloat64(), far, -7, math.Exp(rng.NormFloat64()), 1})
		for k := range d {
			x[i*d+k] = float64(float32(x[i*d+k]))
		}
	}
	single := make([]float32, len(x))
	start, column, value := []int{0}, []int32{}, []float64{}
	for i := range n {
		for k := range d {
			if single[i*d+k] = float32(x[i*d+k]); x[i*d+k] != 0 {
				column, value = append(column, int32(k)), append(value, x[i*d+k])
			}
		}
		start = append(start, len(column))
	}
	dense, err := design.NewDense(n, d, x)
	dense32, err32 := design.NewDense32(n, d, single)
	sparse, errSparse := design.NewSparse(n, d, start, column, value)
	if err != nil || err32 != nil || errSparse != nil {
		t.Fatal(err, err32, errSparse)
	}
	all := []design.Matrix{dense, dense32, sparse}
	arena, err := memory.NewArena(t.TempDir(), 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	defer arena.Close()
	arena.MinSize = 1
	for _, m := range all[:3] {
		all = append(all, design.NewMapped(m, arena, 1<<20, nil))
	}
	for _, m := range all {
		z, by := design.Centred(m, 1)
		if z == nil {
			t.Fatalf("%T: nothing moves", m)
		}
		if by[0] != 0 || by[2] != 0 || by[4] != 0 || by[5] != 0 || by[3] != -7 || !(math.Abs(by[1]-1e6) <= 200) {
			t.Errorf("%T: moved by %v", m, by)
		}
		row, most := make([]float64, d), make([]float64, d)
		for i := range n {
			z.RowTo(row, i)
			for k, v := range row {
				if v+by[k] != x[i*d+k] || by[k] != 0 && x[i*d+k]-v != by[k] {
					t.Fatalf("%T: row %d, column %d: %v moved by %v is %v", m, i, k, x[i*d+k], by[k], v)
				}
				most[k] = max(most[k], math.Abs(v))
			}
		}
		for k, v := range z.Largest() {
			if v != most[k] {
				t.Errorf("%T: column %d is said to have entries up to %v, not %v", m, k, v, most[k])
			}
		}
		if again, _ := design.Centred(z, 1); again != nil {
			t.Errorf("%T: moves twice", m)
		}
		if _, once := m.(*design.Mapped); once {
			if same, _ := design.Centred(m, 1); same != z {
				t.Errorf("%T: another copy", m)
			}
		} else if z, _ := design.Centred(m, d); z != nil {
			t.Errorf("%T: columns that are kept are moved", m)
		}
	}
	if arena.Slices() != 2 { // of the copies of dense rows
		t.Errorf("%d slices are mapped", arena.Slices())
	}
	for _, m := range all[3:] {
		m.(*design.Mapped).Free()
	}
	if arena.Slices() > 0 {
		t.Errorf("%d slices were not given back", arena.Slices())
	}
}

// Near is within a 64th, the ends with it, and of entries that are not all zero.
func TestNearItsEnds(t *testing.T) {
	for _, q := range []struct {
		v    []float64
		at   float64
		near bool
	}{
		{[]float64{64, 64, 65}, 64, true}, {[]float64{64, 64, 63}, 64, true}, {[]float64{-64, -65, -63}, -64, true},
		{[]float64{64, 65}, 65, true}, {[]float64{1, 1 + 0x1p-7, 1}, 1, true}, {[]float64{64, 64, math.Nextafter(65, 66)}, 0, false}, {[]float64{64, 64, 0}, 0, false}, {[]float64{0, 0, 0}, 0, false}, {[]float64{7}, 7, true},
	} {
		if at, near := design.Near(q.v); at != q.at || near != q.near {
			t.Errorf("%v: %v, %v", q.v, at, near)
		}
	}
}

// Rows that lie with several ranks are moved by the same, whoever has those that are far.
func TestCentredOverRanks(t *testing.T) {
	const n, d, size = 11, 3, 7 // some have no rows
	x := make([]float64, 0, n*d)
	for i := range n {
		far := 1e5 + float64(i)
		x = append(x, far, float64(i)+5e5, 1)
	}
	x[(n-1)*d] = 3 // the last rank alone knows
	err := ranks.Run(size, func(comm ranks.Comm) error {
		rows := ranks.NewRowsIn(comm, n, 5)
		lo, hi := rows.Here(n)
		here, err := design.NewDense(hi-lo, d, x[lo*d:hi*d])
		if err != nil {
			return err
		}
		m, err := design.NewSharded(rows, n, here)
		if err != nil {
			return err
		}
		z, by := design.Centred(m, 1)
		if z == nil || by[0] != 0 || by[2] != 0 || !(math.Abs(by[1]-5e5) <= 11) {
			return fmt.Errorf("moved by %v", by)
		}
		row := make([]float64, d)
		for i := lo; i < hi; i++ {
			if z.RowTo(row, i); row[0] != x[i*d] || row[1] != x[i*d+1]-by[1] || row[2] != 1 {
				return fmt.Errorf("row %d is %v", i, row)
			}
		}
		if most := z.Largest(); most[0] != 1e5+n-2 || most[1] > 11 || most[2] != 1 {
			return fmt.Errorf("entries up to %v", most)
		}
		if near, _ := design.Centred(m, d); near != nil {
			return errors.New("columns that are kept are moved")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Columns near one are moved to zero as any, of one row as of many; sparse ones only where all of
// their entries are stored; and a column that becomes zero throughout takes no entries.
func TestCentredNearOne(t *testing.T) {
	for _, n := range []int{0, 1, 40} {
		x := make([]float64, 0, 4*n)
		start, column, value := []int{0}, []int32{}, []float64{}
		for i := range n {
			row := []float64{1 + float64(i%3)/256, 1, 1, 5}
			if i == 30 {
				row[2] = 0
			}
			x = append(x, row...)
			for k, v := range row {
				if v != 0 {
					column, value = append(column, int32(k)), append(value, v)
				}
			}
			start = append(start, len(value))
		}
		dense, err := design.NewDense(n, 4, x)
		sparse, errSparse := design.NewSparse(n, 4, start, column, value)
		if err := errors.Join(err, errSparse); err != nil {
			t.Fatal(err)
		}
		for _, m := range []design.Matrix{dense, sparse} {
			z, by := design.Centred(m, 1)
			if (z != nil) != (n > 0) {
				t.Errorf("%T of %d rows: moved by %v", m, n, by)
			}
			if z == nil {
				continue
			}
			if by[1] != 1 || by[3] != 0 || (by[2] == 0) != (n > 30) || !(math.Abs(by[0]-1) <= 0.01) {
				t.Errorf("%T of %d rows: moved by %v", m, n, by)
			}
			row := make([]float64, 4)
			for i := range n {
				z.RowTo(row, i)
				for k, v := range row {
					if v != x[4*i+k]-by[k] {
						t.Fatalf("%T of %d rows: row %d is %v, moved by %v", m, n, i, row, by)
					}
				}
			}
		}
		if z, _ := design.Centred(sparse, 1); n == 40 && (z.Terms() != 3 || z.Bytes() >= sparse.Bytes()) {
			t.Errorf("%d terms, %d bytes of %d", z.Terms(), z.Bytes(), sparse.Bytes())
		}
	}
}
