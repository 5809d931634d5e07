package hunt

import "math"

// oneHot fills the rows with indicators: of one column in each of a few blocks.
func (d *drawing) oneHot() {
	blocks := 1 + d.IntN(min(d.D, 3))
	for j := range d.N {
		for b := range blocks {
			lo, hi := b*d.D/blocks, (b+1)*d.D/blocks
			d.Rows[j*d.D+lo+d.IntN(hi-lo)] = 1
		}
	}
	d.tell("%d one-hot blocks", blocks)
}

// rarities makes rows alike, empty or all the same, and targets constant: what random
// numbers never are, and tables often.
func (d *drawing) rarities() {
	row := func(j int) []float64 { return d.Rows[j*d.D : (j+1)*d.D] }
	switch d.IntN(24) {
	case 0, 1, 2:
		for j := range d.N {
			if from := d.IntN(d.N); d.one(2) {
				copy(row(j), row(from))
				d.Target[j] = d.Target[from]
			}
		}
		d.tell("rows repeated")
	case 3:
		for j := range d.N {
			copy(row(j), row(0))
			d.Target[j] = d.Target[0]
		}
		d.tell("one row, repeated")
	case 4:
		for j := range d.N {
			copy(row(j), row(0))
		}
		d.tell("rows the same")
	case 5, 6:
		for j := range d.N {
			d.Target[j] = d.Target[0]
		}
		d.tell("targets the same")
	case 7:
		for j := range d.N {
			if d.one(2) && !d.Intercept {
				clear(row(j))
			}
		}
		d.tell("rows of zeros")
	case 8:
		if k := d.IntN(d.D); !d.Intercept || k < d.D-1 {
			d.each(k, func(int, float64) float64 { return 0 })
			d.tell("a column of zeros")
		}
	case 9:
		if d.Loss != "logistic" {
			scale := d.power(-30, 30)
			for j := range d.Target {
				d.Target[j] *= scale
			}
			d.tell("targets times %.3g", scale)
		}
	case 10: // numbers that single precision holds exactly next to none that matter
		scale := d.power(-40, 30)
		for i, v := range d.Rows {
			if !d.Intercept || i%d.D < d.D-1 {
				d.Rows[i] = bounded32(v * scale)
			}
		}
		d.tell("rows times %.3g", scale)
	}
}

// bounded32 rounds to single precision, within its range.
func bounded32(v float64) float64 {
	if w := float64(float32(v)); !math.IsInf(w, 0) {
		return w
	}
	return math.Copysign(1e30, v)
}

// price draws ν > 0.
func (d *drawing) price() float64 {
	switch {
	case d.one(2):
		return d.power(-2, 2)
	case d.one(12):
		return d.power(-30, 30)
	case d.one(60):
		return d.power(-300, 300)
	}
	return d.power(-8, 9)
}
