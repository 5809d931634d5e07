package hunt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/drotrain/drotrain/internal/exact"
)

// A Case is one problem, and where its solves start. Every entry of its rows is a
// single-precision number, so that all storages hold the same problem, but of a Wide one,
// the rows of which are of double precision.
type Case struct {
	Seed   uint64
	Number int
	exact.Problem
	Kind  string    // of adversary
	X0    []float64 // nil: zeros
	Wide  bool      // not every entry is a single-precision number
	Gap   float64   // relative, asked for; 0: by the number
	Most  float64   // passes of its solves, where they are few; 0: as for all
	Every float64   // passes between checks; 0: as by default
	Tells string    // what was done to it, in words
	own   *composed // in the place of all above but its sizes and settings; nil: none
}

// Draw returns the problem of this seed and number.
func Draw(seed uint64, number int) *Case {
	rng := rand.New(rand.NewPCG(seed, uint64(number)))
	c := &Case{Seed: seed, Number: number}
	d := &drawing{Rand: rng, Case: c}
	c.N, c.D = d.sizes()
	if c.Wide = d.one(3); c.Wide {
		d.tell("double precision")
	}
	d.rows()
	d.columns()
	d.targets()
	d.rarities()
	d.adversary()
	d.settings()
	d.start()
	if d.one(15) {
		d.compose()
	}
	d.extremes()
	c.Tells = strings.Join(d.told, ", ")
	return c
}

func (c *Case) String() string {
	return fmt.Sprintf("seed %d, problem %d: n = %d, d = %d, %s, %s %s, ν = %.6g, radius %.6g, α = %.6g, weights %v, μ = %.6g, intercept %v: %s",
		c.Seed, c.Number, c.N, c.D, c.Loss, c.Kind, c.Penalty, c.Nu, c.Radius, c.Alpha, c.Weights != nil || c.Share != nil, c.Mu, c.Intercept, c.Tells)
}

// A drawing is a case in the making.
type drawing struct {
	*rand.Rand
	*Case
	told []string
}

func (d *drawing) tell(format string, args ...any) {
	d.told = append(d.told, fmt.Sprintf(format, args...))
}

// one reports an event of probability 1/k.
func (d *drawing) one(k int) bool { return d.IntN(k) == 0 }

// power returns 10 to an even power in [lo, hi].
func (d *drawing) power(lo, hi float64) float64 { return math.Pow(10, lo+(hi-lo)*d.Float64()) }

func (d *drawing) cauchy() float64 { return math.Tan(math.Pi * (d.Float64() - 0.5)) }

// sizes are small, so that there can be many problems, but for a few.
func (d *drawing) sizes() (n, k int) {
	n, k = 1+d.IntN(12), 1+d.IntN(4)
	switch {
	case d.one(6):
		n, k = 2+d.IntN(60), 1+d.IntN(8)
	case d.one(8): // more columns than rows
		k = 2 + d.IntN(30)
	case d.one(6): // as few as there can be
		n, k = 1+d.IntN(3), 1+d.IntN(2)
	case d.one(200):
		n = 500 + d.IntN(2000)
	case d.one(2000): // shards, prefixes and working sets
		n = 9000 + d.IntN(6000)
	}
	return n, k
}

// rows draws the entries: normal, with the tails of Cauchy's law, binary or sparse.
func (d *drawing) rows() {
	d.Rows = make([]float64, d.N*d.D)
	draw := d.NormFloat64
	switch d.IntN(7) {
	case 6:
		d.oneHot()
		return
	case 0:
		draw = d.cauchy
		d.tell("Cauchy entries")
	case 1:
		draw = func() float64 { return float64(d.IntN(2)) }
		d.tell("binary entries")
	case 2:
		draw = func() float64 {
			if d.one(4) {
				return d.NormFloat64()
			}
			return 0
		}
		d.tell("sparse entries")
	}
	for i := range d.Rows {
		d.Rows[i] = draw()
	}
}

// each applies to every entry of column k.
func (d *drawing) each(k int, f func(j int, v float64) float64) {
	for j := range d.N {
		d.Rows[j*d.D+k] = f(j, d.Rows[j*d.D+k])
	}
}

