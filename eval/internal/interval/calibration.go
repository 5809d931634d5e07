package interval

import "math"

// The calibration error is a sum of |m_b|, where m_b is the contribution of bin b to the mean of predicted −
// observed. Let g be a random draw of the error of m_b. Where m_b is near 0, the draw of |m_b + g| − |m_b| says
// little about the true error: the expression equals |g| at 0, ± g far from 0, and lies between −|g| and |g| for
// every m_b. Every draw therefore bounds the error of the sum: by ± g in the bins whose sign is clear, and by |g|
// in the others. The interval follows from quantiles of the two bounds. If all bins are clear, the interval is the
// usual one; if none is, it still holds but is wider than necessary.

// Bins is the number of bins, of equal width, from which the calibration error is computed.
const Bins = 10

// BinOf returns the index of the bin that contains the probability p.
func BinOf(p float64) int { return min(int(p*Bins), Bins-1) }

// clearBin is the distance from 0, in standard errors, beyond which the sign of a bin is considered clear.
const clearBin = 3

// CalibrationInterval returns the interval of the calibration error of model k over a part or, with base ≥ 0, of its
// change from model base; at is the point estimate.
// Both classes must occur.
func (p *Part) CalibrationInterval(k, base int, at float64) *Interval {
	r, models := p.r, []int{k}
	if base >= 0 {
		models = append(models, base)
	}
	mean, root := p.binErrors(models)
	n := len(mean)
	certain := make([]bool, n)
	for j, m := range mean {
		variance := 0.0
		for _, x := range root[j*(j+1)/2:][:j+1] {
			variance += x * x
		}
		certain[j] = math.Abs(m) > clearBin*math.Sqrt(variance)
	}
	lo, hi := make([]float64, r.Resamples), make([]float64, r.Resamples)
	g, z := make([]float64, n), make([]float64, n)
	for b := range lo {
		// the draws are the same for every model
		random := NewRNG(r.Seed, r.Salt, uint64(p.from), uint64(p.to), uint64(b))
		random.FillNormals(z)
		root.multiply(g, z)
		for j, x := range g {
			low, high := -math.Abs(x), math.Abs(x)
			if certain[j] {
				low = math.Copysign(1, mean[j]) * x
				high = low
			}
			if j >= Bins { // the bin belongs to the base
				low, high = -high, -low
			}
			lo[b] += low
			hi[b] += high
		}
	}
	a := (1 - r.Confidence) / 2
	iv := &Interval{at - quantileOfAny(hi, 1-a), at - quantileOfAny(lo, a)}
	if base < 0 {
		iv.Low = max(0, iv.Low)
	}
	return iv
}

// binErrors returns the contribution of every bin to the mean of predicted − observed for each model, and the
// Cholesky factor of the covariance of these contributions.
func (p *Part) binErrors(models []int) (mean []float64, root lowerTriangle) {
	in, n := p.r.in, len(models)*Bins
	// sums of w (s − y) and w² (s − y) over the rows of the bin
	gap, square := make([]float64, n), make([]float64, n)
	// sums of w² (s − y)(s′ − y), for two models with scores s and s′
	cross := make([]float64, n*(n+1)/2)
	var weights, squares float64
	bin, of := make([]int, len(models)), make([]float64, len(models))
	for _, i := range p.of.Rows {
		w := in.Weight.Of(i)
		weights += w
		squares += w * w
		for q, k := range models {
			s := in.Score[k][i]
			j := q*Bins + BinOf(s)
			bin[q], of[q] = j, w*(s-max(0, in.Target[i]))
			gap[j] += of[q]
			square[j] += w * of[q]
			for o := range q + 1 {
				cross[j*(j+1)/2+bin[o]] += of[q] * of[o]
			}
		}
	}
	mean = make([]float64, n)
	for j := range mean {
		mean[j] = gap[j] / weights
	}
	for j := range mean {
		for k := range j + 1 {
			c := &cross[j*(j+1)/2+k]
			*c = (*c - mean[j]*square[k] - mean[k]*square[j] + mean[j]*mean[k]*squares) / (weights * weights)
		}
	}
	return mean, cholesky(cross, n)
}
