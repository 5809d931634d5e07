package measure

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/memory"
)

// A WorstCase is the worst reweighting of the rows within a penalty ν. At
// every ν its weighted mean is also the largest over the ball of radius Radius.
type WorstCase struct {
	Nu        float64 `json:"nu"`
	Radius    Num     `json:"radius"`         // KL: Σ y log(ny); χ²: ½ mean((ny − 1)²)
	Mean      Num     `json:"weighted_mean"`  // Σ y_j ℓ_j, the worst-case mean over the ball of that radius
	Penalised Num     `json:"penalised_risk"` // Σ y_j ℓ_j − ν·radius, the robust risk at ν
	Effective Num     `json:"effective_rows"` // 1/Σ y²
	MaxWeight Num     `json:"max_weight_times_n"`
}

// WorstCaseKL returns the weights y ∝ exp(ℓ/ν), which maximise
// Σ y_j ℓ_j − ν Σ y_j log(n y_j) over the simplex, and what they amount to. It
// is an error if loss is empty or not finite or ν is not positive.
func WorstCaseKL(loss []float64, nu float64) ([]float64, WorstCase, error) {
	return WorstKL(nil, loss, nil, nu)
}

// WorstKL returns WorstCaseKL for rows of weight w (nil: equal): the weights are
// y ∝ w exp(ℓ/ν), and the penalty is measured from w. They lie in an arena; nil is the heap.
func WorstKL(arena *memory.Arena, loss, weight []float64, nu float64) ([]float64, WorstCase, error) {
	s, err := newWorst(arena, loss, weight, nu)
	if err != nil {
		return nil, WorstCase{}, err
	}
	y := memory.Make[float64](arena, len(loss))
	w, z := KLAt(s, nu)
	for i, l := range loss {
		y[i] = math.Exp((l-s.loss[0])/nu) / z
		if weight != nil {
			y[i] *= weight[i]
		}
	}
	return y, w, nil
}

// WorstCaseChiSquare returns y_j = (1 + (ℓ_j − τ)/ν)₊/n with τ such that
// Σ y_j = 1, which maximises Σ y_j ℓ_j − (νn/2) Σ (y_j − 1/n)² over the
// simplex, and what it amounts to. Errors as [WorstCaseKL].
func WorstCaseChiSquare(loss []float64, nu float64) ([]float64, WorstCase, error) {
	return WorstChiSquare(nil, loss, nil, nu)
}

// WorstChiSquare returns [WorstCaseChiSquare] for rows of weight w (nil: equal), in an arena.
func WorstChiSquare(arena *memory.Arena, loss, weight []float64, nu float64) ([]float64, WorstCase, error) {
	s, err := newWorst(arena, loss, weight, nu)
	if err != nil {
		return nil, WorstCase{}, err
	}
	w, k, top := chiSquareAt(s, nu)
	y := memory.Make[float64](arena, len(loss))
	n := float64(len(loss))
	for i, l := range loss {
		y[i] = math.Max(0, n/k+(l-top)/nu) / n
		if weight != nil {
			y[i] *= weight[i]
		}
	}
	return y, w, nil
}

func newWorst(arena *memory.Arena, loss, weight []float64, nu float64) (*Sorted, error) {
	if !(nu > 0) || math.IsInf(nu, 0) {
		return nil, fmt.Errorf("eval: penalty ν = %v is not a positive number", nu)
	}
	return SortIn(arena, loss, weight)
}

// KLAt evaluates the KL worst case at ν; z = Σ w exp((ℓ − max ℓ)/ν).
func KLAt(s *Sorted, nu float64) (w WorstCase, z float64) {
	top := s.loss[0]
	n := float64(len(s.loss))
	var z1, z2, zl, most float64 // Σ e, Σ e², Σ e·(ℓ − top), max e, with e = w exp((ℓ − top)/ν)
	var e [1024]float64
	for lo := 0; lo < len(s.loss) && s.loss[lo]-top >= -745*nu; lo += len(e) { // descending: every later term is zero
		part := s.loss[lo:min(lo+len(e), len(s.loss))]
		kernel.ExpTo(e[:len(part)], part, top, nu)
		for j, l := range part {
			x := s.weightOf(lo+j) * e[j]
			most = max(most, x)
			z1 += x
			z2 += x * x
			zl += x * (l - top)
		}
	}
	mean := top + zl/z1
	radius := math.Max(0, zl/z1/nu-math.Log(z1/n))
	pen := top + nu*math.Log(z1/n)
	return WorstCase{
		Nu: nu, Radius: Num(radius), Mean: Num(mean), Penalised: Num(pen),
		Effective: Num(z1 * z1 / z2), MaxWeight: Num(n * most / z1),
	}, z1
}

// activeRows returns the number of rows with a positive weight in the χ² worst case:
// the largest set whose last row still has one, which is monotone in its size.
func activeRows(s *Sorted, nu float64) int {
	n := float64(len(s.loss))
	lo, hi := 1, len(s.loss)
	for lo < hi {
		m := (lo + hi + 1) / 2
		if n/s.upTo(m)+(s.loss[m-1]-s.base-s.sum[m]/s.upTo(m))/nu > 0 {
			lo = m
		} else {
			hi = m - 1
		}
	}
	return lo
}

