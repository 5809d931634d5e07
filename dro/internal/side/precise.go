package side

import "github.com/drotrain/drotrain/dro/internal/saddle"

// same reports that a dual is a T, and not a type that embeds one.
func same[T saddle.Dual](of saddle.Dual) bool {
	_, is := of.(T)
	return is
}

// Precise implements Precise.
func (KL) Precise(of saddle.Dual) bool { return same[KL](of) }

// Precise implements Precise.
func (ChiSquare) Precise(of saddle.Dual) bool { return same[ChiSquare](of) }

// Precise implements Precise.
func (CappedKL) Precise(of saddle.Dual) bool { return same[CappedKL](of) }

// Precise implements Precise.
func (CappedChiSquare) Precise(of saddle.Dual) bool { return same[CappedChiSquare](of) }

// Precise implements Precise.
func (Ball) Precise(of saddle.Dual) bool { return same[Ball](of) }

// Precise implements Precise.
func (Protected) Precise(of saddle.Dual) bool { return same[Protected](of) }

// Precise implements Precise.
func (*Groups) Precise(of saddle.Dual) bool { return same[*Groups](of) }

// Precise implements Precise.
func (Uniform) Precise(of saddle.Dual) bool { return same[Uniform](of) }

// Precise implements Precise.
func (Fixed) Precise(of saddle.Dual) bool { return same[Fixed](of) }

// Precise implements Precise.
func (Box) Precise(of saddle.Dual) bool { return same[Box](of) }

// Precise implements Precise.
func (OrthantKL) Precise(of saddle.Dual) bool { return same[OrthantKL](of) }

// Precise implements Precise.
func (OrthantChiSquare) Precise(of saddle.Dual) bool { return same[OrthantChiSquare](of) }
