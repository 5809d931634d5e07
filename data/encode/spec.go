package encode

import (
	"fmt"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/fix"
)

// A Task is the kind of the target.
type Task string

const (
	Auto       Task = ""           // numbers of more than two values: regression; two values: binary
	Regression Task = "regression" // a numeric target
	Binary     Task = "binary"     // a target of two values, encoded ±1
	Multiclass Task = "multiclass" // a target of K > 2 classes, encoded 0 … K−1; a Spec that asks for Binary gets it too
)

// DefaultMaxLevels is the default limit on the levels of a categorical feature.
const DefaultMaxLevels = 1000

// A Spec assigns roles to columns and says how to encode them.
type Spec struct {
	Target string `json:"target"` // column to predict
	Task   Task   `json:"task"`

	// Features are the columns to predict from, in this order; empty means every
	// column but Target and Drop, and Groups only with GroupFeatures. A column of
	// dates that is taken apart stands for its parts, here and in Drop.
	Features []string `json:"features,omitempty"`
	Drop     []string `json:"drop,omitempty"`   // columns left out of the default Features
	Groups   []string `json:"groups,omitempty"` // columns whose values name groups

	// GroupFeatures makes the columns of Groups features, as categories, where Features
	// is empty. A group column of too many levels for a feature is left out, with a note.
	GroupFeatures bool `json:"group_features,omitempty"`

	// Categorical are numeric or bool columns to take as categories.
	Categorical []string `json:"categorical,omitempty"`

	Positive string `json:"positive,omitempty"` // positive value of a binary target; "" for the rule

	// Scale is "standard" (or "", the same) to bring numeric features to mean
	// 0 and standard deviation 1 (population) on the training rows, "max" to divide
	// them by their largest absolute value there, so that 0 stays 0, or "none".
	// Sparse vectors are never centred: "standard" does with their entries what "max" does.
	Scale       string `json:"scale"`
	ScaleTarget bool   `json:"scale_target"` // the same for a regression target
	Intercept   bool   `json:"intercept"`    // append a column of ones

	// Impute says what becomes of nulls in numeric features: "error" (or "",
	// the same), "mean" or "median" of the training rows, or "drop", which
	// drops the rows that have one there or in the target.
	Impute string `json:"impute"`

	MaxLevels int `json:"max_levels,omitempty"` // of a categorical feature; 0 means DefaultMaxLevels

	// MinCount, above 0, makes one level, (other), of the levels of a feature that
	// fewer training rows have, and of the rarest beyond MaxLevels.
	MinCount int `json:"min_count,omitempty"`

	// Weight is a column of positive numbers that say how many rows a row stands for: means, standard deviations,
	// medians and knots are those of a table that repeats the rows so often. It is no feature.
	Weight string `json:"weight,omitempty"`

	// Exposure is a column of positive numbers that the target is divided by, such as the years of a contract for a
	// target of counts: what is fitted is a rate. It is no feature, and needs a target that is not scaled.
	Exposure string `json:"exposure,omitempty"`

	// TargetTransform, "log" or "log1p", is what is fitted of a regression target.
	TargetTransform string `json:"target_transform,omitempty"`

	// Transforms are columns made of the features.
	Transforms Transforms `json:"transforms,omitzero"`

	// Products are columns with a coding of their own, behind all others. They stand for
	// the coefficients of groups: see Encoder.GroupProducts.
	Products []Term `json:"products,omitempty"`

	// Reference names, by column, the level whose coefficient is 0: it has no encoded
	// column, and levels that training did not see count as it does.
	Reference map[string]string `json:"reference,omitempty"`
}

