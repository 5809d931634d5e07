package data

import (
	"math"
	"sort"
)

func (e *Encoder) fitNumeric(f *Frame, c *Column, rows []int) error {
	values, err := e.numbers(f, c, rows)
	if err != nil {
		return err
	}
	nulls := len(rows) - len(values)
	if len(values) == 0 {
		e.notef("column %q left out: it has no values in the training rows", c.Name)
		return nil
	}
	if c.InexactRow > 0 {
		path, row := f.Where(c.InexactRow - 1)
		e.notef("column %q has values that a 64-bit float cannot hold exactly (first in row %d of %s); they are rounded", c.Name, row, path)
	}
	in := Input{Name: c.Name, Kind: Numeric, First: len(e.Columns)}
	mean, sd, constant := moments(values)
	if math.IsInf(mean, 0) || math.IsInf(sd, 0) || math.IsNaN(mean) || math.IsNaN(sd) {
		return f.at(c.Name, -1, "rescale it, or leave it out with --drop "+flagValue(c.Name), "the values are too large to standardise")
	}
	switch e.Spec.Impute {
	case "mean":
		in.Fill = mean
	case "median":
		in.Fill = median(values)
	}
	if nulls > 0 && (e.Spec.Impute == "mean" || e.Spec.Impute == "median") {
		e.notef("column %q: %d nulls filled with the %s %s", c.Name, nulls, e.Spec.Impute, formatNumber(in.Fill))
		if !constant {
			filled := append(make([]float64, 0, len(rows)), values...)
			for i := 0; i < nulls; i++ {
				filled = append(filled, in.Fill)
			}
			mean, sd, _ = moments(filled)
		}
	}
	if constant && e.keepsConstant(values[0]) {
		e.notef("column %q is constant (%s): kept as it is, for no intercept is fitted", c.Name, formatNumber(values[0]))
	} else if constant {
		e.notef("column %q left out: it is constant (%s) in the training rows", c.Name, formatNumber(values[0]))
		return nil
	}
	col := Coding{Name: c.Name, Source: c.Name, Kind: "numeric", Scale: 1}
	if e.Spec.Scale != "none" {
		if sd == 0 {
			return f.at(c.Name, -1, "rescale it, or leave it out with --drop "+flagValue(c.Name), "the values differ by too little to standardise")
		}
		col.Shift, col.Scale = mean, sd
	}
	e.Inputs = append(e.Inputs, in)
	e.Columns = append(e.Columns, col)
	return nil
}

// keepsConstant says that a constant column v is a feature: the user's own
// intercept, where none is fitted and nothing is centred.
func (e *Encoder) keepsConstant(v float64) bool {
	return !e.Spec.Intercept && e.Spec.Scale == "none" && v != 0
}

// numbers gathers the values of a numeric feature that are not null, and
// refuses NaN, infinities and, unless they are to be imputed, nulls.
func (e *Encoder) numbers(f *Frame, c *Column, rows []int) ([]float64, error) {
	values := make([]float64, 0, len(rows))
	nulls, first := 0, -1
	for _, r := range rows {
		if c.IsNull(r) {
			if nulls++; first < 0 {
				first = r
			}
			continue
		}
		v := c.Number[r]
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, notFinite(f, c.Name, r, v)
		}
		values = append(values, v)
	}
	if nulls > 0 && (e.Spec.Impute == "" || e.Spec.Impute == "error") {
		return nil, nullError(f, c.Name, first, nulls, len(rows))
	}
	return values, nil
}

func notFinite(f *Frame, column string, row int, v float64) error {
	return f.at(column, row, "remove such rows or store the value as null", "the value is %v", v)
}

func nullError(f *Frame, column string, row, nulls, of int) error {
	return f.at(column, row, "choose --impute mean, median or drop, or leave the column out with --drop "+flagValue(column),
		"the value is null, as in %d of %d rows", nulls, of)
}

// moments gives mean and population standard deviation.
func moments(v []float64) (mean, sd float64, constant bool) {
	lo, hi := v[0], v[0]
	for _, x := range v {
		lo, hi = min(lo, x), max(hi, x)
	}
	if lo == hi {
		return lo, 0, true
	}
	var sum float64
	for _, x := range v {
		sum += x - lo
	}
	mean = lo + sum/float64(len(v))
	spread := hi - lo
	var squares, rest float64
	for _, x := range v {
		z := (x - mean) / spread
		squares += z * z
		rest += z
	}
	n := float64(len(v))
	mean += rest / n * spread // what rounding left
	sd = spread * math.Sqrt(max(0, squares/n-rest/n*(rest/n)))
	return mean, sd, false
}

func median(v []float64) float64 {
	v = append([]float64(nil), v...)
	sort.Float64s(v)
	m := len(v) / 2
	if len(v)%2 == 1 {
		return v[m]
	}
	return v[m-1] + (v[m]-v[m-1])/2
}
