package hunt

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro"
)

// adversary draws Y, its price and its reference weights.
func (d *drawing) adversary() {
	d.Kind = []string{"price", "price", "price", "price", "weights", "ball", "ball", "capped", "protected", "groups", "groups", "given", "separate"}[d.IntN(13)]
	d.Penalty = []string{"kl", "chi2"}[d.IntN(2)]
	priced := d.one(2)
	switch d.Kind {
	case "price":
		priced = !d.one(10)
	case "weights":
		priced, d.Weights = true, d.weights(d.N)
	case "ball":
		d.radius()
		if priced = d.one(4); d.one(2) {
			d.Weights = d.weights(d.N)
		}
	case "capped":
		d.Alpha = d.share()
	case "protected":
		if d.Alpha = d.share(); d.one(2) {
			d.Weights = d.weights(d.N)
		}
		d.Penalty = "chi2"
	case "groups":
		size := d.groups()
		switch d.IntN(3) { // the largest of the means, a ball, a price
		case 0:
			priced = false
		case 1:
			d.radius()
		case 2:
			priced = true
		}
		if d.one(2) {
			d.Weights = d.weights(size)
		}
		if d.one(4) {
			d.Adjust = make([]float64, size)
			most := d.power(-6, 4)
			for g := range d.Adjust {
				d.Adjust[g] = most * d.Float64()
			}
			d.tell("means adjusted by up to %.3g", most)
		}
	case "separate":
		d.Penalty = []string{"kl", "chi2", "square"}[d.IntN(3)]
		d.Cap = d.power(-3, 1)
		d.tell("weights up to %.3g", d.Cap)
	case "given":
		priced, d.Alpha = false, 1
		if d.one(2) {
			d.Weights = d.weights(d.N)
		}
	}
	if priced {
		d.Nu = d.price()
	}
}

// radius is one that some weights keep to.
func (d *drawing) radius() {
	switch d.Radius = d.power(-3, 1); {
	case d.one(4):
		d.Radius = d.power(-10, 4)
	case d.one(12):
		d.Radius = d.power(-16, 12)
	case d.one(20):
		d.Radius = d.power(-40, -12)
	}
}

func (d *drawing) share() float64 {
	switch d.IntN(8) {
	case 0:
		return 1
	case 1, 2:
		return d.power(-4, 0)
	case 4:
		return 1 - d.power(-16, -1)
	case 3: // of so many samples, to the last bit or nearly
		return min(1, float64(1+d.IntN(d.N))/float64(d.N)*(1+1e-15*float64(d.IntN(3)-1)))
	}
	return 1 - d.Float64()
}

// weights are alike, or far apart, and some may be 0.
func (d *drawing) weights(n int) []float64 {
	w, wide, none := make([]float64, n), d.one(3), d.one(3)
	if d.one(20) { // all on one
		w[d.IntN(n)] = d.power(-6, 6)
		return w
	}
	for j := range w {
		if w[j] = 0.1 + d.ExpFloat64(); wide {
			w[j] = d.power(-6, 6)
		}
		if none && d.one(3) {
			w[j] = 0
		}
	}
	w[d.IntN(n)] = 1
	return w
}

// groups puts the samples into some, of one sample each perhaps, some into none, with
// shares of their own perhaps, once or twice, and returns how many.
func (d *drawing) groups() int {
	count := 1 + d.IntN(min(d.N, 5))
	if d.one(8) {
		count = d.N
	}
	some := d.one(4)
	grouping := func() []int {
		g := make([]int, d.N)
		for j := range g {
			switch {
			case j < count:
				g[j] = j // none without samples
			case some && d.one(3):
				g[j] = -1
			default:
				g[j] = d.IntN(count)
			}
		}
		return g
	}
	d.Group = grouping()
	ways := 1
	if d.one(4) {
		d.Shuffle(d.N, func(i, j int) { d.Group[i], d.Group[j] = d.Group[j], d.Group[i] })
		d.Other, ways = grouping(), 2
	}
	if d.one(2) {
		d.Share = make([]float64, d.N)
		wide, left := d.one(3), make(map[int]int)
		for j := range d.Share {
			if d.Share[j] = 0.1 + d.ExpFloat64(); wide {
				d.Share[j] = d.power(-6, 6)
			}
			for _, g := range d.memberships(j) {
				left[g]++
			}
		}
		for j := range d.Share { // some without weight, but of every group one with it
			if !d.one(4) || slices.ContainsFunc(d.memberships(j), func(g int) bool { return left[g] == 1 }) {
				continue
			}
			for _, g := range d.memberships(j) {
				left[g]--
			}
			d.Share[j] = 0
		}
	}
	return ways * count
}

// memberships are the groups of a sample, those of the second grouping counted from N.
func (d *drawing) memberships(j int) (in []int) {
	if d.Group[j] >= 0 {
		in = append(in, d.Group[j])
	}
	if d.Other != nil && d.Other[j] >= 0 {
		in = append(in, d.N+d.Other[j])
	}
	return in
}

// dual is the adversary as users say it.
func (c *Case) dual() (dro.Dual, error) {
	divergence := dro.KullbackLeibler
	if c.Penalty == "chi2" {
		divergence = dro.PearsonChi2
	}
	ball := dro.Ball{Divergence: divergence, Radius: c.Radius, Nu: c.Nu, Weights: c.Weights}
	if c.Radius == 0 {
		ball.Radius = math.Inf(1)
	}
	switch {
	case c.Kind == "price" && c.Penalty == "kl":
		return dro.KL{Nu: c.Nu}, nil
	case c.Kind == "price":
		return dro.ChiSquare{Nu: c.Nu}, nil
	case c.Kind == "capped" && c.Penalty == "kl":
		return dro.CappedKL{Alpha: c.Alpha, Nu: c.Nu}, nil
	case c.Kind == "capped":
		return dro.CappedChiSquare{Alpha: c.Alpha, Nu: c.Nu}, nil
	case c.Kind == "protected":
		return dro.Protected{Share: c.Alpha, Nu: c.Nu, Weights: c.Weights}, nil
	case c.Kind == "groups":
		of := [][]int{c.Group}
		if c.Other != nil {
			of = append(of, c.Other)
		}
		g, err := dro.NewGroups(ball, c.Share, of...)
		if err == nil {
			g.Adjust = c.Adjust
		}
		return g, err
	case c.Kind == "separate" && c.Penalty == "kl":
		return dro.OrthantKL{Nu: c.Nu, Cap: c.Cap}, nil
	case c.Kind == "separate" && c.Penalty == "chi2":
		return dro.OrthantChiSquare{Nu: c.Nu, Cap: c.Cap}, nil
	case c.Kind == "separate":
		return dro.Box{Nu: c.Nu, Upper: c.Cap}, nil
	case c.Kind == "given" && c.Weights == nil:
		return dro.Uniform{}, nil
	case c.Kind == "given":
		return dro.NewFixed(c.Weights)
	}
	return ball, nil
}
