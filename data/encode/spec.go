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
	// Binary for a target with two values, Multiclass for text with more, and Regression for other numbers; a numeric
	// target that may be either is an error
	Auto       Task = ""
	Regression Task = "regression" // a numeric target
	Binary     Task = "binary"     // a target of two values, encoded as ±1
	// a target of K > 2 classes, encoded as 0 … K−1; a Spec that asks for Binary also accepts it
	Multiclass Task = "multiclass"
)

// DefaultMaxLevels is the default limit on the levels of a categorical feature.
const DefaultMaxLevels = 1000

// A Spec assigns roles to columns and specifies how to encode them.
type Spec struct {
	Target string `json:"target"` // column to predict
	Task   Task   `json:"task"`

	// Features lists the columns to predict from, in this order. If it is empty, they are all columns except
	// Target, Weight, Exposure, Drop and columns that the file declares to be the row index; the columns of Groups
	// are included only if GroupFeatures is set. Here and in Drop, the name of a column of dates that was split
	// stands for its parts, and the name of a dense vector for its entries.
	Features []string `json:"features,omitempty"`
	Drop     []string `json:"drop,omitempty"`   // columns excluded from the features, such as entries of a vector
	Groups   []string `json:"groups,omitempty"` // columns whose values name groups

	// GroupFeatures makes the columns of Groups categorical features if Features is empty. A group column with
	// too many levels for a feature is omitted, with a note.
	GroupFeatures bool `json:"group_features,omitempty"`

	// Categorical lists numeric or bool columns to treat as categories.
	Categorical []string `json:"categorical,omitempty"`

	// positive value of a binary target; "" means that a rule chooses it
	Positive string `json:"positive,omitempty"`

	// Scale is "standard" (or ""), which brings numeric features to mean 0 and population standard deviation 1
	// on the training rows; "max", which divides them by their largest absolute value in the training rows, so
	// that 0 stays 0; or "none". Sparse vectors are never centred: for their entries, "standard" means "max".
	Scale       string `json:"scale"`
	ScaleTarget bool   `json:"scale_target"` // standardises a regression target too
	Intercept   bool   `json:"intercept"`    // append a column of ones

	// Impute selects the treatment of nulls in numeric features: "error" (or ""), replacement by the "mean" or
	// "median" of the training rows, or "drop", which drops rows with a null in such a feature or in the
	// target.
	Impute string `json:"impute"`

	MaxLevels int `json:"max_levels,omitempty"` // maximum for a categorical feature; 0 means DefaultMaxLevels

	// MinCount, if positive, merges levels of a feature that occur in fewer training rows, and the rarest
	// levels beyond MaxLevels, into one level, (other).
	MinCount int `json:"min_count,omitempty"`

	// Weight names a column of positive numbers: the number of rows that each row represents. Means, standard
	// deviations, medians and knots are those of a table in which each row is repeated that many times. The
	// column is not among the default Features.
	Weight string `json:"weight,omitempty"`

	// Exposure names a column of positive numbers by which the target is divided, such as the years of a
	// contract for a target of counts; the model then predicts a rate. The column is not among the default
	// Features, and the target must be neither scaled nor transformed.
	Exposure string `json:"exposure,omitempty"`

	// TargetTransform is "log" or "log1p" to fit this function of a regression target, or "".
	TargetTransform string `json:"target_transform,omitempty"`

	// Transforms specifies columns derived from the features.
	Transforms Transforms `json:"transforms,omitzero"`

	// Products are columns with a given coding that follow all other columns. They represent the coefficients
	// of groups: see Encoder.GroupProducts.
	Products []Term `json:"products,omitempty"`

	// Reference maps a column to the level whose coefficient is 0. This level has no encoded column, and levels
	// that training lacked are treated like it.
	Reference map[string]string `json:"reference,omitempty"`
}

// Validate returns an error if the Spec is invalid for every table.
func (s Spec) Validate() error {
	switch s.Task {
	case Auto, Regression, Binary, Multiclass:
	default:
		return fmt.Errorf("the task is %q; it must be %q, %q, %q or empty", s.Task, Regression, Binary, Multiclass)
	}
	switch s.Scale {
	case "", "standard", "max", "none":
	default:
		return fmt.Errorf("the scale is %q; it must be \"standard\", \"max\" or \"none\"", s.Scale)
	}
	switch s.Impute {
	case "", "error", "mean", "median", "drop":
	default:
		return fmt.Errorf("the imputation is %q; it must be \"error\", \"mean\", \"median\" or \"drop\"", s.Impute)
	}
	if s.Exposure != "" && (s.Task != Regression || s.ScaleTarget || s.TargetTransform != "" || s.Exposure == s.Target) {
		return fmt.Errorf("the exposure %q needs a different column as the target, which must be numeric and neither "+
			"scaled nor transformed", s.Exposure)
	}
	switch s.TargetTransform {
	case "", "log", "log1p":
	default:
		return fmt.Errorf("the target transform is %q; it must be log or log1p", s.TargetTransform)
	}
	if err := s.Transforms.Validate(); err != nil {
		return err
	}
	if s.MinCount < 0 {
		return fmt.Errorf("the minimum count is %d; it must not be negative", s.MinCount)
	}
	if s.MaxLevels < 0 {
		return fmt.Errorf("the maximum number of levels is %d; it must not be negative", s.MaxLevels)
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
			return fmt.Errorf("the product %q has %d operands and the scale %v: a product needs at least two operands and "+
				"a scale above 0", p.Name, len(p.Of), p.Scale)
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

// isNumeric reports whether a column is encoded as a number.
func (s *Spec) isNumeric(c *data.Column) bool {
	return c.Kind == data.Numeric && !slices.Contains(s.Categorical, c.Name) && !s.isGroupFeature(c.Name)
}

// centres reports whether numbers are centred, so that a 0 is not encoded as 0.
func (s *Spec) centres() bool { return s.Scale != "none" && s.Scale != "max" }

// isGroupFeature reports whether a column is a feature only because it is a group column.
func (s *Spec) isGroupFeature(name string) bool {
	return s.GroupFeatures && len(s.Features) == 0 && slices.Contains(s.Groups, name) && !slices.Contains(s.Drop, name) &&
		name != s.Target
}

// Transforms specifies derived columns by the names of their source columns.
type Transforms struct {
	Log    []string `json:"log,omitempty"`    // columns that are replaced by their logarithms
	Square []string `json:"square,omitempty"` // columns whose squares are added
	// Spline replaces a number by a natural cubic spline with the given number of knots, at quantiles.
	Spline   map[string]int `json:"spline,omitempty"`
	Interact [][2]string    `json:"interact,omitempty"` // pairs of columns whose product is added
}

// isEmpty reports whether there are no derived columns.
func (t *Transforms) isEmpty() bool {
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
			return fmt.Errorf("the spline of %q has %d knots; a spline needs 3 to 20 knots", name, knots)
		}
		if seen[name] {
			return fmt.Errorf("log and spline both list the column %q, but only one of the two can replace the column", name)
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
