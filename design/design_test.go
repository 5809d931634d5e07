package design_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/design"
)

const closedForm = 1e-12 // tolerance of sums in two orders

// A twin is the same matrix as a table of rows, with every method of Matrix as its
// definition has it: one row after the other, one operation at a time.
type twin struct {
	n, d int
	z    [][]float64
}

func twinOf(n, d int, x []float64) *twin {
	t := &twin{n: n, d: d}
	for i := range n {
		t.z = append(t.z, x[i*d:(i+1)*d])
	}
	return t
}

func (t *twin) MarginsTo(dst, x []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		dst[i] = 0
		for k, v := range t.z[i] {
			dst[i] += v * x[k]
		}
	}
}

func (t *twin) AddRowsTo(dst, u, v []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		for k, a := range t.z[i] {
			dst[k] += u[i] * v[i] * a
		}
	}
}

func (t *twin) AddGramTo(dst, w []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		for a := range t.d {
			for b := a; b < t.d; b++ {
				dst[a*t.d+b] += w[i] * t.z[i][a] * t.z[i][b]
			}
		}
	}
}

func (t *twin) AddSquaresTo(dst, w []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		for k, a := range t.z[i] {
			dst[k] += w[i] * a * a
		}
	}
}

func (t *twin) SquaredNormsTo(dst, scale []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		dst[i] = 0
		for k, a := range t.z[i] {
			dst[i] += scale[k] * a * a
		}
	}
}

func normals(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

// holed draws n rows of d columns, most entries zero, every fifth row nothing else.
func holed(rng *rand.Rand, n, d int) []float64 {
	x := make([]float64, n*d)
	for i := range n {
		for k := range d {
			switch {
			case i%5 == 3:
			case rng.IntN(3) == 0:
				x[i*d+k] = rng.NormFloat64()
			case rng.IntN(3) == 0:
				x[i*d+k] = 1
			}
		}
	}
	return x
}

func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= closedForm*(1+math.Abs(want[i]))) {
			t.Fatalf("%s: entry %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// Every method of every storage does what its twin does, on any range of rows, and
// touches nothing else.
func TestStorages_AgainstReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 5, 8, 23, 67} {
		for _, d := range []int{1, 2, 3, 7, 8, 17, 40} {
			for _, z := range storages(t, n, d, holed(rng, n, d)) {
				x := make([]float64, n*d)
				for i := range n {
					z.RowTo(x[i*d:(i+1)*d], i)
				}
				for _, r := range [][2]int{{0, n}, {n / 3, n}, {0, n / 2}, {n / 2, n / 2}, {n - 1, n}} {
					compare(t, fmt.Sprintf("%s %d×%d %v", name(z), n, d, r), z, twinOf(n, d, x), r[0], r[1])
				}
			}
		}
	}
}

func compare(t *testing.T, what string, z design.Matrix, w *twin, lo, hi int) {
	t.Helper()
	n, d := z.Dims()
	if n != w.n || d != w.d {
		t.Fatalf("%s: %d×%d", what, n, d)
	}
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	x, u, v := normals(rng, d), normals(rng, n), normals(rng, n)
	for i := range u {
		if i%3 == 0 {
			u[i] = 0 // a row of weight zero
		}
	}
	for _, m := range []struct {
		name string
		size int
		run  func(m products, dst []float64)
	}{
		{"margins", n, func(m products, dst []float64) { m.MarginsTo(dst, x, lo, hi) }},
		{"norms", n, func(m products, dst []float64) { m.SquaredNormsTo(dst, x, lo, hi) }},
		{"rows", d, func(m products, dst []float64) { m.AddRowsTo(dst, u, v, lo, hi) }},
		{"gram", d * d, func(m products, dst []float64) { m.AddGramTo(dst, u, lo, hi) }},
		{"squares", d, func(m products, dst []float64) { m.AddSquaresTo(dst, u, lo, hi) }},
	} {
		got := normals(rng, m.size)
		want := slices.Clone(got)
		m.run(z, got)
		m.run(w, want)
		near(t, what+" "+m.name, got, want)
	}
}

// products are the methods of a Matrix that take rows.
type products interface {
	MarginsTo(dst, x []float64, lo, hi int)
	AddRowsTo(dst, u, v []float64, lo, hi int)
	AddGramTo(dst, w []float64, lo, hi int)
	AddSquaresTo(dst, w []float64, lo, hi int)
	SquaredNormsTo(dst, scale []float64, lo, hi int)
}

