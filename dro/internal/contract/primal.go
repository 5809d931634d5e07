package contract

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/drotrain/drotrain/dro/saddle"
	"gonum.org/v1/gonum/floats"
)

// A Primal is a regulariser with points in X at which its values, proximal steps, gradients and bounds are
// compared.
type Primal struct {
	saddle.Primal
	Points [][]float64
	Rng    *rand.Rand
}

// mostCoordinates is the maximum number of derivatives that are compared with differences for a message.
const mostCoordinates = 200

// Check returns an error about the first requirement that the primal violates.
func (c *Primal) Check() error {
	phi := c.Primal
	value := make([]float64, len(c.Points))
	signed, _ := phi.(saddle.NonNegative)
	for k, x := range c.Points {
		switch value[k] = phi.Value(x); {
		case math.IsNaN(value[k]) || math.IsInf(value[k], 0):
			return fmt.Errorf("the value is %v at the starting point or at a point that ProxTo returned", value[k])
		case signed != nil && signed.NonNegative() && value[k] < -Slack:
			return fmt.Errorf("NonNegative returns true, but one value is %v", value[k])
		}
	}
	middle := make([]float64, len(c.Points[0]))
	for a, x := range c.Points {
		for b, z := range c.Points[:a] {
			floats.AddScaledTo(middle, x, 1, z)
			floats.Scale(0.5, middle)
			most := (value[a] + value[b]) / 2
			if got := phi.Value(middle); !(got <= most+Slack*(math.Abs(value[a])+math.Abs(value[b])+math.Abs(got))) {
				return fmt.Errorf("the values are %v and %v at two points, but %v halfway between them, above %v: the "+
					"function is not convex", value[a], value[b], got, most)
			}
		}
	}
	if err := c.checkGradients(value); err != nil {
		return err
	}
	return c.checkSteps(value)
}

// checkGradients returns an error if a tangent of the regulariser lies above it.
func (c *Primal) checkGradients(value []float64) error {
	smooth, ok := c.Primal.(saddle.Smooth)
	if !ok {
		return nil
	}
	for a, x := range c.Points {
		g := make([]float64, len(x))
		for range 2 { // the second call must add to the first
			smooth.AddGradTo(g, x)
		}
		floats.Scale(0.5, g)
		for b, z := range c.Points {
			tangent, size := value[a], math.Abs(value[a])+math.Abs(value[b])
			for i, v := range g {
				tangent += v * (z[i] - x[i])
				size += math.Abs(v) * (math.Abs(x[i]) + math.Abs(z[i]))
			}
			if value[b] < tangent-Slack*size || math.IsNaN(tangent) {
				return c.primalGradientError(x, g)
			}
		}
	}
	return nil
}

// primalGradientError returns an error that names the coordinate in which the gradient g of the regulariser at x
// differs most from a difference of values.
func (c *Primal) primalGradientError(x, g []float64) error {
	worst, far, difference := 0, -1.0, 0.0
	z := slices.Clone(x)
	for i := range min(len(x), mostCoordinates) {
		step := 1e-5 * (1 + math.Abs(x[i]))
		z[i] = x[i] + step
		above := c.Primal.Value(z)
		z[i] = x[i] - step
		d := (above - c.Primal.Value(z)) / (2 * step)
		if z[i] = x[i]; math.Abs(d-g[i]) > far {
			worst, far, difference = i, math.Abs(d-g[i]), d
		}
	}
	return fmt.Errorf("AddGradTo adds a gradient whose tangent lies above the function: coordinate %d of the gradient "+
		"is %v, but finite differences give %v", worst, g[worst], difference)
}

// checkSteps returns an error if a proximal step does not minimise the function that it should, or if FenchelYoung
// returns less than the difference to the value at some other point.
func (c *Primal) checkSteps(value []float64) error {
	phi, d := c.Primal, len(c.Points[0])
	for _, scale := range []float64{0, 0.1, 1, 10} {
		g := make([]float64, d)
		for i := range g {
			g[i] = scale * c.Rng.NormFloat64()
		}
		for a, x := range c.Points {
			if a > 4 { // the start and the points closest to it
				break
			}
			away := phi.FenchelYoung(x, g)
			if math.IsNaN(away) {
				return errors.New("FenchelYoung returned NaN")
			}
			// The points to compare with are the given points and those that a few steps from x reach,
			// close to the minimiser.
			near := slices.Clone(x)
			others, values := slices.Clone(c.Points), slices.Clone(value)
			for _, weight := range []float64{10, 0.1, 1e-3} {
				next := make([]float64, d)
				phi.ProxTo(next, g, coordsOf(phi, near), 1, weight)
				if slices.ContainsFunc(next, isNotFinite) {
					return fmt.Errorf("ProxTo returned %v in coordinate %d", next[slices.IndexFunc(next, isNotFinite)],
						slices.IndexFunc(next, isNotFinite))
				}
				if _, bounded := phi.(saddle.Geometry); !bounded {
					if err := c.checkStep(next, g, near, weight); err != nil {
						return err
					}
				}
				near = next
				others, values = append(others, near), append(values, phi.Value(near))
			}
			for b, z := range others {
				least, size := value[a]-values[b], math.Abs(value[a])+math.Abs(values[b])
				for i, v := range g {
					least += v * (x[i] - z[i])
					size += math.Abs(v) * (math.Abs(x[i]) + math.Abs(z[i]))
				}
				if away < least-Slack*size {
					return fmt.Errorf("FenchelYoung(x, g) returned %v; it must be at least %v, since φ(x) + ⟨g, x⟩ exceeds its "+
						"value at another point by this amount", away, least)
				}
			}
		}
	}
	return nil
}

// checkStep returns an error if z does not minimise ⟨g, ·⟩ + φ + weight·½‖· − center‖².
func (c *Primal) checkStep(z, g, center []float64, weight float64) error {
	objective := func(x []float64) (v, size float64) {
		apart := floats.Distance(x, center, 2)
		for i := range g {
			size += math.Abs(g[i] * x[i])
		}
		phi := c.Primal.Value(x)
		v = floats.Dot(g, x) + phi + weight/2*apart*apart
		return v, size + math.Abs(phi) + weight/2*apart*apart
	}
	best, size := objective(z)
	for _, x := range c.Points {
		v, other := objective(x)
		apart := floats.Distance(x, z, 2)
		if best > v-weight/2*apart*apart+Slack*(size+other+weight*apart*apart) {
			worst, slope, at := 0, 0.0, slices.Clone(z)
			for i := range min(len(z), mostCoordinates) {
				step := 1e-5 * (1 + math.Abs(z[i]))
				at[i] = z[i] + step
				above, _ := objective(at)
				at[i] = z[i] - step
				below, _ := objective(at)
				if at[i] = z[i]; math.Abs(above-below) > 2*step*math.Abs(slope) {
					worst, slope = i, (above-below)/(2*step)
				}
			}
			return fmt.Errorf("ProxTo(dst, g, center, 1, %v) does not minimise: the objective is %v at dst, but %v at "+
				"another point; in coordinate %d, where dst is %v, the slope of the objective is %v", weight, best, v, worst,
				z[worst],
				slope)
		}
	}
	return nil
}
