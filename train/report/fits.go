package report

import (
	"maps"
	"math"
	"slices"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/memory"
	"github.com/drotrain/drotrain/train"
)

// fits returns the versions as solutions of equations over the training rows; nil, and why,
// where these do not describe them.
func (x *Measured) fits() (fits []*fit, why []string) {
	m, run, c := x.model, x.run, x.model.Config
	for _, v := range versions(m) {
		f := &fit{loss: m.Loss(), x: v.x, mu: *c.Mu, free: run.Train.Intercept, weight: sharesOf(run.Weight)}
		reason := ""
		switch {
		case v.role == eval.BalancedModel:
			f.over = x.groups()
			for range f.over.n {
				f.over.q = append(f.over.q, 1/float64(len(f.over.n)))
			}
		case v.role == role(m):
			reason = x.answering(f)
		}
		if v.role == role(m) && m.Recalibrated != nil {
			f.x, f.slope, f.intercept = m.Coefficients, m.Result.Recalibration.Slope, m.Result.Recalibration.Intercept
		}
		if reason != "" {
			f = nil
		}
		fits, why = append(fits, f), append(why, reason)
	}
	return fits, why
}

// answering stores in f how the adversary of the robust model follows the losses, or returns why no
// equations describe it.
func (x *Measured) answering(f *fit) (why string) {
	m, run, c := x.model, x.run, x.model.Config
	s := m.Summary("")
	switch {
	case c.Average == "plain":
		return ""
	case run.Weights == nil:
		return "the weights of its adversary are not unique and were not kept; the page that drotrain train writes has them"
	}
	f.y = sharesOf(run.Weights)
	switch {
	case c.Groupwise():
		x.answeringGroups(f)
		return ""
	case c.Protect != nil && *c.Protect < 1:
		f.answer = answer{kind: "tail", share: *c.Protect}
	case c.Protect != nil, s.Penalty == "":
	case s.Nu > leastPenalty*math.Abs(s.AverageRisk) && !math.IsInf(s.Nu, 1):
		f.answer = answer{kind: s.Penalty, nu: s.Nu, ball: c.Nu == nil}
	default:
		return "at ν = 0 a few rows decide, and no normal approximation holds"
	}
	return ""
}

// leastPenalty is the penalty coefficient, relative to the mean loss, below which the weights of rows jump with
// their losses.
const leastPenalty = 1e-6

// answeringGroups works like answering for an adversary over groups.
func (x *Measured) answeringGroups(f *fit) {
	c := x.model.Config
	f.answer = answer{kind: c.Penalty, ball: c.Radius != nil, adjust: c.Adjust}
	f.over = x.groups()
	if c.Nu != nil {
		f.answer.nu = *c.Nu
	}
	if f.answer.nu == 0 && !f.answer.ball {
		f.answer.kind = "largest"
	}
	f.over.q = make([]float64, len(f.over.n))
	for i, g := range f.over.of {
		if g >= 0 {
			f.over.q[g] += f.y.normalised(i)
		}
	}
}

// groups returns the groups of the training rows as an adversary numbers them.
func (x *Measured) groups() *overGroups {
	of := train.Rows(x.run.Train, x.run.Weight).Group
	number := map[int32]int32{}
	for _, g := range of {
		number[g] = 0
	}
	delete(number, -1)
	o := &overGroups{of: memory.Make[int32](arenaOf(x.run.Train), len(of))}
	for _, g := range slices.Sorted(maps.Keys(number)) {
		number[g] = int32(len(o.n))
		o.n = append(o.n, 0)
	}
	for i, g := range of {
		if o.of[i] = -1; g >= 0 {
			o.of[i] = number[g]
			o.n[o.of[i]]++
		}
	}
	return o
}

// shares are weights over their sum, of which there is no copy.
type shares struct {
	weight []float64 // nil: none
	sum    float64
}

func sharesOf(weight []float64) shares {
	s := shares{weight: weight}
	for _, w := range weight {
		s.sum += w
	}
	return s
}

func (s shares) normalised(i int) float64 { return s.weight[i] / s.sum }
