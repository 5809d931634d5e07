package design_test

import (
	"fmt"
	"log"

	"github.com/drotrain/drotrain/design"
)

// Three rows of a number, a category of three values as one-hot columns, and an
// intercept: of each row the three entries that are not zero, by column.
//
//	0.5  1 0 0  1
//	  0  0 0 1  1
//	 -2  0 1 0  1
func ExampleNewSparse() {
	var (
		start  = []int{0, 3, 5, 8} // row i has the entries start[i] … start[i+1]−1
		column = []int32{0, 1, 4, 3, 4, 0, 2, 4}
		value  = []float64{0.5, 1, 1, 1, 1, -2, 1, 1}
	)
	rows, err := design.NewSparse(3, 5, start, column, value)
	if err != nil {
		log.Fatal(err)
	}
	margins := make([]float64, 3)
	rows.MarginsTo(margins, []float64{10, 1, 2, 3, 0.25}, 0, 3)
	fmt.Println(margins)

	_, err = design.NewSparse(3, 5, start, []int32{0, 1, 4, 4, 3, 0, 2, 4}, value)
	fmt.Println(err)
	// Output:
	// [6.25 3.25 -17.75]
	// design: row 1 has column 3 after column 4: the columns of a row must ascend
}

// The entries are rounded to single precision, the arithmetic is not.
func ExampleNewDense32() {
	rows, err := design.NewDense32(2, 2, []float32{
		0.5, 1,
		0.1, 1,
	})
	if err != nil {
		log.Fatal(err)
	}
	margins := make([]float64, 2)
	rows.MarginsTo(margins, []float64{1, 1e-9}, 0, 2)
	fmt.Println(margins, rows.Bytes(), "bytes")
	// Output:
	// [0.500000001 0.10000000249011612] 16 bytes
}

func ExampleNewDense() {
	rows, err := design.NewDense(2, 3, []float64{
		0.5, 1.5, 1,
		-1, 0, 1,
	})
	if err != nil {
		log.Fatal(err)
	}
	sum := make([]float64, 3)
	rows.AddRowsTo(sum, []float64{2, 1}, []float64{1, 1}, 0, 2)
	fmt.Println(sum)
	// Output:
	// [0 3 3]
}
