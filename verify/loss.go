package verify

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/internal/interval"
)

type number = interval.Interval

// A loss is a convex function of the margins of a row, which has one margin, or one for each class. Slopes are
// derivatives with respect to the margins.
type loss interface {
	// value returns the loss for margins m.
	value(m []number, target float64) number

	// clamp returns the slopes nearest to s at which the conjugate is finite, and how far each of them may
	// increase and decrease without leaving that region. If there are several margins, the changes must sum to
	// 0.
	clamp(s []float64, target float64) (slopes []number, up, down number)

	// conjugate returns f*(s) = max_m ⟨s, m⟩ − f(m).
	conjugate(s []number, target float64) number
}

// A steep loss has bounded slopes; steepest returns the largest absolute slope.
type steep interface{ steepest() number }

// A growing loss of a residual r = m − t is at least a|r| − b for a slope a > 0 and an offset b.
type growing interface{ growth() (slope, offset number) }

// losses maps the names of losses to their constructors. The parameter is the text after a colon in the name of a
// loss.
var losses = map[string]func(c *config, parameter string) (loss, error){
	"logistic": func(*config, string) (loss, error) { return logistic{}, nil },
	"squared":  func(*config, string) (loss, error) { return squared{}, nil },
	"poisson":  func(*config, string) (loss, error) { return poisson{}, nil },
	"huber": func(c *config, _ string) (loss, error) {
		if !(c.HuberDelta > 0) {
			return nil, fmt.Errorf("huber_delta is %v; it must be > 0", c.HuberDelta)
		}
		return huber{interval.New(c.HuberDelta)}, nil
	},
	"quantile": func(_ *config, parameter string) (loss, error) {
		level, err := strconv.ParseFloat(parameter, 64)
		if err != nil || !(level > 0 && level < 1) {
			return nil, fmt.Errorf("the level of the quantile loss is %q; it must be between 0 and 1", parameter)
		}
		return quantile{interval.New(level), interval.New(quantileWidth)}, nil
	},
}

// quantileWidth is the width h of the smoothed quantile loss.
const quantileWidth = 0.01

// newLoss returns the loss of a model with one margin, or with one for each class.
func newLoss(c *config, outputs int) (loss, error) {
	name, parameter, _ := strings.Cut(c.Loss, ":")
	of, known := losses[name]
	switch {
	case !known:
		return nil, fmt.Errorf("verify does not support the loss %q", c.Loss)
	case outputs > 1 && name != "logistic":
		return nil, fmt.Errorf("verify does not support the loss %q with %d classes", c.Loss, outputs)
	case outputs > 1:
		return softmax{outputs}, nil
	}
	return of(c, parameter)
}

// limit returns s limited to [low, high].
func limit(low, s, high number) number { return interval.Max(low, interval.Min(s, high)) }

// halve returns a/2.
func halve(a number) number { return interval.Mul(a, interval.New(0.5)) }

var zero, one = interval.New(0), interval.New(1)

// logistic is log(1 + e^{−tm}) with t = ±1.
type logistic struct{}

func (logistic) value(m []number, target float64) number {
	s := m[0]
	if target < 0 {
		s = interval.Neg(s)
	}
	small := interval.Log(interval.Add(one, interval.Exp(interval.Neg(interval.Abs(s)))))
	return interval.Add(small, interval.Max(interval.Neg(s), zero))
}

func (logistic) clamp(s []float64, target float64) (slopes []number, up, down number) {
	if target < 0 {
		return limitSlope(zero, s[0], one)
	}
	return limitSlope(interval.New(-1), s[0], zero)
}

func (logistic) steepest() number { return one }

// limitSlope returns a slope limited to [low, high] with its distances from both ends.
func limitSlope(low number, s float64, high number) (slopes []number, up, down number) {
	v := limit(low, interval.New(s), high)
	return []number{v}, interval.Max(interval.Sub(high, v), zero), interval.Max(interval.Sub(v, low), zero)
}

func (logistic) conjugate(s []number, target float64) number {
	p := interval.Max(interval.Abs(s[0]), zero) // the probability of the other class
	q := interval.Max(interval.Sub(one, p), zero)
	return interval.Add(interval.XLogX(p), interval.XLogX(q))
}

// squared is r²/2 with r = m − t.
type squared struct{}

func (squared) value(m []number, target float64) number {
	return halve(interval.Square(interval.Sub(m[0], interval.New(target))))
}

func (squared) clamp(s []float64, _ float64) (slopes []number, up, down number) {
	return []number{interval.New(s[0])}, one, one
}

func (squared) conjugate(s []number, target float64) number {
	return parabolaConjugate(s[0], one, target)
}

