package methods

import "github.com/drotrain/drotrain/dro"

// A recorder watches a method with the theoretical schedule from its proximal
// steps: it counts the iterations, averages the iterates with the weights a_k,
// the output (x̃_t, ỹ_t) of the theorems, and calls look after about every
// fiftieth part of the iterations so far.
type recorder struct {
	k        int       // iterations
	weight   float64   // Σ a_i
	lastX    []float64 // x_k
	x, y     []float64 // averages of x_i and y_i
	lastY    []float64 // y_k, the method's own
	a        float64   // a_k
	averages bool      // needed

	next int
	look func()
}

// step is told of a_k and x_k, when the iteration before is complete.
func (r *recorder) step(x []float64, a float64) {
	if r.k > 0 {
		r.finish()
	} else {
		r.lastX, r.x = make([]float64, len(x)), make([]float64, len(x))
	}
	r.k++
	r.a = a
	copy(r.lastX, x)
}

// finish takes in the iterate (x_k, y_k).
func (r *recorder) finish() {
	if r.averages {
		if r.y == nil {
			r.y = make([]float64, len(r.lastY))
		}
		r.weight += r.a
		for i, v := range r.lastX {
			r.x[i] += r.a / r.weight * (v - r.x[i])
		}
		for j, v := range r.lastY {
			r.y[j] += r.a / r.weight * (v - r.y[j])
		}
	}
	if r.k >= r.next {
		r.next = r.k + 1 + r.k/50
		r.look()
	}
}

// The probes pass every call on and tell their recorder of the steps.
type (
	l2Probe struct {
		dro.L2
		r *recorder
	}
	entropyProbe struct {
		dro.Entropy
		r *recorder
	}
	boxProbe struct {
		dro.Box
		r *recorder
	}
	klProbe struct {
		dro.KL
		r *recorder
	}
)

// ProxTo implements dro.Primal.
func (p l2Probe) ProxTo(dst, g, center []float64, a, c float64) {
	p.L2.ProxTo(dst, g, center, a, c)
	p.r.step(dst, a)
}

// ProxTo implements dro.Primal.
func (p entropyProbe) ProxTo(dst, g, center []float64, a, c float64) {
	p.Entropy.ProxTo(dst, g, center, a, c)
	p.r.step(dst, a)
}

// ProxTo implements dro.Mirror.
func (p boxProbe) ProxTo(u, y, f, prev, hist []float64, a, e, w float64) {
	p.Box.ProxTo(u, y, f, prev, hist, a, e, w)
	p.r.lastY = y
}

// BlockStepTo implements dro.Separable. A step in place moves the iterate; one
// into other slices is the ȳ of an estimate.
func (p boxProbe) BlockStepTo(u, y, f, prev []float64, eta float64, lo, hi int) {
	p.Box.BlockStepTo(u, y, f, prev, eta, lo, hi)
	if &u[0] == &prev[0] {
		p.r.lastY = y
	}
}

// ProxTo implements dro.Mirror.
func (p klProbe) ProxTo(u, y, f, prev, hist []float64, a, e, w float64) {
	p.KL.ProxTo(u, y, f, prev, hist, a, e, w)
	p.r.lastY = y
}
