package losses

import "github.com/drotrain/drotrain/design"

// Centred returns the same losses in terms of x′, which is x but for the last parameter:
//
//	x′_d = x_d + Σ_i by_i x_i − constant,
//
// where the last column of the rows is 1 throughout: columns are moved by by, and the
// targets by constant, where they lie far from zero, compared to how far apart they are
// (design.Centred). Both are exact. It returns nil where nothing lies so, and where of is
// not l: of what embeds l nothing is known. Of rows that lie with several ranks it is a
// collective call.
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
	if differences(l.loss) {
		constant = l.centre()
		out.less += constant
	}
	switch {
	case z == nil && constant == 0:
		return nil, nil, 0
	case z == nil:
		by = make([]float64, l.d)
	}
	return &out, by, constant
}

// centre returns a target that all targets are near, 0 where there is none, and of losses whose
// targets are moved.
func (l *Linear) centre() float64 {
	if l.less != 0 {
		return 0
	}
	rows := l.Rows()
	lo, hi := rows.Here(l.n)
	at, far, c := []float64{0}, []float64{0}, rows.Comm()
	if lo == 0 && hi > 0 {
		at[0], _ = design.Near(l.target[lo:hi])
	}
	c.Sum(at) // zeros of all others
	if !design.AllNear(l.target[lo:hi], at[0]) {
		far[0]++
	}
	if c.Sum(far); far[0] != 0 {
		return 0
	}
	return at[0]
}
