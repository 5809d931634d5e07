package dro

import (
	"fmt"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/internal/goldentest"
	"github.com/drotrain/drotrain/losses"
)

// What is chosen for every adversary, by rows and columns, and the reason that is told: at the
// numbers where it turns, too.
func TestChosenAsRecorded(t *testing.T) {
	oracle := func(n, d, each int) Oracle { // so many entries a row
		start, column, value := make([]int, n+1), make([]int32, n*each), make([]float64, n*each)
		for j := range n {
			start[j+1] = (j + 1) * each
			for i := range each {
				column[j*each+i], value[j*each+i] = int32(i*(d/each)+j%(d/each)), 1
			}
		}
		z, err := design.NewSparse(n, d, start, column, value)
		if err != nil {
			t.Fatal(err)
		}
		o, err := losses.NewLinear(losses.Squared{}, z, make([]float64, n))
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	say := func(p *Problem) string {
		m, why := Choose(p)
		return recordedName(m) + ": " + why
	}
	var out strings.Builder
	for _, of := range []struct {
		n, d int
	}{{50, 4}, {9999, 5}, {12_000, 5}} {
		o := oracle(of.n, of.d, 2)
		fmt.Fprintf(&out, "# %d rows of %d columns\n", of.n, of.d)
		for _, a := range recordedAdversaries() {
			dual := a.of(drotest.RngOf(1), of.n)
			fmt.Fprintf(&out, "%s: %s\n", a.name, say(&Problem{Oracle: o, Dual: dual, Primal: L2{Mu: 0.1}}))
			if of.n == 50 {
				fmt.Fprintf(&out, "  own losses: %s\n  own adversary: %s\n", say(&Problem{Oracle: struct{ Oracle }{o}, Dual: dual, Primal: L2{Mu: 0.1}}), say(&Problem{Oracle: o, Dual: struct{ Dual }{dual}, Primal: L2{Mu: 0.1}}))
				fmt.Fprintf(&out, "  own regulariser: %s\n  without a gradient: %s\n", say(&Problem{Oracle: o, Dual: dual, Primal: ownPrimal{L2{Mu: 0.1}, L2{Mu: 0.1}}}), say(&Problem{Oracle: o, Dual: dual, Primal: struct{ Primal }{L2{Mu: 0.1}}}))
			}
		}
	}
	for _, each := range []int{1, 20} {
		out.WriteString(goldentest.Turns(fmt.Sprintf("columns in tens of 500 rows with %d in each", each), 8, 24, func(k int) string {
			return say(&Problem{Oracle: oracle(500, 10*k, each), Dual: KL{Nu: 0.3}, Primal: L2{Mu: 0.1}})
		}))
	}
	out.WriteString(goldentest.Turns("thousands of rows with 60 columns", 8, 24, func(k int) string {
		return say(&Problem{Oracle: oracle(1000*k, 60, 20), Dual: KL{Nu: 0.3}, Primal: L2{Mu: 0.1}})
	}))
	goldentest.Text(t, "testdata/chosen.txt", out.String())
}
