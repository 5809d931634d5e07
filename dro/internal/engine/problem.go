package engine

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"

	"github.com/drotrain/drotrain/dro/saddle"
)

// smallestNormal is the smallest normal number; the inverse of a smaller number may overflow.
const smallestNormal = 0x1p-1022

// CheckParts returns an error if p lacks a part.
func CheckParts(p *saddle.Problem) error {
	if p == nil || isMissing(p.Oracle) || isMissing(p.Dual) || isMissing(p.Primal) {
		return errors.New("dro: a Problem needs an Oracle, a Dual and a Primal")
	}
	return nil
}

// Validate returns the first error of p.
func Validate(p *saddle.Problem) error {
	if err := CheckParts(p); err != nil {
		return err
	}
	n, d, s := p.Oracle.Dims()
	if n < 1 || d < 1 || s < 1 {
		return fmt.Errorf("dro: the oracle has %d samples, %d parameters and slopes of length %d; all three must be positive",
			n, d, s)
	}
	if err := ValidateDual(p.Dual, n); err != nil {
		return err
	}
	if mu := p.Primal.Modulus(); !(mu >= 0) || math.IsInf(mu, 1) {
		return fmt.Errorf("dro: μ is %v; it must be finite and ≥ 0", mu)
	}
	if w, ok := p.Primal.(saddle.Wasserstein); ok && (!(w.Radius >= 0) || math.IsInf(w.Radius, 1)) {
		return fmt.Errorf("dro: the radius of the Wasserstein regulariser is %v; it must be finite and ≥ 0", w.Radius)
	}
	switch k := FreeCount(p.Primal); {
	case k > 0 && k != s:
		return fmt.Errorf("dro: the number of unpenalised coordinates is %d, but a slope of the oracle has length %d; both "+
			"must be equal: set L2.Classes to the number of classes of softmax regression, and to 0 for other losses", k, s)
	case k > 0 && d%k != 0:
		return fmt.Errorf("dro: the number of parameters is %d, which is not a multiple of the number of unpenalised "+
			"coordinates, %d", d, k)
	}
	return nil
}

// ValidateDual returns an error that states why d cannot weight n samples, or nil if it can.
func ValidateDual(d saddle.Dual, n int) error {
	if nu := d.Modulus(); !(nu >= 0) || math.IsInf(nu, 1) {
		return fmt.Errorf("dro: ν is %v; it must be finite and ≥ 0", nu)
	} else if nu > 0 && nu < smallestNormal {
		return fmt.Errorf("dro: ν is %v, a denormal number with too few digits: use 0", nu)
	}
	if v, ok := d.(interface{ Valid(n int) error }); ok {
		if err := v.Valid(n); err != nil {
			return fmt.Errorf("dro: %w", err)
		}
	}
	return nil
}

// isMissing reports whether a part of a problem is nil, or a nil pointer.
func isMissing(part any) bool {
	v := reflect.ValueOf(part)
	return part == nil || v.Kind() == reflect.Pointer && v.IsNil()
}

// validatePoint returns an error if x is not in X.
func validatePoint(p *saddle.Problem, x []float64) error {
	if set, ok := p.Primal.(saddle.Geometry); ok {
		if err := set.Contains(x); err != nil {
			return fmt.Errorf("dro: %w", err)
		}
	}
	return nil
}

// freeSample is the number of samples in which the last column is checked.
const freeSample = 4096

// ValidateFree checks in the first samples that the column of an unpenalised coordinate is the constant 1. The
// gradient of weighted samples with slope 1 is then the sum of the weights, for any weights.
func (r *Run) ValidateFree() error {
	n, d := r.Cert.N, r.Cert.D
	count := FreeCount(r.Problem.Primal)
	if count == 0 {
		return nil
	}
	first, end := r.Cert.Rows.LocalRange(n)
	samples := min(end-first, freeSample)
	r.Cert.Spend(0.5 * float64(min(n, freeSample)) / float64(n))
	// memory that is not yet in use
	weight, slope, g := r.Cert.Value[first:end], r.Cert.Slope[first*count:end*count], make([]float64, d)
	sum, size, rng := 0.0, 0.0, rand.New(rand.NewPCG(1, 2))
	for j := range samples {
		weight[j] = rng.NormFloat64()
		for c := range count {
			slope[j*count+c] = 1
		}
		sum += weight[j]
		size += math.Abs(weight[j])
	}
	r.Problem.Oracle.AddGradTo(g, r.Cert.Value, r.Cert.Slope, first, first+samples)
	wrong := []float64{0}
	for _, v := range g[d-count:] {
		if math.Abs(v-sum) > 1e-9*size {
			wrong[0] = 1
		}
	}
	if r.Cert.Rows.Comm().Sum(wrong); wrong[0] > 0 {
		return errors.New("dro: the last coordinate is declared an intercept, but the last column of the design matrix is " +
			"not constant 1")
	}
	return nil
}
