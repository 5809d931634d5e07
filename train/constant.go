package train

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/memory"
)

// startingPoint returns the starting point of the solvers: zero coefficients, except an intercept that is computed from
// the unweighted mean of the targets. If the loss is a losses.ByMean, the intercept is the best constant for this mean.
// Otherwise it predicts the mean of numbers or the proportion of +1; for more than two classes, the intercepts are the
// logarithms of the class proportions, counting half a row for a class without rows.
func (m *Model) startingPoint() []float64 {
	d, k := m.Run.Train, m.coefficientsPerColumn()
	x := make([]float64, d.D*k)
	if d.Intercept < 0 {
		return x
	}
	if m.Classes() != nil {
		count := x[d.Intercept*k:][:k]
		for _, t := range d.Target {
			count[int(t)]++
		}
		for c, n := range count {
			count[c] = math.Log(max(n, 0.5) / float64(d.N))
		}
		return x
	}
	mean := weightedMean(m.Run.rows, d.Target, nil)
	b := mean
	if by, ok := m.loss.(losses.ByMean); ok {
		b = by.ConstantMargin(mean)
	} else if meaning := m.loss.Meaning(); meaning.Classes {
		b = meaning.Link.MarginOf((1 + mean) / 2)
	} else {
		b = meaning.Link.MarginOf(mean)
	}
	if !math.IsInf(b, 0) && !math.IsNaN(b) {
		x[d.Intercept] = b
	}
	return x
}

// fitConstant returns the margin of the constant prediction with the least average training loss, or NaN for more than
// two classes; see fitClassConstant.
func (m *Model) fitConstant() float64 {
	target, arena := m.Run.Train.Target, m.Run.arena()
	centre := m.Run.weightedAverage(target)
	if m.Classes() != nil {
		return math.NaN() // the value is not a single number
	}
	if by, ok := m.loss.(losses.ByMean); ok {
		return by.ConstantMargin(centre)
	}
	n := len(target)
	work := memory.Make[float64](arena, n)
	defer memory.Release(arena, work)
	for j, t := range target {
		work[j] = (t - centre) * (t - centre)
	}
	deviation := math.Sqrt(m.Run.weightedAverage(work))
	if link := m.loss.Meaning().Link; link.Margin != nil && !isClassLoss(m.Config.Loss) {
		centre, deviation = link.MarginOf(centre), 1
	}
	slope, value := memory.Make[float64](arena, n), memory.Make[float64](arena, n)
	defer memory.Release(arena, slope, value)
	increases := func(margin float64) bool {
		for j := range work {
			work[j] = margin
		}
		m.loss.EvalTo(value, slope, work, target)
		return m.Run.weightedAverage(slope) > 0
	}
	// this interval contains the minimiser of the Huber loss, as it does the median
	low, high := centre-deviation, centre+deviation
	const widenings = 20
	for k := 0; k < widenings && !increases(high); k++ {
		high += deviation * float64(int(1)<<k)
	}
	for k := 0; k < widenings && increases(low); k++ {
		low -= deviation * float64(int(1)<<k)
	}
	for range 30 {
		if middle := (low + high) / 2; increases(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return (low + high) / 2
}

// fitClassConstant returns the margins of the constant prediction with the least average training loss: the
// logarithms of the class proportions, in which a class counts at least half a row of average weight. It returns nil
// for other targets.
func (m *Model) fitClassConstant() []float64 {
	if m.Classes() == nil {
		return nil
	}
	out := make([]float64, m.coefficientsPerColumn())
	for j, t := range m.Run.Train.Target {
		weight := 1.0
		if m.Run.Weight != nil {
			weight = m.Run.Weight[j]
		}
		out[int(t)] += weight
	}
	least := floats.Sum(out) / float64(2*m.Run.Train.N)
	for c := range out {
		out[c] = max(out[c], least)
	}
	total := floats.Sum(out)
	for c := range out {
		out[c] = math.Log(out[c] / total)
	}
	return out
}

// ConstantLosses stores in dst the losses of the constant prediction fitted to the training rows, for the given
// encoded targets. It returns false if the model has no such constant. It panics if dst is shorter than target, if a
// target is not a class of the model, or if this program does not know the loss (see UnregisteredLoss).
func (m *Model) ConstantLosses(dst, target []float64) bool {
	if margins := m.Result.ClassConstant; margins != nil {
		for j, t := range target {
			dst[j] = -margins[int(t)]
		}
		return true
	}
	if m.Result.Constant == nil {
		return false
	}
	const block = 1 << 12
	margin, slope := make([]float64, block), make([]float64, block)
	for j := range margin {
		margin[j] = *m.Result.Constant
	}
	for lo := 0; lo < len(target); lo += block {
		hi := min(lo+block, len(target))
		m.loss.EvalTo(dst[lo:hi], slope[:hi-lo], margin[:hi-lo], target[lo:hi])
	}
	return true
}