// parabolaConjugate returns h·s²/2 + s·t, the conjugate of r²/(2h).
func parabolaConjugate(s, h number, target float64) number {
	return interval.Add(halve(interval.Mul(h, interval.Square(s))), interval.Mul(s, interval.New(target)))
}

// huber is r²/2 if |r| ≤ δ, and δ(|r| − δ/2) otherwise.
type huber struct{ delta number }

func (h huber) value(m []number, target float64) number {
	r := interval.Abs(interval.Sub(m[0], interval.New(target)))
	inner := interval.Min(r, h.delta)
	return interval.Add(halve(interval.Square(inner)), interval.Mul(h.delta, interval.Max(interval.Sub(r, h.delta), zero)))
}

func (h huber) steepest() number { return h.delta }

// growth returns the linear part of the loss.
func (h huber) growth() (slope, offset number) { return h.delta, halve(interval.Square(h.delta)) }

func (h huber) clamp(s []float64, _ float64) (slopes []number, up, down number) {
	return limitSlope(interval.Neg(h.delta), s[0], h.delta)
}

func (h huber) conjugate(s []number, target float64) number {
	return parabolaConjugate(s[0], one, target)
}

// poisson is e^m − tm + t log t − t.
type poisson struct{}

func (poisson) value(m []number, target float64) number {
	t := interval.New(target)
	linear := interval.Sub(interval.Exp(m[0]), interval.Mul(t, m[0]))
	return interval.Add(linear, interval.Sub(interval.XLogX(t), t))
}

func (poisson) clamp(s []float64, target float64) (slopes []number, up, down number) {
	v := interval.Max(interval.New(s[0]), interval.New(-target))
	mean := interval.Max(interval.Add(v, interval.New(target)), zero)
	return []number{v}, mean, mean // up is in fact unlimited; a part of the mean suffices
}

func (poisson) conjugate(s []number, target float64) number {
	t := interval.New(target)
	mean := interval.Max(interval.Add(s[0], t), zero)
	return interval.Sub(interval.Sub(interval.XLogX(mean), mean), interval.Sub(interval.XLogX(t), t))
}

// quantile is the largest of s·r − h·s²/2 over −τ ≤ s ≤ 1 − τ.
type quantile struct{ level, width number }

func (q quantile) value(m []number, target float64) number {
	r := interval.Sub(m[0], interval.New(target))
	s := limit(interval.Neg(q.level), interval.Div(r, q.width), interval.Sub(one, q.level))
	return interval.Mul(s, interval.Sub(r, halve(interval.Mul(q.width, s))))
}

func (q quantile) steepest() number { return interval.Max(q.level, interval.Sub(one, q.level)) }

// growth returns the value at the slope of r's sign that is feasible for both signs.
func (q quantile) growth() (slope, offset number) {
	slope = interval.Min(q.level, interval.Sub(one, q.level))
	return slope, halve(interval.Mul(q.width, interval.Square(slope)))
}

func (q quantile) clamp(s []float64, _ float64) (slopes []number, up, down number) {
	return limitSlope(interval.Neg(q.level), s[0], interval.Sub(one, q.level))
}

func (q quantile) conjugate(s []number, target float64) number {
	return parabolaConjugate(s[0], q.width, target)
}

// softmax is log Σ_c e^{m_c} − m_t with a class t.
type softmax struct{ classes int }

func (l softmax) value(m []number, target float64) number {
	top := m[0].Lo
	for _, v := range m {
		if v.Lo.Cmp(top) > 0 {
			top = v.Lo
		}
	}
	shift, sum := number{Lo: top, Hi: top}, interval.NewSum()
	for _, v := range m {
		sum.Add(interval.Exp(interval.Sub(v, shift)))
	}
	return interval.Sub(interval.Add(interval.Log(sum.Value()), shift), m[int(target)])
}

// clamp divides the probabilities p = s + 1[c = t] by their sum. Each probability may change by up to the smallest
// probability.
func (l softmax) clamp(s []float64, target float64) (slopes []number, up, down number) {
	p, sum := make([]number, l.classes), interval.NewSum()
	for c, v := range s {
		p[c] = interval.New(v)
		if c == int(target) {
			p[c] = interval.Add(p[c], one)
		}
		p[c] = interval.Max(p[c], zero)
		sum.Add(p[c])
	}
	room := one
	for c := range p {
		p[c] = interval.Div(p[c], sum.Value())
		room = interval.Min(room, p[c])
		if c == int(target) {
			p[c] = interval.Sub(p[c], one)
		}
	}
	return p, room, room
}

func (l softmax) conjugate(s []number, target float64) number {
	sum := interval.NewSum()
	for c, v := range s {
		if c == int(target) {
			v = interval.Add(v, one)
		}
		sum.Add(interval.XLogX(interval.Max(v, zero)))
	}
	return sum.Value()
}
