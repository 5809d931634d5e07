package eval

import (
	"fmt"
	"math"
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
	s, err := newWorst(loss, nu)
	if err != nil {
		return nil, WorstCase{}, err
	}
	y := make([]float64, len(loss))
	w, z := klAt(s, nu)
	for i, l := range loss {
		y[i] = math.Exp((l-s.loss[0])/nu) / z
	}
	return y, w, nil
}

// WorstCaseChiSquare returns y_j = (1 + (ℓ_j − τ)/ν)₊/n with τ such that
// Σ y_j = 1, which maximises Σ y_j ℓ_j − (νn/2) Σ (y_j − 1/n)² over the
// simplex, and what it amounts to. Errors as [WorstCaseKL].
func WorstCaseChiSquare(loss []float64, nu float64) ([]float64, WorstCase, error) {
	s, err := newWorst(loss, nu)
	if err != nil {
		return nil, WorstCase{}, err
	}
	w, tau := chiSquareAt(s, nu)
	y := make([]float64, len(loss))
	for i, l := range loss {
		y[i] = math.Max(0, 1+((l-s.base)-tau)/nu) / float64(len(loss))
	}
	return y, w, nil
}

func newWorst(loss []float64, nu float64) (*sorted, error) {
	if !(nu > 0) || math.IsInf(nu, 0) {
		return nil, fmt.Errorf("eval: penalty ν = %v is not a positive number", nu)
	}
	return newSorted(loss)
}

// klAt evaluates the KL worst case at ν; z = Σ exp((ℓ − max ℓ)/ν).
func klAt(s *sorted, nu float64) (w WorstCase, z float64) {
	top := s.loss[0]
	n := float64(len(s.loss))
	var z1, z2, zl float64 // Σ e, Σ e², Σ e·(ℓ − top), with e = exp((ℓ − top)/ν)
	for _, l := range s.loss {
		d := (l - top) / nu
		if d < -745 {
			break // descending: every later term is zero
		}
		x := math.Exp(d)
		z1 += x
		z2 += x * x
		zl += x * (l - top)
	}
	mean := top + zl/z1
	radius := math.Max(0, zl/z1/nu-math.Log(z1/n))
	pen := top + nu*math.Log(z1/n)
	return WorstCase{
		Nu: nu, Radius: Num(radius), Mean: Num(mean), Penalised: Num(pen),
		Effective: Num(z1 * z1 / z2), MaxWeight: Num(n / z1),
	}, z1
}

// chiSquareAt evaluates the χ² worst case at ν; tau is relative to s.base.
// With the k largest losses active, Σ y = 1 gives k(1 − τ/ν) + S_k/ν = n.
func chiSquareAt(s *sorted, nu float64) (w WorstCase, tau float64) {
	n := len(s.loss)
	// The active set is the largest k with r_k > 0 at its own τ; being active
	// is monotone in k.
	lo, hi := 1, n
	tauOf := func(k int) float64 { return nu + (s.sum[k]-nu*float64(n))/float64(k) }
	for lo < hi {
		k := (lo + hi + 1) / 2
		if nu+s.loss[k-1]-s.base-tauOf(k) > 0 {
			lo = k
		} else {
			hi = k - 1
		}
	}
	k, N := float64(lo), float64(n)
	tau = tauOf(lo)
	c := 1 - tau/nu // r_j = c + d_j/ν, d = loss − base
	s1, s2 := s.sum[lo], s.sq[lo]
	sumR2 := math.Max(0, k*c*c+2*c*s1/nu+s2/(nu*nu))
	mean := s.base + (c*s1+s2/nu)/N
	radius := math.Max(0, (sumR2/N-1)/2)
	return WorstCase{
		Nu: nu, Radius: Num(radius), Mean: Num(mean), Penalised: Num(mean - nu*radius),
		Effective: Num(N * N / sumR2), MaxWeight: Num(c + (s.loss[0]-s.base)/nu),
	}, tau
}

const curvePoints = 28

// nuGrid runs from a ν at which the weights are nearly uniform down to one at
// which few rows hold them, relative to the spread of the losses.
func nuGrid(s *sorted) []float64 {
	n := len(s.loss)
	sd := math.Sqrt(s.sq[n] / float64(n))
	if !(sd > 1e-12*math.Abs(s.base)) || sd == 0 {
		return nil // all losses equal: every reweighting has the same mean
	}
	out := make([]float64, curvePoints)
	for i := range out {
		out[i] = sd * math.Pow(10, 1.5-3*float64(i)/(curvePoints-1))
	}
	return out
}

func worstCaseKLCurve(s *sorted) []WorstCase {
	out := []WorstCase{}
	for _, nu := range nuGrid(s) {
		w, _ := klAt(s, nu)
		out = append(out, w)
	}
	return out
}

func worstCaseChiSquareCurve(s *sorted) []WorstCase {
	out := []WorstCase{}
	for _, nu := range nuGrid(s) {
		w, _ := chiSquareAt(s, nu)
		out = append(out, w)
	}
	return out
}
