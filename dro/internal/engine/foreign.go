package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/dro/internal/contract"
	"github.com/drotrain/drotrain/dro/saddle"
	"gonum.org/v1/gonum/floats"
)

// The functions below check parts of a problem that other modules define, at a few points and for a few samples,
// before a solve. A wrong slope or an invalid lower bound would lead to bounds that do not contain the optimum.

// modulePath is the path of this module.
var modulePath, _, _ = strings.Cut(reflect.TypeFor[saddle.Problem]().PkgPath(), "/dro/")

// IsForeign reports whether the type of a part is defined outside of this module, or in a test of it.
func IsForeign(part any) bool {
	t := reflect.TypeOf(part)
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t != nil && (!strings.HasPrefix(t.PkgPath(), modulePath+"/") || strings.HasSuffix(t.PkgPath(), "_test"))
}

// ValidateForeign returns an error about the first requirement that an oracle, a dual or a primal of another module
// violates at a few points, or nil if there is none. It checks nothing if the samples are distributed over MPI ranks.
// It uses the vectors of the certifier, which must not be in use.
func (r *Run) ValidateForeign() error {
	p := r.Problem
	oracle, dual, primal := IsForeign(p.Oracle), IsForeign(p.Dual), IsForeign(p.Primal)
	if !oracle && !dual && !primal || r.Cert.Rows != nil {
		return nil
	}
	rng := rand.New(rand.NewPCG(3, 4))
	points := contract.PointsAround(r.Start, p.Primal, primal || Implements[saddle.Geometry](p.Primal), rng)
	const breaks = "dro: the %s %T breaks its contract, so that no bound would hold: %w"
	if primal {
		if err := (&contract.Primal{Primal: p.Primal, Points: points, Rng: rng}).Check(); err != nil {
			return fmt.Errorf(breaks, "primal", p.Primal, err)
		}
	}
	if oracle {
		if err := r.checkOracle(points); err != nil {
			return fmt.Errorf(breaks, "oracle", p.Oracle, err)
		}
	}
	if dual {
		if err := r.checkDual(points, rng); err != nil {
			return fmt.Errorf("dro: %w; no bound would hold", err)
		}
	}
	return nil
}

// checkOracle compares losses with tangents in up to three blocks of up to four samples.
func (r *Run) checkOracle(points [][]float64) error {
	const block, coordinates = 4, 200
	c := r.Cert
	o := &contract.Oracle{Oracle: r.Problem.Oracle, Points: points, Value: c.Value, Slope: c.Slope, Weight: c.Y,
		MostCoordinates: coordinates}
	for _, lo := range slices.Compact([]int{0, max(0, c.N/2-block/2), max(0, c.N-block)}) {
		if err := o.CheckSamples(lo, min(c.N, lo+block)); err != nil {
			return err
		}
	}
	return nil
}

// checkDual compares the best responses to some losses with each other.
func (r *Run) checkDual(points [][]float64, rng *rand.Rand) error {
	c := r.Cert
	size, few := 0.0, min(c.N, 16)
	r.Problem.Oracle.EvalTo(c.Value, c.Slope, r.Start, 0, few)
	for _, v := range c.Value[:few] {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			size = max(size, math.Abs(v))
		}
	}
	if size == 0 {
		size = 1
	}
	var losses [][]float64
	for k := range 4 {
		f := make([]float64, c.N)
		for j := range f {
			f[j] = size * rng.Float64()
		}
		switch k {
		case 1: // further in the direction of the first response
			floats.ScaleTo(f, 3, losses[0])
		case 3:
			floats.Scale(1.0/16, f)
			f[c.N/2] = size
		}
		losses = append(losses, f)
	}
	d := &contract.Dual{Dual: r.Problem.Dual, Slack: contract.Slack, Signed: r.isAffine(points, few),
		Imprecision: func(mass, size float64) float64 { return 4 * c.imprecisionBound(mass, size) }}
	return d.Check(losses)
}

// isAffine reports whether the first few losses equal their linear interpolation at the midpoints of successive points,
// as affine losses do. With losses that are not affine, negative weights give no lower bound.
func (r *Run) isAffine(points [][]float64, few int) bool {
	at := func(x []float64) []float64 {
		r.Problem.Oracle.EvalTo(r.Cert.Value, r.Cert.Slope, x, 0, few)
		return slices.Clone(r.Cert.Value[:few])
	}
	middle := make([]float64, r.Cert.D)
	for a, x := range points[1:] {
		floats.AddScaledTo(middle, x, 1, points[a])
		floats.Scale(0.5, middle)
		for j, m := range at(middle) {
			f, g := at(x)[j], at(points[a])[j]
			if !(math.Abs(m-(f+g)/2) <= contract.Slack*(1+math.Abs(f)+math.Abs(g))) {
				return false
			}
		}
	}
	return true
}
