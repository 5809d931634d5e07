package level

import (
	"fmt"
	"strings"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/printable"
)

// A Range holds the levels of an adversary over rows at which a constant prediction, the same for every row, is
// optimal on a table: stronger levels leave no model either (docs/math.md §10).
type Range struct {
	Balls   []BallRange `json:"balls,omitempty"`   // by divergence; one is absent if every radius leaves a model
	Protect *float64    `json:"protect,omitempty"` // Protect up to this, to about 1 %; nil: every one leaves a model
	// Radius from this on, to about 1 %, of the total variation; nil: every one leaves a model, or it is not the penalty
	Shift *float64 `json:"shift,omitempty"`

	Rows int `json:"rows"` // rows that the range was computed from
	Of   int `json:"of"`   // training rows
}

// A BallRange holds the levels of one divergence that leave no model.
type BallRange struct {
	Penalty dro.Divergence `json:"penalty"`
	Ess     float64        `json:"ess"`    // Ess up to this
	Radius  float64        `json:"radius"` // Radius from this on
	// Nu up to this leaves probabilities within 0.001 of each other; 0: unknown
	Nu float64 `json:"nu,omitempty"`
}

// Excludes reports whether l leaves no model. It is false for levels over groups, for averages and for adversaries
// of the caller's.
func (r *Range) Excludes(l Level) bool {
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

// String returns the range as a sentence; "" if every level leaves a model.
func (r *Range) String() string {
	if r == nil {
		return ""
	}
	var levels []string
	if r.Protect != nil {
		levels = append(levels, fmt.Sprintf("--protect %.2g", *r.Protect))
	}
	for _, b := range r.Balls {
		levels = append(levels, fmt.Sprintf("--ess %.2g (%s; radius %.3g)", b.Ess, b.Penalty, b.Radius))
	}
	if r.Shift != nil {
		levels = append(levels, fmt.Sprintf("--penalty tv --radius %.2g", *r.Shift))
	}
	if levels == nil {
		return ""
	}
	text := levels[len(levels)-1]
	if len(levels) > 1 {
		text = strings.Join(levels[:len(levels)-1], ", ") + " or " + text
	}
	sample := ""
	if r.Rows < r.Of {
		sample = fmt.Sprintf(" (computed from %s of %s rows)", printable.Count(r.Rows), printable.Count(r.Of))
	}
	return "levels stronger than " + text +
		" leave no model on this table: the best prediction is the same for every row" + sample
}
