package propose

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/drotrain/drotrain/data"
)

// findStartDates finds the column of dates that says when rows begin.
func (p *Proposal) findStartDates(ctx context.Context, f *data.Frame) error {
	for _, c := range f.Columns {
		if !c.Clock || c.Kind != data.Numeric || c.Name == p.Target {
			continue
		}
		c, err := c.Load(ctx)
		if err != nil {
			return err
		}
		if c.Nulls() == 0 {
			p.from = c
			return nil
		}
	}
	return nil
}

// checkDate checks a column of dates, as days.
func (p *Proposal) checkDate(c *data.Column, t *targetValues, sum summary) {
	if float64(sum.nulls) > mostlyNull*float64(c.Len()) {
		p.dropColumn(c, sum.nulls, sum.firstNull, "it is missing in %.0f %% of the rows", 100*float64(sum.nulls)/float64(c.Len()))
		return
	}
	if p.dropLaterDate(c, t) {
		return
	}
	p.Reading.Dates = "parts"
	p.addFinding(c, 0, 0, "taken apart into year, month, weekday and hour", "it holds dates or times")
	if sum.nulls > 0 {
		p.Impute = "median"
		p.addFinding(c, sum.nulls, sum.firstNull, Filled, "it is missing")
	}
}

// Of dates that come after the first ones of a table.
const (
	weekLater = 7   // days, beyond which a date is a later one
	someLater = 100 // rows, of those that are and of those that are not
	farApart  = 0.5 // between the means of the target there, in standard deviations
)

// dropLaterDate drops a date that is known only after the outcome, since the target differs between rows in
// which it is later than the start date and other rows. It reports whether it did.
func (p *Proposal) dropLaterDate(c *data.Column, t *targetValues) bool {
	if p.from == nil || c.Name == p.from.Name {
		return false
	}
	var n, sum [2]float64 // not later, later
	var all, squares float64
	for i, r := range t.rows {
		if c.IsNull(r) || p.from.IsNull(r) {
			continue
		}
		k := 0
		if c.Number[r]-p.from.Number[r] > weekLater {
			k = 1
		}
		n[k]++
		sum[k] += t.y[i]
		all += t.y[i]
		squares += t.y[i] * t.y[i]
	}
	have := n[0] + n[1]
	mean := all / have
	spread := math.Sqrt(max(0, squares/have-mean*mean))
	if min(n[0], n[1]) >= someLater && math.Abs(sum[1]/n[1]-sum[0]/n[0]) > farApart*spread {
		p.dropColumn(c, int(n[1]), 0, "where it is more than a week after %q, %s is %s (elsewhere %s): known only after the outcome", p.from.Name, meanName(p.Target, t), formatMean(sum[1]/n[1], t), formatMean(sum[0]/n[0], t))
		return true
	}
	return false
}

// meanName returns the name of the mean of a target.
func meanName(target string, t *targetValues) string {
	if t.binary {
		return fmt.Sprintf("the share of %q", t.one)
	}
	return "the mean of " + strconv.Quote(target)
}

// formatMean formats the mean of a target.
func formatMean(mean float64, t *targetValues) string {
	if t.binary {
		return fmt.Sprintf("%.0f %%", 100*mean)
	}
	return fmt.Sprintf("%.3g", mean)
}