// The entries below the diagonal are neither read nor written.
func TestGram_KeepsLowerTriangle(t *testing.T) {
	const n, d = 13, 9
	rng := rand.New(rand.NewPCG(3, 4))
	for _, z := range storages(t, n, d, holed(rng, n, d)) {
		dst := make([]float64, d*d)
		for a := range d {
			for b := range a {
				dst[a*d+b] = math.NaN()
			}
		}
		z.AddGramTo(dst, normals(rng, n), 0, n)
		for a := range d {
			for b := range d {
				if v := dst[a*d+b]; math.IsNaN(v) != (b < a) {
					t.Fatalf("%s: entry (%d, %d) is %v", name(z), a, b, v)
				}
			}
		}
	}
}

// A row gives the same margin whatever rows are asked for with it.
func TestMargins_IndependentOfRange(t *testing.T) {
	const n, d = 41, 13
	rng := rand.New(rand.NewPCG(5, 6))
	x := normals(rng, d)
	for _, z := range storages(t, n, d, holed(rng, n, d)) {
		whole, one := make([]float64, n), make([]float64, n)
		z.MarginsTo(whole, x, 0, n)
		for i := range n {
			z.MarginsTo(one, x, i, i+1)
		}
		if !slices.Equal(whole, one) {
			t.Errorf("%s: %v in one call, %v row by row", name(z), whole, one)
		}
	}
}

// Single precision is that of the entries alone: products and sums agree with those
// of the same numbers in double precision, even where float32 sums would not.
func TestDense32_SumsInDouble(t *testing.T) {
	const n, d = 2000, 7
	rng := rand.New(rand.NewPCG(7, 8))
	x := normals(rng, n*d)
	for i := range x {
		x[i] *= math.Pow(10, 12*rng.Float64()-6)
	}
	all := storages(t, n, d, x)
	u, v := normals(rng, n), normals(rng, n)
	at := normals(rng, d)
	for _, m := range []func(z design.Matrix) []float64{
		func(z design.Matrix) []float64 { s := make([]float64, n); z.MarginsTo(s, at, 0, n); return s },
		func(z design.Matrix) []float64 { s := make([]float64, d); z.AddRowsTo(s, u, v, 0, n); return s },
		func(z design.Matrix) []float64 { s := make([]float64, d*d); z.AddGramTo(s, u, 0, n); return s },
		func(z design.Matrix) []float64 { s := make([]float64, d); z.AddSquaresTo(s, u, 0, n); return s },
		func(z design.Matrix) []float64 { s := make([]float64, n); z.SquaredNormsTo(s, at, 0, n); return s },
	} {
		want := m(all[0])
		size := 0.0
		for _, a := range want {
			size = max(size, math.Abs(a))
		}
		for _, z := range all[1:] {
			for i, a := range m(z) {
				if !(math.Abs(a-want[i]) <= closedForm*size) {
					t.Fatalf("%s: entry %d is %v, %v of the same numbers in float64", name(z), i, a, want[i])
				}
			}
		}
	}
}

func TestSelect_CopiesTheRows(t *testing.T) {
	const n, d = 12, 5
	rng := rand.New(rand.NewPCG(9, 10))
	for _, z := range storages(t, n, d, holed(rng, n, d)) {
		for _, rows := range [][]int{{}, {3}, {11, 0, 3, 3, 7}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}} {
			s := z.Select(rows)
			if m, k := s.Dims(); m != len(rows) || k != d || name(s) != name(z) {
				t.Fatalf("%s: rows %v are %d×%d, stored as %s", name(z), rows, m, k, name(s))
			}
			got, want := make([]float64, d), make([]float64, d)
			x := make([]float64, 0, len(rows)*d)
			for k, i := range rows {
				s.RowTo(got, k)
				z.RowTo(want, i)
				if !slices.Equal(got, want) {
					t.Errorf("%s: row %d of %v is %v, want %v", name(z), k, rows, got, want)
				}
				x = append(x, got...)
			}
			compare(t, name(z)+" selected", s, twinOf(len(rows), d, x), 0, len(rows))
			if len(rows) == n && (s.Bytes() != z.Bytes() || workOf(s) != workOf(z)) {
				t.Errorf("%s: a copy of all rows takes %d bytes and %v, not %d and %v", name(z), s.Bytes(), workOf(s), z.Bytes(),
					workOf(z))
			}
		}
	}
}

func workOf(z design.Matrix) [2]float64 {
	pass, gram := z.Work()
	return [2]float64{pass, gram}
}

