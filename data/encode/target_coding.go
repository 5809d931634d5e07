package encode

import (
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/internal/transform"
)

// A Target specifies how the target is encoded: as +1 for Positive and −1 for Negative, as the index of its class
// in Classes, or as (v − Shift)/Scale for a number v.
type Target struct {
	Name     string    `json:"name"`
	Task     Task      `json:"task"` // Regression, Binary or Multiclass
	Kind     data.Kind `json:"kind"` // kind of the source column
	Positive string    `json:"positive,omitempty"`
	Negative string    `json:"negative,omitempty"`
	Classes  []string  `json:"classes,omitempty"` // for Multiclass, at least three classes
	Shift    float64   `json:"shift"`
	Scale    float64   `json:"scale"`

	// Exposure is the column by which the target is divided, so that v is a rate; "" means none.
	Exposure string `json:"exposure,omitempty"`

	// Transform is "log" or "log1p" if v is this function of the target. Smear is the factor by which the
	// inverse function is multiplied to estimate the mean of the target; 0 means 1, which estimates its median.
	Transform string  `json:"transform,omitempty"`
	Smear     float64 `json:"smear,omitempty"`
}

// maxClasses is the maximum number of classes of a target.
const maxClasses = 1000

// Outputs returns the number of coefficients for each encoded column: the number of classes for Multiclass, and 1
// otherwise.
func (t *Target) Outputs() int { return max(1, len(t.Classes)) }

// transformed returns the transformed value of a target v before scaling. It panics if the transformation has
// pieces but no knots.
func (t *Target) transformed(v float64) float64 {
	f := Function{Name: t.Transform}
	return f.Evaluate(v)
}

// Predicted returns the prediction of a numeric target in the units of the table, given the margin z·x.
func (t *Target) Predicted(margin float64) float64 {
	return transform.Undo(t.Transform, t.Shift+t.Scale*margin, t.Smear)
}

// Validate returns an error if a target that was read from a file is invalid.
func (t Target) Validate() error {
	switch {
	case t.Name == "":
		return fmt.Errorf("the target has no name")
	case t.Task != Binary && t.Task != Regression && t.Task != Multiclass:
		return fmt.Errorf("the target has the unknown task %q", t.Task)
	case (t.Task == Multiclass) != (len(t.Classes) > 2) || len(t.Classes) > maxClasses:
		return fmt.Errorf("a target of task %q cannot have %d classes", t.Task, len(t.Classes))
	case len(slices.Compact(slices.Sorted(slices.Values(t.Classes)))) != len(t.Classes):
		return fmt.Errorf("two classes of the target have the same name")
	case t.Task == Binary && t.Positive == t.Negative:
		return fmt.Errorf("the positive and the negative class of the target are both %q", t.Positive)
	case t.Exposure != "" && (t.Task != Regression || t.Transform != "" || t.Scale != 1 || t.Shift != 0):
		return fmt.Errorf("a target with an exposure must be numeric and neither transformed, scaled nor shifted")
	case t.Task == Regression && (!isPositiveFinite(t.Scale) || !numeral.IsFinite(t.Shift)):
		return fmt.Errorf("the target's shift is %v and its scale is %v; both must be finite, and the scale must be positive",
			t.Shift, t.Scale)
	}
	return nil
}

// isPositiveFinite reports whether x is positive and neither NaN nor infinite.
func isPositiveFinite(x float64) bool { return x > 0 && !math.IsInf(x, 0) }