// chiSquareAt evaluates the χ² worst case at ν. With the largest losses active,
// k their weight and top their mean, Σ y = 1 gives n y_j = w_j (n/k + (ℓ_j − top)/ν).
func chiSquareAt(s *Sorted, nu float64) (w WorstCase, k, top float64) {
	N := float64(len(s.loss))
	lo := activeRows(s, nu)
	k = s.upTo(lo)
	var total Summer
	for i, l := range s.loss[:lo] {
		total.Add(s.weightOf(i) * l)
	}
	top = total.Sum() / k
	var sq, gain, y2 Summer // Σ w (ℓ − top)², Σ (n y_j)(ℓ_j − top), Σ (n y_j)²
	most := 0.0
	for i, l := range s.loss[:lo] {
		w, d := s.weightOf(i), l-top
		r := N/k + d/nu
		sq.Add(w * d * d)
		gain.Add(w * r * d)
		y2.Add(w * r * (w * r))
		most = max(most, w*r)
	}
	sumR2 := N*N/k + sq.Sum()/(nu*nu) // Σ w (n y_j/w)²
	m := top + gain.Sum()/N
	radius := math.Max(0, (sumR2/N-1)/2)
	return WorstCase{
		Nu: nu, Radius: Num(radius), Mean: Num(m), Penalised: Num(m - nu*radius),
		Effective: Num(N * N / y2.Sum()), MaxWeight: Num(most),
	}, k, top
}

const curvePoints = 28

// SmallestRadius is where the curves start: both divergences are then about
// half the variance of n y.
const SmallestRadius = 1e-3

// finest is the least ν of a curve, in standard deviations of the losses, and how far two
// losses differ that count as different.
const finest = 1e-9

// nuGrid returns decreasing ν whose radii are about evenly spaced on a
// logarithmic scale from smallestRadius to the largest, which is told of the
// weight of the rows that share the largest loss: without a penalty they hold
// all. Only the spacing is approximate: radius may be.
func nuGrid(s *Sorted, radius func(nu float64) float64, largest func(weight float64) float64) []float64 {
	n := len(s.loss)
	sd := math.Sqrt(s.sq[n] / float64(n))
	if !(sd > 1e-12*math.Abs(s.base)) || Bad(sd) {
		return nil // all losses equal: every reweighting has the same mean
	}
	shared := 1
	for shared < n && s.loss[0]-s.loss[shared] <= finest*sd {
		shared++
	}
	top := largest(s.upTo(shared))
	if top <= SmallestRadius {
		return nil
	}
	var out []float64
	hi := sd * 1e6
	for i := range curvePoints {
		want := SmallestRadius * math.Pow(top/SmallestRadius, float64(i)/(curvePoints-1))
		lo := sd * finest
		for range 20 {
			mid := math.Sqrt(lo * hi)
			r := radius(mid)
			if r > want {
				lo = mid
			} else {
				hi = mid
			}
			if math.Abs(r-want) < 0.03*want {
				hi = mid
				break
			}
		}
		if len(out) == 0 || hi < out[len(out)-1] {
			out = append(out, hi)
		}
	}
	return out
}

// WorstCaseKLCurve bisects on a thinned copy of the losses (the largest kept,
// the others averaged in blocks), then evaluates every point exactly.
func WorstCaseKLCurve(s *Sorted) []WorstCase {
	const keep, blocks = 128, 256
	n := len(s.loss)
	var loss, weight []float64
	for lo := 0; lo < n; {
		hi := lo + 1
		if lo >= keep {
			hi = min(n, lo+max(1, (n-keep)/blocks))
		}
		loss = append(loss, s.base+(s.sum[hi]-s.sum[lo])/(s.upTo(hi)-s.upTo(lo)))
		weight = append(weight, s.upTo(hi)-s.upTo(lo))
		lo = hi
	}
	radius := func(nu float64) float64 {
		var z, zl float64
		for i, l := range loss {
			d := (l - loss[0]) / nu
			x := weight[i] * math.Exp(d)
			z += x
			zl += x * d
		}
		return zl/z - math.Log(z/float64(n))
	}
	out := []WorstCase{}
	for _, nu := range nuGrid(s, radius, func(k float64) float64 { return 0.97 * math.Log(float64(n)/k) }) {
		w, _ := KLAt(s, nu)
		out = append(out, w)
	}
	return out
}

// WorstCaseChiSquareCurve returns the worst case over a range of ν.
func WorstCaseChiSquareCurve(s *Sorted) []WorstCase {
	n := float64(len(s.loss))
	radius := func(nu float64) float64 { // by running sums: less exact than chiSquareAt, and quick
		m := activeRows(s, nu)
		k := s.upTo(m)
		a := s.sum[m] / k
		return ((n*n/k+math.Max(0, s.sq[m]-k*a*a)/(nu*nu))/n - 1) / 2
	}
	out := []WorstCase{}
	for _, nu := range nuGrid(s, radius, func(k float64) float64 { return math.Min(100, 0.45*(n/k-1)) }) {
		w, _, _ := chiSquareAt(s, nu)
		out = append(out, w)
	}
	return out
}
