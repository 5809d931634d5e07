package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/losses"
)

// mixture is the risk of an adversary over groups of given means and prior in closed form,
// or by bisection of the price, and its weights: all above zero, as moves are small.
func mixture(a answer, radius float64, prior, mean []float64) (risk float64, q []float64) {
	q = make([]float64, len(mean))
	average, variance := 0.0, 0.0
	for g, p := range prior {
		average += p * mean[g]
	}
	for g, p := range prior {
		variance += p * (mean[g] - average) * (mean[g] - average)
	}
	if a.kind == "chi2" {
		nu := a.nu
		if risk = average + variance/(2*nu); a.ball {
			nu, risk = math.Sqrt(variance/(2*radius)), average+math.Sqrt(2*radius*variance)
		}
		for g, p := range prior {
			q[g] = p * (1 + (mean[g]-average)/nu)
		}
		return risk, q
	}
	at := func(nu float64) (risk, divergence float64) {
		sum := 0.0
		for g, p := range prior {
			q[g] = p * math.Exp((mean[g]-average)/nu)
			sum += q[g]
		}
		for g, p := range prior {
			q[g] /= sum
			risk += q[g] * mean[g]
			divergence += q[g] * math.Log(q[g]/p)
		}
		return risk, divergence
	}
	if !a.ball {
		r, d := at(a.nu)
		return r - a.nu*d, q
	}
	lo, hi := 1e-3, 1e3
	for range 100 {
		nu := math.Sqrt(lo * hi)
		if r, d := at(nu); d > radius {
			risk, lo = r, nu
		} else {
			risk, hi = r, nu
		}
	}
	return risk, q
}

// An adversary over groups moves with every row: standard errors are what training again with
// the row counted otherwise says, of prices and balls, of priors that are equal or the groups'
// shares, and with an allowance for small groups.
func TestStandardErrorsOverGroups(t *testing.T) {
	const n, groups, mu, radius = 45, 3, 0.05, 0.02
	r := rand.New(rand.NewPCG(3, 11))
	var z [][]float64
	var flat []float64
	target, group, count := make([]float64, n), make([]int32, n), make([]float64, groups)
	for i := range n {
		group[i] = int32(min(i%4, groups-1))
		count[group[i]]++
		x := r.NormFloat64()
		z, flat = append(z, []float64{x, 1}), append(flat, x, 1)
		target[i] = x + r.NormFloat64()*(0.5+0.6*float64(group[i])) + 0.3*float64(group[i])*x
	}
	loss := losses.Squared{}
	times := make([]float64, n)
	even := make([]float64, n)
	for i := range times {
		times[i], even[i] = 1, 1.0/n
	}
	for _, a := range []answer{
		{kind: "kl", nu: 2}, {kind: "chi2", nu: 4, adjust: 3},
		{kind: "kl", ball: true, adjust: 3},
		{kind: "chi2", ball: true}, {kind: "chi2", ball: true, adjust: 3},
	} {
		name := fmt.Sprintf("%+v", a)
		value := func(x [2]float64) (float64, []float64) {
			m, l := make([]float64, n), make([]float64, n)
			for i, row := range z {
				m[i] = row[0]*x[0] + row[1]*x[1]
			}
			loss.EvalTo(l, make([]float64, n), m, target)
			mean, mass, total := make([]float64, groups), make([]float64, groups), 0.0
			for i, g := range group {
				mean[g] += times[i] * l[i]
				mass[g] += times[i]
				total += times[i]
			}
			prior := make([]float64, groups)
			for g := range mean {
				mean[g] = mean[g]/mass[g] + a.adjust/math.Sqrt(count[g])
				prior[g] = mass[g] / total
			}
			risk, q := mixture(a, radius, prior, mean)
			return risk + mu/2*x[0]*x[0], q
		}
		train := func() [2]float64 {
			return minimum(func(x [2]float64) float64 { v, _ := value(x); return v })
		}
		x := train()
		_, q := value(x)
		if a.ball { // the price is known by no field, and solved for
			a.nu = math.NaN()
		}
		var want [2]float64
		for i := range n {
			const h = 0.01
			times[i] = 1 + h
			up := train()
			times[i] = 1 - h
			down := train()
			times[i] = 1
			for j := range want {
				d := (up[j] - down[j]) / (2 * h)
				want[j] += d * d
			}
		}
		f := fit{loss: loss, x: x[:], mu: mu, free: 1, answer: a, y: shares{even, 1},
			over: &overGroups{of: group, q: q, n: count}}
		got := f.standardErrors(&data.Dataset{N: n, D: 2, X: dense(t, flat), Target: target}, []int{0, 1}, 1)
		for j := range want {
			if w := math.Sqrt(want[j] * n / (n - 2)); got == nil || !(math.Abs(got[j]-w) <= 2e-3*w) {
				t.Errorf("%s: standard error %d of %v, training again says %v (q = %.3v)", name, j, got, w, q)
			}
		}
	}
}

