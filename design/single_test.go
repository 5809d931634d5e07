package design_test

import (
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/design"
)

// Columns that deviate from their means by much more than single precision takes are rounded
// to it, and those far from zero beside their deviations are not; rows of the copy between two
// others are its rows.
func TestSinglePrecisionWhereItDoes(t *testing.T) {
	const n, d = 3000, 3
	for shift, rounds := range map[float64]bool{0: true, 10: true, 450: true, 600: false, 1e6: false} {
		rng := rand.New(rand.NewPCG(3, 3))
		x := make([]float64, n*d)
		for i := range x {
			x[i] = rng.NormFloat64()
			if i%d == 1 {
				x[i] += shift
			}
		}
		m, err := design.NewDense(n, d, x)
		if err != nil {
			t.Fatal(err)
		}
		var rows []int
		for i := range n {
			rows = append(rows, i)
		}
		single := design.Single(m, rows)
		if (single != nil) != rounds {
			t.Errorf("%v away from zero: rounded %v", shift, single != nil)
		}
		if single == nil {
			continue
		}
		row := make([]float64, d)
		for i := range n {
			single.RowTo(row, i)
			for k, v := range row {
				if v != float64(float32(x[i*d+k])) {
					t.Fatalf("row %d is %v, not %v", i, row, x[i*d:(i+1)*d])
				}
			}
		}
		y := []float64{1, -2, 0.5}
		whole, part := make([]float64, n), make([]float64, 40)
		single.MarginsTo(whole, y, 0, n)
		some := single.Between(70, 110)
		some.MarginsTo(part, y, 0, 40)
		for i, v := range part {
			if v != whole[70+i] {
				t.Fatalf("row %d of those from 70 on: %v, not %v", i, v, whole[70+i])
			}
		}
	}
}

// All rows are looked at: some that are exact in single precision do not speak for the others.
func TestSinglePrecisionOfEveryRow(t *testing.T) {
	for _, n := range []int{1, 2, 17, 33, 1000} {
		x := make([]float64, n)
		for i := range x {
			if x[i] = 1e9; i%16 > 0 {
				x[i] += float64(i)
			}
		}
		m, err := design.NewDense(n, 1, x)
		if err != nil {
			t.Fatal(err)
		}
		if single := design.Single(m, []int{0}); (single != nil) != (n == 1) {
			t.Errorf("%d rows: rounded %v", n, single != nil)
		}
	}
}
