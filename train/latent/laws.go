package latent

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/design"
)

// Laws are linear models of which every row follows one.
type Laws struct {
	Law     []Law     `json:"laws"`             // the law of most rows first
	Growth  []float64 `json:"growth,omitempty"` // 4d: the noise of a row is that of its law times the exponential of these times its sizes; nil for two classes
	Classes bool      `json:"classes,omitempty"`

	tie *tie // of Null
}

// A Law is one of them.
type Law struct {
	Coefficients []float64 `json:"coefficients"`    // d, of the columns of the matrix
	Share        float64   `json:"share"`           // of the rows that follow it
	Noise        float64   `json:"noise,omitempty"` // standard deviation around it; 0 for two classes
}

// A tie makes a law no other law: scale times the coefficients of another, and shift in the
// intercept.
type tie struct {
	of, part     int
	scale, shift float64
	wrong        bool // scale is −1 and shift 0
}

// Valid reports whether the laws are several, of d columns each, of shares and noises.
func (l *Laws) Valid(d int) bool {
	for _, law := range l.Law {
		if len(law.Coefficients) != d || !(law.Share > 0 && law.Share < 1) || l.Classes == (law.Noise > 0) {
			return false
		}
	}
	return len(l.Law) > 1 && (l.Growth == nil || len(l.Growth) == terms*d)
}

// Names are what the laws are called, that of most rows first.
func (l *Laws) Names() []string {
	if len(l.Law) == 2 {
		return []string{"common law", "other law"}
	}
	names := []string{"common law"}
	for k := range l.Law[1:] {
		names = append(names, fmt.Sprintf("other law %d", k+1))
	}
	return names
}

// Posterior returns, for every law and row, the probability that the row follows it, given
// its features and its target, and the logarithm of the density of the target under the
// mixture.
func (l *Laws) Posterior(x design.Matrix, target []float64) (p [][]float64, density []float64) {
	p, density = make([][]float64, len(l.Law)), make([]float64, len(target))
	for k := range p {
		p[k] = make([]float64, len(target))
	}
	var growth []float64
	if l.Growth != nil {
		growth = make([]float64, len(target))
		growthOf(growth, sizes(x, len(target), false), l.Growth)
	}
	l.posterior(p, density, x, target, growth)
	return p, density
}

// posterior stores what Posterior returns, of rows whose noise grows by growth; nil: by 1.
func (l *Laws) posterior(p [][]float64, density []float64, x design.Matrix, target, growth []float64) {
	n := len(target)
	for k, law := range l.Law {
		x.MarginsTo(p[k], law.Coefficients, 0, n)
		share := math.Log(law.Share)
		for j, y := range target {
			if l.Classes {
				p[k][j] = share - softplus(-y*p[k][j])
				continue
			}
			s := law.Noise
			if growth != nil {
				s *= growth[j]
			}
			z := (y - p[k][j]) / s
			p[k][j] = share - z*z/2 - math.Log(s) - 0.5*math.Log(2*math.Pi)
		}
	}
	for j := range target {
		top, sum := math.Inf(-1), 0.0
		for k := range p {
			top = max(top, p[k][j])
		}
		for k := range p {
			p[k][j] = math.Exp(p[k][j] - top)
			sum += p[k][j]
		}
		for k := range p {
			p[k][j] /= sum
		}
		density[j] = top + math.Log(sum)
	}
}

func softplus(m float64) float64 { return max(m, 0) + math.Log1p(math.Exp(-math.Abs(m))) }