// The density of losses at the threshold of a tail is read off the rows within the bandwidth of
// Hall and Sheather on both sides of it, by shares: of normal losses it is that of the normal,
// over the share. The bandwidths are those of the published formula, computed elsewhere.
func TestDensityAtATail(t *testing.T) {
	for _, c := range []struct {
		n, columns int
		share      float64
		bandwidth  float64
	}{
		{10_000, 2, 0.2, 0.026537},
		{10_000, 2, 0.5, 0.045096},
		{4_000, 1, 0.1, 0.021796},
		{10_000, 500, 0.3, 0.1},       // rows enough for the columns
		{1_000, 100, 0.2, 0.1},        // no more than half the tail
		{1_000, 99, 0.8, 0.1},         // nor than half the others
		{1_000, 101, 0.2, math.NaN()}, // too few for the columns
	} {
		r := &drawn{}
		for i := range c.n {
			u := (float64(i) + 0.5) / float64(c.n)
			r.value = append(r.value, math.Sqrt2*math.Erfinv(2*u-1))
		}
		rand.New(rand.NewPCG(1, 1)).Shuffle(c.n, func(i, j int) { r.value[i], r.value[j] = r.value[j], r.value[i] })
		r.target, r.w = make([]float64, c.n), make([]float64, c.n)
		r.times = r.one()
		for i := range r.w {
			r.w[i] = 1 / float64(c.n)
		}
		e := &rowEquations{f: &fit{x: make([]float64, c.columns), answer: answer{share: c.share}}, r: r}
		bend := e.density()
		if math.IsNaN(c.bandwidth) {
			if bend != nil {
				t.Errorf("%+v: a density", c)
			}
			continue
		}
		rows, sum := 0, 0.0
		for _, b := range bend {
			if sum += b; b > 0 {
				rows++
			}
		}
		z := math.Sqrt2 * math.Erfinv(1-2*c.share)
		want := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) / c.share
		if !(math.Abs(float64(rows)-2*c.bandwidth*float64(c.n)) <= 1) || !(math.Abs(sum-want) <= 0.06*want) {
			t.Errorf("%+v: density %v of %d rows, that of the normal is %v", c, sum, rows, want)
		}
	}
}

// Rows as many as the columns settle nothing, one more does; and a tail of one loss alone has
// no density.
func TestNoStandardErrorsOfAsManyRowsAsColumns(t *testing.T) {
	flat, target := []float64{1, 1, -1, 1, 0.5, 1}, []float64{1, 0, 2}
	f := fit{loss: losses.Squared{}, x: []float64{0.1, 0.2}, mu: 0.1, free: 1}
	for n := 1; n <= 3; n++ {
		got := f.standardErrors(&data.Dataset{N: n, D: 2, X: dense(t, flat[:2*n]), Target: target[:n]}, []int{0, 1}, 1)
		if (got != nil) != (n > 2) {
			t.Errorf("%d rows: %v", n, got)
		}
	}
	r := &drawn{target: make([]float64, 100), value: make([]float64, 100), w: make([]float64, 100)}
	r.times = r.one()
	for i := range r.w {
		r.w[i] = 0.01
	}
	e := &rowEquations{f: &fit{x: make([]float64, 1), answer: answer{share: 0.2}}, r: r}
	if bend := e.density(); bend != nil {
		t.Errorf("a density of one loss: %v", bend)
	}
}

// Rows are told by their numbers from 1, but the first ones of a table in their order.
func TestNumbersOfRows(t *testing.T) {
	for _, c := range []struct{ rows, want []int }{
		{nil, nil}, {[]int{0}, nil}, {[]int{0, 1, 2}, nil}, {[]int{1}, []int{2}}, {[]int{0, 2}, []int{1, 3}},
		{[]int{0, 2, 1, 3}, []int{1, 3, 2, 4}}, {[]int{1, 2, 3}, []int{2, 3, 4}}, {[]int{1, 1, 2}, []int{2, 2, 3}},
	} {
		if got := rowNumbers(nil, c.rows); !slices.Equal(got, c.want) || (got == nil) != (c.want == nil) {
			t.Errorf("%v: %v, not %v", c.rows, got, c.want)
		}
	}
}
