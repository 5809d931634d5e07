package hunt

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/drotrain/drotrain/dro"
)

// extremes takes a few problems to the ends of the numbers, and their solves to the ends
// of the settings.
func (d *drawing) extremes() {
	if d.own == nil && d.one(12) {
		d.wide()
	}
	if d.own == nil && d.one(25) {
		d.ends()
	}
	if d.one(10) {
		d.Gap = []float64{1e-15, 1e-300, 1e-2, 1, 1e6}[d.IntN(5)]
		d.tell("gap %.3g", d.Gap)
	}
	if d.one(10) {
		d.Most = []float64{1e-9, 1, 1.3, 1.5, 2, 2.5, 3, 4, 5, 7}[d.IntN(10)]
		d.tell("%.3g passes", d.Most)
	}
	if d.one(20) {
		d.Every = []float64{1e-9, 0.1, 7, 1e9}[d.IntN(4)]
		d.tell("checks every %.3g passes", d.Every)
	}
	if d.own == nil && d.one(40) { // farther than any data are
		d.X0 = make([]float64, d.D)
		size := d.power(-320, 300)
		for k := range d.X0 {
			d.X0[k] = clamp(size * d.NormFloat64())
		}
		d.tell("from %.3g away", size)
	}
}

// ends takes one of the numbers that make the problem to an end of the numbers.
func (d *drawing) ends() {
	far := d.power(-300, 300)
	switch d.IntN(6) {
	case 0:
		d.Mu = far
	case 1:
		if d.Nu > 0 {
			d.Nu = far
		}
	case 2:
		if d.Radius > 0 {
			d.Radius = far
		}
	case 3:
		if d.Alpha > 0 && d.Kind != "given" {
			d.Alpha = d.power(-300, 0)
		}
	case 4:
		if d.Loss == "huber" {
			d.Delta = d.power(-150, 150)
		}
	case 5:
		for j := range d.Weights {
			if d.Weights[j] > 0 {
				d.Weights[j] = d.power(-320, 300)
			}
		}
		if k := slices.IndexFunc(d.Weights, func(v float64) bool { return v > 0 }); k >= 0 && floats.Sum(d.Weights) < 1e-300 {
			d.Weights[k] = d.power(-299, 300) // less in all is refused
		}
		d.tell("weights 1e±300")
	}
}

// wide takes entries and targets out of the range of single precision, each column by as
// much, or every entry by its own. No storage of single precision holds them.
func (d *drawing) wide() {
	d.Wide = true
	most := []float64{20, 60, 150, 300}[d.IntN(4)]
	kind := d.IntN(4)
	whole := d.power(-most, most)
	for k := range d.D {
		if d.Intercept && k == d.D-1 {
			continue
		}
		column := d.power(-most, most)
		d.each(k, func(_ int, v float64) float64 {
			switch kind {
			case 0:
				return clamp(v * whole)
			case 1:
				return clamp(v * column)
			case 2:
				return clamp(v * d.power(-most, most))
			}
			return v
		})
	}
	if d.Loss != "logistic" && (kind == 3 || d.one(2)) {
		scale := d.power(-most, most)
		for j, v := range d.Target {
			d.Target[j] = clamp(v * scale)
		}
	}
	d.tell("numbers up to 1e±%v, kind %d", most, kind)
}

// clamp keeps a number finite.
func clamp(v float64) float64 {
	const most = 1e300
	return max(-most, min(most, v))
}

// storages are those that hold the rows as they are.
func (c *Case) storages() []string {
	if c.own != nil {
		return []string{"own", "own"}
	}
	if c.Wide {
		return []string{"float64", "sparse", "disk"}
	}
	return storages
}

// sound holds a result against what Result promises of it.
func (t *Tally) sound(c *Case, name string, settings dro.Settings, res *dro.Result) {
	wrong := func(format string, args ...any) {
		t.find("promise", c, name+": "+fmt.Sprintf(format, args...))
	}
	b := res.Certificate
	switch {
	case res.Status == dro.Inconsistent:
		wrong("bounds [%.17g, %.17g] contradict each other", b.Lower, b.Upper)
	case !(b.Lower <= b.Upper):
		wrong("%v with bounds [%.17g, %.17g]", res.Status, b.Lower, b.Upper)
	case res.Status != dro.Cancelled && (res.Status == dro.Certified) != (b.Relative() <= settings.RelativeGap):
		wrong("%v at a gap of %.3g, with %.3g asked for", res.Status, b.Relative(), settings.RelativeGap)
	case math.IsNaN(res.Objective), res.Status != dro.Cancelled && math.IsInf(res.Objective, 0), res.Objective > b.Upper:
		wrong("objective %.17g with an upper bound of %.17g", res.Objective, b.Upper)
	}
	if most := max(settings.MaxPasses, 1) * (1 + 1e-9); res.Passes > most {
		wrong("%.17g passes of %.17g", res.Passes, settings.MaxPasses)
	}
	for k, check := range res.Trace {
		if k > 0 && (check.Lower < res.Trace[k-1].Lower || check.Upper > res.Trace[k-1].Upper || check.Passes < res.Trace[k-1].Passes) {
			wrong("check %d takes back what the one before proved: %v, then %v", k, res.Trace[k-1], check)
		}
	}
	if len(res.Trace) == 0 || res.Trace[len(res.Trace)-1].Certificate != b {
		wrong("the last of %d checks is not of the certificate", len(res.Trace))
	}
	if bad := slices.IndexFunc(res.X, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }); bad >= 0 {
		wrong("parameter %d is %v", bad, res.X[bad])
	}
	mass := 0.0
	for j, v := range res.Y {
		if math.IsNaN(v) || v < 0 && (c.own == nil || c.own.positive) {
			wrong("weight %d is %v", j, v)
		}
		mass += v
	}
	if !(math.Abs(mass-1) <= 1e-9) && c.Cap == 0 && (c.own == nil || c.own.unit) {
		wrong("weights sum to %.17g", mass)
	}
}