// No rows, no columns, no entries: shapes that a caller may come to.
func TestShapes_MayBeEmpty(t *testing.T) {
	for _, s := range [][2]int{{0, 0}, {0, 3}, {4, 0}} {
		n, d := s[0], s[1]
		for _, z := range storages(t, n, d, make([]float64, n*d)) {
			compare(t, fmt.Sprint(name(z), s), z, twinOf(n, d, nil), 0, n)
			if pass, gram := z.Work(); n == 0 && (pass != 0 || gram != 0) {
				t.Errorf("%s %v: work %v, %v", name(z), s, pass, gram)
			}
		}
	}
}

func TestConstructors_RefuseWrongShapes(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	type csr struct {
		n, d   int
		start  []int
		column []int32
		value  []float64
	}
	for _, c := range []struct {
		want string
		csr
	}{
		{"-1 rows", csr{-1, 2, nil, nil, nil}},
		{"-2 columns", csr{1, -2, []int{0, 0}, nil, nil}},
		{"0 row starts for 0 rows", csr{0, 2, nil, nil, nil}},
		{"2 row starts for 2 rows", csr{2, 2, []int{0, 1}, []int32{0}, []float64{1}}},
		{"row 0 starts at entry 1", csr{1, 2, []int{1, 1}, []int32{0}, []float64{1}}},
		{"1 column numbers and 2 values", csr{1, 2, []int{0, 1}, []int32{0}, []float64{1, 2}}},
		{"ends at entry 1", csr{1, 2, []int{0, 1}, []int32{0, 1}, []float64{1, 2}}},
		{"row 1 starts at entry 2 and ends at 1", csr{3, 2, []int{0, 2, 1, 2}, []int32{0, 1}, []float64{1, 2}}},
		{"row 0 starts at entry 0 and ends at 3", csr{2, 2, []int{0, 3, 2}, []int32{0, 1}, []float64{1, 2}}},
		{"row 1 has an entry in column 2", csr{2, 2, []int{0, 1, 2}, []int32{0, 2}, []float64{1, 2}}},
		{"row 0 has an entry in column -1", csr{1, 2, []int{0, 1}, []int32{-1}, []float64{1}}},
		{"row 1 has column 0 after column 1", csr{2, 2, []int{0, 1, 3}, []int32{0, 1, 0}, []float64{1, 2, 3}}},
		{"row 0 has column 1 after column 1", csr{1, 2, []int{0, 2}, []int32{1, 1}, []float64{1, 2}}},
		{"row 1, column 3 is NaN", csr{2, 4, []int{0, 1, 3}, []int32{2, 0, 3}, []float64{1, 2, nan}}},
		{"row 0, column 2 is +Inf", csr{1, 4, []int{0, 1}, []int32{2}, []float64{inf}}},
	} {
		z, err := design.NewSparse(c.n, c.d, c.start, c.column, c.value)
		if z != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want an error with %q", c.csr, err, c.want)
		}
	}
	for _, c := range []struct {
		want string
		n, d int
		x    []float64
	}{
		{"3 entries for 2 rows × 2 columns", 2, 2, make([]float64, 3)},
		{"for -1 rows", -1, -1, make([]float64, 1)},
		{"rows × 4 columns", math.MaxInt, 4, nil},
		{"row 1, column 0 is NaN", 2, 2, []float64{1, 2, nan, 4}},
		{"row 0, column 1 is -Inf", 2, 2, []float64{1, -inf, 3, 4}},
	} {
		x32 := make([]float32, len(c.x))
		for i, v := range c.x {
			x32[i] = float32(v)
		}
		z, err := design.NewDense(c.n, c.d, c.x)
		z32, err32 := design.NewDense32(c.n, c.d, x32)
		if z != nil || z32 != nil || err == nil || err32 == nil || !strings.Contains(err.Error(), c.want) ||
			err.Error() != err32.Error() {
			t.Errorf("%d×%d: %v and %v, want errors with %q", c.n, c.d, err, err32, c.want)
		}
	}
	large := 1e300
	if _, err := design.NewDense32(1, 1, []float32{float32(large)}); err == nil {
		t.Error("a value beyond float32 accepted")
	}
}

