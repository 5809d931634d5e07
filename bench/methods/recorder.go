package methods

import "github.com/drotrain/drotrain/dro"

// A recorder follows a method with the theoretical schedule: it averages the iterates
// with the weights a_k, the output (x̃_t, ỹ_t) of the theorems, and calls look after
// about every fiftieth part of the iterations so far.
type recorder struct {
	dro.Iterate           // the last one
	x, y        []float64 // averages of x_i and y_i
	averages    bool      // needed

	next int
	look func()
}

// follow takes in an iterate.
func (r *recorder) follow(it dro.Iterate) {
	r.Iterate = it
	if r.averages {
		if r.x == nil {
			r.x, r.y = make([]float64, len(it.X)), make([]float64, len(it.Y))
		}
		share := it.Weight / it.Total
		for i, v := range it.X {
			r.x[i] += share * (v - r.x[i])
		}
		for j, v := range it.Y {
			r.y[j] += share * (v - r.y[j])
		}
	}
	if r.K >= r.next {
		r.next = r.K + 1 + r.K/50
		r.look()
	}
}
