package eval

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The bounds of the change of a largest risk hold for all group risks that the intervals
// of both models and of their differences allow, and groups that cannot be the worst have
// no part in them.
func TestMaxDifference_IgnoresWhatIsMissing(t *testing.T) {
	at := func(lo, hi float64) *Interval { return &Interval{Low: Num(lo), High: Num(hi)} }
	group := func(b, a *Interval) Group {
		return Group{Sufficient: true, Models: []GroupModel{{Simultaneous: b}, {Simultaneous: a}}}
	}
	// By hand: the second group is below the first in either model, whatever the truth.
	groups := []Group{group(at(10, 12), at(9, 10.5)), group(at(1, 9.5), at(1, 8.9))}
	change := []GroupDifference{{Simultaneous: at(-2, -1.5)}, {Simultaneous: at(-8, 7)}}
	if d := maxDifference(groups, change, 1, 0); d.Low != -2 || d.High != -1.5 {
		t.Errorf("the first group alone: [%v, %v]", d.Low, d.High)
	}
	// The same with the models' parts exchanged.
	groups = []Group{group(at(9, 10.5), at(10, 12)), group(at(1, 8.9), at(1, 9.5))}
	change = []GroupDifference{{Simultaneous: at(1.5, 2)}, {Simultaneous: at(-7, 8)}}
	if d := maxDifference(groups, change, 1, 0); d.Low != 1.5 || d.High != 2 {
		t.Errorf("the other way: [%v, %v]", d.Low, d.High)
	}

	r := rand.New(rand.NewPCG(4, 12))
	for range 200 {
		const n = 4
		a, b := make([]float64, n), make([]float64, n)
		groups, change = nil, nil
		around := func(v float64) *Interval { return at(v-r.Float64(), v+r.Float64()) }
		for g := range n {
			b[g], a[g] = 3*r.Float64(), 3*r.Float64()
			groups = append(groups, group(around(b[g]), around(a[g])))
			change = append(change, GroupDifference{Simultaneous: around(a[g] - b[g])})
		}
		d := maxDifference(groups, change, 1, 0)
		truth := -math.Inf(1)
		base := truth
		for g := range n {
			truth, base = max(truth, a[g]), max(base, b[g])
		}
		if v := truth - base; v < float64(d.Low) || v > float64(d.High) {
			t.Fatalf("a change of %v outside of [%v, %v]", v, d.Low, d.High)
		}
	}
}

// A change has the decimals of what it and its interval amount to, of the scale where that is
// nothing; what is 0 to the last digit is "0".
func TestChanges_Text(t *testing.T) {
	between := func(low, high Num) *Interval { return &Interval{Low: low, High: high} }
	for _, c := range []struct {
		d     *Difference
		scale float64
		want  string
	}{
		{nil, 1, "–"}, {&Difference{Value: undefined()}, 1, "–"},
		{&Difference{}, 123, "0.0"}, {&Difference{Value: 1}, 123, "+1.000"}, {&Difference{Value: -0.05}, 123, "−0.0500"},
		{&Difference{Interval: between(0, 0)}, 123, "0"},
		{&Difference{Value: 1, Interval: between(0, 0)}, 123, "+1.000 [0.000 to 0.000]"},
		{&Difference{Interval: between(0, 1)}, 123, "0.000 [0.000 to 1.000]"},
		{&Difference{Interval: between(-1, 0)}, 123, "0.000 [−1.000 to 0.000]"},
		{&Difference{Value: 1, Interval: between(-20, 0)}, 0.5, "+1.00 [−20.00 to 0.00]"},
		{&Difference{Value: 1, Interval: between(0, 20)}, 0.5, "+1.00 [0.00 to 20.00]"},
	} {
		if got := c.d.Text(c.scale); got != c.want {
			t.Errorf("%+v at %v: %q, want %q", c.d, c.scale, got, c.want)
		}
	}
}
