package propose

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/drotrain/drotrain/data"
)

// Bounds of the search for sums that are the target.
const (
	sumRows    = 2000 // rows looked at
	sumColumns = 40   // columns, those that go most with the target
	sumLeft    = 1e-5 // proportion of the target's variance that is left
	mostSums   = 5
)

// dropParts drops two or three columns whose weighted sum is the numeric target, such as the parts of a total.
func (p *Proposal) dropParts(columns []*data.Column, t *targetValues) {
	if t.binary || len(t.rows) < 50 {
		return
	}
	for range mostSums {
		parts := partsOf(columns, t)
		if parts == nil {
			return
		}
		names := make([]string, len(parts))
		for k, c := range parts {
			names[k] = strconv.Quote(c.Name)
		}
		for _, c := range parts {
			columns = slices.DeleteFunc(columns, func(o *data.Column) bool { return o == c })
			p.dropColumn(c, 0, 0, "together %s determine the target exactly: it may be computed from them", strings.Join(names, " and "))
		}
	}
}

// partsOf returns two or three columns that predict the target except for a proportion sumLeft of its variance.
func partsOf(columns []*data.Column, t *targetValues) []*data.Column {
	step := (len(t.rows) + sumRows - 1) / sumRows
	rows := make([]int, 0, sumRows) // of t
	for i := 0; i < len(t.rows); i += step {
		rows = append(rows, i)
	}
	y := make([]float64, len(rows))
	for k, i := range rows {
		y[k] = t.y[i]
	}
	y = normalise(y)
	type candidate struct {
		c *data.Column
		v []float64
		r float64
	}
	var all []candidate
	for _, c := range columns {
		v := make([]float64, len(rows))
		for k, i := range rows {
			if r := t.rows[i]; !c.IsNull(r) {
				v[k] = c.Number[r]
			}
		}
		if v = normalise(v); v != nil && y != nil {
			all = append(all, candidate{c, v, floats.Dot(v, y)})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(math.Abs(b.r), math.Abs(a.r)) })
	all = all[:min(len(all), sumColumns)]
	// left is what of y is left behind columns that are orthogonal to each other.
	for i, a := range all {
		ra := 1 - a.r*a.r
		for j, b := range all[:i] {
			vb := normalise(orthogonalTo(b.v, a.v))
			if vb == nil {
				continue
			}
			rb := floats.Dot(vb, y)
			if ra-rb*rb < sumLeft {
				return []*data.Column{b.c, a.c}
			}
			for _, c := range all[:j] {
				w := orthogonalTo(c.v, a.v)
				if vc := normalise(orthogonalTo(w, vb)); vc != nil {
					if rc := floats.Dot(vc, y); ra-rb*rb-rc*rc < sumLeft {
						return []*data.Column{c.c, b.c, a.c}
					}
				}
			}
		}
	}
	return nil
}

// normalise returns v minus its mean, scaled to norm 1, or nil if only rounding is left.
func normalise(v []float64) []float64 {
	out := slices.Clone(v)
	floats.AddConst(-stat.Mean(v, nil), out)
	norm := floats.Norm(out, 2)
	if !(norm > 1e-6*floats.Norm(v, 2)) {
		return nil
	}
	floats.Scale(1/norm, out)
	return out
}

// orthogonalTo returns the component of v orthogonal to a, scaled to norm 1.
func orthogonalTo(v, a []float64) []float64 {
	out := slices.Clone(v)
	floats.AddScaled(out, -floats.Dot(v, a), a)
	if floats.Dot(out, out) < 1e-10 { // v is of norm 1
		clear(out)
	}
	return out
}
