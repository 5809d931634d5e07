package encode

import (
	"fmt"
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/numeral"
)

// Validate returns an error if an encoder that was read from a file is invalid. A valid encoder encodes any
// frame or returns an error.
func (e *Encoder) Validate() error {
	if err := e.Target.Validate(); err != nil {
		return err
	}
	if !slices.Contains([]string{"", "error", "mean", "median", "drop"}, e.Spec.Impute) {
		return fmt.Errorf("the encoder has the unknown imputation %q", e.Spec.Impute)
	}
	if len(e.Inputs) == 0 {
		return fmt.Errorf("the encoder has no inputs")
	}
	seen := map[string]bool{e.Target.Name: true}
	next := 0
	for i, in := range e.Inputs {
		what := fmt.Sprintf("input %d of the encoder", i+1)
		switch {
		case in.Name == "":
			return fmt.Errorf("%s has no name", what)
		case seen[in.Name]:
			return fmt.Errorf("%s, %q, occurs twice or is the target", what, in.Name)
		case in.First != next:
			return fmt.Errorf("%s, %q, begins at the encoded column %d instead of %d", what, in.Name, in.First, next)
		case !numeral.IsFinite(in.Fill):
			return fmt.Errorf("%s, %q, has the fill value %v, which is not finite", what, in.Name, in.Fill)
		}
		if in.Of != nil {
			if err := in.validateOperands(); err != nil {
				return fmt.Errorf("%s, %q: %w", what, in.Name, err)
			}
		}
		seen[in.Name] = true
		kind, n := "indicator", 1
		switch in.Kind {
		case data.Numeric:
			kind = "numeric"
		case data.Vector:
			kind, n = "numeric", in.Width()
			if err := in.validateVector(); err != nil {
				return fmt.Errorf("%s, %q: %w", what, in.Name, err)
			}
		case data.Bool, data.Categorical:
			n = in.Width()
			if n == 0 {
				return fmt.Errorf("%s, %q, has fewer than two levels: %q", what, in.Name, in.Labels())
			}
			if len(slices.Compact(slices.Sorted(slices.Values(in.Levels)))) != len(in.Levels) {
				return fmt.Errorf("%s, %q, lists a level twice: %q", what, in.Name, in.Levels)
			}
			if in.Reference != "" && in.skippedLabel() < 0 {
				return fmt.Errorf("%s, %q, has the reference level %q, which is not one of its levels", what, in.Name, in.Reference)
			}
		default:
			return fmt.Errorf("%s, %q, is neither a number nor a category", what, in.Name)
		}
		if len(e.Columns) < next+n {
			return fmt.Errorf("%s, %q, needs %d encoded columns, but only %d are left", what, in.Name, n, len(e.Columns)-next)
		}
		for _, c := range e.Columns[next : next+n] {
			if c.Kind != kind || c.Source != in.Name {
				return fmt.Errorf("%s, %q, does not match the encoded column %q", what, in.Name, c.Name)
			}
		}
		next += n
	}
	if rest := e.Columns[next:]; len(rest) > 1 || len(rest) == 1 && rest[0].Kind != "intercept" {
		return fmt.Errorf("the encoded column %q belongs to no input", rest[0].Name)
	}
	for _, c := range e.Columns {
		if err := c.Validate(); err != nil {
			return err
		}
	}
	if e.Profile != nil {
		if err := e.Profile.validate(e); err != nil {
			return err
		}
	}
	return e.validateGroups()
}

// validateGroups returns an error if a grouping that was read from a file is invalid.
func (e *Encoder) validateGroups() error {
	for i, g := range e.Groups {
		if len(g.Sources) == 0 || slices.Contains(g.Sources, "") {
			return fmt.Errorf("grouping %d of the encoder names no columns", i+1)
		}
		if len(g.Sources) == 1 && g.Kind > data.Bool {
			return fmt.Errorf("grouping %d of the encoder, %q, has an unknown kind", i+1, g.Name)
		}
	}
	return nil
}
