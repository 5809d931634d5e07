package losses

import "github.com/drotrain/drotrain/design"

// Centred returns the same losses in terms of x′, which is x but for the last parameter:
//
//	x′_d = x_d + Σ_i by_i x_i − constant,
//
// where the last column of the rows is 1 throughout: columns are moved by by, and the
// targets by constant, where they lie far from zero, compared to how far apart they are
// (design.Centred). Both are exact. It returns nil where nothing lies so, and where of is
// not l: of what embeds l nothing is known.
func (l *Linear) Centred(of Samples) (o Samples, by []float64, constant float64) {
	if of != Samples(l) {
		return nil, nil, 0
	}
	out := *l
	out.moved = true
	z, by := design.Centred(l.z, 1)
	if z != nil {
		out.z = z
	}
	if _, signs := l.loss.(Logistic); !signs && l.Rows() == nil && l.Room() == nil {
		if at, ok := design.Near(l.target); ok && differences(l.loss) {
			constant = at
			out.target = make([]float64, l.n)
			for j, t := range l.target {
				out.target[j] = t - at
			}
		}
	}
	switch {
	case z == nil && constant == 0:
		return nil, nil, 0
	case z == nil:
		by = make([]float64, l.d)
	}
	return &out, by, constant
}

// differences reports that a loss is a function of the margin less the target.
func differences(l Loss) bool {
	switch l.(type) {
	case Squared, Huber:
		return true
	}
	return false
}