// Ten thousand columns: every index stays inside, and only entries are touched.
func TestSparse_OfManyColumnsTouchesEntriesAlone(t *testing.T) {
	const n, d, each = 300, 10_000, 12
	rng := rand.New(rand.NewPCG(13, 14))
	x := make([]float64, n*d)
	for i := range n {
		for range each {
			x[i*d+rng.IntN(d)] = rng.NormFloat64()
		}
		x[(i+1)*d-1] = 1
	}
	u, v, at := normals(rng, n), normals(rng, n), normals(rng, d)
	all := storages(t, n, d, x)
	dense, sparse := all[0], all[2]
	margins, sums := [2][]float64{}, [2][]float64{}
	for k, z := range []design.Matrix{dense, sparse} {
		margins[k], sums[k] = make([]float64, n), make([]float64, d)
		z.MarginsTo(margins[k], at, 0, n)
		z.AddRowsTo(sums[k], u, v, 0, n)
		z.AddSquaresTo(sums[k], u, 0, n)
	}
	near(t, "margins", margins[1], margins[0])
	near(t, "sums", sums[1], sums[0])
	if testing.Short() {
		return
	}
	gram := make([]float64, d*d)
	sparse.AddGramTo(gram, u, 0, n)
	for range 2000 {
		a := rng.IntN(d)
		b := a + rng.IntN(d-a)
		want := 0.0
		for i := range n {
			want += u[i] * x[i*d+a] * x[i*d+b]
		}
		near(t, fmt.Sprintf("gram (%d, %d)", a, b), []float64{gram[a*d+b]}, []float64{want})
	}
}

// Weights of zero leave out their rows and no other, wherever they stand among the four rows
// that are taken at a time.
func TestWeights_OfZeroSkipRows(t *testing.T) {
	const n, d = 7, 3
	rng := rand.New(rand.NewPCG(12, 1))
	x, narrow, w := make([]float64, n*d), make([]float32, n*d), make([]float64, n)
	for i := range x {
		narrow[i] = float32(rng.NormFloat64())
		x[i] = float64(narrow[i])
	}
	a, err := design.NewDense(n, d, x)
	if err != nil {
		t.Fatal(err)
	}
	b, err := design.NewDense32(n, d, narrow)
	if err != nil {
		t.Fatal(err)
	}
	for mask := range 1 << n {
		for j := range w {
			w[j] = float64(mask >> j & 1)
		}
		for name, z := range map[string]design.Matrix{"float64": a, "float32": b} {
			squares, sums, gram := make([]float64, d), make([]float64, d), make([]float64, d*d)
			z.AddSquaresTo(squares, w, 0, n)
			z.AddRowsTo(sums, w, w, 0, n)
			z.AddGramTo(gram, w, 0, n)
			for k := range d {
				square, sum := 0.0, 0.0
				for j := range n {
					square, sum = square+w[j]*x[j*d+k]*x[j*d+k], sum+w[j]*x[j*d+k]
				}
				if !(math.Abs(squares[k]-square) <= closedForm) || !(math.Abs(sums[k]-sum) <= closedForm) ||
					!(math.Abs(gram[k*d+k]-square) <= closedForm) {
					t.Fatalf("%s, weights %v: column %d has squares %v, %v, want %v, and sum %v, want %v", name, w, k, squares[k],
						gram[k*d+k], square, sums[k], sum)
				}
			}
		}
	}
}

func name(z design.Matrix) string {
	switch z.(type) {
	case *design.Dense:
		return "dense"
	case *design.Dense32:
		return "dense32"
	}
	return "sparse"
}

// storages returns the n×d matrix x, its entries rounded to float32, in every
// storage.
func storages(t testing.TB, n, d int, x []float64) []design.Matrix {
	t.Helper()
	x32 := make([]float32, len(x))
	for i, v := range x {
		x32[i] = float32(v)
		x[i] = float64(x32[i])
	}
	start, column, value := compress(n, d, x)
	dense, err := design.NewDense(n, d, x)
	if err != nil {
		t.Fatal(err)
	}
	dense32, err := design.NewDense32(n, d, x32)
	if err != nil {
		t.Fatal(err)
	}
	sparse, err := design.NewSparse(n, d, start, column, value)
	if err != nil {
		t.Fatal(err)
	}
	return []design.Matrix{dense, dense32, sparse}
}

// compress returns the entries of the n×d matrix x that are not zero, by rows.
func compress(n, d int, x []float64) (start []int, column []int32, value []float64) {
	start = make([]int, 1, n+1)
	for i := range n {
		for j, v := range x[i*d : (i+1)*d] {
			if v != 0 {
				column, value = append(column, int32(j)), append(value, v)
			}
		}
		start = append(start, len(value))
	}
	return start, column, value
}

// Rows without columns have nothing to visit, however many there are.
func TestNewDense_RowsWithoutColumns(t *testing.T) {
	const n = 1 << 40
	a, err := design.NewDense(n, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := design.NewDense32(n, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, z := range []design.Matrix{a, b} {
		if rows, columns := z.Dims(); rows != n || columns != 0 || len(z.Largest()) != 0 {
			t.Errorf("%d rows, %d columns, %v", rows, columns, z.Largest())
		}
	}
}
