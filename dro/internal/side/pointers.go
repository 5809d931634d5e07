package side

import "github.com/drotrain/drotrain/dro/internal/saddle"

// Dereferenced returns p with the values that its dual and its primal point to, where they are
// pointers to types of this package, so that both spellings behave alike. A nil pointer becomes a
// missing part, which Validate reports.
func Dereferenced(p *saddle.Problem) *saddle.Problem {
	if p == nil {
		return nil
	}
	out := *p
	switch d := p.Dual.(type) {
	case *KL:
		out.Dual = dualAt(d)
	case *ChiSquare:
		out.Dual = dualAt(d)
	case *CappedKL:
		out.Dual = dualAt(d)
	case *CappedChiSquare:
		out.Dual = dualAt(d)
	case *Ball:
		out.Dual = dualAt(d)
	case *Protected:
		out.Dual = dualAt(d)
	case *Uniform:
		out.Dual = dualAt(d)
	case *Fixed:
		out.Dual = dualAt(d)
	case *Box:
		out.Dual = dualAt(d)
	case *OrthantKL:
		out.Dual = dualAt(d)
	case *OrthantChiSquare:
		out.Dual = dualAt(d)
	}
	switch r := p.Primal.(type) {
	case *L2:
		if out.Primal = nil; r != nil {
			out.Primal = *r
		}
	case *Entropy:
		if out.Primal = nil; r != nil {
			out.Primal = *r
		}
	}
	return &out
}

// dualAt returns the dual that d points to, nil for none.
func dualAt[D saddle.Dual](d *D) saddle.Dual {
	if d == nil {
		return nil
	}
	return *d
}
