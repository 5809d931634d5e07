package losses

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/memory"
	"github.com/drotrain/drotrain/internal/ranks"
)

// Losses that are centred are those that were, at the parameters that belong to them, to
// the bits where nothing is rounded; and nothing is centred that need not be, or that is not
// known to be a function of differences.
func TestCentredLossesAreTheSame(t *testing.T) {
	const n, d = 6, 3
	rows := func(at float64) []float64 {
		x := make([]float64, 0, n*d)
		for j := range n {
			x = append(x, at+float64(j%3)/4, at+float64(j%2), 1)
		}
		return x
	}
	numbers := func(at float64) []float64 {
		y := make([]float64, n)
		for j := range y {
			y[j] = at + float64(j)/8
		}
		return y
	}
	signs := []float64{1, -1, 1, 1, -1, -1}
	near, far := rows(-0.5), rows(4096)
	for _, c := range []struct {
		what           string
		l              Loss
		x, target      []float64
		away           bool // from memory
		columns, moved bool // which are far
	}{
		{"targets", Squared{}, near, numbers(1000), false, false, true},
		{"targets of a Huber loss", Huber{Delta: 0.25}, near, numbers(1000), false, false, true},
		{"targets and columns", Squared{}, far, numbers(1000), false, true, true},
		{"columns", Squared{}, far, numbers(-0.25), false, true, false},
		{"signs", Logistic{}, near, signs, false, false, false},
		{"signs and columns", Logistic{}, far, signs, false, true, false},
		{"targets near one", Squared{}, near, []float64{1, 1 + 0x1p-8, 1 - 0x1p-8, 1, 1, 1}, false, false, true},
		{"nothing far", Squared{}, near, numbers(-0.25), false, false, false},
		{"a loss of residuals that embeds one", embedding{}, near, numbers(1000), false, false, true},
		{"a loss that embeds one of residuals, and is none", relative{}, near, numbers(1000), false, false, false},
		{"rows that are elsewhere", Squared{}, near, numbers(1000), true, false, true},
	} {
		var z design.Matrix
		z, err := design.NewDense(n, d, c.x)
		if err != nil {
			t.Fatal(err)
		}
		if c.away {
			z = away{z, &memory.Arena{}, n}
		}
		l, err := NewLinear(c.l, z, c.target)
		if err != nil {
			t.Fatal(err)
		}
		o, by, constant := l.Centred(l)
		if (o != nil) != (c.columns || c.moved) || (constant != 0) != c.moved || c.columns != slices.ContainsFunc(by, func(v float64) bool { return v != 0 }) {
			t.Errorf("%s: centred %v, columns by %v, targets by %v", c.what, o != nil, by, constant)
			continue
		}
		if o == nil {
			continue
		}
		x := []float64{0.5, -2, 0.25}
		at := slices.Clone(x)
		for i, v := range by {
			at[d-1] += v * x[i]
		}
		at[d-1] -= constant
		value, slope := make([]float64, n), make([]float64, n)
		want, wantSlope := make([]float64, n), make([]float64, n)
		l.EvalTo(want, wantSlope, x, 0, n)
		o.EvalTo(value, slope, at, 0, n)
		if _, rounds := c.l.(Logistic); !rounds && !slices.Equal(value, want) || !slices.Equal(slope, wantSlope) {
			t.Errorf("%s: losses %v, slopes %v; want %v, %v", c.what, value, slope, want, wantSlope)
		}
		terms, _, _ := l.Rounding()
		if more, _, _ := o.(*Linear).Rounding(); more != terms+1 {
			t.Errorf("%s: margins have %d terms, with a last parameter that is rounded %d", c.what, terms, more)
		}
		if again, by, constant := o.(*Linear).Centred(o); again != nil || by != nil || constant != 0 {
			t.Errorf("%s: what is centred is centred again, by %v and %v", c.what, by, constant)
		}
		if other, _ := NewLinear(c.l, z, c.target); other != nil {
			if o, by, constant := l.Centred(other); o != nil || by != nil || constant != 0 {
				t.Errorf("%s: what is another is centred by %v, %v", c.what, by, constant)
			}
		}
	}
}

// Targets that lie with several ranks are moved where all are near one of them, wherever it
// lies, and else are not: by the same number with each rank.
func TestTargetsOfRanksAreCentred(t *testing.T) {
	const n, d = 9000, 2
	for _, c := range []struct {
		what  string
		other float64 // the last target
		by    float64
	}{{"near", 1000.5, 1000}, {"far", 1100, 0}, {"near zero", 0, 0}} {
		for _, size := range []int{1, 3} {
			err := ranks.Run(size, func(comm ranks.Comm) error {
				rows := ranks.NewRows(comm, n)
				lo, hi := rows.Here(n)
				target := make([]float64, n)
				for j := lo; j < hi; j++ {
					target[j] = 1000
				}
				if hi == n {
					target[n-1] = c.other
				}
				x := make([]float64, (hi-lo)*d)
				for i := range x {
					x[i] = 1 - float64(i%d)*float64(i%7)
				}
				z, err := design.NewDense(hi-lo, d, x)
				if err != nil {
					return err
				}
				dealt, err := design.NewSharded(rows, n, z)
				if err != nil {
					return err
				}
				l, err := NewLinear(Squared{}, dealt, target)
				if err != nil {
					return err
				}
				if _, _, by := l.Centred(l); by != c.by {
					return fmt.Errorf("rank %d of %d: by %v, not %v", comm.Rank(), size, by, c.by)
				}
				part := l.Part(n / 3).(*Linear)
				some := l.Select(rows.Stratified(n, n/3)).(*Linear)
				from, to := part.Rows().Here(n / 3)
				at := []float64{0.5, -2}
				got, want, slope := make([]float64, n/3), make([]float64, n/3), make([]float64, n/3)
				part.EvalTo(got, slope, at, from, to)
				some.EvalTo(want, slope, at, from, to)
				if !slices.Equal(got[from:to], want[from:to]) {
					return fmt.Errorf("rank %d of %d: the first third of every shard has losses that these rows have not", comm.Rank(), size)
				}
				target[hi-1] = math.NaN()
				if _, err := NewLinear(Squared{}, dealt, target); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("row %d ", hi-1)) {
					return fmt.Errorf("rank %d of %d: %v", comm.Rank(), size, err)
				}
				return nil
			})
			if err != nil {
				t.Errorf("%s: %v", c.what, err)
			}
		}
	}
}

// embedding is the squared loss under another type.
type embedding struct{ Squared }

// relative is a squared loss of residuals in units of the target.
type relative struct{ Squared }

func (relative) EvalTo(value, slope, margin, target []float64) {
	for i, m := range margin {
		r := m/target[i] - 1
		value[i], slope[i] = r*r/2, r/target[i]
	}
}
