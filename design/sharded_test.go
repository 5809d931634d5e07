package design_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/ranks"
)

// A matrix whose rows are dealt to ranks is the whole one: what each rank does with its rows
// is what the whole does with them, and sizes, work and selected rows are those of the whole.
func TestDealt_IsTheWhole(t *testing.T) {
	const n, d = 12_000, 5
	rng := rand.New(rand.NewPCG(13, 1))
	x, narrow := make([]float64, n*d), make([]float32, n*d)
	for i := range x {
		if rng.IntN(3) > 0 {
			narrow[i] = float32(rng.NormFloat64())
		}
		x[i] = float64(narrow[i])
	}
	for i := range n - 1 { // the last row alone has entries in all columns
		x[i*d+i%d], narrow[i*d+i%d] = 0, 0
	}
	for k := range d {
		x[(n-1)*d+k], narrow[(n-1)*d+k] = -50, -50 // the largest of its column, with the last rank
	}
	x[17*d], narrow[17*d] = 1, 1
	of := map[string]func(lo, hi int) (design.Matrix, error){
		"float64": func(lo, hi int) (design.Matrix, error) { return design.NewDense(hi-lo, d, x[lo*d:hi*d]) },
		"float32": func(lo, hi int) (design.Matrix, error) { return design.NewDense32(hi-lo, d, narrow[lo*d:hi*d]) },
		"sparse": func(lo, hi int) (design.Matrix, error) {
			start, column, value := []int{0}, []int32(nil), []float64(nil)
			for j := lo; j < hi; j++ {
				for k := range d {
					if v := x[j*d+k]; v != 0 {
						column, value = append(column, int32(k)), append(value, v)
					}
				}
				start = append(start, len(column))
			}
			return design.NewSparse(hi-lo, d, start, column, value)
		},
	}
	u, v, w := make([]float64, n), make([]float64, n), make([]float64, n)
	for j := range u {
		u[j], v[j], w[j] = rng.NormFloat64(), rng.NormFloat64(), rng.Float64()
	}
	at := []float64{1, -2, 3, 0.5, 0.25}
	chosen := []int{n - 1, 0, 17, 17, n / 2, 1, n/2 + 1, 0}
	for name, matrix := range of {
		whole, err := matrix(0, n)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{1, 2, 3} {
			var mu sync.Mutex
			seen := make([]bool, n)
			err := ranks.Run(size, func(c ranks.Comm) error {
				rows := ranks.NewRows(c, n)
				lo, hi := rows.LocalRange(n)
				here, err := matrix(lo, hi)
				if err != nil {
					return err
				}
				fewer, err := matrix(lo, hi-1)
				if err != nil {
					return err
				}
				if _, err := design.NewSharded(rows, n, fewer); err == nil {
					return fmt.Errorf("a row is with none")
				}
				m, err := design.NewSharded(rows, n, here)
				if err != nil {
					return err
				}
				mu.Lock()
				defer mu.Unlock()
				for j := lo; j < hi; j++ {
					seen[j] = true
				}
				mid := (lo + hi) / 2
				for what, product := range map[string]func(z design.Matrix, dst []float64){
					"margins": func(z design.Matrix, dst []float64) { z.MarginsTo(dst[:n], at, mid, hi) },
					"rows":    func(z design.Matrix, dst []float64) { z.AddRowsTo(dst[:d], u, v, mid, hi) },
					"gram":    func(z design.Matrix, dst []float64) { z.AddGramTo(dst[:d*d], w, mid, hi) },
					"squares": func(z design.Matrix, dst []float64) { z.AddSquaresTo(dst[:d], w, mid, hi) },
					"norms":   func(z design.Matrix, dst []float64) { z.SquaredNormsTo(dst[:n], at, mid, hi) },
					"row":     func(z design.Matrix, dst []float64) { z.RowTo(dst[:d], mid) },
				} {
					got, want := make([]float64, n), make([]float64, n)
					product(m, got)
					product(whole, want)
					for k := range want {
						if diff := got[k] - want[k]; diff > 1e-9 || diff < -1e-9 {
							return fmt.Errorf("%s: entry %d is %v, of the whole %v", what, k, got[k], want[k])
						}
					}
				}
				rowsOf, columns := m.Dims()
				pass, gram := m.Work()
				wholePass, wholeGram := whole.Work()
				bytes := whole.Bytes()
				if name == "sparse" {
					bytes -= 8 // starts, of which there is one more than rows
				}
				if rowsOf != n || columns != d || m.Terms() != whole.Terms() || !slices.Equal(m.Largest(), whole.Largest()) ||
					m.Bytes() != bytes || pass != wholePass || gram != wholeGram {
					return fmt.Errorf("%d × %d, terms %d, largest %v, %d bytes, work %v and %v; of the whole %d, %v, %d, %v and %v",
						rowsOf, columns,
						m.Terms(), m.Largest(), m.Bytes(), pass, gram, whole.Terms(), whole.Largest(), bytes, wholePass, wholeGram)
				}
				return nil
			})
			if err != nil {
				t.Errorf("%s on %d ranks: %v", name, size, err)
			}
			if slices.Contains(seen, false) {
				t.Errorf("%s on %d ranks: rows are with none", name, size)
			}
			err = ranks.Run(size, func(c ranks.Comm) error {
				rows := ranks.NewRows(c, n)
				lo, hi := rows.LocalRange(n)
				here, err := matrix(lo, hi)
				if err != nil {
					return err
				}
				m, err := design.NewSharded(rows, n, here)
				if err != nil {
					return err
				}
				got, want := m.Select(chosen), whole.Select(chosen)
				a, b := make([]float64, d), make([]float64, d)
				for k := range chosen {
					got.RowTo(a, k)
					if want.RowTo(b, k); !slices.Equal(a, b) {
						return fmt.Errorf("row %d of those selected is %v, not %v", k, a, b)
					}
				}
				_, beside := m.SelectWith(chosen, u)
				for k, i := range chosen {
					if beside[k] != u[i] {
						return fmt.Errorf("beside row %d of those selected is %v, not %v", k, beside[k], u[i])
					}
				}
				if fmt.Sprintf("%T", got) != fmt.Sprintf("%T", want) || !slices.Equal(got.Largest(), want.Largest()) {
					return fmt.Errorf("selected rows are %T, %v at most", got, got.Largest())
				}
				return nil
			})
			if err != nil {
				t.Errorf("%s on %d ranks: %v", name, size, err)
			}
		}
	}
}

// Every rank may have copies of 65 536 rows, or of one in 64, of a gigabyte at most, and of
// one row however wide.
func TestSharded_MostSelected(t *testing.T) {
	for _, c := range []struct{ n, d, want int }{
		{100, 1, 100}, {1 << 17, 1, 1 << 16}, {1 << 30, 1, 1 << 24}, {1 << 30, 1 << 10, 1 << 17}, {1 << 20, 1 << 26, 2},
		{1 << 20, 1 << 28, 1},
	} {
		err := ranks.Run(1, func(comm ranks.Comm) error {
			m, err := design.NewSharded(ranks.NewRows(comm, c.n), c.n, sized{n: c.n, d: c.d})
			if err == nil && m.MaxSelected() != c.want {
				t.Errorf("%d of %d × %d, not %d", m.MaxSelected(), c.n, c.d, c.want)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// sized is a matrix of which only the size is known.
type sized struct {
	design.Matrix
	n, d int
}

func (m sized) Dims() (n, d int)           { return m.n, m.d }
func (m sized) Largest() []float64         { return nil }
func (m sized) Terms() int                 { return m.d }
func (m sized) Bytes() int64               { return 0 }
func (m sized) Work() (pass, gram float64) { return 0, 0 }
