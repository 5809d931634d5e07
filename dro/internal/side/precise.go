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

var (
	_ saddle.Referenced = KL{}
	_ saddle.Referenced = ChiSquare{}
	_ saddle.Referenced = CappedKL{}
	_ saddle.Referenced = CappedChiSquare{}
	_ saddle.Referenced = Ball{}
	_ saddle.Referenced = Protected{}
	_ saddle.Referenced = (*Groups)(nil)
)

// Referenced implements the ability.
func (KL) Referenced(of saddle.Dual) bool { return same[KL](of) }

// Referenced implements the ability.
func (ChiSquare) Referenced(of saddle.Dual) bool { return same[ChiSquare](of) }

// Referenced implements the ability.
func (CappedKL) Referenced(of saddle.Dual) bool { return same[CappedKL](of) }

// Referenced implements the ability.
func (CappedChiSquare) Referenced(of saddle.Dual) bool { return same[CappedChiSquare](of) }

// Referenced implements the ability.
func (Ball) Referenced(of saddle.Dual) bool { return same[Ball](of) }

// Referenced implements the ability.
func (Protected) Referenced(of saddle.Dual) bool { return same[Protected](of) }

// Referenced implements the ability: adjustments are losses of their own.
func (g *Groups) Referenced(of saddle.Dual) bool { return same[*Groups](of) && g.Adjust == nil }

// Exponential implements the ability.
func (OrthantKL) Exponential(of saddle.Dual) bool { return same[OrthantKL](of) }
