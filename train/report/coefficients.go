package report

import (
	"fmt"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train"
)

// lossName names the loss with its parameter.
func lossName(c train.Config) string {
	if c.Loss == "huber" {
		return fmt.Sprintf("huber(δ=%g)", c.HuberDelta)
	}
	return c.Loss
}

// LossUnit is the unit that losses and bounds of a training are in.
func LossUnit(c train.Config) string {
	if c.Loss == "logistic" {
		return "nats"
	}
	if c.ScaleTarget {
		return fmt.Sprintf("(standard deviations of %s)²", c.Target)
	}
	return fmt.Sprintf("(units of %s)²", c.Target)
}

// Coefficients are those of the baselines and of the robust model, side by side, in
// the units of the columns and in those of the encoded ones.
func Coefficients(m *train.Model) *eval.Coefficients {
	c := &eval.Coefficients{
		Unit: m.Encoder.Target.Name + " per unit", Scaled: "per standard deviation of the column",
	}
	if m.Encoder.Target.Task == data.Binary {
		c.Unit = "log-odds per unit"
	}
	for _, e := range m.Explain() {
		c.Rows = append(c.Rows, eval.Coefficient{Name: e.Name})
	}
	for _, v := range versions(m) {
		c.Models = append(c.Models, v.name)
		original := m.Original(v.x)
		for i := range c.Rows {
			row := &c.Rows[i]
			row.Original = append(row.Original, eval.Num(original[i]))
			if i < len(v.x) {
				row.Scaled = append(row.Scaled, eval.Num(v.x[i]))
			}
		}
	}
	return c
}

// A version is one of the trainings of a model.
type version struct {
	name string
	x    []float64
}

// versions are the robust model and its baselines, in the order of presentation.
func versions(m *train.Model) []version {
	var out []version
	for _, v := range []version{{Baseline, m.Baseline}, {Robust, m.Scoring()}, {Balanced, m.GroupWeighted}} {
		if v.x != nil {
			out = append(out, v)
		}
	}
	return out
}
