package eval

import "github.com/drotrain/drotrain/internal/printable"

// An Interval is a confidence interval with its method: "skewness-adjusted t", "t of the logit", "wilson",
// "wilson, combined", "order statistics", "bootstrap, bins bounded" or "simultaneous".
type Interval struct {
	Low    Num    `json:"low"`
	High   Num    `json:"high"`
	Method string `json:"method"`
}

// Text formats the interval as "low to high" with the decimals of scale; it returns "" for nil.
func (iv *Interval) Text(scale float64) string {
	if iv == nil || !iv.Low.Defined() || !iv.High.Defined() {
		return ""
	}
	return printable.NumberAtScale(float64(iv.Low), scale) + " to " + printable.NumberAtScale(float64(iv.High), scale)
}
