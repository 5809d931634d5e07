package train

import (
	"fmt"
	"slices"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/internal/printable"
)

// splitGroupFeatures divides the group columns, except the target, into those that are features and those that are
// not, each in the order of the groups.
func splitGroupFeatures(e *encode.Encoder) (in, out []string) {
	for _, name := range e.Spec.Groups {
		switch {
		case name == e.Target.Name:
		case slices.ContainsFunc(e.Inputs, func(i encode.Input) bool {
			return i.Name == name || slices.ContainsFunc(i.Of, func(o encode.Operand) bool { return o.Column == name })
		}):
			in = append(in, name)
		default:
			out = append(out, name)
		}
	}
	return in, out
}

// describeGroupFeatures returns a note that states which group columns are features and when the opposite is
// better, or "" if there are no group columns.
func (c *Config) describeGroupFeatures(e *encode.Encoder) string {
	in, out := splitGroupFeatures(e)
	if len(in) == 0 {
		if len(out) == 0 {
			return ""
		}
		return fmt.Sprintf("group columns not used as features: %s; if their use is legal and the groups are known at "+
			"prediction time, using them as features usually helps the worst group", printable.NameList(out, "and"))
	}
	note := fmt.Sprintf(
		"group columns used as features: %s; with --group-features no they are not, as is necessary if their use is "+
			"illegal or the groups are unknown at prediction time", printable.NameList(in, "and"))
	if len(out) > 0 {
		note += "; not used as features: " + printable.NameList(out, "and")
	}
	return note
}
