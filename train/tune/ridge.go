package tune

import (
	"context"
)

// A Ridge is the plain average at another μ, out of fold.
type Ridge struct {
	Mu      float64 `json:"mu"`
	Average float64 `json:"average"` // mean loss
	Fall    float64 `json:"fall"`    // of the average, from that at the μ to begin with
	SE      float64 `json:"se"`      // standard error of the fall, paired
}

// ridgeRows is the number of rows a column from which μ = 1/n and a hundred times that
// are the same model but for less than a standard error.
const ridgeRows = 1000

// chooseRidge chooses μ for all candidates alike: the one at which the plain average
// predicts best, if by what a candidate has to be better than at the μ given. The same μ is less of a
// ridge to losses that an adversary raises, so that a robust model may beat a plain
// average that is merely fitted too closely: this is no merit of robustness. It returns the
// plain average at this μ without every fold, nil where none was looked for.
func (s *Selection) chooseRidge(ctx context.Context, t *Table, m *measure, start []float64, met *metric, parts *partition) ([][]float64, error) {
	s.Mu = t.Primal.Mu
	if _, d := t.X.Dims(); !(s.Mu > 0) || t.N >= ridgeRows*d {
		return nil, nil
	}
	of := family{name: "ridge", ridge: []float64{0.1, 10, 100}}
	for range of.ridge {
		of.levels = append(of.levels, plainAverage)
	}
	all := 1 + len(of.levels)
	r := &race{name: "ridge", table: t, fold: m.fold, count: m.folds, of: []family{of}, alive: make([]bool, all), from: make([][]float64, m.folds*all), metric: met, partition: parts, tell: func() {}}
	for c := range r.alive {
		r.alive[c] = true
	}
	for k := range m.folds {
		r.from[k*all] = start
	}
	out, err := r.run(ctx)
	if err != nil {
		return nil, err
	}
	s.Passes += r.passes
	plain := m.average(out[0])
	s.Ridges = []Ridge{{Mu: t.Primal.Mu, Average: plain.value}}
	best, chosen := 0.0, 0
	for i, factor := range of.ridge {
		at := m.average(out[1+i])
		c := Ridge{Mu: factor * t.Primal.Mu, Average: at.value}
		c.Fall, c.SE = plain.minus(at)
		s.Ridges = append(s.Ridges, c)
		if c.Fall > max(best, standardErrors*c.SE, worth*plain.value) {
			best, chosen, s.Mu = c.Fall, 1+i, c.Mu
		}
	}
	points := make([][]float64, m.folds)
	for k := range points {
		points[k] = r.from[k*all+chosen]
	}
	return points, nil
}