// columns scales, shifts, copies and mixes columns, and may make the last one free.
func (d *drawing) columns() {
	d.Intercept = d.one(2)
	if d.one(2) {
		widest := []float64{1, 4, 12}[d.IntN(3)]
		d.tell("scales 1e±%v", widest)
		for k := range d.D {
			s := d.power(-widest, widest)
			d.each(k, func(_ int, v float64) float64 { return s * v })
		}
	}
	if d.one(3) {
		for k := range d.D {
			if d.one(2) {
				size := 0.0
				for j := range d.N {
					size = max(size, math.Abs(d.Rows[j*d.D+k]))
				}
				shift := size * d.power(0, d.digits(7)) * float64(1-2*d.IntN(2))
				d.each(k, func(_ int, v float64) float64 { return v + shift })
			}
		}
		d.tell("offsets")
	}
	for k := 1; k < d.D; k++ {
		if !d.one(10) {
			continue
		}
		from, near, scale := d.IntN(k), 0.0, 1.0
		switch d.IntN(4) {
		case 0:
			near = d.power(-12, -2)
		case 1:
			scale = d.power(-6, 6)
		}
		d.tell("column %d like %d", k, from)
		d.each(k, func(j int, v float64) float64 { return scale*d.Rows[j*d.D+from] + near*v })
	}
	if d.one(8) {
		k, v := d.IntN(d.D), d.power(-3, d.digits(9))
		d.each(k, func(int, float64) float64 { return v })
		d.tell("constant column %.3g", v)
	}
	if d.Intercept {
		d.each(d.D-1, func(int, float64) float64 { return 1 })
	}
	for i, v := range d.Rows {
		if !d.Wide {
			d.Rows[i] = bounded32(v)
		} else {
			d.Rows[i] = clamp(v)
		}
	}
}

// digits are so many of single precision, or twice as many.
func (d *drawing) digits(single float64) float64 {
	if d.Wide {
		return 2 * single
	}
	return single
}

// targets draws the loss, and targets of a linear model or of none.
func (d *drawing) targets() {
	d.Loss = []string{"logistic", "squared", "huber"}[d.IntN(3)]
	d.Delta = 1
	truth := make([]float64, d.D)
	for k := range truth {
		size := 0.0
		for j := range d.N {
			size += math.Abs(d.Rows[j*d.D+k]) / float64(d.N)
		}
		if truth[k] = d.NormFloat64(); size > 0 {
			truth[k] /= size
		}
	}
	d.Target = make([]float64, d.N)
	noise := []float64{0, 0.1, 1, 10}[d.IntN(4)]
	heavy := d.one(4)
	for j := range d.N {
		m := 0.0
		for k, v := range truth {
			m += v * d.Rows[j*d.D+k]
		}
		e := d.NormFloat64()
		if heavy {
			e = d.cauchy()
		}
		d.Target[j] = m + noise*e
	}
	d.tell("noise %v, heavy %v", noise, heavy)
	if d.Loss == "logistic" {
		rare := d.one(6)
		for j, v := range d.Target {
			if d.Target[j] = -1; v > 0 {
				d.Target[j] = 1
			}
			if rare && !d.one(40) {
				d.Target[j] = -1
			}
		}
		if rare {
			d.tell("rare positives")
		}
		return
	}
	if d.Loss == "huber" {
		if d.Delta = d.power(-4, 3); d.one(4) {
			d.Delta = d.power(-12, 12)
		}
	}
	scale, shift := 1.0, 0.0
	if d.one(3) {
		scale = d.power(-8, 8)
	}
	if d.one(3) {
		shift = d.power(0, 15)
		d.tell("targets about %.3g", shift)
	}
	outlier := -1
	if d.one(5) {
		outlier = d.IntN(d.N)
		d.tell("an outlier")
	}
	for j := range d.Target {
		d.Target[j] = scale*d.Target[j] + shift
		if j == outlier {
			d.Target[j] += scale * d.power(1, 6)
		}
	}
	d.tell("targets times %.3g, δ = %.3g", scale, d.Delta)
}

// settings draws the ridge.
func (d *drawing) settings() {
	switch {
	case d.one(6):
	case d.one(3):
		d.Mu = 1 / float64(d.N)
	case d.one(12):
		d.Mu = d.power(-30, 12)
	default:
		d.Mu = d.power(-8, 4)
	}
}

func (d *drawing) start() {
	if !d.one(5) {
		return
	}
	size := d.power(-2, 6)
	if d.one(6) {
		size = d.power(6, 15)
	}
	d.X0 = make([]float64, d.D)
	for k := range d.X0 {
		d.X0[k] = size * d.NormFloat64()
	}
	d.tell("from %.3g away", size)
}
