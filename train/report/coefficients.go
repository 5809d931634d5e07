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
		Models: []string{Baseline, Robust},
		Unit:   m.Encoder.Target.Name + " per unit", Scaled: "per standard deviation of the column",
	}
	if m.Encoder.Target.Task == data.Binary {
		c.Unit = "log-odds per unit"
	}
	robust, erm := []float64{}, []float64{}
	for _, e := range m.Explain() {
		robust, erm = append(robust, e.Robust), append(erm, e.Baseline)
		c.Rows = append(c.Rows, eval.Coefficient{Name: e.Name})
	}
	add := func(original, scaled []float64) {
		for i := range c.Rows {
			row := &c.Rows[i]
			row.Original = append(row.Original, eval.Num(original[i]))
			if i < len(scaled) {
				row.Scaled = append(row.Scaled, eval.Num(scaled[i]))
			}
		}
	}
	add(erm, m.Baseline)
	add(robust, m.Coefficients)
	if m.GroupWeighted != nil {
		other := *m // explained in the place of the baseline
		other.Baseline = m.GroupWeighted
		var balanced []float64
		for _, e := range other.Explain() {
			balanced = append(balanced, e.Baseline)
		}
		if len(balanced) == len(c.Rows) {
			c.Models = append(c.Models, Balanced)
			add(balanced, m.GroupWeighted)
		}
	}
	return c
}
