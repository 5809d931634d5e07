package level

import (
	"fmt"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/printable"
)

// A Range holds the levels of an adversary over rows at which a constant prediction is optimal on a table. A
// constant prediction is then optimal at all stronger levels too (docs/math.md §10).
type Range struct {
	// one element for each divergence; absent if a constant is not optimal at any radius
	Balls []BallRange `json:"balls,omitempty"`
	// largest Protect at which a constant is optimal, to within about 1 %; nil if there is none
	Protect *float64 `json:"protect,omitempty"`
	// smallest Radius of the total variation at which a constant is optimal, to within about 1 %; nil if there
	// is none, or if the penalty is a different divergence
	Shift *float64 `json:"shift,omitempty"`

	Rows int `json:"rows"` // number of rows from which the range was computed
	Of   int `json:"of"`   // number of training rows
}

// A BallRange holds the levels of one divergence at which a constant prediction is optimal.
type BallRange struct {
	Penalty dro.Divergence `json:"penalty"`
	Ess     float64        `json:"ess"`    // Ess up to this value
	Radius  float64        `json:"radius"` // Radius of at least this value
	// largest Nu at which probabilities are within 0.001 of each other; 0 if unknown
	Nu float64 `json:"nu,omitempty"`
}

// Contains reports whether a constant prediction is known to be optimal at level l. It returns false for levels over
// groups, averages, spectral risks, Wasserstein balls and adversaries of the caller, and if r is nil.
func (r *Range) Contains(l Level) bool {
	if r == nil || l.IsGroupwise() || l.KeepsWeights() || l.Own != nil {
		return false
	}
	if l.Protect != nil {
		return r.Protect != nil && *l.Protect <= *r.Protect
	}
	if l.Penalty == dro.TotalVariation && l.Radius != nil {
		return r.Shift != nil && *l.Radius >= *r.Shift
	}
	for _, b := range r.Balls {
		switch {
		case b.Penalty != l.Penalty && !(b.Penalty == dro.KullbackLeibler && l.Penalty == ""):
		case l.Nu != nil:
			return *l.Nu <= b.Nu
		case l.HasDivergence():
			return l.divergenceRadius() >= b.Radius
		}
	}
	return false
}

// String returns the range as a clause, or "" if a constant is not optimal at any level.
func (r *Range) String() string {
	if r == nil {
		return ""
	}
	var levels []string
	if r.Protect != nil {
		levels = append(levels, fmt.Sprintf("--protect up to %.2g", *r.Protect))
	}
	for _, b := range r.Balls {
		levels = append(levels, fmt.Sprintf("--penalty %s with --ess up to %.2g or --radius from %.3g", b.Penalty, b.Ess,
			b.Radius))
	}
	if r.Shift != nil {
		levels = append(levels, fmt.Sprintf("--penalty tv with --radius from %.2g", *r.Shift))
	}
	if levels == nil {
		return ""
	}
	sample := ""
	if r.Rows < r.Of {
		sample = fmt.Sprintf(" (computed from %s of %s rows)", printable.Count(r.Rows), printable.Count(r.Of))
	}
	return "on these data, a constant prediction is optimal for " + printable.JoinWords(levels, "and") + sample
}
