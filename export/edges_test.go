package export

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/train/score"
)

// Bounds of the edge rows: the values of one column, and the entries of a vector that change.
const (
	maxEdges   = 50
	maxEntries = 3
)

// edgeRows returns rows in the order of the terms that go to the edges of every
// column: the usual row, and it with one value changed to every level, to one that
// training did not see, to a null where nulls have a meaning, to a number far out.
func edgeRows(f *score.Formula) [][]any {
	usual := make([]any, len(f.Terms))
	edges := make([][]any, len(f.Terms))
	for i, t := range f.Terms {
		switch {
		case t.Kind == score.Numeric:
			values := edgeNumbers(f, i)
			if len(values) == 0 {
				return nil // the functions of a damaged model exclude each other
			}
			usual[i] = values[0]
			for _, r := range t.Renamed {
				values = append(values, r.From)
			}
			for _, v := range values[1:] {
				edges[i] = append(edges[i], v)
			}
			if t.Fill != nil {
				edges[i] = append(edges[i], nil)
			}
			continue
		case t.Kind == score.Bool:
			usual[i], edges[i] = true, []any{false}
		case t.Stored == score.Numeric:
			values := must(newColumn(t)).numbers
			usual[i], edges[i] = values[0], []any{values[len(values)-1] + 0.5}
			for _, v := range values[1:min(len(values), maxEdges)] {
				edges[i] = append(edges[i], v)
			}
		default:
			unseen := "not a level"
			for slices.Contains(t.Levels, unseen) {
				unseen += "!"
			}
			usual[i], edges[i] = t.Levels[0], []any{unseen}
			for _, l := range t.Levels[1:min(len(t.Levels), maxEdges)] {
				edges[i] = append(edges[i], l)
			}
		}
		if t.Null {
			edges[i] = append(edges[i], nil)
		}
	}
	rows := [][]any{usual}
	entries := map[string]int{}
	for i, values := range edges {
		if vector := f.Terms[i].Vector; vector != "" {
			if entries[vector]++; entries[vector] > maxEntries {
				continue
			}
		}
		for _, v := range values {
			row := slices.Clone(usual)
			row[i] = v
			rows = append(rows, row)
		}
	}
	return rows
}

// edgeNumbers returns values of a number, the usual one first: near and far from its mean,
// and at the knots and both ends of functions of it; only where these have a value.
func edgeNumbers(f *score.Formula, term int) []float64 {
	t := f.Terms[term]
	values := []float64{t.Shift, t.Shift + 0.7*t.Scale, t.Shift - 3*t.Scale, 0, t.Shift + 20*t.Scale}
	var functions []*score.Function
	for i := range f.Products {
		for k := range f.Products[i].Factors {
			if x := &f.Products[i].Factors[k]; x.Term == term && x.Function.Name != "" {
				functions = append(functions, &x.Function)
			}
		}
	}
	for _, g := range functions {
		if g.Name != "piecewise" {
			values = append(values, 1, 1e-9, 3e4)
			continue
		}
		last := len(g.Knots) - 1
		for k, v := range g.Knots {
			values = append(values, v)
			if k > 0 {
				values = append(values, (v+g.Knots[k-1])/2)
			}
		}
		values = append(values, 2*g.Knots[0]-g.Knots[last]-1, 2*g.Knots[last]-g.Knots[0]+1)
	}
	return slices.DeleteFunc(values, func(v float64) bool {
		return slices.ContainsFunc(functions, func(g *score.Function) bool { return math.IsNaN(g.At(v)) })
	})
}

// scoreRow returns the score of a row of values in the order of the terms, or the probabilities
// of more than two classes.
func scoreRow(formulas []*score.Formula, row []any) ([]float64, error) {
	out := make([]float64, len(formulas))
	largest, sum := math.Inf(-1), 0.0
	for c, f := range formulas {
		if len(formulas) > 1 { // its margin
			margin := *f
			margin.Target = score.Target{Name: "margin", Numeric: true, Scale: 1}
			f = &margin
		}
		s, err := score.New(f)
		if err != nil {
			return nil, err
		}
		v, err := s.Values(row...)
		if err != nil {
			return nil, err
		}
		out[c], largest = v, max(largest, v)
	}
	if len(formulas) == 1 {
		return out, nil
	}
	for c, v := range out {
		out[c] = math.Exp(v - largest)
		sum += out[c]
	}
	for c := range out {
		out[c] /= sum
	}
	return out, nil
}
