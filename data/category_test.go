package data

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/drotrain/drotrain/data/internal/tiles"
)

// The levels of a column are those of its parts together, whatever rows are in which part and
// in whatever order the parts come: as many rows of each, and the first row that is wrong.
func TestMergeLevels_Parts(t *testing.T) {
	const n = 60
	rng := rand.New(rand.NewPCG(6, 6))
	for trial := range 200 {
		c := &Column{Name: "c", Kind: Numeric, Number: make([]float64, n), Null: make([]bool, n)}
		if trial%2 == 0 {
			c.Kind, c.Number, c.Code, c.Level = Categorical, nil, make([]int32, n), []string{"b", "a", "unused", "c"}
		}
		for i := range n {
			c.Null[i] = trial%3 == 0 && rng.IntN(10) == 0
			switch {
			case c.Kind == Categorical:
				if c.Code[i] = []int32{0, 1, 3}[rng.IntN(3)]; c.Null[i] {
					c.Code[i] = -1
				}
			case trial%4 == 1 && rng.IntN(20) == 0:
				c.Number[i] = []float64{math.Inf(1), math.Inf(-1)}[rng.IntN(2)]
			default:
				c.Number[i] = float64(rng.IntN(4))
			}
		}
		order := rng.Perm(n)
		parts := make([]levels, 3)
		for k := range parts {
			d, err := tiles.NewPartition(nil, n, order[k*n/3:(k+1)*n/3], nil)
			if err != nil {
				t.Fatal(err)
			}
			parts[k] = levelsOf(c, d.Set(0))
			if k != trial%3 {
				parts[k].Inexact = order[k*n/3] + 1
			}
		}
		d, err := tiles.NewPartition(nil, n, order, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := levelsOf(c, d.Set(0))
		for _, p := range parts {
			if p.Inexact > 0 && (want.Inexact == 0 || p.Inexact < want.Inexact) {
				want.Inexact = p.Inexact
			}
		}
		for i, v := range c.Number { // from their definition, too
			if v-v != 0 && !c.Null[i] {
				if want.Bad != i+1 || want.Value != v {
					t.Fatalf("%v in row %d, said of row %d, first", v, i+1, want.Bad)
				}
				break
			}
		}
		counted := 0
		for _, m := range want.Counts {
			counted += m
		}
		for i := range n {
			if c.Null[i] || c.Number != nil && c.Number[i]-c.Number[i] != 0 {
				counted++
			}
		}
		if got := mergeLevels(parts); !reflect.DeepEqual(got, want) || counted != n {
			t.Fatalf("%+v, of all rows %+v, %d rows", got, want, counted)
		}
	}
}
