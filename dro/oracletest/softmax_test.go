package oracletest_test

import (
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro/oracletest"
	"github.com/drotrain/drotrain/losses"
)

func TestTest_Softmax(t *testing.T) {
	const n, d, classes = 9, 3, 4
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = 2 * rng.NormFloat64()
		}
		return v
	}
	z, err := design.NewDense(n, d, draw(n*d))
	if err != nil {
		t.Fatal(err)
	}
	class := make([]int, n)
	for j := range class {
		class[j] = j % classes
	}
	o, err := losses.NewSoftmax(z, class, classes)
	if err != nil {
		t.Fatal(err)
	}
	if err := oracletest.Test(o, draw(d*classes), draw(d*classes), draw(d*classes)); err != nil {
		t.Error(err)
	}
}
