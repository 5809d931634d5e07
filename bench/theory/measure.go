package theory

import (
	"context"
	"math"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/primaldual"
)

// method returns m with the theoretical schedule on blocks of b samples.
func (m theoryMethod) method(b int, uniform bool) dro.Method {
	var s primaldual.Sampling
	if uniform {
		s = primaldual.UniformSampling()
	}
	strategy := primaldual.Replacement
	if m == stochasticHistorical || m == separableHistorical {
		strategy = primaldual.Historical
	}
	switch {
	case m == fullVector:
		return primaldual.FullVector{Schedule: primaldual.Theory}
	case m.separable():
		return primaldual.SeparableBlock{Strategy: strategy, Schedule: primaldual.Theory, Block: b, Sampling: s}
	}
	return primaldual.Stochastic{Strategy: strategy, Schedule: primaldual.Theory, Block: b, Sampling: s}
}

// reach returns the iterations after which the gap is goal times the first one: that of the
// weighted averages where a modulus is zero, as in the theorems, else the distance of the
// best bounds of the iterates so far; NaN if most iterations are not enough. passes is the
// work of one iteration.
func (in *instance) reach(ctx context.Context, m dro.Method, of theoryMethod, block int, goal float64, most int, seed uint64) (k, passes float64, err error) {
	averages := (in.mu == 0 || in.nu == 0) && in.bilinear
	book, meter := in.ledger(of, block), in.gauge()
	first, lastGap, lastK, next := 0.0, 0.0, 0, 0
	k = math.NaN()
	passes, err = in.run(ctx, m, lie{}, seed, func(it dro.Iterate) bool {
		if averages {
			book.follow(it)
		}
		if it.K < next {
			return false
		}
		next = it.K + 1 + it.K/50
		gap := 0.0
		if averages {
			gap = book.gap()
		} else {
			y := it.Y
			if !in.bilinear {
				y = nil
			}
			upper, lower := meter.bounds(it.X, y)
			meter.upper, meter.lower = math.Min(meter.upper, upper), math.Max(meter.lower, lower)
			gap = meter.upper - meter.lower
		}
		if first == 0 {
			first = gap
		}
		if gap <= goal*first {
			if k = float64(it.K); lastK > 0 && gap > 0 { // interpolated in the logarithms
				t := math.Log(lastGap/(goal*first)) / math.Log(lastGap/gap)
				k = math.Exp(math.Log(float64(lastK)) + t*math.Log(float64(it.K)/float64(lastK)))
			}
			return true
		}
		lastGap, lastK = gap, it.K
		return it.K >= most
	})
	return k, passes, err
}