// Validate returns an error if the Spec is invalid for every table.
func (s Spec) Validate() error {
	switch s.Task {
	case Auto, Regression, Binary, Multiclass:
	default:
		return fmt.Errorf("the task %q must be %q, %q, %q or empty", s.Task, Regression, Binary, Multiclass)
	}
	switch s.Scale {
	case "", "standard", "max", "none":
	default:
		return fmt.Errorf("the scale %q must be \"standard\", \"max\" or \"none\"", s.Scale)
	}
	switch s.Impute {
	case "", "error", "mean", "median", "drop":
	default:
		return fmt.Errorf("the imputation %q must be \"error\", \"mean\", \"median\" or \"drop\"", s.Impute)
	}
	if s.Exposure != "" && (s.Task != Regression || s.ScaleTarget || s.TargetTransform != "" || s.Exposure == s.Target) {
		return fmt.Errorf("the exposure %q needs another column as the target, with numbers that are neither scaled nor "+
			"transformed", s.Exposure)
	}
	switch s.TargetTransform {
	case "", "log", "log1p":
	default:
		return fmt.Errorf("the target transform %q must be log or log1p", s.TargetTransform)
	}
	if err := s.Transforms.Validate(); err != nil {
		return err
	}
	if s.MinCount < 0 {
		return fmt.Errorf("the min count %d must not be negative", s.MinCount)
	}
	if s.MaxLevels < 0 {
		return fmt.Errorf("the max levels %d must not be negative", s.MaxLevels)
	}
	if s.Target == "" {
		return &data.Error{Msg: "the target column is not set", Fixes: []fix.Fix{fix.NameTarget}}
	}
	for _, role := range []struct {
		name string
		list []string
	}{{"features", s.Features}, {"groups", s.Groups}, {"categorical", s.Categorical}, {"drop", s.Drop}} {
		seen := make(map[string]bool)
		for _, c := range role.list {
			if seen[c] {
				return fmt.Errorf("%s lists the column %q twice", role.name, c)
			}
			seen[c] = true
			if c == s.Target && role.name != "groups" {
				return fmt.Errorf("%s lists the column %q, which is the target", role.name, c)
			}
		}
	}
	for _, p := range s.Products {
		if len(p.Of) < 2 || !isPositiveFinite(p.Scale) {
			return fmt.Errorf("the product %q has %d operands and the scale %v: a product needs at least two operands and a "+
				"scale above 0", p.Name, len(p.Of), p.Scale)
		}
	}
	dropped := make(map[string]bool)
	for _, c := range s.Drop {
		dropped[c] = true
	}
	for _, c := range s.Features {
		if dropped[c] {
			return fmt.Errorf("features and drop both list the column %q", c)
		}
	}
	return nil
}

// IsNumeric reports whether a column is encoded as a number.
func (s *Spec) IsNumeric(c *data.Column) bool {
	return c.Kind == data.Numeric && !slices.Contains(s.Categorical, c.Name) && !s.isGroupFeature(c.Name)
}

// centres reports whether numbers are centred, so that a 0 is not encoded as 0.
func (s *Spec) centres() bool { return s.Scale != "none" && s.Scale != "max" }

// isGroupFeature reports whether a column is a feature only because it is a group column.
func (s *Spec) isGroupFeature(name string) bool {
	return s.GroupFeatures && len(s.Features) == 0 && slices.Contains(s.Groups, name) && !slices.Contains(s.Drop, name) &&
		name != s.Target
}

// Transforms lists derived columns by the names of their source columns.
type Transforms struct {
	Log    []string `json:"log,omitempty"`    // its logarithm, in its place
	Square []string `json:"square,omitempty"` // its square, in addition
	// a natural cubic spline of that number of knots, at quantiles, in its place
	Spline   map[string]int `json:"spline,omitempty"`
	Interact [][2]string    `json:"interact,omitempty"` // the product of two columns, in addition
}

// IsEmpty reports whether there are no derived columns.
func (t *Transforms) IsEmpty() bool {
	return len(t.Log)+len(t.Square)+len(t.Spline)+len(t.Interact) == 0
}

// Validate returns an error if the Transforms are invalid for every table.
func (t *Transforms) Validate() error {
	seen := map[string]bool{}
	for _, name := range t.Log {
		if seen[name] {
			return fmt.Errorf("log lists the column %q twice", name)
		}
		seen[name] = true
	}
	for name, knots := range t.Spline {
		if knots < 3 || knots > 20 {
			return fmt.Errorf("the spline of %q has %d knots: a spline needs 3 to 20", name, knots)
		}
		if seen[name] {
			return fmt.Errorf("log and spline both list the column %q, but only one of them can replace it", name)
		}
	}
	squares := map[string]bool{}
	for _, name := range t.Square {
		if squares[name] {
			return fmt.Errorf("square lists the column %q twice", name)
		}
		squares[name] = true
	}
	pairs := map[string]bool{}
	for _, p := range t.Interact {
		key := strings.Join([]string{min(p[0], p[1]), max(p[0], p[1])}, "\x00")
		if p[0] == p[1] || pairs[key] {
			return fmt.Errorf("the interaction %s:%s must name two different columns and occur once", p[0], p[1])
		}
		pairs[key] = true
	}
	return nil
}
