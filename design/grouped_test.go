package design_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/memory"
)

// drawGroups draws products of a matrix with p columns, and the cells of n rows. The last cell has no products, and the
// last two products are in no cell of a row.
func drawGroups(rng *rand.Rand, n, p int) (by design.Grouping) {
	by.Before, by.Products, by.Cells = rng.IntN(p+1), 9, make([][]design.Product, 6)
	for i := range n {
		by.Cell = append(by.Cell, int32(i*7%5))
	}
	for c := range 4 {
		for k := range 1 + rng.IntN(3) {
			center := 0.0
			if rng.IntN(2) == 0 {
				center = rng.NormFloat64()
			}
			by.Cells[c] = append(by.Cells[c], design.Product{Column: rng.IntN(p), Center: center, Scale: rng.NormFloat64(),
				At: (c + 3*k) % 7})
		}
	}
	by.Cells[5] = []design.Product{{Column: 0, Scale: 1, At: 7}}
	return by
}

// A grouped matrix does what the matrix of its entries does, over any storage and on any range of rows.
func TestGrouped_AgainstReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{1, 5, 23, 67} {
		for _, p := range []int{1, 3, 8, 17} {
			for _, base := range storages(t, n, p, holed(rng, n, p)) {
				by := drawGroups(rng, n, p)
				before := by.Before
				z, err := design.NewGrouped(base, by)
				if err != nil {
					t.Fatal(err)
				}
				d := p + by.Products
				x, row := make([]float64, n*d), make([]float64, p)
				for i := range n {
					base.RowTo(row, i)
					want := x[i*d : (i+1)*d]
					copy(want, row[:before])
					copy(want[before+by.Products:], row[before:])
					for _, q := range by.Cells[by.Cell[i]] {
						want[before+q.At] = q.Scale * (row[q.Column] - q.Center)
					}
					got := slices.Clone(want)
					if z.RowTo(got, i); !slices.Equal(got, want) {
						t.Fatalf("row %d is %v, want %v", i, got, want)
					}
					for j, v := range want {
						if !(math.Abs(v) <= z.Largest()[j]) {
							t.Fatalf("|%v| in column %d is above the largest, %v", v, j, z.Largest()[j])
						}
					}
				}
				if empty := z.Largest()[before+7 : before+9]; !slices.Equal(empty, []float64{0, 0}) {
					t.Errorf("the products that no row has are at most %v, not 0", empty)
				}
				for _, r := range [][2]int{{0, n}, {n / 3, n}, {n / 2, n / 2}, {n - 1, n}} {
					compare(t, fmt.Sprintf("%s %d×%d %v", name(base), n, d, r), z, twinOf(n, d, x), r[0], r[1])
				}
				var some []int
				var of []float64
				for i := n - 1; i >= 0; i -= 2 {
					some, of = append(some, i), append(of, x[i*d:(i+1)*d]...)
				}
				compare(t, "selected rows", z.Select(some), twinOf(len(some), d, of), 0, len(some))
			}
		}
	}
}

// On disk, sums over rows have the same bits as in memory.
func TestGrouped_MappedIsTheSame(t *testing.T) {
	const n, p = 20_001, 40
	rng := rand.New(rand.NewPCG(13, 14))
	arena, err := memory.NewArena(t.TempDir(), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	defer arena.Close()
	base, err := design.NewDense(n, p, normals(rng, n*p))
	if err != nil {
		t.Fatal(err)
	}
	by := drawGroups(rng, n, p)
	here, err := design.NewGrouped(base, by)
	if err != nil {
		t.Fatal(err)
	}
	there, err := design.NewGrouped(design.NewMapped(base, arena, 1<<20, nil), by)
	if err != nil {
		t.Fatal(err)
	}
	mapped, ok := there.(*design.Mapped)
	if !ok {
		t.Fatalf("%T, not mapped", there)
	}
	rows := rng.Perm(n)[:n/2]
	part := mapped.Subset(rows)
	defer part.Free()
	_, d := here.Dims()
	for _, pair := range [][2]design.Matrix{{here, there}, {here.Select(rows), part}} {
		n, _ := pair[0].Dims()
		x, u, v := normals(rng, d), normals(rng, n), normals(rng, n)
		for what, run := range map[string]func(m design.Matrix, dst []float64){
			"margins": func(m design.Matrix, dst []float64) { m.MarginsTo(dst[:n], x, 5, n) },
			"rows":    func(m design.Matrix, dst []float64) { m.AddRowsTo(dst, u, v, 5, n) },
			"gram":    func(m design.Matrix, dst []float64) { m.AddGramTo(dst, u, 5, n) },
			"squares": func(m design.Matrix, dst []float64) { m.AddSquaresTo(dst, u, 5, n) },
			"norms":   func(m design.Matrix, dst []float64) { m.SquaredNormsTo(dst[:n], x, 5, n) },
		} {
			var sums [2][]float64
			for k, m := range pair {
				sums[k] = make([]float64, max(n, d*d))
				run(m, sums[k])
			}
			if !slices.Equal(sums[0], sums[1]) {
				t.Errorf("%s: the bits differ", what)
			}
		}
	}
}

func TestNewGrouped_Errors(t *testing.T) {
	base, err := design.NewDense(2, 1, []float64{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	one := [][]design.Product{{{Column: 0, Scale: 1, At: 0}}}
	for what, c := range map[string]struct {
		before int
		cell   []int32
		cells  [][]design.Product
	}{
		"too few cells":        {1, []int32{0}, one},
		"a cell out of range":  {1, []int32{0, 1}, one},
		"a negative cell":      {1, []int32{0, -1}, one},
		"columns out of range": {2, []int32{0, 0}, one},
		"a column":             {1, []int32{0, 0}, [][]design.Product{{{Column: 1, Scale: 1}}}},
		"a place twice":        {1, []int32{0, 0}, [][]design.Product{{{Scale: 1}, {Scale: 2}}}},
		"a place":              {1, []int32{0, 0}, [][]design.Product{{{Scale: 1, At: 1}}}},
		"a negative place":     {1, []int32{0, 0}, [][]design.Product{{{Scale: 1, At: -1}}}},
		"a scale":              {1, []int32{0, 0}, [][]design.Product{{{Scale: math.NaN()}}}},
		"a center":             {1, []int32{0, 0}, [][]design.Product{{{Scale: 1, Center: math.Inf(1)}}}},
	} {
		by := design.Grouping{Before: c.before, Products: 1, Cell: c.cell, Cells: c.cells}
		if _, err := design.NewGrouped(base, by); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if _, err := design.NewGrouped(nil, design.Grouping{}); err == nil {
		t.Error("no base: no error")
	}
}
